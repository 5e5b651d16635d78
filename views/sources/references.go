package sources

import (
	"net/url"

	"polaris/views/layout"
)

// ReferencesPath is where the references that lead nowhere are, below the brain.
const ReferencesPath = Path + "/references"

// NowherePath leads to the references that lead nowhere: of one source, or of all
// for "", broken ones or those to documents that are not here.
func NowherePath(code string, outside bool) string {
	q := url.Values{}
	if code != "" {
		q.Set("source", code)
	}
	if outside {
		q.Set("outside", "true")
	}
	if len(q) == 0 {
		return ReferencesPath
	}
	return ReferencesPath + "?" + q.Encode()
}

// A Cite is a cross-reference as a link, or as words where it leads nowhere.
type Cite struct {
	Text string
	URL  string // empty: it leads nowhere
	Kind layout.Kind
	Note string // why it leads nowhere
}

// A Nowhere is a page of the references that lead nowhere.
type Nowhere struct {
	Rows    []Dangling
	Source  string // code of the one that they are of; empty: of all
	Outside bool
	First   string // URL of the first page; empty on it
	Next    string // URL of the page that follows; empty: none does
}

// A Dangling is a reference that leads nowhere.
type Dangling struct {
	Code string
	From string // key of the passage
	URL  string // of the passage
	Key  string // what it cites
	Of   string // the document that it is said to be of
}

func (n Nowhere) title() string {
	if n.Outside {
		return "References to other documents"
	}
	return "Broken references"
}

func (n Nowhere) state() string {
	of := "the draft"
	if n.Source != "" {
		of = n.Source
	}
	if n.Outside {
		return "What passages of " + of + " cite of documents that are no sources here."
	}
	return "What passages of " + of + " cite of sources that have no such place."
}
