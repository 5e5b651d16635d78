package pdf

import (
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"polaris/models"
)

// maxFlagText is how much of a hidden text a flag shows, in characters.
const maxFlagText = 300

// unseen notes how a word is painted.
func (r *reading) unseen(tp references.FPDF_TEXTPAGE, i int, w *word) error {
	o, err := r.FPDFText_GetTextObject(&requests.FPDFText_GetTextObject{TextPage: tp, Index: i})
	if err != nil {
		return r.ctx.Err() // a generated character has none
	}
	m, err := r.FPDFTextObj_GetTextRenderMode(&requests.FPDFTextObj_GetTextRenderMode{PageObject: o.TextObject})
	if err != nil {
		return err
	}
	switch m.TextRenderMode {
	case enums.FPDF_TEXTRENDERMODE_INVISIBLE, enums.FPDF_TEXTRENDERMODE_CLIP:
		w.ghost = true
		return nil
	case enums.FPDF_TEXTRENDERMODE_FILL, enums.FPDF_TEXTRENDERMODE_FILL_CLIP:
	default:
		return nil // an outline is seen, whatever fills it
	}
	c, err := r.FPDFText_GetFillColor(&requests.FPDFText_GetFillColor{TextPage: tp, Index: i})
	if err != nil {
		return r.ctx.Err() // a pattern: no one colour
	}
	w.ghost = c.A == 0
	w.white = white(c.R, c.G, c.B)
	return nil
}

// sort puts a word where it belongs: into the text, the layer under a scan, or
// to what no reader sees.
func (r *reading) sort(p *page, w *word) {
	p.found += w.chars
	outside := w.x1 <= 0 || w.y1 <= 0 || w.x0 >= p.w || w.y0 >= p.h
	switch {
	case w.box == box{}: // no place is known; the text counts
		p.words = append(p.words, w)
	case outside, w.size < 1 && w.h() < 1.5:
		p.hidden = append(p.hidden, w)
	case w.ghost && covered(w.box, p.images):
		p.layer = append(p.layer, w)
	case w.ghost, w.white && !p.dark(w.box):
		p.hidden = append(p.hidden, w)
	default:
		p.words = append(p.words, w)
	}
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

// flag reports the hidden text of a page.
func (r *reading) flag(p *page) {
	if len(p.hidden) == 0 {
		return
	}
	text := joined(p.hidden)
	if utf8.RuneCountInString(text) > maxFlagText {
		text = string([]rune(text)[:maxFlagText]) + "…"
	}
	r.doc.Flags = append(r.doc.Flags, models.Flag{Kind: models.HiddenText, Page: p.number, Text: text})
}
