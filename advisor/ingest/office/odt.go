package office

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// odt is one OpenDocument text while it is read.
type odt struct {
	doc      *form.Document
	w        *walker
	styles   *odtStyles
	tables   int
	images   int
	objects  int
	deleted  int
	inserted int // changes, whose text is in
	heads    [odtLevels]int
	lists    map[string]*odtCount // by id and by style: what later lists may continue
	named    map[string]*remark
	open     []*remark
	order    []*remark
}

// ODT reads an OpenDocument text.
func ODT(data []byte, l form.Limits) (*form.Document, error) {
	c, err := unzip(data, l)
	if err != nil {
		return nil, err
	}
	if err := c.encrypted(); err != nil {
		return nil, err
	}
	d := &odt{
		doc:    &form.Document{MediaType: MediaODT},
		styles: &odtStyles{byName: map[string]*odtStyle{}, lists: map[string]*[odtLevels]*odtLevel{}},
		lists:  map[string]*odtCount{}, named: map[string]*remark{},
	}
	if err := d.meta(c); err != nil {
		return nil, err
	}
	if err := d.readStyles(c); err != nil {
		return nil, err
	}
	w, done, err := c.walk("content.xml")
	defer done()
	if err != nil {
		return nil, err
	}
	if w == nil {
		return nil, fault.New(fault.Unreadable, "The file is damaged: it says that it is an OpenDocument text, but content.xml is missing.")
	}
	d.w = w
	s := &odtStory{d: d, counted: true}
	err = w.children(func(xml.StartElement) error {
		return w.children(func(e xml.StartElement) error {
			if e.Name.Local == "body" {
				return w.children(func(xml.StartElement) error { return w.children(s.block) })
			}
			return d.styles.read(w, e)
		})
	})
	if err != nil {
		return nil, err
	}
	d.doc.Blocks = numberTables(s.blocks)
	return d.close()
}

// encrypted refuses an OpenDocument that its manifest says is protected.
func (c *container) encrypted() error {
	w, done, err := c.walk("META-INF/manifest.xml")
	defer done()
	if w == nil || err != nil {
		return err
	}
	err = w.find("?", "encryption-data", func(xml.StartElement) error { return io.EOF })
	if errors.Is(err, io.EOF) {
		return protected()
	}
	return err
}

// meta reads the title and the language.
func (d *odt) meta(c *container) error {
	w, done, err := c.walk("meta.xml")
	defer done()
	if w == nil || err != nil {
		return err
	}
	return w.find("office", "meta", func(xml.StartElement) error {
		return w.children(func(e xml.StartElement) error {
			if e.Name.Space != "dc" {
				return nil
			}
			s, err := w.text()
			switch e.Name.Local {
			case "title":
				d.doc.Title = tidy(s)
			case "language":
				d.doc.Language = tidy(s)
			}
			return err
		})
	})
}

// readStyles reads styles.xml, with the headers and footers of its pages.
func (d *odt) readStyles(c *container) error {
	w, done, err := c.walk("styles.xml")
	defer done()
	if w == nil || err != nil {
		return err
	}
	d.w = w
	seen := map[string]bool{}
	return w.children(func(xml.StartElement) error {
		return w.children(func(e xml.StartElement) error {
			if e.Name.Local != "master-styles" {
				return d.styles.read(w, e)
			}
			return w.find("style", "master-page", func(xml.StartElement) error {
				return w.children(func(e xml.StartElement) error {
					if !strings.HasPrefix(e.Name.Local, "header") && !strings.HasPrefix(e.Name.Local, "footer") {
						return nil
					}
					s := &odtStory{d: d}
					err := w.children(s.block)
					if text := joined(s.blocks); text != "" && !seen[text] && strings.Trim(text, "0123456789 -–") != "" {
						seen[text] = true
						d.doc.Margins = append(d.doc.Margins, text)
					}
					return err
				})
			})
		})
	})
}

// close reports what was left out.
func (d *odt) close() (*form.Document, error) {
	doc := d.doc
	for _, r := range d.order {
		doc.Comments = append(doc.Comments, form.Comment{By: r.by, On: excerpt(r.on.String()), Text: r.text})
	}
	if d.deleted > 0 || d.inserted > 0 {
		doc.Warnings = append(doc.Warnings, "Tracked changes: "+amount(d.inserted, "insertion")+" are in, "+amount(d.deleted, "character")+" of deletions are left out, as if all were accepted.")
	}
	if d.objects > 0 {
		doc.Warnings = append(doc.Warnings, amount(d.objects, "embedded object")+" in the document: not read.")
	}
	if len(doc.Blocks) == 0 {
		return nil, nothing(d.images)
	}
	if d.images > 0 && doc.Found < 200*d.images {
		doc.Warnings = append(doc.Warnings, pictures(d.images))
	}
	return doc, nil
}
