package office

import (
	"encoding/xml"
	"fmt"
	"sort"
	"strings"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// pptx is one presentation while it is read.
type pptx struct {
	doc     *form.Document
	zip     *container
	page    int
	tables  int
	images  int
	authors map[string]string
	margins map[string]bool
}

// PPTX reads a presentation: its slides are the pages, their titles headings.
func PPTX(data []byte, l form.Limits) (*form.Document, error) {
	c, err := unzip(data, l)
	if err != nil {
		return nil, err
	}
	top, err := c.relations("")
	if err != nil {
		return nil, err
	}
	d := &pptx{doc: &form.Document{MediaType: MediaPPTX}, zip: c, authors: map[string]string{}, margins: map[string]bool{}}
	if err := c.properties(d.doc, top); err != nil {
		return nil, err
	}
	main := partOf(top, "officeDocument", "ppt/presentation.xml")
	slides, err := d.slides(main)
	if err != nil {
		return nil, err
	}
	if l.Pages > 0 && len(slides) > l.Pages {
		return nil, fault.New(fault.TooLarge, "The presentation has %d slides; at most %d are read.", len(slides), l.Pages)
	}
	d.doc.Pages = len(slides)
	for i, part := range slides {
		d.page = i + 1
		if err := d.slide(part); err != nil {
			return nil, err
		}
	}
	if len(d.doc.Blocks) == 0 {
		return nil, nothing(d.images)
	}
	d.doc.Blocks = numberTables(d.doc.Blocks)
	return d.doc, nil
}

// slides returns the parts of the slides, in their order.
func (d *pptx) slides(main string) (parts []string, err error) {
	rels, err := d.zip.relations(main)
	if err != nil {
		return nil, err
	}
	if err := d.readAuthors(partOf(rels, "commentAuthors", "")); err != nil {
		return nil, err
	}
	w, done, err := d.zip.walk(main)
	defer done()
	if err != nil {
		return nil, err
	}
	if w == nil {
		return nil, fault.New(fault.Unreadable, "The file is damaged: it says that it is a presentation, but %s is missing.", main)
	}
	err = w.find("p", "sldId", func(e xml.StartElement) error {
		if r := rels[attrOf(e, "r", "id")]; r.target != "" {
			parts = append(parts, r.target)
		}
		return nil
	})
	return parts, err
}

// A slide is one page while it is read.
type slide struct {
	d      *pptx
	w      *walker
	title  []form.Block
	blocks []form.Block
	found  int
	foot   []string // date, footer and number
	hidden bool
}

func (d *pptx) slide(part string) error {
	s, err := d.read(part)
	if s == nil || err != nil {
		return err
	}
	rels, err := d.zip.relations(part)
	if err != nil {
		return err
	}
	for _, r := range inOrder(rels, "diagramData") {
		items, err := d.zip.diagram(r)
		if err != nil {
			return err
		}
		for _, b := range items {
			s.found += count(b.Text)
		}
		s.blocks = append(s.blocks, items...)
	}
	notes, err := d.notes(rels)
	if err != nil {
		return err
	}
	blocks := append(append(s.title, s.blocks...), notes...)
	if s.hidden {
		hide(d.doc, d.page, "Hidden slide: "+joined(blocks))
		d.doc.Warnings = append(d.doc.Warnings, fmt.Sprintf("p. %d: the slide is hidden, and left out.", d.page))
		return nil
	}
	d.doc.Found += s.found
	for _, n := range notes {
		d.doc.Found += count(n.Text)
	}
	for _, text := range s.foot {
		if text = tidy(text); strings.Trim(text, "0123456789‹#› ") != "" && !d.margins[text] {
			d.margins[text] = true
			d.doc.Margins = append(d.doc.Margins, text)
		}
	}
	for i := range blocks {
		blocks[i].Page = d.page
	}
	d.doc.Blocks = append(d.doc.Blocks, blocks...)
	return d.comments(rels)
}

// inOrder returns the parts that relations of a kind lead to.
func inOrder(rels map[string]relation, kind string) (parts []string) {
	for _, r := range rels {
		if r.kind == kind && r.target != "" {
			parts = append(parts, r.target)
		}
	}
	sort.Strings(parts)
	return parts
}

// read reads the shapes of a slide or of a page of notes.
func (d *pptx) read(part string) (*slide, error) {
	w, done, err := d.zip.walk(part)
	defer done()
	if w == nil || err != nil {
		return nil, err
	}
	s := &slide{d: d, w: w}
	return s, w.children(func(e xml.StartElement) error {
		s.hidden = attr(e, "show") == "0" || attr(e, "show") == "false"
		return w.children(s.shape)
	})
}

// notes returns the speaker's notes of a slide.
func (d *pptx) notes(rels map[string]relation) ([]form.Block, error) {
	part := partOf(rels, "notesSlide", "")
	if part == "" {
		return nil, nil
	}
	s, err := d.read(part)
	if s == nil || err != nil {
		return nil, err
	}
	var out []form.Block
	for _, b := range s.blocks {
		if text := joined([]form.Block{b}); text != "" {
			out = append(out, form.Block{Kind: form.Note, Text: text})
		}
	}
	return out, nil
}

// diagram returns the texts of a SmartArt, in the order of its points.
func (c *container) diagram(part string) (items []form.Block, err error) {
	w, done, err := c.walk(part)
	defer done()
	if w == nil || err != nil {
		return nil, err
	}
	err = w.find("a", "p", func(xml.StartElement) error {
		in := &slide{w: w}
		text, err := in.runs()
		if text = tidy(text); text != "" {
			items = append(items, form.Block{Kind: form.Item, Level: 1, Text: text})
		}
		return err
	})
	return items, err
}

func (d *pptx) readAuthors(part string) error {
	w, done, err := d.zip.walk(part)
	defer done()
	if w == nil || err != nil {
		return err
	}
	return w.find("p", "cmAuthor", func(e xml.StartElement) error {
		d.authors[attr(e, "id")] = tidy(attr(e, "name"))
		return nil
	})
}

// comments reads the remarks on a slide.
func (d *pptx) comments(rels map[string]relation) error {
	for _, part := range inOrder(rels, "comments") {
		w, done, err := d.zip.walk(part)
		if err == nil && w != nil {
			err = w.children(func(xml.StartElement) error {
				return w.children(func(e xml.StartElement) error {
					text, err := w.text()
					if text = tidy(text); text != "" {
						d.doc.Comments = append(d.doc.Comments, form.Comment{By: d.authors[attr(e, "authorId")], On: fmt.Sprintf("p. %d", d.page), Text: text})
					}
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
