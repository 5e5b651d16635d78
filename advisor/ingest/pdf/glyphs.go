package pdf

import (
	"math"
	"unicode"
	"unicode/utf16"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// PDFium writes this for a hyphen at the end of a line whose word goes on in
// the next; older versions the second.
const (
	softBreak    = 0x02
	softBreakOld = 0xFFFE
)

// glyphs makes words of the characters of a page, in the file's order, which
// is also the order of reading inside a line: PDFium has put right-to-left text
// in that order already.
func (r *reading) glyphs(tp references.FPDF_TEXTPAGE, p *page, v view) error {
	count, err := r.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: tp})
	if err != nil {
		return err
	}
	var (
		letters     []rune
		first, last int
		broke       = true
	)
	flush := func(soft bool) error {
		if len(letters) == 0 {
			return nil
		}
		w, err := r.word(tp, first, last, v)
		if err != nil {
			return err
		}
		w.text, w.chars, w.soft, w.broke = tidy(letters), len(letters), soft, broke
		letters, broke = letters[:0], false
		r.sort(p, w)
		return nil
	}
	for i := range count.Count {
		if i%256 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		u, err := r.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: tp, Index: i})
		if err != nil {
			return err
		}
		c := rune(u.Unicode)
		if utf16.IsSurrogate(c) && len(letters) > 0 && utf16.IsSurrogate(letters[len(letters)-1]) {
			letters[len(letters)-1] = utf16.DecodeRune(letters[len(letters)-1], c)
			last = i
			continue
		}
		switch {
		case c == softBreak || c == softBreakOld:
			letters, last = append(letters, '-'), i
			if err := flush(true); err != nil {
				return err
			}
			broke = true
		case c == '\n' || c == '\r' || c == '\f' || c == 0x2028 || c == 0x2029:
			if err := flush(false); err != nil {
				return err
			}
			broke = true
		case unicode.IsSpace(c):
			if err := flush(false); err != nil {
				return err
			}
		case c < ' ' || c == 0xFFFF: // no character: a glyph without a meaning
		default:
			if len(letters) == 0 {
				first = i
			}
			letters, last = append(letters, c), i
		}
	}
	return flush(false)
}

// word measures the word between two characters.
func (r *reading) word(tp references.FPDF_TEXTPAGE, first, last int, v view) (*word, error) {
	b, err := r.glyph(tp, first, v)
	if err != nil {
		return nil, err
	}
	if last != first {
		c, err := r.glyph(tp, last, v)
		if err != nil {
			return nil, err
		}
		b = b.and(c)
	}
	w := &word{box: b, weight: 400}
	size, err := r.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: tp, Index: first})
	if err != nil {
		return nil, err
	}
	w.size = size.FontSize
	if m, err := r.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: tp, Index: first}); err == nil {
		w.size *= math.Hypot(float64(m.Matrix.C), float64(m.Matrix.D))
		w.turn = v.turned(float64(m.Matrix.A), float64(m.Matrix.B))
	}
	if weight, err := r.FPDFText_GetFontWeight(&requests.FPDFText_GetFontWeight{TextPage: tp, Index: first}); err == nil && weight.FontWeight > 0 {
		w.weight = weight.FontWeight
	}
	return w, r.unseen(tp, first, w)
}

// glyph returns where a character is seen, with the height of its font.
func (r *reading) glyph(tp references.FPDF_TEXTPAGE, i int, v view) (box, error) {
	b, err := r.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: tp, Index: i})
	if err != nil {
		if r.ctx.Err() != nil {
			return box{}, err
		}
		return box{}, nil // a character without a place
	}
	return v.box(float64(b.Rect.Left), float64(b.Rect.Bottom), float64(b.Rect.Right), float64(b.Rect.Top)), nil
}
