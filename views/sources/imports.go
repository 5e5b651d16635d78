package sources

import (
	"polaris/views/form"
	"polaris/views/layout"
)

// ImportsPath is where imports are started and listed, below the brain. One is
// below it.
const ImportsPath = "/imports"

// NewImportPath is the page on which documents are chosen.
const NewImportPath = ImportsPath + "/new"

// ImportPath returns the page of one import.
func ImportPath(id string) string { return ImportsPath + "/" + id }

// An Upload is the page that imports documents.
type Upload struct {
	Problem   string     // why nothing was taken
	Most      string     // "64 MB"
	API       string     // where a script sends files one by one
	Addresses form.Entry // as they were sent, one on each line
	Fetches   bool       // this server asks others for documents
	Owner     form.Entry
	ReviewBy  form.Entry
	Crawl     Crawl
	Survey    *Survey // what would come; nil: nobody asked
	Recent    []ImportRow
}

// A Crawl is a site to be read, as it was typed.
type Crawl struct {
	URL      form.Entry
	MaxPages form.Entry
	MaxMB    form.Entry
	Below    form.Entry
	Sitemap  bool
}

// A Survey is what a site would send.
type Survey struct {
	Summary string // "12 documents, 840 KB. There are more than the bound."
	Found   []Seen
	Skipped []Seen
}

// A Seen is one address of a site.
type Seen struct {
	URL  string
	Text string // its size, or why it would be left out
}

// An ImportRow is one import in the list.
type ImportRow struct {
	URL     string
	State   string
	By      string
	Started layout.When
}

// An Import is one import with its documents.
type Import struct {
	ID      string
	State   string // "12 of 30 documents are read."
	Running bool
	By      string
	Started layout.When
	Items   []Item
	Events  string // where what changes comes as events
	Sources string // the list of the sources that came of it; empty: none did
	Ended   int    // documents that are read
	Total   int
}

// An Item is one document of an import.
type Item struct {
	N        string
	Name     string
	Kind     layout.Kind
	State    string // "new, revision 1", "failed"
	Code     string // of its source; empty: none
	Title    string
	URL      string // of its source, or of what waits
	Passages string
	Notes    []string // warnings, the reason of a failure, cards that feel it
}
