package pdf

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"polaris/advisor/ingest/form"
)

// A table is rows of cells with their place on a page.
type table struct {
	box
	page   int
	edges  []float64 // of the columns, from left to right
	rows   []row
	header []string // nil: none
	title  string
	ruled  bool
}

type row struct {
	cells  []string
	weight int // of most of its characters
	open   bool
}

// sealed takes the title and the header off the rows.
func (t *table) sealed(body int) {
	for len(t.rows) > 2 && alone(t.rows[0]) { // one text over the names of the columns
		t.title = strings.TrimSpace(t.title + " " + t.rows[0].text())
		t.rows = t.rows[1:]
	}
	n := t.headerRows(body)
	if n == 0 {
		return
	}
	t.header = make([]string, len(t.edges)-1)
	for c := range t.header {
		var parts []string
		for _, r := range t.rows[:n] {
			if s := r.cells[c]; s != "" && !slices.Contains(parts, s) {
				parts = append(parts, s)
			}
		}
		t.header[c] = strings.Join(parts, " / ")
	}
	t.rows = t.rows[n:]
}

// alone reports whether a row has only one text: in one cell, or in one that is
// over all columns.
func alone(r row) bool {
	said := ""
	for _, s := range r.cells {
		switch {
		case s == "":
		case said != "" && s != said:
			return false
		default:
			said = s
		}
	}
	return said != ""
}

// text returns the text of a row that has only one.
func (r row) text() string {
	for _, s := range r.cells {
		if s != "" {
			return s
		}
	}
	return ""
}

// headerRows returns how many rows at the top are the table's header: those
// set bolder than the rest, or, where all are set alike, a first row of names
// above columns of numbers or, between rules, a first row of names.
func (t *table) headerRows(body int) int {
	if len(t.rows) < 2 {
		return 0
	}
	bold := 0
	for bold < len(t.rows) && float64(t.rows[bold].weight) >= 1.25*float64(body) {
		bold++
	}
	if bold > 0 && bold <= 3 && bold < len(t.rows) {
		return bold
	}
	first := 0
	for first < 3 && first < len(t.rows)-1 && t.rows[first].open { // cells over several columns: another row of names follows
		first++
	}
	names := t.rows[first]
	filled, numbers := 0, 0
	for c, s := range names.cells {
		switch {
		case figure(s):
			return 0
		case s != "":
			filled++
		}
		if t.figures(first+1, c) {
			numbers++
		}
	}
	if numbers > 0 && filled*2 > len(names.cells) || t.ruled && filled == len(names.cells) && short(names.cells) {
		return first + 1
	}
	return 0
}

// figures reports whether most cells of a column are numbers, from a row on.
func (t *table) figures(from, c int) bool {
	n, all := 0, 0
	for _, r := range t.rows[from:] {
		if s := r.cells[c]; s != "" {
			all++
			if figure(s) {
				n++
			}
		}
	}
	return all > 0 && n*3 >= all*2
}

var number = regexp.MustCompile(`^[-–−+(≤≥<>~]?\s*[$€£¥]?\s*[0-9][0-9.,:/ ]*\s*%?\)?[a-z*†]?$`)

func figure(s string) bool { return number.MatchString(s) }

func short(cells []string) bool {
	for _, s := range cells {
		if len(strings.Fields(s)) > 8 {
			return false
		}
	}
	return true
}

// continues reports whether t goes on where o ended on the page before.
func (t *table) continues(o *table) bool {
	if len(t.edges) != len(o.edges) {
		return false
	}
	for i := range t.edges {
		if i > 0 && i < len(t.edges)-1 && math.Abs(t.edges[i]-o.edges[i]) > 12 {
			return false
		}
	}
	return true
}

// continueFrom gives t the header of o, and takes off the rows that repeat it.
func (t *table) continueFrom(o *table) {
	if t.title == "" {
		t.title = o.title
	}
	if slices.Equal(t.header, o.header) || o.header == nil {
		return
	}
	if t.header != nil { // taken for one here, and other than the first page's: a row
		t.rows = slices.Insert(t.rows, 0, row{cells: t.header})
	}
	t.header = o.header
}

// blocks returns the table's rows.
func (t *table) blocks(number, line int) []form.Block {
	out := make([]form.Block, 0, len(t.rows))
	for i, r := range t.rows {
		out = append(out, form.Block{
			Kind: form.Row, Page: t.page, Table: number, Line: line + i, Title: t.title,
			Header: t.header, Cells: r.cells,
		})
	}
	return out
}

// aligned makes a table of a zone whose columns are told by white space.
func aligned(z zone, page int, v vocabulary) *table {
	t := &table{page: page, box: z.items[0].box}
	for _, it := range z.items {
		t.box = t.and(it.box)
	}
	t.edges = []float64{t.x0}
	for _, g := range z.gutters {
		t.edges = append(t.edges, g.cx())
	}
	t.edges = append(t.edges, t.x1)
	last := box{}
	for _, items := range rowsOf(z.items, func(i item) box { return i.box }) {
		cells := make([][]*run, len(t.edges)-1)
		b := items[0].box
		for _, it := range items {
			c := column(it.box, z.gutters)
			cells[c] = append(cells[c], it.run)
			b = b.and(it.box)
		}
		r := row{cells: make([]string, len(cells))}
		weights := map[int]int{}
		for c, rs := range cells {
			if len(rs) == 0 {
				continue
			}
			l := lineOf(rs, page)
			r.cells[c] = l.text
			weights[l.weight] += len(l.text)
		}
		r.weight = most(weights)
		if n := len(t.rows); n > 0 && r.cells[0] == "" && wraps(r, t.rows[n-1]) && b.y0-last.y1 < 0.6*b.h() {
			for c, s := range r.cells {
				if s != "" {
					t.rows[n-1].cells[c] = v.join(t.rows[n-1].cells[c], s)
				}
			}
		} else {
			t.rows = append(t.rows, r)
		}
		last = b
	}
	return t
}

// wraps reports whether a row only goes on with cells of the one before.
func wraps(r, before row) bool {
	for c, s := range r.cells {
		if s != "" && (before.cells[c] == "" || figure(s)) {
			return false
		}
	}
	return true
}
