package office

import (
	"encoding/xml"
	"fmt"
	"sort"
	"strings"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// docx is one document of Word while it is read.
type docx struct {
	doc     *form.Document
	zip     *container
	styles  *docxStyles
	lists   *docxLists
	rels    map[string]relation
	notes   [2]notes // footnotes and endnotes
	remarks map[string]*remark
	order   []*remark       // as the file has them
	opened  []*remark       // those that are about what is being read
	margins map[string]bool // headers and footers that sections refer to

	tables   int
	inserted int // characters
	deleted  int
	images   int
	parts    int  // of other files, not read
	dark     bool // the pages have a background: white text may be seen
}

// DOCX reads a document of Word, transitional or strict.
func DOCX(data []byte, l form.Limits) (*form.Document, error) {
	c, err := unzip(data, l)
	if err != nil {
		return nil, err
	}
	top, err := c.relations("")
	if err != nil {
		return nil, err
	}
	main := partOf(top, "officeDocument", "word/document.xml")
	d := &docx{doc: &form.Document{MediaType: MediaDOCX}, zip: c, margins: map[string]bool{}}
	if err := d.load(top, main); err != nil {
		return nil, err
	}
	w, done, err := c.walk(main)
	defer done()
	if err != nil {
		return nil, err
	}
	if w == nil {
		return nil, fault.New(fault.Unreadable, "The file is damaged: it says that it is a Word document, but %s is missing.", main)
	}
	s := &story{d: d, w: w, counted: true}
	if err := s.blocksOf(); err != nil {
		return nil, err
	}
	d.doc.Blocks = numberTables(s.finish())
	if err := d.readMargins(); err != nil {
		return nil, err
	}
	return d.close()
}

// load reads what the text refers to.
func (d *docx) load(top map[string]relation, main string) (err error) {
	if err = d.zip.properties(d.doc, top); err != nil {
		return err
	}
	if d.rels, err = d.zip.relations(main); err != nil {
		return err
	}
	if d.styles, err = d.zip.styles(partOf(d.rels, "styles", "word/styles.xml")); err != nil {
		return err
	}
	if d.lists, err = d.zip.lists(partOf(d.rels, "numbering", "word/numbering.xml"), d.styles); err != nil {
		return err
	}
	if d.remarks, err = d.readComments(partOf(d.rels, "comments", "word/comments.xml")); err != nil {
		return err
	}
	defer d.lists.anew() // notes and comments count for themselves
	return d.readNotes()
}

// close reports what was left out.
func (d *docx) close() (*form.Document, error) {
	doc := d.doc
	for _, r := range d.order {
		doc.Comments = append(doc.Comments, form.Comment{By: r.by, On: excerpt(r.on.String()), Text: r.text})
	}
	doc.Warnings = append(doc.Warnings, changes(d.inserted, d.deleted)...)
	if d.parts > 0 {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("%s in the document: not read. Import them on their own if they matter.", amount(d.parts, "file")))
	}
	if len(doc.Blocks) == 0 {
		return nil, nothing(d.images)
	}
	if d.images > 0 && doc.Found < 200*d.images {
		doc.Warnings = append(doc.Warnings, pictures(d.images))
	}
	return doc, nil
}

// changes says what became of tracked changes.
func changes(inserted, deleted int) []string {
	if inserted == 0 && deleted == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Tracked changes: %s of insertions are in, %s of deletions are left out, as if all were accepted.",
		amount(inserted, "character"), amount(deleted, "character"))}
}

// nothing says that there is no text.
func nothing(images int) error {
	if images > 0 {
		return fault.New(fault.Unreadable, "The document holds no text, only %s.", amount(images, "picture"))
	}
	return fault.New(fault.Unreadable, "The document is empty: it holds no text.")
}

// pictures warns of a document that may be scanned.
func pictures(n int) string {
	return amount(n, "picture") + " in the document and little text: what pictures show is not read."
}

func amount(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// numberTables counts the tables in the order in which their first rows stand.
func numberTables(blocks []form.Block) []form.Block {
	at := map[int]int{}
	for i := range blocks {
		if t := blocks[i].Table; t > 0 {
			if at[t] == 0 {
				at[t] = len(at) + 1
			}
			blocks[i].Table = at[t]
		}
	}
	return blocks
}

// readMargins reads the headers and footers that sections refer to.
func (d *docx) readMargins() error {
	var parts []string
	for id := range d.margins {
		if r := d.rels[id]; r.target != "" {
			parts = append(parts, r.target)
		}
	}
	sort.Strings(parts)
	seen := map[string]bool{}
	for _, part := range parts {
		w, done, err := d.zip.walk(part)
		if w == nil || err != nil {
			return err
		}
		s := &story{d: d, w: w}
		err = w.children(func(xml.StartElement) error { return s.blocksOf() })
		done()
		if err != nil {
			return err
		}
		if text := joined(s.finish()); text != "" && !seen[text] && strings.Trim(text, "0123456789 -–") != "" {
			seen[text] = true
			d.doc.Margins = append(d.doc.Margins, text)
		}
	}
	return nil
}
