package ops

import (
	"context"
	"net/http"

	"polaris/models"
	"polaris/models/store"
)

// CreateAPIKeyIn describes the key to make.
type CreateAPIKeyIn struct {
	Label        string         `json:"label"`
	Scopes       []models.Scope `json:"scopes,omitempty"`                                        // default: advisor:read
	Actor        string         `json:"actor,omitempty"`                                         // the owner's e-mail, or a name for audit rows
	ExpiresDays  int            `json:"expires_days,omitempty" schema:"minimum=1,maximum=366"`   // default 90, at most 366
	NeverExpires bool           `json:"never_expires,omitempty"`                                 // where the brain's setting allows it
	RateN        int            `json:"rate_limit,omitempty" schema:"minimum=1,maximum=1000000"` // requests; default: the server's
	RateSeconds  int            `json:"rate_window_s,omitempty" schema:"minimum=1,maximum=900"`  // in this many seconds
}

// Key is the record of a key, without any secret. It goes by this name where it
// is embedded, so that a record looks the same with a secret beside it.
type Key = models.APIKey

// CreatedAPIKey is a key and, this once, its new secret.
type CreatedAPIKey struct {
	Key
	Secret string `json:"key"`
}

// CreateAPIKey makes a key for the brain acted on.
var CreateAPIKey = &Op[CreateAPIKeyIn, CreatedAPIKey]{
	Name: "api_keys.create", Title: "Create an API key", Route: "POST /v1/brains/{brain_id}/api-keys",
	Summary: "Make an API key; its secret is shown once.",
	Class:   Reversible, Needs: models.MayKeys, Offered: Web | CLI | REST,
	Final: "the secret was given out; revoke the key",
	HTTP:  HTTP{Status: http.StatusCreated, Example: `{"label":"support agent","scopes":["advisor:read"],"expires_days":90}`},
	Run:   createAPIKey,
}

func createAPIKey(_ context.Context, e *Env, in CreateAPIKeyIn) (CreatedAPIKey, error) {
	var none CreatedAPIKey
	k := models.APIKey{CreatedAt: e.Now, CreatedBy: e.Call.By.Actor, CreatedVia: e.Call.Via.String()}
	var err error
	if k.Label, err = keyLabel(in.Label); err != nil {
		return none, err
	}
	if k.Scopes, err = keyScopes(e, in.Scopes); err != nil {
		return none, err
	}
	days := in.ExpiresDays
	if days == 0 && !in.NeverExpires {
		days = defaultKeyDays
	}
	if k.ExpiresAt, err = keyExpiry(e, days, in.NeverExpires); err != nil {
		return none, err
	}
	if k.RateN, k.RateSeconds, err = keyRate(in.RateN, in.RateSeconds); err != nil {
		return none, err
	}
	if err := keyOwner(e, &k, in.Actor); err != nil {
		return none, err
	}
	secret, id := models.MintKey()
	k.ID, k.Hash = id, models.HashKey(secret)
	e.Audit.Target = id
	if err := e.Tx.InsertAPIKey(&k); err != nil {
		return none, err
	}
	k.Shown(e.Now)
	return CreatedAPIKey{k, secret}, nil
}

// None is the input of an operation that takes none.
type None struct{}

// APIKeyList is every key of a brain, newest first.
type APIKeyList struct {
	Keys []models.APIKey `json:"keys"`
	More
}

func (l APIKeyList) with(m APIKeyList) APIKeyList {
	return APIKeyList{append(l.Keys, m.Keys...), m.More}
}

// ListAPIKeys lists the brain's keys without their secrets: all of them,
// whoever owns them.
var ListAPIKeys = &Op[Page, APIKeyList]{
	Name: "api_keys.list", Title: "List API keys", Route: "GET /v1/brains/{brain_id}/api-keys", Summary: "List the brain's API keys, without secrets.",
	Class: Read, Needs: models.MayKeys, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in Page) (APIKeyList, error) {
		ks, more, err := stretch(e, in, func(s store.Stretch) ([]models.APIKey, error) { return e.Tx.APIKeyPage(s, e.Now) },
			func(k models.APIKey) store.Mark { return store.Mark{At: k.CreatedAt, ID: k.ID} })
		return APIKeyList{ks, more}, err
	},
}

// APIKeyIDIn names a key by its public id.
type APIKeyIDIn struct {
	ID string `json:"id"`
}

// GetAPIKey returns one key without its secret.
var GetAPIKey = &Op[APIKeyIDIn, models.APIKey]{
	Name: "api_keys.get", Title: "Show an API key", Route: "GET /v1/brains/{brain_id}/api-keys/{id}", Summary: "Show one API key of the brain, without its secret.",
	Class: Read, Needs: models.MayKeys, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in APIKeyIDIn) (models.APIKey, error) {
		k, err := e.Tx.APIKey(in.ID, e.Now)
		if err != nil {
			return models.APIKey{}, err
		}
		return *k, nil
	},
}
