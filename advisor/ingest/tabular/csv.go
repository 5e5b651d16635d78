// Package tabular reads files of records: tables in CSV and its relatives, and
// JSON, as one array or one object in each line. Records whose fields name a
// citation key and a text become provisions that keep their keys; others become
// rows of a table with the names of their fields.
package tabular

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// MediaCSV is the media type of a table.
const MediaCSV = "text/csv"

// sampled is how many records are looked at to tell whether a text is a table.
const sampled = 200

// delimiters, the likelier of two that fit equally well first.
var delimiters = []rune{'\t', ';', ',', '|'}

// Delimiter returns what separates the cells of a text that is a table, 0 where
// it is none: each record has as many cells as the others, at least two, and
// they are short.
func Delimiter(text string) rune {
	head := text
	if len(head) > 256<<10 {
		head = head[:strings.LastIndexByte(head[:256<<10], '\n')+1]
	}
	best, wide := rune(0), 1
	for _, d := range delimiters {
		if n := columns(head, d); n > wide {
			best, wide = d, n
		}
	}
	return best
}

// columns returns how many cells each record has, 0 where that differs.
func columns(text string, d rune) int {
	if !strings.ContainsRune(text, d) {
		return 0
	}
	r := reader(text, d)
	records, wide, odd, long, cells, spaced := 0, 0, 0, 0, 0, 0
	for records < sampled {
		rec, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0
		}
		if len(rec) == 1 && strings.TrimSpace(rec[0]) == "" {
			continue
		}
		if records++; records == 1 {
			wide = len(rec)
		}
		if len(rec) != wide {
			odd++
		}
		for k, c := range rec {
			cells++
			if len(c) > 200 {
				long++
			}
			if k > 0 && strings.HasPrefix(c, " ") {
				spaced++
			}
		}
	}
	least := 2
	if wide == 2 && d != '\t' {
		least = 4 // two lines with a comma each are prose
	}
	switch {
	case wide < 2, records < least, odd*20 > records, long*4 > cells:
		return 0
	case d == ',' && spaced*3 > cells && wide < 4: // "first, second", as prose sets commas
		return 0
	case d == '|' && strings.Contains(text, "--|"): // a table in Markdown
		return 0
	}
	return wide
}

func reader(text string, d rune) *csv.Reader {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = d, -1, true
	return r
}

// CSV reads a table whose cells a delimiter separates.
func CSV(text string, delimiter rune, _ form.Limits) (*form.Document, error) {
	d := &form.Document{MediaType: MediaCSV}
	if delimiter == '\t' {
		d.MediaType = "text/tab-separated-values"
	}
	var records [][]string
	var lines []int
	r := reader(text, delimiter)
	for {
		rec, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			line, _ := r.FieldPos(0)
			return nil, fault.New(fault.Unreadable, "The table is broken near line %d.", line).Because(err)
		}
		said := false
		for k := range rec {
			rec[k] = tidy(rec[k])
			said = said || rec[k] != ""
			d.Found += form.Characters(rec[k])
		}
		if said {
			line, _ := r.FieldPos(0)
			records, lines = append(records, rec), append(lines, line)
		}
	}
	var header []string
	first := 0
	if isHeader(records) {
		header, first = records[0], 1
	}
	for i := first; i < len(records); i++ {
		d.Blocks = append(d.Blocks, form.Block{Kind: form.Row, Table: 1, Line: lines[i], Header: header, Cells: records[i]})
	}
	return d, nil
}

// isHeader reports whether the first record names the columns: it says something
// different in each, and no numbers.
func isHeader(records [][]string) bool {
	if len(records) < 2 {
		return false
	}
	seen := map[string]bool{}
	for k, c := range records[0] {
		if c == "" && k > 0 && k < len(records[0])-1 || seen[c] || len(c) > 100 || isNumber(c) {
			return false
		}
		seen[c] = true
	}
	return true
}

// isNumber reports whether a cell holds a number, an amount or a date.
func isNumber(c string) bool {
	digits := 0
	for _, r := range c {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			return false
		}
	}
	return digits > 0
}

func tidy(s string) string { return norm.NFC.String(strings.Join(strings.Fields(s), " ")) }
