package home

import (
	"strconv"
)

// A Chart is the answers of some days in a row, drawn as bars and written out
// as a table.
type Chart struct {
	Title string // "Answers by day"
	Says  string // the chart in one sentence, for who does not see it
	Days  []Day
}

// A Day is one bar. Its parts stand on each other.
type Day struct {
	Label                       string // "30 Nov"
	Passed, Disclaimed, Blocked int
	URL                         string // of the answers of that day
}

// The chart's own units. The page scales them, and keeps their proportion, so
// that nothing moves when it is drawn.
const (
	chartHigh = 90
	barStep   = 20
	barWide   = 14
)

func (c Chart) total() (n int) {
	for _, d := range c.Days {
		n += d.total()
	}
	return n
}

func (d Day) total() int { return d.Passed + d.Disclaimed + d.Blocked }

func (c Chart) most() (n int) {
	for _, d := range c.Days {
		n = max(n, d.total())
	}
	return n
}

func (c Chart) viewBox() string {
	return "0 0 " + strconv.Itoa(max(1, len(c.Days))*barStep) + " " + strconv.Itoa(chartHigh)
}

// A bar is one rectangle.
type bar struct{ class, x, y, wide, high string }

// bars stacks each day's parts from the ground. What there is any of is seen.
func (c Chart) bars() []bar {
	var all []bar
	most := c.most()
	if most == 0 {
		return nil
	}
	for i, d := range c.Days {
		ground := chartHigh
		for _, part := range []struct {
			n     int
			class string
		}{{d.Passed, "bar-pass"}, {d.Disclaimed, "bar-disclaim"}, {d.Blocked, "bar-block"}} {
			if part.n == 0 {
				continue
			}
			high := max(2, part.n*(chartHigh-6)/most)
			ground -= high
			all = append(all, bar{part.class, strconv.Itoa(i*barStep + (barStep-barWide)/2), strconv.Itoa(ground), strconv.Itoa(barWide), strconv.Itoa(high)})
		}
	}
	return all
}
