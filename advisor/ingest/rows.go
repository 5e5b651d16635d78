package ingest

import (
	"strconv"
	"strings"

	"polaris/advisor/ingest/form"
)

// table writes a table: its title and the names of its columns, and then each
// row with the name of its column before each cell. It returns how many blocks
// it wrote.
func (b *builder) table(i int) int {
	first := b.form.Blocks[i]
	name, header := tidy(first.Title, false), cells(first.Header)
	b.part(form.Paragraph)
	b.last = form.Row
	nb := block{kind: table, start: b.text.Len(), page: first.Page, locus: name, path: name, rows: []tableRow{}}
	if name == "" {
		nb.locus = "table " + strconv.Itoa(max(first.Table, 1))
	}
	b.write(name)
	if h := joined(header); h != "" {
		if name != "" {
			b.text.WriteByte('\n')
		}
		b.write(h)
	}
	nb.end = b.text.Len()
	n := 0
	for ; i+n < len(b.form.Blocks); n++ {
		f := b.form.Blocks[i+n]
		if f.Kind != form.Row || f.Table != first.Table {
			break
		}
		b.row(&nb, f)
	}
	if nb.end > nb.start || len(nb.rows) > 0 {
		b.blocks = append(b.blocks, nb)
	}
	return n
}

// row writes one row.
func (b *builder) row(nb *block, f form.Block) {
	names, values := cells(f.Header), cells(f.Cells)
	if joined(values) == "" { // an empty row says nothing
		return
	}
	if len(nb.rows) > 0 || nb.end > nb.start {
		b.text.WriteByte('\n')
	}
	start := b.text.Len()
	for k, v := range values {
		if v == "" {
			continue
		}
		if b.text.Len() > start {
			b.text.WriteString(" | ")
		}
		if k < len(names) && names[k] != "" && names[k] != v && (k == 0 || names[k] != names[k-1]) { // a name over two columns is said once
			b.text.WriteString(strings.TrimRight(names[k], ": ") + ": ")
		}
		b.write(v)
	}
	nb.rows = append(nb.rows, tableRow{start: start, end: b.text.Len(), line: max(f.Line, 1), page: f.Page})
}

func cells(in []string) []string {
	out := make([]string, len(in))
	for i, c := range in {
		out[i] = tidy(c, false)
	}
	return out
}

// joined returns cells on one line, without the empty ones.
func joined(in []string) string {
	var kept []string
	for _, c := range in {
		if c != "" {
			kept = append(kept, c)
		}
	}
	return strings.Join(kept, " | ")
}
