// Package brains draws the list of a reader's brains, and the form that makes
// one.
package brains

import (
	"polaris/views/form"
	"polaris/views/layout"
)

// Where these pages are, and their form is sent.
const (
	Path    = "/brains"     // GET; POST creates: name, id, four_eyes
	NewPath = "/brains/new" // GET
)

// A Row is one brain in the list.
type Row struct {
	ID      string
	Name    string
	URL     string
	Version string // "v14 live", "not live"
	Roles   string // the reader's
}

// An Index is the list of a reader's brains.
type Index struct {
	Rows      []Row
	MayCreate bool
}

// A New is the form that makes a brain.
type New struct {
	Name     form.Entry
	ID       form.Entry
	FourEyes bool
	Owner    string // who will own it: the reader
	Problem  string // of the form as a whole
}

// create is the page's one act, for those who may.
func (x Index) create() layout.Link {
	if !x.MayCreate || len(x.Rows) == 0 {
		return layout.Link{} // an empty list has the button in its middle
	}
	return layout.Link{Text: "Create a brain", URL: NewPath}
}

func fourEyes(on bool) []form.Choice {
	return []form.Choice{{
		Value: "on", Label: "Four eyes", Chosen: on,
		Hint: "A second person has to agree before a version is published. This release has no approvals yet: with four eyes on, nothing can be published.",
	}}
}
