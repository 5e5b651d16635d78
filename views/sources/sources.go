// Package sources draws the documents of a brain: the list, and one source
// with its passages as the importer read them, each under its citation key.
package sources

import (
	"net/url"

	"polaris/views/form"
	"polaris/views/layout"
)

// Path is where the list is, below the brain. A source is below it, by code.
const Path = "/sources"

// SourcePath returns the page of one source.
func SourcePath(code string) string { return Path + "/" + code }

// SuspensionPath returns where a source, or a passage of it, is suspended.
func SuspensionPath(code, key string) string {
	at := SourcePath(code) + "/suspension"
	if key != "" {
		at += "?" + url.Values{"key": {key}}.Encode()
	}
	return at
}

// Where else acts on a source are asked for and sent.
func liftPath(code string) string          { return SourcePath(code) + "/lift" }
func removalPath(code string) string       { return SourcePath(code) + "/removal" }
func certificationPath(code string) string { return SourcePath(code) + "/certification" }
func purgePath(code string) string         { return SourcePath(code) + "/purge" }

// A Row is one source in the list.
type Row struct {
	Code     string
	Title    string
	Passages string
	Revision string
	Language string
	Format   string // "Markdown", "PDF"
	Origin   string
	Added    layout.When
	By       string
	Warnings int

	Suspended string // "suspended", "2 passages suspended"; empty: nothing is
	Held      string // "held: 2 flags"; empty: it is not
	Purged    bool   // nothing is left of it but its tombstone
	Owner     string
	ReviewBy  string // a day
	ReviewDue bool   // that day has come
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

	Purged string // who had it purged, when and why; empty: it is there

	Suspensions []Suspension
	Removed     layout.When // when it was taken out of the draft; zero: it is there
	IsRemoved   bool
	May         bool   // the reader changes the draft
	FourEyes    bool   // lifting takes a second person
	Brought     string // who brought in what is held, and when

	Flags   []string // what was found in it, each with its page
	Reading Reading  // how it was read

	Revisions []Revision
	Shown     Revision // the one whose passages are here
	History   []Change
	Total     string // passages of the revision
	Undo      string // audit row of the last change, where the reader can take it back
	Origin    bool   // where it was taken from can be opened: it is an http address
	Question  form.Entry
}

// A Suspension keeps a source, or a passage, from being served.
type Suspension struct {
	Key    string // empty: the whole source
	Reason string
	By     string
	At     layout.When
}

func (s Suspension) what() string {
	if s.Key == "" {
		return "This source"
	}
	return s.Key
}

// RestorationPath returns where a source is put back that was taken out.
func RestorationPath(code string) string { return SourcePath(code) + "/restoration" }

// An Act asks for what is done to a source, with its effect.
type Act struct {
	Code, Title string
	Key         string // of the passage; empty: the whole source
	Text        string // of the passage
	Reason      form.Entry
	Revision    string
	Problem     string
}

func (a Act) what() string {
	if a.Key != "" {
		return a.Key
	}
	return a.Code
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
	Off     bool   // it is suspended
	Page    string // on which it begins; empty where the format has none

	MarkStart, MarkEnd int    // of what is marked, in Text; equal: nothing
	First              bool   // the mark begins here
	Suspend            string // where it is suspended; empty where the reader may not

	Cites   []Cite // what it cites
	CitedBy []Cite // passages that cite it
	Citing  string // "Cited by 30 passages, of which 20 are"; how they are led to
}

// KeyPath leads to the passage of a source that has a citation key.
func KeyPath(code, key string) string {
	return SourcePath(code) + "?" + url.Values{"key": {key}}.Encode()
}

// waits says who ends that a revision is held.
func (s Source) waits() string {
	if s.FourEyes {
		return "It is not published until another curator has looked at what was found and certified it."
	}
	return "It is not published until a curator has looked at what was found and certified it."
}

func (p Passage) class() string {
	if p.Off {
		return p.place() + " off"
	}
	return p.place()
}

func (p Passage) place() string {
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
