package office

import (
	"encoding/xml"
	"strings"

	"polaris/advisor/ingest/form"
)

// A textBox is a shape of a slide while it is read.
type textBox struct {
	kind   string // of its placeholder: "title", "body"; "-": it is none
	counts [levels]int
	types  [levels]string
}

// shape reads one shape of a slide, or what holds shapes.
func (s *slide) shape(e xml.StartElement) error {
	switch {
	case e.Name.Space == "mc" && e.Name.Local == "AlternateContent":
		return alternate(s.w, s.shape)
	case e.Name.Local == "sp" || e.Name.Local == "cxnSp":
		b := &textBox{kind: "-"}
		return s.w.children(func(e xml.StartElement) error { return s.part(b, e) })
	case e.Name.Local == "pic":
		s.d.images++
	case e.Name.Space == "a" && e.Name.Local == "tbl":
		return s.table()
	default:
		return s.w.children(s.shape)
	}
	return nil
}

// part reads one part of a shape: what it is, and its text.
func (s *slide) part(b *textBox, e xml.StartElement) error {
	switch e.Name.Local {
	case "nvSpPr":
		return s.w.find("p", "ph", func(e xml.StartElement) error {
			if b.kind = attr(e, "type"); b.kind == "" {
				b.kind = "obj"
			}
			return nil
		})
	case "txBody":
		return s.w.children(func(e xml.StartElement) error {
			if e.Name.Local != "p" {
				return nil
			}
			return s.paragraph(b)
		})
	}
	return nil
}

// A bullet is what a paragraph says of its label.
type bullet struct {
	level int
	sign  string
	auto  string
	start int
	none  bool
}

func (s *slide) paragraph(box *textBox) error {
	var l bullet
	text, err := s.runsOf(&l)
	if err != nil {
		return err
	}
	label := box.label(l, tidy(text) != "")
	b := form.Block{Kind: form.Paragraph, Text: tidy(text), Number: label}
	if b.Text == "" {
		return nil
	}
	switch box.kind {
	case "sldNum", "dt", "ftr", "hdr":
		s.foot = append(s.foot, b.Text)
		return nil
	case "sldImg":
		return nil
	}
	s.found += count(text)
	switch {
	case box.kind == "title" || box.kind == "ctrTitle":
		if n := len(s.title); n > 0 { // a title of two lines is one
			s.title[n-1].Text += " " + b.Text
			return nil
		}
		s.title = append(s.title, form.Block{Kind: form.Heading, Level: 1, Text: b.Text})
		return nil
	case label != "" || (box.kind == "body" || box.kind == "obj") && !l.none:
		b.Kind, b.Level = form.Item, l.level+1
	}
	s.blocks = append(s.blocks, b)
	return nil
}

// runs returns the text of a paragraph.
func (s *slide) runs() (string, error) { return s.runsOf(&bullet{}) }

func (s *slide) runsOf(l *bullet) (string, error) {
	var sb strings.Builder
	var each func(e xml.StartElement) error
	each = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "pPr":
			l.level = min(max(number(attr(e, "lvl"), 0), 0), levels-1)
			return s.w.children(func(e xml.StartElement) error {
				switch e.Name.Local {
				case "buNone":
					l.none = true
				case "buChar":
					l.sign = bulletSign(attr(e, "char"))
				case "buAutoNum":
					l.auto, l.start = attr(e, "type"), number(attr(e, "startAt"), 1)
				}
				return nil
			})
		case "t":
			text, err := s.w.text()
			sb.WriteString(text)
			return err
		case "br":
			sb.WriteByte(' ')
		case "rPr", "endParaRPr":
		case "AlternateContent":
			return alternate(s.w, each)
		default: // r, fld, equations
			return s.w.children(each)
		}
		return nil
	}
	err := s.w.children(each)
	return sb.String(), err
}

// label counts a paragraph among those of its level.
func (b *textBox) label(l bullet, text bool) string {
	if !text {
		return ""
	}
	for i := l.level + 1; i < levels; i++ {
		b.types[i] = ""
	}
	if l.auto == "" {
		b.types[l.level] = ""
		return l.sign
	}
	if b.types[l.level] != l.auto {
		b.types[l.level], b.counts[l.level] = l.auto, l.start
	} else {
		b.counts[l.level]++
	}
	return autoNumber(l.auto, b.counts[l.level])
}

// autoNumber writes n as a buAutoNum of that type.
func autoNumber(kind string, n int) string {
	format := "decimal"
	for prefix, f := range map[string]string{"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"} {
		if strings.HasPrefix(kind, prefix) {
			format = f
		}
	}
	s := ordinal(format, n)
	switch {
	case strings.HasSuffix(kind, "Period"):
		return s + "."
	case strings.HasSuffix(kind, "ParenBoth"):
		return "(" + s + ")"
	case strings.HasSuffix(kind, "ParenR"):
		return s + ")"
	case strings.HasSuffix(kind, "Minus"):
		return "- " + s + " -"
	}
	return s
}

// table reads an a:tbl.
func (s *slide) table() error {
	s.d.tables++
	g := grid{guess: true}
	err := s.w.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "tblPr":
			if v := attr(e, "firstRow"); v == "1" || v == "true" {
				g.header, g.guess = 1, false
			}
		case "tr":
			var row []cell
			err := s.w.children(func(e xml.StartElement) error {
				if e.Name.Local != "tc" {
					return nil
				}
				c, err := s.cellOf(e)
				if attr(e, "hMerge") == "" || attr(e, "hMerge") == "0" { // else the cell to its left covers it
					row = append(row, c)
				}
				return err
			})
			g.rows = append(g.rows, row)
			return err
		}
		return nil
	})
	s.blocks = append(s.blocks, g.blocks(s.d.tables)...)
	return err
}

func (s *slide) cellOf(e xml.StartElement) (cell, error) {
	in := &slide{d: s.d, w: s.w}
	c := cell{cols: spanned(attr(e, "gridSpan")), below: attr(e, "vMerge") == "1" || attr(e, "vMerge") == "true"}
	box := &textBox{kind: "-"}
	err := s.w.children(func(e xml.StartElement) error { return in.part(box, e) })
	s.found += in.found
	c.text = joined(in.blocks)
	return c, err
}
