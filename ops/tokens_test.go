package ops_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// signedIn returns a person as their browser session in a brain makes them.
func signedIn(t testing.TB, d *ops.Desk, brain models.BrainID, email string) ops.Call {
	t.Helper()
	p, err := d.Store.PersonByEmail(context.Background(), email)
	if err != nil {
		t.Fatal(err)
	}
	in := store.SignedIn{PersonID: p.ID, Email: p.Email, InstanceAdmin: p.InstanceAdmin, TokenVersion: p.TokenVersion}
	err = d.Store.InBrain(context.Background(), brain, func(tx *store.Tx) error {
		m, err := tx.Member(p.ID)
		if err == nil {
			in.Memberships = []store.Member{{Brain: brain, Roles: m.Roles}}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	by, err := (&ops.Visit{SignedIn: in}).Principal(brain)
	if err != nil {
		t.Fatal(err)
	}
	return ops.Call{By: by, Brain: brain, Via: ops.Web}
}

// tokensOf signs a program in as a person.
func tokensOf(t testing.TB, d *ops.Desk, brain models.BrainID, email string, scopes ...models.Scope) ops.Tokens {
	t.Helper()
	return must(t, d, signedIn(t, d, brain, email), ops.CreateTokens, ops.CreateTokensIn{Scopes: scopes})
}

// refresh uses a refresh token as its holder does.
func refresh(d *ops.Desk, token string, scopes ...models.Scope) (ops.Tokens, error) {
	p, err := d.RefreshPrincipal(context.Background(), token)
	if err != nil {
		return ops.Tokens{}, err
	}
	return d.Refresh(context.Background(), ops.Call{By: p, Brain: p.Brain, Via: ops.Web}, ops.RefreshTokensIn{RefreshToken: token, Scopes: scopes})
}

// told returns what a caller is told of err, "ok" for none.
func told(err error) string {
	if err == nil {
		return "ok"
	}
	return fault.Of(err).Code
}

// holds fails the test unless an access token is accepted, or refused.
func holds(t *testing.T, d *ops.Desk, what, token string, want bool) {
	t.Helper()
	if _, err := d.TokenPrincipal(context.Background(), token); want && err != nil || !want && told(err) != "invalid_token" {
		t.Errorf("%s: %v, want it to hold: %v", what, err, want)
	}
}

// newMember makes a member of calliope with a password.
func newMember(t testing.TB, d *ops.Desk, email string, roles ...models.Role) {
	t.Helper()
	must(t, d, terminal("calliope"), ops.CreateUser, ops.CreateUserIn{Email: email, Roles: roles, Password: memberPassword})
}

const (
	eve            = "eve@example.org"
	memberPassword = "correct horse battery"
)

func TestAnAccessTokenStandsForItsPerson(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	newBrain(t, d, "calliope", false)
	out := tokensOf(t, d, "calliope", ada, models.ScopeWrite, models.ScopeAdvisorRead, models.ScopeWrite)
	if out.TokenType != "Bearer" || out.ExpiresIn != 600 || out.RefreshExpiresIn != 30*24*3600 || out.Scope != "advisor:read mcp:write" || out.BrainID != "calliope" || len(out.AccessToken) > 1000 {
		t.Errorf("got %+v", out)
	}
	p, err := d.Principal(t.Context(), out.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	id, _ := models.RefreshID(out.RefreshToken)
	if p.Kind != models.KindPerson || p.Actor != ada || p.TokenID != id || p.Brain != "calliope" || !p.Authenticated || !p.Scoped() || !p.May(models.MayEditDraft) || !p.May(models.MayKeys) || p.May(models.MayAdminister) { // what it may ask for of keys waits for a second person
		t.Errorf("stands for %+v", p)
	}
}

// One query, and no more, checks an access token.
func TestOneQueryForAToken(t *testing.T) {
	t.Parallel()
	n := &counted{}
	d, _ := newDesk(t, store.Options{Tracer: n})
	newBrain(t, d, "calliope", false)
	out := tokensOf(t, d, "calliope", ada)
	n.n.Store(0)
	for range 3 {
		holds(t, d, "a fresh token", out.AccessToken, true)
	}
	if got := n.n.Load(); got != 3 {
		t.Errorf("%d queries for 3 requests", got)
	}
}

// A counted counts statements.
type counted struct{ n atomic.Int64 }

func (c *counted) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.n.Add(1)
	return ctx
}
func (*counted) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestWhatIsTakenAwayIsGone: an access token that is out holds until something is
// taken away from it, and from then on no more.
func TestWhatIsTakenAwayIsGone(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	newBrain(t, d, "calliope", false)
	own, err := pgx.Connect(t.Context(), db.Own)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close(t.Context())
	sql := func(q string, args ...any) {
		t.Helper()
		if _, err := own.Exec(t.Context(), "SELECT set_config('app.brain_id', 'calliope', false)"); err != nil {
			t.Fatal(err)
		}
		if tag, err := own.Exec(t.Context(), q, args...); err != nil || tag.RowsAffected() == 0 {
			t.Fatalf("%s: %v %v", q, tag, err)
		}
	}
	instance := ops.Call{By: terminal("").By, Brain: ops.Instance, Via: ops.CLI}
	for i, c := range []struct {
		what string
		take func(email string, out ops.Tokens)
	}{
		{"revoked by its holder", func(_ string, out ops.Tokens) {
			p, err := d.RefreshPrincipal(t.Context(), out.RefreshToken)
			if err != nil {
				t.Fatal(err)
			}
			must(t, d, ops.Call{By: p, Brain: p.Brain, Via: ops.Web}, ops.RevokeTokens, ops.RevokeTokensIn{RefreshToken: out.RefreshToken})
		}},
		{"signed out everywhere", func(email string, _ ops.Tokens) {
			c := signedIn(t, d, "calliope", email)
			c.By.Brain, c.Brain = ops.Instance, ops.Instance
			must(t, d, c, ops.EndSignIns, ops.EndSignInsIn{})
		}},
		{"signed out at the terminal", func(email string, _ ops.Tokens) {
			must(t, d, instance, ops.EndSignIns, ops.EndSignInsIn{Email: email})
		}},
		{"another password by a link", func(email string, _ ops.Tokens) {
			p, err := d.Store.PersonByEmail(t.Context(), email)
			if err != nil {
				t.Fatal(err)
			}
			err = d.Store.InBrain(t.Context(), ops.Instance, func(tx *store.Tx) error {
				return tx.InsertLink(ops.HashSecret("link of "+email), store.LinkSignIn, p.ID, d.Now(), d.Now().Add(time.Hour))
			})
			if err != nil {
				t.Fatal(err)
			}
			must(t, d, ops.Call{By: ops.Visitor(), Brain: ops.Instance, Via: ops.Web}, ops.UseLink, ops.UseLinkIn{Token: "link of " + email, Password: "another horse battery"})
		}},
		{"person disabled", func(email string, _ ops.Tokens) {
			sql("UPDATE persons SET disabled_at = now() WHERE email = $1", email)
		}},
		{"membership lost", func(email string, _ ops.Tokens) {
			sql("UPDATE memberships SET roles = '[]' WHERE person_id = (SELECT id FROM persons WHERE email = $1)", email)
		}},
		{"a refresh token used twice", func(_ string, out ops.Tokens) {
			if _, err := refresh(d, out.RefreshToken); err != nil {
				t.Fatal(err)
			}
			if _, err := refresh(d, out.RefreshToken); told(err) != "token_reuse" {
				t.Fatalf("used twice: %v", err)
			}
		}},
		{"grant run out", func(email string, _ ops.Tokens) {
			sql("UPDATE token_grants SET expires_at = now() WHERE person_id = (SELECT id FROM persons WHERE email = $1)", email)
		}},
		{"signing key dropped", func(string, ops.Tokens) {
			must(t, d, instance, ops.RotateSigningKey, ops.RotateSigningKeyIn{Drop: true})
		}},
	} {
		email := fmt.Sprintf("p%d@example.org", i)
		newMember(t, d, email, models.RoleCurator)
		out := tokensOf(t, d, "calliope", email, models.ScopeAdvisorRead, models.ScopeWrite)
		other := tokensOf(t, d, "calliope", ada)
		holds(t, d, c.what+": before", out.AccessToken, true)
		c.take(email, out)
		holds(t, d, c.what, out.AccessToken, false)
		holds(t, d, c.what+": somebody else's", other.AccessToken, c.what != "signing key dropped")
	}
}

// A role that covers a scope no more takes the right, and not the token.
func TestANarrowerRoleTakesTheRight(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	newMember(t, d, eve, models.RoleCurator)
	out := tokensOf(t, d, "calliope", eve, models.ScopeAdvisorRead, models.ScopeWrite)
	may := func() (bool, bool) {
		p, err := d.TokenPrincipal(t.Context(), out.AccessToken)
		if err != nil {
			t.Fatal(err)
		}
		return p.May(models.MayAsk), p.May(models.MayEditDraft)
	}
	if ask, edit := may(); !ask || !edit {
		t.Errorf("a curator: ask %v, edit %v", ask, edit)
	}
	must(t, d, c, ops.CreateUser, ops.CreateUserIn{Email: eve, Roles: []models.Role{models.RoleReader}})
	if ask, edit := may(); !ask || edit {
		t.Errorf("a reader now: ask %v, edit %v", ask, edit)
	}
	next, err := refresh(d, out.RefreshToken)
	if err != nil || next.Scope != "advisor:read" {
		t.Errorf("refreshed: %q %v", next.Scope, err)
	}
	must(t, d, c, ops.CreateUser, ops.CreateUserIn{Email: eve, Roles: []models.Role{models.RoleCurator}})
	if next, err = refresh(d, next.RefreshToken); err != nil || next.Scope != "advisor:read mcp:write" {
		t.Errorf("a curator again: %q %v", next.Scope, err)
	}
	if next, err = refresh(d, next.RefreshToken, models.ScopeWrite); err != nil || next.Scope != "mcp:write" {
		t.Errorf("narrowed: %q %v", next.Scope, err)
	}
	if _, err := refresh(d, next.RefreshToken, models.ScopeInvoke); fault.Of(err).Field != "scopes" {
		t.Errorf("widened: %v", err)
	}
	if next, err = refresh(d, next.RefreshToken); err != nil {
		t.Errorf("a refusal used the token up: %v", err)
	}
	must(t, d, c, ops.RemoveMember, ops.MemberIn{Member: eve})
	if _, err := refresh(d, next.RefreshToken); told(err) != "invalid_refresh_token" {
		t.Errorf("refreshed by a member no more: %v", err)
	}
}

// TestScopesWithinTheRole: role × scope, and the sizes of the list.
func TestScopesWithinTheRole(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	newBrain(t, d, "calliope", false)
	want := map[models.Role]string{
		models.RoleOwner: "advisor:read research:run mcp:invoke mcp:write", models.RoleAdmin: "advisor:read research:run mcp:invoke mcp:write", models.RoleCurator: "advisor:read research:run mcp:invoke mcp:write",
		models.RoleApprover: "advisor:read research:run mcp:invoke", models.RoleAuditor: "advisor:read research:run mcp:invoke", models.RoleReader: "advisor:read research:run",
	}
	for _, r := range models.Roles() {
		email := string(r) + "@example.org"
		newMember(t, d, email, r)
		for _, s := range models.Scopes() {
			out, err := ops.Do(t.Context(), d, signedIn(t, d, "calliope", email), ops.CreateTokens, ops.CreateTokensIn{Scopes: []models.Scope{s}})
			may := strings.Contains(" "+want[r]+" ", " "+string(s)+" ")
			if (err == nil) != may || may && out.Scope != string(s) {
				t.Errorf("%s × %s: %q %v, want it given: %v", r, s, out.Scope, err, may)
			}
		}
	}
	for _, scopes := range [][]models.Scope{{"admin"}, {""}, {"advisor:read mcp:write"}, {"ADVISOR:READ"}, {models.ScopeAdvisorRead, models.ScopeAnyBrain}} {
		if _, err := ops.Do(t.Context(), d, signedIn(t, d, "calliope", ada), ops.CreateTokens, ops.CreateTokensIn{Scopes: scopes}); fault.Of(err).Field != "scopes" {
			t.Errorf("%q: %v", scopes, err)
		}
	}
}

// TestRefreshTokensAtOnce: of 100 uses of one refresh token exactly one wins;
// since another came, the grant has ended, with what the winner got.
func TestRefreshTokensAtOnce(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	newBrain(t, d, "calliope", false)
	out := tokensOf(t, d, "calliope", ada)
	var mu sync.Mutex
	var won []ops.Tokens
	got := map[string]int{}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			next, err := refresh(d, out.RefreshToken)
			mu.Lock()
			defer mu.Unlock()
			got[told(err)]++
			if err == nil {
				won = append(won, next)
			}
		})
	}
	all.Wait()
	if got["ok"] != 1 || got["token_reuse"] != 1 || got["invalid_refresh_token"] != 98 {
		t.Fatalf("got %v, want one that wins, one that is found out, and 98 that come too late", got)
	}
	holds(t, d, "what the winner got", won[0].AccessToken, false)
	if _, err := refresh(d, won[0].RefreshToken); told(err) != "invalid_refresh_token" {
		t.Errorf("the winner's refresh token: %v", err)
	}
	id, _ := models.RefreshID(out.RefreshToken)
	rows := auditOf(t, d, "calliope")
	for what, n := range map[string]int{"ok": 1, "token_reuse": 1, "invalid_refresh_token": 99} { // the winner's, too
		if got := rows["tokens.refresh "+what+" "+id+" "+ada]; got != n {
			t.Errorf("%d audit rows say %s, want %d; all: %v", got, what, n, rows)
		}
	}
}

// auditOf counts a brain's audit rows by operation, outcome, target and actor.
func auditOf(t *testing.T, d *ops.Desk, brain models.BrainID) map[string]int {
	t.Helper()
	n := map[string]int{}
	err := d.Store.InBrain(t.Context(), brain, func(tx *store.Tx) error {
		rows, err := tx.AuditRows(1000)
		for _, r := range rows {
			n[r.Operation+" "+r.Outcome+" "+r.Target+" "+r.Actor]++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// An earlier token ends its grant however old it is; one that was made up, by
// somebody who knows the grant's id, does nothing to it.
func TestEarlierAndInventedRefreshTokens(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	newBrain(t, d, "calliope", false)
	first := tokensOf(t, d, "calliope", ada)
	last := first
	for range 5 {
		next, err := refresh(d, last.RefreshToken)
		if err != nil {
			t.Fatal(err)
		}
		last = next
	}
	id, _ := models.RefreshID(first.RefreshToken)
	for _, invented := range []string{"", "rt", id, first.AccessToken, forged(id), strings.ToUpper(first.RefreshToken), first.RefreshToken + "x", first.RefreshToken[:len(first.RefreshToken)-1] + "_", "sk" + first.RefreshToken[2:], strings.Replace(first.RefreshToken, "_", "\x00", 1)} {
		if _, err := refresh(d, invented); told(err) != "invalid_refresh_token" {
			t.Errorf("%q: %v", invented, err)
		}
	}
	holds(t, d, "after inventions", last.AccessToken, true)
	holds(t, d, "an access token from before the refreshes", first.AccessToken, true)
	if _, err := refresh(d, first.RefreshToken); told(err) != "token_reuse" {
		t.Errorf("the first one again: %v", err)
	}
	holds(t, d, "after the reuse", last.AccessToken, false)
	holds(t, d, "after the reuse, the oldest", first.AccessToken, false)
}

// forged returns a refresh token of the right shape for a grant that somebody
// knows the id of.
func forged(id string) string {
	t, own := models.MintRefresh()
	return models.NextRefresh(strings.Replace(t, own, id, 1))
}

// Whatever ended a person's sign-ins after they signed in has ended the tokens
// that this sign-in still brings.
func TestASignInThatEndedMeanwhile(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	newBrain(t, d, "calliope", false)
	c := signedIn(t, d, "calliope", ada)
	everywhere := c
	everywhere.By.Brain, everywhere.Brain = ops.Instance, ops.Instance
	must(t, d, everywhere, ops.EndSignIns, ops.EndSignInsIn{})
	out := must(t, d, c, ops.CreateTokens, ops.CreateTokensIn{})
	holds(t, d, "by a session that had ended", out.AccessToken, false)
	if _, err := refresh(d, out.RefreshToken); told(err) != "invalid_refresh_token" {
		t.Errorf("refreshed: %v", err)
	}
	holds(t, d, "by a session of now", tokensOf(t, d, "calliope", ada).AccessToken, true)
}

// TestTokensByPassword: the sign-in page's limits and answers, and a brain of
// others is not there.
func TestTokensByPassword(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	newBrain(t, d, "calliope", false)
	must(t, d, terminal("urania"), ops.CreateBrain, ops.CreateBrainIn{ID: "urania", Name: "u", OwnerEmail: "uma@example.org"})
	newMember(t, d, eve, models.RoleReader)
	ask := func(email, password string, brain models.BrainID, scopes ...models.Scope) (ops.Tokens, error) {
		c := ops.Call{By: ops.Visitor(), Brain: ops.Instance, Via: ops.Web, From: "192.0.2.0/32"}
		return d.TokensByPassword(t.Context(), c, ops.SignInIn{Email: email, Password: password}, brain, ops.CreateTokensIn{Scopes: scopes})
	}
	out, err := ask("EVE@example.org ", memberPassword, "calliope")
	if err != nil || out.Scope != "advisor:read" {
		t.Fatalf("%+v %v", out, err)
	}
	holds(t, d, "by password", out.AccessToken, true)
	for _, c := range []struct {
		email, password string
		brain           models.BrainID
		scope           models.Scope
		want            string
	}{
		{eve, "wrong", "calliope", models.ScopeAdvisorRead, "wrong_sign_in"},
		{"nobody@example.org", memberPassword, "calliope", models.ScopeAdvisorRead, "wrong_sign_in"},
		{"uma@example.org", "", "urania", models.ScopeAdvisorRead, "wrong_sign_in"}, // has no password yet
		{eve, memberPassword, "urania", models.ScopeAdvisorRead, "no_such_brain"},
		{eve, memberPassword, "nowhere", models.ScopeAdvisorRead, "no_such_brain"},
		{eve, memberPassword, ops.Instance, models.ScopeAdvisorRead, "no_such_brain"},
		{eve, memberPassword, "a\x00b", models.ScopeAdvisorRead, "no_such_brain"},
		{eve, memberPassword, "calliope", models.ScopeWrite, "insufficient_role"},
	} {
		if _, err := ask(c.email, c.password, c.brain, c.scope); told(err) != c.want {
			t.Errorf("%+v: %v", c, err)
		}
	}
	rows := auditOf(t, d, ops.Instance)
	if rows["tokens.sign_in wrong_sign_in "+eve+" visitor"] != 1 || rows["tokens.sign_in ok "+eve+" "+eve] != 6 {
		t.Errorf("audited %v", rows)
	}
	if rows := auditOf(t, d, "urania"); len(rows) != 1 { // that it was made
		t.Errorf("a stranger's attempts are in the log of urania: %v", rows)
	}
	for range 10 {
		_, err = ask(eve, "wrong", "calliope")
	}
	if told(err) != "rate_limited" {
		t.Errorf("the eleventh wrong password in ten minutes: %v", err)
	}
}

// TestAGrantEnds: 30 days after the sign-in, however often it was refreshed, and
// no token that it gives lives longer.
func TestAGrantEnds(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	newBrain(t, d, "calliope", false)
	start := time.Now()
	at := func(after time.Duration) { d.Now = func() time.Time { return start.Add(after) } }
	at(0)
	out := tokensOf(t, d, "calliope", ada)
	at(models.GrantLife - time.Minute)
	last, err := refresh(d, out.RefreshToken)
	if err != nil || last.ExpiresIn > 60 || last.ExpiresIn < 58 || last.RefreshExpiresIn != last.ExpiresIn {
		t.Errorf("a minute before: %+v %v", last, err)
	}
	holds(t, d, "a minute before", last.AccessToken, true)
	at(models.GrantLife)
	if _, err := refresh(d, last.RefreshToken); told(err) != "invalid_refresh_token" {
		t.Errorf("at the end: %v", err)
	}
	holds(t, d, "at the end", last.AccessToken, false)
	tokensOf(t, d, "calliope", ada) // forgets the one that has run out
	if _, err := d.RefreshPrincipal(t.Context(), last.RefreshToken); told(err) != "invalid_refresh_token" {
		t.Errorf("after it: %v", err)
	}
}

// Somebody else's refresh token is nobody's, even within the brain.
func TestAnotherPersonsRefreshToken(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	newBrain(t, d, "calliope", false)
	newMember(t, d, eve, models.RoleOwner)
	out := tokensOf(t, d, "calliope", ada)
	c := signedIn(t, d, "calliope", eve)
	if _, err := d.Refresh(t.Context(), c, ops.RefreshTokensIn{RefreshToken: out.RefreshToken}); told(err) != "invalid_refresh_token" {
		t.Errorf("refreshed by another: %v", err)
	}
	if _, err := ops.Do(t.Context(), d, c, ops.RevokeTokens, ops.RevokeTokensIn{RefreshToken: out.RefreshToken}); told(err) != "invalid_refresh_token" {
		t.Errorf("ended by another: %v", err)
	}
	holds(t, d, "its holder's", out.AccessToken, true)
}

// A program mints nothing, whatever its scopes and its person are.
func TestProgramsMintNothing(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	all := []models.Scope{models.ScopeAdvisorRead, models.ScopeResearchRun, models.ScopeInvoke, models.ScopeWrite}
	_, key := keyOf(t, d, c, all...)
	out := tokensOf(t, d, "calliope", ada, all...)
	token, err := d.TokenPrincipal(t.Context(), out.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []models.Principal{key, token} {
		call := ops.Call{By: by, Brain: "calliope", Via: ops.Web}
		for name, try := range map[string]func() error{
			"create": func() error {
				_, err := ops.Do(t.Context(), d, call, ops.CreateTokens, ops.CreateTokensIn{})
				return err
			},
			"refresh": func() error {
				_, err := d.Refresh(t.Context(), call, ops.RefreshTokensIn{RefreshToken: out.RefreshToken})
				return err
			},
			"revoke": func() error {
				_, err := ops.Do(t.Context(), d, call, ops.RevokeTokens, ops.RevokeTokensIn{RefreshToken: out.RefreshToken})
				return err
			},
			"all": func() error {
				call := call
				call.By.Brain, call.Brain = ops.Instance, ops.Instance
				_, err := ops.Do(t.Context(), d, call, ops.EndSignIns, ops.EndSignInsIn{})
				return err
			},
		} {
			if told(try()) != "insufficient_scope" {
				t.Errorf("%s by %s: %v", name, by.Kind, try())
			}
		}
	}
	holds(t, d, "after all that", out.AccessToken, true)
}

func TestATokenDuringAnOutage(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	newBrain(t, d, "calliope", false)
	out := tokensOf(t, d, "calliope", ada)
	for _, try := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := d.TokenPrincipal(ctx, out.AccessToken); return err },
		func(ctx context.Context) error { _, err := d.RefreshPrincipal(ctx, out.RefreshToken); return err },
	} {
		late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
		defer cancel()
		if err := try(late); !fault.Is(err, fault.Unavailable) {
			t.Errorf("a database that does not answer in time: %v, want unavailable", err)
		}
		gone, cancelGone := context.WithCancel(t.Context())
		cancelGone()
		if err := try(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("a client that went away: %v", err)
		}
	}
}

func BenchmarkKeyPrincipal(b *testing.B) {
	d, _ := newDesk(b, store.Options{})
	key, _ := keyOf(b, d, newBrain(b, d, "calliope", false))
	for b.Loop() {
		if _, err := d.KeyPrincipal(b.Context(), key); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTokenPrincipal(b *testing.B) {
	d, _ := newDesk(b, store.Options{})
	newBrain(b, d, "calliope", false)
	token := tokensOf(b, d, "calliope", ada).AccessToken
	for b.Loop() {
		if _, err := d.TokenPrincipal(b.Context(), token); err != nil {
			b.Fatal(err)
		}
	}
}
