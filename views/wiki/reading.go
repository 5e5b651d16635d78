package wiki

import (
	"net/url"
	"strconv"

	"polaris/views/layout"
)

// ReadingPath is where a passage of the published version is read, below the
// brain (GET: key, and from and to where a quote is marked).
const ReadingPath = "/passages"

// ReadingURL returns the page of a passage.
func ReadingURL(key string) string {
	return ReadingPath + "?" + url.Values{"key": {key}}.Encode() + "#here"
}

// MarkedURL returns the page of a passage with a quote of it marked: from and to
// are its bytes in the text of a revision.
func MarkedURL(key string, revision, from, to int) string {
	q := url.Values{"key": {key}, "revision": {strconv.Itoa(revision)}, "from": {strconv.Itoa(from)}, "to": {strconv.Itoa(to)}}
	return ReadingPath + "?" + q.Encode() + "#here"
}

// ReadingPart is the part of the page that is shown beside another one.
const ReadingPart = "#reading"

// A Reading is a passage in the text around it.
type Reading struct {
	Key    string
	Title  string // of the source
	State  string // "Revision 2, as of version 14."
	Rows   []ReadingRow
	Before string // where what stands before is; empty: nothing does
	After  string
	Source layout.Link // the whole source; zero where the reader may not open it
	Origin string      // where it was taken from
	Notice string
	Moved  bool // the quote that was to be marked is of another revision
}

// A ReadingRow is one passage. Mark is its quote where it has one.
type ReadingRow struct {
	Key    string
	URL    string // of its own page
	Head   bool
	Depth  string // "in1", "in2"; empty
	Here   bool
	Before string
	Mark   string
	After  string
}

func (r ReadingRow) class() string {
	c := "passage"
	if r.Head {
		c += " head"
	}
	if r.Depth != "" {
		c += " " + r.Depth
	}
	if r.Here {
		c += " here"
	}
	return c
}
