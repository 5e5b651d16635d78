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

// TestStrangersLockNobodyOut: wrong passwords from one place end the attempts
// from there, and leave the person their own.
func TestStrangersLockNobodyOut(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	must(t, d, c, ops.CreateUser, ops.CreateUserIn{Email: "eve@example.org", Roles: []models.Role{models.RoleReader}, Password: "correct horse battery"})
	try := func(from, password string) string {
		_, err := ops.Do(context.Background(), d, ops.Call{By: ops.Visitor(), Brain: store.Instance, Via: ops.Web, From: from}, ops.SignIn, ops.SignInIn{Email: "eve@example.org", Password: password})
		if err == nil {
			return "in"
		}
		return fault.Of(err).Code
	}
	for i := range 11 {
		want := "wrong_sign_in"
		if i == 10 {
			want = "rate_limited"
		}
		if got := try("192.0.2.1/32", "wrong"); got != want {
			t.Errorf("attempt %d: %s, want %s", i+1, got, want)
		}
	}
	if got := try("192.0.2.1/32", "correct horse battery"); got != "rate_limited" {
		t.Errorf("the right password from there: %s, want rate_limited", got)
	}
	if got := try("198.51.100.7/32", "correct horse battery"); got != "in" {
		t.Errorf("the right password from elsewhere: %s, want in", got)
	}
}
