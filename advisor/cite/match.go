package cite

import "strings"

// Matches reports whether r, which may say less than a key does, names exactly
// the key k. Case is ignored: a level of numbering never mixes two cases.
func (r Ref) Matches(k Ref) bool {
	return r.Kind == k.Kind && r.sameSource(k) && r.sameNumber(k) &&
		fold(r.Paras, k.Paras) && fold(r.Path, k.Path) &&
		fold(r.Letter, k.Letter) && fold(r.Item, k.Item) && (r.Unit == "" || r.Unit == k.Unit) &&
		foldHeading(r.Heading) == foldHeading(k.Heading) && r.Page == k.Page &&
		r.Block == k.Block && (r.Nth == 0 || r.Nth == k.Nth)
}

// Contains reports whether k is what r names or lies below it: 702.6 contains
// 702.6(a) and 702.6a, never 702.60.
func (r Ref) Contains(k Ref) bool {
	if r.Matches(k) {
		return true
	}
	if !r.sameSource(k) || r.Block > 0 || (r.Nth > 0 && r.Nth != k.Nth) {
		return false
	}
	if r.Kind == Part || r.Kind == Supplement {
		return r.containsInPart(k)
	}
	if r.Kind != k.Kind {
		return false
	}
	switch r.Kind {
	case Appendix:
		return r.sameNumber(k) && fold(r.Letter, k.Letter) && (r.Item == "" ||
			under(r.Item, k.Item, ".") && (r.Unit == "" || r.Unit == k.Unit))
	case Comment:
		return r.sameNumber(k) && fold(r.Letter, k.Letter) && (r.Path == "" && under(r.Paras, k.Paras, "(") ||
			fold(r.Paras, k.Paras) && r.Path != "" && under(r.Path, k.Path, "."))
	}
	switch {
	case r.Heading != "":
		return under(foldHeading(r.Heading), foldHeading(k.Heading), foldHeading(Separator))
	case r.Page != "":
		return r.Page == k.Page
	case r.Number == "" || k.Number == "":
		return false
	case fold(r.Number, k.Number):
		return under(r.Paras, k.Paras, "(")
	}
	return r.Paras == "" && subsection(r.Number, k.Number, k.Code != "")
}

// containsInPart is Contains for a whole part, and for its comments together.
func (r Ref) containsInPart(k Ref) bool {
	if k.System == USC || k.Code != "" || r.Kind == Supplement && k.Kind != Comment {
		return false
	}
	part, section := k.split()
	return (r.Number == "" || part == r.Number) && (k.Kind != Provision || section != "")
}

// subsection reports whether the number n is one below number r. In a house
// document that is 4.2.1 below 4.2; anywhere it is 702.6a below 702.6. In a
// statute 1681a is a sibling of 1681, hence the dot.
func subsection(r, n string, house bool) bool {
	if len(n) <= len(r) || !fold(n[:len(r)], r) {
		return false
	}
	rest := n[len(r):]
	if rest[0] == '.' {
		return house
	}
	return strings.Contains(r, ".") && isLetter(rest[0])
}

// sameSource reports whether r names no document, or that of k.
func (r Ref) sameSource(k Ref) bool {
	return (r.Title == "" || r.Title == k.Title && r.System == k.System) &&
		(r.Code == "" || r.Code == k.Code)
}

// sameNumber compares numbers; a comment, an appendix or a supplement may be
// written without its part.
func (r Ref) sameNumber(k Ref) bool {
	if r.Kind == Provision || r.Kind == Part {
		return fold(r.Number, k.Number)
	}
	rp, rs := r.split()
	kp, ks := k.split()
	return (rp == "" || rp == kp) && fold(rs, ks)
}

// under reports whether k is r or continues it with sep.
func under(r, k, sep string) bool {
	if len(k) < len(r) || !fold(k[:len(r)], r) {
		return false
	}
	return len(k) == len(r) || r == "" || strings.HasPrefix(k[len(r):], sep)
}

func fold(a, b string) bool { return strings.EqualFold(a, b) }

// foldHeading makes headings comparable: case, white space, dashes and the ways
// of writing the separator do not count.
func foldHeading(h string) string {
	if h == "" {
		return ""
	}
	h = strings.ToLower(strings.Join(strings.Fields(h), " "))
	return headingFold.Replace(h)
}

var headingFold = strings.NewReplacer(" › ", "›", "–", "-", "—", "-", "‑", "-", "’", "'", "‘", "'", "“", `"`, "”", `"`)
