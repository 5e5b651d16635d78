package retrieve

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Span is a part of a text, in bytes.
type Span struct{ Start, End int }

// Sentences returns the sentences of text, without the white space around
// them. A point ends a sentence only where a new one can begin after it: not
// in U.S.C., No. 5, e.g. this, 3.2 or Inc.; a list marker at the beginning
// belongs to the sentence that follows it. A blank line always ends one, and a
// row of a table is one by itself.
func Sentences(text string) []Span {
	var out []Span
	start := 0
	emit := func(end int) {
		if s, ok := trim(text, start, end); ok {
			out = append(out, s)
		}
		start = end
	}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\n' && (blankAfter(text, i) || strings.HasPrefix(text[i+1:], "| ")):
			emit(i)
			i++
		case c == '.' || c == '!' || c == '?':
			end := closing(text, i+1)
			if ends(text, start, i, end) {
				emit(end)
			}
			i = end
		default:
			i++
		}
	}
	emit(len(text))
	return out
}

// trim takes the white space off, and reports whether anything is left.
func trim(text string, start, end int) (Span, bool) {
	s := text[start:end]
	left := strings.TrimLeftFunc(s, unicode.IsSpace)
	start += len(s) - len(left)
	left = strings.TrimRightFunc(left, unicode.IsSpace)
	return Span{start, start + len(left)}, left != ""
}

// blankAfter reports whether the line break at i is followed by an empty line.
func blankAfter(text string, i int) bool {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\n':
			return true
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return false
}

// closing skips what may stand between a point and the space after it: further
// points, closing quotes and brackets.
func closing(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !strings.ContainsRune(".!?\"')]”’»", r) {
			return i
		}
		i += n
	}
	return i
}

// ends reports whether the mark at i ends the sentence that began at start,
// where next is the place after the mark and what closes with it.
func ends(text string, start, i, next int) bool {
	if next >= len(text) {
		return true
	}
	if r, _ := utf8.DecodeRuneInString(text[next:]); !unicode.IsSpace(r) {
		return false // 3.2, example.com, U.S.C
	}
	after := strings.TrimLeftFunc(text[next:], unicode.IsSpace)
	r, _ := utf8.DecodeRuneInString(after)
	if unicode.IsLower(r) || strings.ContainsRune(",;:", r) {
		return false
	}
	if text[i] != '.' {
		return true
	}
	before, word := lastWord(text[start:i])
	return !marker(text[start:i]) && (named[strings.ToLower(before)] || !abbreviation(word, r))
}

// lastWord returns the last word of s, and the one before it.
func lastWord(s string) (before, word string) {
	cut := strings.LastIndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("([{\"“‘", r) }) + 1
	rest := strings.TrimRightFunc(s[:cut], unicode.IsSpace)
	return rest[strings.LastIndexFunc(rest, unicode.IsSpace)+1:], s[cut:]
}

// named holds what is called by a letter, so that the letter is no initial:
// "under Regulation B."
var named = set("regulation appendix form part subpart class type schedule exhibit title plan option group annex attachment table step level grade")

// marker reports whether s is all of a sentence so far, and only numbers it:
// "1", "(a)(1)", "iv", "B".
func marker(s string) bool {
	s = strings.Trim(strings.TrimSpace(s), "()[]#*-• ")
	if s == "" || len(s) > 8 {
		return false
	}
	if len(s) == 1 || strings.Trim(s, "0123456789.") == "" {
		return true
	}
	return strings.Trim(strings.ToLower(s), "ivxlc") == ""
}

// abbreviation reports whether a point after word is a part of it. Some always
// go on; others only before a number.
func abbreviation(word string, next rune) bool {
	if n := utf8.RuneCountInString(word); n == 1 {
		r, _ := utf8.DecodeRuneInString(word)
		return unicode.IsLetter(r) && word != "I" // an initial: J. Smith
	}
	if strings.Contains(word, ".") { // U.S, e.g, 15 U.S.C: one letter between the points
		for part := range strings.SplitSeq(word, ".") {
			if utf8.RuneCountInString(part) > 1 {
				return false
			}
		}
		return true
	}
	w := strings.ToLower(word)
	return goesOn[w] || beforeNumber[w] && (unicode.IsDigit(next) || next == '§')
}

var goesOn = set("mr mrs ms dr prof st vs viz cf al eg ie etc approx dept inc ltd co corp assn bros jr sr gen rep sen gov hon rev messrs u.s pub stat supp subch subpt ann")

var beforeNumber = set("no nos sec secs art arts ch chap para paras par pt pts fig figs vol p pp ex reg regs app cl sch jan feb mar apr jun jul aug sep sept oct nov dec l")

func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}
