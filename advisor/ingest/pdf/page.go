package pdf

import (
	"math"
	"strings"

	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

// A box is a rectangle on the page as its reader sees it: x grows to the right,
// y grows down.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) w() float64  { return b.x1 - b.x0 }
func (b box) h() float64  { return b.y1 - b.y0 }
func (b box) cx() float64 { return (b.x0 + b.x1) / 2 }
func (b box) cy() float64 { return (b.y0 + b.y1) / 2 }

func (b box) and(o box) box {
	return box{min(b.x0, o.x0), min(b.y0, o.y0), max(b.x1, o.x1), max(b.y1, o.y1)}
}

// holds reports whether the middle of o lies in b.
func (b box) holds(o box) bool {
	return o.cx() >= b.x0 && o.cx() <= b.x1 && o.cy() >= b.y0 && o.cy() <= b.y1
}

// A word is what stands between two spaces, on one line.
type word struct {
	box
	text   string
	size   float64 // as it is seen, in points
	points float64 // as the file says it
	weight int     // 400 is regular
	stated int     // the weight that the font says; 0: none
	turn   int     // quarter turns clockwise against the page
	chars  int     // as the file counts them
	soft   bool    // ends in a hyphen that PDFium holds for one of line breaking
	broke  bool    // a line break of the file is before it

	matrix structs.FPDF_FS_MATRIX // of its glyphs

	ghost bool // painted with nothing: an OCR layer, or hidden
	white bool // painted white
}

// A page is what PDFium found on one.
type page struct {
	number  int // from 1
	w, h    float64
	words   []*word
	rules   []box // lines and edges of boxes that are painted
	images  []box
	fills   []fill
	layer   []*word // invisible words over an image
	hidden  []*word
	outside []*word  // hidden, too: beyond the page's edges, or at them
	dubious bool     // some of its text may not be seen
	fields  []string // names and values of form fields
	found   int      // characters but spaces
	ocr     bool     // the text is a scan's

	scanned []string // lines that were recognised in the image
}

// page reads the page with index i.
func (r *reading) page(i int) (*page, error) {
	r.engine.pages++
	opened, err := r.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: r.engine.doc, Index: i})
	if err != nil {
		return nil, err
	}
	ref := requests.Page{ByReference: &opened.Page}
	text, err := r.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: ref})
	if err != nil {
		return nil, err
	}
	p := &page{number: i + 1}
	v, err := r.view(ref)
	if err != nil {
		return nil, err
	}
	p.w, p.h = v.size()
	if err := r.ink(ref, p, v); err != nil {
		return nil, err
	}
	if err := r.glyphs(text.TextPage, p, v); err != nil {
		return nil, err
	}
	if _, err := r.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage}); err != nil {
		return nil, err
	}
	if err := r.values(ref, p); err != nil {
		return nil, err
	}
	if err := r.scan(i, p); err != nil {
		return nil, err
	}
	_, err = r.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: opened.Page})
	return p, err
}

// A view turns the file's coordinates into those of [box].
type view struct {
	crop box // in the file's coordinates, y0 the lower edge
	turn int // quarter turns clockwise, by which the page is shown
}

func (r *reading) view(ref requests.Page) (view, error) {
	b, err := r.FPDF_GetPageBoundingBox(&requests.FPDF_GetPageBoundingBox{Page: ref})
	if err != nil {
		return view{}, err
	}
	rot, err := r.FPDFPage_GetRotation(&requests.FPDFPage_GetRotation{Page: ref})
	if err != nil {
		return view{}, err
	}
	x0, x1 := ordered(float64(b.Rect.Left), float64(b.Rect.Right))
	y0, y1 := ordered(float64(b.Rect.Bottom), float64(b.Rect.Top))
	return view{crop: box{x0, y0, x1, y1}, turn: int(rot.PageRotation) & 3}, nil
}

func (v view) size() (w, h float64) {
	if v.turn%2 == 1 {
		return v.crop.h(), v.crop.w()
	}
	return v.crop.w(), v.crop.h()
}

// box returns where a rectangle of the file is seen.
func (v view) box(left, bottom, right, top float64) box {
	x0, x1 := ordered(left, right)
	y0, y1 := ordered(bottom, top)
	x0, x1, y0, y1 = x0-v.crop.x0, x1-v.crop.x0, y0-v.crop.y0, y1-v.crop.y0
	w, h := v.crop.w(), v.crop.h()
	switch v.turn {
	case 1:
		return box{y0, x0, y1, x1}
	case 2:
		return box{w - x1, y0, w - x0, y1}
	case 3:
		return box{h - y1, w - x1, h - y0, w - x0}
	}
	return box{x0, h - y1, x1, h - y0}
}

func ordered(a, b float64) (float64, float64) { return min(a, b), max(a, b) }

// turned returns the quarter turns clockwise that text with this matrix has on
// the page as seen.
func (v view) turned(a, b float64) int {
	quarter := int(math.Round(-math.Atan2(b, a) / (math.Pi / 2)))
	return ((quarter+v.turn)%4 + 4) % 4
}

// upright turns a box of a page that is w by h, so that text with this turn is
// level.
func (b box) upright(turn int, w, h float64) box {
	switch turn {
	case 1: // reads downwards
		return box{b.y0, w - b.x1, b.y1, w - b.x0}
	case 2:
		return box{w - b.x1, h - b.y1, w - b.x0, h - b.y0}
	case 3: // reads upwards
		return box{h - b.y1, b.x0, h - b.y0, b.x1}
	}
	return b
}

// joined is the words' text with one space between two.
func joined(ws []*word) string {
	parts := make([]string, len(ws))
	for i, w := range ws {
		parts[i] = w.text
	}
	return strings.Join(parts, " ")
}
