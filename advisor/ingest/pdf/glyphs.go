package pdf

import (
	"math"
	"regexp"
	"unicode"
	"unicode/utf16"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// PDFium writes these for a hyphen at the end of a line whose word goes on in
// the next: one where it is asked for a character, the other for a text.
const (
	softBreak     = 0x02
	softBreakText = 0xFFFE
)

// boldName is how the names of bold fonts end.
var boldName = regexp.MustCompile(`(?i)bold|black|heavy`)

// glyphs makes words of the characters of a page, in the file's order, which
// is also the order of reading inside a line: PDFium has put right-to-left text
// in that order already.
func (r *reading) glyphs(tp references.FPDF_TEXTPAGE, p *page, v view) error {
	count, err := r.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: tp})
	if err != nil {
		return err
	}
	units, err := r.units(tp, count.Count)
	if err != nil {
		return err
	}
	var (
		letters     []rune
		first, last int
		broke       = true
		before      *word
	)
	flush := func(soft bool) error {
		if len(letters) == 0 {
			return nil
		}
		w, err := r.word(tp, first, last, p, v, before)
		if err != nil {
			return err
		}
		if n := r.smallDigits(tp, letters, last, w.points); n > 0 {
			letters = append(letters[:len(letters)-n:len(letters)-n], []rune(superscript(string(letters[len(letters)-n:])))...)
		}
		w.text, w.chars, w.soft, w.broke = tidy(letters), len(letters), soft, broke
		letters, broke = letters[:0], false
		r.sort(p, w)
		before = w
		return nil
	}
	for i, c := range units {
		if utf16.IsSurrogate(c) && len(letters) > 0 && utf16.IsSurrogate(letters[len(letters)-1]) {
			letters[len(letters)-1] = utf16.DecodeRune(letters[len(letters)-1], c)
			last = i
			continue
		}
		switch {
		case c == softBreak || c == softBreakText:
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

// units returns the characters of a page, in UTF-16: all of them by one question
// to the engine where it leaves none out, else one by one.
func (r *reading) units(tp references.FPDF_TEXTPAGE, count int) ([]rune, error) {
	if count <= 0 {
		return nil, nil
	}
	out := make([]rune, 0, count)
	if all, err := r.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: tp, Count: count}); err == nil {
		for _, u := range utf16.Encode([]rune(all.Text)) {
			out = append(out, rune(u))
		}
		if len(out) > count && out[len(out)-1] == 0 {
			out = out[:len(out)-1]
		}
		if len(out) == count {
			return out, nil
		}
	}
	out = out[:0]
	for i := range count {
		u, err := r.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: tp, Index: i})
		if err != nil {
			return nil, err
		}
		out = append(out, rune(u.Unicode))
	}
	return out, nil
}

// word measures the word between two characters.
func (r *reading) word(tp references.FPDF_TEXTPAGE, first, last int, p *page, v view, before *word) (*word, error) {
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
	w := &word{box: b}
	size, err := r.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: tp, Index: first})
	if err != nil {
		return nil, err
	}
	if weight, err := r.FPDFText_GetFontWeight(&requests.FPDFText_GetFontWeight{TextPage: tp, Index: first}); err == nil && weight.FontWeight > 0 {
		w.stated = weight.FontWeight
	}
	if before != nil && before.points == size.FontSize && before.stated == w.stated && math.Abs(before.h()-w.h()) < 0.01 && math.Abs(before.y1-w.y1) < 0.01 {
		w.matrix, w.turn, w.weight = before.matrix, before.turn, before.weight // the same line goes on
	} else {
		r.font(tp, first, w, v)
	}
	w.points = size.FontSize
	w.size = size.FontSize * math.Hypot(float64(w.matrix.C), float64(w.matrix.D))
	if !p.dubious {
		return w, nil
	}
	return w, r.unseen(tp, first, w)
}

// font asks for what words of one line mostly share.
func (r *reading) font(tp references.FPDF_TEXTPAGE, i int, w *word, v view) {
	if w.weight = max(w.stated, 400); w.weight < 600 { // a weight is often guessed; the name is not
		if f, err := r.FPDFText_GetFontInfo(&requests.FPDFText_GetFontInfo{TextPage: tp, Index: i}); err == nil && boldName.MatchString(f.FontName) {
			w.weight = 700
		}
	}
	w.matrix.D = 1
	if m, err := r.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: tp, Index: i}); err == nil {
		w.matrix, w.turn = m.Matrix, v.turned(float64(m.Matrix.A), float64(m.Matrix.B))
	}
}

// smallDigits returns how many digits at the end of a word are set smaller than
// it: a note's mark, an exponent, a numerator.
func (r *reading) smallDigits(tp references.FPDF_TEXTPAGE, letters []rune, last int, points float64) int {
	n := 0
	for n < len(letters)-1 && n < 3 && letters[len(letters)-1-n] >= '0' && letters[len(letters)-1-n] <= '9' {
		size, err := r.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: tp, Index: last - n})
		if err != nil || size.FontSize >= 0.85*points {
			break
		}
		n++
	}
	return n
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
