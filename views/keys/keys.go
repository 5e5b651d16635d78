// Package keys draws Settings → API keys: the list, the form that creates a
// key, the one page that shows it, the page of one key where it is changed, and
// the questions before it is rotated or ends.
//
// Only Created holds a secret. Its page must be sent with Cache-Control:
// no-store, and is reached by the POST alone, so going back does not show the
// key again.
package keys

import (
	"slices"
	"strings"

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

// KeyPath is the page of one key (GET), and where changes of it are sent (POST:
// label, scope…, expires, rate, rev).
func KeyPath(id string) string { return Path + "/" + id }

// OwnerPath is where the key's next owner is sent (POST: owner, rev).
func OwnerPath(id string) string { return Path + "/" + id + "/owner" }

// RotationPath asks how a key is to be rotated (GET) and is where that is sent
// (POST: overlap, expires).
func RotationPath(id string) string { return Path + "/" + id + "/rotation" }

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
	State    string // active, suspended, expired or revoked
	Ended    string // of a revoked key: "by ada@example.org: agent retired"

	OldUntil layout.When // of a key that is rotating: until when the old secret holds on; else no Stamp
}

// live reports whether the key can still be changed.
func (r Row) live() bool { return r.State == "active" || r.State == "suspended" }

// rotating reports whether the secret of before still holds.
func (r Row) rotating() bool { return r.OldUntil.Stamp != "" }

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
	Rate    form.Entry

	ScopesProblem  string
	ExpiresProblem string
	Problem        string // of the form as a whole
}

// A Created is a key just made, or one that was just given a new secret.
type Created struct {
	Label    string
	Key      string // the raw key, shown this once
	Endpoint string // absolute URL of the hosted MCP endpoint
	OpenAI   string // base URL of the OpenAI-compatible endpoint
	Expires  string // "on 28 February 2027", "never"
	Scopes   []string
	Old      string // of a rotated key, what becomes of the old secret: "holds on until 1 December 2026, 16:02 UTC"
}

func (c Created) title() string {
	if c.Old != "" {
		return "New secret for “" + c.Label + "”"
	}
	return "Key “" + c.Label + "” created"
}

func (c Created) state() string {
	s := "It expires " + c.Expires + ". Scopes: " + strings.Join(c.Scopes, ", ") + "."
	if c.Old != "" {
		s = "The old secret " + c.Old + ". " + s
	}
	return s
}

// asks reports whether the key opens the endpoints for agents.
func (c Created) asks() bool { return slices.Contains(c.Scopes, "advisor:read") }

// A Detail is the page of one key.
type Detail struct {
	Key       Row
	Actor     string // the name in audit rows, where it is not the owner
	CreatedBy string // "by ada@example.org at the terminal"
	Rotated   layout.When
	RotatedBy string
	RateText  string // "600 requests in 60 s", "the server's"
	Rev       string // the revision that is shown
	Problem   string // of the form as a whole

	Label          form.Entry
	Scopes         []form.Choice // that it has; one may be taken away
	ScopesProblem  string
	Expires        []form.Choice
	ExpiresProblem string
	Rate           form.Entry

	Owners       []form.Choice // active members; none where the key cannot be given away
	OwnerProblem string
}

// state says how the key stands, in one sentence.
func (d Detail) state() string {
	switch d.Key.State {
	case "suspended":
		return "Suspended: " + d.Key.Owner + " may not act in this brain now. Give the key to another member, or revoke it."
	case "expired":
		return "Expired. What has ended stays as it was: create a new key to go on."
	case "revoked":
		return "Revoked " + d.Key.Ended + "."
	}
	if d.Key.rotating() {
		return "Active, with two secrets: the old one holds on for a while."
	}
	return "Active. It acts for " + d.Key.Owner + ", with its scopes and no more than they may do."
}

// A Rotation asks how a key is to be rotated.
type Rotation struct {
	Key            Row
	Overlap        []form.Choice
	OverlapProblem string
	Expires        []form.Choice
	ExpiresProblem string
	Problem        string
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
	count := "No key is active"
	if active > 0 {
		count = layout.Plural(active, "key is active", "keys are active")
	}
	return count + ". A key acts for its owner, with its scopes and no more than the owner may do."
}

// create is the page's one act, for those who may.
func (x Index) create(f layout.Frame) layout.Link {
	if !x.MayCreate || len(x.Keys) == 0 {
		return layout.Link{} // an empty list has the button in its middle
	}
	return layout.Link{Text: "Create a key", URL: f.At(NewPath)}
}
