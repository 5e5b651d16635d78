package office

import (
	"encoding/xml"
	"slices"
	"strings"

	"polaris/advisor/ingest/form"
)

// An odtStory is one flow of an OpenDocument: the body, a cell, a note.
type odtStory struct {
	d       *odt
	counted bool
	cell    bool
	hidden  bool // the section that it is in is not shown
	blocks  []form.Block
	list    *odtList // that what is read stands in
}

// block reads one child of a body, cell, section or item.
func (s *odtStory) block(e xml.StartElement) error {
	w := s.d.w
	switch e.Name.Space + ":" + e.Name.Local {
	case "text:p", "text:h":
		return s.paragraph(e)
	case "text:list":
		return s.listOf(e)
	case "table:table":
		return s.table(e)
	case "text:tracked-changes":
		return s.d.changes()
	case "text:section":
		was := s.hidden
		s.hidden = was || attr(e, "display") == "none"
		err := w.children(s.block)
		s.hidden = was
		return err
	case "text:note", "office:annotation", "draw:frame", "draw:custom-shape", "draw:g":
		return s.inline(&odtPara{}, e)
	case "office:forms", "text:sequence-decls", "text:variable-decls", "text:user-field-decls":
		return nil
	}
	if strings.HasSuffix(e.Name.Local, "-source") {
		return nil // the templates of an index
	}
	return w.children(s.block)
}

// An odtPara is a paragraph while it is read.
type odtPara struct {
	look   look
	text   strings.Builder
	hidden strings.Builder
	after  []form.Block
	about  []*remark
}

func (s *odtStory) paragraph(e xml.StartElement) error {
	name := attr(e, "style-name")
	st := s.d.styles.of("paragraph", name)
	p := &odtPara{look: st.look}
	if s.hidden {
		p.look.vanish = yes
	}
	err := s.content(p)
	hide(s.d.doc, 0, p.hidden.String())
	b := form.Block{Kind: form.Paragraph, Text: tidy(p.text.String())}
	for _, r := range p.about {
		if r.on.Len() == 0 { // it is about no range
			r.on.WriteString(b.Text)
		}
	}
	level := number(attr(e, "outline-level"), 0)
	switch {
	case b.Text == "" && p.hidden.Len() > 0:
	case s.list != nil:
		s.item(&b, st)
	case e.Name.Local == "h" && attr(e, "is-list-header") != "true" && (!st.listed || st.list != ""):
		b.Number = s.d.heading(e, level)
	}
	switch {
	case e.Name.Local == "h" && level > 0:
		b.Kind, b.Level = form.Heading, level
	case st.title != "" && !s.cell:
		b.Kind, b.Level = form.Heading, 1
		if s.d.doc.Title == "" {
			s.d.doc.Title = b.Text
		}
	}
	if b.Text != "" {
		s.blocks = append(s.blocks, b)
	}
	s.blocks = append(s.blocks, p.after...)
	return err
}

// content reads what is in a paragraph or span.
func (s *odtStory) content(p *odtPara) error {
	return s.d.w.content(func(e xml.StartElement) error { return s.inline(p, e) }, func(t string) { s.write(p, t) })
}

// write adds text to a paragraph, or to what of it is hidden.
func (s *odtStory) write(p *odtPara, text string) {
	if l := p.look; l.vanish == yes || l.tiny == yes || l.white == yes && l.shaded != yes && !s.cell {
		p.hidden.WriteString(text)
		return
	}
	if p.look.raised == yes {
		text = raised(text)
	}
	p.text.WriteString(text)
	if s.counted {
		s.d.doc.Found += count(text)
		s.d.open = about(s.d.open, text)
	}
}

// inline reads one element of a paragraph.
func (s *odtStory) inline(p *odtPara, e xml.StartElement) error {
	d := s.d
	switch e.Name.Space + ":" + e.Name.Local {
	case "text:span":
		was := p.look
		p.look = d.styles.of("text", attr(e, "style-name")).look.over(was)
		err := s.content(p)
		p.look = was
		return err
	case "text:s", "text:tab", "text:line-break":
		s.write(p, " ")
	case "text:note":
		return s.note(p)
	case "office:annotation":
		return d.annotation(p, e)
	case "office:annotation-end":
		d.open = slices.DeleteFunc(d.open, func(r *remark) bool { return r == d.named[attr(e, "name")] })
	case "text:change-start":
		d.inserted++
	case "text:hidden-text", "text:hidden-paragraph", "text:ruby-text", "text:script", "office:event-listeners":
		text, err := d.w.text()
		if e.Name.Local != "ruby-text" {
			hide(d.doc, 0, text)
		}
		return err
	case "draw:frame", "draw:custom-shape", "draw:g", "draw:a", "draw:line", "draw:rect", "draw:ellipse", "draw:path", "draw:polygon", "draw:connector":
		box := &odtStory{d: d, counted: s.counted, cell: true}
		err := d.w.children(box.shape)
		p.after = append(p.after, box.blocks...)
		return err
	case "text:bookmark", "text:soft-page-break":
	default: // links, fields, bookmarks, ruby
		return s.content(p)
	}
	return nil
}

// shape reads what is in a frame or drawing: paragraphs, pictures, objects. One
// frame holds the same thing in several forms, of which the text is read.
func (s *odtStory) shape(e xml.StartElement) error {
	switch e.Name.Local {
	case "image":
		s.d.images++
	case "object", "object-ole":
		s.d.objects++
	case "desc", "title": // of a picture, for those who do not see it
	default:
		return s.block(e)
	}
	return nil
}

func (s *odtStory) note(p *odtPara) error {
	b := form.Block{Kind: form.Note}
	err := s.d.w.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "note-citation":
			t, err := s.d.w.text()
			b.Number = tidy(t)
			return err
		case "note-body":
			in := &odtStory{d: s.d, counted: s.counted}
			err := s.d.w.children(in.block)
			b.Text = joined(in.blocks)
			return err
		}
		return nil
	})
	if b.Text != "" {
		p.after = append(p.after, b)
	}
	return err
}

// annotation reads a comment.
func (d *odt) annotation(p *odtPara, e xml.StartElement) error {
	r := &remark{}
	s := &odtStory{d: d}
	err := d.w.children(func(e xml.StartElement) error {
		if e.Name.Local == "creator" {
			t, err := d.w.text()
			r.by = tidy(t)
			return err
		}
		if e.Name.Space == "text" {
			return s.block(e)
		}
		return nil
	})
	r.text = joined(s.blocks)
	d.order = append(d.order, r)
	p.about = append(p.about, r)
	if name := attr(e, "name"); name != "" {
		d.named[name] = r
		d.open = append(d.open, r)
	}
	return err
}

// changes counts what was deleted; insertions are where they belong.
func (d *odt) changes() error {
	return d.w.find("text", "deletion", func(xml.StartElement) error {
		return d.w.children(func(e xml.StartElement) error {
			if e.Name.Space != "text" {
				return nil // who and when
			}
			t, err := d.w.text()
			d.deleted += count(t)
			return err
		})
	})
}
