package suspect

import (
	"strings"
	"unicode"
)

// Invisible returns where in s the first character is that nobody sees and that
// has no business there, or -1: between two letters of a script that joins
// nothing, or one of those that spell a text in tags. The joiners of Persian,
// Indic scripts and emoji, and the word breaks of Thai and Khmer, are business.
func Invisible(s string) int {
	var before rune
	selectors := 0
	for i, r := range s {
		switch {
		case r >= 0xE0000 && r <= 0xE007F:
			if !strings.Contains(s[:i], "\U0001F3F4") { // the flags of Scotland and Wales
				return i
			}
		case r >= 0xE0100 && r <= 0xE01EF:
			if selectors++; selectors > 3 {
				return i
			}
			continue
		case unseen(r):
			if after := next(s[i:], r); parts(before) && parts(after) {
				return i
			}
			continue // several in a row have one letter before them
		}
		selectors = 0
		before = r
	}
	return -1
}

// unseen reports whether a character is there and takes no room. The soft hyphen
// is not counted: it says where a word may break.
func unseen(r rune) bool {
	switch r {
	case 0x200B, 0x200C, 0x200D, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0xFEFF, 0x180E, 0x3164, 0xFFA0, 0x115F, 0x1160:
		return true
	}
	return false
}

func next(s string, first rune) rune {
	for _, r := range s[len(string(first)):] {
		if !unseen(r) {
			return r
		}
	}
	return 0
}

// parts reports whether a letter's script writes words of letters that stand
// apart.
func parts(r rune) bool {
	return unicode.IsLetter(r) && (r < 0x80 || unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek))
}

// turned returns where the first override of the direction is, or -1.
func turned(s string) int {
	return strings.IndexAny(s, "\u202d\u202e")
}
