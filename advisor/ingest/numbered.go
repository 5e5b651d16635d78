package ingest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"polaris/advisor/cite"
	"polaris/models"
)

// An openPara is a numbered paragraph that may still get others below it.
type openPara struct {
	node   int
	mark   string
	headed bool // its number stands in a heading
	titled bool // so far it is only a title; its text comes next
}

// A paraReader reads the blocks below one numbered section.
type paraReader struct {
	*textReader
	section int
	ref     cite.Ref
	paths   [][]string // of the marks, in order
	next    int        // the first mark that is not read yet
	open    []openPara
}

// numbered adds the blocks below a numbered section: paragraphs with numbers
// nest, others belong to the one before them or are counted.
func (r *textReader) numbered(bs []block, section int, ref cite.Ref) {
	base := 0
	for _, b := range bs {
		if b.kind == title && (base == 0 || b.level < base) {
			base = b.level
		}
	}
	var marks []mark
	for _, b := range bs {
		for k, m := range b.marks {
			depth := 0
			if b.kind == title && k == 0 {
				depth = b.level - base + 1
			}
			marks = append(marks, mark{m, depth})
		}
	}
	p := paraReader{textReader: r, section: section, ref: ref, paths: nestGiven(bs)}
	if p.paths == nil {
		p.paths = nest(marks, r.order)
	}
	for _, b := range bs {
		if len(b.marks) > 0 {
			p.marked(b)
		} else {
			p.unmarked(b)
		}
	}
}

// marked adds a paragraph for each of the numbers that a block begins with.
func (p *paraReader) marked(b block) {
	start := b.start
	for k := range b.marks {
		path := p.paths[p.next]
		p.next++
		end := b.ends[k]
		last := k == len(b.marks)-1
		if last {
			end = b.end
		}
		p.open = p.open[:min(len(path)-1, len(p.open))]
		n := node{ref: p.ref, kind: models.Paragraph, parent: p.section, start: start, end: end, page: b.page}
		if len(p.open) > 0 {
			n.parent = p.open[len(p.open)-1].node
		}
		for _, m := range path {
			n.ref.Paras += "(" + m + ")"
		}
		titled := last && (b.kind == title || isTitle(p.text[b.ends[k]:b.end]))
		if b.kind == title && last {
			n.title = cleanTitle(p.text[start:end])
		}
		rest := [][2]int{}
		if ps := pieces(p.text, n.start, n.end); len(ps) > 1 {
			n.end, rest = ps[0][1], ps[1:]
		}
		at := p.add(n)
		for _, q := range rest {
			p.add(node{ref: p.block(n.ref), kind: models.Paragraph, parent: at, start: q[0], end: q[1], page: b.page})
		}
		p.open = append(p.open, openPara{at, path[len(path)-1], b.kind == title, titled && len(rest) == 0})
		for start = end; start < b.end && p.text[start] == ' '; start++ {
		}
	}
}

// unmarked adds a block without a number of its own: it is the text of the title
// before it, or indented below a paragraph, or quoted by one, or it comes back
// from a list to what the list belongs to.
func (p *paraReader) unmarked(b block) {
	if len(p.open) == 0 {
		p.put(b, p.section, p.ref)
		return
	}
	top := &p.open[len(p.open)-1]
	n := &p.nodes[top.node]
	adjacent := top.node == len(p.nodes)-1 && b.end-n.start <= MaxPassage && b.kind != table
	list := b.indent >= 2 || b.kind == list && strings.HasSuffix(p.text[n.start:n.end], ":")
	if adjacent && (top.titled || list) {
		if top.titled && n.title == "" {
			n.title = cleanTitle(p.text[n.start:n.end])
		}
		top.titled = false
		n.end = b.end
		return
	}
	depth := len(p.open) - 1
	for i, o := range p.open {
		if o.headed {
			depth = max(depth, i+1)
		}
	}
	if strings.HasPrefix(p.text[b.start:b.end], "“") || strings.HasSuffix(p.text[n.start:n.end], ":") {
		depth = len(p.open)
	}
	if p.next < len(p.paths) {
		depth = max(depth, p.shared(p.paths[p.next]))
	}
	p.open = p.open[:depth]
	parent, ref := p.section, p.ref
	if depth > 0 {
		parent = p.open[depth-1].node
		ref = p.nodes[parent].ref
	}
	p.put(b, parent, ref)
}

// shared returns how many of the open paragraphs the next one lies in.
func (p *paraReader) shared(path []string) int {
	n := 0
	for n < len(p.open) && n < len(path)-1 && p.open[n].mark == path[n] {
		n++
	}
	return n
}

// isTitle reports whether what follows a number is the title of a paragraph
// whose text comes in the next block.
func isTitle(s string) bool {
	s = strings.TrimLeft(s, " 0123456789") // a footnote's number may stand before it
	first, _ := utf8.DecodeRuneInString(s)
	if s == "" || len(s) > 120 || !unicode.IsUpper(first) && !strings.HasPrefix(s, "“") || strings.Contains(s, "\n") {
		return false
	}
	if strings.HasSuffix(s, " .") {
		return true
	}
	for _, end := range []string{".", ";", ",", ":", "—", " or", " and", "?", "!"} {
		if strings.HasSuffix(s, end) {
			return false
		}
	}
	return true
}

// cleanTitle returns a title on one line, without the stray space that stands
// before its full stop in converted statutes.
func cleanTitle(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.TrimSpace(strings.TrimSuffix(s, " ."))
}
