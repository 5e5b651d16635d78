package sources

import "polaris/views/layout"

// ImportsPath is where imports are started, below the brain. One is below it.
const ImportsPath = "/imports"

// ImportPath returns the page of one import.
func ImportPath(id string) string { return ImportsPath + "/" + id }

// An Upload is the form that imports documents.
type Upload struct {
	Problem   string // why nothing was taken
	Most      string // "64 MB"
	Addresses string // as they were sent, one on each line
}

// An Import is one import with its documents.
type Import struct {
	ID      string
	State   string // "12 of 30 documents are read."
	Running bool
	By      string
	Started layout.When
	Items   []Item
}

// An Item is one document of an import.
type Item struct {
	Name     string
	Kind     layout.Kind
	State    string // "new, revision 1", "failed"
	Code     string // of its source; empty: none
	Title    string
	URL      string // of its source, or of what waits
	Passages string
	Notes    []string // warnings, the reason of a failure, cards that feel it
}
