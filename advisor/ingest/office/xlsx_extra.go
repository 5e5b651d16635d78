package office

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"

	"github.com/xuri/excelize/v2"

	"polaris/advisor/ingest/form"
)

// maxMerged bounds the merged cells of a sheet that are looked at.
const maxMerged = 20_000

// A span is a range of cells, from 1, all inclusive.
type span struct{ top, left, bottom, right int }

// sheetExtra is what a sheet says beside its rows.
type sheetExtra struct {
	columns []bool         // that are hidden, from 1
	merges  map[int][]span // by row
	header  int            // the row that names the columns of a table, 0: it says none
	frozen  int            // rows that stay in view
	texts   []string       // of text boxes
	told    map[int]bool   // hidden columns that are flagged
}

// parts returns the part of each sheet by its name.
func (d *xlsx) parts(main string) (map[string]string, error) {
	rels, err := d.zip.relations(main)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	w, done, err := d.zip.walk(main)
	defer done()
	if w == nil || err != nil {
		return out, err
	}
	return out, w.find("s", "sheet", func(e xml.StartElement) error {
		out[attr(e, "name")] = rels[attrOf(e, "r", "id")].target
		return nil
	})
}

// extra reads what a sheet says beside its rows.
func (d *xlsx) extra(part string) (*sheetExtra, error) {
	x := &sheetExtra{merges: map[int][]span{}, told: map[int]bool{}}
	w, done, err := d.zip.walk(part)
	defer done()
	if w == nil || err != nil {
		return x, err
	}
	if err := w.children(func(xml.StartElement) error {
		return w.children(func(e xml.StartElement) error { return d.part(w, x, e) })
	}); err != nil {
		return nil, err
	}
	rels, err := d.zip.relations(part)
	if err != nil {
		return nil, err
	}
	for _, table := range inOrder(rels, "table") {
		if err := d.table(x, table); err != nil {
			return nil, err
		}
	}
	for _, comments := range inOrder(rels, "comments") {
		if err := d.comments(comments); err != nil {
			return nil, err
		}
	}
	for _, drawing := range inOrder(rels, "drawing") {
		if err := d.drawing(x, drawing); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// part reads one part of a sheet.
func (d *xlsx) part(w *walker, x *sheetExtra, e xml.StartElement) error {
	switch e.Name.Local {
	case "sheetViews":
		return w.find("s", "pane", func(e xml.StartElement) error {
			if s := attr(e, "state"); s == "frozen" || s == "frozenSplit" {
				x.frozen = number(attr(e, "ySplit"), 0)
			}
			return nil
		})
	case "cols":
		return w.children(func(e xml.StartElement) error {
			if h := attr(e, "hidden"); h == "1" || h == "true" {
				for c := max(number(attr(e, "min"), 1), 1); c <= min(number(attr(e, "max"), 0), excelize.MaxColumns); c++ {
					for len(x.columns) <= c {
						x.columns = append(x.columns, false)
					}
					x.columns[c] = true
				}
			}
			return nil
		})
	case "autoFilter":
		if s, ok := cells(attr(e, "ref")); ok {
			x.header = s.top
		}
	case "mergeCells":
		n := 0
		return w.children(func(e xml.StartElement) error {
			s, ok := cells(attr(e, "ref"))
			if !ok {
				return nil
			}
			for row := s.top; row <= s.bottom && n < maxMerged && len(x.merges[row]) < maxSpan; row++ {
				x.merges[row] = append(x.merges[row], s)
				n++
			}
			return nil
		})
	case "headerFooter":
		return w.children(func(xml.StartElement) error {
			s, err := w.text()
			if s = tidy(codes.ReplaceAllString(s, " ")); s != "" && !has(d.doc.Margins, s) {
				d.doc.Margins = append(d.doc.Margins, s)
			}
			return err
		})
	}
	return nil
}

// codes are those of headers and footers: places, fonts, sizes, fields.
var codes = regexp.MustCompile(`&"[^"]*"|&K[0-9A-Fa-f]{6}|&[0-9]+|&[A-Za-z]`)

func has(in []string, s string) bool {
	for _, t := range in {
		if t == s {
			return true
		}
	}
	return false
}

// cells returns the cells of a reference: "A1:C3".
func cells(ref string) (s span, ok bool) {
	from, to, two := strings.Cut(ref, ":")
	if !two {
		to = from
	}
	left, top, err := excelize.CellNameToCoordinates(from)
	if err != nil {
		return s, false
	}
	right, bottom, err := excelize.CellNameToCoordinates(to)
	return span{top, left, bottom, right}, err == nil
}

// table reads where a table of the sheet has its header.
func (d *xlsx) table(x *sheetExtra, part string) error {
	w, done, err := d.zip.walk(part)
	defer done()
	if w == nil || err != nil {
		return err
	}
	return w.children(func(e xml.StartElement) error {
		if s, ok := cells(attr(e, "ref")); ok && attr(e, "headerRowCount") != "0" && (x.header == 0 || s.top < x.header) {
			x.header = s.top
		}
		return nil
	})
}

// comments reads the notes on cells.
func (d *xlsx) comments(part string) error {
	w, done, err := d.zip.walk(part)
	defer done()
	if w == nil || err != nil {
		return err
	}
	var authors []string
	var each func(e xml.StartElement) error
	each = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "author":
			s, err := w.text()
			authors = append(authors, tidy(s))
			return err
		case "comment":
			s, err := w.text()
			c := form.Comment{On: attr(e, "ref"), Text: tidy(s)}
			if i := number(attr(e, "authorId"), unset); i >= 0 && i < len(authors) {
				c.By = authors[i]
			}
			d.doc.Comments = append(d.doc.Comments, c)
			return err
		}
		return w.children(each)
	}
	return w.children(each)
}

// drawing reads the text boxes of a sheet.
func (d *xlsx) drawing(x *sheetExtra, part string) error {
	w, done, err := d.zip.walk(part)
	defer done()
	if w == nil || err != nil {
		return err
	}
	return w.find("a", "p", func(xml.StartElement) error {
		s := &slide{w: w}
		text, err := s.runs()
		if text = tidy(text); text != "" {
			x.texts = append(x.texts, text)
		}
		return err
	})
}

func (x *sheetExtra) hidden(column int) bool {
	return column < len(x.columns) && x.columns[column]
}

// unseen flags a hidden column, once.
func (x *sheetExtra) unseen(d *form.Document, sheet string, column int, text string) {
	if x.told[column] {
		return
	}
	x.told[column] = true
	name, _ := excelize.ColumnNumberToName(column)
	hide(d, 0, fmt.Sprintf("Sheet %s, hidden column %s: %s", sheet, name, text))
}

// merged returns the range that a cell is merged into.
func (x *sheetExtra) merged(row, column int) *span {
	for i, s := range x.merges[row] {
		if column >= s.left && column <= s.right {
			return &x.merges[row][i]
		}
	}
	return nil
}

// visible returns how many of the columns are shown.
func (x *sheetExtra) visible(from, to int) (n int32) {
	for c := from; c <= to && n < maxSpan; c++ {
		if !x.hidden(c) {
			n++
		}
	}
	return max(n, 1)
}
