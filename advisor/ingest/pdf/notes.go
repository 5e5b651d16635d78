package pdf

import (
	"regexp"
	"strings"
)

// noteMark is what a footnote begins with.
var noteMark = regexp.MustCompile(`^(?:[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}|[0-9]{1,3}|[*†‡§¶]{1,3})\.?\s*`)

// markNotes finds the notes among the last paragraphs of a column: set smaller
// than the text, in the lower half of the page, each with its mark.
func markNotes(ps []*para, b body, height float64) {
	first := len(ps)
	for first > 0 {
		p := ps[first-1]
		if p.size > 0.93*b.size || p.lines[0].y0 < 0.4*height {
			break
		}
		first--
	}
	mark := ""
	for _, p := range ps[first:] {
		p.more = mark == ""
		if m := noteMark.FindString(p.text); m != "" && len(p.text) > len(m)+3 {
			p.more = false
			mark = strings.TrimSpace(m)
			p.note, p.label = plainDigits(strings.TrimSuffix(mark, ".")), ""
			p.text = strings.TrimSpace(p.text[len(m):])
		}
	}
}

// plainDigits writes raised digits as plain ones.
func plainDigits(s string) string {
	return strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9").Replace(s)
}
