package office

import (
	"strings"

	"polaris/advisor/ingest/form"
)

// maxTables bounds how deep tables stand in tables.
const maxTables = 20

// An rtfFlow is one flow of paragraphs: the body, a note, a header.
type rtfFlow struct {
	to      destination
	counted bool
	endnote bool
	para    *rtfPara
	blocks  []form.Block
	tables  []*rtfTable // that are open, the outermost first
}

// An rtfPara is a paragraph while it is read.
type rtfPara struct {
	text, hidden, label strings.Builder
	after               []form.Block
	style               int
	outline             int
	level               int // in a list
	table               int // depth of tables that it stands in
}

// An rtfTable is a table while it is read.
type rtfTable struct {
	grid   grid
	cells  []cell
	blocks []form.Block // of the cell
	after  []form.Block
	single []form.Block
	n      int // cells with anything in them, and all others
	defs   []rtfCell
	next   rtfCell
	header bool
	body   bool
	uneven bool // a cell has no edge right of the one before
}

// An rtfCell is what the definition of a row says of a cell.
type rtfCell struct {
	left, above bool  // it is merged with the one there
	right       int32 // its edge, in twips
}

func newFlow(counted bool) *rtfFlow {
	return &rtfFlow{counted: counted, para: &rtfPara{outline: unset}}
}

// command obeys what is about paragraphs and tables.
func (f *rtfFlow) command(r *rtf, name string, n int, set bool) {
	p := f.para
	switch name {
	case "par", "sect", "page", "column":
		f.end(r)
	case "pard":
		p.style, p.outline, p.level, p.table = 0, unset, 0, 0
	case "intbl":
		p.table = max(p.table, 1)
	case "itap":
		p.table = min(max(n, 0), maxTables)
	case "ilvl":
		p.level = min(max(n, 0), levels-1)
	case "ftnalt":
		f.endnote = true
	case "cell":
		p.table = 1
		f.end(r)
		f.cell(1)
	case "nestcell":
		p.table = max(p.table, 2)
		at := p.table
		f.end(r)
		f.cell(at)
	case "row":
		f.row(1)
	case "nestrow":
		f.row(len(f.tables))
	default:
		f.define(name, n, set)
	}
}

// define takes in the definition of a row.
func (f *rtfFlow) define(name string, n int, set bool) {
	depth := max(f.para.table, 1)
	switch name {
	case "trowd", "trhdr", "clmgf", "clmrg", "clvmgf", "clvmrg", "cellx":
		f.open(min(depth, max(len(f.tables), 1)))
	default:
		return
	}
	t := f.tables[len(f.tables)-1]
	switch name {
	case "trowd":
		t.defs, t.next, t.header = t.defs[:0], rtfCell{}, false
	case "trhdr":
		t.header = set
	case "clmrg":
		t.next.left = true
	case "clvmrg":
		t.next.above = true
	case "cellx":
		if t.next.right = int32(min(max(n, 0), 1<<20)); len(t.defs) < maxSpan { //nolint:gosec // bounded
			t.defs = append(t.defs, t.next)
		}
		t.next = rtfCell{}
	}
}

// open makes sure that there are tables down to a depth.
func (f *rtfFlow) open(depth int) {
	for len(f.tables) < depth {
		f.tables = append(f.tables, &rtfTable{})
	}
}

// end makes a block of the paragraph and goes on with one that has its
// properties.
func (f *rtfFlow) end(r *rtf) {
	p := f.para
	f.para = &rtfPara{style: p.style, outline: p.outline, level: p.level, table: p.table}
	f.shut(r, p.table)
	f.open(p.table)
	hide(r.doc, 0, p.hidden.String())
	b := form.Block{Kind: form.Paragraph, Text: tidy(p.text.String())}
	if label := tidy(p.label.String()); label != "" {
		b.Kind, b.Level, b.Number = form.Item, p.level+1, label
		if !strings.ContainsFunc(label, alphanumeric) || label == "o" {
			b.Number = bulletSign(label)
		}
	}
	outline, name := p.outline, ""
	if st := r.styles[p.style]; st != nil {
		name, _, _ = strings.Cut(st.name.String(), ";")
		name = strings.ToLower(tidy(name))
		if outline == unset {
			outline = st.outline
		}
		if h := headingName(name); outline == unset && h > 0 {
			outline = h - 1
		}
	}
	switch {
	case outline >= 0 && outline < 9:
		b.Kind, b.Level = form.Heading, outline+1
	case name == "title" && p.table == 0:
		b.Kind, b.Level = form.Heading, 1
		if r.doc.Title == "" && f.to == toText {
			r.doc.Title = b.Text
		}
	}
	to := &f.blocks
	if p.table > 0 {
		to = &f.tables[p.table-1].blocks
	}
	if b.Text != "" {
		*to = append(*to, b)
	}
	*to = append(*to, p.after...)
}

func alphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// cell ends a cell of the table at a depth.
func (f *rtfFlow) cell(depth int) {
	t := f.tables[depth-1]
	var own []form.Block
	for _, b := range t.blocks {
		if b.Kind == form.Row || b.Kind == form.Note {
			if b.Kind == form.Row && b.Title == "" && len(t.cells) > 0 {
				b.Title = excerpt(t.cells[0].text)
			}
			t.after = append(t.after, b)
		} else {
			own = append(own, b)
		}
	}
	t.n++
	t.single, t.blocks = t.blocks, nil
	t.cells = append(t.cells, cell{text: joined(own)})
}

// row ends a row of the table at a depth.
func (f *rtfFlow) row(depth int) {
	if depth < 1 || depth > len(f.tables) {
		return
	}
	t := f.tables[depth-1]
	var row []cell
	for i, c := range t.cells {
		if i < len(t.defs) && t.defs[i].left && len(row) > 0 {
			last := &row[len(row)-1]
			last.cols = max(last.cols, 1) + 1 // where the edges do not say
			last.text = strings.TrimSpace(last.text + " " + c.text)
			last.right = t.defs[i].right
			continue
		}
		if i < len(t.defs) {
			c.below, c.right = t.defs[i].above, t.defs[i].right
		}
		if c.right <= 0 || len(row) > 0 && c.right <= row[len(row)-1].right {
			t.uneven = true
		}
		row = append(row, c)
	}
	t.cells = nil
	if row == nil {
		return
	}
	if t.header && !t.body {
		t.grid.header++
	} else {
		t.body = true
	}
	t.grid.rows = append(t.grid.rows, row)
}

// shut ends the tables that are deeper than what follows.
func (f *rtfFlow) shut(r *rtf, depth int) {
	for len(f.tables) > depth {
		at := len(f.tables)
		if t := f.tables[at-1]; len(t.blocks) > 0 {
			f.cell(at)
		}
		f.row(at)
		t := f.tables[at-1]
		f.tables = f.tables[:at-1]
		blocks := t.single
		if t.n != 1 {
			r.tables++
			t.grid.guess, t.grid.marked = t.grid.header == 0, t.grid.header > 0
			if !t.uneven {
				t.grid.edges()
			}
			blocks = append(t.grid.blocks(r.tables), t.after...)
		}
		if at > 1 {
			f.tables[at-2].blocks = append(f.tables[at-2].blocks, blocks...)
		} else {
			f.blocks = append(f.blocks, blocks...)
		}
	}
}

// finish returns the flow's blocks.
func (f *rtfFlow) finish(r *rtf) []form.Block {
	if p := f.para; p.text.Len() > 0 || p.hidden.Len() > 0 || len(p.after) > 0 {
		f.end(r)
	}
	f.shut(r, 0)
	return f.blocks
}
