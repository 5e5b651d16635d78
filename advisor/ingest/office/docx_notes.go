package office

import (
	"encoding/xml"
	"slices"
	"strings"

	"polaris/advisor/ingest/form"
)

// notes are the footnotes or endnotes of a document.
type notes struct {
	kind   string            // of the relation: "footnotes"
	format string            // of their marks
	text   map[string]string // of those that nothing referred to yet
	n      int               // given out so far
}

// readNotes reads the notes' texts, before what refers to them.
func (d *docx) readNotes() error {
	d.notes = [2]notes{{kind: "footnotes", format: "decimal"}, {kind: "endnotes", format: "lowerRoman"}}
	if err := d.settings(partOf(d.rels, "settings", "word/settings.xml")); err != nil {
		return err
	}
	for i := range d.notes {
		n := &d.notes[i]
		n.text = map[string]string{}
		w, done, err := d.zip.walk(partOf(d.rels, n.kind, "word/"+n.kind+".xml"))
		if err == nil && w != nil {
			err = w.children(func(xml.StartElement) error {
				return w.children(func(e xml.StartElement) error {
					if t := attr(e, "type"); t != "" && t != "normal" {
						return nil // the line above the notes
					}
					s := &story{d: d, w: w}
					err := s.blocksOf()
					n.text[attr(e, "id")] = joined(s.finish())
					return err
				})
			})
		}
		done()
		if err != nil {
			return err
		}
	}
	return nil
}

// settings reads how notes are numbered.
func (d *docx) settings(part string) error {
	w, done, err := d.zip.walk(part)
	defer done()
	if w == nil || err != nil {
		return err
	}
	return w.children(func(xml.StartElement) error {
		return w.children(func(e xml.StartElement) error {
			at := 0
			switch e.Name.Local {
			case "endnotePr":
				at = 1
			case "footnotePr":
			default:
				return nil
			}
			return w.children(func(e xml.StartElement) error {
				switch e.Name.Local {
				case "numFmt":
					d.notes[at].format = attr(e, "val")
				case "numStart":
					d.notes[at].n = max(number(attr(e, "val"), 1)-1, 0)
				}
				return nil
			})
		})
	})
}

// note adds the note that a reference leads to. It returns the note where its
// mark is not a number but the text that follows.
func (s *story) note(p *docxPara, e xml.StartElement) *form.Block {
	n := &s.d.notes[0]
	if e.Name.Local == "endnoteReference" {
		n = &s.d.notes[1]
	}
	text := n.text[attr(e, "id")]
	delete(n.text, attr(e, "id")) // it is shown once
	b := form.Block{Kind: form.Note, Text: text}
	custom := attr(e, "customMarkFollows") != "" && on(e)
	if !custom {
		n.n++
		b.Number = ordinal(n.format, n.n)
	}
	if text == "" {
		return nil
	}
	s.d.doc.Found += count(text)
	p.notes = append(p.notes, b)
	if custom {
		return &p.notes[len(p.notes)-1]
	}
	return nil
}

// joined returns blocks as one text.
func joined(blocks []form.Block) string {
	var sb strings.Builder
	for _, b := range blocks {
		for _, s := range append([]string{b.Number, b.Text}, b.Cells...) {
			if s != "" {
				sb.WriteString(s)
				sb.WriteByte(' ')
			}
		}
	}
	return strings.TrimSpace(sb.String())
}

// A remark is a comment in the margin.
type remark struct {
	by, text string
	on       strings.Builder
}

func (d *docx) readComments(part string) (map[string]*remark, error) {
	d.remarks = map[string]*remark{}
	w, done, err := d.zip.walk(part)
	defer done()
	if w == nil || err != nil {
		return d.remarks, err
	}
	return d.remarks, w.children(func(xml.StartElement) error {
		return w.children(func(e xml.StartElement) error {
			s := &story{d: d, w: w}
			err := s.blocksOf()
			r := &remark{by: tidy(attr(e, "author")), text: joined(s.finish())}
			d.remarks[attr(e, "id")] = r
			d.order = append(d.order, r)
			return err
		})
	})
}

func (d *docx) open(id string) {
	if r := d.remarks[id]; r != nil {
		d.opened = append(d.opened, r)
	}
}

func (d *docx) shut(id string) {
	d.opened = slices.DeleteFunc(d.opened, func(r *remark) bool { return r == d.remarks[id] })
}

// about adds text to the remarks that are about it. One that has enough is no
// longer looked at.
func about(open []*remark, text string) []*remark {
	if len(open) == 0 {
		return open
	}
	return slices.DeleteFunc(open, func(r *remark) bool {
		r.on.WriteString(text)
		return r.on.Len() > 4*maxExcerpt
	})
}
