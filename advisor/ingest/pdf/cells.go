package pdf

import (
	"slices"
	"strings"
)

// fill makes the table of the words inside a grid. The words that are left over
// are not in it.
func (g *grid) fill(ws []*word, page int, v vocabulary) (t *table, rest []*word) {
	rows, cols := len(g.ys)-1, len(g.xs)-1
	cells := make([][][]*word, rows)
	for i := range cells {
		cells[i] = make([][]*word, cols)
	}
	n := 0
	g.part(ws)
	for _, w := range ws {
		i, j := between(g.ys, w.cy()), between(g.xs, w.cx())
		if i < 0 || j < 0 {
			rest = append(rest, w)
			continue
		}
		i, j = g.home(i, j)
		cells[i][j] = append(cells[i][j], w)
		n++
	}
	if n == 0 {
		return nil, ws
	}
	if !g.filled(cells) {
		return nil, ws
	}
	t = &table{box: g.box, page: page, edges: g.xs, ruled: true}
	for i := range rows {
		if several := g.split(cells[i], i, page, v); several != nil {
			t.rows = append(t.rows, several...)
			continue
		}
		r := row{cells: make([]string, cols)}
		weights := map[int]int{}
		for j := range cols {
			hi, hj := g.home(i, j)
			if hi == i && hj != j && !g.first(i) {
				continue // the cell is over several columns; its text is in the first
			}
			r.open = r.open || hj != j
			r.cells[j] = cellText(cells[hi][hj], page, v)
			for _, w := range cells[hi][hj] {
				weights[w.weight] += w.chars
			}
		}
		r.weight = most(weights)
		if slices.ContainsFunc(r.cells, func(s string) bool { return s != "" }) {
			t.rows = append(t.rows, r)
		}
	}
	return t, rest
}

// part finds the cells that only white space divides: where no line is drawn
// between two, and each has a text of its own that keeps to it.
func (g *grid) part(ws []*word) {
	g.apart, g.below = map[[2]int]bool{}, map[[2]int]bool{}
	type cell struct {
		has, crossed bool
		text         string
	}
	cells := map[[2]int]cell{}
	for _, r := range runs(ws) {
		i := between(g.ys, r.cy())
		from, to := between(g.xs, r.x0+1), between(g.xs, r.x1-1)
		if i < 0 || from < 0 || to < 0 {
			continue
		}
		for j := from; j <= to; j++ {
			c := cells[[2]int{i, j}]
			c.has, c.crossed, c.text = true, c.crossed || j > from, c.text+joined(r.words)
			cells[[2]int{i, j}] = c
		}
	}
	for at, c := range cells {
		if before := cells[[2]int{at[0], at[1] - 1}]; c.has && !c.crossed && before.has {
			g.apart[at] = true
		}
		if above := cells[[2]int{at[0] - 1, at[1]}]; figure(c.text) && figure(above.text) { // numbers below each other are never one
			g.below[at] = true
		}
	}
}

// filled reports whether the cells hold what a table does: text side by side in
// most of the rows. A drawing's boxes do not.
func (g *grid) filled(cells [][][]*word) bool {
	rows, wide := 0, 0
	for i := range cells {
		n := 0
		for j := range cells[i] {
			if hi, hj := g.home(i, j); len(cells[hi][hj]) > 0 && hj == j {
				n++
			}
		}
		if n > 0 {
			rows++
		}
		if n > 1 {
			wide++
		}
	}
	return wide > 1 && wide*2 >= rows
}

// split makes rows of what stands between two lines of a table that draws none
// between its rows. Where only one cell goes on in a line, that line is the rest
// of the row before; where cells hold running text, there is only one row.
func (g *grid) split(cells [][]*word, i, page int, v vocabulary) []row {
	type piece struct {
		box
		col  int
		line *line
	}
	var pieces []piece
	used, prose := 0, 0
	for j, ws := range cells {
		if hi, hj := g.home(i, j); hi != i {
			return nil
		} else if hj != j || len(ws) == 0 {
			continue
		}
		used++
		ls := linesOf(runs(ws), page)
		if len(ls) > 1 && len(ws) >= 4*len(ls) && !numeric(ls) {
			prose++
		}
		for _, l := range ls {
			pieces = append(pieces, piece{l.box, j, l})
		}
	}
	rows := rowsOf(pieces, func(p piece) box { return p.box })
	wide := 0
	for _, r := range rows {
		if len(r)*10 >= used*6 {
			wide++
		}
	}
	if used < 2 || len(rows) < 2 || wide*10 < len(rows)*6 || prose > 0 && used < 3 {
		return nil
	}
	var out []row
	for _, ps := range rows {
		n := len(out)
		if n > 0 && len(ps) == 1 {
			at := &out[n-1].cells[ps[0].col]
			*at = v.join(*at, ps[0].line.text)
			continue
		}
		r := row{cells: make([]string, len(cells))}
		weights := map[int]int{}
		for _, p := range ps {
			r.cells[p.col] = p.line.text
			weights[p.line.weight] += len(p.line.text)
		}
		r.weight = most(weights)
		out = append(out, r)
	}
	return out
}

// numeric reports whether most lines hold a number.
func numeric(ls []*line) bool {
	n := 0
	for _, l := range ls {
		if strings.ContainsAny(l.text, "0123456789") {
			n++
		}
	}
	return n*2 > len(ls)
}

// first reports whether a row is at the top, where a cell over several columns
// is the name of all of them.
func (g *grid) first(i int) bool { return i == 0 }

// cellText reads the words of a cell, its lines joined.
func cellText(ws []*word, page int, v vocabulary) string {
	if len(ws) == 0 {
		return ""
	}
	out := ""
	for i, l := range linesOf(runs(ws), page) {
		if i == 0 {
			out = l.text
			continue
		}
		out = v.join(out, l.text)
	}
	return out
}
