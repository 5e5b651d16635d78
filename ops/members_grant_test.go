package ops_test

import (
	"slices"
	"testing"

	"polaris/models"
	"polaris/ops"
)

// To read and to audit is given at once; a say in what is decided is given by
// two, and whom it is given to is neither of them.
func TestGrantingAVoiceTakesTwo(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	d := x.d
	eve := signIn(t, d, "acme", "eve@example.org", models.RoleReader)
	roles := func() []models.Role {
		for _, m := range must(t, d, x.ann, ops.ListMembers, ops.Page{}).Members {
			if m.Email == "eve@example.org" {
				return m.Roles
			}
		}
		return nil
	}
	grant := func(rs ...models.Role) ops.GrantIn { return ops.GrantIn{Member: "Eve@example.org", Roles: rs} }

	must(t, d, x.ann, ops.GrantRoles, grant(models.RoleAuditor, models.RoleReader))
	if got := roles(); !slices.Equal(got, []models.Role{models.RoleAuditor, models.RoleReader}) {
		t.Errorf("given at once: %v", got)
	}
	for _, r := range []models.Role{models.RoleOwner, models.RoleAdmin, models.RoleCurator, models.RoleApprover} {
		for name, by := range map[string]ops.Call{"page": x.ann, "terminal": x.shell} {
			if name == "terminal" {
				by.By.Actor, by.By.Person = x.ann.By.Actor, x.ann.By.Person
			}
			q := proposed(t, d, by, ops.GrantRoles, grant(r))
			if got := roles(); slices.Contains(got, r) {
				t.Errorf("%s at the %s: given before anybody decided", r, name)
			}
			_, err := decide(t, d, x.ann, q.ID, "approve")
			refusedAs(t, "who proposed it", err, "own_proposal")
			if _, err := decide(t, d, x.ben, q.ID, "reject"); err != nil {
				t.Fatal(err)
			}
		}
	}
	// A curator who is to be owner has a voice, but not in that.
	q := proposed(t, d, x.ann, ops.GrantRoles, ops.GrantIn{Member: x.di.By.Actor, Roles: []models.Role{models.RoleOwner}})
	_, err := decide(t, d, x.di, q.ID, "approve")
	refusedAs(t, "whom it is about", err, "own_proposal")

	q = proposed(t, d, x.ann, ops.GrantRoles, grant(models.RoleApprover))
	if got, err := decide(t, d, x.ben, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}
	if got := roles(); !slices.Equal(got, []models.Role{models.RoleApprover}) {
		t.Errorf("decided on: %v", got)
	}
	// What she had is moved when it is decided on: stale.
	q = proposed(t, d, x.ann, ops.GrantRoles, grant(models.RoleOwner))
	must(t, d, x.ann, ops.GrantRoles, grant(models.RoleReader)) // less than before, at once
	if got, err := decide(t, d, x.ben, q.ID, "approve"); err != nil || got.State != models.Stale {
		t.Errorf("over other roles: %+v, %v", got, err)
	}
	must(t, d, x.ben, ops.RemoveMember, ops.MemberIn{Member: x.ann.By.Actor})
	for want, in := range map[string]ops.GrantIn{
		"no_such_member ": {Member: "nobody@example.org", Roles: []models.Role{models.RoleReader}},
		"invalid roles":   grant("king"),
		"last_owner ":     {Member: ada, Roles: []models.Role{models.RoleReader}},
	} {
		if got := code(d, x.ben, ops.GrantRoles, in); got != want {
			t.Errorf("%+v: %s, want %s", in, got, want)
		}
	}
	if got := code(d, x.ann, ops.GrantRoles, grant()); got != "invalid roles" {
		t.Errorf("no roles: %s", got)
	}
	if got := code(d, eve, ops.GrantRoles, grant(models.RoleReader)); got != "insufficient_role " {
		t.Errorf("by a reader: %s", got)
	}
}
