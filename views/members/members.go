// Package members draws who is in a brain and what they may do there: the list,
// the roles of one member, the end of a membership, and whose accounts are one
// person's.
package members

import (
	"polaris/views/form"
	"polaris/views/layout"
)

// Where the list is, below the brain. A member is below it, by id.
const (
	Path     = "/settings/members"
	LinkPath = Path + "/accounts"
)

// MemberPath returns the page of one member.
func MemberPath(id string) string { return Path + "/" + id }

// RemovalPath returns where a membership is ended.
func RemovalPath(id string) string { return MemberPath(id) + "/removal" }

// ForgettingPath returns where a person is forgotten.
func ForgettingPath(id string) string { return MemberPath(id) + "/forgetting" }

// An Index is everybody in a brain.
type Index struct {
	Rows    []Row
	Warning string // that too few could ever decide
	Waiting []layout.Link
	Add     string // the command that brings somebody in
	Link    bool   // the reader may say whose accounts are whose
}

// A Row is one member.
type Row struct {
	ID, URL     string
	Name, Email string
	Roles       []string
	Decides     bool // has a say in what is decided
	Disabled    bool
	You         bool
}

func (x Index) state() string {
	n := 0
	for _, r := range x.Rows {
		if r.Decides && !r.Disabled {
			n++
		}
	}
	return layout.Plural(len(x.Rows), "person", "people") + ". " + layout.Number(n) + " can decide on what others propose."
}

// A Detail is one member, with their roles to change.
type Detail struct {
	Row
	Roles    []form.Choice
	Waits    bool // to be given a say takes a second person
	Problem  string
	About    string // of the roles
	Removing bool   // the page asks whether the membership is to end

	Forgetting bool // the page asks whether the person is to be forgotten
}

// An Accounts page says whose accounts are one person's.
type Accounts struct {
	Account, Person form.Entry
	Members         []string
	Unlink          bool // the reader is an instance admin
	Off             bool // four eyes are off, so nothing can be linked
	Problem         string
}
