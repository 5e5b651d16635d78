package pdf

import (
	"cmp"
	"slices"
)

// An item is something that has its place on a page: a run of words, or a
// table that was found already.
type item struct {
	box
	run   *run
	table *table
}

// A zone is a part of the page that is read from top to bottom: one column, or
// a table whose columns are told by the space between them.
type zone struct {
	items   []item
	gutters []box // of a table; nil: a column
}

const (
	maxColumnDepth = 5
	columnRows     = 3 // that a gutter is seen along, at least
)

// A layout finds the order in which the parts of a page are read.
type layout struct {
	gutter float64 // the least width of a space between columns
	rtl    bool    // columns are read from the right
}

// zones splits items into parts, in the order of reading: from top to bottom,
// and where a white space divides what is above one another into columns,
// column by column.
func (l layout) zones(items []item, depth int) []zone {
	if len(items) == 0 {
		return nil
	}
	if depth == maxColumnDepth {
		return []zone{{items: items}}
	}
	var out []zone
	for _, band := range l.bands(items) {
		split, gutters := band.items, l.valid(band)
		if len(gutters) == 0 {
			if n := len(out); n > 0 && out[n-1].gutters == nil {
				out[n-1].items = append(out[n-1].items, split...)
			} else {
				out = append(out, zone{items: split})
			}
			continue
		}
		columns := divide(split, gutters)
		if l.tabular(columns, gutters) {
			out = append(out, zone{items: split, gutters: gutters})
			continue
		}
		if l.rtl {
			slices.Reverse(columns)
		}
		for _, c := range columns {
			sub := l.zones(c, depth+1)
			out = append(out, sub...)
		}
		out = append(out, zone{}) // what follows is no part of the last column
	}
	return slices.DeleteFunc(out, func(z zone) bool { return len(z.items) == 0 })
}

// A band is rows of a page along which the same spaces stay white.
type band struct {
	items   []item
	rows    [][]item
	gutters []box
}

func bandOf(rows [][]item, gutters []box) band {
	return band{items: slices.Concat(rows...), rows: rows, gutters: gutters}
}

// bands goes down the rows and ends a band where no space is white all along.
func (l layout) bands(items []item) []band {
	edge := items[0].box
	for _, it := range items {
		edge = edge.and(it.box)
	}
	var out []band
	var now band
	for _, row := range rowsOf(items, func(i item) box { return i.box }) {
		free := l.free(row, edge)
		both := free
		if len(now.rows) > 0 {
			both = cross(now.gutters, free, l.gutter)
		}
		if len(now.rows) > 0 && l.ends(now, row, free, both) {
			out = append(out, now)
			now = band{}
			both = free
		}
		now.items, now.gutters, now.rows = append(now.items, row...), both, append(now.rows, row)
	}
	return l.settle(append(out, now), edge)
}

// ends reports whether a row is no part of a band: together they have no
// columns, where one of them has; or the row is a line over columns of a table
// that it has no share in, above them or below.
func (l layout) ends(now band, row []item, free, both []box) bool {
	all := append(slices.Clone(now.items), row...)
	left, right, together := inners(now.gutters, now.items), inners(free, row), inners(both, all)
	switch {
	case together == 0:
		return left > 0 || right > 0
	case left == 0:
		return right > together
	case len(row) == 1 && together < left:
		gutters := l.valid(now)
		return len(gutters) > together && l.tabular(divide(now.items, gutters), gutters)
	}
	return false
}

// settle gives each band the last rows of the one before that share its
// columns, where that one has none: a title's last line and the first line of a
// column leave a space between them by chance.
func (l layout) settle(bands []band, edge box) []band {
	for i := len(bands) - 1; i > 0; i-- {
		a, b := bands[i-1], bands[i]
		if len(l.valid(b)) == 0 || len(l.valid(a)) > 0 {
			continue
		}
		gutters, from := b.gutters, len(a.rows)
		best := gutters
		for j := len(a.rows) - 1; j >= 0; j-- {
			gutters = cross(gutters, l.free(a.rows[j], edge), l.gutter)
			if !inner(gutters, b.items) {
				break
			}
			if inner(gutters, a.rows[j]) {
				from, best = j, gutters
			}
		}
		bands[i] = bandOf(append(slices.Clone(a.rows[from:]), b.rows...), best)
		bands[i-1] = bandOf(a.rows[:from], l.white(a.rows[:from], edge))
	}
	return slices.DeleteFunc(bands, func(b band) bool { return len(b.rows) == 0 })
}

// white returns the spaces that are white in all rows.
func (l layout) white(rows [][]item, edge box) []box {
	var out []box
	for i, row := range rows {
		if out = cross(out, l.free(row, edge), l.gutter); i == 0 {
			out = l.free(row, edge)
		}
	}
	return out
}

// free returns the white spaces of a row, as boxes that are as high as edge.
func (l layout) free(row []item, edge box) []box {
	sorted := slices.Clone(row)
	slices.SortFunc(sorted, func(a, b item) int { return cmp.Compare(a.x0, b.x0) })
	var out []box
	x := edge.x0 - 1000
	for _, it := range sorted {
		if it.x0-x >= l.gutter {
			out = append(out, box{x, edge.y0, it.x0, edge.y1})
		}
		x = max(x, it.x1)
	}
	return append(out, box{x, edge.y0, edge.x1 + 1000, edge.y1})
}

// cross returns what is white in both.
func cross(a, b []box, least float64) []box {
	var out []box
	for _, x := range a {
		for _, y := range b {
			if z := (box{max(x.x0, y.x0), x.y0, min(x.x1, y.x1), x.y1}); z.w() >= least {
				out = append(out, z)
			}
		}
	}
	return out
}

// inner reports whether a space has something on both of its sides.
func inner(gutters []box, items []item) bool { return inners(gutters, items) > 0 }

// inners counts these spaces.
func inners(gutters []box, items []item) (n int) {
	for _, g := range gutters {
		if beside(g, items) {
			n++
		}
	}
	return n
}

func beside(g box, items []item) bool {
	left, right := false, false
	for _, it := range items {
		left = left || it.x1 <= g.x0+0.5
		right = right || it.x0 >= g.x1-0.5
	}
	return left && right
}
