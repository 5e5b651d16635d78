package office

import (
	"slices"
	"strings"

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
	top, title := g.head(rows)
	if title > 0 {
		g.title = strings.TrimPrefix(g.title+": "+rows[0][0].text, ": ")
	}
	header := names(rows[title:top])
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
	return compact(out)
}

// compact takes out the columns in which no row has a cell of its own.
func compact(rows [][]cell) [][]cell {
	var own []bool
	for _, r := range rows {
		for len(own) < len(r) {
			own = append(own, false)
		}
		for i, c := range r {
			own[i] = own[i] || c.cols >= 0
		}
	}
	if !slices.Contains(own, false) {
		return rows
	}
	for k, r := range rows {
		n := 0
		for i, c := range r {
			if own[i] {
				r[n] = c
				n++
			}
		}
		rows[k] = r[:n]
	}
	return rows
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
