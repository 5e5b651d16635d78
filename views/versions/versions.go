// Package versions draws the published versions of a brain, the newest first.
package versions

import (
	"polaris/views/approvals"
	"polaris/views/form"
	"polaris/views/layout"
)

// Path is where the list is, below the brain.
const Path = "/versions"

// DiffPath is where two versions are compared; from and to are in its query.
const DiffPath = Path + "/diff"

// RestorationPath returns where an earlier version is restored.
func RestorationPath(n string) string { return Path + "/" + n + "/restoration" }

// An Index is the list of versions.
type Index struct {
	Rows    []Row
	State   string // "Version 14 has been live for 6 days."
	Publish string // the command that publishes, for the empty list
	Form    *Form  // for who may ask for a publish
	Compare *Compare
	Draft   *Draft // nil for who may not read it, or where nothing is published
	Pages   layout.Pages
}

// A Draft is what differs in it from the version that answers.
type Draft struct {
	Differs string      // "2 sources and 1 topic card"; empty: nothing does
	Held    string      // what would stay behind; empty: nothing
	URL     string      // where it is compared
	Waiting layout.Link // the publish that was asked for, zero where none waits
}

// A Compare chooses what is compared.
type Compare struct {
	From, To []form.Choice
	Problem  string
}

// A Diff is what one version has that another has not.
type Diff struct {
	Title    string // "Version 3 → draft"
	Sources  []SourceDiff
	Cards    []CardDiff
	Articles []ArticleDiff
	Compare  Compare
}

// A SourceDiff is what became of one source.
type SourceDiff struct {
	Code, Title, Status string
	Revisions           string // "revision 1 → 2"
	Passages            approvals.Passages
}

// A CardDiff is what became of one topic card.
type CardDiff struct {
	ID, Status string
	Lines      []approvals.Line
}

// An ArticleDiff is what became of one article of the wiki.
type ArticleDiff struct{ Title, Status string }

func (d Diff) state() string {
	if d.empty() {
		return "Nothing differs."
	}
	return layout.Plural(len(d.Sources), "source", "sources") + ", " + layout.Plural(len(d.Cards), "topic card", "topic cards") + " and " + layout.Plural(len(d.Articles), "article", "articles") + " differ."
}

func (d Diff) empty() bool { return len(d.Sources)+len(d.Cards)+len(d.Articles) == 0 }

func kind(status string) layout.Kind {
	switch status {
	case "gained":
		return layout.Good
	case "lost":
		return layout.Bad
	}
	return layout.Caution
}

// A Restoration asks whether an earlier version is to answer again.
type Restoration struct {
	N, Live string
	Notes   form.Entry
	Waits   bool
	Problem string
}

func (r Restoration) says() string {
	s := "What version " + r.N + " holds is published as a new version. The draft stays as it is."
	if r.Waits {
		return s + " It answers when another person has approved."
	}
	return s + " It answers at once: four eyes are off."
}

func (r Restoration) does() string {
	if r.Waits {
		return "Ask to restore version " + r.N
	}
	return "Restore version " + r.N
}

// A Form asks for a publish of the draft.
type Form struct {
	Notes   form.Entry
	Waits   bool // a second person decides
	Problem string
}

func (f Form) says() string {
	if f.Waits {
		return "The draft is frozen as it is now. It answers when a person who had no part in it has approved."
	}
	return "The draft is frozen as it is now, and answers at once: four eyes are off."
}

func (f Form) does() string {
	if f.Waits {
		return "Ask for a publish"
	}
	return "Publish"
}

// A Row is one version.
type Row struct {
	N         string
	Live      bool
	Published layout.When
	By        string
	FourEyes  string // "off" or "bootstrap" where no second person was asked
	Notes     string
	Sources   string
	Cards     string
	Engine    string
	Hash      string // of the manifest, in hexadecimal
	Suspended string // "1 source suspended"; empty: nothing that it holds is
	Purged    string // "HB purged since"; empty: all that it held is there
	Review    string // where it was decided on, with its golden report; empty where nobody was asked
	Diff      string // what it changed; empty for the first one
	Restore   string // where it is restored; empty where the reader may not, or it answers now
}

// stamp says of a version that no second person was asked, and why.
func (r Row) stamp() string {
	switch r.FourEyes {
	case "":
		return ""
	case "bootstrap":
		return "four eyes: bootstrap"
	}
	return "published while four eyes were " + r.FourEyes
}

// short cuts a hash to what an eye compares.
func short(hash string) string {
	if len(hash) > 12 {
		return hash[:12] + "…"
	}
	return hash
}
