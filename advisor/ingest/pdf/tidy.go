package pdf

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// tidy makes text of the characters of a word. Ligatures and presentation forms
// become the letters that they stand for; superscripts, fractions and enclosed
// numbers stay as they are, because "10²" is no "102" and a note's mark no part
// of a citation.
func tidy(letters []rune) string {
	var b strings.Builder
	for _, c := range letters {
		switch {
		case c >= 0xFB00 && c <= 0xFDFF || c >= 0xFE70 && c <= 0xFEFC: // Latin ligatures, Hebrew and Arabic forms
			b.WriteString(norm.NFKC.String(string(c)))
		case c == 0xAD: // a soft hyphen inside a line is not shown
		case c >= 0xFF01 && c <= 0xFF5E: // full-width Latin stays: it is CJK typography
			b.WriteRune(c)
		default:
			b.WriteRune(c)
		}
	}
	return norm.NFC.String(b.String())
}
