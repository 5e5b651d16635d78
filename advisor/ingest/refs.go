package ingest

import (
	"strings"

	"polaris/advisor/cite"
	"polaris/models"
)

// maxRefs bounds the references that are kept of one document.
const maxRefs = 200_000

// refs returns what the passages of a document cite. A citation that leaves out
// the document means this one, if it has such a provision; one that names its
// document is kept whether that is here or not. What could be an amount or a
// product's name is a citation only of this document.
func (d *Document) refs() []models.Reference {
	keys := make([]cite.Ref, len(d.Passages))
	byTail := make(map[string][]int, len(d.Passages))
	for i, p := range d.Passages {
		r, err := cite.Parse(p.Key)
		if err != nil {
			continue
		}
		keys[i] = r
		byTail[r.Tail()] = append(byTail[r.Tail()], i)
	}
	var out []models.Reference
	for i, p := range d.Passages {
		seen := map[string]bool{p.Key: true}
		add := func(key string) {
			if !seen[key] && len(out) < maxRefs {
				seen[key] = true
				out = append(out, models.Reference{From: i, Key: key})
			}
		}
		for _, m := range cite.Find(d.Text[p.Start:p.End]) {
			here := 0
			for _, k := range byTail[m.Ref.Tail()] {
				if m.Ref.Matches(keys[k]) {
					add(d.Passages[k].Key)
					here++
				}
			}
			if here == 0 && elsewhere(m, d.Code) {
				add(m.Ref.String())
			}
		}
	}
	return out
}

// elsewhere reports whether a citation that this document has no provision for
// says itself which document it means.
func elsewhere(m cite.Match, code string) bool {
	r := m.Ref
	return r.Title != "" || r.Code != "" && r.Code != code && (m.Strength == cite.Named || strings.ContainsAny(r.Number+r.Heading, ".›(") || r.Paras != "")
}
