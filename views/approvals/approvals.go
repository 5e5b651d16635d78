// Package approvals draws what waits for a second person: the queue, and the
// page on which one change is looked at and decided on. What somebody proposed
// is shown in full, with every character that would otherwise not be seen.
package approvals

import (
	"strings"

	"polaris/views/form"
	"polaris/views/golden"
	"polaris/views/layout"
)

// Path is where the queue is, below the brain.
const Path = "/approvals"

// ReviewPath returns where one change is decided on.
func ReviewPath(id string) string { return Path + "/" + id }

func withdrawalPath(id string) string { return ReviewPath(id) + "/withdrawal" }

// An Index is the queue, or a part of what became of it.
type Index struct {
	Filters   []Filter
	Rows      []Row
	Pending   bool   // the list is of what waits
	Warning   string // nobody could decide
	Decidable int    // how many of the rows the reader may decide on
	Results   []Result
	Problem   string
	Pages     layout.Pages
	Mine      bool // the list is of what the reader proposed

	Classes, Orders []form.Choice
	By              form.Entry      // who proposed
	Kept            []layout.Hidden // what of the address the filters keep
	All             string          // the list without them
	Narrowed        bool            // one of them is set
}

// A Filter leads to the changes in one state.
type Filter struct {
	Label, URL string
	Chosen     bool
}

// A Row is one change in the queue.
type Row struct {
	ID, URL       string
	What, Target  string
	Class         string
	By, Through   string
	Authenticated bool
	Proposed      layout.When
	Expires       layout.When
	State         State
	Hash          string // by which the reader decides; empty where they may not
	Withdraw      bool   // the reader may take it back
	Yours         bool   // the reader proposed it, or had a part in it
}

// A State is where a change stands.
type State struct{ Name string }

func (s State) kind() layout.Kind {
	switch s.Name {
	case "applied":
		return layout.Good
	case "rejected":
		return layout.Bad
	case "pending", "stale", "expired":
		return layout.Caution
	}
	return layout.Neutral
}

func (s State) text() string {
	if s.Name == "pending" {
		return "waiting"
	}
	return s.Name
}

// A Result is what became of one item of a batch.
type Result struct {
	ID, URL, What string
	Kind          layout.Kind
	Text          string
}

// A Review is one change as it is decided on.
type Review struct {
	Row
	ClassText string // "A4: it publishes, or leaves the system"
	Diff      []Line
	Input     []Line // as it was frozen
	Unknown   bool   // this release does not know the operation
	Moved     bool
	Failed    string // why applying it failed the last time
	Ended     string // why, or by what, it ended
	EndedAt   layout.When
	Rationale string
	Evidence  []layout.Link // those that are answers lead to their records
	Parts     []Part
	Needed    int
	Approved  int
	Roles     string // that may decide
	Supersede layout.Link

	Passages *Passages      // of an import
	Gone     bool           // the document that was proposed is not kept any more
	Publish  bool           // it publishes, so Items and Golden count
	Items    []Item         // that it changes
	Held     []string       // what of the draft it leaves out until a curator has certified it
	Effect   bool           // it changes what golden questions are answered from, so Golden counts
	Golden   *golden.Report // nil where the brain has no golden questions

	Newer, Older string      // what waits beside it; empty for none
	Next         string      // what to do, where it ended by itself
	Again        layout.Link // where that is done

	MayDecide bool
	Standing  string // why the reader may decide, or why not
	Comment   form.Entry
	Problem   string
}

// A Part is what one person did.
type Part struct {
	Who, What, Comment string
	At                 layout.When
}

// diffTitle heads what is decided on, to the byte.
func (r Review) diffTitle() string {
	if r.Publish || r.Passages != nil {
		return "What is decided on, line by line"
	}
	return "What changes"
}

func (r Review) title() string { return r.What }

func (r Review) state() string {
	s := "Proposed by " + r.By + " " + r.Through + ", " + r.Proposed.Text
	if r.State.Name == "pending" {
		return s + ". Expires " + r.Expires.Text + "."
	}
	return s + ". " + strings.ToUpper(r.State.Name[:1]) + r.State.Name[1:] + " " + r.EndedAt.Text + "."
}

// approves names what follows from the approval.
func (r Review) approves() string {
	if r.Approved+1 < r.Needed {
		return "Approve, " + layout.Number(r.Approved+1) + " of " + layout.Number(r.Needed)
	}
	if r.Moved {
		return "Approve as stale"
	}
	return "Approve and " + strings.ToLower(r.What[:1]) + r.What[1:]
}

func (r Review) needs() string {
	n := "One approval"
	if r.Needed > 1 {
		n = layout.Number(r.Needed) + " approvals"
	}
	s := n + " by " + r.Roles + ", of people who had no part in it. One rejection ends it."
	if r.Approved > 0 && r.State.Name == "pending" {
		s += " Approved so far: " + layout.Number(r.Approved) + "."
	}
	return s
}

func (x Index) title() string {
	if x.Mine {
		return "What you proposed"
	}
	return "Approvals"
}

func (x Index) state() string {
	if x.Mine {
		return "By yourself, and by keys and programs of yours."
	}
	if !x.Pending {
		return "What was proposed in this brain, and what became of it."
	}
	if len(x.Rows) == 0 {
		return "Nothing waits for a decision."
	}
	if x.Pages.Older != "" || x.Pages.Newer != "" {
		return layout.Plural(len(x.Rows), "change", "changes") + " of those that wait for a second person."
	}
	if len(x.Rows) == 1 {
		return layout.Plural(1, "change", "") + " waits for a second person."
	}
	return layout.Plural(len(x.Rows), "", "changes") + " wait for a second person."
}

func short(hash string) string { return hash[:min(len(hash), 12)] + "…" }

// BatchPath is where several changes are looked at together (GET: item for each).
const BatchPath = Path + "/review"

// A Batch is several changes that are looked at together.
type Batch struct {
	Reviews   []Review
	Decidable int // of which the reader may decide
	Missing   int // that are not there
}

func (b Batch) state() string {
	return "Each is decided on by itself. What you leave open stays in the queue."
}

// all is the list without its filters; empty where none is set.
func (x Index) all() string {
	if !x.Narrowed {
		return ""
	}
	return x.All
}
