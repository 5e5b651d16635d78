package verify

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"polaris/advisor/index"
)

// A token is a word of a claim or a quote.
type token struct {
	word     string // in lower case
	stem     string
	name     bool // written with a capital though no sentence begins with it, or with a digit and letters
	sentence int  // which sentence of its text, from 0
	content  bool // it says something by itself: no stop word and no cue
}

// A text is a claim or a quote, read.
type text struct {
	all     []token
	content []int // places in all of those that say something
}

// function words carry no meaning that a comparison could miss; what does, as
// "not" and "only" do, is a cue.
var function = set("a an and are as at be but by for he her him his i in into is it its of on or our she so such that the their them then there these they this those to us was we were which who whom will with you your been being am do does did done has have had having than also s t re ve ll d m")

// read splits a text into tokens.
func read(s string) *text {
	s = norm.NFKC.String(s)
	s = apostrophes.Replace(s)
	out := &text{}
	sentence, begins, last := 0, true, 0 // begins: no word of the sentence was seen yet
	index.Words(s, func(w []byte, start, end int) {
		gap := s[last:start]
		if k := strings.LastIndexAny(gap, ".!?;\n"); k >= 0 && len(out.all) > 0 && (k+1 < len(gap) || gap[k] == '\n') {
			sentence++
			begins = true
		}
		t := token{word: string(w), sentence: sentence}
		t.name = named(s[start:end], begins)
		last, begins = end, false
		if t.word == "cannot" {
			out.add(token{word: "can", sentence: sentence})
			t.word = "not"
		}
		out.add(t)
	})
	return out
}

func (x *text) add(t token) {
	t.stem = index.Stem(t.word)
	if v, ok := value(t.word); ok { // 60 and sixty are one word
		t.stem = strconv.FormatFloat(v, 'g', -1, 64)
	}
	t.content = !function[t.word] && !isCue(t.word)
	if t.content {
		x.content = append(x.content, len(x.all))
	}
	x.all = append(x.all, t)
}

// apostrophes writes out what an apostrophe shortens.
var apostrophes = strings.NewReplacer("’", "'", "n't", " not", "N'T", " not", "n’t", " not", "won't", "will not", "can't", "can not", "'s", "")

// named reports whether a word is written as names are.
func named(w string, begins bool) bool {
	upper, letters, digits := 0, 0, 0
	for _, r := range w {
		switch {
		case unicode.IsUpper(r):
			upper++
			letters++
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	return letters > 0 && digits > 0 || upper > 1 || upper == 1 && !begins && letters > 1
}

// numerals are numbers written as words. "One" is none of them: it is a pronoun
// as often.
var numerals = func() map[string]float64 {
	m := map[string]float64{"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "thousand": 1000, "million": 1e6, "billion": 1e9, "half": 0.5, "twice": 2, "dozen": 12}
	for i, w := range strings.Fields("two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty") {
		m[w] = float64(i + 2)
	}
	return m
}()

// numbers returns the numbers of a text, each once.
func (x *text) numbers() map[float64]bool {
	m := map[float64]bool{}
	for _, t := range x.all {
		if v, ok := value(t.word); ok {
			m[v] = true
		}
	}
	return m
}

// value returns the number that a word is.
func value(w string) (float64, bool) {
	if v, ok := numerals[w]; ok {
		return v, true
	}
	if w[0] < '0' || w[0] > '9' {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.TrimRight(w, "stndrh"), 64)
	return v, err == nil
}
