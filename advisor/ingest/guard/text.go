package guard

import (
	"strings"
	"unicode"
)

// oneLine returns s as one line that is at most 1,000 bytes long and has no
// characters but visible ones: what a child says is shown and logged.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return -1
	}, s[:min(len(s), 4000)])
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 1000 {
		s = strings.ToValidUTF8(s[:1000], "") + "…"
	}
	return s
}
