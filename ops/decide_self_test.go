package ops_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/models/store"
	"polaris/models/store/storetest"
	"polaris/ops"
)

// A team is four people with a brain of four eyes, each at a browser, and what
// agents may propose by their keys.
type team struct {
	d                  *ops.Desk
	db                 storetest.Database
	shell              ops.Call
	ann, ben, cleo, di ops.Call // owner, admin, approver, curator

	saveByKey *ops.Op[ops.SaveCardIn, ops.SavedCard]
}

func newTeam(t testing.TB) *team {
	t.Helper()
	d, db := newDesk(t, store.Options{})
	return teamAt(t, d, db)
}

func teamAt(t testing.TB, d *ops.Desk, db storetest.Database) *team {
	t.Helper()
	x := &team{d: d, db: db, shell: newBrain(t, d, "acme", true)}
	must(t, d, x.shell, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	x.ann = signIn(t, d, "acme", "ann@example.org", models.RoleOwner)
	x.ben = signIn(t, d, "acme", "ben@example.org", models.RoleAdmin)
	x.cleo = signIn(t, d, "acme", cleo, models.RoleApprover, models.RoleCurator) // who has keys, too
	x.di = signIn(t, d, "acme", "di@example.org", models.RoleCurator)
	byKey := *ops.SaveCard // by the endpoint that keys reach, where an agent would propose
	byKey.Tool, byKey.Offered = "save_card", byKey.Offered|ops.Hosted
	x.saveByKey = &byKey
	return x
}

func card(id string) ops.SaveCardIn {
	return ops.SaveCardIn{ID: id, Label: "Fees", Covers: "fees", Anchors: []string{"HR 1(a)"}}
}

// key mints a key that may propose, for somebody, by somebody.
func (x *team) key(t testing.TB, by ops.Call, owner string) ops.CreatedAPIKey {
	t.Helper()
	k := must(t, x.d, by, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "agent", Scopes: []models.Scope{models.ScopeInvoke, models.ScopeWrite}})
	if owner != by.By.Actor {
		must(t, x.d, by, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: k.ID, Owner: &owner})
	}
	return k
}

// byKey proposes a card with a key.
func (x *team) byKey(t testing.TB, secret, id string) string {
	t.Helper()
	by, err := x.d.KeyPrincipal(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	return proposed(t, x.d, ops.Call{By: by, Brain: "acme", Via: ops.Hosted}, x.saveByKey, card(id)).ID
}

// byToken proposes a card by REST with a person's access token.
func (x *team) byToken(t testing.TB, who ops.Call, id, supersedes string) string {
	t.Helper()
	tokens := must(t, x.d, who, ops.CreateTokens, ops.CreateTokensIn{Scopes: []models.Scope{models.ScopeInvoke, models.ScopeWrite}})
	by, err := x.d.TokenPrincipal(t.Context(), tokens.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	return proposed(t, x.d, ops.Call{By: by, Brain: "acme", Via: ops.REST, Supersedes: supersedes}, ops.SaveCard, card(id)).ID
}

func (x *team) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), x.db.Own)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	if _, err := c.Exec(t.Context(), "SELECT set_config('app.brain_id', 'acme', false)"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// link says that second is first's second account; with an empty first it is
// nobody's. It is as if that had been decided on before, elsewhere.
func (x *team) link(t testing.TB, second, first ops.Call) {
	t.Helper()
	x.exec(t, "ALTER TABLE persons DISABLE TRIGGER accounts_by_two")
	defer x.exec(t, "ALTER TABLE persons ENABLE TRIGGER accounts_by_two")
	x.exec(t, "UPDATE persons SET same_as = nullif($2, '') WHERE id = $1", second.By.Person, first.By.Person)
}

func (x *team) state(t testing.TB, id string) models.RecommendationState {
	t.Helper()
	return must(t, x.d, x.di, ops.GetRecommendation, ops.RecommendationIDIn{ID: id}).State
}

// Nobody decides on what they had a part in, in whatever way they had it; and
// whoever had none does.
func TestNobodyDecidesAlone(t *testing.T) {
	t.Parallel()
	zero := 0
	for _, row := range []struct {
		name string
		do   func(t *testing.T, x *team) (id string, not []ops.Call)
	}{
		{"by token, then at the browser", func(t *testing.T, x *team) (string, []ops.Call) {
			return x.byToken(t, x.ann, "fees", ""), []ops.Call{x.ann}
		}},
		{"by key, then at the browser", func(t *testing.T, x *team) (string, []ops.Call) {
			return x.byKey(t, x.key(t, x.ann, "ann@example.org").Secret, "fees"), []ops.Call{x.ann}
		}},
		{"by a second key", func(t *testing.T, x *team) (string, []ops.Call) {
			x.byKey(t, x.key(t, x.ann, "ann@example.org").Secret, "other")
			return x.byKey(t, x.key(t, x.ann, "ann@example.org").Secret, "fees"), []ops.Call{x.ann}
		}},
		{"by a key that is then somebody else's", func(t *testing.T, x *team) (string, []ops.Call) {
			k := x.key(t, x.ann, "ann@example.org")
			id := x.byKey(t, k.Secret, "fees")
			to := cleo
			must(t, x.d, x.ben, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: k.ID, Owner: &to})
			return id, []ops.Call{x.ann}
		}},
		{"by a key that was one's own before", func(t *testing.T, x *team) (string, []ops.Call) {
			k := x.key(t, x.ben, "ann@example.org") // made by ben, given to ann, then to cleo
			to := cleo
			must(t, x.d, x.ben, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: k.ID, Owner: &to})
			return x.byKey(t, k.Secret, "fees"), []ops.Call{x.ann, x.ben, x.cleo}
		}},
		{"by a key that one made for somebody else", func(t *testing.T, x *team) (string, []ops.Call) {
			return x.byKey(t, x.key(t, x.ben, cleo).Secret, "fees"), []ops.Call{x.ben, x.cleo}
		}},
		{"by a key that one rotated, and another after that", func(t *testing.T, x *team) (string, []ops.Call) {
			k := x.key(t, signIn(t, x.d, "acme", ada, models.RoleOwner), cleo)
			must(t, x.d, x.ann, ops.RotateAPIKey, ops.RotateAPIKeyIn{ID: k.ID})
			r := must(t, x.d, x.ben, ops.RotateAPIKey, ops.RotateAPIKeyIn{ID: k.ID, OverlapSeconds: &zero})
			return x.byKey(t, r.Secret, "fees"), []ops.Call{x.ann, x.ben, x.cleo}
		}},
		{"by one's second account", func(t *testing.T, x *team) (string, []ops.Call) {
			x.link(t, x.cleo, x.ann)
			return x.byToken(t, x.ann, "fees", ""), []ops.Call{x.ann, x.cleo}
		}},
		{"by one's first account", func(t *testing.T, x *team) (string, []ops.Call) {
			x.link(t, x.ann, x.cleo)
			return x.byToken(t, x.ann, "fees", ""), []ops.Call{x.ann, x.cleo}
		}},
		{"by accounts that both are a third one's", func(t *testing.T, x *team) (string, []ops.Call) {
			x.link(t, x.ann, x.di)
			x.link(t, x.cleo, x.di)
			return x.byToken(t, x.ann, "fees", ""), []ops.Call{x.ann, x.cleo, x.di}
		}},
		{"by an account that is linked only afterwards", func(t *testing.T, x *team) (string, []ops.Call) {
			id := x.byToken(t, x.ann, "fees", "")
			x.link(t, x.cleo, x.ann)
			return id, []ops.Call{x.ann, x.cleo}
		}},
		{"by either account, though they were unlinked since", func(t *testing.T, x *team) (string, []ops.Call) {
			x.link(t, x.cleo, x.ann)
			id := x.byToken(t, x.cleo, "fees", "")
			x.link(t, x.cleo, ops.Call{})
			return id, []ops.Call{x.ann, x.cleo}
		}},
		{"what takes the place of one's own", func(t *testing.T, x *team) (string, []ops.Call) {
			return x.byToken(t, x.di, "fees", x.byToken(t, x.ann, "fees", "")), []ops.Call{x.ann, x.di}
		}},
		{"what takes the place of what took the place of one's own", func(t *testing.T, x *team) (string, []ops.Call) {
			first := x.byKey(t, x.key(t, x.ann, cleo).Secret, "fees")
			return x.byToken(t, x.di, "fees", x.byToken(t, x.di, "fees", first)), []ops.Call{x.ann, x.cleo, x.di}
		}},
		{"a publish with one's own changes", func(t *testing.T, x *team) (string, []ops.Call) {
			must(t, x.d, x.ann, ops.SaveCard, card("mine"))
			return proposed(t, x.d, x.ann, ops.PublishVersion, ops.PublishIn{}).ID, []ops.Call{x.ann}
		}},
		{"at the terminal, then at the browser", func(t *testing.T, x *team) (string, []ops.Call) {
			by, err := x.d.Terminal(t.Context(), "acme", "ann@example.org")
			if err != nil {
				t.Fatal(err)
			}
			return proposed(t, x.d, ops.Call{By: by, Brain: "acme", Via: ops.CLI}, ops.PublishVersion, ops.PublishIn{}).ID, []ops.Call{x.ann}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			x := newTeam(t)
			id, not := row.do(t, x)
			for _, c := range not {
				for _, verdict := range []string{"approve", "reject"} {
					_, err := decide(t, x.d, c, id, verdict)
					refusedAs(t, c.By.Actor+": "+verdict, err, "own_proposal")
				}
				if !must(t, x.d, c, ops.GetRecommendation, ops.RecommendationIDIn{ID: id}).Yours {
					t.Errorf("%s is not told that it is theirs", c.By.Actor)
				}
			}
			if s := x.state(t, id); s != models.Pending {
				t.Errorf("it is %s", s)
			}
			other := signIn(t, x.d, "acme", "eve@example.org", models.RoleApprover)
			if got, err := decide(t, x.d, other, id, "approve"); err != nil || got.State != models.Applied {
				t.Errorf("somebody else: %+v, %v", got, err)
			}
		})
	}
}

// Each decision of many stands by itself: one's own among them is refused, the
// others are made.
func TestOwnProposalInABatch(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	for id, want := range map[string]string{x.byToken(t, x.ann, "a", ""): "own_proposal", x.byToken(t, x.di, "b", ""): "ok", x.byToken(t, x.ann, "c", ""): "own_proposal"} {
		_, err := decide(t, x.d, x.ann, id, "approve")
		if told(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Deciding takes a live session of the person who decides, whatever the call
// says of itself.
func TestDecidingTakesASession(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	id := x.byToken(t, x.ann, "fees", "")
	key, _ := keyOf(t, x.d, x.ann, models.ScopeAdvisorRead, models.ScopeInvoke, models.ScopeWrite)
	byKey, err := x.d.KeyPrincipal(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	tokens := must(t, x.d, x.di, ops.CreateTokens, ops.CreateTokensIn{Scopes: []models.Scope{models.ScopeInvoke, models.ScopeWrite}})
	byToken, err := x.d.TokenPrincipal(t.Context(), tokens.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	shell, err := x.d.Terminal(t.Context(), "acme", "di@example.org")
	if err != nil {
		t.Fatal(err)
	}
	// Made at the terminal, and never at a browser since.
	made := must(t, x.d, x.shell, ops.CreateUser, ops.CreateUserIn{Email: "new@example.org", Roles: []models.Role{models.RoleApprover}, Password: "correct horse battery staple"})
	fresh := models.Principal{Kind: models.KindPerson, Person: made.PersonID, Actor: made.Email, Brain: "acme", Roles: made.Roles, Authenticated: true}
	noSession := *x.di.Visit
	noSession.Hash = ops.HashSecret("nobody's")
	for what, c := range map[string]ops.Call{
		"an access token over REST":                {By: byToken, Via: ops.REST},
		"a key over REST":                          {By: byKey, Via: ops.REST},
		"a key over MCP":                           {By: byKey, Via: ops.Hosted},
		"the terminal":                             {By: shell, Via: ops.CLI},
		"the operators' MCP":                       {By: shell, Via: ops.Stdio},
		"the chat endpoint":                        {By: byKey, Via: ops.OpenAI},
		"the pages without a session":              {By: x.di.By, Via: ops.Web},
		"the pages with a session that is none":    {By: x.di.By, Via: ops.Web, Visit: &noSession},
		"a person who was never at a browser":      {By: fresh, Via: ops.Web},
		"as somebody else, with one's own session": {By: x.di.By, Via: ops.Web, Visit: x.ann.Visit},
	} {
		c.Brain = "acme"
		hash := must(t, x.d, x.di, ops.GetRecommendation, ops.RecommendationIDIn{ID: id}).Hash
		_, err := ops.Do(t.Context(), x.d, c, ops.DecideRecommendation, ops.DecideIn{ID: id, Hash: hash, Verdict: "approve"})
		codes := []string{"session_required", "not_offered", "own_proposal"}
		if c.By.Kind == models.KindKey {
			codes = append(codes, "insufficient_scope")
		}
		if !slices.Contains(codes, told(err)) {
			t.Errorf("%s: %v, want refused", what, err)
		}
		if s := x.state(t, id); s != models.Pending {
			t.Fatalf("%s: it is %s", what, s)
		}
	}
}

// Between the page and the decision somebody may lose what lets them decide.
func TestDecidingTakesItNow(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, code string
		lose       func(t *testing.T, x *team)
	}{
		{"disabled", "session_required", func(t *testing.T, x *team) {
			must(t, x.d, x.shell, ops.DisableUser, ops.UserIn{Email: cleo})
		}},
		{"removed", "not_entitled", func(t *testing.T, x *team) { must(t, x.d, x.ann, ops.RemoveMember, ops.MemberIn{Member: cleo}) }},
		{"a reader now", "not_entitled", func(t *testing.T, x *team) {
			must(t, x.d, x.shell, ops.CreateUser, ops.CreateUserIn{Email: cleo, Roles: []models.Role{models.RoleReader, models.RoleAuditor}})
		}},
		{"signed out", "session_required", func(t *testing.T, x *team) { x.exec(t, "DELETE FROM sessions WHERE hash = $1", x.cleo.Visit.Hash) }},
		{"session over", "session_required", func(t *testing.T, x *team) {
			x.exec(t, "UPDATE sessions SET expires_at = now() WHERE hash = $1", x.cleo.Visit.Hash)
		}},
		{"session idle", "session_required", func(t *testing.T, x *team) {
			x.exec(t, "UPDATE sessions SET seen_at = now() - interval '12 hours 1 second' WHERE hash = $1", x.cleo.Visit.Hash)
		}},
		{"new password", "session_required", func(t *testing.T, x *team) {
			if err := x.d.Store.InBrain(t.Context(), store.Instance, func(tx *store.Tx) error { return tx.SetPassword(x.cleo.By.Person, "x") }); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			x := newTeam(t)
			id := x.byToken(t, x.ann, "fees", "")
			hash := must(t, x.d, x.cleo, ops.GetRecommendation, ops.RecommendationIDIn{ID: id}).Hash
			row.lose(t, x)
			for _, verdict := range []string{"approve", "reject"} {
				_, err := ops.Do(context.Background(), x.d, x.cleo, ops.DecideRecommendation, ops.DecideIn{ID: id, Hash: hash, Verdict: verdict})
				refusedAs(t, verdict, err, row.code)
			}
			if s := x.state(t, id); s != models.Pending {
				t.Errorf("it is %s", s)
			}
		})
	}
}

// Two people are enough: each proposes what the other decides on.
func TestTwoPeopleCanPublish(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	shell := newBrain(t, d, "duo", true)
	must(t, d, shell, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	a, b := signIn(t, d, "duo", ada, models.RoleOwner), signIn(t, d, "duo", bob, models.RoleCurator)
	for n, turn := range [][2]ops.Call{{a, b}, {b, a}, {a, b}} {
		must(t, d, turn[0], ops.SaveCard, card("card-"+strings.Repeat("x", n+1)))
		q := proposed(t, d, turn[0], ops.PublishVersion, ops.PublishIn{})
		if _, err := decide(t, d, turn[0], q.ID, "approve"); told(err) != "own_proposal" {
			t.Errorf("alone: %v", err)
		}
		if got, err := decide(t, d, turn[1], q.ID, "approve"); err != nil || got.State != models.Applied {
			t.Fatalf("the other: %+v, %v", got, err)
		}
		if v := publishedVersion(t, d, "duo"); v != n+1 {
			t.Errorf("version %d is published, want %d", v, n+1)
		}
	}
}

// Where two must approve they are two human beings, who still may.
func TestQuorum(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) (*team, string) {
		x := newTeam(t)
		x.exec(t, `INSERT INTO decision_rules VALUES ('acme', 'A3', 2, '["owner", "admin", "approver", "curator"]')`)
		return x, x.byToken(t, x.ann, "fees", "")
	}
	want := func(t *testing.T, x *team, c ops.Call, id string, state models.RecommendationState, code string) {
		t.Helper()
		got, err := decide(t, x.d, c, id, "approve")
		if told(err) != code || got.State != state {
			t.Errorf("%s approves: %+v, %v; want %q, %s", c.By.Actor, got, err, state, code)
		}
	}
	t.Run("two people", func(t *testing.T) {
		t.Parallel()
		x, id := start(t)
		want(t, x, x.ben, id, models.Pending, "ok")
		want(t, x, x.ben, id, "", "decided_before")
		want(t, x, x.cleo, id, models.Applied, "ok")
	})
	t.Run("one may stop it", func(t *testing.T) {
		t.Parallel()
		x, id := start(t)
		want(t, x, x.ben, id, models.Pending, "ok")
		if got, err := decide(t, x.d, x.cleo, id, "reject"); err != nil || got.State != models.Rejected {
			t.Errorf("%+v, %v", got, err)
		}
		want(t, x, x.di, id, "", "already_decided")
	})
	t.Run("linked before", func(t *testing.T) {
		t.Parallel()
		x, id := start(t)
		x.link(t, x.cleo, x.ben)
		want(t, x, x.ben, id, models.Pending, "ok")
		want(t, x, x.cleo, id, "", "decided_before")
		want(t, x, x.di, id, models.Applied, "ok")
	})
	t.Run("linked after both approved", func(t *testing.T) {
		t.Parallel()
		x := newTeam(t)
		x.exec(t, `INSERT INTO decision_rules VALUES ('acme', 'A3', 3, '["owner", "admin", "approver", "curator"]')`)
		id := x.byToken(t, x.ann, "fees", "")
		want(t, x, x.ben, id, models.Pending, "ok")
		want(t, x, x.cleo, id, models.Pending, "ok")
		x.link(t, x.cleo, x.ben)
		want(t, x, x.di, id, models.Pending, "ok") // ben and cleo are one, so that is two
		want(t, x, signIn(t, x.d, "acme", "eve@example.org", models.RoleApprover), id, models.Applied, "ok")
	})
	t.Run("linked and unlinked", func(t *testing.T) {
		t.Parallel()
		x, id := start(t)
		x.link(t, x.cleo, x.ben)
		want(t, x, x.cleo, id, models.Pending, "ok")
		x.link(t, x.cleo, ops.Call{})
		want(t, x, x.ben, id, "", "decided_before") // it was said in ben's name
		want(t, x, x.di, id, models.Applied, "ok")
	})
	t.Run("the first turns out to be the proposer", func(t *testing.T) {
		t.Parallel()
		x, id := start(t)
		want(t, x, x.ben, id, models.Pending, "ok")
		x.link(t, x.ben, x.ann)
		want(t, x, x.cleo, id, models.Pending, "ok")
		want(t, x, x.di, id, models.Applied, "ok")
	})
	t.Run("the first is disabled meanwhile", func(t *testing.T) {
		t.Parallel()
		x, id := start(t)
		want(t, x, x.ben, id, models.Pending, "ok")
		must(t, x.d, x.shell, ops.DisableUser, ops.UserIn{Email: "ben@example.org"})
		want(t, x, x.cleo, id, models.Pending, "ok")
		want(t, x, x.di, id, models.Applied, "ok")
	})
	t.Run("roles of its own", func(t *testing.T) {
		t.Parallel()
		x := newTeam(t)
		x.exec(t, `INSERT INTO decision_rules VALUES ('acme', 'A3', 1, '["approver"]')`)
		id := x.byToken(t, x.ann, "fees", "")
		want(t, x, x.ben, id, "", "not_entitled")
		want(t, x, x.cleo, id, models.Applied, "ok")
	})
}
