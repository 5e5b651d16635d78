// Package verify holds a claim against the text that is said to support it.
//
// It works by words alone. A claim that the quote contains, apart from white
// space, case and typography, is supported for certain. Any other is aligned
// with the quote: its score is the share of its words, the rarer weighing more,
// that the quote has and has in order, and it falls where the two differ in
// what a word count would overlook: a number, a negation, an obligation, a
// scope, a time, an opposite, a name, who does what to whom. Words alone cannot
// verify a free paraphrase, so such a claim scores low whether or not it is
// true.
package verify

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"polaris/models"
)

// Threshold is the score from which a lexical verification counts as verified.
const Threshold = 0.8

// A Weigher says how telling a word is; the larger, the more.
type Weigher func(word string) float64

// Lexical verifies claim against quote. With weigh nil every word weighs the
// same.
func Lexical(claim, quote string, weigh Weigher) models.Verification {
	v := models.Verification{Method: models.VerifiedLexical}
	c, q := plain(claim), plain(quote)
	switch {
	case c == "":
		v.Method = models.Unverified
	case c == q:
		v.Score = 1
	case contains(q, c) && governed(claim, quote):
		v.Score = min(ungoverned, align(read(claim), read(quote), weigh).score())
	case contains(q, c) && !denied(claim, quote):
		v.Score = 1
	default:
		v.Score = align(read(claim), read(quote), weigh).score()
	}
	return v
}

// denied reports whether every place where the quote has the claim is part of a
// sentence that negates it just before: "a creditor may" of "no creditor may".
func denied(claim, quote string) bool {
	c, q := read(claim).all, read(quote).all
	found := false
	for i := range q {
		if !begins(q[i:], c) {
			continue
		}
		if found = true; !negatedBefore(q, i) {
			return false
		}
	}
	return found
}

// begins reports whether q begins with the words of c.
func begins(q, c []token) bool {
	if len(c) == 0 || len(q) < len(c) {
		return false
	}
	for i := range c {
		if q[i].word != c[i].word {
			return false
		}
	}
	return true
}

// negatedBefore reports whether a negation stands in the sentence of the i-th
// word, shortly before it.
func negatedBefore(q []token, i int) bool {
	for _, t := range q[max(0, i-denial):i] {
		if t.sentence == q[i].sentence && cues[t.word] == negation {
			return true
		}
	}
	return false
}

// ungoverned is the most that an item of a list scores without its opening.
const ungoverned = 0.5

// denial is how many words before a claim a negation is looked for.
const denial = 3

// plain makes texts comparable: compatibility forms unified, lower case, and
// every run of what is no letter, digit or sign of amount made one space. A
// point or comma between digits stays: 5 is not in 5.25.
func plain(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := false
	runes := []rune(norm.NFKC.String(s))
	for i, r := range runes {
		if r < utf8.RuneSelf && simple[r] != 0 {
			if space {
				b.WriteByte(' ')
				space = false
			}
			b.WriteByte(simple[r])
			continue
		}
		inNumber := (r == '.' || r == ',') && i > 0 && i+1 < len(runes) && unicode.IsDigit(runes[i-1]) && unicode.IsDigit(runes[i+1])
		if !inNumber && !unicode.In(r, unicode.L, unicode.N, unicode.M) && !strings.ContainsRune("$%€£+§", r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// simple is what plain makes of those ASCII characters that it keeps wherever
// they stand, 0 for the others. Most text is made of them.
var simple = func() (t [utf8.RuneSelf]byte) {
	for c := range byte(utf8.RuneSelf) {
		if r := rune(c); unicode.In(r, unicode.L, unicode.N, unicode.M) || strings.ContainsRune("$%+", r) {
			t[c] = byte(unicode.ToLower(r))
		}
	}
	return t
}()

// contains reports whether q has c as whole words.
func contains(q, c string) bool { return strings.Contains(" "+q+" ", " "+c+" ") }

func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}
