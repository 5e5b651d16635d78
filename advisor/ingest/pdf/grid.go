package pdf

import (
	"slices"
)

// near is how far two lines of one grid may miss each other, in points.
const near = 3

// A grid is the lines of one ruled table.
type grid struct {
	box
	level, upright []box
	xs, ys         []float64
}

// grids finds the tables that lines are drawn around: at least two rows and
// two columns.
func (p *page) grids() []*grid {
	rules := slices.DeleteFunc(slices.Clone(p.rules), func(b box) bool {
		return b.w() <= near && b.h() <= near || b.x1 < 0 || b.y1 < 0 || b.x0 > p.w || b.y0 > p.h
	})
	if len(rules) < 5 || len(rules) > maxStrokes {
		return nil
	}
	slices.SortFunc(rules, func(a, b box) int { return int(a.y0*8) - int(b.y0*8) })
	group := make([]int, len(rules))
	for i := range group {
		group[i] = i
	}
	var root func(i int) int
	root = func(i int) int {
		for group[i] != i {
			group[i] = group[group[i]]
			i = group[i]
		}
		return i
	}
	for i, a := range rules {
		for j := i + 1; j < len(rules) && rules[j].y0 <= a.y1+near; j++ {
			if b := rules[j]; b.x0 <= a.x1+near && a.x0 <= b.x1+near {
				group[root(j)] = root(i)
			}
		}
	}
	by := map[int]*grid{}
	var order []*grid
	for i, b := range rules {
		g := by[root(i)]
		if g == nil {
			g = &grid{box: b}
			by[root(i)], order = g, append(order, g)
		}
		g.box = g.and(b)
		if b.w() > b.h() {
			g.level = append(g.level, b)
		} else {
			g.upright = append(g.upright, b)
		}
	}
	return slices.DeleteFunc(order, func(g *grid) bool {
		for _, b := range g.upright {
			g.xs = append(g.xs, b.cx())
		}
		for _, b := range g.level {
			g.ys = append(g.ys, b.cy())
		}
		g.xs, g.ys = snap(g.xs), snap(g.ys)
		return len(g.xs) < 3 || len(g.ys) < 3
	})
}

// snap returns the places in xs, those near to each other once.
func snap(xs []float64) []float64 {
	slices.Sort(xs)
	var out []float64
	for _, x := range xs {
		if len(out) == 0 || x-out[len(out)-1] > near {
			out = append(out, x)
		}
	}
	return out
}

// between returns the index of the interval of edges that x lies in, or -1.
func between(edges []float64, x float64) int {
	for i := 1; i < len(edges); i++ {
		if x >= edges[i-1]-near/2 && x < edges[i] {
			return i - 1
		}
	}
	return -1
}

// fill makes the table of the words inside a grid. The words that are left over
// are not in it.
func (g *grid) fill(ws []*word, page int, v vocabulary) (t *table, rest []*word) {
	rows, cols := len(g.ys)-1, len(g.xs)-1
	cells := make([][][]*word, rows)
	for i := range cells {
		cells[i] = make([][]*word, cols)
	}
	n := 0
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
		if several := g.split(cells[i], i, page); several != nil {
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
// between its rows: where each cell has the same lines at the same heights.
func (g *grid) split(cells [][]*word, i, page int) []row {
	var all [][]*line
	for j, ws := range cells {
		if hi, hj := g.home(i, j); hi != i || hj != j || len(ws) == 0 {
			return nil
		}
		all = append(all, linesOf(runs(ws), page))
	}
	n := len(all[0])
	if n < 2 {
		return nil
	}
	out := make([]row, n)
	for k := range n {
		weights := map[int]int{}
		for _, ls := range all {
			if len(ls) != n || !level(ls[k].box, all[0][k].box) {
				return nil
			}
			out[k].cells = append(out[k].cells, ls[k].text)
			weights[ls[k].weight] += len(ls[k].text)
		}
		out[k].weight = most(weights)
	}
	return out
}

// first reports whether a row is at the top, where a cell over several columns
// is the name of all of them.
func (g *grid) first(i int) bool { return i == 0 }

// home returns the cell that (i, j) belongs to: itself, or where no line is
// drawn to its left or above, the cell there.
func (g *grid) home(i, j int) (int, int) {
	for j > 0 && !drawn(g.upright, g.xs[j], g.ys[i], g.ys[i+1], false) {
		j--
	}
	for i > 0 && !drawn(g.level, g.ys[i], g.xs[j], g.xs[j+1], true) {
		i--
	}
	return i, j
}

// drawn reports whether a line runs at a place, along more than half of the way
// from one point to the other.
func drawn(rules []box, at, from, to float64, level bool) bool {
	along := 0.0
	for _, b := range rules {
		c, lo, hi := b.cx(), b.y0, b.y1
		if level {
			c, lo, hi = b.cy(), b.x0, b.x1
		}
		if c >= at-near && c <= at+near {
			along += max(0, min(hi, to)-max(lo, from))
		}
	}
	return along*2 >= to-from
}

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
