package cite

import "strings"

// maxHeading bounds how far after a section sign a heading path may reach in
// running text, in bytes.
const maxHeading = 240

// MaxCode is the longest code of a source, in bytes.
const MaxCode = 12

// ValidCode reports whether s can be the code of a source: 1 to 12 capitals,
// digits and hyphens, a letter first, no hyphen last, and no word that begins
// citations of its own.
func ValidCode(s string) bool {
	if s == "" || len(s) > MaxCode || !isUpper(s[0]) || s[len(s)-1] == '-' || reserved(s) {
		return false
	}
	for i := range len(s) {
		if !isUpper(s[i]) && !isDigit(s[i]) && s[i] != '-' {
			return false
		}
	}
	return true
}

// reserved reports whether s is a word with which other citations begin.
func reserved(s string) bool {
	switch s {
	case "CFR", "USC", "USCA", "PART", "PARTS", "PT", "SECTION", "SECTIONS", "SEC", "SECS", "SECT", "SECTS", "TITLE", "P",
		"COMMENT", "COMMENTS", "CMT", "CMTS", "APPENDIX", "APP", "FORM", "SUPPLEMENT", "SUPP", "REG", "REGULATION", "OFFICIAL":
		return true
	}
	return false
}

// coded reads "HB 4.2(a)", "HB-4.2", "HB § Lending › Fees ¶3", "HB p. 12 ¶2" and
// "HB ¶4".
func (p *reader) coded(i int) ([]Match, int) {
	j := i
	for j-i <= MaxCode+6 && (isUpper(at(p.s, j)) || isDigit(at(p.s, j)) || at(p.s, j) == '-' || p.whole && isLower(at(p.s, j))) {
		j++
	}
	if !isWord(p.s, j) {
		if ms, end := p.codedAt(i, j, space(p.s, j)); ms != nil {
			return ms, end
		}
	}
	for k := j - 1; k > i; k-- { // the code of "HB-4.2" ends at a hyphen
		if p.s[k] == '-' && isDigit(at(p.s, k+1)) {
			if ms, end := p.codedAt(i, k, k+1); ms != nil {
				return ms, end
			}
		}
	}
	if d := dash(p.s, j); d > j+1 && isDigit(at(p.s, d)) {
		return p.codedAt(i, j, d)
	}
	return nil, -1
}

// codedAt reads what follows the code s[start:end], from i on.
func (p *reader) codedAt(start, end, i int) ([]Match, int) {
	code := p.s[start:end]
	if p.whole && len(code) <= 4 && strings.ToLower(code) == code {
		code = strings.ToUpper(code)
	}
	if !ValidCode(code) || i == end && !strings.HasPrefix(p.s[i:], "§") && !strings.HasPrefix(p.s[i:], "¶") {
		return nil, -1
	}
	base := Ref{Code: code}
	if isDigit(at(p.s, i)) {
		return p.provisions(start, i, base, Coded, false)
	}
	return p.heading(i, base, start)
}

// heading reads a heading path after a section sign, a page, or a bare block.
// Without a code before it, it needs a block after it to be told from prose.
func (p *reader) heading(i int, base Ref, start int) ([]Match, int) {
	if strings.HasPrefix(p.s[i:], "¶") {
		r, end := p.blocks(base, i)
		return p.one(r, start, end, r.Block > 0)
	}
	if at(p.s, i)|0x20 == 'p' && at(p.s, i+1) == '.' {
		j := space(p.s, i+2)
		if k := digits(p.s, j, 5); k >= 0 {
			base.Page = p.s[j:k]
			r, end := p.blocks(base, k)
			return p.one(r, start, end, base.Code != "" || r.Block > 0)
		}
	}
	signed := strings.HasPrefix(p.s[i:], "§")
	if signed {
		i = space(p.s, i+len("§"))
	} else if base.Code != "" {
		return nil, -1
	}
	ms, end := p.provisions(start, i, base, Coded, false)
	if ms != nil && (!p.whole && ms[0].Ref.Block > 0 || end == len(p.s)) {
		return ms, end
	}
	if path, k := p.headingPath(i); k >= 0 {
		if n, e := (&reader{s: path, whole: true}).provisions(0, 0, base, Coded, false); len(n) == 1 && e == len(path) {
			base = n[0].Ref // "HB § 4.2 ›" is HB 4.2
		} else {
			base.Heading = path
		}
		r, e := p.blocks(base, k)
		return p.one(r, start, e, base.Code != "" || r.Block > 0)
	}
	return ms, end
}

func (p *reader) one(r Ref, start, end int, ok bool) ([]Match, int) {
	if !ok {
		return nil, -1
	}
	return []Match{{r, start, end, Coded}}, end
}

// headingPath reads headings up to the block mark; in a whole string, up to its
// end.
func (p *reader) headingPath(i int) (string, int) {
	rest := p.s[i:]
	if !p.whole {
		rest = rest[:min(len(rest), maxHeading)]
		if nl := strings.IndexByte(rest, '\n'); nl >= 0 {
			rest = rest[:nl]
		}
	}
	end := len(rest)
	if k := strings.LastIndex(rest, "¶"); p.whole && k >= 0 {
		if r, e := p.blocks(Ref{}, i+k); r.Block > 0 && e == len(p.s) {
			end = k
		}
	} else if k := strings.Index(rest, "¶"); !p.whole {
		if r, _ := p.blocks(Ref{}, i+max(k, 0)); k < 0 || r.Block == 0 || strings.Contains(rest[:k], "§") {
			return "", -1
		}
		end = k
	} else if k := strings.LastIndex(rest, " #"); k >= 0 {
		if r, e := p.blocks(Ref{}, i+k); r.Nth > 0 && e == len(p.s) {
			end = k
		}
	}
	path := CleanHeading(rest[:end])
	if path == "" {
		return "", -1
	}
	return path, i + end
}

// marks are what gives a key its structure; a heading cannot contain them.
var marks = strings.NewReplacer("¶", " ", "§", " ", "#", " ")

// CleanHeading returns a heading, or a path of headings joined by [Separator],
// as it stands in a key: on one line, without the marks that end a key's other
// parts.
func CleanHeading(h string) string {
	levels := strings.FieldsFunc(strings.ToValidUTF8(h, " "), func(r rune) bool { return r == '›' || r == '>' })
	kept := levels[:0]
	for _, l := range levels {
		l = strings.Join(strings.FieldsFunc(marks.Replace(l), isSpace), " ")
		if l = strings.Trim(l, " .,;:\"'“”‘’`"); l != "" {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, Separator)
}
