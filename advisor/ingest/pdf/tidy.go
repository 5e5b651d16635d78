package pdf

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// tidy makes text of the characters of a word. Ligatures and presentation forms
// become the letters that they stand for; superscripts, fractions and enclosed
// numbers stay as they are, because "10²" is no "102" and a note's mark no part
// of a citation; full-width letters stay too: that is how CJK text is set.
func tidy(letters []rune) string {
	var b strings.Builder
	for _, c := range letters {
		switch {
		case c >= 0xFB00 && c <= 0xFDFF || c >= 0xFE70 && c <= 0xFEFC: // Latin ligatures, Hebrew and Arabic forms
			b.WriteString(norm.NFKC.String(string(c)))
		case c >= 0xF020 && c <= 0xF0FF: // what fonts of signs have instead of a character
			b.WriteRune(sign(c))
		case c == 0xAD: // a soft hyphen inside a line is not shown
		default:
			b.WriteRune(c)
		}
	}
	return norm.NFC.String(b.String())
}

// sign returns the character for one of Symbol or Wingdings, which the engine
// hands over as these fonts number it. Those without a counterpart that matters
// stay as they are.
func sign(c rune) rune {
	switch c {
	case 0xF0B7, 0xF06C, 0xF09F:
		return '•'
	case 0xF0A7, 0xF06E:
		return '▪'
	case 0xF06F, 0xF0A1:
		return '○'
	case 0xF0D8:
		return '➢'
	case 0xF0FC:
		return '✓'
	case 0xF0A8, 0xF071:
		return '□'
	case 0xF02D:
		return '–'
	}
	return c
}
