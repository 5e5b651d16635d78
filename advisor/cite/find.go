package cite

import "unicode/utf8"

// Strength says how sure it is that some words are a citation.
type Strength uint8

// The strengths, weakest first.
const (
	Bare  Strength = iota // a number that could be an amount: take it only if the corpus has that key
	Coded                 // capitals and a number: take it only if the capitals are a source's code
	Named                 // a section sign, a system of law or a word that only citations use
)

// A Match is a citation found in a text.
type Match struct {
	Ref        Ref
	Start, End int // bytes of the text; members of a list have their own spans
	Strength   Strength
}

// maxFound bounds what is found in one text: without it a question made of
// ranges would stand for a hundred thousand citations.
const maxFound = 1000

// Find returns the citations in text, in order, up to a thousand. Lists and
// ranges become one match for each member: "§§ 1002.5 and 1002.6",
// "1002.9(a)(1)-(3)".
func Find(text string) []Match {
	p := reader{s: text}
	var out []Match
	for i := 0; i < len(text) && len(out) < maxFound; {
		c := text[i]
		if !isDigit(c) && !isLetter(c) && c != 0xC2 {
			i++
			continue
		}
		if c != 0xC2 && afterWord(text, i) {
			i = token(text, i)
			continue
		}
		if isLower(c) && !opens(c) { // most words
			i = token(text, i)
			continue
		}
		ms, end := p.citation(i)
		if ms == nil {
			i = max(token(text, i), i+1)
			continue
		}
		out = append(out, ms...)
		i = end
	}
	return out[:min(len(out), maxFound)]
}

// opens reports whether a word in small letters that starts with c can open a
// citation: appendix, comment, form, official, part, section, supplement, title.
func opens(c byte) bool {
	switch c {
	case 'a', 'c', 'f', 'o', 'p', 's', 't':
		return true
	}
	return false
}

// token returns the end of the word or number at i, so that nothing is read from
// its middle.
func token(s string, i int) int {
	if isDigit(s[i]) {
		for i < len(s) && (isDigit(s[i]) || isLetter(s[i]) || (s[i] == '.' || s[i] == ',') && isDigit(at(s, i+1))) {
			i++
		}
		return i
	}
	for i < len(s) && (isLetter(s[i]) || isDigit(s[i]) || s[i] == '_') {
		i++
	}
	if i < len(s) && s[i] >= utf8.RuneSelf && isWord(s, i) {
		_, n := utf8.DecodeRuneInString(s[i:])
		i += n
	}
	return i
}
