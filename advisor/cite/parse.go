package cite

import (
	"fmt"
	"slices"
	"strings"
)

// maxLen bounds a citation, in bytes. No honest one comes near it.
const maxLen = 1024

// Parse reads a string that is one citation, in any of the ways in which people
// write one. Canonical forms always parse, and parse to the Ref that wrote them.
func Parse(s string) (Ref, error) {
	if len(s) > maxLen {
		return Ref{}, fmt.Errorf("not a citation: longer than %d bytes", maxLen)
	}
	in := strings.Trim(strings.ToValidUTF8(s, "\uFFFD"), " \t\r\n\u00a0\"'“”‘’`")
	in = strings.TrimRight(in, ".,;: \u00a0")
	for _, try := range []string{in, withoutName(in)} {
		r := reader{s: try, whole: true}
		if ref, ok := r.all(r.citation(0)); ok {
			return ref, nil
		}
	}
	r := reader{s: in, whole: true}
	if ref, ok := r.all(r.heading(0, Ref{}, 0)); ok {
		return ref, nil
	}
	return Ref{}, fmt.Errorf("not a citation: %q; write it as 12 CFR 1002.9(a)(1), 15 U.S.C. 1681m(a) or HB 4.2(a)", clip(in))
}

// all reports whether what was read is one citation and all of the string.
func (p *reader) all(ms []Match, end int) (Ref, bool) {
	if len(ms) != 1 || end != len(p.s) || len(ms[0].Ref.String()) > maxLen {
		return Ref{}, false
	}
	return ms[0].Ref, true
}

// clip keeps a message short.
func clip(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}

// withoutName drops a regulation's informal name before a citation ("Reg. B"),
// and what kind of form a form is.
func withoutName(s string) string {
	if i := words(s, 0, "model", "sample"); i >= 0 {
		return s[space(s, i):]
	}
	i := words(s, 0, "regulation", "reg", "cfr")
	if i < 0 {
		return s
	}
	i = space(s, i)
	if isLetter(at(s, i)) && !isWord(s, i+1) {
		i = space(s, i+1)
	}
	if at(s, i) == ',' {
		i = space(s, i+1)
	}
	return s[i:]
}

// A reader reads citations from s. A whole string may be more lax than one
// among other words: "30101" alone is a section.
type reader struct {
	s     string
	whole bool
}

// citation reads the citation, or the list of citations, that starts at i, and
// returns nil where there is none.
func (p *reader) citation(i int) (ms []Match, end int) {
	switch c := at(p.s, i); {
	case isDigit(c):
		if ms, end = p.titled(i); ms == nil {
			ms, end = p.bareNumber(i)
		}
	case c == 0xC2: // the first byte of §
		ms, end = p.signed(i)
	case isLetter(c):
		if ms, end = p.keyword(i); ms == nil {
			ms, end = p.coded(i)
		}
	}
	return ms, end
}

// titled reads "12 CFR …".
func (p *reader) titled(i int) ([]Match, int) {
	j := digits(p.s, i, 2)
	if j < 0 || space(p.s, j) == j {
		return nil, -1
	}
	sys, k := system(p.s, space(p.s, j))
	if k < 0 {
		return nil, -1
	}
	return p.afterSystem(i, k, Ref{Title: p.s[i:j], System: sys})
}

// afterSystem reads what follows "12 CFR": a part, what hangs off it, or
// sections.
func (p *reader) afterSystem(start, i int, base Ref) ([]Match, int) {
	i = p.comma(i)
	if j, many := partWord(p.s, i); j >= 0 && base.System == CFR {
		return p.part(start, space(p.s, j), base, many)
	}
	plural := false
	if j, many := sectionSign(p.s, i); j >= 0 {
		i, plural = space(p.s, j), many
	}
	j := number(p.s, i, true)
	if j < 0 {
		return nil, -1
	}
	if base.System == CFR && strings.Trim(p.s[i:j], "0123456789") == "" {
		return p.part(start, i, base, plural)
	}
	return p.provisions(start, i, base, Named, plural)
}

// part reads the number of a part, then an appendix, a comment or the
// supplement of it, if one follows.
func (p *reader) part(start, i int, base Ref, plural bool) ([]Match, int) {
	j := digits(p.s, i, 5)
	if j < 0 || isWord(p.s, j) || at(p.s, j) == '.' && isDigit(at(p.s, j+1)) {
		return nil, -1
	}
	base.Kind, base.Number = Part, p.s[i:j]
	if ms, end := p.annex(start, p.comma(j), base); ms != nil {
		return ms, end
	}
	strength := Named
	if base.Title == "" {
		strength = Bare
	}
	base, end := p.blocks(base, j)
	ms := []Match{{base, start, end, strength}}
	for plural {
		k, through := p.conjunction(end)
		if k < 0 || through {
			break
		}
		e := digits(p.s, k, 5)
		if e < 0 || isWord(p.s, e) || at(p.s, e) == '.' && isDigit(at(p.s, e+1)) {
			break
		}
		if _, sys := system(p.s, space(p.s, e)); sys >= 0 {
			break
		}
		next := base
		next.Number, next.Block, next.Nth = p.s[k:e], 0, 0
		ms, end = append(ms, Match{next, k, e, strength}), e
	}
	return ms, end
}

// keyword reads citations that start with a word of their own.
func (p *reader) keyword(i int) ([]Match, int) {
	switch p.s[i] | 0x20 {
	case 's':
		if ms, end := p.signed(i); ms != nil {
			return ms, end
		}
		return p.annex(i, i, Ref{})
	case 't':
		return p.titleFirst(i)
	case 'p':
		if j, many := partWord(p.s, i); j >= 0 {
			return p.part(i, space(p.s, j), Ref{}, many)
		}
	case 'a', 'c', 'f', 'o':
		return p.annex(i, i, Ref{})
	}
	return nil, -1
}

// titleFirst reads "title 15, section 1681m".
func (p *reader) titleFirst(i int) ([]Match, int) {
	j := word(p.s, i, "title")
	if j < 0 {
		return nil, -1
	}
	k := space(p.s, j)
	e := digits(p.s, k, 2)
	if e < 0 {
		return nil, -1
	}
	base := Ref{Title: p.s[k:e], System: USC}
	k = p.comma(e)
	if sys, f := system(p.s, k); f >= 0 {
		base.System = sys
		return p.afterSystem(i, f, base)
	}
	if f, _ := sectionSign(p.s, k); f >= 0 {
		if n := number(p.s, space(p.s, f), true); n >= 0 && strings.Contains(p.s[space(p.s, f):n], ".") {
			base.System = CFR
		}
		return p.afterSystem(i, k, base)
	}
	return nil, -1
}

// signed reads "§ 1002.9(a)" and "section 1681m(a) of title 15".
func (p *reader) signed(i int) ([]Match, int) {
	j, plural := sectionSign(p.s, i)
	if j < 0 {
		return nil, -1
	}
	ms, end := p.provisions(i, space(p.s, j), Ref{}, Named, plural)
	if ms == nil {
		return nil, -1
	}
	// A section of the CFR is numbered within its part: there is no section 9 of
	// a title there.
	whole := slices.ContainsFunc(ms, func(m Match) bool { return !strings.Contains(m.Ref.Number, ".") })
	if base, e := p.ofTitle(end, ms[0].Ref); e >= 0 && (base.System != CFR || !whole) {
		for k := range ms {
			ms[k].Ref.Title, ms[k].Ref.System = base.Title, base.System
		}
		ms[len(ms)-1].End, end = e, e
	}
	return ms, end
}

// ofTitle reads "of title 15, United States Code".
func (p *reader) ofTitle(i int, r Ref) (Ref, int) {
	j := word(p.s, space(p.s, p.comma(i)), "of")
	if j < 0 {
		return r, -1
	}
	if j = word(p.s, space(p.s, j), "title"); j < 0 {
		return r, -1
	}
	k := space(p.s, j)
	e := digits(p.s, k, 2)
	if e < 0 || isWord(p.s, e) {
		return r, -1
	}
	r.Title, r.System = p.s[k:e], USC
	if strings.Contains(r.Number, ".") {
		r.System = CFR
	}
	rest := p.comma(e)
	if w := word(p.s, rest, "of"); w >= 0 {
		if w = word(p.s, space(p.s, w), "the"); w >= 0 {
			rest = space(p.s, w)
		}
	}
	if sys, f := system(p.s, rest); f >= 0 {
		r.System, e = sys, f
	} else if f := p.phrase(rest, "united states code"); f >= 0 {
		r.System, e = USC, f
	} else if f := p.phrase(rest, "code of federal regulations"); f >= 0 {
		r.System, e = CFR, f
	}
	return r, e
}

// phrase reads several words.
func (p *reader) phrase(i int, ws string) int {
	for w := range strings.FieldsSeq(ws) {
		if i = word(p.s, space(p.s, i), w); i < 0 {
			return -1
		}
	}
	return i
}

// bareNumber reads a citation that is nothing but its number. It is also how
// amounts, dates and versions look, so it takes only what can be a section.
func (p *reader) bareNumber(i int) ([]Match, int) {
	j := number(p.s, i, true)
	if j < 0 || (!p.whole && !p.standsAlone(i, j)) {
		return nil, -1
	}
	n := p.s[i:j]
	if !p.whole && !strings.Contains(n, ".") {
		lettered := strings.Trim(n, "0123456789") != ""
		if lettered && (digits(p.s, i, 6)-i < 3) || !lettered && at(p.s, j) != '(' {
			return nil, -1
		}
		if _, e := paraRun(p.s, j); !lettered && e == j {
			return nil, -1
		}
	}
	return p.provisions(i, i, Ref{}, Bare, false)
}

// standsAlone reports whether the number s[i:j] is not part of an amount, a
// date, an address or another longer thing.
func (p *reader) standsAlone(i, j int) bool {
	switch prev := at(p.s, i-1); prev {
	case '.', '/', '-', '@', '#', '$', '%', ':', '\\', '=', '+', '~', '^', '*':
		return false
	case ',':
		if isDigit(at(p.s, i-2)) {
			return false
		}
	case ' ':
		if c := at(p.s, i-2); c == '$' {
			return false
		}
	}
	for _, sign := range []string{"€", "£", "¥", "¢", "–", "−"} {
		if strings.HasSuffix(p.s[:i], sign) {
			return false
		}
	}
	switch next := at(p.s, j); next {
	case '%', '@', '/', '\\', '$', '=', '*', '^':
		return false
	case ',', ':':
		if isDigit(at(p.s, j+1)) {
			return false
		}
	}
	return !p.amount(i, j)
}

// amount reports whether s[i:j] is written or continued as a quantity, a date or
// a version rather than a section number.
func (p *reader) amount(i, j int) bool {
	if words(p.s, space(p.s, j), "percent", "per cent", "million", "billion", "thousand", "dollars", "points", "basis", "times", "years", "days", "months", "hours") >= 0 {
		return true
	}
	parts := strings.Split(p.s[i:j], ".")
	for _, c := range parts {
		if len(c) > 1 && c[0] == '0' {
			return true
		}
	}
	return len(parts) == 3 && len(parts[2]) == 4 // 12.5.2024
}

// comma skips white space, a comma and white space.
func (p *reader) comma(i int) int {
	i = space(p.s, i)
	if at(p.s, i) == ',' {
		i = space(p.s, i+1)
	}
	return i
}

// blocks reads "¶3" and "#2" after a citation.
func (p *reader) blocks(r Ref, i int) (Ref, int) {
	if j := space(p.s, i); strings.HasPrefix(p.s[j:], "¶") {
		j = space(p.s, j+len("¶"))
		if k := digits(p.s, j, 6); k >= 0 && atoi(p.s[j:k]) > 0 {
			r.Block, i = atoi(p.s[j:k]), k
		}
	}
	if j := space(p.s, i); j > i && at(p.s, j) == '#' {
		if k := digits(p.s, j+1, 6); k >= 0 && atoi(p.s[j+1:k]) > 0 && !isWord(p.s, k) {
			r.Nth, i = atoi(p.s[j+1:k]), k
		}
	}
	return r, i
}
