package pdf

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
)

// A run is words on one line without a wide gap between two.
type run struct {
	box
	words []*word
	size  float64
}

// runs makes runs of a page's words, in the file's order. A run stays in that
// order for good: it is the order of reading, also from right to left.
func runs(ws []*word) []*run {
	var out []*run
	for i, w := range ws {
		if i > 0 && !w.broke && follows(ws[i-1], w) {
			last := out[len(out)-1]
			last.words, last.box = append(last.words, w), last.and(w.box)
			last.size = max(last.size, w.size)
			continue
		}
		out = append(out, &run{box: w.box, words: []*word{w}, size: w.size})
	}
	return out
}

// follows reports whether w stands right beside v, on either side.
func follows(v, w *word) bool {
	gap := max(w.x0-v.x1, v.x0-w.x1)
	return gap <= 0.7*max(v.size, w.size) && level(v.box, w.box)
}

// level reports whether two boxes are on one line: the lower one's middle may
// be a raised mark's.
func level(a, b box) bool {
	return min(a.y1, b.y1)-max(a.y0, b.y0) >= 0.5*min(a.h(), b.h())
}

// A line is what is read from one side of a column to the other.
type line struct {
	box
	words  []*word
	size   float64 // of most of its characters
	weight int
	page   int
	text   string
	soft   bool // ends in a hyphen that may be one of line breaking
}

// linesOf makes lines of runs that stand in one column, from top to bottom.
func linesOf(rs []*run, page int) []*line {
	rows := rowsOf(rs, func(r *run) box { return r.box })
	out := make([]*line, 0, len(rows))
	for _, row := range rows {
		out = append(out, lineOf(row, page))
	}
	return out
}

// rowsOf clusters things that are on one line, from top to bottom. The first
// of a row is what the others are measured by, so that a row cannot creep down
// the page.
func rowsOf[T any](things []T, at func(T) box) [][]T {
	sorted := slices.Clone(things)
	slices.SortStableFunc(sorted, func(a, b T) int { return cmp.Compare(at(a).cy(), at(b).cy()) })
	var rows [][]T
	for _, t := range sorted {
		if n := len(rows); n > 0 {
			tallest := at(rows[n-1][0])
			for _, o := range rows[n-1] {
				if at(o).h() > tallest.h() {
					tallest = at(o)
				}
			}
			if level(tallest, at(t)) {
				rows[n-1] = append(rows[n-1], t)
				continue
			}
		}
		rows = append(rows, []T{t})
	}
	return rows
}

// lineOf joins the runs of one line.
func lineOf(rs []*run, page int) *line {
	rtl := rightToLeft(rs)
	slices.SortStableFunc(rs, func(a, b *run) int {
		if rtl {
			return cmp.Compare(b.x1, a.x1)
		}
		return cmp.Compare(a.x0, b.x0)
	})
	l := &line{box: rs[0].box, page: page}
	for _, r := range rs {
		l.box = l.and(r.box)
		l.words = append(l.words, r.words...)
	}
	l.measure()
	l.text = l.join()
	l.soft = l.words[len(l.words)-1].soft
	return l
}

// measure finds the size and weight of most of a line.
func (l *line) measure() {
	sizes, weights := map[float64]int{}, map[int]int{}
	for _, w := range l.words {
		sizes[w.size] += w.chars
		weights[w.weight] += w.chars
	}
	l.size, l.weight = most(sizes), most(weights)
}

// most returns the key with the highest count, of equals the greatest.
func most[K cmp.Ordered](m map[K]int) (best K) {
	top := -1
	for k, n := range m {
		if n > top || n == top && k > best {
			best, top = k, n
		}
	}
	return best
}

// join writes the words of a line, raised digits as such: "see 10²" and a
// note's mark must not read as "see 102".
func (l *line) join() string {
	var b strings.Builder
	for i, w := range l.words {
		text := w.text
		if raised := l.raised(w); raised {
			text = superscript(text)
		}
		if i > 0 && l.spaced(l.words[i-1], w) {
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	return b.String()
}

// raised reports whether a word is set smaller and higher than its line.
func (l *line) raised(w *word) bool {
	return w.size < 0.85*l.size && w.y1 < l.y1-0.2*l.size && w.cy() < l.cy() && len(l.words) > 1
}

// spaced reports whether a space is between two words of a line: not before a
// raised mark that touches its word.
func (l *line) spaced(v, w *word) bool {
	gap := max(w.x0-v.x1, v.x0-w.x1)
	if strings.HasPrefix(w.text, "\u2044") { // the bar of a fraction
		return false
	}
	if l.raised(v) && gap <= 0.12*l.size {
		return false
	}
	return gap > 0.12*l.size || w.size > 0.85*l.size
}

// superscript writes digits as raised ones.
func superscript(s string) string {
	const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹"
	for _, c := range s {
		if c < '0' || c > '9' {
			return s
		}
	}
	var b strings.Builder
	for _, c := range s {
		b.WriteRune([]rune(digits)[c-'0'])
	}
	return b.String()
}

// rightToLeft reports whether most of a line is read from the right.
func rightToLeft(rs []*run) bool {
	balance := 0
	for _, r := range rs {
		for _, w := range r.words {
			for _, c := range w.text {
				p, _ := bidi.LookupRune(c)
				switch p.Class() {
				case bidi.R, bidi.AL:
					balance++
				case bidi.L:
					balance--
				}
			}
		}
	}
	return balance > 0
}

// glue joins the end of one line and the beginning of the next.
func glue(a, b string) string {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	if a == "" || b == "" || ideographic(last) && ideographic(first) {
		return a + b
	}
	return a + " " + b
}

// ideographic reports whether a script sets no spaces between words.
func ideographic(c rune) bool {
	return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) || c >= 0x3000 && c <= 0x303F || c >= 0xFF00 && c <= 0xFFEF
}
