package office

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"polaris/advisor/ingest/form"
)

const (
	maxSpan   = 256     // columns that a merged cell may be spread over
	maxSpread = 1 << 20 // cells of a table over which merged cells are spread at all
	nearEdge  = 40      // twips within which two edges are one
	maxHeads  = 5       // rows of a header
	maxHead   = 500     // bytes of one of its cells: every row repeats it
	maxRepeat = 300     // bytes of a merged cell that each of its rows repeats
)

// A cell is one of a table as its file has it.
type cell struct {
	text  string
	cols  int32 // that it covers; 0 is one; below 0, what is to its left covers it
	right int32 // its edge, where the file gives that instead
	below bool  // it continues the cell above
}

// spanned returns the columns that a cell says it covers.
func spanned(s string) int32 { return int32(min(max(number(s, 1), 1), maxSpan)) } //nolint:gosec // bounded

// A grid is a table on its way to rows.
type grid struct {
	title  string
	rows   [][]cell
	lines  []int // of each row, from 1; nil: as they stand
	header int   // rows at the top that name the columns
	marked bool  // the file marks them as such, each
	guess  bool  // the file does not say whether the first row does
}

// blocks returns the rows below the header, each with the names of its columns.
// A cell that is merged over several rows stands in each of them; one that is
// merged over columns stands in the first, but names all that it covers.
func (g *grid) blocks(table int) []form.Block {
	rows := g.spread()
	top := g.head(rows)
	header := g.names(rows[:top])
	var out []form.Block
	for i, row := range rows[top:] {
		cells := texts(row)
		if len(cells) == 0 {
			continue
		}
		b := form.Block{Kind: form.Row, Table: table, Line: top + i + 1, Title: g.title, Cells: cells}
		if g.lines != nil {
			b.Line = g.lines[top+i]
		}
		if len(header) > 0 {
			for len(header) < len(cells) {
				header = append(header, "")
			}
			for len(b.Cells) < len(header) && len(b.Cells) < maxSpan {
				b.Cells = append(b.Cells, "")
			}
			b.Header = header[:len(b.Cells):len(b.Cells)]
		}
		out = append(out, b)
	}
	return out
}

// edges gives each cell the columns that its edge says.
func (g *grid) edges() {
	var all []int32
	for _, r := range g.rows {
		for _, c := range r {
			all = append(all, c.right)
		}
	}
	slices.Sort(all)
	all = slices.CompactFunc(all, func(a, b int32) bool { return max(a-b, b-a) < nearEdge })
	for _, r := range g.rows {
		left := 0
		for i := range r {
			at, _ := slices.BinarySearch(all, r[i].right-nearEdge+1)
			r[i].cols = int32(max(at+1-left, 1)) //nolint:gosec // at most the table's edges
			left = max(at+1, left)
		}
	}
}

// spread puts each cell into its column.
func (g *grid) spread() [][]cell {
	width := 0
	for _, r := range g.rows {
		n := 0
		for _, c := range r {
			n += min(max(int(c.cols), 1), maxSpan)
		}
		width = max(width, n)
	}
	width = min(width, maxSpan)
	if width*len(g.rows) > maxSpread {
		width = 1
	}
	out := make([][]cell, len(g.rows))
	for i, r := range g.rows {
		for _, c := range r {
			at := len(out[i])
			if c.below && i > 0 && at < len(out[i-1]) && len(out[i-1][at].text) <= maxRepeat {
				c.text = strings.TrimSpace(out[i-1][at].text + " " + c.text)
			}
			n := min(max(int(c.cols), 1), max(width-at, 1))
			out[i] = append(out[i], c)
			for k := 1; k < n; k++ {
				out[i] = append(out[i], cell{cols: int32(-k)}) //nolint:gosec // at most maxSpan
			}
		}
	}
	return out
}

// head returns how many rows at the top are no rows of the body. A first row
// that is one cell over the whole width is the table's title.
func (g *grid) head(rows [][]cell) int {
	top := min(g.header, len(rows), maxHeads)
	for _, r := range rows[:top] {
		for _, c := range r {
			if len(c.text) > maxHead {
				return 0
			}
		}
	}
	if top == 1 && !g.marked && form2(rows) {
		top = 0
	}
	if len(rows) > 2 && top <= 1 && (top == 1 || g.guess) && titled(rows) {
		if g.title == "" {
			g.title = rows[0][0].text
			if named(rows[1:]) {
				return 2
			}
			return 1
		}
	}
	if top == 0 && g.guess && named(rows) {
		top = 1
	}
	for _, r := range rows[top:] {
		if len(texts(r)) > 0 {
			return top
		}
	}
	return 0 // a header over nothing is the table
}

func titled(rows [][]cell) bool {
	first := rows[0]
	if len(first) < 2 || len(first) < len(rows[1]) || first[0].text == "" {
		return false
	}
	return int(first[0].cols) >= len(first)
}

// maxName is how many characters a column's name has at most.
const maxName = 60

// named reports whether the first of the rows may name the columns: each has a
// short name that no other has and that is no value, but for the corner. A form
// of two columns has labels on the left instead.
func named(rows [][]cell) bool {
	if len(rows) < 2 || len(rows[0]) < 2 || form2(rows) {
		return false
	}
	seen := map[string]bool{}
	for i, c := range rows[0] {
		if c.cols < 0 || c.text == "" && i == 0 {
			continue
		}
		if c.text == "" || seen[c.text] || value(c.text) || utf8.RuneCountInString(c.text) > maxName {
			return false
		}
		seen[c.text] = true
	}
	return len(rows[0]) >= len(rows[1]) && len(seen) > 0
}

// form2 reports whether a table of two columns is a form: most of its first
// column are labels that end with a colon.
func form2(rows [][]cell) bool {
	labels := 0
	for _, r := range rows {
		if len(r) > 2 {
			return false
		}
		if len(r) > 0 && strings.HasSuffix(r[0].text, ":") {
			labels++
		}
	}
	return 2*labels > len(rows)
}

// value reports whether a cell holds a number, a date or an amount.
func value(s string) bool {
	digits, letters := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return digits > 0 && letters <= max(3, digits)
}

// names returns the columns' names: those of several header rows one after the
// other.
func (g *grid) names(rows [][]cell) []string {
	if len(rows) > 1 && titled(append(rows[:1:1], rows[1])) && g.title == rows[0][0].text || len(rows) == 1 && g.title != "" && titledAlone(rows[0], g.title) {
		rows = rows[1:]
	}
	var out []string
	for _, r := range rows {
		over := ""
		for i, c := range r {
			if i == len(out) {
				out = append(out, "")
			}
			if c.cols >= 0 {
				over = c.text
			}
			switch {
			case over == "" || out[i] == over || strings.HasSuffix(out[i], " / "+over):
			case out[i] == "":
				out[i] = over
			default:
				out[i] += " / " + over
			}
		}
	}
	for _, name := range out {
		if name != "" {
			return out
		}
	}
	return nil
}

func titledAlone(row []cell, title string) bool {
	return len(row) > 1 && int(row[0].cols) >= len(row) && row[0].text == title
}

// texts returns what is in the cells of a row, without those that are empty at
// its end.
func texts(row []cell) []string {
	n := len(row)
	for n > 0 && row[n-1].text == "" {
		n--
	}
	if n == 0 {
		return nil
	}
	out := make([]string, n)
	for i, c := range row[:n] {
		out[i] = c.text
	}
	return out
}
