package ops_test

import (
	"slices"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// TestWhoAmI: each kind of credential learns what it is, and what it may do
// now, not what it was once given.
func TestWhoAmI(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	clk := held(d)
	c := newBrain(t, d, "calliope", false)
	must(t, d, c, ops.CreateUser, ops.CreateUserIn{Email: "bob@example.org", Roles: []models.Role{models.RoleReader}, Password: "correct horse battery"})
	must(t, d, newBrain(t, d, "urania", false), ops.CreateUser, ops.CreateUserIn{Email: "bob@example.org", Roles: []models.Role{models.RoleAuditor}})

	k := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "agent", Actor: "bob@example.org", Scopes: []models.Scope{models.ScopeAdvisorRead, models.ScopeInvoke}, RateN: 5, RateSeconds: 10})
	p, err := d.KeyPrincipal(t.Context(), k.Secret)
	if err != nil {
		t.Fatal(err)
	}
	taken, err := d.Take(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	me := must(t, d, ops.Call{By: p, Brain: "calliope", Via: ops.REST, Taken: taken}, ops.WhoAmI, ops.None{})
	switch {
	case me.Kind != "key", me.Brain != "calliope", me.Actor != "bob@example.org", me.Email != "bob@example.org", !me.Authenticated, me.Brains != nil:
		t.Errorf("a key: %+v", me)
	case *me.Key != ops.MyKey{ID: k.ID, Label: "agent"}, !slices.Equal(me.Scopes, k.Scopes), !slices.Equal(me.Roles, []models.Role{models.RoleReader}), !me.ExpiresAt.Equal(*k.ExpiresAt):
		t.Errorf("a key: %+v", me)
	case *me.RateLimit != ops.MyRate{Limit: 5, WindowS: 10, Remaining: 4}:
		t.Errorf("a key's limit: %+v", me.RateLimit)
	case !slices.Equal(me.Rights, []models.Right{models.MayAsk, models.MayIdentify}):
		t.Errorf("a reader's key may %v", me.Rights)
	}

	in := must(t, d, ops.Call{By: ops.Visitor(), Brain: store.Instance, Via: ops.Web}, ops.SignIn, ops.SignInIn{Email: "bob@example.org", Password: "correct horse battery"})
	v, err := d.Visit(t.Context(), in.Secret)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = v.Principal(store.Instance); err != nil {
		t.Fatal(err)
	}
	me = must(t, d, ops.Call{By: p, Brain: store.Instance, Via: ops.Web, Visit: v}, ops.WhoAmI, ops.None{})
	if me.Kind != "session" || me.Brain != "" || me.Email != "bob@example.org" || len(me.Brains) != 2 || me.Brains[1].ID != "urania" || me.Brains[1].Roles[0] != models.RoleAuditor || me.Key != nil || me.RateLimit != nil {
		t.Errorf("a session: %+v", me)
	}
	if me.ExpiresAt == nil || !me.ExpiresAt.Equal(clk.read().Add(models.SessionAbsolute)) {
		t.Errorf("a session ends at %v", me.ExpiresAt)
	}
	if me := must(t, d, c, ops.WhoAmI, ops.None{}); me.Kind != "terminal" || me.Authenticated || me.Actor != ada || me.ExpiresAt != nil {
		t.Errorf("the terminal: %+v", me)
	}
	if _, err := ops.Do(t.Context(), d, ops.Call{By: ops.Visitor(), Brain: store.Instance, Via: ops.Web}, ops.WhoAmI, ops.None{}); !fault.Is(err, fault.Forbidden) {
		t.Errorf("a visitor: %v", err)
	}
	clk.pass(time.Second)
}
