package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A para is lines that belong together.
type para struct {
	lines  []*line
	column box
	rtl    bool
	page   int
	size   float64
	weight int
	label  string // the mark or number that it begins with
	text   string
	note   string // its mark, where it is a note
	more   bool   // small print without a mark, before the first note: the rest of one
	full   bool   // its last line reaches the end of the column
	indent float64
}

// begin and end are the places of a box in the direction of reading.
func begin(b box, rtl bool) float64 {
	if rtl {
		return -b.x1
	}
	return b.x0
}

func end(b box, rtl bool) float64 {
	if rtl {
		return -b.x0
	}
	return b.x1
}

// paras joins the lines of a column into paragraphs.
func paras(lines []*line, rtl bool, v vocabulary) []*para {
	if len(lines) == 0 {
		return nil
	}
	col := lines[0].box
	for _, l := range lines {
		col = col.and(l.box)
	}
	steps := pitches(lines)
	var out []*para
	var now *para
	for i, l := range lines {
		if i == 0 || breaks(now, lines[i-1], l, steps, rtl) {
			now = &para{
				column: col, rtl: rtl, page: l.page, size: l.size, weight: l.weight, label: label(l.text),
				text: l.text, indent: begin(l.box, rtl) - begin(col, rtl),
			}
			out = append(out, now)
		} else {
			now.text = v.join(now.text, l.text)
		}
		now.lines = append(now.lines, l)
		now.weight = weightOf(now.lines)
		now.full = end(l.box, rtl) >= end(col, rtl)-1.5*l.size
	}
	return out
}

// weightOf returns the weight of most of the characters of some lines.
func weightOf(ls []*line) int {
	weights := map[int]int{}
	for _, l := range ls {
		for _, w := range l.words {
			weights[w.weight] += w.chars
		}
	}
	return most(weights)
}

// pitches returns the usual distance from line to line, by their size.
func pitches(lines []*line) map[int]float64 {
	all := map[int][]float64{}
	for i := 1; i < len(lines); i++ {
		a, b := lines[i-1], lines[i]
		if d := b.y1 - a.y1; math.Abs(a.size-b.size) < 0.6 && d > 0.5*a.size && d < 2.6*a.size {
			all[int(a.size*2)] = append(all[int(a.size*2)], d)
		}
	}
	out := map[int]float64{}
	for k, ds := range all {
		slices.Sort(ds)
		out[k] = ds[len(ds)/2]
		if len(ds) < 4 { // too few to know: the closest is within a paragraph
			out[k] = ds[0]
		}
	}
	return out
}

// breaks reports whether line b, after a, begins a new paragraph.
func breaks(p *para, a, b *line, steps map[int]float64, rtl bool) bool {
	col, em := p.column, b.size
	if !sameSize(a, b) || bolder(a.weight, b.weight) && turns(a, b) {
		return true
	}
	step := steps[int(a.size*2)]
	if step == 0 {
		step = 1.25 * em
	}
	if gap := b.y1 - a.y1; gap > 1.3*step+0.5 || gap < 0 {
		return true
	}
	if label(b.text) != "" && !strings.HasSuffix(a.text, "-") && (sentenceEnds(a.text) || label(p.text) != "" && begin(b.box, rtl) <= begin(p.lines[0].box, rtl)+0.5*em || begin(b.box, rtl) > begin(a.box, rtl)+0.7*em) {
		return true
	}
	sa, sb := begin(a.box, rtl), begin(b.box, rtl)
	switch {
	case len(p.lines) > 1 && sb-sa > 0.8*em && sb-sa < 8*em && sb-begin(col, rtl) < 8*em: // the first line of a paragraph is indented
		return true
	case len(p.lines) > 1 && sa-sb > 0.8*em && sa-begin(p.lines[0].box, rtl) > 0.8*em: // the first of a hanging one is not
		return true
	case len(p.lines) == 1 && sb-sa > 0.8*em && p.label == "" && sentenceEnds(a.text):
		return true
	}
	room := end(col, rtl) - end(a.box, rtl)
	fits := room > b.words[0].w()+0.8*em
	centred := math.Abs(a.cx()-col.cx()) < 0.03*col.w() && math.Abs(b.cx()-col.cx()) < 0.03*col.w()
	return fits && (sentenceEnds(a.text) || !centred && a.w() < 0.6*col.w())
}

// sameSize reports whether two lines are set alike: small capitals inside one
// are no reason to part them.
func sameSize(a, b *line) bool {
	for _, v := range a.words {
		for _, w := range b.words {
			if math.Abs(v.size-w.size) <= 0.06*max(a.size, b.size) && v.size >= 0.9*min(a.size, b.size) {
				return true
			}
		}
	}
	return false
}

// turns reports whether the weight changes between two lines and not inside one
// of them, as it does after a bold word that a paragraph begins with.
func turns(a, b *line) bool {
	return a.words[len(a.words)-1].weight == a.weight && b.words[0].weight == b.weight
}

// bolder reports whether two weights are told apart by a reader.
func bolder(a, b int) bool {
	return float64(max(a, b)) >= 1.25*float64(min(a, b)) && max(a, b) >= 550
}

// sentenceEnds reports whether text ends as a sentence, or with a colon.
func sentenceEnds(s string) bool {
	s = strings.TrimRight(s, `"'”’»)]⁰¹²³⁴⁵⁶⁷⁸⁹ `)
	c, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?:;。！？：؟۔", c)
}

// goesOn reports whether n is the rest of p, on the next column or page.
func (p *para) goesOn(n *para) bool {
	if n.label != "" || math.Abs(p.size-n.size) > 0.08*p.size || bolder(p.weight, n.weight) || sentenceEnds(p.text) {
		return false
	}
	c, _ := utf8.DecodeRuneInString(n.text)
	return unicode.IsLower(c) || strings.HasSuffix(p.text, "-") || p.full && (unicode.IsLetter(c) || unicode.IsDigit(c)) && n.indent < 0.8*n.size
}
