package ops

import (
	"context"
	"net/http"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// A Member is somebody with roles in a brain.
type Member struct {
	PersonID string        `json:"person_id"`
	Email    string        `json:"email"`
	Name     string        `json:"name"`
	Roles    []models.Role `json:"roles"`
	Disabled bool          `json:"disabled"`
}

// MemberList is everybody in a brain, by e-mail.
type MemberList struct {
	Members []Member `json:"members"`
	More
}

func (l MemberList) with(m MemberList) MemberList {
	return MemberList{append(l.Members, m.Members...), m.More}
}

// ListMembers lists who has roles in the brain.
var ListMembers = &Op[Page, MemberList]{
	Name: "members.list", Title: "List members", Route: "GET /v1/brains/{brain_id}/members", Summary: "List who has roles in the brain.",
	Class: Read, Needs: models.MayMembers, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in Page) (MemberList, error) {
		ms, more, err := stretch(e, in, e.Tx.MemberPage, func(m store.MemberPerson) store.Mark { return store.Mark{ID: m.Email} })
		list := MemberList{Members: []Member{}, More: more}
		for _, m := range ms {
			list.Members = append(list.Members, Member{m.PersonID, m.Email, m.Name, m.Roles, m.DisabledAt != nil})
		}
		return list, err
	},
}

// MemberIn names a member by e-mail address or id.
type MemberIn struct {
	Member string `json:"member"`
}

// RemoveMember takes all roles in the brain from somebody. Their keys are
// refused from the next request on, unless they are given to another member.
var RemoveMember = &Op[MemberIn, Member]{
	Name: "members.remove", Title: "Remove a member", Route: "DELETE /v1/brains/{brain_id}/members/{member}",
	Summary: "Take all roles in the brain from a person. Keys that they own are refused from then on.",
	Class:   Reversible, Needs: models.MayMembers, Offered: Web | CLI | REST,
	Final: "roles are given with members.grant, which another person decides on",
	HTTP:  HTTP{Status: http.StatusNoContent},
	Run:   removeMember,
}

func removeMember(_ context.Context, e *Env, in MemberIn) (Member, error) {
	var gone Member
	if email, ok := models.CleanEmail(in.Member); ok {
		in.Member = email
	}
	e.Audit.Target = in.Member
	// Two owners who remove each other at once must not both succeed.
	if _, err := e.Tx.ThisBrain(true); err != nil {
		return gone, err
	}
	ms, err := e.Tx.Members()
	if err != nil {
		return gone, err
	}
	m, err := memberOf(ms, in.Member)
	if err != nil {
		return gone, err
	}
	if err := notLastOwner(ms, m); err != nil {
		return gone, err
	}
	if err := enoughDeciders(e, m, nil); err != nil {
		return gone, err
	}
	e.changed("roles", words(m.Roles), "")
	return Member{m.PersonID, m.Email, m.Name, []models.Role{}, m.DisabledAt != nil}, e.Tx.SetMembership(m.PersonID, nil)
}

// A User is a person of this instance.
type User struct {
	PersonID      string     `json:"person_id"`
	Email         string     `json:"email"`
	Name          string     `json:"name"`
	InstanceAdmin bool       `json:"instance_admin"`
	CreatedAt     time.Time  `json:"created_at"`
	DisabledAt    *time.Time `json:"disabled_at,omitempty"`
}

func userOf(p *models.Person) User {
	return User{p.ID, p.Email, p.Name, p.InstanceAdmin, p.CreatedAt, p.DisabledAt}
}

// UserList is everybody on the instance, by e-mail.
type UserList struct {
	Users []User `json:"users"`
	More
}

func (l UserList) with(m UserList) UserList { return UserList{append(l.Users, m.Users...), m.More} }

// ListUsers lists the persons of the instance.
var ListUsers = &Op[Page, UserList]{
	Name: "users.list", Title: "List people", Summary: "List the people of this instance.",
	Class: Read, Needs: models.MayAdminister, Offered: Web | CLI,
	Run: func(_ context.Context, e *Env, in Page) (UserList, error) {
		ps, more, err := stretch(e, in, e.Tx.PersonPage, func(p models.Person) store.Mark { return store.Mark{ID: p.Email} })
		list := UserList{Users: []User{}, More: more}
		for i := range ps {
			list.Users = append(list.Users, userOf(&ps[i]))
		}
		return list, err
	},
}

// UserIn names a person by e-mail address.
type UserIn struct {
	Email string `json:"email"`

	// LeavesTooFew says of somebody who is to be disabled that it is known: in a
	// brain fewer than two people can decide then.
	LeavesTooFew bool `json:"leaves_too_few,omitempty"`
}

// DisableUser keeps a person out: their sessions end, and their sign-ins, links
// and keys are refused from the next request on, in every brain.
var DisableUser = &Op[UserIn, User]{
	Name: "users.disable", Title: "Disable a person", Summary: "Keep a person out: sessions end, and sign-ins and keys are refused from then on, in every brain.",
	Class: Reversible, Needs: models.MayAdminister, Offered: Web | CLI,
	Final: "users.enable lets the person in again",
	Run: func(_ context.Context, e *Env, in UserIn) (User, error) {
		p, err := user(e, in.Email)
		if err != nil {
			return User{}, err
		}
		if p.ID == e.Call.By.Person && e.Call.By.Kind == models.KindPerson {
			return User{}, fault.Field("email", "You cannot disable yourself. Another instance admin can.")
		}
		if p.DisabledAt == nil && !in.LeavesTooFew {
			if err := e.Tx.LockPerson(p.ID); err != nil {
				return User{}, err
			}
			if err := e.stillDecided(p.ID); err != nil {
				return User{}, err
			}
		}
		if p.DisabledAt == nil {
			p.DisabledAt = &e.Now
			e.changed("disabled", "no", "yes")
		}
		return userOf(p), e.Tx.DisablePerson(p.ID, p.DisabledAt)
	},
}

// EnableUser lets somebody who was disabled in again. Their keys that did not
// end meanwhile hold again.
var EnableUser = &Op[UserIn, User]{
	Name: "users.enable", Title: "Enable a person", Summary: "Let a disabled person in again, with the keys that did not end meanwhile.",
	Class: Reversible, Needs: models.MayAdminister, Offered: Web | CLI,
	Final: "users.disable ends the person's access",
	Run: func(_ context.Context, e *Env, in UserIn) (User, error) {
		p, err := user(e, in.Email)
		if err != nil {
			return User{}, err
		}
		if p.DisabledAt != nil {
			p.DisabledAt = nil
			e.changed("disabled", "yes", "no")
		}
		return userOf(p), e.Tx.DisablePerson(p.ID, nil)
	},
}

// user returns the person with the address.
func user(e *Env, email string) (*models.Person, error) {
	addr, err := cleanEmail(email)
	if err != nil {
		return nil, err
	}
	e.Audit.Target = addr
	return e.Tx.PersonByEmail(addr)
}
