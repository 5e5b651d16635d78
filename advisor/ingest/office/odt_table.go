package office

import (
	"encoding/xml"

	"polaris/advisor/ingest/form"
)

// An odtTable is a table while it is read.
type odtTable struct {
	grid   grid
	number int
	single []form.Block
	cells  int
	after  []form.Block
	header bool  // the rows that are read are the header
	down   []int // rows that the cell of a column still covers
}

func (s *odtStory) table(e xml.StartElement) error {
	s.d.tables++
	t := &odtTable{number: s.d.tables}
	if err := s.d.w.children(func(e xml.StartElement) error { return s.tablePart(t, e) }); err != nil {
		return err
	}
	if t.cells == 1 {
		s.blocks = append(s.blocks, t.single...) // a frame, not a table
		return nil
	}
	t.grid.guess, t.grid.marked = t.grid.header == 0, t.grid.header > 0
	if attr(e, "display") == "false" {
		return nil
	}
	s.blocks = append(append(s.blocks, t.grid.blocks(t.number)...), t.after...)
	return nil
}

func (s *odtStory) tablePart(t *odtTable, e xml.StartElement) error {
	switch e.Name.Local {
	case "table-header-rows":
		t.header = true
		err := s.d.w.children(func(e xml.StartElement) error { return s.tablePart(t, e) })
		t.header = false
		return err
	case "table-row":
		return s.row(t)
	case "table-column", "title", "desc", "shapes":
		return nil
	}
	return s.d.w.children(func(e xml.StartElement) error { return s.tablePart(t, e) })
}

func (s *odtStory) row(t *odtTable) error {
	if t.header && len(t.grid.rows) == t.grid.header {
		t.grid.header++
	}
	var cells []cell
	skip := 0 // covered cells that the one before stands for
	err := s.d.w.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "table-cell":
			c, err := s.cellOf(t, cells)
			if err != nil {
				return err
			}
			c.cols = spanned(attr(e, "number-columns-spanned"))
			col := width(cells)
			for len(t.down) < col+int(c.cols) {
				t.down = append(t.down, 0)
			}
			for k := range int(c.cols) {
				t.down[col+k] = number(attr(e, "number-rows-spanned"), 1) - 1
			}
			skip = int(c.cols) - 1
			cells = append(cells, c)
			for range min(number(attr(e, "number-columns-repeated"), 1), maxSpan) - 1 {
				if len(c.text) > maxRepeat {
					c.text = ""
				}
				cells = append(cells, cell{text: c.text})
			}
		case "covered-table-cell":
			for range min(max(number(attr(e, "number-columns-repeated"), 1), 1), maxSpan) {
				if skip > 0 {
					skip--
					continue
				}
				c := cell{}
				if col := width(cells); col < len(t.down) && t.down[col] > 0 {
					t.down[col]--
					c.below = true
				}
				cells = append(cells, c)
			}
		}
		return nil
	})
	t.grid.rows = append(t.grid.rows, cells)
	return err
}

// width is how many columns cells take up.
func width(cells []cell) (n int) {
	for _, c := range cells {
		n += max(int(c.cols), 1)
	}
	return n
}

func (s *odtStory) cellOf(t *odtTable, before []cell) (cell, error) {
	in := &odtStory{d: s.d, counted: s.counted, cell: true, hidden: s.hidden}
	err := s.d.w.children(in.block)
	t.cells++
	t.single = in.blocks
	var own []form.Block
	for _, b := range in.blocks {
		if b.Kind == form.Row || b.Kind == form.Note {
			if b.Kind == form.Row && b.Title == "" && len(before) > 0 {
				b.Title = excerpt(before[0].text)
			}
			t.after = append(t.after, b)
			continue
		}
		own = append(own, b)
	}
	return cell{text: joined(own)}, err
}
