package ops

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// The answers to a credential that does not hold. Only who holds the whole key
// learns that it was revoked or has expired.
var (
	badKey     = fault.New(fault.Unauthenticated, "This is not a valid API key. Send one as `Authorization: Bearer sk-polaris-…` or `X-API-Key`.").WithCode("invalid_api_key")
	revokedKey = fault.New(fault.Unauthenticated, "This API key was revoked. Ask the brain's admin for a new one.").WithCode("revoked_api_key")
	rotatedKey = fault.New(fault.Unauthenticated, "This API key was rotated, and the secret that it had before no longer holds. Ask the brain's admin for the new one.").WithCode("expired_api_key")
	ownerGone  = fault.New(fault.Unauthenticated, "The owner of this API key may no longer act in this brain. Ask its admin to give the key to somebody else, or for a new one.").WithCode("revoked_api_key")
	expiredKey = fault.New(fault.Unauthenticated, "This API key has expired. Ask the brain's admin for a new one.").WithCode("expired_api_key")
)

// Principal returns whom a credential of a program stands for: an API key, or
// an access token, told apart by their shape.
func (d *Desk) Principal(ctx context.Context, credential string) (models.Principal, error) {
	if looksLikeJWT(credential) {
		return d.TokenPrincipal(ctx, credential)
	}
	return d.KeyPrincipal(ctx, credential)
}

// looksLikeJWT reports whether a credential has the three parts of a signed
// token, so that its holder is told about tokens and not about keys.
func looksLikeJWT(s string) bool {
	return strings.Count(s, ".") == 2 && s[0] != '.' && !strings.Contains(s, "..")
}

// KeyPrincipal returns whom an API key stands for, by one query and no cache:
// a revocation, a disabled owner and a lost membership hold from the next
// request on.
func (d *Desk) KeyPrincipal(ctx context.Context, key string) (models.Principal, error) {
	var none models.Principal
	id, ok := models.KeyID(key)
	if !ok {
		return none, badKey
	}
	h, err := d.Store.KeyByID(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return none, badKey
	}
	if err != nil {
		return none, err
	}
	now := d.Now()
	k := &h.Key
	secret := k.Secret(key, now)
	switch {
	case secret == models.WrongSecret:
		return none, badKey
	case k.RevokedAt != nil:
		return none, revokedKey
	case k.StateAt(now) == "expired":
		return none, expiredKey
	case secret == models.RotatedSecret:
		return none, rotatedKey
	case h.OwnerDisabled || len(h.Roles) == 0:
		return none, ownerGone
	}
	if k.LastUsedAt == nil || now.Sub(*k.LastUsedAt) > models.KeyLastUsedLag {
		if err := d.Store.TouchKey(ctx, k.BrainID, k.ID, now); err != nil {
			d.Log.Warn("noting a key's use failed", "key", k.ID, "error_type", fmt.Sprintf("%T", err))
		}
	}
	p := models.Principal{
		Kind: models.KindKey, Person: k.OwnerID, Actor: k.Actor, KeyID: k.ID, Brain: k.BrainID,
		Roles: h.Roles, Scopes: k.Scopes, Authenticated: true, Published: h.Published, Suspended: h.Suspended, Policy: h.Policy, ExpiresAt: k.ExpiresAt,
	}
	if k.RateN > 0 {
		p.RateLimit = models.Rate{N: k.RateN, Window: time.Duration(k.RateSeconds) * time.Second}
	}
	return p, nil
}

// HashSecret returns what is stored of a session id or a one-time link.
func HashSecret(secret string) []byte { h := sha256.Sum256([]byte(secret)); return h[:] }

// A Visit is a signed-in browser: the person, and the brains to choose from.
type Visit struct {
	store.SignedIn
	Hash []byte // of the session's secret, by which the database knows it
}

// Visit returns who is behind a session cookie's secret. It notes the use at
// most once a minute.
func (d *Desk) Visit(ctx context.Context, secret string) (*Visit, error) {
	hash := HashSecret(secret)
	in, err := d.Store.SessionByHash(ctx, hash)
	if err != nil {
		return nil, err
	}
	now := d.Now()
	if !now.Before(in.ExpiresAt) || now.Sub(in.SeenAt) > models.SessionIdle {
		return nil, fault.New(fault.Unauthenticated, "Your session has run out. Sign in to go on.").WithCode("signed_out")
	}
	if now.Sub(in.SeenAt).Minutes() >= 1 {
		if err := d.Store.TouchSession(ctx, hash, now); err != nil {
			d.Log.Warn("noting a session's use failed", "error", err)
		}
	}
	return &Visit{*in, hash}, nil
}

// Principal returns the visitor as a member of the brain. A brain that the
// person is no member of is not there for them.
func (v *Visit) Principal(brain models.BrainID) (models.Principal, error) {
	p := models.Principal{Kind: models.KindPerson, Person: v.PersonID, Actor: v.Email, Authenticated: true, InstanceAdmin: v.InstanceAdmin, Brain: store.Instance, ExpiresAt: &v.ExpiresAt, TokenVersion: v.TokenVersion}
	if brain == store.Instance {
		return p, nil
	}
	i := slices.IndexFunc(v.Memberships, func(m store.Member) bool { return m.Brain == brain })
	if i < 0 {
		return models.Principal{}, store.NoBrain
	}
	m := v.Memberships[i]
	p.Brain, p.Roles, p.Published, p.Suspended, p.Policy = brain, m.Roles, m.Published, m.Suspended, m.Policy
	return p, nil
}

// Visitor returns the principal of somebody who is not signed in yet.
func Visitor() models.Principal {
	return models.Principal{Kind: models.KindVisitor, Actor: "visitor", Brain: store.Instance}
}

// Terminal returns the principal of whoever has a shell on the host: actor is
// what they say they are, or the brain's only owner where they say nothing.
func (d *Desk) Terminal(ctx context.Context, brain models.BrainID, actor string) (models.Principal, error) {
	p := models.Principal{Kind: models.KindTerminal, Actor: clean(actor), Brain: brain}
	if !isText(p.Actor) {
		return p, fault.Field("actor", "--actor is not valid text.")
	}
	if brain == store.Instance {
		if p.Actor == "" {
			p.Actor = "terminal"
		}
		return p, nil
	}
	b, err := d.Store.Brain(ctx, brain)
	if err != nil {
		return p, err
	}
	p.Published = b.Published
	err = d.Store.InBrain(ctx, brain, func(tx *store.Tx) error {
		ms, err := tx.Members()
		if err != nil {
			return err
		}
		if p.Actor == "" {
			p.Actor = onlyOwner(ms).Email
		}
		email, _ := models.CleanEmail(p.Actor)
		for _, m := range ms {
			if m.Email == email {
				p.Person, p.Actor = m.PersonID, m.Email
			}
		}
		return nil
	})
	if err == nil && p.Actor == "" {
		err = fault.Field("actor", "This brain has several owners: say who you are with --actor EMAIL.").WithCode("actor_required")
	}
	return p, err
}

// onlyOwner returns the brain's owner if there is exactly one.
func onlyOwner(ms []store.MemberPerson) store.MemberPerson {
	var owner store.MemberPerson
	n := 0
	for _, m := range ms {
		if slices.Contains(m.Roles, models.RoleOwner) && m.DisabledAt == nil {
			owner, n = m, n+1
		}
	}
	if n != 1 {
		return store.MemberPerson{}
	}
	return owner
}
