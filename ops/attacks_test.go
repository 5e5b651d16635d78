package ops_test

import (
	"strings"
	"sync"
	"testing"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// One owner alone does not make themselves the only one who could decide, to
// turn four eyes off as somebody who is alone.
func TestNobodyMakesThemselvesAlone(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	newBrain(t, d, "acme", true)
	owner := signIn(t, d, "acme", ada, models.RoleOwner)
	signIn(t, d, "acme", cleo, models.RoleApprover)
	narrow := func(class string) ops.SaveSettingsIn {
		return ops.SaveSettingsIn{Rules: []models.DecisionRule{{Class: class, Needed: 1, Roles: []models.Role{models.RoleOwner}}}}
	}
	must(t, d, owner, ops.SaveSettings, narrow("A3")) // an owner may keep cards to themselves
	if got := code(d, owner, ops.SaveSettings, narrow("A4")); got != "too_few_deciders " {
		t.Errorf("narrowed to the one owner: %s", got)
	}
	proposed(t, d, owner, ops.SaveSettings, ops.SaveSettingsIn{FourEyes: ptr(false)})
	x := &team{d: d, db: db}
	if got := x.strings(t, "SELECT four_eyes::text FROM brains WHERE id = 'acme'"); got[0] != "true" {
		t.Errorf("four eyes are on: %s", got)
	}
}

// Nor by statements of one's own, in one transaction.
func TestSQLMakesNobodyAlone(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	newBrain(t, d, "acme", true)
	owner := signIn(t, d, "acme", ada, models.RoleOwner)
	signIn(t, d, "acme", cleo, models.RoleApprover)
	signIn(t, d, "acme", bob, models.RoleReader)
	app := connected(t, db.URL)
	before := dump(t, db.URL, "acme")
	const off = "; UPDATE brains SET four_eyes = false, four_eyes_until = now() + interval '1 day' WHERE id = 'acme'"
	others := "UPDATE memberships SET roles = '[]' WHERE person_id <> '" + owner.By.Person + "'"
	for _, sql := range []string{
		others + off,
		"CREATE TEMP TABLE m AS SELECT * FROM memberships; " + others + off + "; UPDATE memberships x SET roles = m.roles FROM m WHERE m.person_id = x.person_id",
		"SET CONSTRAINTS ALL DEFERRED; " + others + off, "SAVEPOINT a; " + others + "; RELEASE a" + off,
		`UPDATE memberships SET roles = '["reader"]' WHERE person_id <> '` + owner.By.Person + "'" + off,
		`INSERT INTO decision_rules VALUES ('acme', 'A4', 1, '["owner"]')` + off,
		`INSERT INTO decision_rules VALUES ('acme', 'A4', 1, '["admin", "curator"]')` + off,
	} {
		_, err := app.PgConn().Exec(t.Context(), "BEGIN; SELECT set_config('app.brain_id', 'acme', true); "+sql+"; COMMIT").ReadAll()
		if err == nil || !strings.Contains(err.Error(), "too_few_deciders") {
			t.Errorf("%s: %v, want it refused", sql, err)
		}
		if _, err := app.Exec(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
	}
	if after := dump(t, db.URL, "acme"); after != before {
		t.Errorf("something changed:\n%s\nbefore:\n%s", after, before)
	}
}

// What is decided on as of another class than its own, whose rule is another,
// gives nobody a say and removes nothing of the log.
func TestSQLUsesNoOtherClass(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	must(t, x.d, x.ann, ops.SaveSettings, ops.SaveSettingsIn{Rules: []models.DecisionRule{{Class: "A4", Needed: 3, Roles: models.DefaultDeciders()}}})
	eve := signIn(t, x.d, "acme", "eve@example.org", models.RoleReader)
	app := connected(t, x.db.URL)
	const columns = `INSERT INTO recommendations (brain_id, id, operation, class, input, input_version, target, base, before, after, rationale, evidence, proposer, actor, key_id, surface, authenticated, needed, roles, payload, state, created_at, expires_at)
		VALUES ('acme', '$id', '$op', 'A2', '{}', 0, '', '', '', '{"person":"$eve","roles":["owner"]}', '', '[]', '$ann', 'x', '', 'web', true, 0, '[]', '', 'pending', now(), now() + interval '1 day');
		SELECT decide('$cleo', '$id', (SELECT payload FROM recommendations WHERE id = '$id'), 'approve', ''); $does;
		SELECT settle('$id', 'applied', ''); INSERT INTO audit (brain_id, at, kind, person, actor, authenticated, key_id, surface, operation, class, outcome, target, request_id, latency_micros, detail)
		VALUES ('acme', now(), 'person', '', '', true, '', 'web', 'recommendations.decide', 'A2', 'ok', '$id', '', 0, '{"state":"applied"}')`
	for op, does := range map[string]string{
		"members.grant": `UPDATE memberships SET roles = '["owner"]' WHERE person_id = '` + eve.By.Person + `'`,
		"audit.retain":  "SELECT retain(now() - interval '31 days')",
		"topic.x":       "SELECT 1", // which nobody minds: the statements are right
	} {
		sql := strings.NewReplacer("$id", "rec_"+op, "$op", op, "$eve", eve.By.Person, "$ann", x.ann.By.Person, "$cleo", hexOf(x.cleo.Visit.Hash), "$does", does).Replace(columns)
		_, err := app.PgConn().Exec(t.Context(), "BEGIN; SELECT set_config('app.brain_id', 'acme', true); "+sql+"; COMMIT").ReadAll()
		if want := op != "topic.x"; (err != nil) != want || err != nil && !strings.Contains(err.Error(), "second person") {
			t.Errorf("%s: %v, want refused: %t", op, err, want)
		}
		if _, err := app.Exec(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
	}
}

// Of the last two who could decide, two who are disabled or removed at once do
// not both go.
func TestTwoAtOnceDoNotBothGo(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	c := newBrain(t, d, "acme", true)
	admin := ops.Call{By: c.By, Brain: store.Instance, Via: ops.CLI}
	x := &team{d: d, db: db}
	for _, who := range []string{bob, cleo} {
		signIn(t, d, "acme", who, models.RoleCurator)
	}
	disable := func(who string) { _ = code(d, admin, ops.DisableUser, ops.UserIn{Email: who}) }
	remove := func(who string) { _ = code(d, c, ops.RemoveMember, ops.MemberIn{Member: who}) }
	grant := func(who string) {
		_ = code(d, c, ops.GrantRoles, ops.GrantIn{Member: who, Roles: []models.Role{models.RoleReader}})
	}
	for n, way := range [][2]func(string){{disable, disable}, {disable, disable}, {disable, disable}, {disable, remove}, {grant, disable}, {remove, grant}} {
		var g sync.WaitGroup
		g.Go(func() { way[0](bob) })
		g.Go(func() { way[1](cleo) })
		g.Wait()
		got := x.strings(t, "SELECT p.email FROM persons p JOIN memberships m ON m.person_id = p.id WHERE m.brain_id = 'acme' AND p.disabled_at IS NULL AND m.roles ?| ARRAY['owner', 'curator'] ORDER BY 1")
		if len(got) != 2 {
			t.Errorf("way %d leaves %v", n, got)
		}
		for _, who := range []string{bob, cleo} {
			must(t, d, admin, ops.EnableUser, ops.UserIn{Email: who})
			must(t, d, c, ops.CreateUser, ops.CreateUserIn{Email: who, Roles: []models.Role{models.RoleCurator}})
		}
	}
}

// To rehearse a decision that could not be applied notes nothing on the item.
func TestARehearsedDecisionNotesNothing(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	q := proposed(t, x.d, x.ann, ops.GrantRoles, ops.GrantIn{Member: "di@example.org", Roles: []models.Role{models.RoleAdmin}})
	x.exec(t, "DELETE FROM memberships WHERE person_id = '"+x.di.By.Person+"'") // so that applying fails
	r := must(t, x.d, x.cleo, ops.GetRecommendation, ops.RecommendationIDIn{ID: q.ID})
	if !r.Moved {
		t.Error("it can be looked at, and says that it cannot be applied")
	}
	raw := []byte(`{"id":"` + q.ID + `","hash":"` + r.Hash + `","verdict":"approve"}`)
	_, err := x.d.Rehearse(t.Context(), x.cleo, ops.DecideRecommendation.Entry(), raw)
	refusedAs(t, "rehearsed", err, "no_such_member")
	note := func() string {
		return x.strings(t, "SELECT state || note FROM recommendations WHERE id = '"+q.ID+"'")[0]
	}
	if got := note(); got != "pending" {
		t.Errorf("after a rehearsal it is %q", got)
	}
	_, err = decide(t, x.d, x.cleo, q.ID, "approve")
	refusedAs(t, "decided", err, "no_such_member")
	if note() == "pending" {
		t.Error("decided on in earnest, it does not say why it could not be applied")
	}
}

// Who decides on a publish is shown who reverted, renamed or took back what it
// changes, and that nobody verified who that was.
func TestAPublishShowsWhoTookBack(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	c := newBrain(t, d, "acme", true)
	x := &team{d: d, db: db}
	ann := signIn(t, d, "acme", "ann@example.org", models.RoleCurator)
	ben := signIn(t, d, "acme", bob, models.RoleCurator)
	must(t, d, ann, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	must(t, d, ann, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rulesLater)})
	q := proposed(t, d, ann, ops.PublishVersion, ops.PublishIn{})
	if _, err := decide(t, d, ben, q.ID, "approve"); err != nil {
		t.Fatal(err)
	}
	made := func(want ...string) {
		t.Helper()
		p := must(t, d, ben, ops.ShowChanges, ops.RecommendationIDIn{ID: proposed(t, d, ann, ops.PublishVersion, ops.PublishIn{}).ID})
		got := []string{}
		for _, item := range p.Items {
			for _, by := range item.By {
				got = append(got, by.Operation+" by "+by.Actor+" "+map[bool]string{true: "verified", false: "unverified"}[by.Authenticated])
			}
		}
		if strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("made: %q, want %q", got, want)
		}
	}
	must(t, d, c, ops.RevertSource, ops.RevertIn{Source: "HR", Revision: 1}) // at the terminal
	made("sources.revert by " + ada + " unverified")
	must(t, d, ben, ops.UpdateSource, ops.UpdateSourceIn{Source: "HR", Title: ptr("Rules of the House")})
	made("sources.update by "+bob+" verified", "sources.revert by "+ada+" unverified")
	must(t, d, ann, ops.ImportSource, ops.ImportSourceIn{Name: "more.md", Code: "MORE", Data: []byte("# More\n\nThere is more.\n")})
	must(t, d, ann, ops.UndoChange, ops.UndoIn{ID: x.strings(t, "SELECT max(id)::text FROM audit WHERE operation = 'sources.import'")[0]})
	must(t, d, c, ops.UndoChange, ops.UndoIn{ID: x.strings(t, "SELECT max(id)::text FROM audit WHERE operation = 'changes.undo'")[0]})
	made("sources.update by "+bob+" verified", "sources.revert by "+ada+" unverified",
		"sources.restore by "+ada+" unverified", "sources.remove by ann@example.org verified", "sources.import by ann@example.org verified")
}

// Through a job or by taking something back nobody decides on what they asked for.
func TestNobodyDecidesOnTheirImport(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	agent := func(who ops.Call) ops.Call {
		tokens := must(t, x.d, who, ops.CreateTokens, ops.CreateTokensIn{Scopes: []models.Scope{models.ScopeInvoke, models.ScopeWrite}})
		by, err := x.d.TokenPrincipal(t.Context(), tokens.AccessToken)
		if err != nil {
			t.Fatal(err)
		}
		return ops.Call{By: by, Brain: "acme", Via: ops.REST}
	}
	anns, dis := agent(x.ann), agent(x.di)
	imp := must(t, x.d, anns, ops.StartImport, ops.StartImportIn{Files: []ops.ImportFile{manual(1)}})
	late := must(t, x.d, dis, ops.StartImport, ops.StartImportIn{Files: []ops.ImportFile{manual(2)}})
	must(t, x.d, ops.Call{By: x.shell.By, Brain: store.Instance, Via: ops.CLI}, ops.DisableUser, ops.UserIn{Email: "di@example.org"})
	k := must(t, x.d, x.ann, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "agent", Scopes: []models.Scope{models.ScopeInvoke, models.ScopeWrite}})
	key, err := x.d.KeyPrincipal(t.Context(), k.Secret)
	if err != nil {
		t.Fatal(err)
	}
	for name, via := range map[string]ops.Surface{"insufficient_scope ": ops.REST, "not_offered ": ops.Hosted} {
		if got := code(x.d, ops.Call{By: key, Brain: "acme", Via: via}, ops.StartImport, ops.StartImportIn{Files: []ops.ImportFile{manual(3)}}); got != name {
			t.Errorf("by key: %s, want %s", got, name)
		}
	}
	working(t, x.d, 1)
	v := finished(t, x.d, x.ben, imp.ID)
	id := v.Items[0].Recommendation
	if v.Items[0].State != models.ItemWaits || id == "" {
		t.Fatalf("imported: %+v", v.Items)
	}
	_, err = decide(t, x.d, x.ann, id, "approve")
	refusedAs(t, "one's own import", err, "own_proposal")
	if _, err = decide(t, x.d, x.cleo, id, "approve"); err != nil {
		t.Fatal(err)
	}
	if v := finished(t, x.d, x.ben, late.ID); v.Items[0].State != models.ItemFailed {
		t.Errorf("of somebody who is disabled: %+v", v.Items)
	}
	_, err = ops.Do(t.Context(), x.d, anns, ops.UndoChange, ops.UndoIn{ID: id})
	w, waits := ops.AsWaiting(err)
	if !waits {
		t.Fatalf("taking it back: %v", err)
	}
	_, err = decide(t, x.d, x.ann, w.ID, "approve")
	refusedAs(t, "taking it back oneself", err, "own_proposal")
	if _, err = decide(t, x.d, x.ben, w.ID, "approve"); err != nil {
		t.Error(err)
	}
}

// What is said of a source after an import is not taken back with the import.
func TestUndoLeavesWhatWasSaidSince(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	c := newBrain(t, d, "acme", true)
	x := &team{d: d, db: db}
	ann := signIn(t, d, "acme", "ann@example.org", models.RoleCurator)
	must(t, d, ann, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	must(t, d, ann, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rulesLater)})
	row := x.strings(t, "SELECT max(id)::text FROM audit WHERE operation = 'sources.import'")[0]
	must(t, d, c, ops.UpdateSource, ops.UpdateSourceIn{Source: "HR", Jurisdiction: ptr("New York"), Owner: ptr("Legal")})
	_, err := ops.Do(t.Context(), d, ann, ops.UndoChange, ops.UndoIn{ID: row})
	refusedAs(t, "undoing the import", err, "stale")
	if got := x.strings(t, "SELECT head || jurisdiction || owner FROM sources")[0]; got != "2New YorkLegal" {
		t.Errorf("it is %s", got)
	}
	must(t, d, ann, ops.UndoChange, ops.UndoIn{ID: x.strings(t, "SELECT max(id)::text FROM audit WHERE operation = 'sources.update'")[0]})
	must(t, d, ann, ops.UndoChange, ops.UndoIn{ID: row}) // and now nothing stands in the way
	if got := x.strings(t, "SELECT head || jurisdiction || owner FROM sources")[0]; got != "1" {
		t.Errorf("it is %s", got)
	}
}
