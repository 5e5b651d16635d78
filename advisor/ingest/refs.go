package ingest

import (
	"strings"

	"polaris/advisor/cite"
	"polaris/models"
)

// Bounds of the references that are kept of one document. They travel from the
// process that reads it together with all else but its passages.
const (
	maxRefs     = 50_000
	maxRefBytes = 4 << 20
)

// refs returns what the passages of a document cite, in the order of the text,
// and whether there was more than is kept. A citation that leaves out the
// document means this one; one that names its document is kept whether that is
// here or not. What could be an amount or a product's name is a citation only
// of this document.
func (d *Document) refs() (out []models.Reference, cut bool) {
	r := refReader{doc: d, keys: make([]cite.Ref, len(d.Passages)), byTail: make(map[string][]int, len(d.Passages))}
	for i, p := range d.Passages {
		k, err := cite.Parse(p.Key)
		if err != nil {
			continue
		}
		r.keys[i] = k
		r.byTail[k.Tail()] = append(r.byTail[k.Tail()], i)
	}
	for i := range d.Passages {
		r.passage(i)
	}
	return r.out, r.cut
}

// A refReader collects references, passage by passage.
type refReader struct {
	doc    *Document
	keys   []cite.Ref // of the passages
	byTail map[string][]int

	from  int             // the passage that is read
	seen  map[string]bool // what it is known to cite
	out   []models.Reference
	bytes int
	cut   bool
}

func (r *refReader) passage(i int) {
	p := &r.doc.Passages[i]
	text := r.doc.Text[p.Start:p.End]
	r.from, r.seen = i, map[string]bool{p.Key: true}
	found := cite.Find(text)
	of := owners(text, found)
	within := relatives(text, r.keys[i])
	for k, m := range found {
		for len(within) > 0 && within[0].Start < m.Start {
			r.relative(within[0])
			within = within[1:]
		}
		r.add(m, of[k])
	}
	for _, m := range within {
		r.relative(m)
	}
}

// relative adds what is cited by its place beside the passage.
func (r *refReader) relative(m cite.Match) {
	if !r.here(m) && m.Strength == cite.Named {
		r.keep(m, m.Ref.String(), "")
	}
}

// here adds the passages of this document that a citation names, and reports
// whether there are any.
func (r *refReader) here(m cite.Match) (any bool) {
	for _, k := range r.byTail[m.Ref.Tail()] {
		if m.Ref.Matches(r.keys[k]) {
			any = true
			r.keep(m, r.doc.Passages[k].Key, "")
		}
	}
	return any
}

// add adds a citation; of is the document that the words behind it name.
func (r *refReader) add(m cite.Match, of string) {
	if m.Ref.Title == "" && m.Ref.Code == "" && of != "" && !sameName(of, r.doc.Title) {
		if m.Strength == cite.Named {
			r.keep(m, m.Ref.String(), of)
		}
		return
	}
	if r.here(m) {
		return
	}
	if elsewhere(m, r.doc.Code) {
		r.keep(m, m.Ref.String(), "")
	} else if r.lacking(m) {
		at := r.doc.Passages[r.from].Start
		r.keep(m, r.inSystem(m.Ref, r.doc.Text[at+m.Start:at+m.End]).String(), "")
	}
}

func (r *refReader) keep(m cite.Match, key, of string) {
	if r.seen[of+"\x00"+key] || r.seen[key] {
		return
	}
	if c, err := cite.Parse(key); err != nil || c.String() != key {
		return // what is no key can lead nowhere
	}
	r.seen[of+"\x00"+key] = true
	r.bytes += len(key) + len(of) + 80
	if len(r.out) >= maxRefs || r.bytes > maxRefBytes {
		r.cut = true
		return
	}
	at := r.doc.Passages[r.from].Start
	r.out = append(r.out, models.Reference{From: r.from, Key: key, Of: of, Start: at + m.Start, End: at + m.End})
}

// elsewhere reports whether a citation that this document has no provision for
// says itself which document it means.
func elsewhere(m cite.Match, code string) bool {
	r := m.Ref
	return r.Title != "" || r.Code != "" && r.Code != code && (m.Strength == cite.Named || strings.ContainsAny(r.Number+r.Heading, ".›(") || r.Paras != "")
}

// lacking reports whether a citation that this document has no provision for is
// one all the same: it says that it is, and it is no title, which begins with
// its own number.
func (r *refReader) lacking(m cite.Match) bool {
	if m.Start == 0 {
		return false
	}
	if m.Ref.Code != "" { // this document's own
		return m.Ref.Code == r.doc.Code && (m.Ref.Paras != "" || strings.ContainsAny(m.Ref.Number+m.Ref.Heading, ".›("))
	}
	switch m.Ref.Kind {
	case cite.Provision, cite.Comment, cite.Appendix:
		return m.Strength == cite.Named
	case cite.Part:
		return m.Strength == cite.Named && len(m.Ref.Number) >= 3 // else it is a part of a form, or of a book
	}
	return false
}

// inSystem completes a citation that leaves out the system of law, as the
// passages of a code cite their neighbours: "§ 1026.2" in a part of 12 CFR is of
// 12 CFR, as "section 6802" in 15 U.S.C. is of that.
func (r *refReader) inSystem(c cite.Ref, written string) cite.Ref {
	own := r.keys[r.from]
	switch {
	case c.Code != "" && !strings.Contains(written, c.Code): // of a list: "HB 4.2 and § 1002.9"
		c.Code = ""
	case c.Code == "" && c.Title == "" && c.Kind == cite.Provision && own.Kind == cite.Provision && own.Title != "" &&
		strings.Contains(own.Number, ".") == strings.Contains(c.Number, "."):
		c.Title, c.System = own.Title, own.System
	}
	return c
}
