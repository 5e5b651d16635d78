package office

import (
	"bytes"
	"encoding/xml"
	"regexp"
	"strings"

	"polaris/advisor/ingest/form"
)

// bookReader reads the DocBook that antiword writes.
type bookReader struct {
	w        *walker
	doc      *form.Document
	level    int // of headings
	depth    int // of lists
	numbered int // items of lists whose numbers antiword does not tell
	images   int
	tables   int
	lost     int // notes that are there without their text
}

func readDocBook(data []byte) (*bookReader, error) {
	r := &bookReader{w: newWalker(bytes.NewReader(data), "what antiword wrote"), doc: &form.Document{MediaType: MediaDOC}}
	if err := r.w.children(func(xml.StartElement) error { return r.w.children(r.block) }); err != nil {
		return nil, err
	}
	return r, nil
}

// close reports what was left out.
func (r *bookReader) close() (*form.Document, error) {
	if r.numbered > 0 {
		r.doc.Warnings = append(r.doc.Warnings, amount(r.numbered, "item")+" of numbered lists without their numbers: the old format does not give them away. Save the document as DOCX to have them.")
	}
	if len(r.doc.Blocks) == 0 {
		return nil, nothing(r.images)
	}
	return r.doc, nil
}

func (r *bookReader) block(e xml.StartElement) error {
	switch name := e.Name.Local; name {
	case "bookinfo":
		return r.w.find("?", "title", func(xml.StartElement) error {
			s, err := r.w.text()
			r.doc.Title = tidy(s)
			return err
		})
	case "chapter", "sect1", "sect2", "sect3", "sect4", "sect5":
		r.level++
		defer func() { r.level-- }()
		return r.w.children(r.block)
	case "title":
		s, err := r.w.text()
		r.add(form.Block{Kind: form.Heading, Level: max(r.level, 1), Text: s})
		return err
	case "itemizedlist", "orderedlist":
		r.depth++
		defer func() { r.depth-- }()
		return r.w.children(func(e xml.StartElement) error {
			if e.Name.Local != "listitem" {
				return r.block(e)
			}
			b := form.Block{Kind: form.Item, Level: r.depth}
			if name == "itemizedlist" {
				b.Number = "•"
			} else {
				r.numbered++
			}
			return r.w.children(func(e xml.StartElement) error {
				if e.Name.Local != "para" {
					return r.block(e)
				}
				return r.para(b)
			})
		})
	case "para":
		return r.para(form.Block{Kind: form.Paragraph})
	case "informaltable", "table":
		return r.table()
	}
	return r.w.children(r.block)
}

// para reads a paragraph; tables and footnotes stand in it, and come after it.
func (r *bookReader) para(b form.Block) error {
	var sb strings.Builder
	var after []form.Block
	var in func(e xml.StartElement) error
	in = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "informaltable", "table":
			before := r.doc.Blocks
			r.doc.Blocks = nil
			err := r.table()
			after = append(after, r.doc.Blocks...)
			r.doc.Blocks = before
			return err
		case "superscript":
			s, err := r.w.text()
			sb.WriteString(raised(s))
			return err
		case "footnote":
			s, err := r.w.text()
			if tidy(s) == "" {
				r.lost++
			}
			after = append(after, form.Block{Kind: form.Note, Text: s})
			return err
		}
		return r.w.content(in, func(s string) { sb.WriteString(s) })
	}
	if err := r.w.content(in, func(s string) { sb.WriteString(s) }); err != nil {
		return err
	}
	b.Text = sb.String()
	r.add(b)
	for _, b := range after {
		r.add(b)
	}
	return nil
}

var noteMark = regexp.MustCompile(`^\[(\w{1,6})\]\s*`)

// rule is what antiword writes before notes and before the text of boxes.
const rule = "-----------------------"

// notes adds those of a document that antiword wrote as text: below a line, each
// with its mark. Boxes stand below such a line, too; their text is there already.
func (r *bookReader) notes(text string) {
	for i, part := range strings.Split(text, "\n"+rule) {
		if i == 0 || !noteMark.MatchString(strings.TrimSpace(part)) {
			continue
		}
		for line := range strings.Lines(part) {
			b := form.Block{Kind: form.Note, Text: tidy(line)}
			if m := noteMark.FindStringSubmatch(b.Text); m != nil {
				b.Number, b.Text = m[1], b.Text[len(m[0]):]
			}
			r.add(b)
		}
	}
}

func (r *bookReader) add(b form.Block) {
	if n := strings.Count(b.Text, "[pic]"); n > 0 {
		r.images += n
		b.Text = strings.ReplaceAll(b.Text, "[pic]", " ")
	}
	if b.Text = strings.TrimSpace(strings.TrimPrefix(tidy(b.Text), rule)); b.Text == "" && len(b.Cells) == 0 {
		return
	}
	r.doc.Found += count(b.Text)
	r.doc.Blocks = append(r.doc.Blocks, b)
}

func (r *bookReader) table() error {
	g := grid{guess: true}
	err := r.w.find("?", "row", func(xml.StartElement) error {
		var row []cell
		err := r.w.children(func(xml.StartElement) error {
			s, err := r.w.text()
			row = append(row, cell{text: tidy(strings.ReplaceAll(s, "[pic]", " "))})
			r.doc.Found += count(row[len(row)-1].text)
			return err
		})
		g.rows = append(g.rows, row)
		return err
	})
	r.tables++
	r.doc.Blocks = append(r.doc.Blocks, g.blocks(r.tables)...)
	return err
}
