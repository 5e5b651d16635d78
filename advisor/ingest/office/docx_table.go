package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"polaris/advisor/ingest/form"
)

// A docxTable is a table while it is read.
type docxTable struct {
	grid   grid
	number int
	single []form.Block // the blocks of its only cell
	cells  int
	after  []form.Block // tables and notes in its cells: they come after it
	marked bool         // it says itself which rows are headers
	body   bool         // the rows marked as header are over
	looked bool         // it says whether its first row is one
}

// tableRow is what a row says of itself.
type tableRow struct {
	cells   []cell
	header  bool
	deleted bool
}

func (s *story) table() error {
	s.d.tables++
	t := &docxTable{number: s.d.tables}
	if n := len(s.blocks); n > 0 && s.blocks[n-1].Kind == form.Paragraph && strings.HasPrefix(s.blocks[n-1].Text, "Table ") {
		t.grid.title = excerpt(s.blocks[n-1].Text)
	}
	if err := s.w.children(func(e xml.StartElement) error { return s.tablePart(t, e) }); err != nil {
		return err
	}
	if t.cells == 1 {
		s.blocks = append(s.blocks, t.single...) // a frame, not a table
		return nil
	}
	t.grid.guess, t.grid.marked = !t.looked && !t.marked, t.marked
	s.blocks = append(append(s.blocks, t.grid.blocks(t.number)...), t.after...)
	return nil
}

func (s *story) tablePart(t *docxTable, e xml.StartElement) error {
	again := func(e xml.StartElement) error { return s.tablePart(t, e) }
	switch e.Name.Local {
	case "tblPr":
		return s.w.children(func(e xml.StartElement) error {
			switch e.Name.Local {
			case "tblLook":
				t.looked = true
				if firstRow(e) && !t.marked {
					t.grid.header = 1
				}
			case "tblCaption":
				t.grid.title = tidy(attr(e, "val"))
			}
			return nil
		})
	case "tr":
		return s.row(t)
	case "AlternateContent":
		return alternate(s.w, again)
	case "tblGrid", "sdtPr":
		return nil
	}
	return s.w.children(again) // sdt, sdtContent, customXml, ins
}

// firstRow reports whether a w:tblLook gives the first row a form of its own.
func firstRow(e xml.StartElement) bool {
	if v := attr(e, "firstRow"); v != "" {
		return v == "1" || v == "true" || v == "on"
	}
	bits, err := strconv.ParseUint(attr(e, "val"), 16, 32)
	return err == nil && bits&0x20 != 0
}

func (s *story) row(t *docxTable) error {
	r := &tableRow{}
	if err := s.w.children(func(e xml.StartElement) error { return s.rowPart(t, r, e) }); err != nil {
		return err
	}
	if r.deleted {
		return nil
	}
	switch {
	case r.header && !t.body:
		if !t.marked {
			t.marked, t.grid.header = true, 0
		}
		t.grid.header++
	default:
		t.body = true
	}
	t.grid.rows = append(t.grid.rows, r.cells)
	return nil
}

func (s *story) rowPart(t *docxTable, r *tableRow, e xml.StartElement) error {
	switch e.Name.Local {
	case "trPr":
		return s.w.children(func(e xml.StartElement) error {
			switch e.Name.Local {
			case "tblHeader":
				r.header = on(e)
			case "del":
				r.deleted = true
			case "gridBefore":
				for range min(number(attr(e, "val"), 0), maxSpan) {
					r.cells = append(r.cells, cell{})
				}
			}
			return nil
		})
	case "tc":
		if r.deleted {
			return s.d.skipDeleted(s.w)
		}
		return s.cellOf(t, r)
	case "AlternateContent":
		return alternate(s.w, func(e xml.StartElement) error { return s.rowPart(t, r, e) })
	case "sdtPr", "tblPrEx":
		return nil
	}
	return s.w.children(func(e xml.StartElement) error { return s.rowPart(t, r, e) })
}

func (s *story) cellOf(t *docxTable, r *tableRow) error {
	in := &story{d: s.d, w: s.w, counted: s.counted, cell: true}
	c, deleted := cell{}, false
	err := s.w.children(func(e xml.StartElement) error {
		if deleted {
			return s.d.skipDeleted(s.w)
		}
		if e.Name.Local != "tcPr" {
			return in.block(e)
		}
		return s.w.children(func(e xml.StartElement) error {
			switch e.Name.Local {
			case "gridSpan":
				c.cols = spanned(attr(e, "val"))
			case "vMerge":
				c.below = attr(e, "val") != "restart"
			case "cellDel":
				deleted = true
			}
			return nil
		})
	})
	if err != nil || deleted {
		return err
	}
	blocks := in.finish()
	t.cells++
	t.single = blocks
	var own []form.Block
	for _, b := range blocks {
		if b.Kind == form.Row || b.Kind == form.Note {
			if b.Kind == form.Row && b.Title == "" && len(r.cells) > 0 {
				b.Title = excerpt(r.cells[0].text) // what the table in the cell is about
			}
			t.after = append(t.after, b)
			continue
		}
		own = append(own, b)
	}
	c.text = joined(own)
	r.cells = append(r.cells, c)
	return nil
}
