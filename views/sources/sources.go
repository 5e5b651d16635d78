// Package sources draws the documents of a brain: the list, and one source
// with its passages as the importer read them, each under its citation key.
package sources

import "polaris/views/layout"

// Path is where the list is, below the brain. A source is below it, by code.
const Path = "/sources"

// SourcePath returns the page of one source.
func SourcePath(code string) string { return Path + "/" + code }

// An Index is the list of sources.
type Index struct {
	Rows   []Row
	State  string  // "7 sources, 205 passages."
	Import string  // the command that imports one, for the empty list
	Upload *Upload // nil: the reader may not import
}

// A Row is one source in the list.
type Row struct {
	Code     string
	Title    string
	Passages string
	Revision string
	Language string
	Origin   string
	Added    layout.When
	By       string
	Warnings int

	Suspended string // "suspended", "2 passages suspended"; empty: nothing is
	Held      string // "held: 2 flags"; empty: it is not
	Owner     string
	ReviewBy  string // a day
	Holds     string // "from 1 January 2026"; empty: no dates are set
	Replaces  string // code of the source that it supersedes
}

// A Source is one document with its passages.
type Source struct {
	Row      Row
	Name     string // of the file
	Media    string // media type
	SHA256   string // of the bytes, in hexadecimal
	Problems []string
	Passages []Passage
	Older    string // URL of the passages before these; empty on the first page
	Newer    string // and of those after

	Certified string // who vouches for this revision; empty: nobody

	Flags  []string // what was found in it, each with its page
	Report []Fact   // how it was read
}

// A Fact is a line of a list of facts.
type Fact struct{ Name, Text string }

// A Passage is one citable piece.
type Passage struct {
	Ordinal string
	Key     string
	Locator string
	Heading bool // the text is a heading
	Depth   int  // below its section, 0 to 2
	Text    string
}

func (p Passage) class() string {
	switch {
	case p.Heading:
		return "passage head"
	case p.Depth == 1:
		return "passage in1"
	case p.Depth >= 2:
		return "passage in2"
	}
	return "passage"
}
