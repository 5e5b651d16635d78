package ops_test

import (
	"sync"
	"testing"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// TestOwnersRightsNow is the matrix of what can become of a key's owner: the key
// holds or it does not from the next request on, and comes back where that is
// undone.
func TestOwnersRightsNow(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	const bob = "bob@example.org"
	admin := ops.Call{By: c.By, Brain: store.Instance, Via: ops.CLI}
	join := func() {
		must(t, d, c, ops.CreateUser, ops.CreateUserIn{Email: bob, Roles: []models.Role{models.RoleCurator}})
	}
	join()
	k := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "x", Actor: bob})
	for _, step := range []struct {
		name    string
		do      func()
		verdict string
		state   string
	}{
		{"at first", func() {}, "ok", "active"},
		{"disabled", func() { must(t, d, admin, ops.DisableUser, ops.UserIn{Email: bob}) }, "revoked_api_key", "suspended"},
		{"disabled again", func() { must(t, d, admin, ops.DisableUser, ops.UserIn{Email: bob}) }, "revoked_api_key", "suspended"},
		{"enabled", func() { must(t, d, admin, ops.EnableUser, ops.UserIn{Email: bob}) }, "ok", "active"},
		{"removed", func() { must(t, d, c, ops.RemoveMember, ops.MemberIn{Member: "Bob@Example.org"}) }, "revoked_api_key", "suspended"},
		{"a member again", join, "ok", "active"},
		{"removed and disabled", func() {
			must(t, d, c, ops.RemoveMember, ops.MemberIn{Member: bob})
			must(t, d, admin, ops.DisableUser, ops.UserIn{Email: bob})
		}, "revoked_api_key", "suspended"},
		{"given to another", func() { must(t, d, c, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: k.ID, Owner: ptr(ada)}) }, "ok", "active"},
	} {
		step.do()
		if got := verdict(t, d, k.Secret); got != step.verdict {
			t.Errorf("%s: %s, want %s", step.name, got, step.verdict)
		}
		if got := must(t, d, c, ops.GetAPIKey, ops.APIKeyIDIn{ID: k.ID}); got.State != step.state {
			t.Errorf("%s: listed as %s, want %s", step.name, got.State, step.state)
		}
	}
	if got := code(d, c, ops.RemoveMember, ops.MemberIn{Member: bob}); got != "no_such_member " {
		t.Errorf("removing who is no member: %s", got)
	}
}

// TestDisabledIsOut: a disabled person's sessions end at once and none begins.
func TestDisabledIsOut(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	admin := ops.Call{By: c.By, Brain: store.Instance, Via: ops.CLI}
	must(t, d, c, ops.CreateUser, ops.CreateUserIn{Email: "bob@example.org", Roles: []models.Role{models.RoleCurator}, Password: "correct horse battery"})
	enter := func() (ops.Session, error) {
		return ops.Do(t.Context(), d, ops.Call{By: ops.Visitor(), Brain: store.Instance, Via: ops.Web}, ops.SignIn, ops.SignInIn{Email: "bob@example.org", Password: "correct horse battery"})
	}
	s, err := enter()
	if err != nil {
		t.Fatal(err)
	}
	out := must(t, d, admin, ops.DisableUser, ops.UserIn{Email: "Bob@example.org"})
	if out.DisabledAt == nil {
		t.Errorf("disabled: %+v", out)
	}
	if _, err := d.Visit(t.Context(), s.Secret); fault.Of(err).Code != "signed_out" {
		t.Errorf("the session: %v", err)
	}
	if _, err := enter(); fault.Of(err).Code != "wrong_sign_in" {
		t.Errorf("signing in: %v", err)
	}
	list := must(t, d, admin, ops.ListUsers, ops.Page{})
	if len(list.Users) != 2 || list.Users[1].Email != "bob@example.org" || list.Users[1].DisabledAt == nil {
		t.Errorf("people: %+v", list.Users)
	}
	must(t, d, admin, ops.EnableUser, ops.UserIn{Email: "bob@example.org"})
	if _, err := d.Visit(t.Context(), s.Secret); fault.Of(err).Code != "signed_out" {
		t.Errorf("the ended session, afterwards: %v", err)
	}
	if _, err := enter(); err != nil {
		t.Errorf("signing in afterwards: %v", err)
	}
	me := models.Principal{Kind: models.KindPerson, Person: out.PersonID, Actor: out.Email, Brain: store.Instance, InstanceAdmin: true, Authenticated: true}
	if got := code(d, ops.Call{By: me, Brain: store.Instance, Via: ops.Web}, ops.DisableUser, ops.UserIn{Email: out.Email}); got != "invalid email" {
		t.Errorf("disabling oneself: %s", got)
	}
	if got := code(d, admin, ops.DisableUser, ops.UserIn{Email: "eve@example.org"}); got != "not_found " {
		t.Errorf("disabling nobody: %s", got)
	}
}

// TestTheLastOwnerStays: two owners who remove each other at the same time do
// not both succeed, and one who is disabled does not count.
func TestTheLastOwnerStays(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	const bob = "bob@example.org"
	for range 10 {
		for _, who := range []string{ada, bob} {
			must(t, d, c, ops.CreateUser, ops.CreateUserIn{Email: who, Roles: []models.Role{models.RoleOwner}})
		}
		var wg sync.WaitGroup
		got := make([]string, 2)
		for i, who := range []string{ada, bob} {
			wg.Go(func() { got[i] = code(d, c, ops.RemoveMember, ops.MemberIn{Member: who}) })
		}
		wg.Wait()
		if (got[0] == "ok") == (got[1] == "ok") || got[0] != "ok" && got[0] != "last_owner " || got[1] != "ok" && got[1] != "last_owner " {
			t.Fatalf("removing both owners: %q", got)
		}
	}
	for _, who := range []string{ada, bob} {
		must(t, d, c, ops.CreateUser, ops.CreateUserIn{Email: who, Roles: []models.Role{models.RoleOwner}})
	}
	must(t, d, ops.Call{By: c.By, Brain: store.Instance, Via: ops.CLI}, ops.DisableUser, ops.UserIn{Email: bob})
	if got := code(d, c, ops.RemoveMember, ops.MemberIn{Member: ada}); got != "last_owner " {
		t.Errorf("the last owner who is not disabled: %s", got)
	}
	list := must(t, d, c, ops.ListMembers, ops.Page{}).Members
	if len(list) != 2 || list[0].Email != ada || list[0].Disabled || !list[1].Disabled {
		t.Errorf("members: %+v", list)
	}
}
