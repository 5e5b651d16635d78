package ops

import (
	"context"
	"slices"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// CreateAPIKeyIn describes the key to make.
type CreateAPIKeyIn struct {
	Label       string         `json:"label"`
	Scopes      []models.Scope `json:"scopes,omitempty"`        // default: advisor:read
	Actor       string         `json:"actor,omitempty"`         // the owner's e-mail, or a name for audit rows
	ExpiresDays int            `json:"expires_days,omitempty"`  // default 90, at most 366
	RateN       int            `json:"rate_limit,omitempty"`    // requests; default: the server's
	RateSeconds int            `json:"rate_window_s,omitempty"` // in this many seconds
}

// CreatedAPIKey is a new key and, this once, its secret.
type CreatedAPIKey struct {
	Key    models.APIKey `json:"record"`
	Secret string        `json:"key"`
}

// CreateAPIKey makes a key for the brain acted on.
var CreateAPIKey = &Op[CreateAPIKeyIn, CreatedAPIKey]{
	Name: "api_keys.create", Title: "Create an API key", Summary: "Make an API key; its secret is shown once.",
	Class: Reversible, Needs: models.MayKeys, Offered: Web | CLI,
	Run: createAPIKey,
}

func createAPIKey(_ context.Context, e *Env, in CreateAPIKeyIn) (CreatedAPIKey, error) {
	k := models.APIKey{Label: clean(in.Label), Scopes: in.Scopes, CreatedAt: e.Now, CreatedBy: e.Call.By.Actor, CreatedVia: e.Call.Via.String(), RateN: in.RateN, RateSeconds: in.RateSeconds}
	if err := checkKey(e, &k, in.ExpiresDays); err != nil {
		return CreatedAPIKey{}, err
	}
	if err := keyOwner(e, &k, in.Actor); err != nil {
		return CreatedAPIKey{}, err
	}
	secret, id := models.MintKey()
	k.ID, k.Hash = id, models.HashKey(secret)
	e.Audit.Target = id
	k.State = "active"
	return CreatedAPIKey{k, secret}, e.Tx.InsertAPIKey(&k)
}

// checkKey fills in what was left out and refuses what cannot be.
func checkKey(e *Env, k *models.APIKey, days int) error {
	if k.Label == "" || len(k.Label) > 100 {
		return fault.Field("label", "Name the key after the agent or machine that will hold it, in at most 100 bytes.")
	}
	if len(k.Scopes) == 0 {
		k.Scopes = []models.Scope{models.ScopeAdvisorRead}
	}
	for _, s := range k.Scopes {
		if !slices.Contains(models.Scopes(), s) {
			return fault.Field("scopes", "%q is no scope. Scopes are %v.", s, models.Scopes())
		}
		if s == models.ScopeAnyBrain && e.Call.Via != CLI {
			return fault.Field("scopes", "%s is given at the terminal only.", s)
		}
	}
	slices.Sort(k.Scopes)
	k.Scopes = slices.Compact(k.Scopes)
	if days == 0 {
		days = int(models.KeyDefaultLife / (24 * time.Hour))
	}
	if days < 0 || days > int(models.KeyLongestLife/(24*time.Hour)) {
		return fault.Field("expires_days", "A key lives between 1 and 366 days.")
	}
	until := e.Now.Add(time.Duration(days) * 24 * time.Hour)
	k.ExpiresAt = &until
	if (k.RateN == 0) != (k.RateSeconds == 0) || k.RateN < 0 || k.RateN > 1_000_000 || k.RateSeconds < 0 || k.RateSeconds > 900 {
		return fault.Field("rate_limit", "A rate is a number of requests, up to 1,000,000, in a window of at most 900 seconds.")
	}
	return nil
}

// keyOwner settles whose key it is. An actor who is a member owns it; any other
// name is only written into audit rows, and the person at the page, or at the
// terminal the brain's only owner, owns the key.
func keyOwner(e *Env, k *models.APIKey, actor string) error {
	ms, err := e.Tx.Members()
	if err != nil {
		return err
	}
	find := func(match func(store.MemberPerson) bool) (store.MemberPerson, bool) {
		i := slices.IndexFunc(ms, match)
		if i < 0 || ms[i].DisabledAt != nil {
			return store.MemberPerson{}, false
		}
		return ms[i], true
	}
	actor = clean(actor)
	owner, named := find(func(m store.MemberPerson) bool { return m.Email == actor })
	if !named {
		var ok bool
		if owner, ok = find(func(m store.MemberPerson) bool { return m.PersonID == e.Call.By.Person }); !ok {
			owner = onlyOwner(ms)
		}
	}
	switch {
	case owner.PersonID == "":
		return fault.Field("actor", "This brain has several owners: name the member who will own the key with --actor EMAIL.")
	case e.Call.By.Kind == models.KindPerson && owner.PersonID != e.Call.By.Person:
		// A key acts as its owner, so only its owner makes it at the page.
		return fault.Field("actor", "You can make keys for yourself only.")
	}
	k.OwnerID, k.Owner, k.Actor = owner.PersonID, owner.Email, owner.Email
	if !named && actor != "" {
		k.Actor = actor
	}
	return nil
}

// None is the input of an operation that takes none.
type None struct{}

// APIKeyList is every key of a brain, newest first.
type APIKeyList struct {
	Keys []models.APIKey `json:"keys"`
}

// ListAPIKeys lists the brain's keys without their secrets.
var ListAPIKeys = &Op[None, APIKeyList]{
	Name: "api_keys.list", Title: "List API keys", Summary: "List the brain's API keys, without secrets.",
	Class: Read, Needs: models.MayKeys, Offered: Web | CLI,
	Run: func(_ context.Context, e *Env, _ None) (APIKeyList, error) {
		ks, err := e.Tx.APIKeys(e.Now)
		return APIKeyList{ks}, err
	},
}

// RevokeAPIKeyIn names a key by its public id, or by the whole key.
type RevokeAPIKeyIn struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty"`
}

// RevokeAPIKey ends a key; the next request that uses it is refused. A key that
// is revoked already stays as it is.
var RevokeAPIKey = &Op[RevokeAPIKeyIn, models.APIKey]{
	Name: "api_keys.revoke", Title: "Revoke an API key", Summary: "Revoke an API key; the next request that uses it is refused.",
	Class: Reversible, Needs: models.MayKeys, Offered: Web | CLI,
	Run: func(_ context.Context, e *Env, in RevokeAPIKeyIn) (models.APIKey, error) {
		if len(in.Reason) > 500 {
			return models.APIKey{}, fault.Field("reason", "A reason is at most 500 bytes long.")
		}
		if id, whole := models.KeyID(in.ID); whole {
			in.ID = id // whoever found a key that leaked has all of it, and no list of ids
		}
		reason := models.RedactIn(clean(in.Reason))
		e.Audit.Target, e.Audit.Detail.Rationale = in.ID, reason
		k, err := e.Tx.RevokeAPIKey(in.ID, e.Call.By.Actor, reason, e.Now)
		if err != nil {
			return models.APIKey{}, err
		}
		return *k, nil
	},
}
