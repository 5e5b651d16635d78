package pdf

import (
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

// The most that is looked at on one page. A map or a drawing has a hundred
// thousand strokes and no table.
const (
	maxObjects  = 20_000
	maxStrokes  = 4_000
	maxSegments = 600 // of paths with more than a box
	maxNesting  = 6
	maxTexts    = 1_500 // pieces; with more it is cheaper to look at the words
)

// thin is the height of a box that is a line, in points.
const thin = 3

// A fill is a painted area; white text on a dark one can be read.
type fill struct {
	box
	white bool
}

// ink notes what is painted on a page besides text: the lines that tables are
// made of, painted areas and images.
func (r *reading) ink(ref requests.Page, p *page, v view) error {
	n, err := r.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: ref})
	if err != nil {
		return err
	}
	s := &strokes{reading: r, page: p, view: v}
	for i := range min(n.Count, maxObjects) {
		o, err := r.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: ref, Index: i})
		if err != nil {
			if r.ctx.Err() != nil {
				return err
			}
			continue // an object that PDFium could not make sense of
		}
		if err := s.object(o.PageObject, identity, 0); err != nil {
			return err
		}
	}
	return nil
}

// strokes walks the objects of a page. Each question to the engine takes about
// a microsecond, so none is asked in vain.
type strokes struct {
	*reading
	texts    int
	page     *page
	view     view
	paths    int
	segments int
}

// object notes one object; m leads from its coordinates to the page's.
func (s *strokes) object(o references.FPDF_PAGEOBJECT, m matrix, depth int) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	t, err := s.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: o})
	if err != nil {
		return err
	}
	switch t.Type {
	case enums.FPDF_PAGEOBJ_TEXT:
		return s.text(o)
	case enums.FPDF_PAGEOBJ_IMAGE:
		if b, ok := s.bounds(o, m); ok {
			s.page.images = append(s.page.images, b)
		}
	case enums.FPDF_PAGEOBJ_SHADING:
		if b, ok := s.bounds(o, m); ok {
			s.page.fills = append(s.page.fills, fill{box: b})
		}
	case enums.FPDF_PAGEOBJ_PATH:
		if s.paths++; s.paths <= maxStrokes {
			return s.path(o, m)
		}
	case enums.FPDF_PAGEOBJ_FORM:
		return s.nested(o, m, depth)
	}
	return nil
}

// text notes whether a text may not be seen. Only where one on the page may not
// is each word looked at.
func (s *strokes) text(o references.FPDF_PAGEOBJECT) error {
	if s.page.dubious {
		return nil
	}
	if s.texts++; s.texts > maxTexts {
		s.page.dubious = true
		return nil
	}
	seen, err := s.painted(o)
	s.page.dubious = seen != visible
	return err
}

// nested walks a form: a group of objects with its own coordinates.
func (s *strokes) nested(o references.FPDF_PAGEOBJECT, m matrix, depth int) error {
	if depth == maxNesting {
		return nil
	}
	n, err := s.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: o})
	if err != nil {
		return s.ctx.Err()
	}
	if own, err := s.FPDFPageObj_GetMatrix(&requests.FPDFPageObj_GetMatrix{PageObject: o}); err == nil {
		m = m.after(own.Matrix)
	}
	for i := range min(n.Count, maxObjects) {
		in, err := s.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: o, Index: uint64(i)})
		if err != nil {
			continue
		}
		if err := s.object(in.PageObject, m, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (s *strokes) bounds(o references.FPDF_PAGEOBJECT, m matrix) (box, bool) {
	b, err := s.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: o})
	if err != nil {
		return box{}, false
	}
	x0, y0 := m.apply(float64(b.Left), float64(b.Bottom))
	x1, y1 := m.apply(float64(b.Right), float64(b.Top))
	return s.view.box(x0, y0, x1, y1), true
}

// path notes the lines and the area of a path.
func (s *strokes) path(o references.FPDF_PAGEOBJECT, m matrix) error {
	mode, err := s.FPDFPath_GetDrawMode(&requests.FPDFPath_GetDrawMode{PageObject: o})
	if err != nil {
		return s.ctx.Err()
	}
	filled := mode.FillMode != enums.FPDF_FILLMODE_NONE
	if !filled && !mode.Stroke {
		return nil
	}
	b, ok := s.bounds(o, m)
	if !ok {
		return s.ctx.Err()
	}
	if b.w() <= thin || b.h() <= thin {
		s.page.rules = append(s.page.rules, b)
		return nil
	}
	if filled {
		c, err := s.FPDFPageObj_GetFillColor(&requests.FPDFPageObj_GetFillColor{PageObject: o})
		s.page.fills = append(s.page.fills, fill{b, err == nil && white(c.FillColor.R, c.FillColor.G, c.FillColor.B)})
		if !mode.Stroke {
			return s.ctx.Err()
		}
	}
	n, err := s.FPDFPath_CountSegments(&requests.FPDFPath_CountSegments{PageObject: o})
	if err != nil {
		return s.ctx.Err()
	}
	if n.Count <= 5 {
		s.page.rules = append(s.page.rules, edges(b)...)
		return nil
	}
	return s.lines(o, m, n.Count)
}

// lines notes the level and upright lines of a path that has many.
func (s *strokes) lines(o references.FPDF_PAGEOBJECT, m matrix, n int) error {
	if s.segments += n; s.segments > maxSegments {
		return nil
	}
	var x, y float64
	for i := range n {
		g, err := s.FPDFPath_GetPathSegment(&requests.FPDFPath_GetPathSegment{PageObject: o, Index: i})
		if err != nil {
			return s.ctx.Err()
		}
		at, err := s.FPDFPathSegment_GetPoint(&requests.FPDFPathSegment_GetPoint{PathSegment: g.PathSegment})
		if err != nil {
			return s.ctx.Err()
		}
		kind, err := s.FPDFPathSegment_GetType(&requests.FPDFPathSegment_GetType{PathSegment: g.PathSegment})
		if err != nil {
			return s.ctx.Err()
		}
		x1, y1 := m.apply(float64(at.X), float64(at.Y))
		if b := s.view.box(x, y, x1, y1); kind.Type == enums.FPDF_SEGMENT_LINETO && (b.w() <= thin || b.h() <= thin) {
			s.page.rules = append(s.page.rules, b)
		}
		x, y = x1, y1
	}
	return nil
}

func edges(b box) []box {
	return []box{
		{b.x0, b.y0, b.x1, b.y0},
		{b.x0, b.y1, b.x1, b.y1},
		{b.x0, b.y0, b.x0, b.y1},
		{b.x1, b.y0, b.x1, b.y1},
	}
}

// white reports whether a colour cannot be told from paper.
func white(r, g, b uint) bool { return r >= 250 && g >= 250 && b >= 250 }

// A matrix leads from one system of coordinates to another.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

func (m matrix) apply(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// after returns the matrix that applies o first.
func (m matrix) after(o structs.FPDF_FS_MATRIX) matrix {
	a, b, c, d, e, f := float64(o.A), float64(o.B), float64(o.C), float64(o.D), float64(o.E), float64(o.F)
	x, y := m.apply(e, f)
	return matrix{m[0]*a + m[2]*b, m[1]*a + m[3]*b, m[0]*c + m[2]*d, m[1]*c + m[3]*d, x, y}
}
