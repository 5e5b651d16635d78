package office

import (
	"encoding/xml"
	"strings"

	"polaris/advisor/ingest/form"
)

// inline reads one child of a paragraph.
func (s *story) inline(p *docxPara, e xml.StartElement) error {
	again := func(e xml.StartElement) error { return s.inline(p, e) }
	switch e.Name.Space {
	case "mc":
		if e.Name.Local == "AlternateContent" {
			return alternate(s.w, again)
		}
		return s.w.children(again)
	case "m":
		return s.math(p, e)
	case "w":
	default:
		return s.w.children(again)
	}
	switch e.Name.Local {
	case "pPr":
		return s.properties(p)
	case "r":
		return s.run(p)
	case "del", "moveFrom":
		return s.d.skipDeleted(s.w)
	case "ins", "moveTo":
		before := p.text.Len()
		err := s.w.children(again)
		s.d.inserted += count(p.text.String()[before:])
		return err
	case "commentRangeStart":
		s.d.open(attr(e, "id"))
	case "commentRangeEnd":
		s.d.shut(attr(e, "id"))
	case "sdtPr", "rPr", "fldData":
	default: // hyperlink, smartTag, customXml, sdt, sdtContent, fldSimple, bdo, dir
		return s.w.children(again)
	}
	return nil
}

// A run is a piece of a paragraph while it is read.
type run struct {
	look   look
	custom *form.Block // the note whose mark is the text that follows
}

func (s *story) run(p *docxPara) error {
	r := &run{}
	return s.w.children(func(e xml.StartElement) error { return s.piece(p, r, e) })
}

// piece reads one child of a run.
func (s *story) piece(p *docxPara, r *run, e xml.StartElement) error {
	again := func(e xml.StartElement) error { return s.piece(p, r, e) }
	if e.Name.Space == "mc" && e.Name.Local == "AlternateContent" {
		return alternate(s.w, again)
	}
	if e.Name.Space != "w" {
		return s.drawing(p)
	}
	switch e.Name.Local {
	case "rPr":
		return s.w.children(func(e xml.StartElement) error { r.look.read(e); return nil })
	case "t":
		var sb strings.Builder
		err := s.w.content(func(xml.StartElement) error { return nil }, func(t string) { sb.WriteString(t) })
		if r.custom != nil {
			r.custom.Number, r.custom = tidy(sb.String()), nil
			return err
		}
		s.write(p, r, sb.String())
		return err
	case "tab", "br", "cr", "ptab":
		s.write(p, r, " ")
	case "noBreakHyphen":
		s.write(p, r, "-")
	case "sym":
		s.write(p, r, symbol(attr(e, "font"), attr(e, "char")))
	case "commentReference":
		if c := s.d.remarks[attr(e, "id")]; c != nil && c.on.Len() == 0 {
			p.about = append(p.about, c)
		}
	case "footnoteReference", "endnoteReference":
		if s.counted {
			r.custom = s.note(p, e)
		}
	case "drawing", "pict":
		return s.drawing(p)
	case "object":
		s.d.parts++
		return s.drawing(p)
	case "ruby":
		return s.w.find("w", "rubyBase", func(xml.StartElement) error {
			return s.w.children(func(e xml.StartElement) error { return s.inline(p, e) })
		})
	}
	return nil
}

// write adds text to a paragraph, or to what of it is hidden.
func (s *story) write(p *docxPara, r *run, text string) {
	seen := r.look.over(p.look)
	if r.look.style != "" {
		seen = r.look.over(s.d.styles.of(r.look.style).look).over(p.look)
	}
	white := seen.white == yes && seen.shaded != yes && !s.cell && !s.d.dark
	if seen.vanish == yes || seen.tiny == yes || white {
		p.hidden.WriteString(text)
		return
	}
	if seen.raised == yes {
		text = raised(text)
	}
	p.text.WriteString(text)
	if s.counted {
		s.d.doc.Found += count(text)
		s.d.opened = about(s.d.opened, text)
	}
}

// drawing reads the text boxes of a drawing: their paragraphs come after the one
// that it is anchored in.
func (s *story) drawing(p *docxPara) error {
	var each func(e xml.StartElement) error
	each = func(e xml.StartElement) error {
		switch {
		case e.Name.Space == "mc" && e.Name.Local == "AlternateContent":
			return alternate(s.w, each)
		case e.Name.Space == "w" && e.Name.Local == "txbxContent":
			box := &story{d: s.d, w: s.w, counted: s.counted, cell: true}
			err := box.blocksOf()
			p.after = append(p.after, box.finish()...)
			return err
		case e.Name.Local == "relIds" && attrOf(e, "r", "dm") != "": // a SmartArt
			items, err := s.d.zip.diagram(s.d.rels[attrOf(e, "r", "dm")].target)
			for _, b := range items {
				if s.counted {
					s.d.doc.Found += count(b.Text)
				}
			}
			p.after = append(p.after, items...)
			return err
		case e.Name.Local == "pic" || e.Name.Local == "imagedata":
			s.d.images++
		case e.Name.Space == "a" && e.Name.Local == "t":
			text, err := s.w.text()
			s.write(p, &run{}, " "+text+" ")
			return err
		}
		return s.w.children(each)
	}
	return s.w.children(each)
}

// math reads an equation as the characters in it.
func (s *story) math(p *docxPara, e xml.StartElement) error {
	if e.Name.Local == "t" {
		text, err := s.w.text()
		s.write(p, &run{}, text)
		return err
	}
	return s.w.children(func(e xml.StartElement) error { return s.inline(p, e) })
}

// symbol returns a character of a symbol font: the boxes and marks of forms, and
// what Symbol has of Greek is rare enough to be left to a bullet.
func symbol(font, char string) string {
	code := char
	if len(code) == 4 && (code[0] == 'F' || code[0] == 'f') {
		code = code[2:]
	}
	switch strings.ToLower(font) + " " + strings.ToUpper(code) {
	case "wingdings 6F", "wingdings A8", "wingdings 2 A3":
		return "☐"
	case "wingdings FE", "wingdings 2 52":
		return "☑"
	case "wingdings FD", "wingdings 2 51", "wingdings 78":
		return "☒"
	case "wingdings FC", "wingdings 2 50":
		return "✓"
	case "wingdings FB", "wingdings 2 4F":
		return "✗"
	case "wingdings E0", "symbol AE":
		return "→"
	case "symbol B3":
		return "≥"
	case "symbol A3":
		return "≤"
	case "symbol B0":
		return "°"
	case "symbol B1":
		return "±"
	case "symbol B4":
		return "×"
	case "symbol D2":
		return "®"
	case "symbol D3":
		return "©"
	}
	return "•"
}
