package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// edgeShare is how much of a page's height, at its top and at its foot, can be
// header and footer.
const edgeShare = 0.13

// A margin is a line at the edge of a page that may repeat on others.
type margin struct {
	runs []*run
	key  string // its text with numbers as "#"
	y    float64
	text string
}

// margins takes the headers and footers off the sheets. What is one shows only
// from page to page: the same words, but for numbers, at the same height.
func (r *reading) margins(sheets []*sheet) {
	seen := map[string][]*margin{}
	by := make([][]*margin, len(sheets))
	for i, s := range sheets {
		by[i] = s.edges()
		for _, m := range by[i] {
			seen[m.key] = append(seen[m.key], m)
		}
	}
	named := map[string]bool{}
	for i, s := range sheets {
		for _, m := range by[i] {
			if !repeats(m, seen[m.key], len(sheets)) {
				continue
			}
			s.drop(m.runs)
			if !named[m.key] {
				named[m.key] = true
				r.doc.Margins = append(r.doc.Margins, m.text)
			}
		}
	}
}

// repeats reports whether a line is on several pages at the same height. In a
// long document three are wanted: two can have the same heading. A number that
// stands alone at the edge is the page's.
func repeats(m *margin, all []*margin, pages int) bool {
	n := 0
	for _, o := range all {
		if math.Abs(o.y-m.y) <= 6 {
			n++
		}
	}
	return n >= 2 && (n >= 3 || pages <= 5) || pages > 1 && m.key == "#"
}

// edges returns the lines at the top and the foot of a sheet that may be header
// or footer, and what is written across the page.
func (s *sheet) edges() []*margin {
	var out []*margin
	rows := rowsOf(s.runs, func(r *run) box { return r.box })
	for i, row := range rows {
		b := row[0].box
		for _, r := range row {
			b = b.and(r.box)
		}
		inside := slices.ContainsFunc(s.grids, func(g *grid) bool { return g.holds(b) })
		top, foot := b.y1 <= s.page.h*edgeShare, b.y0 >= s.page.h*(1-edgeShare)
		outermost := (i == 0 && b.y1 <= s.page.h/4) || (i == len(rows)-1 && b.y0 >= s.page.h*0.75)
		if inside || !top && !foot && !outermost || tableTop(rows, i) {
			continue
		}
		out = append(out, marginOf(row, b.y0))
	}
	for turn, rs := range s.side {
		for _, row := range rowsOf(rs, func(r *run) box { return r.box }) {
			m := marginOf(row, row[0].y0)
			m.key += string(rune('0' + turn))
			out = append(out, m)
		}
	}
	return out
}

// tableTop reports whether a row has the columns of the next one: the names
// over a table that goes on from page to page repeat too, and are no header.
func tableTop(rows [][]*run, i int) bool {
	if len(rows[i]) < 3 || i+1 >= len(rows) {
		return false
	}
	same := 0
	for _, a := range rows[i] {
		for _, b := range rows[i+1] {
			if math.Abs(a.x0-b.x0) < 4 || math.Abs(a.x1-b.x1) < 4 {
				same++
				break
			}
		}
	}
	return same >= 2
}

func marginOf(row []*run, y float64) *margin {
	l := lineOf(row, 0)
	return &margin{runs: row, key: numberless(l.text), y: y, text: l.text}
}

// numberless writes each number as "#", and a roman page number that stands
// alone.
func numberless(s string) string {
	var b strings.Builder
	digits := false
	for _, c := range strings.ToLower(s) {
		if unicode.IsDigit(c) {
			if !digits {
				b.WriteByte('#')
			}
			digits = true
			continue
		}
		digits = false
		b.WriteRune(c)
	}
	key := strings.TrimSpace(b.String())
	if len(key) <= 6 && strings.Trim(key, "ivxl") == "" {
		return "#"
	}
	return key
}
