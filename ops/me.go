package ops

import (
	"context"
	"time"

	"polaris/models"
	"polaris/models/store"
)

// Me is what a credential is, for whoever holds it.
type Me struct {
	Kind          string         `json:"kind"`             // key, token, session or terminal
	Brain         models.BrainID `json:"brain,omitempty"`  // that the credential is for; a session is for several
	Brains        []MyBrain      `json:"brains,omitempty"` // of a session
	Actor         string         `json:"actor"`            // as audit rows name it
	Email         string         `json:"email,omitempty"`  // of the person, or of the key's owner
	Key           *MyKey         `json:"key,omitempty"`
	TokenID       string         `json:"token_id,omitempty"`
	Scopes        []models.Scope `json:"scopes,omitempty"`
	Roles         []models.Role  `json:"roles,omitempty"` // the person's, in the brain, now
	Rights        []models.Right `json:"rights"`          // what scopes and roles together allow now
	InstanceAdmin bool           `json:"instance_admin,omitempty"`
	ExpiresAt     *time.Time     `json:"expires_at,omitempty"`
	RateLimit     *MyRate        `json:"rate_limit,omitempty"` // left out where there is none
	Authenticated bool           `json:"authenticated"`
}

// MyBrain is a brain that the person is a member of.
type MyBrain struct {
	ID    models.BrainID `json:"id"`
	Name  string         `json:"name"`
	Roles []models.Role  `json:"roles"`
}

// MyKey names the key that was sent.
type MyKey struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// MyRate is how many requests the credential may make, and has left.
type MyRate struct {
	Limit     int `json:"limit"`
	WindowS   int `json:"window_s"`
	Remaining int `json:"remaining"`
}

// WhoAmI tells a credential what it is, and what it may do now.
var WhoAmI = &Op[None, Me]{
	Name: "me", Title: "Who am I", Summary: "What the credential that was sent is: its brain, scopes, roles, expiry and limits.",
	Class: Read, Needs: models.MayIdentify, Offered: Web | CLI | REST, Route: "GET /v1/me",
	HTTP: HTTP{Keys: true},
	Run:  whoAmI,
}

func whoAmI(_ context.Context, e *Env, _ None) (Me, error) {
	by := e.Call.By
	m := Me{
		Kind: credentialKind(by), Brain: by.Brain, Actor: by.Actor, TokenID: by.TokenID, Scopes: by.Scopes, Roles: by.Roles, Rights: []models.Right{},
		InstanceAdmin: by.InstanceAdmin && !by.Scoped(), ExpiresAt: by.ExpiresAt, Authenticated: by.Authenticated,
	}
	if m.Brain == store.Instance {
		m.Brain = ""
	}
	for _, r := range models.Rights() {
		if by.May(r) {
			m.Rights = append(m.Rights, r)
		}
	}
	if t := e.Call.Taken; t.Limit > 0 {
		m.RateLimit = &MyRate{t.Limit, int(t.Window / time.Second), t.Remaining}
	}
	if v := e.Call.Visit; v != nil {
		for _, b := range v.Memberships {
			m.Brains = append(m.Brains, MyBrain{b.Brain, b.Name, b.Roles})
		}
	}
	err := holder(e, &m)
	return m, err
}

// credentialKind names what was sent.
func credentialKind(p models.Principal) string {
	switch {
	case p.TokenID != "":
		return "token"
	case p.Kind == models.KindPerson:
		return "session"
	}
	return string(p.Kind)
}

// holder adds what is stored of the key and of the person behind the credential.
func holder(e *Env, m *Me) error {
	if id := e.Call.By.KeyID; id != "" {
		k, err := e.Tx.APIKey(id, e.Now)
		if err != nil {
			return err
		}
		m.Key, m.Email = &MyKey{k.ID, k.Label}, k.Owner
		return nil
	}
	if e.Call.By.Person == "" {
		return nil
	}
	p, err := e.Tx.Person(e.Call.By.Person)
	if err != nil {
		return err
	}
	m.Email = p.Email
	return nil
}
