package pdf

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A vocabulary is the words that a document writes inside its lines. It says
// whether a hyphen at the end of one belongs to the word.
type vocabulary map[string]bool

// add notes words that end in no hyphen.
func (v vocabulary) add(ws []*word) {
	for _, w := range ws {
		if !strings.HasSuffix(w.text, "-") {
			v[key(w.text)] = true
		}
	}
}

func key(s string) string {
	return strings.ToLower(strings.TrimFunc(s, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }))
}

// join joins a line and the next one of its paragraph. "recom-" and
// "mendation" become one word; "well-" and "known" keep their hyphen where the
// document writes it so elsewhere, or where a number or a capital follows.
func (v vocabulary) join(a, b string) string {
	if open(a, b) {
		return a + b
	}
	if !strings.HasSuffix(a, "-") && !strings.HasSuffix(a, "\u2010") {
		return glue(a, b)
	}
	stem := strings.TrimRight(a, "-\u2010")
	head := stem[strings.LastIndexAny(stem, " ")+1:]
	before, _ := utf8.DecodeLastRuneInString(stem)
	after, _ := utf8.DecodeRuneInString(b)
	if head == "" || !unicode.IsLetter(before) {
		if unicode.IsDigit(before) && unicode.IsDigit(after) {
			return a + b
		}
		return glue(a, b)
	}
	tail, _, _ := strings.Cut(b, " ")
	switch {
	case v[key(head+tail)]:
		return stem + b
	case v[key(head+"-"+tail)], !unicode.IsLower(after), strings.Contains(head, "-"):
		return a + b
	}
	return stem + b
}

// open reports whether a line ends inside a word without a hyphen: in a range of
// numbers or an address.
func open(a, b string) bool {
	last := a[strings.LastIndexByte(a, ' ')+1:]
	next, _ := utf8.DecodeRuneInString(b)
	c, n := utf8.DecodeLastRuneInString(last)
	before, _ := utf8.DecodeLastRuneInString(last[:len(last)-n])
	switch {
	case c == '–':
		return (unicode.IsDigit(before) || unicode.IsUpper(before)) && (unicode.IsDigit(next) || unicode.IsUpper(next))
	case strings.Contains(last, "://") || strings.HasPrefix(last, "www."):
		return strings.ContainsRune("/=?&_-#@", c) && (unicode.IsLetter(next) || unicode.IsDigit(next))
	}
	return c == '@' && n < len(last)
}
