package ops_test

import (
	"strings"
	"testing"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// A person who is forgotten goes by a pseudonym wherever their name and address
// stood, cannot come in any more, and all that is hashed verifies as before.
func TestForgetAPerson(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	d := x.d
	const eve = "eve.nobody@example.org"
	gone := signIn(t, d, "acme", eve, models.RoleCurator)
	tokens := must(t, d, gone, ops.CreateTokens, ops.CreateTokensIn{Scopes: []models.Scope{models.ScopeInvoke, models.ScopeWrite}})
	secret := must(t, d, x.ann, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "eve's"})
	owner := eve
	must(t, d, x.ann, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: secret.ID, Owner: &owner})
	must(t, d, gone, ops.ImportSource, ops.ImportSourceIn{Name: "eve.md", Code: "EV", Data: []byte("# Tides\n\nThe tide turns at noon.\n")})
	must(t, d, gone, ops.SaveCard, ops.SaveCardIn{ID: "tides", Label: "Tides", Covers: "tides", Anchors: []string{"EV 1"}})
	must(t, d, gone, ops.SaveGolden, ops.SaveGoldenIn{ID: "tides", Question: "When does the tide turn?"})
	must(t, d, gone, ops.SuspendSource, ops.SuspendIn{Source: "EV", Reason: "x"})
	old := proposed(t, d, gone, ops.PublishVersion, ops.PublishIn{})
	if _, err := decide(t, d, x.cleo, old.ID, "approve"); err != nil {
		t.Fatal(err)
	}
	asked := must(t, d, gone, ops.Answer, ops.AskIn{Query: "How much is the late fee?"})
	in := ops.MemberIn{Member: "Eve.Nobody@example.org"}

	app := connected(t, x.db.URL)
	if _, err := app.Exec(t.Context(), "SELECT set_config('app.brain_id', 'acme', false)"); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"SELECT forget('" + gone.By.Person + "')", "UPDATE persons SET email = 'x@example.org' WHERE id = '" + gone.By.Person + "'", "UPDATE persons SET name = 'x'", "UPDATE persons SET forgotten_at = now()",
		"UPDATE recommendations SET actor = 'x'", "UPDATE revisions SET created_by = 'x'", "DELETE FROM persons",
	} {
		if _, err := app.Exec(t.Context(), sql); err == nil || strings.Contains(err.Error(), "syntax error") {
			t.Errorf("%s: %v, want it refused", sql, err)
		}
	}
	q := proposed(t, d, x.ben, ops.ForgetPerson, in)
	for name, who := range map[string]ops.Call{"the proposer": x.ben, "whom it is about": gone} {
		if _, err := decide(t, d, who, q.ID, "approve"); err == nil {
			t.Errorf("%s decides on it", name)
		}
	}
	if got, err := decide(t, d, x.cleo, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}

	if _, err := d.KeyPrincipal(t.Context(), secret.Secret); err == nil {
		t.Error("a key of theirs holds")
	}
	if _, err := d.TokenPrincipal(t.Context(), tokens.AccessToken); err == nil {
		t.Error("a token of theirs holds")
	}
	if _, err := d.Store.SessionByHash(t.Context(), gone.Visit.Hash); err == nil {
		t.Error("a session of theirs holds")
	}
	// Their address stands in what was decided on and in manifests, which are
	// hashed, and nowhere else.
	for line := range strings.Lines(dump(t, x.db.URL, "acme")) {
		if strings.Contains(line, eve) && !strings.Contains(line, old.ID) && !strings.HasPrefix(line, "(acme,1,\"{\"\"cards\"\"") {
			t.Errorf("it stands in %.400s", line)
		}
	}
	if r := must(t, d, x.ann, ops.GetRecommendation, ops.RecommendationIDIn{ID: old.ID}); strings.Contains(r.Actor, "eve") || !strings.HasPrefix(r.Actor, "forgotten-") {
		t.Errorf("they proposed it as %s", r.Actor)
	}
	members := must(t, d, x.ann, ops.ListMembers, ops.Page{}).Members
	for _, m := range members {
		if m.PersonID == gone.By.Person {
			t.Errorf("a member still: %+v", m)
		}
	}
	if r := must(t, d, x.ann, ops.ReplayAnswer, ops.AnswerIDIn{ID: asked.AnswerID}); !r.Intact || !r.Reproduced {
		t.Errorf("an answer of theirs: %+v", r)
	}
	if r := must(t, d, x.ann, ops.GetAnswer, ops.AnswerIDIn{ID: asked.AnswerID}); !strings.HasSuffix(r.Owner, "@forgotten.invalid") {
		t.Errorf("the record is of %s", r.Owner)
	}
	if err := d.SealNow(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	if r := must(t, d, x.shell, ops.VerifyAudit, ops.VerifyAuditIn{}); len(r.Problems) > 0 {
		t.Errorf("the log: %+v", r)
	}
	if got := code(d, x.ben, ops.ForgetPerson, in); got != "no_such_member " {
		t.Errorf("again: %s", got)
	}
	// They may come back, as somebody new.
	must(t, d, x.shell, ops.CreateUser, ops.CreateUserIn{Email: eve, Roles: []models.Role{models.RoleReader}})
}

// Whoever is still counted on is not forgotten.
func TestForgetRefuses(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	newBrain(t, d, "acme", true)
	newBrain(t, d, "other", true)
	ann, ben := signIn(t, d, "acme", bob, models.RoleAdmin), signIn(t, d, "acme", cleo, models.RoleApprover)
	if got := code(d, ann, ops.ForgetPerson, ops.MemberIn{Member: ada}); got != "last_owner " {
		t.Errorf("the last owner: %s", got)
	}
	if got := code(d, ann, ops.ForgetPerson, ops.MemberIn{Member: "nobody@example.org"}); got != "no_such_member " {
		t.Errorf("a stranger: %s", got)
	}
	eve := must(t, d, terminal("acme"), ops.CreateUser, ops.CreateUserIn{Email: "eve@example.org", Roles: []models.Role{models.RoleReader}})
	must(t, d, terminal("other"), ops.CreateUser, ops.CreateUserIn{Email: "eve@example.org", Roles: []models.Role{models.RoleReader}})
	q := proposed(t, d, ann, ops.ForgetPerson, ops.MemberIn{Member: eve.PersonID})
	_, err := decide(t, d, ben, q.ID, "approve")
	refusedAs(t, "somebody whom another brain counts on", err, "member_elsewhere")
	must(t, d, terminal("other"), ops.RemoveMember, ops.MemberIn{Member: "eve@example.org"})
	if got, err := decide(t, d, ben, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Errorf("once it does not: %+v, %v", got, err)
	}
	one := newBrain(t, d, "one", false)
	must(t, d, one, ops.CreateUser, ops.CreateUserIn{Email: "fay@example.org", Roles: []models.Role{models.RoleReader}})
	if got := code(d, one, ops.ForgetPerson, ops.MemberIn{Member: "fay@example.org"}); got != "four_eyes_required " {
		t.Errorf("without four eyes: %s", got)
	}
}

// Nobody goes while fewer than two could decide then, whichever way they go.
func TestTwoStayWhoDecide(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "acme", true)
	ben := signIn(t, d, "acme", cleo, models.RoleApprover)
	admin := ops.Call{By: c.By, Brain: store.Instance, Via: ops.CLI}
	for name, got := range map[string]string{
		"removed":   code(d, c, ops.RemoveMember, ops.MemberIn{Member: cleo}),
		"demoted":   code(d, c, ops.GrantRoles, ops.GrantIn{Member: cleo, Roles: []models.Role{models.RoleReader}}),
		"made anew": code(d, c, ops.CreateUser, ops.CreateUserIn{Email: cleo, Roles: []models.Role{models.RoleReader}}),
		"disabled":  code(d, admin, ops.DisableUser, ops.UserIn{Email: cleo}),
	} {
		if got != "too_few_deciders " {
			t.Errorf("%s: %s", name, got)
		}
	}
	must(t, d, c, ops.CreateUser, ops.CreateUserIn{Email: bob, Roles: []models.Role{models.RoleCurator}})
	must(t, d, c, ops.GrantRoles, ops.GrantIn{Member: cleo, Roles: []models.Role{models.RoleReader}})
	if got := code(d, admin, ops.DisableUser, ops.UserIn{Email: bob}); got != "too_few_deciders " {
		t.Errorf("the next one: %s", got)
	}
	if u := must(t, d, admin, ops.DisableUser, ops.UserIn{Email: bob, LeavesTooFew: true}); u.DisabledAt == nil {
		t.Errorf("where it cannot wait: %+v", u)
	}
	must(t, d, admin, ops.DisableUser, ops.UserIn{Email: ben.By.Actor}) // a reader: nothing hangs on them

	// A brain that is born without four eyes has them after thirty days.
	born := must(t, d, terminal("born"), ops.CreateBrain, ops.CreateBrainIn{ID: "born", Name: "Born", OwnerEmail: ada})
	if u := born.Brain.FourEyesUntil; u == nil || u.Sub(d.Now()).Hours() < 29*24 || u.Sub(d.Now()).Hours() > 30*24 {
		t.Errorf("born without four eyes until %v", u)
	}
}

// With the serving login's own connection nobody gets a say.
func TestSQLGivesNobodyASay(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	must(t, x.d, x.shell, ops.CreateUser, ops.CreateUserIn{Email: "eve@example.org", Roles: []models.Role{models.RoleReader}})
	newBrain(t, x.d, "other", true)
	app := connected(t, x.db.URL)
	before := dump(t, x.db.URL, "acme")
	for _, sql := range []string{
		`UPDATE memberships SET roles = '["owner"]' WHERE person_id = (SELECT id FROM persons WHERE email = 'eve@example.org')`,
		`UPDATE memberships SET roles = '["reader", "approver"]' WHERE person_id = (SELECT id FROM persons WHERE email = 'eve@example.org')`,
		`UPDATE memberships SET roles = '[]'; UPDATE memberships SET roles = '["owner"]' WHERE person_id = (SELECT id FROM persons WHERE email = 'eve@example.org')`,
		`INSERT INTO persons (id, email, name, created_at, created_by) VALUES ('per_x', 'x@example.org', 'x', now(), 'x'); INSERT INTO memberships VALUES ('acme', 'per_x', '["curator"]')`,
		`INSERT INTO persons (id, email, name, created_at, created_by) VALUES ('per_x', 'x@example.org', 'x', now(), 'x'); INSERT INTO memberships VALUES ('acme', 'per_x', '[]'); UPDATE memberships SET roles = '["admin"]' WHERE person_id = 'per_x'`,
		`INSERT INTO memberships SELECT 'acme', person_id, '["owner", "admin", "curator"]' FROM memberships WHERE person_id = '` + x.di.By.Person + `' ON CONFLICT (brain_id, person_id) DO UPDATE SET roles = excluded.roles`,
		`SET CONSTRAINTS ALL DEFERRED; UPDATE memberships SET roles = '["owner"]' WHERE person_id = (SELECT id FROM persons WHERE email = 'eve@example.org')`,
		`UPDATE memberships SET roles = '["owner"]' WHERE person_id = (SELECT id FROM persons WHERE email = 'eve@example.org'); SET LOCAL app.brain_id = 'other'`,
		`ALTER TABLE memberships DISABLE TRIGGER ALL`,
		`UPDATE memberships SET roles = '[]' WHERE person_id <> '` + x.di.By.Person + `'`,
		`UPDATE memberships SET roles = '["reader"]' WHERE NOT roles ? 'owner'; UPDATE memberships SET roles = '["reader"]' WHERE person_id <> '` + x.ann.By.Person + `'`,
	} {
		_, err := app.PgConn().Exec(t.Context(), "BEGIN; SELECT set_config('app.brain_id', 'acme', true); "+sql+"; COMMIT").ReadAll()
		if err == nil || strings.Contains(err.Error(), "syntax error") || strings.Contains(err.Error(), "does not exist") {
			t.Errorf("%s: %v, want it refused", sql, err)
		}
		if _, err := app.Exec(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
	}
	if after := dump(t, x.db.URL, "acme"); after != before {
		t.Errorf("something changed:\n%s\nbefore:\n%s", after, before)
	}
	if _, err := app.PgConn().Exec(t.Context(), "BEGIN; SELECT set_config('app.brain_id', 'acme', true); UPDATE memberships SET roles = '[\"auditor\"]' WHERE person_id = '"+x.di.By.Person+"'; COMMIT").ReadAll(); err != nil {
		t.Errorf("a say is taken: %v", err)
	}
}
