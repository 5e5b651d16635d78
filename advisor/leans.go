package advisor

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// leans reports whether a sentence says little without the one before it: it
// begins with a quotation, with a word that points back, or in small letters.
func leans(sentence string) bool {
	word, rest, _ := strings.Cut(sentence, " ")
	if r, _ := utf8.DecodeRuneInString(word); strings.ContainsRune("\"“‘«'", r) {
		return true
	} else if unicode.IsLower(r) {
		return true
	}
	word = strings.ToLower(strings.TrimRight(word, ",;:"))
	if !pointsBack[word] {
		return false
	}
	next, _, _ := strings.Cut(rest, " ")
	return !ofDocuments[strings.TrimRight(next, ",;:.")]
}

var (
	pointsBack = set("it its this that these those such they their he she his her both neither otherwise however instead either then therefore also")
	// ofDocuments holds what "this" points to where it does not point back.
	ofDocuments = set("section part paragraph subsection subparagraph subchapter chapter title act appendix regulation rule handbook policy procedure schedule document guide")
)

func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}
