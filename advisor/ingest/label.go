package ingest

import (
	"regexp"
	"strconv"
	"strings"

	"polaris/advisor/cite"
)

// A label is what a number that the file keeps apart from the text says.
type label struct {
	number string   // of a section of its own: "4.2", "4.2(a)"
	marks  []string // of a paragraph below one: "a"
	dots   bool     // written "1." or "a)"
	named  bool     // it says "Section" or "§"
}

var (
	sectionLabel = regexp.MustCompile(`^(§+\s*|(?i:section|sec\.?|article|rule|clause)\s+)?(\d{1,4}(?:\.\d{1,3})*[a-z]?)((?:\s?\([0-9A-Za-z]{1,5}\))*)[.:)]?$`)
	markLabel    = regexp.MustCompile(`^([0-9]{1,3}|[A-Za-z]{1,5})[.)]$`)
	markList     = regexp.MustCompile(`^(?:\([0-9A-Za-z]{1,5}\)){1,6}\.?$`)
)

// readLabel reads a number as Word shows it.
func readLabel(s string) label {
	if m := sectionLabel.FindStringSubmatch(s); m != nil {
		l := label{number: m[2] + strings.ReplaceAll(m[3], " ", ""), named: m[1] != ""}
		if !l.named && !strings.ContainsAny(l.number, ".(") && l.number[len(l.number)-1] <= '9' && len(l.number) <= 3 {
			l.marks, l.dots = []string{l.number}, true // a paragraph's too
		}
		return l
	}
	if m := markLabel.FindStringSubmatch(s); m != nil && cite.IsEnumerator(m[1]) {
		return label{marks: []string{m[1]}, dots: true}
	}
	if markList.MatchString(s) {
		var l label
		for m := range strings.SplitSeq(strings.Trim(s, "()."), ")(") {
			if !cite.IsEnumerator(m) {
				return label{}
			}
			l.marks = append(l.marks, m)
		}
		return l
	}
	return label{}
}

// sections decides which of the blocks that begin with a plain number are
// sections of the document, "4", and which are items of some list, "4.". A
// heading is a section. An item is one if it is counted together with one that
// has others below it which carry its number, "4.2", or if there is one count
// throughout the document that has numbered paragraphs below it.
func (b *builder) sections() {
	count, counts := b.oneCount(), b.counts()
	for i := range b.blocks {
		nb := &b.blocks[i]
		if nb.number == "" {
			continue
		}
		if plain := len(nb.marks) > 0; plain && nb.kind != title && !count && !counts[i] {
			nb.number = ""
			continue
		}
		nb.marks, nb.ends, nb.dots = nil, nil, false
	}
}

// openCounts is how many counts that were begun are looked at for what goes on
// with them.
const openCounts = 30

// counts returns which of the plain numbers belong to a count of sections: 1, 2,
// 3 at one depth, one of which leads others.
func (b *builder) counts() map[int]bool {
	type count struct {
		depth, last int
		members     []int
		leads       bool
	}
	var all []*count
	for i, nb := range b.blocks {
		n, err := strconv.Atoi(nb.number)
		if err != nil || len(nb.marks) == 0 {
			continue
		}
		var c *count
		for k := len(all) - 1; k >= max(0, len(all)-openCounts) && c == nil; k-- {
			if all[k].depth == nb.depth && all[k].last == n-1 {
				c = all[k]
			}
		}
		if c == nil {
			c = &count{depth: nb.depth}
			all = append(all, c)
		}
		c.last, c.members, c.leads = n, append(c.members, i), c.leads || b.leads(i)
	}
	out := map[int]bool{}
	for _, c := range all {
		for _, m := range c.members {
			out[m] = c.leads
		}
	}
	return out
}

// leads reports whether the next block with a number of a section carries the
// number of block i before a point.
func (b *builder) leads(i int) bool {
	for j := i + 1; j < len(b.blocks); j++ {
		if n := b.blocks[j].number; n != "" {
			return strings.HasPrefix(n, b.blocks[i].number+".") || strings.HasPrefix(n, b.blocks[i].number+"(")
		}
	}
	return false
}

// oneCount reports whether the plain numbers of the document's items rise from
// its beginning to its end, where no heading has numbers, and some of them have
// lettered paragraphs below them.
func (b *builder) oneCount() bool {
	last, below := 0, false
	for _, nb := range b.blocks {
		switch {
		case nb.number == "" && last > 0 && nb.depth > 1 && len(nb.marks) > 0:
			below = true
		case nb.number == "":
		case nb.kind == title || len(nb.marks) == 0:
			return false
		case nb.depth > 1:
			below = below || last > 0
		default:
			n, err := strconv.Atoi(nb.number)
			if err != nil || n != last+1 {
				return false
			}
			last = n
		}
	}
	return last > 1 && below
}
