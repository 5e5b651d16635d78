package ops

import (
	"context"
	"slices"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// A Forgetting is what is decided on, and what was done. The person is named by
// their id alone, since what was decided on stays.
type Forgetting struct {
	Person    string        `json:"person"` // id
	Roles     []models.Role `json:"roles,omitempty"`
	Keys      int           `json:"api_keys,omitempty"` // that end with it
	Pseudonym string        `json:"pseudonym,omitempty"`
	Forgotten bool          `json:"forgotten"`
}

// ForgetPerson replaces a person's name and e-mail address by a pseudonym, in
// every brain, and ends all that they could come in by. It is decided on in a
// brain that they are a member of, by two others. What is hashed keeps what it
// says: the audit log, the manifests of versions, and what was decided on.
var ForgetPerson = &Op[MemberIn, Forgetting]{
	Name: "persons.forget", Title: "Forget a person",
	Summary: "Replace a person's name and e-mail address by a pseudonym everywhere but in what is hashed (the audit log, manifests, what was decided on), disable the account, and end its sessions, tokens and keys. Another person decides on it, and nothing takes it back.",
	Class:   Irreversible, Needs: models.MayMembers, Offered: Web | CLI,
	Final: "who was forgotten cannot be found again",
	Propose: func(_ context.Context, e *Env, in MemberIn) (Subject, error) {
		now, err := toForget(e, in)
		after := Forgetting{Person: now.Person, Forgotten: true}
		return Subject{Name: "person " + now.Person, Before: now, After: after, Input: MemberIn{now.Person}}, err
	},
	Base: func(_ context.Context, e *Env, in MemberIn) (string, error) {
		now, err := toForget(e, in)
		return words(now.Roles), err
	},
	Run: func(_ context.Context, e *Env, in MemberIn) (Forgetting, error) {
		now, err := toForget(e, in)
		if err != nil {
			return now, err
		}
		if e.Queued == nil {
			return now, needsTwo("That a person is forgotten is decided on by two others.") // the gate has let through what it should not
		}
		now.Forgotten = true
		if now.Pseudonym, err = e.Tx.Forget(now.Person); err != nil {
			return now, err
		}
		e.changed("person", now.Person, "forgotten as "+now.Pseudonym)
		return now, nil
	},
}

// toForget finds the member, and refuses what the database would.
func toForget(e *Env, in MemberIn) (Forgetting, error) {
	f := Forgetting{}
	if email, ok := models.CleanEmail(in.Member); ok {
		in.Member = email
	}
	b, err := e.Tx.ThisBrain(true)
	if err != nil {
		return f, err
	}
	ms, err := e.Tx.Members()
	if err != nil {
		return f, err
	}
	m, err := memberOf(ms, in.Member)
	if fault.Is(err, fault.NotFound) {
		m, err = e.Tx.FormerMember(in.Member)
	}
	if err != nil {
		return f, err
	}
	e.Audit.Target = m.PersonID // and not the address
	if !b.FourEyesAt(e.Now) {
		return f, needsTwo("That a person is forgotten is decided on by two others, and this brain's four eyes are off.")
	}
	if err := notLastOwner(ms, m); err != nil {
		return f, err
	}
	if err := enoughDeciders(e, m, nil); err != nil {
		return f, err
	}
	f.Person, f.Roles = m.PersonID, rolesInOrder(m.Roles)
	f.Keys, err = e.Tx.KeysOf(m.PersonID)
	return f, err
}

// stillEnough is enoughDeciders for somebody who may be a member.
func stillEnough(e *Env, person string, next []models.Role) error {
	ms, err := e.Tx.Members()
	if err != nil {
		return err
	}
	m, err := memberOf(ms, person)
	if err != nil {
		return nil //nolint:nilerr // nobody counts on them
	}
	return enoughDeciders(e, m, next)
}

// stillDecided holds each brain that counts on a person to that two could decide
// there without them. It looks from the transaction that disables them, in which
// nobody else loses a say meanwhile.
func (e *Env) stillDecided(person string) error {
	bs, err := e.Tx.Brains()
	if err != nil {
		return err
	}
	for _, b := range bs {
		err := e.Tx.In(b.ID, func(tx *store.Tx) error {
			at := *e
			at.Tx = tx
			return stillEnough(&at, person, nil)
		})
		if f := fault.Of(err); err != nil && f.Code == "too_few_deciders" {
			return fault.New(fault.Conflict, "Fewer than two people could decide in the brain %s then. Give somebody else a say there first; or say leaves_too_few (bb user disable --leaves-too-few), where it cannot wait.", b.ID).WithCode(f.Code)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// enoughDeciders refuses what leaves fewer than two people who could decide, where
// there are two: from then on nothing could be decided any more, and one owner
// alone could turn four eyes off. next is what the member would have.
func enoughDeciders(e *Env, m store.MemberPerson, next []models.Role) error {
	b, err := e.Tx.ThisBrain(false)
	if err != nil || !b.FourEyesAt(e.Now) {
		return err
	}
	if err := e.Tx.LockSay(); err != nil { // of two who lose theirs at once each would count on the other
		return err
	}
	now, without, err := e.Tx.DecidersWithout(string(Irreversible), m.PersonID)
	if err != nil || now < 2 || without >= 2 || now == without {
		return err
	}
	rules, err := settingsNow(e)
	if err != nil {
		return err
	}
	for _, r := range rules.Rules {
		if r.Class == string(Irreversible) && slices.ContainsFunc(next, func(o models.Role) bool { return slices.Contains(r.Roles, o) }) {
			return nil // still decides
		}
	}
	return fault.New(fault.Conflict, "Then fewer than two people could decide in this brain. Give somebody else a say first, as approver, curator, admin or owner.").WithCode("too_few_deciders")
}
