// Package audit draws the audit log of a brain: who did what, when, from where,
// and how it ended, with the state of the chain that seals it.
package audit

import (
	"polaris/views/form"
	"polaris/views/layout"
)

// Where the log is, below the brain, and where it is verified and exported.
const (
	Path             = "/audit"
	VerificationPath = Path + "/verification"
	ExportPath       = Path + "/export"
)

// An Index is a stretch of the log, the newest first.
type Index struct {
	Chain    Chain
	Filter   Filter
	Filtered bool // some of the filter is set
	Rows     []Row
	Older    string // address of the next stretch; empty on the last
	Newest   string // address of the first one; empty there
	Exports  []layout.Link
}

// A Chain is how far the log is sealed.
type Chain struct {
	Hash     string // of the newest link, SEQ:HASH; empty while there is none
	Unsealed string // rows that are not linked yet; empty for none
}

// A Filter is what the log was narrowed to, as it was typed.
type Filter struct {
	From, To, Person, Operation, Target, Key form.Entry

	Outcomes, Surfaces []form.Choice
	Operations         []string // that there are
	Problem            string
}

// A Row is one thing that happened.
type Row struct {
	ID        string
	At        layout.When
	What      string // "Import a source"
	Operation string // "sources.import"
	Class     string
	Target    string
	URL       string // of what it is about; empty where that has no page
	Who       string
	Key       string
	Surface   string
	Verified  bool   // who acted was signed in
	Outcome   string // "done", "waits", "refused"
	Code      string // of a refusal
	Kind      layout.Kind
	Lines     []string // what else is known: changes, reasons
	Seq       string   // place in the chain; empty while unsealed
	Hash      string
}

// A Verification is what walking the chain found.
type Verification struct {
	Sealed, Unsealed, Removed string
	Head                      string
	Problems                  []string
	Known                     form.Entry // a head that somebody noted down before
}

func (v Verification) state() string {
	if len(v.Problems) > 0 {
		return "The log is not what was sealed. What does not fit is named below."
	}
	return v.Sealed + " linked rows were recomputed. Nothing was changed, removed, reordered or inserted."
}
