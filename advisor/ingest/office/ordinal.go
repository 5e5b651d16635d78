package office

import (
	"strconv"
	"strings"
)

// ordinal writes n in one of the number formats of Word: decimal where it is
// none of those that are known, or n has no such form.
func ordinal(format string, n int) string {
	if n < 0 {
		return strconv.Itoa(n)
	}
	switch format {
	case "none":
		return ""
	case "decimalZero":
		return padded(n, "01")
	case "lowerLetter":
		return letters(n, 'a')
	case "upperLetter":
		return letters(n, 'A')
	case "lowerRoman":
		return strings.ToLower(roman(n))
	case "upperRoman":
		return roman(n)
	case "ordinal":
		return strconv.Itoa(n) + suffix(n)
	case "cardinalText":
		return capital(words(n))
	case "ordinalText":
		return capital(ordinalWords(n))
	case "numberInDash":
		return "- " + strconv.Itoa(n) + " -"
	case "hex":
		return strings.ToUpper(strconv.FormatInt(int64(n), 16))
	case "chicago":
		if n > 0 && n <= 80 {
			return strings.Repeat([]string{"*", "†", "‡", "§"}[(n-1)%4], (n-1)/4+1)
		}
	case "decimalEnclosedCircle", "decimalEnclosedCircleChinese":
		if n > 0 && n <= 20 {
			return string(rune('①' + n - 1))
		}
	}
	return strconv.Itoa(n)
}

// padded writes n as wide as the first number of a pattern: "001, 002, …".
func padded(n int, pattern string) string {
	first, _, _ := strings.Cut(pattern, ",")
	s := strconv.Itoa(n)
	return strings.Repeat("0", max(0, min(len(strings.TrimSpace(first)), 10)-len(s))) + s
}

// letters writes n as Word does: after z comes aa, then bb.
func letters(n int, a rune) string {
	if n < 1 || n > 780 {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(a+rune((n-1)%26)), (n-1)/26+1)
}

func roman(n int) string {
	if n < 1 || n > 9999 {
		return strconv.Itoa(n)
	}
	var sb strings.Builder
	for _, r := range []struct {
		n int
		s string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; n >= r.n; n -= r.n {
			sb.WriteString(r.s)
		}
	}
	return sb.String()
}

func suffix(n int) string {
	switch {
	case n%100 >= 11 && n%100 <= 13:
		return "th"
	case n%10 == 1:
		return "st"
	case n%10 == 2:
		return "nd"
	case n%10 == 3:
		return "rd"
	}
	return "th"
}

var (
	units = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens  = strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")
	// the ordinals that are not a cardinal and "th"
	irregular = map[string]string{"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth", "twelve": "twelfth"}
)

// words writes n in English.
func words(n int) string {
	switch {
	case n < 20:
		return units[n]
	case n < 100 && n%10 == 0:
		return tens[n/10]
	case n < 100:
		return tens[n/10] + "-" + units[n%10]
	case n < 1000 && n%100 == 0:
		return units[n/100] + " hundred"
	case n < 1000:
		return units[n/100] + " hundred " + words(n%100)
	}
	return strconv.Itoa(n)
}

func ordinalWords(n int) string {
	s := words(n)
	if s[0] >= '0' && s[0] <= '9' {
		return s + suffix(n)
	}
	cut := strings.LastIndexAny(s, " -") + 1
	last := s[cut:]
	switch {
	case irregular[last] != "":
		last = irregular[last]
	case strings.HasSuffix(last, "y"):
		last = strings.TrimSuffix(last, "y") + "ieth"
	default:
		last += "th"
	}
	return s[:cut] + last
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// columns writes n as spreadsheets name their columns: after z comes aa, then ab.
func columns(n int, a rune) string {
	s := ""
	for ; n > 0; n = (n - 1) / 26 {
		s = string(a+rune((n-1)%26)) + s
	}
	return s
}

func itoa(n int) string { return strconv.Itoa(n) }
