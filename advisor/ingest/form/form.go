// Package form is what every reader of a file format hands over: the readable
// text of a document as a list of blocks, in reading order, before it has
// offsets, passages or citation keys. Package ingest makes those of it, the same
// way for each format.
//
// A reader says what the file says and no more: a heading is one because the
// file marks it so (or, in a PDF, sets it so), a number is the one that the
// format's own program would show.
package form

import (
	"cmp"
	"unicode"

	"polaris/models"
)

// A Kind says what a block is.
type Kind uint8

// The kinds of blocks.
const (
	Paragraph Kind = iota
	Heading        // Level from 1
	Item           // of a list; Level is its depth, from 1
	Row            // of a table; Cells and Header are set, Text is not
	Code           // kept line for line
	Note           // a footnote or endnote; Number is its mark
)

// A Block is one paragraph, heading, list item, table row or note.
type Block struct {
	Kind  Kind
	Level int // of a heading or item, from 1; 0 where it has none
	Page  int // from 1; 0 where the format has no pages

	// Number is the label that readers see before the text, where the format
	// keeps it apart from the text: "4.2(a)", "(iii)", "•". Text does not repeat
	// it.
	Number string

	// Key is the citation key that the file itself gives, as "12 CFR 1002.9(a)".
	// Where every block that is cited has one, the document keeps them.
	Key string

	Text string // UTF-8, NFC, no line endings but in Code, no leading or trailing space

	// Of a row. Table counts the document's tables from 1, Line the rows of the
	// table as they stand in the file, from 1 (a spreadsheet's row number). Header
	// is the names of the columns, one for each cell, empty where the table has no
	// header; every row of a table carries it. The header row itself is no block.
	Table  int
	Line   int
	Title  string // of the table or sheet, on each of its rows
	Header []string
	Cells  []string
}

// A Document is what was read from one file.
type Document struct {
	MediaType string
	Title     string // of its own, from the file's properties or title page; "" where it has none
	Language  string // BCP 47, where the file says; else ""
	Pages     int    // 0 where the format has none
	Blocks    []Block

	Found    int           // characters of text that the file holds, counted apart from Blocks where the format allows; 0: not counted
	Margins  []string      // headers and footers that repeat from page to page, each once
	Comments []Comment     // of reviewers: reported, never text
	Warnings []string      // what a curator should look at, each with its page: "p. 3: no text, only an image."
	Flags    []models.Flag // what makes the source wait for a curator
}

// A Comment is a reviewer's remark in a document.
type Comment struct {
	By   string `json:"by,omitempty"`
	On   string `json:"on,omitempty"` // the text that it is about, its beginning
	Text string `json:"text"`
}

// Characters counts what Found and its like count: what is not white space.
func Characters(s string) int {
	n := 0
	for _, r := range s {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

// Limits bound what a reader does with one file. A zero is no limit to a reader;
// packages ingest and archive fill in [Defaults] before they call one.
type Limits struct {
	Pages    int   // of a document
	Unpacked int64 // bytes that all entries of a container may unpack to
	Ratio    int64 // bytes unpacked for each byte packed, of an entry over 1 MiB
	Entries  int   // of a container
}

// Defaults are the limits where nothing else is said.
var Defaults = Limits{Pages: 3000, Unpacked: 512 << 20, Ratio: 200, Entries: 10_000}

// OrDefaults returns the limits with the default for each that is not set.
func (l Limits) OrDefaults() Limits {
	return Limits{
		Pages: cmp.Or(l.Pages, Defaults.Pages), Unpacked: cmp.Or(l.Unpacked, Defaults.Unpacked),
		Ratio: cmp.Or(l.Ratio, Defaults.Ratio), Entries: cmp.Or(l.Entries, Defaults.Entries),
	}
}
