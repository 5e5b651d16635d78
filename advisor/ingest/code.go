package ingest

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"

	"polaris/advisor/cite"
)

// regulation finds a regulation that goes by a letter.
var regulation = regexp.MustCompile(`^(?i:Reg(?:ulation|\.)?) ([A-Z]{1,2})\b`)

// small words do not count in a code.
var small = map[string]bool{
	"a": true, "an": true, "and": true, "at": true, "by": true, "der": true, "des": true, "die": true, "for": true, "from": true,
	"in": true, "of": true, "on": true, "or": true, "our": true, "the": true, "to": true, "und": true, "with": true,
}

// Code proposes a short code for a document: its acronym if the title has one,
// else the initials of its words. "Lending Handbook" gives LH.
func Code(title string) string {
	if m := regulation.FindStringSubmatch(title); m != nil {
		return "REG-" + m[1]
	}
	if k := strings.IndexByte(title, '('); k > 0 {
		title = title[:k]
	}
	words := strings.FieldsFunc(fold(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	code, shouted := "", strings.ToUpper(title) == title
	for _, w := range words {
		if !shouted && len(w) >= 2 && len(w) <= 8 && strings.ToUpper(w) == w && cite.ValidCode(w) {
			return w
		}
	}
	var last string
	for _, w := range words {
		if small[strings.ToLower(w)] || w[0] >= 0x80 {
			continue
		}
		last = w
		code += strings.ToUpper(w[:1])
	}
	if len(code) == 1 {
		code = strings.ToUpper(last[:min(len(last), 4)])
	}
	code = strings.TrimLeft(code, "0123456789")
	if code = code[:min(len(code), 8)]; !cite.ValidCode(code) {
		return "DOC"
	}
	return code
}

// fold writes letters without their accents, and what is left without ASCII
// counterparts as it is.
func fold(s string) string {
	t := transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC)
	out, _, err := transform.String(t, s)
	if err != nil {
		return s
	}
	return out
}
