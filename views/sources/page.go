package sources

import (
	"polaris/views/approvals"
	"polaris/views/form"
	"polaris/views/layout"
)

// Where else there are pages of a source.
func diffPath(code string) string { return SourcePath(code) + "/diff" }

// TrialPath returns where a question is tried on a source.
func TrialPath(code string) string { return SourcePath(code) + "/trial" }

// FactsPath returns where it is changed what is said of a source.
func FactsPath(code string) string { return SourcePath(code) + "/facts" }

// ReversionPath returns where a source is given an earlier revision again.
func ReversionPath(code string) string { return SourcePath(code) + "/reversion" }

// UndoPath returns where the last change of a source is taken back.
func UndoPath(code string) string { return SourcePath(code) + "/undo" }

// A Revision is one text that a source had.
type Revision struct {
	N         string
	File      string
	At        layout.When
	By        string
	Passages  string
	Certified string // by whom; empty: nobody
	Flags     int
	Draft     bool   // it is the draft's
	Shown     bool   // its passages are on this page
	URL       string // its passages
	Diff      string // what it changed; empty for the first
	Revert    string // where it is made the draft's again; empty where it is, or the reader may not
}

// A Stage is a step of reading, with its share of the time.
type Stage struct {
	Name  string
	Took  string
	Share string // 0 to 1
}

// A Reading says how a document was read.
type Reading struct {
	Stages []Stage
	Took   string // in all
	Kept   string // "41 200 of 41 260 characters"; empty: not counted
	Share  string // of the characters that were kept, 0 to 1; empty: not known
	Facts  []Fact
}

// A Change is one line of a thing's history.
type Change struct {
	What     string
	At       layout.When
	By       string
	Approved string // by whom; empty: nobody was asked
	Why      string
	URL      string // of the recommendation; empty: there was none
	Undid    bool
	Fields   []FieldChange
}

// A FieldChange says what a field was and is.
type FieldChange struct{ Field, From, To string }

// part is a piece of a passage: marked, where it is in the quote that was asked
// for.
type part struct{ before, quote, after string }

func (p Passage) part() part {
	if p.MarkEnd <= p.MarkStart || p.MarkEnd > len(p.Text) {
		return part{before: p.Text}
	}
	return part{p.Text[:p.MarkStart], p.Text[p.MarkStart:p.MarkEnd], p.Text[p.MarkEnd:]}
}

func (p part) marked() bool { return p.quote != "" }

// A Diff is what one revision has that another has not.
type Diff struct {
	Code, Title string
	From, To    string
	Revisions   []Revision
	Passages    approvals.Passages
	Cards       []string // topic cards that feel it
	Problem     string
	Revert      string // where From is made the draft's again; empty where the reader may not
}

// A Trial is a question tried on a source.
type Trial struct {
	Code, Title string
	Question    form.Entry
	Asked       bool
	Problem     string
	Summary     string // "2 of 7 passages are of this source; the first is number 1."
	LeftOut     string // why the source is in no candidate; empty: it is
	Took        string
	Alone       []Hit
	Whole       []Hit
}

// A Hit is a passage that a question led to.
type Hit struct {
	N     string
	Key   string
	URL   string
	Title string // of its source
	Here  bool   // it is of the source on trial
	Score string // 0 to 1
	Why   string
	Text  string
}

// Facts is the form that changes what is said of a source.
type Facts struct {
	Code, Title string
	FourEyes    bool
	Problem     string
	Name        form.Entry // its title
	Owner       form.Entry
	ReviewBy    form.Entry
	From, Until form.Entry
	Origin      form.Entry
	Law         form.Entry // jurisdiction
	Replaces    form.Entry
}
