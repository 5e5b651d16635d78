package pdf

import (
	"regexp"
	"strings"
	"unicode"
)

// marks are what stands before the items of a list.
var marks = regexp.MustCompile(`^(?:[•▪▫◦‣●○■□➢➤✓✔❏·∙]|[-–—*!](?: )|` +
	`\((?:[0-9]{1,3}|[A-Za-z]{1,2}|[ivxlIVXL]{1,6})\)|` + // (a) (iv) (12)
	`(?:[0-9]{1,3}|[A-Za-z]|[ivx]{1,5}|[IVX]{1,5})[.)](?: |$)|` + // 1. a) iv.
	`[0-9]{1,3}(?:\.[0-9]{1,3}){1,4}\.?(?:\([0-9A-Za-z]{1,4}\))*(?: |$))`) // 4.2 4.2.1(a)

// label returns the mark or number that a line begins with, with text after
// it; "" where there is none.
func label(text string) string {
	m := strings.TrimSpace(marks.FindString(text))
	if m == "" || len(strings.TrimSpace(text)) == len(m) {
		return ""
	}
	return m
}

// markOnly reports whether a word that stands alone is the mark of an item: a
// label, or a sign from a font of signs, however it is written.
func markOnly(text string) bool {
	if label(text+" x") != "" {
		return true
	}
	n := 0
	for _, c := range text {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return false
		}
		n++
	}
	return n <= 2
}
