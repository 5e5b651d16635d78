package index

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// stopWords carry no meaning of their own and are in no list.
const stopWords = "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with s t"

// questionWords mean nothing in a question, but are indexed: a passage may be
// quoted by them.
const questionWords = "what which who whom whose when where why how do does did can could should would may might must shall am been being have has had i me my we our us you your he she him her its any some also from than so"

// askingWords are ranked by like any other, but say more of how a question is
// asked than of what: a passage that lacks them covers it hardly less.
const askingWords = "about action actions allow allowed allows answer applies apply approach ask aspect aspects become becomes call called case cases certain circumstance circumstances clarify come comes condition conditions consequence consequences consider consideration considerations considered context could count counts criteria criterion define defined definition describe detail details difference elaborate element elements ensure event exactly example examples expectation expectations explain factor factors far fast find follow following framework get gets give given go goes guidance guideline guidelines happen happens has held hold impact implication implications include included includes including information instance involve involved keep kept kind know last lasts least let like long look make makes many mean meaning means meant measure measures method methods much must need needed needs new obligation obligations often one ones option options order others outline owe owed part particular place please procedure procedures process processes provide provided provision provisions purpose purposes put quickly reason reasons regard regarding relate related require required requirement requirements requires responsibilities responsibility role rule rules say says scenario see set should show situation situations soon sort specific standard standards stay stays step steps still take taken takes tell term terms thing things time treat treated true two type types under use used uses using want way ways whether work works year years yet"

// askingShare is how much of its weight such a word has when coverage is
// measured.
const askingShare = 0.3

var isStop, isQuestion, isAsking = wordSet(stopWords), wordSet(questionWords), wordSet(askingWords)

func wordSet(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// Words calls f with every word of text in lower case, and its byte span. The
// word is only valid during the call.
//
// A word is a run of letters, digits and marks. A point between digits does
// not end it (12.5 and 1026.4 stay whole), nor does a comma before three
// digits (10,000 is the word 10000). Writing without spaces is cut into
// overlapping pairs of characters.
func Words(text string, f func(word []byte, start, end int)) {
	buf := make([]byte, 0, 64)
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf && !alnum(c) {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(text[i:])
			if unspaced(r) {
				i = pairs(text, i, f)
				continue
			}
			if !wordRune(r) {
				i += n
				continue
			}
		}
		var end int
		buf, end = word(text, i, buf[:0])
		f(buf, i, end)
		i = end
	}
}

// word appends the word that begins at i to buf, and returns where it ends.
func word(text string, i int, buf []byte) ([]byte, int) {
	for i < len(text) {
		c := text[i]
		switch {
		case c >= 'A' && c <= 'Z':
			buf = append(buf, c+'a'-'A')
			i++
		case alnum(c):
			buf = append(buf, c)
			i++
		case c == '.' && digitAt(text, i-1) && digitAt(text, i+1):
			buf = append(buf, c)
			i++
		case c == ',' && thousands(text, i):
			i++
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(text[i:])
			if r == '\u00ad' { // a soft hyphen is where the word may be broken, not where it ends
				i += n
				continue
			}
			if !wordRune(r) || unspaced(r) {
				return buf, i
			}
			buf = utf8.AppendRune(buf, unicode.ToLower(r))
			i += n
		default:
			return buf, i
		}
	}
	return buf, i
}

func alnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func digitAt(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }

// thousands reports whether the comma at i stands before exactly three digits.
func thousands(s string, i int) bool {
	return digitAt(s, i-1) && digitAt(s, i+1) && digitAt(s, i+2) && digitAt(s, i+3) && !digitAt(s, i+4)
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

func unspaced(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// pairs calls f with the overlapping pairs of the run of unspaced characters at
// i, or with the one character that it is, and returns where the run ends.
func pairs(text string, i int, f func([]byte, int, int)) int {
	_, n := utf8.DecodeRuneInString(text[i:])
	first, prev := true, i
	for i += n; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unspaced(r) {
			break
		}
		f([]byte(text[prev:i+n]), prev, i+n)
		first, prev = false, i
		i += n
	}
	if first {
		f([]byte(text[prev:i]), prev, i)
	}
	return i
}

// roots lists words whose forms no stem unites: after each its other forms. It
// holds those that rules are written and asked about with.
const roots = "begin began begun, buy bought, complain complaint complaints, deny denial denials, keep kept, lend lent, lose lost, refuse refusal refusals, retain retention, sell sold, spend spent, tell told, withdraw withdrew withdrawn"

var rootOf = func() map[string]string {
	m := map[string]string{}
	for l := range strings.SplitSeq(roots, ", ") {
		root, forms, _ := strings.Cut(l, " ")
		for w := range strings.FieldsSeq(forms) {
			m[w] = root
		}
	}
	return m
}()

var stemmers = sync.Pool{New: func() any { return snowballstem.NewEnv("") }}

// Stem reduces an English word in lower case to its stem.
func Stem(word string) string {
	if len(word) > 64 || digitAt(word, 0) {
		return word // a code, or no word at all
	}
	if base := rootOf[word]; base != "" {
		word = base
	}
	env := stemmers.Get().(*snowballstem.Env)
	env.SetCurrent(word)
	english.Stem(env)
	s := env.Current()
	stemmers.Put(env)
	return s
}

// Subject returns what a text is about, for comparing: its words without those
// that carry no meaning or only say how something is asked, stemmed.
func Subject(text string) string {
	var b strings.Builder
	Words(text, func(word []byte, _, _ int) {
		w := string(word)
		if isStop[w] || isQuestion[w] || isAsking[w] {
			return
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(Stem(w))
	})
	return b.String()
}
