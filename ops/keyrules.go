package ops

import (
	"slices"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// What a key may be, whether it is being made or changed.

const (
	day            = 24 * time.Hour
	defaultKeyDays = int(models.KeyDefaultLife / day)
	longestKeyDays = int(models.KeyLongestLife / day)
)

// keyLabel returns a label as it is stored. A secret that somebody writes there
// would be in every list.
func keyLabel(label string) (string, error) {
	if label = models.RedactIn(clean(label)); label == "" || len(label) > 100 {
		return "", fault.Field("label", "Name the key after the agent or machine that will hold it, in at most 100 bytes.")
	}
	return label, nil
}

// keyScopes returns scopes in their order, each once; advisor:read for none.
func keyScopes(e *Env, scopes []models.Scope) ([]models.Scope, error) {
	if len(scopes) == 0 {
		return []models.Scope{models.ScopeAdvisorRead}, nil
	}
	for _, s := range scopes {
		if !slices.Contains(models.Scopes(), s) {
			return nil, noScope(s)
		}
		if s == models.ScopeAnyBrain && e.Call.Via != CLI {
			return nil, fault.Field("scopes", "%s is given at the terminal only.", s)
		}
	}
	scopes = slices.Clone(scopes)
	slices.Sort(scopes)
	return slices.Compact(scopes), nil
}

// keyExpiry returns when a secret that is made now ends; nil: never, which the
// brain must allow.
func keyExpiry(e *Env, days int, never bool) (*time.Time, error) {
	if never {
		if days != 0 {
			return nil, fault.Field("never_expires", "Say either when the key expires or that it never does.")
		}
		b, err := e.Tx.ThisBrain(false)
		if err != nil {
			return nil, err
		}
		if !b.KeysMayNeverExpire {
			return nil, fault.Field("never_expires", "In this brain every key expires, after %d days at most. That is settled when a brain is made.", longestKeyDays).WithCode("expiry_required")
		}
		return nil, nil
	}
	if days < 1 || days > longestKeyDays {
		return nil, fault.Field("expires_days", "A key lives between 1 and %d days.", longestKeyDays)
	}
	until := e.Now.Add(time.Duration(days) * day)
	return &until, nil
}

// keyRate returns a rate of a key's own; 0 and 0 is none.
func keyRate(n, seconds int) (int, int, error) {
	if (n == 0) != (seconds == 0) || n < 0 || n > 1_000_000 || seconds < 0 || seconds > 900 {
		return 0, 0, fault.Field("rate_limit", "A rate is a number of requests, up to 1,000,000, in a window of at most 900 seconds.")
	}
	return n, seconds, nil
}

// keyOwner settles whose key a new one is. An actor who is a member owns it;
// any other name is only written into audit rows, and the person at the page, or
// at the terminal the brain's only owner, owns the key.
func keyOwner(e *Env, k *models.APIKey, actor string) error {
	ms, err := e.Tx.Members()
	if err != nil {
		return err
	}
	actor = models.RedactIn(clean(actor))
	email, _ := models.CleanEmail(actor) // as addresses are compared everywhere
	if email == "" && strings.EqualFold(actor, models.System("").Actor) {
		return fault.Field("actor", "%q is what Polaris itself is called in audit rows. Choose another name.", actor)
	}
	owner, named := activeMember(ms, func(m store.MemberPerson) bool { return m.Email == email })
	if !named {
		if slices.ContainsFunc(ms, func(m store.MemberPerson) bool { return m.Email == email }) {
			return fault.Field("actor", "%s may not act in this brain, so no key can act as them.", email)
		}
		var ok bool
		if owner, ok = activeMember(ms, func(m store.MemberPerson) bool { return m.PersonID == e.Call.By.Person }); !ok {
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

// terminalOnly refuses, anywhere but at the terminal, what gives somebody a key
// that reaches other brains: who administers this one has no say in those.
func terminalOnly(e *Env, k *models.APIKey) error {
	if e.Call.Via == CLI || !slices.Contains(k.Scopes, models.ScopeAnyBrain) {
		return nil
	}
	return fault.New(fault.Forbidden, "This key has %s, so it is rotated and moved at the terminal only, as it was made there. Here it can be revoked, or that scope taken from it.", models.ScopeAnyBrain).WithCode("terminal_only")
}

// activeMember returns the first member that fits and may act now.
func activeMember(ms []store.MemberPerson, fits func(store.MemberPerson) bool) (store.MemberPerson, bool) {
	i := slices.IndexFunc(ms, func(m store.MemberPerson) bool { return m.DisabledAt == nil && fits(m) })
	if i < 0 {
		return store.MemberPerson{}, false
	}
	return ms[i], true
}
