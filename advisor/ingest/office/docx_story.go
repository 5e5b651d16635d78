package office

import (
	"encoding/xml"
	"strings"

	"polaris/advisor/ingest/form"
)

// A story is one flow of paragraphs and tables: the body, a cell, a text box, a
// note.
type story struct {
	d       *docx
	w       *walker
	counted bool // its characters are among those of the document
	cell    bool // it stands in a table or text box, which may have a background
	blocks  []form.Block
	carry   *docxPara // a paragraph whose end was deleted: the next one continues it
}

// blocksOf reads the paragraphs and tables of the element that was entered last.
func (s *story) blocksOf() error { return s.w.children(s.block) }

func (s *story) block(e xml.StartElement) error {
	if e.Name.Space == "mc" && e.Name.Local == "AlternateContent" {
		return alternate(s.w, s.block)
	}
	if e.Name.Space != "w" {
		return s.w.children(s.block)
	}
	switch e.Name.Local {
	case "p":
		return s.paragraph()
	case "tbl":
		return s.table()
	case "sectPr":
		return s.d.section(s.w)
	case "background":
		s.d.dark = !strings.EqualFold(attr(e, "color"), "FFFFFF")
	case "altChunk":
		s.d.parts++
	case "del", "moveFrom":
		return s.d.skipDeleted(s.w)
	case "commentRangeStart":
		s.d.open(attr(e, "id"))
	case "commentRangeEnd":
		s.d.shut(attr(e, "id"))
	case "sdtPr", "pPr", "rPr", "tblPr":
	default: // body, sdt, sdtContent, customXml, ins, moveTo
		return s.w.children(s.block)
	}
	return nil
}

// finish returns the story's blocks.
func (s *story) finish() []form.Block {
	if s.carry != nil {
		p := s.carry
		s.carry = nil
		s.emit(p)
	}
	return s.blocks
}

// A docxPara is a paragraph while it is read.
type docxPara struct {
	props  docxStyle // its own; id is the style's
	whole  *docxStyle
	look   look // of its style
	ended  bool // its end was deleted with a tracked change
	unseen bool // its end is hidden
	text   strings.Builder
	hidden strings.Builder
	after  []form.Block // of its text boxes
	notes  []form.Block
	about  []*remark // comments that name no range: they are about the paragraph
}

func (s *story) paragraph() error {
	p := s.carry
	s.carry = nil
	if p == nil {
		p = &docxPara{}
	}
	p.ended, p.unseen = false, false
	p.props = docxStyle{outline: unset, numID: unset, level: unset}
	s.styled(p)
	if err := s.w.children(func(e xml.StartElement) error { return s.inline(p, e) }); err != nil {
		return err
	}
	if p.ended {
		s.carry = p
		return nil
	}
	s.emit(p)
	return nil
}

// styled looks up the paragraph's style.
func (s *story) styled(p *docxPara) {
	id := p.props.id
	if id == "" {
		id = s.d.styles.standard
	}
	p.whole = s.d.styles.of(id)
	p.look = p.whole.look
}

// properties reads a w:pPr.
func (s *story) properties(p *docxPara) error {
	err := s.w.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "pStyle":
			p.props.id = attr(e, "val")
		case "shd":
			p.props.look.read(e)
		case "sectPr":
			return s.d.section(s.w)
		case "rPr":
			return s.w.children(func(e xml.StartElement) error {
				switch e.Name.Local {
				case "del", "moveFrom":
					p.ended = true
				case "vanish":
					p.unseen = on(e)
				}
				return nil
			})
		}
		return p.props.read(s.w, e)
	})
	s.styled(p)
	p.look.shaded = look{shaded: p.props.look.shaded}.over(p.look).shaded
	return err
}

// emit counts the paragraph in its list and makes a block of it.
func (s *story) emit(p *docxPara) {
	hide(s.d.doc, 0, p.hidden.String())
	text := tidy(p.text.String())
	if text == "" && (p.unseen || p.hidden.Len() > 0) {
		return // nobody sees it, and no list counts it
	}
	for _, r := range p.about {
		r.on.WriteString(text)
	}
	b := form.Block{Kind: form.Paragraph, Text: text}
	var bullet bool
	id, level := s.numbered(p)
	if id > 0 {
		b.Number, bullet = s.d.lists.next(id, level)
	}
	outline := p.props.outline
	if outline == unset {
		outline = p.whole.outline
	}
	switch {
	case outline >= 0 && outline < 9 && !bullet:
		b.Kind, b.Level = form.Heading, outline+1
	case p.whole.name == "title" && !s.cell:
		b.Kind, b.Level = form.Heading, 1
		if s.d.doc.Title == "" && s.counted {
			s.d.doc.Title = text
		}
	case b.Number != "":
		b.Kind, b.Level = form.Item, level+1
	}
	if text != "" {
		s.blocks = append(s.blocks, b)
	}
	s.blocks = append(append(s.blocks, p.after...), p.notes...)
}

// numbered returns the list of a paragraph and its level there: its own, else
// its style's. List 0 is none.
func (s *story) numbered(p *docxPara) (id, level int) {
	id, level = p.props.numID, p.props.level
	if id == unset {
		id = p.whole.numID
	}
	if id <= 0 {
		return 0, 0
	}
	if level != unset {
		return id, level
	}
	l := s.d.lists.lists[id]
	for at, n := s.d.styles.byID[p.whole.id], 0; l != nil && at != nil && n < 50; n++ { // what the style, or the nearest that it is based on, is linked to or says
		if i := l.linked(at.id); i != unset {
			return id, i
		}
		if at.level != unset {
			return id, at.level
		}
		at = s.d.styles.byID[at.base]
	}
	return id, max(p.whole.level, 0)
}

// section notes which headers and footers a section has.
func (d *docx) section(w *walker) error {
	return w.children(func(e xml.StartElement) error {
		if l := e.Name.Local; l == "headerReference" || l == "footerReference" {
			d.margins[attrOf(e, "r", "id")] = true
		}
		return nil
	})
}

// skipDeleted goes past deleted content and counts it.
func (d *docx) skipDeleted(w *walker) error {
	text, err := w.text()
	d.deleted += count(text)
	return err
}
