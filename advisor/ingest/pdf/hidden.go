package pdf

import (
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"polaris/advisor/ingest/suspect"
	"polaris/models"
)

// How text is painted.
type paint uint8

const (
	visible paint = iota
	ghostly       // with nothing
	pale          // in white
)

// painted returns how a piece of text is painted.
func (r *reading) painted(o references.FPDF_PAGEOBJECT) (paint, error) {
	m, err := r.FPDFTextObj_GetTextRenderMode(&requests.FPDFTextObj_GetTextRenderMode{PageObject: o})
	if err != nil {
		return visible, err
	}
	switch m.TextRenderMode {
	case enums.FPDF_TEXTRENDERMODE_INVISIBLE, enums.FPDF_TEXTRENDERMODE_CLIP:
		return ghostly, nil
	case enums.FPDF_TEXTRENDERMODE_FILL, enums.FPDF_TEXTRENDERMODE_FILL_CLIP:
	default:
		return visible, nil // an outline is seen, whatever fills it
	}
	c, err := r.FPDFPageObj_GetFillColor(&requests.FPDFPageObj_GetFillColor{PageObject: o})
	switch {
	case err != nil:
		return visible, r.ctx.Err() // a pattern: no one colour
	case c.FillColor.A == 0:
		return ghostly, nil
	case white(c.FillColor.R, c.FillColor.G, c.FillColor.B):
		return pale, nil
	}
	return visible, nil
}

// unseen notes how a word is painted.
func (r *reading) unseen(tp references.FPDF_TEXTPAGE, i int, w *word) error {
	o, err := r.FPDFText_GetTextObject(&requests.FPDFText_GetTextObject{TextPage: tp, Index: i})
	if err != nil {
		return r.ctx.Err() // a generated character has none
	}
	seen, err := r.painted(o.TextObject)
	w.ghost, w.white = seen == ghostly, seen == pale
	return err
}

// sort puts a word where it belongs: into the text, the layer under a scan, or
// to what no reader sees.
func (r *reading) sort(p *page, w *word) {
	p.found += w.chars
	outside := w.x1 <= 0 || w.y1 <= 0 || w.x0 >= p.w || w.y0 >= p.h
	switch {
	case w.box == box{}: // no place is known; the text counts
		p.words = append(p.words, w)
	case outside:
		p.outside = append(p.outside, w)
	case w.size < 1 && w.h() < 1.5:
		p.hidden = append(p.hidden, w)
	case w.ghost && covered(w.box, p.images):
		p.layer = append(p.layer, w)
	case (w.ghost || w.white && !p.dark(w.box)) && p.atEdge(w.box):
		p.outside = append(p.outside, w)
	case w.ghost, w.white && !p.dark(w.box):
		p.hidden = append(p.hidden, w)
	default:
		p.words = append(p.words, w)
	}
}

// atEdge reports whether b lies within half an inch of one of the page's edges,
// where printers put what is cut off.
func (p *page) atEdge(b box) bool {
	const inch = 72
	return b.y1 <= inch/2 || b.y0 >= p.h-inch/2 || b.x1 <= inch/2 || b.x0 >= p.w-inch/2
}

// dark reports whether something behind b makes white text readable. The last
// area painted is what is seen.
func (p *page) dark(b box) bool {
	for i := len(p.fills) - 1; i >= 0; i-- {
		if p.fills[i].holds(b) {
			return !p.fills[i].white || covered(b, p.images)
		}
	}
	for _, rule := range p.rules { // a thin box behind a short line of small text
		if rule.h() > 1 && rule.holds(b) {
			return true
		}
	}
	return covered(b, p.images)
}

func covered(b box, by []box) bool {
	for _, o := range by {
		if o.holds(b) {
			return true
		}
	}
	return false
}

// mostMarks is how many different texts of printers are named.
const mostMarks = 5

// flag reports the hidden text of all pages: what is the same from page to page
// once, with the first of them. What printers leave at the edges is a warning,
// and so is a word or two of theirs that strayed from there, unless it is worded
// as an order to a machine.
func (r *reading) flag() {
	seen := map[string]bool{}
	marked, marks := r.marked(), 0
	for _, p := range r.pages {
		if len(p.hidden) <= 2 {
			p.outside, p.hidden = append(p.outside, p.hidden...), nil
		}
		mark := joined(p.outside)
		if _, order := suspect.Order(mark); !marked || order {
			p.hidden, mark = append(p.hidden, p.outside...), ""
		}
		if k := numberless(mark); mark != "" && !seen[k] {
			seen[k] = true
			if marks++; marks <= mostMarks {
				r.warn("p. %d: marks of a printer at the edge, which no reader sees and which are not in the text: %s", p.number, suspect.Excerpt(mark))
			}
		}
		text := joined(p.hidden)
		if k := numberless(text); text == "" || seen[k] {
			continue
		} else {
			seen[k] = true
		}
		r.doc.Flags = append(r.doc.Flags, models.Flag{Kind: models.HiddenText, Page: p.number, Text: suspect.Excerpt(text)})
	}
}

// marked reports whether the pages bear the marks of a printer: some words that
// are the same, but for numbers, at the edges of most of them or beyond.
func (r *reading) marked() bool {
	on := map[string]int{}
	for _, p := range r.pages {
		here := map[string]bool{}
		for _, w := range p.outside {
			here[numberless(w.text)] = true
		}
		for k := range here {
			on[k]++
		}
	}
	same := 0
	for _, n := range on {
		if n >= 3 && 2*n > len(r.pages) {
			same++
		}
	}
	return same >= 2
}
