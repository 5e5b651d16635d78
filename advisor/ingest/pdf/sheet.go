package pdf

import "slices"

// A sheet is a page on its way to blocks.
type sheet struct {
	page  *page
	runs  []*run         // as most of the page is turned
	side  map[int][]*run // what is turned otherwise, by its turn
	grids []*grid
}

// sheetOf turns a page so that most of its text is level. Text that stands
// across it is kept apart.
func sheetOf(p *page) *sheet {
	turns := map[int]int{}
	for _, w := range p.words {
		turns[w.turn] += w.chars
	}
	main := 0
	for t := range 4 {
		if turns[t] > turns[main] {
			main = t
		}
	}
	s := &sheet{page: p, side: map[int][]*run{}}
	by := map[int][]*word{}
	for _, w := range p.words {
		w.box = w.upright(w.turn, p.w, p.h)
		by[w.turn] = append(by[w.turn], w)
	}
	for t, ws := range by {
		if t == main {
			s.runs = runs(ws)
		} else {
			s.side[t] = runs(ws)
		}
	}
	for i := range p.rules {
		p.rules[i] = p.rules[i].upright(main, p.w, p.h)
	}
	if main%2 == 1 {
		p.w, p.h = p.h, p.w
	}
	s.grids = p.grids()
	return s
}

// drop takes runs off the sheet.
func (s *sheet) drop(rs []*run) {
	gone := func(r *run) bool { return slices.Contains(rs, r) }
	s.runs = slices.DeleteFunc(s.runs, gone)
	for t := range s.side {
		s.side[t] = slices.DeleteFunc(s.side[t], gone)
	}
}

// tables takes the ruled tables off the sheet.
func (s *sheet) tables(v vocabulary, body int) []*table {
	var out []*table
	for _, g := range s.grids {
		var in []*word
		var rest []*run
		for _, r := range s.runs {
			if r.y1 < g.y0 || r.y0 > g.y1 || r.x1 < g.x0 || r.x0 > g.x1 {
				rest = append(rest, r)
				continue
			}
			in = append(in, r.words...)
		}
		t, left := g.fill(in, s.page.number, v)
		if t == nil || len(t.rows) < 2 {
			continue
		}
		s.runs = slices.Concat(rest, runs(left))
		t.sealed(body)
		out = append(out, t)
	}
	return out
}
