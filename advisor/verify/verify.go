// Package verify holds a claim against the text that is said to support it.
//
// It works by words alone. A claim that the quote contains, apart from white
// space, case and typography, is supported for certain. For any other the
// score is the share of the claim's words, the rarer weighing more, that the
// quote has, and it falls where the two differ in what a word count would
// overlook: a number, a negation, an obligation. Words alone cannot verify a
// free paraphrase, so such a claim scores low whether or not it is true.
package verify

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"polaris/advisor/index"
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
	case contains(q, c):
		v.Score = 1
	default:
		v.Score = overlap(words(claim), words(quote), weigh)
	}
	return v
}

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

func words(s string) []string {
	var out []string
	index.Words(norm.NFKC.String(s), func(w []byte, _, _ int) { out = append(out, string(w)) })
	return out
}

// Words that turn a sentence into another without changing its subject.
var (
	negations = set("not no never nor neither none without cannot nt unless except t")
	forces    = set("must shall may should only any all each some before after within least most more less if until")
)

func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// overlap scores a claim that is not in the quote, below 1 always.
func overlap(claim, quote []string, weigh Weigher) float64 {
	have, stems := map[string]bool{}, map[string]bool{}
	for _, w := range quote {
		have[w], stems[index.Stem(w)] = true, true
	}
	var sum, total float64
	foreign, forced := 0, 0
	for _, w := range claim {
		switch {
		case number(w) && !have[w]:
			foreign++
		case forces[w] && !have[w]:
			forced++
		}
		weight := 1.0
		if weigh != nil {
			weight = weigh(w)
		}
		total += weight
		if stems[index.Stem(w)] {
			sum += weight
		}
	}
	if total == 0 {
		return 0
	}
	score := 0.95 * sum / total
	if foreign > 0 {
		score *= 0.5
	}
	if count(claim, negations)%2 != count(quote, negations)%2 {
		score *= 0.5
	}
	return score * math.Pow(0.75, float64(forced))
}

func number(w string) bool { return w != "" && w[0] >= '0' && w[0] <= '9' }

func count(words []string, in map[string]bool) (n int) {
	for _, w := range words {
		if in[w] {
			n++
		}
	}
	return n
}
