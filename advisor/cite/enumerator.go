package cite

import "strings"

// Roman returns the value of a well-formed Roman numeral below 400 in one case,
// or 0.
func Roman(s string) int {
	if s == "" || len(s) > 11 {
		return 0
	}
	low := strings.ToLower(s)
	if s != low && s != strings.ToUpper(s) {
		return 0
	}
	n, rest := 0, low
	for _, t := range romanTable {
		for strings.HasPrefix(rest, t.digits) {
			n += t.n
			rest = rest[len(t.digits):]
		}
	}
	if rest != "" || romanOf(n) != low {
		return 0
	}
	return n
}

var romanTable = []struct {
	n      int
	digits string
}{{100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"}, {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}}

// romanOf writes n in small Roman numerals.
func romanOf(n int) string {
	var b strings.Builder
	for _, t := range romanTable {
		for n >= t.n {
			b.WriteString(t.digits)
			n -= t.n
		}
	}
	return b.String()
}

// letterValue counts a=1 … z=26, aa=27, bb=28 … as paragraphs are lettered.
func letterValue(e string) int {
	return 26*(len(e)-1) + int(e[0]|0x20-'a') + 1
}

// letterOf is the inverse of letterValue.
func letterOf(n int) string {
	return strings.Repeat(string(rune('a'+(n-1)%26)), (n-1)/26+1)
}

// IsEnumerator reports whether e can stand between the brackets of a paragraph
// number: "1", "a", "aa", "iv", "B".
func IsEnumerator(e string) bool {
	switch {
	case e == "" || len(e) > 11:
		return false
	case isDigit(e[0]):
		return len(e) <= 3 && strings.Trim(e, "0123456789") == ""
	case !isLetter(e[0]):
		return false
	case len(e) <= 3 && strings.Count(e, e[:1]) == len(e):
		return true
	}
	return Roman(e) > 0
}

// step returns the enumerators from a to b at one level, both included; nil if b
// does not follow a, or is too far away to be meant.
func step(a, b string) []string {
	if a == "" || b == "" || (isDigit(a[0]) != isDigit(b[0])) || (isUpper(a[0]) != isUpper(b[0])) {
		return nil
	}
	write := letterOf
	var x, y int
	switch {
	case isDigit(a[0]):
		x, y, write = atoi(a), atoi(b), itoa
	case Roman(a) > 0 && Roman(b) > Roman(a) && (len(a) > 1 || len(b) > 1 || a == "i" || a == "I"):
		x, y, write = Roman(a), Roman(b), romanOf
	default:
		x, y = letterValue(a), letterValue(b)
	}
	if y <= x || y-x >= maxRange {
		return nil
	}
	out := make([]string, 0, y-x+1)
	for n := x; n <= y; n++ {
		e := write(n)
		if isUpper(a[0]) {
			e = strings.ToUpper(e)
		}
		out = append(out, e)
	}
	return out
}

// maxRange bounds how many citations a range may stand for.
const maxRange = 64
