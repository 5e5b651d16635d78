package cite

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The functions of this file read one token of s at i and return where it ends,
// or -1. They never look further than a token can be long, so that finding
// citations takes time in proportion to the text.

const (
	maxSpace  = 4  // runes of white space within a citation
	maxLevels = 12 // of paragraphs
)

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isLetter(c byte) bool { return isLower(c) || isUpper(c) }
func itoa(n int) string    { return strconv.Itoa(n) }

func atoi(s string) int { n, _ := strconv.Atoi(s); return n }

// at returns the byte at i, or 0 outside s.
func at(s string, i int) byte {
	if i < 0 || i >= len(s) {
		return 0
	}
	return s[i]
}

// space skips a little white space, of any kind.
func space(s string, i int) int {
	for range maxSpace {
		r, n := utf8.DecodeRuneInString(s[i:])
		if n == 0 || !isSpace(r) {
			break
		}
		i += n
	}
	return i
}

// isSpace takes the invisible marks that copying from a page brings along for
// white space too.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200b' || r == '\u2060' || r == '\ufeff'
}

// dash skips a hyphen, or any of the dashes that typesetters put in its place.
func dash(s string, i int) int {
	if at(s, i) == '-' {
		return i + 1
	}
	if strings.HasPrefix(s[i:], "−") || len(s) >= i+3 && s[i] == 0xE2 && s[i+1] == 0x80 && 0x90 <= s[i+2] && s[i+2] <= 0x95 {
		return i + 3
	}
	return -1
}

// word skips the keyword w, written in lower case, and a full stop after it.
func word(s string, i int, w string) int {
	end := i + len(w)
	if i < 0 || end > len(s) || !strings.EqualFold(s[i:end], w) || isWord(s, end) {
		return -1
	}
	if at(s, end) == '.' && !isDigit(at(s, end+1)) {
		end++
	}
	return end
}

// words is word for the first of several that fits.
func words(s string, i int, ws ...string) int {
	for _, w := range ws {
		if j := word(s, i, w); j >= 0 {
			return j
		}
	}
	return -1
}

// isWord reports whether a letter or digit of any script starts at i.
func isWord(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[min(i, len(s)):])
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
}

// afterWord reports whether a letter or digit of any script ends at i.
func afterWord(s string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
}

// system reads "CFR", "C.F.R.", "USC", "U. S. C.", "U.S.C.A.".
func system(s string, i int) (name string, end int) {
	if end = dotted(s, i, "cfr"); end >= 0 {
		return CFR, end
	}
	if end = dotted(s, i, "usca"); end >= 0 {
		return USC, end
	}
	if end = dotted(s, i, "usc"); end >= 0 {
		return USC, end
	}
	return "", -1
}

// dotted reads initials, with or without full stops and spaces between them.
func dotted(s string, i int, initials string) int {
	for k := range len(initials) {
		if k > 0 && at(s, i-1) == '.' {
			i = space(s, i)
		}
		if at(s, i)|0x20 != initials[k] {
			return -1
		}
		i++
		if at(s, i) == '.' {
			i++
		}
	}
	if isWord(s, i) && at(s, i-1) != '.' {
		return -1
	}
	return i
}

// sectionSign reads "§", "§§", "section", "sec." and the like.
func sectionSign(s string, i int) (end int, plural bool) {
	if strings.HasPrefix(s[i:], "§") {
		end = i + len("§")
		if j := space(s, end); strings.HasPrefix(s[j:], "§") {
			return j + len("§"), true
		}
		return end, false
	}
	if c := at(s, i) | 0x20; c != 's' {
		return -1, false
	}
	if end = words(s, i, "section", "sec", "sect"); end >= 0 {
		return end, false
	}
	return words(s, i, "sections", "secs", "sects"), true
}

// partWord reads "part" and "parts".
func partWord(s string, i int) (end int, plural bool) {
	if end = words(s, i, "part", "pt"); end >= 0 {
		return end, false
	}
	return word(s, i, "parts"), true
}

// digits reads a run of 1 to most digits.
func digits(s string, i, most int) int {
	j := i
	for isDigit(at(s, j)) {
		j++
	}
	if j == i || j-i > most {
		return -1
	}
	return j
}

// number reads what sections are numbered with: "1002.9", "1681c–1", "702.6a",
// "4.2.1", "240.10b-5". It takes the whole of it or nothing, so 702.6 is never
// seen in 702.60.
func number(s string, i int, suffix bool) int {
	j := digits(s, i, 6)
	if j < 0 {
		return -1
	}
	for at(s, j) == '.' && isDigit(at(s, j+1)) {
		if j = digits(s, j+1, 5); j < 0 || j-i > 24 {
			return -1
		}
	}
	if c := at(s, j); isLetter(c) {
		k := j
		for at(s, j) == c && j-k < 3 {
			j++
		}
		if suffix {
			j = numberSuffix(s, j)
		}
	}
	if isWord(s, j) {
		return -1
	}
	return j
}

// numberSuffix reads the "-1" of "1681c-1", and returns i if there is none: the
// dash of "1681a-1681x" is a range.
func numberSuffix(s string, i int) int {
	j := dash(s, i)
	if j < 0 {
		return i
	}
	k := digits(s, j, 2)
	if k < 0 {
		return i
	}
	if isLetter(at(s, k)) {
		k++
	}
	if isWord(s, k) || dash(s, k) >= 0 || at(s, k) == '.' && isDigit(at(s, k+1)) {
		return i
	}
	return k
}

// paraRun reads "(a)(1)", also "(a) (1)" and "( o )", and returns it without the
// spaces.
func paraRun(s string, i int) (text string, end int) {
	end = i
	for n := 0; n < maxLevels; n++ {
		j := end
		if k := space(s, j); k-j <= 2 {
			j = k
		}
		if at(s, j) != '(' {
			break
		}
		e, k := bracketed(s, j)
		if k < 0 {
			break
		}
		text += "(" + e + ")"
		end = k
	}
	return text, end
}

// bracketed reads one "(a)".
func bracketed(s string, i int) (e string, end int) {
	i = space(s, i+1)
	j := i
	for j-i < 12 && (isDigit(at(s, j)) || isLetter(at(s, j))) {
		j++
	}
	end = space(s, j)
	if at(s, end) != ')' || !IsEnumerator(s[i:j]) {
		return "", -1
	}
	return s[i:j], end + 1
}

// dottedPath reads "1.iii.A" or "2.a". Its last full stop may end a sentence.
func dottedPath(s string, i int) int {
	j := digits(s, i, 3)
	if j < 0 || isLetter(at(s, j)) {
		return -1
	}
	for n := 0; n < maxLevels && at(s, j) == '.'; n++ {
		k := j + 1
		for k-j < 12 && (isDigit(at(s, k)) || isLetter(at(s, k))) {
			k++
		}
		if !IsEnumerator(s[j+1:k]) || isWord(s, k) {
			break
		}
		j = k
	}
	return j
}

// canonicalNumber writes every dash as a hyphen.
func canonicalNumber(s string) string {
	for i, r := range s {
		if r >= utf8.RuneSelf {
			_, n := utf8.DecodeRuneInString(s[i:])
			return s[:i] + "-" + s[i+n:]
		}
	}
	return s
}
