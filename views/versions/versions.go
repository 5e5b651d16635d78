// Package versions draws the published versions of a brain, the newest first.
package versions

import (
	"polaris/views/form"
	"polaris/views/layout"
)

// Path is where the list is, below the brain.
const Path = "/versions"

// An Index is the list of versions.
type Index struct {
	Rows    []Row
	State   string // "Version 14 has been live for 6 days."
	Publish string // the command that publishes, for the empty list
	Form    *Form  // for who may ask for a publish
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
}

// short cuts a hash to what an eye compares.
func short(hash string) string {
	if len(hash) > 12 {
		return hash[:12] + "…"
	}
	return hash
}
