package pdf

import (
	"slices"
	"strings"

	"polaris/advisor/ingest/form"
)

// A part is what stands in the flow of the document: a paragraph or a table.
type part struct {
	para  *para
	table *table
	page  int
	plain string // of a form field or a scan: no layout to judge
}

// lay makes the document of the pages.
func (r *reading) lay() {
	sheets := make([]*sheet, len(r.pages))
	v := vocabulary{}
	for i, p := range r.pages {
		r.doc.Found += p.found
		sheets[i] = sheetOf(p)
		v.add(p.words)
	}
	r.flag()
	r.margins(sheets)
	b := bodyOf(sheets)
	var flow []part
	for _, s := range sheets {
		flow = append(flow, r.flow(s, b, v, flow)...)
	}
	r.write(flow, b)
	r.properties(flow, b)
}

// flow returns the parts of one page, in the order of reading, notes last. A
// paragraph that goes on from before is added there.
func (r *reading) flow(s *sheet, b body, v vocabulary, before []part) []part {
	var out, notes []part
	number := s.page.number
	add := func(p *para) {
		if n := len(notes); p.more && n > 0 && !sentenceEnds(notes[n-1].para.text) {
			notes[n-1].para.text = v.join(notes[n-1].para.text, p.text)
			return
		}
		if p.note != "" {
			notes = append(notes, part{para: p, page: number})
			return
		}
		if last := lastPara(out, before); last != nil && len(out) == 0 && last.goesOn(p) {
			last.text, last.full = v.join(last.text, p.text), p.full
			return
		}
		out = append(out, part{para: p, page: number})
	}
	tables := s.tables(v, b.weight)
	items := make([]item, 0, len(s.runs)+len(tables))
	for _, t := range tables {
		items = append(items, item{box: t.box, table: t})
	}
	for _, x := range s.runs {
		items = append(items, item{box: x.box, run: x})
	}
	rtl := rightToLeft(s.runs)
	l := layout{gutter: max(0.5*b.size, 4.5), rtl: rtl}
	for _, z := range l.zones(items, 0) {
		if z.gutters != nil {
			t := aligned(z, number, v)
			t.sealed(b.weight)
			out = append(out, part{table: t, page: number})
			continue
		}
		fresh := len(out)
		for _, p := range stretches(z, number) {
			if p.table != nil {
				out = append(out, p.part)
				continue
			}
			ps := paras(p.lines, rtl, v)
			markNotes(ps, b, s.page.h)
			for i, x := range ps {
				if last := lastPara(out, before); i == 0 && fresh > 0 && len(out) == fresh && last != nil && x.note == "" && !x.more && last.goesOn(x) {
					last.text, last.full = v.join(last.text, x.text), x.full
					continue
				}
				add(x)
			}
		}
	}
	for t := range 4 {
		for _, p := range paras(linesOf(s.side[t], number), false, v) {
			out = append(out, part{page: number, plain: p.text})
		}
	}
	for _, text := range s.page.plain() {
		out = append(out, part{page: number, plain: text})
	}
	return append(out, notes...)
}

// lastPara returns the paragraph that text could go on from: the last of the
// page so far, or of the page before, past its notes.
func lastPara(now, before []part) *para {
	for _, parts := range [][]part{now, before} {
		for _, p := range slices.Backward(parts) {
			switch {
			case p.para != nil && p.para.note == "":
				return p.para
			case p.para == nil:
				return nil
			}
		}
	}
	return nil
}

// stretches splits a column at the tables in it.
func stretches(z zone, page int) []stretch {
	var out []stretch
	var rs []*run
	flush := func() {
		if len(rs) > 0 {
			out = append(out, stretch{lines: linesOf(rs, page)})
		}
		rs = nil
	}
	items := slices.Clone(z.items)
	slices.SortStableFunc(items, func(a, b item) int { return int(8*a.y0) - int(8*b.y0) })
	for _, it := range items {
		if it.table != nil {
			flush()
			out = append(out, stretch{part: part{table: it.table, page: page}})
			continue
		}
		rs = append(rs, it.run)
	}
	flush()
	return out
}

type stretch struct {
	part
	lines []*line
}

// plain returns the texts of a page that have no layout: fields, scans.
func (p *page) plain() []string {
	var out []string
	var now []string
	for _, l := range append(slices.Clone(p.scanned), "") {
		if l = strings.Join(strings.Fields(l), " "); l != "" {
			now = append(now, l)
			continue
		}
		if len(now) > 0 {
			out = append(out, strings.Join(now, " "))
		}
		now = nil
	}
	return append(out, p.fields...)
}

// write makes blocks of the flow.
func (r *reading) write(flow []part, b body) {
	marks := r.outline()
	styles := map[style]bool{}
	for _, p := range flow {
		if p.para != nil {
			if s, ok := b.style(p.para); ok {
				styles[s] = true
			}
		}
	}
	w := writer{levels: levels(styles), marks: marks, body: b}
	for _, p := range flow {
		w.part(p)
	}
	r.doc.Blocks = w.blocks
}

// A writer turns parts into blocks, one after the other.
type writer struct {
	levels map[style]int
	marks  map[string]int
	body   body
	blocks []form.Block

	depths []float64 // indents of the items that the next one may be in
	tables int
	last   *table // the last part, where it was a table
	line   int    // the next row's
}

func (w *writer) part(p part) {
	if p.table != nil {
		w.table(p.table)
		return
	}
	if p.para == nil {
		w.last = nil
		w.add(form.Block{Page: p.page, Text: p.plain})
		return
	}
	x := p.para
	if x.note != "" {
		w.add(form.Block{Kind: form.Note, Page: p.page, Number: x.note, Text: x.text})
		return
	}
	w.last = nil
	s, heading := w.body.style(x)
	level, marked := w.marks[plain(x.text)]
	switch {
	case marked && len(x.lines) <= headingLines:
		w.heading(p.page, level, x.text)
	case heading:
		w.heading(p.page, w.levels[s], x.text)
	case x.label != "":
		w.item(p.page, x)
	default:
		if x.indent < 0.5*x.size {
			w.depths = nil
		}
		w.add(form.Block{Page: p.page, Text: x.text})
	}
}

func (w *writer) add(b form.Block) {
	if b.Text != "" {
		w.blocks = append(w.blocks, b)
	}
}

func (w *writer) heading(page, level int, text string) {
	w.depths = nil
	w.add(form.Block{Kind: form.Heading, Level: level, Page: page, Text: text})
}

// item writes an item of a list. It is as deep as there are items above it that
// stand further out.
func (w *writer) item(page int, x *para) {
	for len(w.depths) > 0 && w.depths[len(w.depths)-1] > x.indent-0.6*x.size {
		w.depths = w.depths[:len(w.depths)-1]
	}
	w.depths = append(w.depths, x.indent)
	text := strings.TrimSpace(strings.TrimPrefix(x.text, x.label))
	w.add(form.Block{Kind: form.Item, Level: len(w.depths), Page: page, Number: x.label, Text: text})
}

func (w *writer) table(t *table) {
	if w.last != nil && t.page > w.last.page && t.continues(w.last) {
		t.continueFrom(w.last)
	} else {
		w.tables++
		w.line = 1
		if t.header != nil {
			w.line = 2
		}
	}
	w.blocks = append(w.blocks, t.blocks(w.tables, w.line)...)
	w.line += len(t.rows)
	w.last = t
}
