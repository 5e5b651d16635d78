package pdf

import (
	"strings"

	"polaris/advisor/ingest/form"
)

// lay makes the document of the pages.
func (r *reading) lay() {
	for _, p := range r.pages {
		r.doc.Found += p.found
		r.flag(p)
		var line []*word
		flush := func() {
			if len(line) > 0 {
				r.doc.Blocks = append(r.doc.Blocks, form.Block{Page: p.number, Text: joined(line)})
			}
			line = nil
		}
		for i, w := range p.words {
			if i > 0 && w.broke && w.y0-p.words[i-1].y0 > 1.8*p.words[i-1].h() {
				flush()
			}
			line = append(line, w)
		}
		flush()
		if len(p.scanned) > 0 {
			r.doc.Blocks = append(r.doc.Blocks, form.Block{Page: p.number, Text: strings.Join(p.scanned, " ")})
		}
		for _, f := range p.fields {
			r.doc.Blocks = append(r.doc.Blocks, form.Block{Page: p.number, Text: f})
		}
	}
}
