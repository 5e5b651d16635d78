package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"polaris/advisor/ingest/form"
)

// The largest table that is laid out, in cells; what spans more than maxSpan
// columns or rows spans that many.
const (
	maxCells = 2_000_000
	maxSpan  = 1000
)

// A cell is one of a table, as it lies in the grid.
type cell struct {
	text   string
	head   bool // a th, or all of it bold
	th     bool
	origin int  // tells cells apart that span several places
	copied bool // not the first of its columns
}

// A grid is a table laid out.
type grid struct {
	rows    [][]cell
	inHead  []bool // rows in a thead
	title   string
	cells   int
	off     int // rows that were taken off the top
	pending map[int]span
}

type span struct {
	cell
	rows int
}

// tableNode reads a table: rows with their header, or, where it only arranges
// things on the page, what is in its cells.
func (w *walker) tableNode(n *html.Node) {
	w.flush()
	was := w.next
	w.next = form.Block{}
	defer func() { w.next = was }()
	if attr(n, "role") == "presentation" || attr(n, "role") == "none" || arranges(n) {
		w.children(n)
		w.flush()
		return
	}
	g := &grid{pending: map[int]span{}}
	w.gridRows(g, n, false)
	g.drop()
	if g.cells > maxCells {
		w.doc.Warnings = append(w.doc.Warnings, "A table is too large to be laid out; its cells were read as paragraphs.")
		w.children(n)
		w.flush()
		return
	}
	header, body := g.header()
	if len(g.rows) == 0 {
		return
	}
	if len(body) == 0 || len(header) == 0 && (len(g.rows) == 1 || len(g.rows[0]) == 1) {
		w.lines(g)
		return
	}
	w.table++
	for _, line := range body {
		b := form.Block{Kind: form.Row, Table: w.table, Line: line + g.off + 1, Title: g.title, Cells: texts(g.rows[line])}
		if len(header) > 0 {
			b.Header = header
		}
		w.doc.Blocks = append(w.doc.Blocks, b)
	}
}

// lines writes the rows of what is no table as paragraphs.
func (w *walker) lines(g *grid) {
	if g.title != "" {
		w.doc.Blocks = append(w.doc.Blocks, form.Block{Text: g.title})
	}
	for _, row := range g.rows {
		if t := tidy(strings.Join(texts(row), " ")); t != "" {
			w.doc.Blocks = append(w.doc.Blocks, form.Block{Text: t})
		}
	}
}

// arranges reports whether a table without headers holds headings, lists, other
// tables or long text.
func arranges(n *html.Node) bool {
	inner, heads := false, false
	for d := range n.Descendants() {
		switch d.DataAtom {
		case atom.Th, atom.Thead, atom.Caption:
			heads = heads || outer(d) == n
		case atom.Table, atom.H1, atom.H2, atom.H3, atom.H4, atom.Main, atom.Article, atom.Section:
			inner = true
		default:
		}
	}
	return inner && !heads
}

// outer returns the table that a node is part of.
func outer(n *html.Node) *html.Node {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.Table {
			return p
		}
	}
	return nil
}

// gridRows lays out the rows in a node.
func (w *walker) gridRows(g *grid, n *html.Node, inHead bool) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.CommentNode {
			w.comment(c.Data)
		}
		if c.Type != html.ElementNode {
			continue
		}
		if how := w.styles.hides(c); how != seen && c.DataAtom != atom.Td && c.DataAtom != atom.Th {
			w.hidden(c, how)
			continue
		}
		switch c.DataAtom {
		case atom.Caption:
			g.title = w.inline(c)
		case atom.Thead:
			w.gridRows(g, c, true)
		case atom.Tr:
			w.gridRow(g, c, inHead)
		default:
			w.gridRows(g, c, inHead)
		}
	}
}

func (w *walker) gridRow(g *grid, tr *html.Node, inHead bool) {
	var row []cell
	down := func() { // cells that reach down from the rows above
		for {
			s, ok := g.pending[len(row)]
			if !ok {
				return
			}
			if s.rows--; s.rows > 0 {
				g.pending[len(row)] = s
			} else {
				delete(g.pending, len(row))
			}
			row = append(row, s.cell)
		}
	}
	for c := tr.FirstChild; c != nil && g.cells <= maxCells; c = c.NextSibling {
		if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
			continue
		}
		down()
		g.cells++
		x := cell{th: c.DataAtom == atom.Th, origin: g.cells}
		if how := w.styles.hides(c); how != seen {
			w.hidden(c, how)
		} else {
			x.text = w.inline(c)
		}
		x.head = x.th || x.text != "" && w.bold(c)
		across, rows := min(max(number(attr(c, "colspan"), 1), 1), maxSpan), min(max(number(attr(c, "rowspan"), 1), 1), maxSpan)
		for k := range across {
			x.copied = k > 0
			if rows > 1 {
				g.pending[len(row)] = span{x, rows - 1}
			}
			row = append(row, x)
			g.cells++
		}
	}
	down()
	g.rows = append(g.rows, row)
	g.inHead = append(g.inHead, inHead)
}

// inline returns what a cell says on one line. Items, and the rows of a table in
// it, are set apart by semicolons.
func (w *walker) inline(n *html.Node) string {
	in := walker{doc: &form.Document{}, styles: w.styles, deep: w.deep}
	in.doc.Found = 2 * w.doc.Found // nothing in a cell is most of the document
	in.children(n)
	in.flush()
	w.doc.Flags = append(w.doc.Flags, in.doc.Flags...)
	var b strings.Builder
	for i, k := range in.doc.Blocks {
		text := k.Text
		if k.Number != "" && k.Number != "•" {
			text = k.Number + " " + text
		}
		if k.Kind == form.Row {
			text = rowText(k)
		}
		if i > 0 {
			before := in.doc.Blocks[i-1].Kind
			if k.Kind == before && (k.Kind == form.Item || k.Kind == form.Row) {
				b.WriteByte(';')
			}
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	return tidy(b.String())
}

// rowText writes a row of a table inside a cell.
func rowText(b form.Block) string {
	var parts []string
	for i, c := range b.Cells {
		if c == "" {
			continue
		}
		if i < len(b.Header) && b.Header[i] != "" {
			c = b.Header[i] + ": " + c
		}
		parts = append(parts, c)
	}
	return strings.Join(parts, ", ")
}

// bold reports whether all the words in a cell are.
func (w *walker) bold(n *html.Node) bool {
	words, heavy := 0, 0
	for d := range n.Descendants() {
		if d.Type != html.TextNode || strings.TrimSpace(d.Data) == "" {
			continue
		}
		words++
		for p := d.Parent; p != nil; p = p.Parent {
			weight := w.styles.of(p, declarations(attr(p, "style")), "font-weight")
			if p.DataAtom == atom.B || p.DataAtom == atom.Strong || weight == "bold" || weight == "bolder" || weight == "700" {
				heavy++
				break
			}
			if weight == "normal" || weight == "400" || p == n {
				break
			}
		}
	}
	return words > 0 && heavy == words
}

// drop makes all rows equally long, and takes out columns and rows in which
// nothing stands and columns that only carry a sign for the one beside them.
func (g *grid) drop() {
	wide := 0
	for _, r := range g.rows {
		wide = max(wide, len(r))
	}
	if wide*len(g.rows) > maxCells {
		g.cells = maxCells + 1
		return
	}
	for i := range g.rows {
		g.rows[i] = append(g.rows[i], make([]cell, wide-len(g.rows[i]))...)
	}
	g.signs()
	keep := make([]bool, wide)
	for _, r := range g.rows {
		for k, c := range r {
			keep[k] = keep[k] || c.text != "" && !c.copied
		}
	}
	var kept [][]cell
	var heads []bool
	for i, r := range g.rows {
		out := r[:0]
		said := false
		for k, c := range r {
			if keep[k] {
				out = append(out, c)
				said = said || c.text != ""
			}
		}
		if said || len(kept) > 0 { // an empty row counts where rows are numbered
			kept, heads = append(kept, out), append(heads, g.inHead[i])
		}
	}
	g.rows, g.inHead = kept, heads
}

// signs moves "$" and "(" to the number after them, and ")" and "%" to the one
// before, across the columns that reports set them in.
func (g *grid) signs() {
	for _, r := range g.rows {
		for k := range r {
			switch r[k].text {
			case "$", "€", "£", "¥", "(", "$ (", "($", "$(":
				for j := k + 1; j < len(r) && j <= k+3; j++ {
					if r[j].text != "" && r[j].origin != r[k].origin {
						r[j].text = strings.ReplaceAll(r[k].text, " ", "") + r[j].text
						r[k].text = ""
						break
					}
				}
			case ")", "%", ")%", "%)":
				for j := k - 1; j >= 0 && j >= k-3; j-- {
					if t := r[j].text; t != "" && r[j].origin != r[k].origin {
						if last := t[len(t)-1]; last < '0' || last > '9' {
							break
						}
						r[j].text += r[k].text
						r[k].text = ""
						break
					}
				}
			}
		}
	}
}

// header returns the names of the columns, from the rows that a table begins
// with and marks as its header, and the lines of the others.
func (g *grid) header() (names []string, body []int) {
	g.titles()
	top := 0
	for top < len(g.rows) && (g.inHead[top] || g.heads(top)) {
		top++
	}
	if top > 0 && !slices.Contains(g.inHead[:top], true) && top == len(g.rows) { // all of it is bold
		top = 0
	}
	if top > 0 {
		names = make([]string, len(g.rows[0]))
		for k := range names {
			last := 0
			for _, r := range g.rows[:top] {
				if c := r[k]; c.text != "" && c.origin != last {
					names[k] = strings.TrimSpace(names[k] + " " + c.text)
					last = c.origin
				}
			}
		}
	}
	for i := top; i < len(g.rows); i++ {
		if slices.ContainsFunc(g.rows[i], func(c cell) bool { return c.text != "" }) {
			body = append(body, i)
		}
	}
	return names, body
}

// titles takes the rows off the top that say one thing across the whole table:
// that is its title, and the name of no column.
func (g *grid) titles() {
	for len(g.rows) > 1 && len(g.rows[0]) > 1 {
		only := g.rows[0][0]
		for _, c := range g.rows[0] {
			if c.origin != only.origin {
				return
			}
		}
		if !only.head && !g.inHead[0] {
			return
		}
		g.title = strings.TrimSpace(g.title + " " + only.text)
		g.rows, g.inHead, g.off = g.rows[1:], g.inHead[1:], g.off+1
	}
}

// heads reports whether all that a row says are names.
func (g *grid) heads(i int) bool {
	said := 0
	for _, c := range g.rows[i] {
		if c.text == "" {
			continue
		}
		if !c.head {
			return false
		}
		said++
	}
	return said > 0 && (said > 1 || len(g.rows[i]) == 1 || g.rows[i][0].text == "")
}

// texts returns what stands in a row; a cell that spans columns says it once.
func texts(r []cell) []string {
	out := make([]string, len(r))
	for k, c := range r {
		if !c.copied {
			out[k] = c.text
		}
	}
	return out
}
