package pdf

import "slices"

// near is how far two lines of one grid may miss each other, in points.
const near = 3

// A grid is the lines of one ruled table.
type grid struct {
	box
	level, upright []box
	xs, ys         []float64
	apart          map[[2]int]bool // cells that no line parts from the one before, but their text does
	below          map[[2]int]bool // the same of the one above
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
	root := func(i int) int {
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

// home returns the cell that (i, j) belongs to: itself, or where no line is
// drawn to its left or above, the cell there.
func (g *grid) home(i, j int) (int, int) {
	for j > 0 && !g.apart[[2]int{i, j}] && !drawn(g.upright, g.xs[j], g.ys[i], g.ys[i+1], false) {
		j--
	}
	for i > 0 && !g.below[[2]int{i, j}] && !drawn(g.level, g.ys[i], g.xs[j], g.xs[j+1], true) {
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
