package retrieve

import (
	"slices"
	"strings"

	"polaris/advisor/cite"
	"polaris/models"
)

// Follow returns the passages that a reference of a document leads to: those
// with the key that it cites, or, where only what lies below that has keys, the
// first of these. Where there are none it reports whether the reference is
// broken: it is of a document of this corpus, and that has no such place. One
// of a document that is not here leads outside.
func (m *Keys) Follow(doc int, x *models.Reference) (to []Ref, broken bool) {
	r, err := cite.Parse(x.Key)
	if err != nil {
		return nil, false
	}
	if x.Of != "" {
		return m.followOf(r, x.Of)
	}
	if r.Title == "" && r.Code == "" {
		return m.followBare(doc, r)
	}
	if to = m.exact[x.Key]; len(to) == 0 {
		to = m.lookup(r)
	}
	if len(to) == 0 {
		to = m.below(r, func(int) bool { return true })
	}
	return to, len(to) == 0 && m.holds(r)
}

// Follow returns the passages that a reference of a document leads to.
func (f *Finder) Follow(doc int, x *models.Reference) []Ref {
	to, _ := f.keys.Follow(doc, x)
	return to
}

// followOf follows a citation of the document that has a title.
func (m *Keys) followOf(r cite.Ref, title string) (to []Ref, broken bool) {
	ds := m.titled(title)
	if len(ds) == 0 {
		return nil, false
	}
	in := func(d int) bool { return slices.Contains(ds, d) }
	to = m.lookupIn(r, in)
	if len(to) == 0 {
		to = m.below(r, in)
	}
	return to, len(to) == 0
}

// followBare follows a citation that names no document: in its own, and only
// where the number is one of a kind in the others.
func (m *Keys) followBare(doc int, r cite.Ref) (to []Ref, broken bool) {
	own := func(d int) bool { return d == doc }
	to = m.lookupIn(r, own)
	if len(to) == 0 {
		to = m.below(r, own)
	}
	if len(to) > 0 || !telling(r) {
		return to, len(to) == 0
	}
	to = m.lookup(r)
	return to, len(to) == 0 && m.counts(doc, r)
}

// counts reports whether a document's own numbers begin as that of a citation
// does.
func (m *Keys) counts(doc int, r cite.Ref) bool {
	return slices.ContainsFunc(m.above()[leading(r.Number)], func(i int) bool { return m.all[i].ref.Doc == doc })
}

// telling reports whether a number hardly stands for two provisions: that of a
// code's section, "1002.9", "1681m".
func telling(r cite.Ref) bool {
	part, _, dotted := strings.Cut(r.Number, ".")
	return r.Kind == cite.Provision && (dotted && len(part) >= 3 || len(r.Number) >= 4 && strings.Trim(r.Number, "0123456789") != "" && !dotted)
}

// titled returns the documents of a title, whatever its case and article.
func (m *Keys) titled(title string) (ds []int) {
	if title = foldTitle(title); title == "" {
		return nil
	}
	for d, t := range m.titles {
		if t == title {
			ds = append(ds, d)
		}
	}
	return ds
}

func foldTitle(s string) string {
	return strings.TrimPrefix(strings.ToLower(strings.Join(strings.Fields(s), " ")), "the ")
}

// lookupIn is lookup in some of the documents.
func (m *Keys) lookupIn(r cite.Ref, in func(doc int) bool) (to []Ref) {
	for _, i := range m.byTail[r.Tail()] {
		if k := &m.all[i]; in(k.ref.Doc) && r.Matches(k.key) {
			to = append(to, k.ref)
		}
	}
	return to
}

// below returns the first key that lies below a citation, as 702.6(a) does below
// 702.6 where that has no text of its own.
func (m *Keys) below(r cite.Ref, in func(doc int) bool) []Ref {
	if r.Number == "" || !ascii(r.Number) || r.Block > 0 {
		return nil
	}
	for _, i := range m.above()[strings.ToLower(r.Number)] {
		if k := &m.all[i]; in(k.ref.Doc) && r.Contains(k.key) {
			return []Ref{k.ref}
		}
	}
	return nil
}

// holds reports whether the document that a citation names is in the corpus.
func (m *Keys) holds(r cite.Ref) bool {
	if r.Code != "" {
		return m.isCode(r.Code) || slices.Contains(m.names, strings.ToLower(r.Code))
	}
	return m.laws[law(r)]
}

// law returns the part of a code, or the act in it, that a citation is of: by
// the number that its sections begin with.
func law(r cite.Ref) string { return r.Title + " " + r.System + " " + leading(r.Number) }

// leading returns the digits that a number begins with.
func leading(n string) string {
	if i := strings.IndexFunc(n, func(c rune) bool { return c < '0' || c > '9' }); i >= 0 {
		return n[:i]
	}
	return n
}
