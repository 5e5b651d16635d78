package sources

import (
	"polaris/views/form"
	"polaris/views/layout"
)

// An Index is the list of sources, or a part of it.
type Index struct {
	Rows     []Row
	State    string // "7 sources, 205 passages."
	All      int    // sources of the draft, whatever is shown
	Filter   Filter
	Pages    layout.Pages
	May      bool   // the reader changes the draft
	MayAdd   bool   // and imports
	Import   string // the command that imports one, for the empty list
	Gone     string // "2 sources were taken out of the draft"; empty: none was
	OfGone   bool   // those are the ones that are shown
	Problem  string // why nothing was done
	Results  []Result
	Followed layout.Undo // takes back what was done to all of them; zero: nothing does
}

// A Filter is what the list is narrowed to, and how it is sorted.
type Filter struct {
	Set     bool
	Text    form.Entry
	States  []form.Choice
	Formats []form.Choice
	Sorts   []form.Choice
	Import  string // id of an import; empty: of any
}

// A Result is what became of one source of several.
type Result struct {
	Code string
	Kind layout.Kind
	Text string // "suspended", "waits for a second person", or why not
	URL  string // of the source, or of what waits
}

// What can be done to several sources at once.
const (
	DoSuspend = "suspend"
	DoRemove  = "remove"
	DoRestore = "restore"
	DoFacts   = "facts"

	Removed = "removed" // the state of those that were taken out
)

// A Bulk asks whether something is to be done to several sources.
type Bulk struct {
	Do       string
	Rows     []Row
	FourEyes bool
	Reason   form.Entry
	Owner    form.Entry
	ReviewBy form.Entry
	Problem  string
}

func (b Bulk) title() string {
	n := layout.Plural(len(b.Rows), "source", "sources")
	switch b.Do {
	case DoSuspend:
		return "Suspend " + n + "?"
	case DoRemove:
		return "Take " + n + " out of the draft?"
	case DoRestore:
		return "Restore " + n + "?"
	}
	return "Owner and review date of " + n
}

func (b Bulk) effect() string {
	switch b.Do {
	case DoSuspend:
		return "They are not served from the next request on, in any version. You can stop them alone; to serve each again takes another person."
	case DoRemove:
		return "The next version is published without them. Versions that hold them, and what was answered from them, stay as they are. They can be restored."
	case DoRestore:
		return "They are in the draft again, and in the next version that is published."
	}
	return "What is left empty stays as it is."
}

func (b Bulk) button() string {
	switch b.Do {
	case DoSuspend:
		return "Stop serving them"
	case DoRemove:
		return "Take them out of the draft"
	case DoRestore:
		return "Restore them"
	}
	return "Save for all of them"
}

func (x Index) action(f layout.Frame) layout.Link {
	if !x.MayAdd {
		return layout.Link{}
	}
	return layout.Link{Text: "Import documents", URL: f.At(NewImportPath)}
}

func (x Index) allURL(f layout.Frame) string {
	if x.Filter.Set {
		return f.At(Path)
	}
	return ""
}

// kind is what sort of document a source is, and in which language.
func (r Row) kind() string {
	if r.Language == "" {
		return r.Format
	}
	return r.Format + ", " + r.Language
}
