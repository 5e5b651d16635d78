package office

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/xuri/excelize/v2"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// onDisk is how large a sheet's XML is before it is unpacked into a file instead
// of memory.
const onDisk = 16 << 20

const (
	maxSheets = 2000
	maxCells  = 2 << 20  // of a workbook, those included that only keep others in place
	maxValues = 64 << 20 // bytes of what is in them: many cells may refer to one long text
)

// xlsx is one workbook while it is read.
type xlsx struct {
	doc  *form.Document
	zip  *container
	file *excelize.File

	cells  int
	values int // bytes
}

// XLSX reads a workbook: each sheet is a table. Hidden sheets, rows and columns
// are left out and flagged.
func XLSX(data []byte, l form.Limits) (doc *form.Document, err error) {
	c, err := unzip(data, l)
	if err != nil {
		return nil, err
	}
	if err := c.declared(); err != nil {
		return nil, err
	}
	defer func() { // the library trusts the structure of what it reads
		if p := recover(); p != nil {
			doc, err = nil, damaged("the workbook", fmt.Errorf("%v", p))
		}
	}()
	most := l.Unpacked
	if most <= 0 {
		most = 1 << 34
	}
	file, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{
		UnzipSizeLimit: most, UnzipXMLSizeLimit: min(most, onDisk), TmpDir: os.TempDir(),
	})
	if err != nil {
		return nil, damaged("the workbook", err)
	}
	defer func() { _ = file.Close() }()
	d := &xlsx{doc: &form.Document{MediaType: MediaXLSX}, zip: c, file: file}
	top, err := c.relations("")
	if err != nil {
		return nil, err
	}
	if err := c.properties(d.doc, top); err != nil {
		return nil, err
	}
	if err := d.sheets(partOf(top, "officeDocument", "xl/workbook.xml")); err != nil {
		return nil, err
	}
	if len(d.doc.Blocks) == 0 {
		return nil, fault.New(fault.Unreadable, "The workbook is empty: no sheet that is shown holds anything.")
	}
	d.doc.Blocks = numberTables(d.doc.Blocks)
	return d.doc, nil
}

// declared refuses what says itself that it unpacks to too much. The package
// that unpacks stops at the declared size, so that the sum holds.
func (c *container) declared() error {
	sum := int64(0)
	for _, f := range c.entries {
		n := int64(min(f.UncompressedSize64, 1<<40)) //nolint:gosec // bounded
		sum += n
		if l := c.limits.Ratio; l > 0 && n > exempt && n > l*max(int64(min(f.CompressedSize64, 1<<40)), 1) { //nolint:gosec // bounded
			return fault.New(fault.TooLarge, "%s in the file unpacks to more than %d times its size: that is no document.", f.Name, l)
		}
	}
	if l := c.limits.Unpacked; l > 0 && sum > l {
		return fault.New(fault.TooLarge, "The file unpacks to more than %d MiB.", l>>20)
	}
	return nil
}

// sheets reads the sheets in their order.
func (d *xlsx) sheets(main string) error {
	parts, err := d.parts(main)
	if err != nil {
		return err
	}
	if n := len(d.file.GetSheetList()); n > maxSheets {
		return fault.New(fault.TooLarge, "The workbook has %d sheets; at most %d are read.", n, maxSheets)
	}
	for i, name := range d.file.GetSheetList() {
		extra, err := d.extra(parts[name])
		if err != nil {
			return err
		}
		s := &sheet{d: d, name: name, number: i + 1, extra: extra}
		if s.shown, err = d.file.GetSheetVisible(name); err != nil {
			return damaged("the sheet "+name, err)
		}
		if err := s.read(); err != nil {
			return err
		}
		s.emit()
	}
	return nil
}

// A sheet is one sheet while it is read.
type sheet struct {
	d      *xlsx
	name   string
	number int
	shown  bool
	extra  *sheetExtra
	grid   grid
}

// read reads the rows that are shown, and only the columns that are.
func (s *sheet) read() error {
	rows, err := s.d.file.Rows(s.name)
	if err != nil {
		if strings.Contains(err.Error(), "not a worksheet") { // a chart
			return nil
		}
		return damaged("the sheet "+s.name, err)
	}
	defer func() { _ = rows.Close() }()
	for line := 1; rows.Next(); line++ {
		hidden := rows.GetRowOpts().Hidden
		values, err := rows.Columns()
		if err != nil {
			return damaged(fmt.Sprintf("the sheet %s, row %d,", s.name, line), err)
		}
		if len(values) == 0 {
			continue
		}
		if hidden || !s.shown {
			if s.shown {
				hide(s.d.doc, 0, fmt.Sprintf("Sheet %s, hidden row %d: %s", s.name, line, strings.Join(values, " ")))
			} else if len(s.grid.rows) == 0 {
				hide(s.d.doc, 0, fmt.Sprintf("Hidden sheet %s: %s", s.name, strings.Join(values, " ")))
				s.grid.rows = append(s.grid.rows, nil)
			}
			continue
		}
		if err := s.row(line, values); err != nil {
			return err
		}
	}
	if err := rows.Error(); err != nil {
		return damaged("the sheet "+s.name, err)
	}
	return nil
}

// row adds one row.
func (s *sheet) row(line int, values []string) error {
	cells := make([]cell, 0, len(values))
	some := false
	if s.d.cells += len(values); s.d.cells > maxCells {
		return fault.New(fault.TooLarge, "The workbook has more than %d cells (sheet %s, row %d). Split it and import the parts.", maxCells, s.name, line)
	}
	for i, v := range values {
		if s.d.values += len(v); s.d.values > maxValues {
			return fault.New(fault.TooLarge, "The workbook has more than %d MiB of text (sheet %s, row %d). Split it and import the parts.", maxValues>>20, s.name, line)
		}
		v = tidy(v)
		if s.extra.hidden(i + 1) {
			if v != "" {
				s.extra.unseen(s.d.doc, s.name, i+1, v)
			}
			continue
		}
		c := cell{text: v}
		if m := s.extra.merged(line, i+1); m != nil {
			switch {
			case m.top == line && m.left == i+1:
				c.cols = s.extra.visible(m.left, m.right)
			case m.left != i+1:
				continue // what is to its left covers it
			default:
				c.below, c.cols, c.text = true, s.extra.visible(m.left, m.right), ""
			}
		}
		some = some || c.text != ""
		s.d.doc.Found += count(c.text)
		cells = append(cells, c)
	}
	if some {
		s.grid.rows = append(s.grid.rows, cells)
		s.grid.lines = append(s.grid.lines, line)
	}
	return nil
}

// emit makes the blocks of the sheet: what stands above the header has none.
func (s *sheet) emit() {
	if !s.shown {
		s.d.doc.Warnings = append(s.d.doc.Warnings, fmt.Sprintf("The sheet %s is hidden, and left out.", s.name))
		return
	}
	s.grid.title = s.name
	above, n := s.head()
	if above > 0 {
		top := grid{title: s.name, rows: s.grid.rows[:above], lines: s.grid.lines[:above]}
		s.d.doc.Blocks = append(s.d.doc.Blocks, top.blocks(s.number)...)
	}
	s.grid.rows, s.grid.lines, s.grid.header, s.grid.marked = s.grid.rows[above:], s.grid.lines[above:], n, true
	s.d.doc.Blocks = append(s.d.doc.Blocks, s.grid.blocks(s.number)...)
	for _, text := range s.extra.texts {
		s.d.doc.Found += count(text)
		s.d.doc.Blocks = append(s.d.doc.Blocks, form.Block{Kind: form.Paragraph, Text: text})
	}
}

// head returns how many rows stand above the header and how many it has. What
// the file says comes first: its tables, its filter, the rows that stay in view.
func (s *sheet) head() (above, n int) {
	for i, line := range s.grid.lines {
		switch {
		case line == s.extra.header:
			return i, 1
		case s.extra.header > 0 || s.extra.frozen == 0 || line > s.extra.frozen:
		case i+1 == len(s.grid.lines) || s.grid.lines[i+1] > s.extra.frozen: // the last of those that stay
			return i, 1
		}
	}
	widest := 0
	for _, r := range s.grid.rows[:min(len(s.grid.rows), sampled)] {
		widest = max(widest, filled(r))
	}
	for i := range min(len(s.grid.rows), sampled) {
		rest := s.grid.rows[i:min(len(s.grid.rows), i+sampled)]
		if 5*filled(rest[0]) >= 3*widest && named(rest) {
			return i, 1
		}
	}
	return 0, 0
}

// sampled is how many rows are looked at for a header.
const sampled = 40

func filled(row []cell) (n int) {
	for _, c := range row {
		if c.text != "" {
			n++
		}
	}
	return n
}
