package cite

import "strings"

// intro is the Letter of comments that introduce the official comments.
const intro = "Intro"

// annex reads what hangs off a part: an appendix, a form, the supplement of
// official comments, or comments. Where the part was read before, it is base.
func (p *reader) annex(start, i int, base Ref) ([]Match, int) {
	if j := words(p.s, i, "official interpretation", "official"); j >= 0 {
		if k := space(p.s, j); words(p.s, k, "comment", "comments") >= 0 {
			i = k
		}
	}
	if j := words(p.s, i, "comment", "comments", "cmt", "cmts"); j >= 0 {
		return p.comments(start, space(p.s, j), base)
	}
	if j := words(p.s, i, "appendix", "app"); j >= 0 {
		return p.appendix(start, space(p.s, j), base)
	}
	if j := word(p.s, i, "form"); j >= 0 {
		return p.form(start, space(p.s, j), base)
	}
	if j := words(p.s, i, "supplement", "supp"); j >= 0 {
		return p.supplement(start, space(p.s, j), base)
	}
	return nil, -1
}

// comments reads "9(a)(1)-1.iii", with the list that it may begin.
func (p *reader) comments(start, i int, base Ref) ([]Match, int) {
	r, end := p.comment(i, base)
	if end < 0 {
		return nil, -1
	}
	strength := Named
	if r.Path == "" && r.Paras == "" && base.Number == "" {
		strength = Bare // "comment 5" may be anybody's
	}
	ms := []Match{{r, start, end, strength}}
	for {
		k, through := p.conjunction(end)
		if k < 0 {
			break
		}
		prev := ms[len(ms)-1].Ref
		next, e := p.nextComment(k, prev, base, through)
		if e < 0 {
			break
		}
		for _, n := range next {
			ms = append(ms, Match{n, k, e, strength})
		}
		end = e
	}
	return ms, end
}

// nextComment reads "-2" or "2(d)-1" after a comment.
func (p *reader) nextComment(i int, prev, base Ref, through bool) ([]Ref, int) {
	j := i
	if d := dash(p.s, j); d >= 0 && prev.Path != "" {
		j = d
	}
	if e := dottedPath(p.s, j); e >= 0 && prev.Path != "" && (j > i || through) {
		var out []Ref
		from, to := prev.Path, p.s[j:e]
		if run := step(from, to); through && run != nil && !strings.Contains(from+to, ".") {
			for _, n := range run[1 : len(run)-1] {
				prev.Path = n
				out = append(out, prev)
			}
		}
		prev.Path = to
		return append(out, prev), e
	}
	if through {
		return nil, -1
	}
	if w := words(p.s, i, "comment", "comments"); w >= 0 {
		i = space(p.s, w)
	}
	r, e := p.comment(i, base)
	if e < 0 || r.Path == "" || r.Paras == "" {
		return nil, -1
	}
	return []Ref{r}, e
}

// comment reads one comment's designation.
func (p *reader) comment(i int, base Ref) (Ref, int) {
	r := base
	r.Kind = Comment
	if j := word(p.s, i, intro); j >= 0 {
		r.Letter, i = intro, i+len(intro)
	} else if j := number(p.s, i, false); j >= 0 {
		n := canonicalNumber(p.s[i:j])
		if strings.Count(n, ".") > 1 {
			return r, -1
		}
		if base.Number != "" && !strings.Contains(n, ".") {
			n = base.Number + "." + n
		}
		r.Number = n
		r.Paras, i = paraRun(p.s, j)
	} else {
		if j := words(p.s, i, "appendix", "app"); j >= 0 {
			i = space(p.s, j)
		}
		j := p.letter(i)
		if j < 0 || isDigit(p.s[i]) || strings.EqualFold(p.s[i:j], intro) {
			return r, -1
		}
		r.Letter, i = strings.ToUpper(p.s[i:j]), j
	}
	if j := dash(p.s, i); j >= 0 {
		if k := dottedPath(p.s, j); k >= 0 && !isWord(p.s, k) {
			r.Path, i = p.s[j:k], k
		}
	}
	return p.blocks(r, i)
}

// letter reads what appendices are called: a letter, a few capitals, a number.
func (p *reader) letter(i int) int {
	if j := digits(p.s, i, 2); j >= 0 && !isWord(p.s, j) {
		return j
	}
	j := i
	for j-i < 5 && isUpper(at(p.s, j)) {
		j++
	}
	if j == i && isLetter(at(p.s, i)) {
		j = i + 1
	}
	if j == i || isWord(p.s, j) {
		return -1
	}
	return j
}

// appendix reads "C", "C-1", "A, item 2.a", "C form C-1", and "to Part 1002".
func (p *reader) appendix(start, i int, base Ref) ([]Match, int) {
	j := p.letter(i)
	if j < 0 {
		return nil, -1
	}
	r := base
	r.Kind, r.Letter = Appendix, strings.ToUpper(p.s[i:j])
	strength := Named
	if isLower(p.s[i]) && base.Number == "" {
		strength = Bare // "the appendix a reader wants"
	}
	r, j = p.item(r, j)
	r, j = p.toPart(r, j)
	r, j = p.blocks(r, j)
	return []Match{{r, start, j, strength}}, j
}

// item reads which item or form of an appendix is meant.
func (p *reader) item(r Ref, i int) (Ref, int) {
	if d := dash(p.s, i); d >= 0 {
		if k := p.itemNumber(d); k >= 0 {
			r.Item = p.s[d:k]
			return r, k
		}
		return r, i
	}
	j := p.comma(i)
	if j == i {
		return r, i
	}
	if k := words(p.s, j, "item", "paragraph", "para", "instruction"); k >= 0 {
		k = space(p.s, k)
		if e := p.itemNumber(k); e >= 0 {
			r.Unit, r.Item = "item", p.s[k:e]
			return r, e
		}
	}
	for _, w := range []string{"model form", "sample form", "form"} {
		if k := p.phrase(j, w); k >= 0 {
			if f, e := p.formName(space(p.s, k), r); e >= 0 && f.Letter == r.Letter {
				return f, e
			}
		}
	}
	return r, i
}

// itemNumber reads "2.a", "1", "13A".
func (p *reader) itemNumber(i int) int {
	if j := dottedPath(p.s, i); j >= 0 {
		return j
	}
	j := digits(p.s, i, 3)
	if j < 0 || !isUpper(at(p.s, j)) || isWord(p.s, j+1) {
		return -1
	}
	return j + 1
}

// toPart reads "to Part 1002" and "to 12 CFR part 1002".
func (p *reader) toPart(r Ref, i int) (Ref, int) {
	j := words(p.s, space(p.s, i), "to", "of")
	if j < 0 || r.Number != "" {
		return r, i
	}
	j = space(p.s, j)
	if d := digits(p.s, j, 2); d >= 0 {
		sys, k := system(p.s, space(p.s, d))
		if k < 0 || sys != CFR {
			return r, i
		}
		r.Title, r.System = p.s[j:d], sys
		j = space(p.s, k)
	}
	k := words(p.s, j, "part", "pt")
	if k >= 0 {
		j = space(p.s, k)
	}
	e := digits(p.s, j, 5)
	if e < 0 || k < 0 && r.Title == "" || isWord(p.s, e) {
		r.Title, r.System = "", ""
		return r, i
	}
	r.Number = p.s[j:e]
	return r, e
}

// form reads "C-1" after "Form".
func (p *reader) form(start, i int, base Ref) ([]Match, int) {
	r, e := p.formName(i, base)
	if e < 0 {
		return nil, -1
	}
	r, e = p.toPart(r, e)
	r, e = p.blocks(r, e)
	return []Match{{r, start, e, Named}}, e
}

func (p *reader) formName(i int, base Ref) (Ref, int) {
	j := p.letter(i)
	if j < 0 || isDigit(p.s[i]) {
		return base, -1
	}
	d := dash(p.s, j)
	if d < 0 {
		return base, -1
	}
	k := p.itemNumber(d)
	if k < 0 {
		return base, -1
	}
	r := base
	r.Kind, r.Unit, r.Letter, r.Item = Appendix, "form", strings.ToUpper(p.s[i:j]), p.s[d:k]
	return r, k
}

// supplement reads "I to Part 1002", and a comment after it.
func (p *reader) supplement(start, i int, base Ref) ([]Match, int) {
	j := p.letter(i)
	if j < 0 {
		return nil, -1
	}
	if base.Number != "" {
		if k := p.comma(j); words(p.s, k, "comment", "comments", "cmt") >= 0 {
			return p.annex(start, k, base)
		}
	}
	r := base
	r.Kind, r.Letter = Supplement, strings.ToUpper(p.s[i:j])
	r, j = p.toPart(r, j)
	r, j = p.blocks(r, j)
	return []Match{{r, start, j, Named}}, j
}
