package ops

import (
	"context"
	"fmt"
	"slices"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// CreateBrainIn describes a new brain and its first owner.
type CreateBrainIn struct {
	ID         models.BrainID `json:"id"`
	Name       string         `json:"name"`
	OwnerEmail string         `json:"owner"`
	FourEyes   bool           `json:"four_eyes"`

	KeysMayNeverExpire bool `json:"keys_may_never_expire,omitempty"`
}

// CreatedBrain is a new brain, and a sign-in link where its owner is new.
type CreatedBrain struct {
	Brain models.Brain `json:"brain"`
	Owner CreatedUser  `json:"owner"`
}

// CreateBrain makes a brain with its owner, whose person is made if there is
// none. The call's brain is the new one.
var CreateBrain = &Op[CreateBrainIn, CreatedBrain]{
	Name: "brains.create", Title: "Create a brain", Summary: "Make a brain and its owner.",
	Class: Reversible, Needs: models.MayAdminister, Offered: Web | CLI,
	Final: "a brain is not unmade by the way; delete it",
	Stage: func(_ context.Context, e *Env, in CreateBrainIn) (any, error) {
		if in.ID.Valid() && in.ID == e.Call.Brain {
			return nil, nil
		}
		e.Audit.BrainID = store.Instance // there is no brain whose row it could be
		return nil, fault.Field("id", "A brain's id is a lower-case letter, then up to 39 lower-case letters, digits and hyphens.")
	},
	Run: createBrain,
}

func createBrain(_ context.Context, e *Env, in CreateBrainIn) (CreatedBrain, error) {
	var out CreatedBrain
	if in.Name = clean(in.Name); in.Name == "" || len(in.Name) > 200 {
		return out, fault.Field("name", "Give the brain a name of at most 200 bytes.")
	}
	e.Audit.Target = string(in.ID)
	if !in.FourEyes {
		e.Audit.Detail.FourEyes = models.FourEyesOff
	}
	out.Brain = models.Brain{ID: in.ID, Name: in.Name, FourEyes: in.FourEyes, KeysMayNeverExpire: in.KeysMayNeverExpire, CreatedAt: e.Now, CreatedBy: e.Call.By.Actor}
	if !in.FourEyes { // like any other brain that does without
		until := e.Now.AddDate(0, 0, mostDaysOff)
		out.Brain.FourEyesUntil = &until
	}
	if err := e.Tx.InsertBrain(&out.Brain); err != nil {
		return out, err
	}
	owner, err := addMember(e, in.OwnerEmail, "", "", []models.Role{models.RoleOwner})
	out.Owner = owner
	return out, err
}

// CreateUserIn describes a person, and what they become in the call's brain.
type CreateUserIn struct {
	Email string        `json:"email"`
	Name  string        `json:"name,omitempty"`
	Roles []models.Role `json:"roles"`

	Password string `json:"password,omitempty"` // empty: a one-time link is made instead
}

// CreatedUser is a member. Link is a one-time sign-in token, for a person who
// has no password yet.
type CreatedUser struct {
	PersonID string        `json:"person_id"`
	Email    string        `json:"email"`
	Roles    []models.Role `json:"roles"`
	New      bool          `json:"new"`
	Link     string        `json:"sign_in_token,omitempty"`
}

// CreateUser makes a person where there is none, and a member of the brain, with
// any role: it is offered at a terminal alone, which is the root of trust. The
// person decides only once they have signed in at a browser, and the audit row
// says who brought them in. Elsewhere roles are given by members.grant.
var CreateUser = &Op[CreateUserIn, CreatedUser]{
	Name: "users.create", Title: "Add a person", Summary: "Make a person and give them roles in the brain.",
	Class: Reversible, Needs: models.MayMembers, Offered: CLI,
	Final: "whoever was let in is removed with members.remove or users.disable",
	Stage: func(_ context.Context, _ *Env, in CreateUserIn) (any, error) {
		if in.Password == "" {
			return "", nil
		}
		return newPassword(in.Password)
	},
	Run: func(_ context.Context, e *Env, in CreateUserIn) (CreatedUser, error) {
		for _, r := range in.Roles {
			if !slices.Contains(models.Roles(), r) {
				return CreatedUser{}, fault.Field("roles", "%q is no role. Roles are %v.", r, models.Roles())
			}
		}
		if len(in.Roles) == 0 {
			return CreatedUser{}, fault.Field("roles", "Give at least one role of %v.", models.Roles())
		}
		return addMember(e, in.Email, in.Name, e.Staged.(string), in.Roles)
	},
}

// addMember finds or makes the person and sets their roles. A person who has
// no password gets the one whose hash is given, or else a one-time link; a
// password that somebody chose is not replaced along the way.
func addMember(e *Env, email, name, hash string, roles []models.Role) (CreatedUser, error) {
	u := CreatedUser{Roles: roles}
	addr, err := cleanEmail(email)
	if err != nil {
		return u, err
	}
	e.Audit.Target = addr
	p, err := e.Tx.PersonByEmail(addr)
	if fault.Is(err, fault.NotFound) {
		if p, err = newPerson(addr, name, e); err == nil {
			u.New = true
			err = e.Tx.InsertPerson(p)
		}
	}
	if err != nil {
		return u, err
	}
	u.PersonID, u.Email = p.ID, p.Email
	if !u.New {
		if err := stillEnough(e, p.ID, roles); err != nil {
			return u, err
		}
	}
	if err := e.Tx.SetMembership(p.ID, roles); err != nil {
		return u, err
	}
	switch {
	case p.PasswordHash != "" && hash != "":
		return u, &fault.Error{Kind: fault.Conflict, Code: "has_password", Field: "password", Message: fmt.Sprintf("%s has a password already. Add them without one; nothing was changed.", addr)}
	case p.PasswordHash != "":
		return u, nil
	case hash != "":
		return u, e.Tx.SetPassword(p.ID, hash)
	}
	u.Link = models.NewSecret("link")
	return u, e.Tx.InsertLink(HashSecret(u.Link), store.LinkSignIn, p.ID, e.Now, e.Now.Add(SignInLinkLife))
}

// cleanEmail returns an address as it is compared and stored.
func cleanEmail(email string) (string, error) {
	addr, ok := models.CleanEmail(email)
	if !ok {
		return "", fault.Field("email", "%q is no e-mail address.", email)
	}
	return addr, nil
}

// newPerson returns an unsaved person with a clean address. Where no name is
// given the address stands in for it.
func newPerson(addr, name string, e *Env) (*models.Person, error) {
	if name = clean(name); name == "" {
		name = addr
	}
	if len(name) > 200 {
		return nil, fault.Field("name", "A name is at most 200 bytes long.")
	}
	return &models.Person{ID: models.NewID("per"), Email: addr, Name: name, CreatedAt: e.Now, CreatedBy: e.Call.By.Actor}, nil
}
