// Package quote draws what a source says. The words are the source's own; of
// its Markdown, tables are drawn as tables and defined terms as such, since
// that is how their author meant them to be read. Everything else stays as it
// was written.
package quote

import (
	"regexp"
	"strings"
)

// A block is running text or a table.
type block struct {
	spans []span
	rows  [][]string // of a table, all equally long; the first is its head
}

// A span is a piece of running text.
type span struct {
	text   string
	strong bool
}

var (
	ruler = regexp.MustCompile(`^\|[ \t:|-]*-[ \t:|-]*$`)
	bold  = regexp.MustCompile(`\*\*([^*\n]+)\*\*`)
)

// Table reports whether text holds a table, which cannot stand in a paragraph.
func Table(text string) bool {
	for _, b := range blocks(text) {
		if b.rows != nil {
			return true
		}
	}
	return false
}

// blocks splits text into tables and what is between them. A table has at
// least two lines, the second of which rules off its head.
func blocks(text string) []block {
	lines := strings.Split(text, "\n")
	var out []block
	from := 0
	flush := func(to int) {
		if s := strings.Trim(strings.Join(lines[from:to], "\n"), "\n"); s != "" {
			out = append(out, block{spans: spans(s)})
		}
	}
	for i := 0; i+1 < len(lines); i++ {
		if !isRow(lines[i]) || !ruler.MatchString(strings.TrimSpace(lines[i+1])) {
			continue
		}
		flush(i)
		end := i + 2
		for end < len(lines) && isRow(lines[end]) {
			end++
		}
		out = append(out, table(lines[i], lines[i+2:end]))
		from = end
		i = end - 1
	}
	flush(len(lines))
	return out
}

func isRow(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "|") }

// table reads rows to the length of the head, as Markdown does.
func table(head string, body []string) block {
	first := cells(head)
	b := block{rows: [][]string{first}}
	for _, line := range body {
		row := cells(line)
		for len(row) < len(first) {
			row = append(row, "")
		}
		b.rows = append(b.rows, row[:len(first)])
	}
	return b
}

// cells splits a row at its bars. A bar after a backslash is part of a cell.
func cells(line string) []string {
	const bar = "\x00"
	line = strings.ReplaceAll(strings.TrimSpace(line), `\|`, bar)
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	out := strings.Split(line, "|")
	for i := range out {
		out[i] = strings.ReplaceAll(strings.TrimSpace(out[i]), bar, "|")
	}
	return out
}

func spans(text string) []span {
	var out []span
	at := 0
	for _, m := range bold.FindAllStringSubmatchIndex(text, -1) {
		if m[0] > at {
			out = append(out, span{text: text[at:m[0]]})
		}
		out = append(out, span{text: text[m[2]:m[3]], strong: true})
		at = m[1]
	}
	if at < len(text) {
		out = append(out, span{text: text[at:]})
	}
	return out
}
