package ingest

import (
	"slices"

	"polaris/advisor/cite"
)

// A style is a way of counting paragraphs.
type style uint8

const (
	smallLetter style = iota // a, b … z, aa
	digit                    // 1, 2
	capital                  // A, B
	smallRoman               // i, ii
	capitalRoman
	doubleLetter // aa, bb
)

// A reading is what an enumerator can be: "i" is the ninth letter or a one.
type reading struct {
	style style
	value int
}

func readings(e string) []reading {
	c := e[0]
	if c >= '0' && c <= '9' {
		n := 0
		for i := range len(e) {
			n = 10*n + int(e[i]-'0')
		}
		return []reading{{digit, n}}
	}
	lower := c >= 'a'
	letter, roman := capital, capitalRoman
	if lower {
		letter, roman = smallLetter, smallRoman
	}
	var rs []reading
	if same(e) {
		rs = append(rs, reading{letter, 26*(len(e)-1) + int(c|0x20-'a') + 1})
		if len(e) == 2 && lower {
			rs = append(rs, reading{doubleLetter, int(c-'a') + 1})
		}
	}
	if n := cite.Roman(e); n > 0 {
		rs = append(rs, reading{roman, n})
	}
	return rs
}

func same(e string) bool {
	for i := range len(e) {
		if e[i] != e[0] {
			return false
		}
	}
	return true
}

// A level is an open level of a numbered text.
type level struct {
	reading
	mark string
}

// A state is one way to have read the enumerators so far.
type state struct {
	open []level
	cost int
	prev *state
}

// What makes a reading unlikely. Sums decide, so only their order matters.
const (
	costOpen    = 1  // a new level, where a sibling fits as well
	costSkip    = 1  // a level of the usual order left out
	costGap     = 3  // a number left out: (c) after (a)
	costLate    = 6  // a level that does not begin at its beginning
	costOrder   = 8  // a level where the usual order has it higher
	costHeading = 5  // a heading at another depth than its like
	costBack    = 12 // a number that was there before
)

// beam is how many ways of reading are kept. What decides between two stands
// within a few paragraphs, so few are enough.
const beam = 12

// maxLevels bounds how deep paragraphs nest.
const maxLevels = 8

// A mark is one enumerator of a text, in order.
type mark struct {
	text  string
	depth int // of a heading, from 1; 0 if it is none or its depth says nothing
}

// nest finds the path of each of the enumerators that follow each other below
// one section. Whether (i) is the ninth letter or a one, and whether (A) belongs
// to the paragraph before it, follows from what comes before and after, so all of
// the likely readings are followed and the cheapest is taken. The order is the
// usual one of the levels, or nil where there is none.
func nest(marks []mark, order []style) [][]string {
	states := []*state{{}}
	for _, m := range marks {
		var next []*state
		for _, s := range states {
			next = s.extend(next, m, order)
		}
		slices.SortStableFunc(next, func(a, b *state) int { return a.cost - b.cost })
		states = next[:min(len(next), beam)]
	}
	paths := make([][]string, len(marks))
	for s, i := states[0], len(marks)-1; i >= 0; s, i = s.prev, i-1 {
		for _, l := range s.open {
			paths[i] = append(paths[i], l.mark)
		}
	}
	return paths
}

// nestGiven returns the paths of the marks of these blocks where the file itself
// says how deep each of them stands, else nil.
func nestGiven(bs []block) [][]string {
	type open struct {
		depth int
		mark  string
	}
	var at []open
	var paths [][]string
	for _, b := range bs {
		for k, m := range b.marks {
			if b.depth == 0 {
				return nil
			}
			depth := b.depth*maxLevels + k
			for len(at) > 0 && (at[len(at)-1].depth >= depth || len(at) >= maxLevels) {
				at = at[:len(at)-1]
			}
			at = append(at, open{depth, m})
			path := make([]string, len(at))
			for i, o := range at {
				path[i] = o.mark
			}
			paths = append(paths, path)
		}
	}
	return paths
}

// extend appends the ways of reading m after s.
func (s *state) extend(out []*state, m mark, order []style) []*state {
	before := len(out)
	for _, r := range readings(m.text) {
		opened := false
		for i, l := range s.open {
			opened = opened || l.style == r.style
			if l.style != r.style {
				continue
			}
			c := 0
			switch {
			case r.value <= l.value:
				c = costBack
			case r.value > l.value+1:
				c = costGap
			}
			if len(m.text) > 1 && r.value > l.value+1 && (r.style == smallLetter || r.style == capital) {
				c += costGap // "ii" is hardly ever the letters after "hh"
			}
			out = append(out, s.with(i, r, m, c))
		}
		if opened || len(s.open) >= maxLevels {
			continue
		}
		c := costOpen
		if r.value != 1 {
			c += costLate
		}
		out = append(out, s.with(len(s.open), r, m, c+orderCost(s.open, r.style, order)))
	}
	if len(out) == before { // too deep for another level: beside the last one
		out = append(out, s.with(len(s.open)-1, readings(m.text)[0], m, costBack))
	}
	return out
}

// orderCost is what it costs to open a level of a style below the open ones.
func orderCost(open []level, st style, order []style) int {
	if order == nil {
		return 0
	}
	above := -1
	if len(open) > 0 {
		above = slices.Index(order, open[len(open)-1].style)
	}
	at := slices.Index(order, st)
	if at <= above {
		return costOrder
	}
	return (at - above - 1) * costSkip
}

// with returns s after r was read at level i.
func (s *state) with(i int, r reading, m mark, cost int) *state {
	if i < 0 {
		i = 0
	}
	open := make([]level, i+1)
	copy(open, s.open[:min(i, len(s.open))])
	open[i] = level{r, m.text}
	if m.depth > 0 && m.depth != i+1 {
		cost += costHeading
	}
	return &state{open: open, cost: s.cost + cost, prev: s}
}

// The usual orders.
var (
	statuteOrder    = []style{smallLetter, digit, capital, smallRoman, capitalRoman, doubleLetter}
	regulationOrder = []style{smallLetter, digit, smallRoman, capital}
)
