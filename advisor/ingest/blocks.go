package ingest

import (
	"regexp"
	"strconv"
	"strings"

	"polaris/advisor/cite"
)

// A blockKind says what a run of lines is.
type blockKind uint8

const (
	paragraph blockKind = iota
	title               // a heading
	list                // the items of a list that is not numbered
	table
	code
)

// A block is a run of lines of a text, without the line ending after it.
type block struct {
	kind       blockKind
	start, end int      // of the text; a heading's are without its marks
	level      int      // of a heading, from 1
	indent     int      // of its first line, in columns
	marks      []string // numbers that it begins with: "3", "A" for (3)(A)
	ends       []int    // where each of them ends in the text
	dots       bool     // the number is written "1." as lists are

	// What only files know that keep it apart from the text.
	number string     // of a section: "4.2", "4.2(a)"; it stands at the start
	depth  int        // of a list's item, from 1
	page   int        // from 1
	rows   []tableRow // of a table, whose own span is its title and header
	locus  string     // what the table is called: "table 2", "Rates"
	path   string     // what it adds to the heading path of those below it
	key    string     // that the file gives itself
}

// A tableRow is one row of a table.
type tableRow struct {
	start, end int
	line, page int
}

// A scanner splits a text into blocks, line by line. It sees Markdown where there
// is some; in plain text the same rules find paragraphs and lists. Nothing nests
// here, so nothing can be nested too deeply.
type scanner struct {
	text   string
	plain  bool // headings have no marks
	pos    int
	blocks []block
	hidden int // comments that no reader sees
	tables int
}

// A line is a line of the text.
type textLine struct {
	start, end int // without the line ending
	indent     int
	body       string // without indentation and trailing space
}

func (s *scanner) peek(pos int) (l textLine, next int) {
	end := strings.IndexByte(s.text[pos:], '\n')
	if end < 0 {
		end = len(s.text)
		next = end
	} else {
		end += pos
		next = end + 1
	}
	l = textLine{start: pos, end: end}
	i := pos
	for ; i < end && (s.text[i] == ' ' || s.text[i] == '\t' || s.text[i] == '\f'); i++ {
		if l.indent++; s.text[i] == '\t' {
			l.indent += 3
		}
	}
	l.body = strings.TrimRight(s.text[i:end], " \t\f\v")
	if strings.Trim(l.body, "\u00a0 ") == "" {
		l.body = ""
	}
	l.start = i
	l.end = i + len(l.body)
	return l, next
}

var (
	atx       = regexp.MustCompile(`^(#{1,6})[ \t]+(.*?)[ \t]*#*$`)
	fence     = regexp.MustCompile("^(```+|~~~+)")
	rule      = regexp.MustCompile(`^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})$`)
	delimiter = regexp.MustCompile(`^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$`)
	bullet    = regexp.MustCompile(`^[-*+•‣◦][ \t]+`)
	dotted    = regexp.MustCompile(`^([0-9]{1,3}|[a-z]{1,4}|[A-Z]{1,2})([.)])[ \t]+`)
	setext    = regexp.MustCompile(`^(?:=+|-{2,})$`)
)

// scan fills blocks.
func (s *scanner) scan() {
	s.frontMatter()
	for s.pos < len(s.text) {
		l, next := s.peek(s.pos)
		switch {
		case l.body == "":
			s.pos = next
		case strings.HasPrefix(l.body, "<!--"):
			s.comment(l)
		case l.indent < 4 && fence.MatchString(l.body):
			s.fenced(l, next)
		case l.indent < 4 && !s.plain && atx.MatchString(l.body):
			m := atx.FindStringSubmatchIndex(l.body)
			s.blocks = append(s.blocks, s.marked(block{kind: title, start: l.start + m[4], end: l.start + m[5], level: m[3] - m[2]}))
			s.pos = next
		case l.indent < 4 && rule.MatchString(l.body):
			s.pos = next
		case strings.Contains(l.body, "|") && s.delimited(next):
			s.table(l, next)
		default:
			s.run(l, next)
		}
	}
}

// frontMatter skips the settings that some editors put first.
func (s *scanner) frontMatter() {
	l, next := s.peek(0)
	if l.body != "---" {
		return
	}
	for pos := next; pos < len(s.text) && pos < 8<<10; {
		if l, pos = s.peek(pos); l.body == "---" || l.body == "..." {
			s.pos = pos
			return
		}
	}
}

// comment skips what no reader of the document sees.
func (s *scanner) comment(l textLine) {
	s.hidden++
	if k := strings.Index(s.text[l.start:], "-->"); k >= 0 {
		_, s.pos = s.peek(l.start + k + 3)
		return
	}
	s.pos = len(s.text)
}

// fenced reads code up to the fence that closes it.
func (s *scanner) fenced(open textLine, next int) {
	mark := fence.FindString(open.body)
	b := block{kind: code, start: open.start, end: open.end}
	for s.pos = next; s.pos < len(s.text); {
		var l textLine
		l, s.pos = s.peek(s.pos)
		if l.body != "" {
			b.end = l.end
		}
		if strings.HasPrefix(l.body, mark) && strings.Trim(l.body, mark[:1]) == "" {
			break
		}
	}
	s.blocks = append(s.blocks, b)
}

// delimited reports whether the line at pos separates a table's header from its
// rows.
func (s *scanner) delimited(pos int) bool {
	if pos >= len(s.text) {
		return false
	}
	l, _ := s.peek(pos)
	return strings.Contains(l.body, "-") && len(l.body) < 10000 && delimiter.MatchString(l.body)
}

// table reads a table. Its own span is its header; each row is a passage of its
// own, and has the names of the columns in its heading path, since the text stays
// as it is.
func (s *scanner) table(l textLine, next int) {
	s.tables++
	b := block{kind: table, start: l.start, end: l.end, rows: []tableRow{}, locus: "table " + strconv.Itoa(s.tables), path: columnNames(l.body)}
	line := 1
	for s.pos = next; s.pos < len(s.text); line++ {
		row, after := s.peek(s.pos)
		if !strings.Contains(row.body, "|") && (line != 1 || !delimiter.MatchString(row.body)) {
			break
		}
		if line == 1 {
			b.end = row.end
		} else {
			b.rows = append(b.rows, tableRow{start: row.start, end: row.end, line: line})
		}
		s.pos = after
	}
	s.blocks = append(s.blocks, b)
}

// columnNames returns the cells of a table's first line, on one line.
func columnNames(line string) string {
	var names []string
	for c := range strings.SplitSeq(line, "|") {
		if c = strings.Trim(c, " \t*_`"); c != "" {
			names = append(names, c)
		}
	}
	return clip(strings.Join(names, " | "), 200)
}

// run reads a paragraph, or a list of unnumbered items.
func (s *scanner) run(l textLine, next int) {
	b := s.marked(block{start: l.start, end: l.end, indent: l.indent})
	if bullet.MatchString(l.body) && b.marks == nil {
		b.kind = list
	}
	prev := l.body
	for s.pos = next; s.pos < len(s.text); {
		l, next = s.peek(s.pos)
		if l.body == "" {
			if b.kind == list && s.listGoesOn(next, b.indent) {
				s.pos = next
				continue
			}
			break
		}
		if b.kind == paragraph && setext.MatchString(l.body) && !strings.Contains(s.text[b.start:b.end], "\n") && b.indent < 4 {
			b.kind, b.level = title, 1
			if l.body[0] == '-' {
				b.level = 2
			}
			s.pos = next
			break
		}
		if s.text[s.pos] == '\f' && endsClause(prev) || s.breaks(l, prev, b, next) {
			break
		}
		b.end, s.pos, prev = l.end, next, l.body
	}
	s.blocks = append(s.blocks, b)
}

// listGoesOn reports whether after a blank line the list has another item, or
// its last item another paragraph.
func (s *scanner) listGoesOn(pos, indent int) bool {
	if pos >= len(s.text) {
		return false
	}
	l, _ := s.peek(pos)
	return l.body != "" && !startsBlock(l) && (l.indent > indent+1 || l.indent >= indent && bullet.MatchString(l.body)) &&
		s.marked(block{start: l.start, end: l.end}).marks == nil
}

func startsBlock(l textLine) bool {
	return l.indent < 4 && (atx.MatchString(l.body) || fence.MatchString(l.body) || rule.MatchString(l.body)) || strings.HasPrefix(l.body, "<!--")
}

// breaks reports whether a line that follows another without a blank one begins
// a block of its own. A number at the start of a line does so only where the
// line before ended something: lines are wrapped before "(a)" too.
func (s *scanner) breaks(l textLine, prev string, b block, next int) bool {
	if startsBlock(l) && (!s.plain || !strings.HasPrefix(l.body, "#")) {
		return true
	}
	if strings.Contains(l.body, "|") && s.delimited(next) {
		return true
	}
	if bullet.MatchString(l.body) && s.marked(block{start: l.start, end: l.end}).marks == nil {
		return b.kind != list && l.indent <= b.indent+3 && endsClause(prev)
	}
	m := s.marked(block{start: l.start, end: l.end})
	if m.marks == nil {
		return false
	}
	items := bullet.MatchString(l.body) && bullet.MatchString(s.text[b.start:b.end])
	return items || m.dots && b.dots || endsClause(prev)
}

// endsClause reports whether after this line something new can begin.
func endsClause(prev string) bool {
	prev = strings.TrimRight(prev, ` *_"”’)`)
	if prev == "" {
		return true
	}
	switch prev[len(prev)-1] {
	case '.', ';', ':', '!', '?', ',':
		return true
	}
	return strings.HasSuffix(prev, "—") || strings.HasSuffix(prev, " and") || strings.HasSuffix(prev, " or")
}

// marked reads the numbers with which a block begins: "(3)(A) ", "1. ", "- (a) ".
func (s *scanner) marked(b block) block {
	line := s.text[b.start:b.end]
	if k := strings.IndexByte(line, '\n'); k >= 0 {
		line = line[:k]
	}
	i := 0
	if b.kind != title {
		i = len(bullet.FindString(line))
	}
	if b.kind == paragraph {
		if m := dotted.FindStringSubmatchIndex(line[i:]); m != nil && cite.IsEnumerator(line[i+m[2]:i+m[3]]) && plausible(line[i+m[2]:i+m[3]], line[i+m[4]]) {
			b.marks, b.ends, b.dots = []string{line[i+m[2] : i+m[3]]}, []int{b.start + i + m[5]}, true
			return b
		}
	}
	for i < len(line) && line[i] == '(' && len(b.marks) < 6 {
		k := strings.IndexByte(line[i:min(len(line), i+14)], ')')
		if k < 0 || !cite.IsEnumerator(strings.TrimSpace(line[i+1:i+k])) {
			break
		}
		b.marks = append(b.marks, strings.TrimSpace(line[i+1:i+k]))
		i += k + 1
		b.ends = append(b.ends, b.start+i)
		for k = i; k < len(line) && line[k] == ' '; k++ {
		}
		if k < len(line) && line[k] == '(' {
			i = k
		}
	}
	if len(b.marks) > 0 && i < len(line) && line[i] != ' ' && line[i] != '\t' && line[i] != '(' && line[i] < 0x80 {
		b.marks, b.ends = nil, nil // "(s)he"
	}
	return b
}

// plausible keeps initials ("A. Smith") and words out of the numbers of lists.
func plausible(mark string, after byte) bool {
	return after == ')' || mark[0] <= '9' || mark[0] >= 'a' && (len(mark) == 1 || cite.Roman(mark) > 0)
}
