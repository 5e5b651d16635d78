package ops_test

import (
	"context"
	"testing"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// TestAddPerson: a new person gets a password or a link, one of the two; a
// password that somebody has is never replaced along the way.
func TestAddPerson(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	in := ops.CreateUserIn{Email: "Eve@Example.org", Roles: []models.Role{models.RoleReader}}
	u := must(t, d, c, ops.CreateUser, in)
	if !u.New || u.Link == "" || u.Email != "eve@example.org" {
		t.Errorf("a new person: %+v", u)
	}
	in.Password = "correct horse battery"
	if u = must(t, d, c, ops.CreateUser, in); u.New || u.Link != "" {
		t.Errorf("with a password: %+v, want neither new nor a link", u)
	}
	enter := func(password string) error {
		_, err := ops.Do(context.Background(), d, ops.Call{By: ops.Visitor(), Brain: store.Instance, Via: ops.Web}, ops.SignIn, ops.SignInIn{Email: in.Email, Password: password})
		return err
	}
	if err := enter(in.Password); err != nil {
		t.Errorf("signing in: %v", err)
	}
	in.Password = "another password altogether"
	if _, err := ops.Do(context.Background(), d, c, ops.CreateUser, in); fault.Of(err) == nil || fault.Of(err).Code != "has_password" {
		t.Errorf("a second password: %v, want refused", err)
	}
	if err := enter("correct horse battery"); err != nil {
		t.Errorf("signing in with the first password afterwards: %v", err)
	}
	in.Password, in.Roles = "", []models.Role{models.RoleCurator}
	if u = must(t, d, c, ops.CreateUser, in); u.Link != "" || len(u.Roles) != 1 || u.Roles[0] != models.RoleCurator {
		t.Errorf("other roles: %+v", u)
	}
}
