package ops

import (
	"context"
	"slices"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// LinkIn names two accounts by their e-mail addresses.
type LinkIn struct {
	Account string `json:"account"` // the second account
	Person  string `json:"person"`  // the first one, which the person goes by
}

// A LinkedAccount says whose account one is.
type LinkedAccount struct {
	Account      string `json:"account"` // ids
	Person       string `json:"person"`
	AccountEmail string `json:"account_email"`
	PersonEmail  string `json:"person_email"`
	Linked       bool   `json:"linked"`
}

// LinkPersons says that two accounts are one human being's, who from then on
// counts once wherever four eyes are asked for, in every brain.
var LinkPersons = &Op[LinkIn, LinkedAccount]{
	Name: "persons.link", Title: "Link two accounts", Summary: "Say that two accounts are one person's: wherever two people must agree they count once from then on. Another person decides on it.",
	Class: Irreversible, Needs: models.MayMembers, Offered: Web | CLI,
	Final:   "whose account is whose is decided on each time; persons.unlink parts them",
	Propose: func(_ context.Context, e *Env, in LinkIn) (Subject, error) { return proposeLink(e, in, true) },
	Base:    func(_ context.Context, e *Env, in LinkIn) (string, error) { return linkNow(e, in) },
	Run:     func(_ context.Context, e *Env, in LinkIn) (LinkedAccount, error) { return setLink(e, in, true) },
}

// UnlinkPersons takes back that two accounts are one human being's. What either
// had a part in until then they both do not decide on.
var UnlinkPersons = &Op[LinkIn, LinkedAccount]{
	Name: "persons.unlink", Title: "Unlink two accounts", Summary: "Take back that two accounts are one person's. Another person decides on it.",
	Class: Irreversible, Needs: models.MayAdminister, Offered: Web | CLI,
	Final:   "whose account is whose is decided on each time; persons.link joins them",
	Propose: func(_ context.Context, e *Env, in LinkIn) (Subject, error) { return proposeLink(e, in, false) },
	Base:    func(_ context.Context, e *Env, in LinkIn) (string, error) { return linkNow(e, in) },
	Run:     func(_ context.Context, e *Env, in LinkIn) (LinkedAccount, error) { return setLink(e, in, false) },
}

// pair finds the two accounts, and refuses what could not be done.
func pair(e *Env, in LinkIn, link bool) (LinkedAccount, error) {
	l := LinkedAccount{Linked: link}
	b, err := e.Tx.ThisBrain(false)
	if err != nil {
		return l, err
	}
	if !b.FourEyesAt(e.Now) {
		return l, needsTwo("Whose account is whose is decided on by two people, and this brain's four eyes are off.")
	}
	ms, err := e.Tx.Members()
	if err != nil {
		return l, err
	}
	for _, f := range []struct {
		field, email string
		id, clean    *string
	}{{"account", in.Account, &l.Account, &l.AccountEmail}, {"person", in.Person, &l.Person, &l.PersonEmail}} {
		email, _ := models.CleanEmail(f.email)
		i := slices.IndexFunc(ms, func(m store.MemberPerson) bool { return m.Email == email })
		if i < 0 {
			return l, fault.Field(f.field, "Nobody in this brain has that e-mail address.")
		}
		*f.id, *f.clean = ms[i].PersonID, email
	}
	if l.Account == l.Person {
		return l, fault.Field("person", "These are one account.")
	}
	return l, linkable(e, l)
}

func needsTwo(why string) error {
	return fault.New(fault.NotReady, "%s Turn them on first.", why).WithCode("four_eyes_required")
}

// linkable reports why the accounts cannot be linked, or unlinked, as they are.
func linkable(e *Env, l LinkedAccount) error {
	first, err := e.Tx.FirstAccount(l.Account)
	if err != nil {
		return err
	}
	if !l.Linked {
		if first != l.Person {
			return fault.New(fault.Conflict, "%s is not linked to %s.", l.AccountEmail, l.PersonEmail).WithCode("not_linked")
		}
		return nil
	}
	above, err := e.Tx.FirstAccount(l.Person)
	if err != nil {
		return err
	}
	has, err := e.Tx.HasSecondAccounts(l.Account)
	switch {
	case err != nil:
		return err
	case first != "":
		return fault.New(fault.Conflict, "%s is linked already.", l.AccountEmail).WithCode("already_linked")
	case above != "":
		return fault.New(fault.Conflict, "%s is itself a second account. Link to the first one.", l.PersonEmail).WithCode("not_first")
	case has:
		return fault.New(fault.Conflict, "%s has second accounts itself. Link them to %s one by one, or this one the other way round.", l.AccountEmail, l.PersonEmail).WithCode("not_flat")
	}
	return nil
}

func proposeLink(e *Env, in LinkIn, link bool) (Subject, error) {
	l, err := pair(e, in, link)
	before := l
	before.Linked = !link
	return Subject{Name: "account " + l.AccountEmail, Before: before, After: l}, err
}

// linkNow names whose second account it is now.
func linkNow(e *Env, in LinkIn) (string, error) {
	email, _ := models.CleanEmail(in.Account)
	p, err := e.Tx.PersonByEmail(email)
	if err != nil {
		return "", err
	}
	return e.Tx.FirstAccount(p.ID)
}

func setLink(e *Env, in LinkIn, link bool) (LinkedAccount, error) {
	l, err := pair(e, in, link)
	if err != nil {
		return l, err
	}
	if e.Queued == nil {
		return l, needsTwo("Whose account is whose is decided on by two people.") // the gate has let through what it should not
	}
	e.Audit.Target = l.AccountEmail
	if link {
		e.changed("same_as", "", l.PersonEmail)
		return l, e.Tx.LinkAccounts(l.Account, l.Person)
	}
	e.changed("same_as", l.PersonEmail, "")
	return l, e.Tx.LinkAccounts(l.Account, "")
}
