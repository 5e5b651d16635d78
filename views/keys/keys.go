// Package keys draws Settings → API keys: the list, the form that creates a
// key, the one page that shows it, and the confirmation that ends it.
//
// Only Created holds a secret. Its page must be sent with Cache-Control:
// no-store, and is reached by the POST alone, so going back does not show the
// key again.
package keys

import (
	"polaris/views/form"
	"polaris/views/layout"
)

// Where these pages are, below the brain, and their forms are sent.
const (
	Path    = "/settings/api-keys"     // GET; POST creates: label, scope…, expires
	NewPath = "/settings/api-keys/new" // GET
)

// RevocationPath is the confirmation of one key's end (GET) and where it is
// sent (POST: reason).
func RevocationPath(id string) string { return Path + "/" + id + "/revocation" }

// A Row is one key in the list.
type Row struct {
	ID       string
	Label    string
	Prefix   string // "sk-polaris-k7Qd2mXw91aB_", never more
	Scopes   []string
	Owner    string
	Created  layout.When
	Expires  layout.When // never: no Stamp
	LastUsed layout.When
	State    string // active, expired or revoked
	Ended    string // of a revoked key: "by ada@example.org: agent retired"
}

// An Index is the list of keys.
type Index struct {
	Keys      []Row
	MayCreate bool // and revoke
	Endpoint  string
}

// A New is the form that creates a key.
type New struct {
	Label   form.Entry
	Scopes  []form.Choice
	Expires []form.Choice

	ScopesProblem  string
	ExpiresProblem string
	Problem        string // of the form as a whole
}

// A Created is a key just made.
type Created struct {
	Label    string
	Key      string // the raw key, shown this once
	Endpoint string // absolute URL of the hosted MCP endpoint
	Expires  string // "on 28 February 2027", "never"
	Scopes   []string
}

// A Revocation asks before a key ends.
type Revocation struct {
	Key     Row
	Reason  form.Entry
	Problem string
}

func stateKind(state string) layout.Kind {
	switch state {
	case "active":
		return layout.Good
	case "revoked":
		return layout.Bad
	}
	return layout.Caution
}

// state counts the list in one sentence.
func (x Index) state() string {
	if len(x.Keys) == 0 {
		return "A key lets an agent ask this brain. It is shown once, when it is created."
	}
	active := 0
	for _, k := range x.Keys {
		if k.State == "active" {
			active++
		}
	}
	return layout.Plural(active, "key is active", "keys are active") + ". A key acts for its owner, with its scopes and no more than the owner may do."
}

// create is the page's one act, for those who may.
func (x Index) create(f layout.Frame) layout.Link {
	if !x.MayCreate || len(x.Keys) == 0 {
		return layout.Link{} // an empty list has the button in its middle
	}
	return layout.Link{Text: "Create a key", URL: f.At(NewPath)}
}
