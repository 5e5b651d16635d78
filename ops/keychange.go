package ops

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// UpdateAPIKeyIn names a key and what of it is to change; what is left out
// stays.
type UpdateAPIKeyIn struct {
	ID           string         `json:"id"`
	Label        *string        `json:"label,omitempty"`
	Scopes       []models.Scope `json:"scopes,omitempty"`                                        // fewer than it has; more takes a new key
	Owner        *string        `json:"owner,omitempty"`                                         // another active member's e-mail
	ExpiresDays  *int           `json:"expires_days,omitempty" schema:"minimum=1,maximum=366"`   // from now
	NeverExpires bool           `json:"never_expires,omitempty"`                                 // where the brain's setting allows it
	RateN        *int           `json:"rate_limit,omitempty" schema:"minimum=0,maximum=1000000"` // 0, with a window of 0: the server's
	RateSeconds  *int           `json:"rate_window_s,omitempty" schema:"minimum=0,maximum=900"`
}

// UpdateAPIKey changes a key: its label, rate, expiry and owner, and which of
// its scopes it keeps.
var UpdateAPIKey = &Op[UpdateAPIKeyIn, models.APIKey]{
	Name: "api_keys.update", Title: "Change an API key", Route: "PATCH /v1/brains/{brain_id}/api-keys/{id}",
	Summary: "Change an API key's label, rate, expiry or owner, or take scopes from it. It is not given further ones: that takes a new key.",
	Class:   Reversible, Needs: models.MayKeys, Offered: Web | CLI | REST,
	Final: "keys are changed by whoever answers for them; change it back",
	HTTP:  HTTP{IfMatch: true, Example: `{"label":"support agent","scopes":["advisor:read"]}`},
	Run: func(_ context.Context, e *Env, in UpdateAPIKeyIn) (models.APIKey, error) {
		k, err := liveKey(e, in.ID)
		if err != nil {
			return models.APIKey{}, err
		}
		for _, change := range []func(*Env, *models.APIKey, UpdateAPIKeyIn) error{relabel, narrow, move, reschedule, pace} {
			if err := change(e, k, in); err != nil {
				return models.APIKey{}, err
			}
		}
		if len(e.Audit.Detail.Changes) > 0 {
			err = e.Tx.SaveAPIKey(k)
		}
		k.Shown(e.Now)
		return *k, err
	},
}

// liveKey returns a key that can still be changed, locked and as the caller saw
// it. One that has ended stays as it was, so that what the audit log says of it
// stays true.
func liveKey(e *Env, id string) (*models.APIKey, error) {
	e.Audit.Target = id
	k, err := e.Tx.LockAPIKey(id)
	if err != nil {
		return nil, err
	}
	switch k.StateAt(e.Now) {
	case "revoked":
		return nil, fault.New(fault.Conflict, "This key was revoked and cannot be changed. Create a new one.").WithCode("key_revoked")
	case "expired":
		return nil, fault.New(fault.Conflict, "This key has expired and cannot be changed. Create a new one.").WithCode("key_expired")
	}
	return k, e.Match(k.ETag())
}

func relabel(e *Env, k *models.APIKey, in UpdateAPIKeyIn) error {
	if in.Label == nil {
		return nil
	}
	label, err := keyLabel(*in.Label)
	e.changed("label", k.Label, label)
	k.Label = label
	return err
}

// narrow takes scopes away. What a key may do never grows: whoever was given it
// was given that much, and somebody else may hold it by now.
func narrow(e *Env, k *models.APIKey, in UpdateAPIKeyIn) error {
	if in.Scopes == nil {
		return nil
	}
	if len(in.Scopes) == 0 {
		return fault.Field("scopes", "A key keeps at least one scope. To end it, revoke it.")
	}
	kept := slices.Clone(in.Scopes)
	slices.Sort(kept)
	kept = slices.Compact(kept)
	for _, s := range kept {
		if !slices.Contains(k.Scopes, s) {
			return fault.Field("scopes", "This key does not have %s, and a key is not given further scopes. Create a new one.", s).WithCode("scopes_only_narrow")
		}
	}
	e.changed("scopes", words(k.Scopes), words(kept))
	k.Scopes = kept
	return nil
}

// move gives the key to another member. The name that audit rows show follows,
// unless it was one of the key's own.
func move(e *Env, k *models.APIKey, in UpdateAPIKeyIn) error {
	if in.Owner == nil {
		return nil
	}
	if err := terminalOnly(e, k); err != nil {
		return err
	}
	ms, err := e.Tx.Members()
	if err != nil {
		return err
	}
	email, _ := models.CleanEmail(*in.Owner)
	to, ok := activeMember(ms, func(m store.MemberPerson) bool { return m.Email == email })
	if !ok {
		return fault.Field("owner", "No active member of this brain has that e-mail address. Add the person first.")
	}
	e.changed("owner", k.Owner, to.Email)
	if k.Actor == k.Owner {
		k.Actor = to.Email
	}
	k.OwnerID, k.Owner, k.OwnerGone = to.PersonID, to.Email, false
	return nil
}

// reschedule sets when the key ends: earlier, or within a year of the secret
// that it has now.
func reschedule(e *Env, k *models.APIKey, in UpdateAPIKeyIn) error {
	if in.ExpiresDays == nil && !in.NeverExpires {
		return nil
	}
	days := 0
	if in.ExpiresDays != nil {
		if days = *in.ExpiresDays; days == 0 {
			return fault.Field("expires_days", "A key lives at least another day. To end it now, revoke it.")
		}
	}
	until, err := keyExpiry(e, days, in.NeverExpires)
	if err != nil {
		return err
	}
	later := until != nil && k.ExpiresAt != nil && until.After(*k.ExpiresAt)
	if later && until.After(k.Youth().Add(models.KeyLongestLife)) {
		return fault.Field("expires_days", "A secret lives %d days at most, and this one is from %s. Rotate the key to go on.", longestKeyDays, k.Youth().Format(time.DateOnly))
	}
	e.changed("expires_at", moment(k.ExpiresAt), moment(until))
	k.ExpiresAt = until
	return nil
}

func pace(e *Env, k *models.APIKey, in UpdateAPIKeyIn) error {
	if in.RateN == nil && in.RateSeconds == nil {
		return nil
	}
	n, seconds := k.RateN, k.RateSeconds
	if in.RateN != nil {
		n = *in.RateN
	}
	if in.RateSeconds != nil {
		seconds = *in.RateSeconds
	}
	n, seconds, err := keyRate(n, seconds)
	e.changed("rate", rateText(k.RateN, k.RateSeconds), rateText(n, seconds))
	k.RateN, k.RateSeconds = n, seconds
	return err
}

// RotateAPIKeyIn names a key and how long its present secret holds on.
type RotateAPIKeyIn struct {
	ID             string `json:"id"`
	OverlapSeconds *int   `json:"overlap_s,omitempty" schema:"minimum=0,maximum=604800"` // default 86,400; 0: the old secret ends at once; at most 604,800
	ExpiresDays    int    `json:"expires_days,omitempty" schema:"minimum=1,maximum=366"` // default: the key ends when it would have
	NeverExpires   bool   `json:"never_expires,omitempty"`                               // where the brain's setting allows it
}

// RotateAPIKey gives a key a new secret under the same public id, so that the
// audit log knows one key before and after. The secret that it had holds on for
// the overlap; one from before that is refused from now on.
var RotateAPIKey = &Op[RotateAPIKeyIn, CreatedAPIKey]{
	Name: "api_keys.rotate", Title: "Rotate an API key", Route: "POST /v1/brains/{brain_id}/api-keys/{id}/rotate",
	Summary: "Give an API key a new secret, shown once, under the same public id. The old secret holds on for the overlap.",
	Class:   Reversible, Needs: models.MayKeys, Offered: Web | CLI | REST,
	Final: "a new secret was given out, and the old one is not kept",
	HTTP:  HTTP{IfMatch: true, Example: `{"overlap_s":3600}`},
	Run:   rotateAPIKey,
}

func rotateAPIKey(_ context.Context, e *Env, in RotateAPIKeyIn) (CreatedAPIKey, error) {
	var none CreatedAPIKey
	if id, whole := models.KeyID(in.ID); whole {
		in.ID = id
	}
	k, err := liveKey(e, in.ID)
	if err == nil {
		err = terminalOnly(e, k)
	}
	if err != nil {
		return none, err
	}
	overlap := models.KeyDefaultOverlap
	if in.OverlapSeconds != nil {
		overlap = time.Duration(*in.OverlapSeconds) * time.Second
		if *in.OverlapSeconds < 0 || *in.OverlapSeconds > int(models.KeyLongestOverlap/time.Second) {
			return none, fault.Field("overlap_s", "The old secret holds on for at most %d days; 0 ends it at once.", int(models.KeyLongestOverlap/day))
		}
	}
	if in.ExpiresDays != 0 || in.NeverExpires {
		until, err := keyExpiry(e, in.ExpiresDays, in.NeverExpires)
		if err != nil {
			return none, err
		}
		e.changed("expires_at", moment(k.ExpiresAt), moment(until))
		k.ExpiresAt = until
	}
	secret := k.Rotate(e.Call.By.Actor, overlap, e.Now)
	until := e.Now.Add(overlap)
	e.changed("previous_valid_until", "", moment(&until))
	if err := e.Tx.SaveAPIKey(k); err != nil {
		return none, err
	}
	k.Shown(e.Now)
	return CreatedAPIKey{*k, secret}, nil
}

// RevokeAPIKeyIn names a key by its public id, or by the whole key.
type RevokeAPIKeyIn struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty"`
}

// RevokeAPIKey ends a key with all its secrets; the next request that uses it is
// refused. A key that is revoked already stays as it is.
var RevokeAPIKey = &Op[RevokeAPIKeyIn, models.APIKey]{
	Name: "api_keys.revoke", Title: "Revoke an API key", Route: "DELETE /v1/brains/{brain_id}/api-keys/{id}",
	Summary: "Revoke an API key; the next request that uses it is refused.",
	Class:   Reversible, Needs: models.MayKeys, Offered: Web | CLI | REST,
	Final: "a key that was revoked stays so; mint another",
	HTTP:  HTTP{Status: http.StatusNoContent}, // and none asks for the revision: a key that is to end ends
	Run: func(_ context.Context, e *Env, in RevokeAPIKeyIn) (models.APIKey, error) {
		if len(in.Reason) > 500 {
			return models.APIKey{}, fault.Field("reason", "A reason is at most 500 bytes long.")
		}
		if id, whole := models.KeyID(in.ID); whole {
			in.ID = id // whoever found a key that leaked has all of it, and no list of ids
		}
		reason := models.RedactIn(clean(in.Reason))
		e.Audit.Target, e.Audit.Detail.Rationale = in.ID, reason
		k, err := e.Tx.LockAPIKey(in.ID)
		if err != nil {
			return models.APIKey{}, err
		}
		if k.RevokedAt == nil {
			k.RevokedAt, k.RevokedBy, k.RevokeCause = &e.Now, e.Call.By.Actor, reason
			err = e.Tx.SaveAPIKey(k)
		}
		k.Shown(e.Now)
		return *k, err
	},
}

// changed records in the audit row that a field is not what it was.
func (e *Env) changed(field, from, to string) {
	if from != to {
		e.Audit.Detail.Changes = append(e.Audit.Detail.Changes, models.Change{Field: field, From: from, To: to})
	}
}

func words[T ~string](xs []T) string {
	ss := make([]string, len(xs))
	for i, x := range xs {
		ss[i] = string(x)
	}
	return strings.Join(ss, " ")
}

func moment(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.UTC().Format(time.RFC3339)
}

func rateText(n, seconds int) string {
	if n == 0 {
		return "the server's"
	}
	return fmt.Sprintf("%d/%ds", n, seconds)
}
