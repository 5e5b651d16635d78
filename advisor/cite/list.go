package cite

import "strings"

// provisions reads a section with its paragraphs, and the list or range that
// they begin: "1002.9(a)(1) and (2)(i)", "1002.5 through 1002.8",
// "1002.9(a)(1)-(3)". The first match starts at start.
func (p *reader) provisions(start, i int, base Ref, s Strength, plural bool) ([]Match, int) {
	j := number(p.s, i, true)
	if j < 0 {
		return nil, -1
	}
	r := base
	r.Number = canonicalNumber(p.s[i:j])
	r.Paras, j = paraRun(p.s, j)
	r, j = p.blocks(r, j)
	ms := []Match{{r, start, j, s}}
	for len(ms) < maxFound {
		more, end := p.next(j, ms[len(ms)-1].Ref, plural)
		if more == nil {
			return ms, j
		}
		for k := range more {
			more[k].Strength = s
		}
		ms, j = append(ms, more...), end
	}
	return ms, j
}

// next reads the next member of a list whose last one is r, or the rest of a
// range that starts with r.
func (p *reader) next(i int, r Ref, plural bool) ([]Match, int) {
	k, through := p.conjunction(i)
	if k < 0 {
		return nil, -1
	}
	if at(p.s, k) == '(' && r.Paras != "" && r.Block == 0 {
		return p.nextParas(k, r, through, at(p.s, i) == ',')
	}
	if j, _ := sectionSign(p.s, k); j >= 0 {
		k = space(p.s, j)
	}
	return p.nextNumber(k, r, through, plural)
}

// conjunction reads ", ", " and ", " or ", a dash or " through ". It returns
// where the next member starts.
func (p *reader) conjunction(i int) (end int, through bool) {
	j := space(p.s, i)
	if k := dash(p.s, j); k >= 0 {
		return space(p.s, k), true
	}
	comma := at(p.s, j) == ','
	if comma {
		j = space(p.s, j+1)
	}
	if at(p.s, j) == '&' {
		return space(p.s, j+1), false
	}
	if k := words(p.s, j, "through", "to", "thru"); k >= 0 && k > j && !comma {
		return space(p.s, k), true
	}
	if k := words(p.s, j, "and", "or"); k >= 0 {
		return space(p.s, k), false
	}
	if comma {
		return j, false
	}
	return -1, false
}

// nextParas reads "(2)(i)" after "1002.9(a)(1) and": the new enumerators replace
// those from the level on where their first one belongs.
func (p *reader) nextParas(i int, r Ref, through, listed bool) ([]Match, int) {
	text, end := paraRun(p.s, i)
	if text == "" {
		return nil, -1
	}
	prev, fresh := paras(r.Paras), paras(text)
	level := levelFor(prev, fresh[0])
	if level < 0 {
		return nil, -1
	}
	head := prefix(prev, level)
	if through && len(fresh) == 1 && level == len(prev)-1 {
		if run := step(prev[level], fresh[0]); run != nil {
			ms := make([]Match, 0, len(run)-1)
			for _, e := range run[1:] {
				r.Paras = head + "(" + e + ")"
				ms = append(ms, Match{Ref: r, Start: i, End: end})
			}
			return ms, end
		}
	}
	if through {
		return nil, -1
	}
	next := append(append([]string{}, prev[:level]...), fresh...)
	if listed && ordinal(next, level) <= ordinal(prev, level) { // "§ 1002.9(b), (1) the …" counts something else
		return nil, -1
	}
	r.Paras = head + text
	r, end = p.blocks(r, end)
	return []Match{{Ref: r, Start: i, End: end}}, end
}

// levelFor returns the deepest level of prev at which e can be a sibling.
func levelFor(prev []string, e string) int {
	for level := len(prev) - 1; level >= 0; level-- {
		was := prev[level]
		if isDigit(was[0]) != isDigit(e[0]) || isUpper(was[0]) != isUpper(e[0]) {
			continue
		}
		if level > 0 && isLetter(e[0]) && Roman(was) > 0 && Roman(e) == 0 && hasCase(prev[:level], e[0]) {
			continue // a letter beside Roman numerals belongs to the letters above
		}
		return level
	}
	return -1
}

// hasCase reports whether one of the levels is lettered in the case of c.
func hasCase(levels []string, c byte) bool {
	for _, l := range levels {
		if isLetter(l[0]) && isUpper(l[0]) == isUpper(c) {
			return true
		}
	}
	return false
}

func prefix(levels []string, n int) string {
	s := ""
	for _, l := range levels[:n] {
		s += "(" + l + ")"
	}
	return s
}

// nextNumber reads "1002.6" after "1002.5 and", or the end of a range of
// sections.
func (p *reader) nextNumber(i int, r Ref, through, plural bool) ([]Match, int) {
	j := number(p.s, i, true)
	if j < 0 {
		return nil, -1
	}
	n := canonicalNumber(p.s[i:j])
	if !alike(r.Number, n, plural) {
		return nil, -1
	}
	if k := space(p.s, j); at(p.s, k) == '%' || p.amount(i, j) {
		return nil, -1
	}
	if _, k := system(p.s, space(p.s, j)); k >= 0 {
		return nil, -1 // "12 CFR 1002.4 and 15 U.S.C. 1681m"
	}
	text, end := paraRun(p.s, j)
	last := r
	last.Number, last.Paras, last.Block, last.Nth = n, text, 0, 0
	var ms []Match
	if through {
		for _, m := range between(r.Number, n) {
			mid := last
			mid.Number, mid.Paras = m, ""
			ms = append(ms, Match{Ref: mid, Start: i, End: end})
		}
	}
	last, end = p.blocks(last, end)
	return append(ms, Match{Ref: last, Start: i, End: end}), end
}

// alike reports whether number n can stand in a list with number r: both dotted
// or both lettered, or the list said that it has several.
func alike(r, n string, plural bool) bool {
	if strings.Count(r, ".") != strings.Count(n, ".") {
		return false
	}
	if strings.Contains(r, ".") || strings.Trim(n, "0123456789") != "" && len(n) >= 3 {
		return true
	}
	return plural && (len(n) > 2 || len(r) <= 2)
}

// between returns the sections that lie between a and b, both left out, where
// only the last component counts up: 1002.5 to 1002.8, 1681a to 1681d.
func between(a, b string) []string {
	k := 0
	for k < min(len(a), len(b)) && a[k] == b[k] {
		k++
	}
	for k > 0 && isDigit(a[k-1]) && (isDigit(at(a, k)) || isDigit(at(b, k))) {
		k-- // 1002.10 to 1002.12 differ in 10 and 12, not in 0 and 2
	}
	x, y := a[k:], b[k:]
	if x == "" || y == "" || strings.ContainsAny(x+y, ".-") || !IsEnumerator(x) || !IsEnumerator(y) {
		return nil
	}
	if isLetter(x[0]) && (len(x) != len(y)) {
		return nil
	}
	run := stepLetters(x, y)
	if len(run) < 3 {
		return nil
	}
	out := make([]string, 0, len(run)-2)
	for _, e := range run[1 : len(run)-1] {
		out = append(out, a[:k]+e)
	}
	return out
}

// stepLetters is step for the ends of section numbers, which never are Roman.
func stepLetters(x, y string) []string {
	if !isLetter(x[0]) || !isLetter(y[0]) {
		return step(x, y)
	}
	a, b := letterValue(x), letterValue(y)
	if len(x) > 1 || isUpper(x[0]) != isUpper(y[0]) || b <= a {
		return nil
	}
	var out []string
	for n := a; n <= b; n++ {
		e := letterOf(n)
		if isUpper(x[0]) {
			e = strings.ToUpper(e)
		}
		out = append(out, e)
	}
	return out
}
