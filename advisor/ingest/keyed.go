package ingest

import (
	"slices"

	"polaris/advisor/cite"
	"polaris/advisor/ingest/form"
	"polaris/models"
)

// keyed reports whether a document brings its own citation keys.
func keyed(f *form.Document) bool {
	return slices.ContainsFunc(f.Blocks, func(b form.Block) bool { return b.Key != "" })
}

// keep makes the passages of a document that brings its own keys. What has none
// is counted below the passage before it; what has one that could not be cited is
// counted in the document.
func (b *builder) keep(d *Document, o Options) error {
	t := newTree()
	if d.Title == "" {
		d.Title = (&textReader{text: d.Text}).title(o, nil)
	}
	if d.Code == "" {
		d.Code = Code(d.Title)
	}
	type open struct {
		ref  cite.Ref
		node int
	}
	var above []open
	last := cite.Ref{Code: d.Code}
	for _, nb := range b.blocks {
		ref, err := cite.Parse(nb.key)
		own := err == nil && readsBack(ref)
		n := node{kind: models.Paragraph, parent: -1, start: nb.start, end: nb.end, page: nb.page, ref: ref}
		if own {
			for len(above) > 0 && !above[len(above)-1].ref.Contains(ref) || len(above) > 0 && above[len(above)-1].ref == ref {
				above = above[:len(above)-1]
			}
		} else {
			if nb.key != "" { // it belongs to something else, whatever that is
				above, last = nil, cite.Ref{Code: d.Code}
			}
			n.ref = t.block(last)
		}
		if len(above) > 0 {
			n.parent = above[len(above)-1].node
		}
		if k := len(nb.rows); k > 0 {
			n.end = nb.rows[k-1].end
		}
		n.kind = kindOf(ref, own, nb)
		if nb.kind == title {
			n.title = nb.path
		}
		rest := pieces(d.Text, n.start, n.end)
		n.end = rest[0][1]
		at := t.add(n)
		for _, p := range rest[1:] {
			t.add(node{ref: t.block(n.ref), kind: models.Paragraph, parent: at, start: p[0], end: p[1], page: nb.page})
		}
		if own {
			above, last = append(above, open{ref, at}), ref
		}
	}
	var err error
	if d.Passages, err = t.passages(); err != nil {
		return err
	}
	d.Terms = terms(d.Text, d.Title, d.Passages)
	d.Warnings = append(d.Warnings, t.warn...)
	return nil
}

// kindOf says what a passage with a key of its own is.
func kindOf(ref cite.Ref, own bool, nb block) models.PassageKind {
	switch {
	case own && ref.Kind == cite.Comment:
		return models.Comment
	case own && ref.Kind == cite.Appendix:
		return models.Appendix
	case nb.kind == title:
		return models.Section
	case nb.kind == table:
		return models.Table
	}
	return models.Paragraph
}
