package ingest

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"polaris/advisor/ingest/form"
)

// build makes a document of what a reader handed over.
func build(f *form.Document, o Options) (*Document, error) {
	b := builder{form: f}
	for i := 0; i < len(f.Blocks); {
		i += b.block(i)
	}
	b.sections()
	d := &Document{
		MediaType: f.MediaType, Title: o.Title, Code: o.Code, Text: b.text.String(), Pages: f.Pages,
		Warnings: slices.Clone(f.Warnings), Flags: slices.Clone(f.Flags), Margins: f.Margins, Comments: f.Comments,
		Report: Report{Found: f.Found, Kept: b.kept},
	}
	if d.Title == "" {
		d.Title = b.title()
	}
	var err error
	if keyed(f) {
		err = b.keep(d, o)
	} else {
		err = d.structure(b.blocks, o)
	}
	if err != nil {
		return nil, err
	}
	if d.Language = language(d.Text); d.Language == "und" && f.Language != "" {
		d.Language = f.Language
	}
	return d, nil
}

// A builder assembles the text of a document and the blocks that it consists
// of.
type builder struct {
	form   *form.Document
	text   strings.Builder
	blocks []block
	kept   int // characters that are not white space, without those repeated
	last   form.Kind
}

// block writes the block i, and those after it that belong to it. It returns
// how many it wrote.
func (b *builder) block(i int) int {
	f := b.form.Blocks[i]
	f.Text = tidy(f.Text, f.Kind == form.Code)
	f.Number = tidy(f.Number, false)
	switch {
	case f.Kind == form.Row:
		return b.table(i)
	case f.Kind == form.Item && isBullet(f.Number):
		return b.bullets(i)
	case f.Text == "" && f.Number == "":
		return 1
	}
	b.part(f.Kind)
	nb := block{start: b.text.Len(), page: f.Page, key: tidy(f.Key, false)}
	b.write(f.Number)
	marks := b.text.Len()
	if f.Number != "" && f.Text != "" {
		b.text.WriteByte(' ')
	}
	b.write(f.Text)
	nb.end = b.text.Len()
	switch f.Kind {
	case form.Heading:
		nb.kind, nb.level = title, max(f.Level, 1)
		nb.path = f.Text
	case form.Code:
		nb.kind = code
	}
	if f.Kind != form.Note && f.Kind != form.Code {
		b.numbers(&nb, f, marks)
	}
	b.blocks = append(b.blocks, nb)
	return 1
}

// numbers fills in what the number of a block says, or what stands at the start
// of its text where the file has no numbers of its own.
func (b *builder) numbers(nb *block, f form.Block, end int) {
	if f.Number == "" {
		s := scanner{text: b.text.String()}
		m := s.marked(block{kind: nb.kind, start: nb.start, end: nb.end})
		nb.marks, nb.ends, nb.dots = m.marks, m.ends, m.dots
		if f.Kind == form.Item && nb.marks == nil {
			nb.kind = list
		}
		return
	}
	l := readLabel(f.Number)
	nb.number, nb.marks, nb.dots = l.number, l.marks, l.dots
	for range l.marks {
		nb.ends = append(nb.ends, nb.start)
	}
	for k, at := 0, nb.start; k < len(l.marks); k++ { // where each of "(3)(A)" ends
		at += strings.Index(f.Number[at-nb.start:], l.marks[k]) + len(l.marks[k])
		if at < end && strings.IndexByte(".)", b.text.String()[at]) >= 0 {
			at++
		}
		nb.ends[k] = at
	}
	if f.Kind == form.Item {
		nb.depth = max(f.Level, 1)
	}
}

// bullets writes a list without numbers, as one block as long as it is short.
func (b *builder) bullets(i int) int {
	nb := block{kind: list}
	n := 0
	for ; i+n < len(b.form.Blocks); n++ {
		f := b.form.Blocks[i+n]
		if f.Kind != form.Item || !isBullet(tidy(f.Number, false)) || n > 0 && b.text.Len()-nb.start > MaxPassage/4 {
			break
		}
		text := tidy(f.Text, false)
		if text == "" {
			continue
		}
		b.part(form.Item)
		if nb.end == 0 {
			nb.start, nb.page = b.text.Len(), f.Page
		}
		b.text.WriteString(strings.Repeat("  ", min(max(f.Level-1, 0), maxLevels)) + "• ")
		b.write(text)
		nb.end = b.text.Len()
	}
	if nb.end > 0 {
		b.blocks = append(b.blocks, nb)
	}
	return n
}

// part separates what comes next from what is there.
func (b *builder) part(k form.Kind) {
	switch {
	case b.text.Len() == 0:
	case k == b.last && (k == form.Item || k == form.Row):
		b.text.WriteByte('\n')
	default:
		b.text.WriteString("\n\n")
	}
	b.last = k
}

// write writes words of the file.
func (b *builder) write(s string) {
	b.text.WriteString(s)
	b.kept += form.Characters(s)
}

// title returns the document's own title where it says something.
func (b *builder) title() string {
	t := tidy(b.form.Title, false)
	lower := strings.ToLower(t)
	for _, junk := range []string{"microsoft word", "microsoft powerpoint", "untitled", "document1", "powerpoint presentation", "slide 1"} {
		if strings.HasPrefix(lower, junk) {
			return ""
		}
	}
	if t == "" || len(t) > 300 || strings.Contains(t, "\n") {
		return ""
	}
	return t
}

// tidy holds a reader to what it promised: UTF-8 on one line, or in code on
// lines that end in \n.
func tidy(s string, lines bool) string {
	clean := utf8.ValidString(s)
	for i := 0; clean && i < len(s); i++ {
		clean = s[i] >= ' ' && s[i] != 0x7F || lines && (s[i] == '\n' || s[i] == '\t')
	}
	if !clean {
		s = lineEndings.Replace(strings.ToValidUTF8(s, "\uFFFD"))
		s = strings.Map(func(r rune) rune {
			switch {
			case lines && (r == '\n' || r == '\t'):
				return r
			case r == '\n' || r == '\t':
				return ' '
			case r < ' ' || r == 0x7F:
				return -1
			}
			return r
		}, s)
	}
	if lines {
		return strings.Trim(s, "\n")
	}
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
}

// isBullet reports whether a list item's label is a sign, not a number.
func isBullet(label string) bool {
	return strings.IndexFunc(label, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 && label != "" || label == "o"
}
