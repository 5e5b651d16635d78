package ops

import (
	"context"
	"slices"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// GrantIn is the roles that a member is to have, in place of those that they
// have now.
type GrantIn struct {
	Member string        `json:"member"` // by e-mail address or id
	Roles  []models.Role `json:"roles"`
}

// A Grant is somebody's roles in the brain.
type Grant struct {
	Person string        `json:"person"` // id
	Email  string        `json:"email"`
	Roles  []models.Role `json:"roles"`
}

// GrantRoles sets a member's roles. Who gains a say in what is decided gains it
// by the decision of another person, who is not the member either; to read, to
// audit, and to have less than before takes nobody else. Somebody who is not in
// the brain yet is brought in at a terminal (users.create), which is the root of
// trust and leaves its own row: there is no way in from here.
var GrantRoles = &Op[GrantIn, Grant]{
	Name: "members.grant", Title: "Set a member's roles", Route: "PUT /v1/brains/{brain_id}/members/{member}/roles",
	Summary: "Set the roles of a member of the brain. To make somebody owner, admin, curator or approver takes another person's decision, and not the member's own.",
	Class:   Irreversible, Needs: models.MayMembers, Offered: Web | CLI | REST,
	Final: "who decides is decided on each time; grant the roles of before",
	HTTP:  HTTP{Example: `{"roles":["reader"]}`},
	AtOnce: func(e *Env, in GrantIn) (bool, error) {
		// Whoever sets or takes roles takes turns: what somebody has must not be
		// taken from them meanwhile, or it would be given back here.
		if _, err := e.Tx.ThisBrain(true); err != nil {
			return false, err
		}
		now, next, err := regrant(e, in)
		return !slices.ContainsFunc(next.Roles, func(r models.Role) bool { return governed(r) && !slices.Contains(now.Roles, r) }), err
	},
	Propose: func(_ context.Context, e *Env, in GrantIn) (Subject, error) {
		now, next, err := regrant(e, in)
		return Subject{Name: "roles of " + next.Email, Before: now, After: next}, err
	},
	Base: func(_ context.Context, e *Env, in GrantIn) (string, error) {
		now, _, err := regrant(e, in)
		return words(now.Roles), err
	},
	Run: func(_ context.Context, e *Env, in GrantIn) (Grant, error) {
		if _, err := e.Tx.ThisBrain(true); err != nil {
			return Grant{}, err
		}
		now, next, err := regrant(e, in)
		if err != nil {
			return next, err
		}
		e.changed("roles", words(now.Roles), words(next.Roles))
		return next, e.Tx.SetMembership(next.Person, next.Roles)
	},
}

// governed reports whether a role is given by two people only.
func governed(r models.Role) bool { return r != models.RoleReader && r != models.RoleAuditor }

// regrant returns a member's roles as they are and as they would be, in the order
// in which roles are listed.
func regrant(e *Env, in GrantIn) (now, next Grant, err error) {
	if email, ok := models.CleanEmail(in.Member); ok {
		in.Member = email
	}
	e.Audit.Target = in.Member
	ms, err := e.Tx.Members()
	if err != nil {
		return now, next, err
	}
	m, err := memberOf(ms, in.Member)
	if err != nil {
		return now, next, err
	}
	for _, r := range in.Roles {
		if !slices.Contains(models.Roles(), r) {
			return now, next, fault.Field("roles", "%q is no role. Roles are %v.", r, models.Roles())
		}
	}
	if len(in.Roles) == 0 {
		return now, next, fault.Field("roles", "Give at least one role of %v, or remove the member.", models.Roles())
	}
	e.Audit.Target = m.Email
	now = Grant{m.PersonID, m.Email, rolesInOrder(m.Roles)}
	next = Grant{m.PersonID, m.Email, rolesInOrder(in.Roles)}
	if !slices.Contains(next.Roles, models.RoleOwner) {
		err = notLastOwner(ms, m)
	}
	if err == nil {
		err = enoughDeciders(e, m, next.Roles)
	}
	return now, next, err
}

// rolesInOrder returns roles as models.Roles has them, each once.
func rolesInOrder(roles []models.Role) []models.Role {
	return slices.DeleteFunc(models.Roles(), func(r models.Role) bool { return !slices.Contains(roles, r) })
}

// memberOf finds a member by e-mail address, in its clean form, or id.
func memberOf(ms []store.MemberPerson, name string) (store.MemberPerson, error) {
	i := slices.IndexFunc(ms, func(m store.MemberPerson) bool { return m.Email == name || m.PersonID == name })
	if i < 0 {
		return store.MemberPerson{}, fault.New(fault.NotFound, "Nobody in this brain goes by that name.").WithCode("no_such_member")
	}
	return ms[i], nil
}

// notLastOwner refuses that an owner ceases to be one where no other is active.
func notLastOwner(ms []store.MemberPerson, m store.MemberPerson) error {
	_, other := activeMember(ms, func(o store.MemberPerson) bool {
		return o.PersonID != m.PersonID && slices.Contains(o.Roles, models.RoleOwner)
	})
	if slices.Contains(m.Roles, models.RoleOwner) && !other {
		return fault.New(fault.Conflict, "%s is the last active owner of this brain. Make somebody else an owner first.", m.Email).WithCode("last_owner")
	}
	return nil
}
