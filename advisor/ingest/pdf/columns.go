package pdf

import (
	"cmp"
	"slices"
)

// valid returns the spaces of a band that divide columns: those with several
// lines on both sides, neither of which is only marks of a list.
func (l layout) valid(b band) []box {
	var gutters []box
	for _, g := range b.gutters {
		if beside(g, b.items) {
			gutters = append(gutters, g)
		}
	}
	slices.SortFunc(gutters, func(a, b box) int { return cmp.Compare(a.x0, b.x0) })
	for i := 0; i < len(gutters); {
		columns := divide(b.items, gutters)
		if thinColumn(columns[i], i == 0) || i == len(gutters)-1 && thinColumn(columns[i+1], false) {
			gutters = slices.Delete(gutters, i, i+1)
			continue
		}
		i++
	}
	return gutters
}

// thinColumn reports whether a column is too little to be one. Numbers like 4.2
// are marks only in the first: elsewhere they are a table's.
func thinColumn(items []item, first bool) bool {
	rows := rowsOf(items, func(i item) box { return i.box })
	if len(rows) < columnRows {
		return true
	}
	marks := 0
	for _, row := range rows {
		if len(row) == 1 && row[0].run != nil && len(row[0].run.words) == 1 && markOnly(row[0].run.words[0].text) && (first || !figure(row[0].run.words[0].text)) {
			marks++
		}
	}
	return marks*2 > len(rows)
}

// divide sorts items into the columns between gutters.
func divide(items []item, gutters []box) [][]item {
	out := make([][]item, len(gutters)+1)
	for _, it := range items {
		c := column(it.box, gutters)
		out[c] = append(out[c], it)
	}
	return out
}

func column(b box, gutters []box) int {
	c := 0
	for c < len(gutters) && b.cx() > gutters[c].cx() {
		c++
	}
	return c
}

// tabular reports whether what is between gutters are the columns of a table
// and not of running text: the rows are aligned, and the lines are short or do
// not fill their column.
func (l layout) tabular(columns [][]item, gutters []box) bool {
	prose, long, all := 0, 0, 0
	var every []item
	numbers := false
	for _, c := range columns {
		if slices.ContainsFunc(c, func(i item) bool { return i.table != nil }) {
			return false
		}
		every = append(every, c...)
		n := chars(c)
		all += n
		if fills(c) {
			prose += n
		}
		figures := 0
		for _, it := range c {
			if len(it.run.words) >= 4 {
				long += count(it.run.words)
			}
			if figure(joined(it.run.words)) {
				figures++
			}
		}
		numbers = numbers || figures*3 >= len(c)*2
	}
	if !numbers && (prose*10 >= all*6 || long*100 >= all*65) {
		return false
	}
	rows := rowsOf(every, func(i item) box { return i.box })
	several := 0
	for _, row := range rows {
		if len(occupied(row, gutters)) >= 2 {
			several++
		}
	}
	return several >= columnRows && several*2 >= len(rows)
}

// fills reports whether the lines of a column fill it, as running text does.
func fills(c []item) bool {
	width, full, words := extent(c), 0, 0
	rows := rowsOf(c, func(i item) box { return i.box })
	for _, row := range rows {
		if extent(row) >= 0.7*width {
			full++
		}
		for _, it := range row {
			words += len(it.run.words)
		}
	}
	return full*2 >= len(rows) && (words >= 3*len(rows) || chars(c) >= 14*len(rows))
}

func occupied(row []item, gutters []box) map[int]bool {
	out := map[int]bool{}
	for _, it := range row {
		out[column(it.box, gutters)] = true
	}
	return out
}

func extent(items []item) float64 {
	b := items[0].box
	for _, it := range items {
		b = b.and(it.box)
	}
	return b.w()
}

func chars(items []item) (n int) {
	for _, it := range items {
		if it.run != nil {
			n += count(it.run.words)
		}
	}
	return n
}
