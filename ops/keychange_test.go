package ops_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// A clock is a desk's time, held.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// held gives the desk a clock that only the test moves.
func held(d *ops.Desk) *clock {
	c := &clock{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	d.Now = c.read
	return c
}

// verdict says what becomes of a request with the key: "ok", or the code.
func verdict(t testing.TB, d *ops.Desk, key string) string {
	t.Helper()
	if _, err := d.KeyPrincipal(context.Background(), key); err != nil {
		return fault.Of(err).Code
	}
	return "ok"
}

// code returns the code of what an operation answers, "ok" where it succeeds.
func code[In, Out any](d *ops.Desk, c ops.Call, o *ops.Op[In, Out], in In) string {
	if _, err := ops.Do(context.Background(), d, c, o, in); err != nil {
		return fault.Of(err).Code + " " + fault.Of(err).Field
	}
	return "ok"
}

func ptr[T any](v T) *T { return &v }

// TestRotation holds both secrets of a key against the clock: old and new,
// before and after the overlap, and when the key is revoked.
func TestRotation(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	clk := held(d)
	c := newBrain(t, d, "calliope", false)
	hours := func(n int) *int { return ptr(n * 3600) }
	for name, row := range map[string]struct {
		overlap  *int
		passed   time.Duration
		revoked  bool
		old, new string
	}{
		"by default, at once":            {nil, 0, false, "ok", "ok"},
		"by default, nearly a day later": {nil, 24*time.Hour - time.Second, false, "ok", "ok"},
		"by default, a day later":        {nil, 24 * time.Hour, false, "expired_api_key", "ok"},
		"no overlap":                     {hours(0), 0, false, "expired_api_key", "ok"},
		"a week, before its end":         {hours(7 * 24), 7*24*time.Hour - time.Second, false, "ok", "ok"},
		"a week, at its end":             {hours(7 * 24), 7 * 24 * time.Hour, false, "expired_api_key", "ok"},
		"revoked within the overlap":     {nil, time.Hour, true, "revoked_api_key", "revoked_api_key"},
		"revoked after the overlap":      {hours(0), time.Hour, true, "revoked_api_key", "revoked_api_key"},
		"past the key's own end":         {hours(7 * 24), 91 * 24 * time.Hour, false, "expired_api_key", "expired_api_key"},
	} {
		was := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: name})
		is := must(t, d, c, ops.RotateAPIKey, ops.RotateAPIKeyIn{ID: was.ID, OverlapSeconds: row.overlap})
		if is.ID != was.ID || is.Secret == was.Secret || !strings.HasPrefix(is.Secret, was.Start) || !is.ExpiresAt.Equal(*was.ExpiresAt) {
			t.Errorf("%s: %+v became %+v", name, was.Key, is.Key)
		}
		clk.pass(row.passed)
		if row.revoked {
			must(t, d, c, ops.RevokeAPIKey, ops.RevokeAPIKeyIn{ID: was.ID})
		}
		if old, new := verdict(t, d, was.Secret), verdict(t, d, is.Secret); old != row.old || new != row.new {
			t.Errorf("%s: the old secret %s, the new %s; want %s, %s", name, old, new, row.old, row.new)
		}
	}
}

// TestRotateAgain: of a key there are two secrets at most. The oldest is
// forgotten, whatever its overlap was.
func TestRotateAgain(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	clk := held(d)
	c := newBrain(t, d, "calliope", false)
	first := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "agent"})
	second := must(t, d, c, ops.RotateAPIKey, ops.RotateAPIKeyIn{ID: first.ID})
	third := must(t, d, c, ops.RotateAPIKey, ops.RotateAPIKeyIn{ID: first.ID, ExpiresDays: 366})
	for key, want := range map[string]string{first.Secret: "invalid_api_key", second.Secret: "ok", third.Secret: "ok"} {
		if got := verdict(t, d, key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if want := clk.read().Add(366 * 24 * time.Hour); !third.ExpiresAt.Equal(want) || third.Rev != 3 || third.PrevUntil == nil {
		t.Errorf("after two rotations %+v, want it to end at %s", third.Key, want)
	}
	for in, want := range map[ops.RotateAPIKeyIn]string{
		{ID: first.ID, OverlapSeconds: ptr(-1)}:            "invalid overlap_s",
		{ID: first.ID, OverlapSeconds: ptr(7*24*3600 + 1)}: "invalid overlap_s",
		{ID: first.ID, ExpiresDays: 367}:                   "invalid expires_days",
		{ID: first.ID, NeverExpires: true}:                 "expiry_required never_expires",
		{ID: "000000000000"}:                               "no_such_key ",
		{ID: ""}:                                           "no_such_key ",
	} {
		if got := code(d, c, ops.RotateAPIKey, in); got != want {
			t.Errorf("%+v: %s, want %s", in, got, want)
		}
	}
	clk.pass(400 * 24 * time.Hour)
	if got := code(d, c, ops.RotateAPIKey, ops.RotateAPIKeyIn{ID: first.ID, ExpiresDays: 90}); got != "key_expired " {
		t.Errorf("rotating what has expired: %s", got)
	}
	must(t, d, c, ops.RevokeAPIKey, ops.RevokeAPIKeyIn{ID: first.ID})
	if got := code(d, c, ops.RotateAPIKey, ops.RotateAPIKeyIn{ID: first.ID}); got != "key_revoked " {
		t.Errorf("rotating what was revoked: %s", got)
	}
}

// TestOneIdentityThroughARotation: the audit log names one key before and
// after, and knows who rotated it and until when the old secret held.
func TestOneIdentityThroughARotation(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	first := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "agent"})
	ask := func(key string) {
		t.Helper()
		p, err := d.KeyPrincipal(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		must(t, d, ops.Call{By: p, Brain: "calliope", Via: ops.Hosted}, ops.Answer, ops.AskIn{Query: "the late fee"})
	}
	ask(first.Secret)
	second := must(t, d, c, ops.RotateAPIKey, ops.RotateAPIKeyIn{ID: first.ID})
	ask(first.Secret)
	ask(second.Secret)
	var asked, rotated int
	for _, r := range auditRows(t, d, "calliope") {
		switch r.Operation {
		case "answer":
			if asked++; r.KeyID != first.ID {
				t.Errorf("an answer of key %s, want %s", r.KeyID, first.ID)
			}
		case "api_keys.rotate":
			if rotated++; r.Target != first.ID || r.Actor != ada || len(r.Detail.Changes) != 1 || r.Detail.Changes[0].Field != "previous_valid_until" {
				t.Errorf("the rotation: %+v", r)
			}
		}
	}
	if asked != 3 || rotated != 1 {
		t.Errorf("%d answers and %d rotations on record, want 3 and 1", asked, rotated)
	}
}

func auditRows(t testing.TB, d *ops.Desk, brain models.BrainID) (rows []models.AuditRow) {
	t.Helper()
	err := d.Store.InBrain(context.Background(), brain, func(tx *store.Tx) (err error) {
		rows, err = tx.AuditRows(1000)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestRotateAndRevokeAtOnce: a hundred rotations and a revocation of one key at
// the same time leave it revoked, with every secret that was handed out dead;
// without the revocation two secrets hold, the last two in the order of their
// revisions.
func TestRotateAndRevokeAtOnce(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	for _, revoke := range []bool{false, true} {
		k := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "agent"})
		var mu sync.Mutex
		var wg sync.WaitGroup
		secrets := map[int]string{1: k.Secret}
		refused := 0
		for i := range 100 {
			wg.Go(func() {
				if revoke && i%10 == 5 {
					if _, err := ops.Do(context.Background(), d, c, ops.RevokeAPIKey, ops.RevokeAPIKeyIn{ID: k.ID}); err != nil {
						t.Error(err)
					}
					return
				}
				out, err := ops.Do(context.Background(), d, c, ops.RotateAPIKey, ops.RotateAPIKeyIn{ID: k.ID})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					secrets[out.Rev] = out.Secret
				case fault.Of(err).Code == "key_revoked":
					refused++
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		now := must(t, d, c, ops.GetAPIKey, ops.APIKeyIDIn{ID: k.ID})
		want := len(secrets) // a revision for each secret,
		if revoke {
			want++ // and one for the one revocation that found the key alive
		}
		if now.Rev != want || len(secrets)-1+refused != map[bool]int{false: 100, true: 90}[revoke] {
			t.Errorf("revoke %v: revision %d after %d secrets and %d refusals", revoke, now.Rev, len(secrets), refused)
		}
		for rev, secret := range secrets {
			want := "invalid_api_key"
			if rev >= len(secrets)-1 {
				want = map[bool]string{false: "ok", true: "revoked_api_key"}[revoke]
			}
			if got := verdict(t, d, secret); got != want {
				t.Errorf("revoke %v: secret %d of %d: %s, want %s", revoke, rev, len(secrets), got, want)
			}
		}
	}
}

// TestChangeAKey tries each field: what may be changed, and what the record
// says afterwards.
func TestChangeAKey(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	clk := held(d)
	c := newBrain(t, d, "calliope", false)
	must(t, d, c, ops.CreateUser, ops.CreateUserIn{Email: "bob@example.org", Roles: []models.Role{models.RoleReader}})
	must(t, d, c, ops.CreateUser, ops.CreateUserIn{Email: "gone@example.org", Roles: []models.Role{models.RoleReader}})
	must(t, d, c, ops.RemoveMember, ops.MemberIn{Member: "gone@example.org"})
	both := []models.Scope{models.ScopeAdvisorRead, models.ScopeInvoke}
	for name, row := range map[string]struct {
		in   ops.UpdateAPIKeyIn
		want string // "ok", or code and field
		is   func(models.APIKey) bool
	}{
		"nothing":            {ops.UpdateAPIKeyIn{}, "ok", func(k models.APIKey) bool { return k.Rev == 1 }},
		"a label":            {ops.UpdateAPIKeyIn{Label: ptr(" new  name ")}, "ok", func(k models.APIKey) bool { return k.Label == "new name" && k.Rev == 2 }},
		"no label":           {ops.UpdateAPIKeyIn{Label: ptr(" ")}, "invalid label", nil},
		"fewer scopes":       {ops.UpdateAPIKeyIn{Scopes: both[:1]}, "ok", func(k models.APIKey) bool { return slices.Equal(k.Scopes, both[:1]) }},
		"the same, twice":    {ops.UpdateAPIKeyIn{Scopes: append(both, both...)}, "ok", func(k models.APIKey) bool { return slices.Equal(k.Scopes, both) && k.Rev == 1 }},
		"more scopes":        {ops.UpdateAPIKeyIn{Scopes: append(both, models.ScopeWrite)}, "scopes_only_narrow scopes", nil},
		"other scopes":       {ops.UpdateAPIKeyIn{Scopes: []models.Scope{models.ScopeResearchRun}}, "scopes_only_narrow scopes", nil},
		"no scopes":          {ops.UpdateAPIKeyIn{Scopes: []models.Scope{}}, "invalid scopes", nil},
		"no such scope":      {ops.UpdateAPIKeyIn{Scopes: []models.Scope{"root"}}, "scopes_only_narrow scopes", nil},
		"another owner":      {ops.UpdateAPIKeyIn{Owner: ptr("Bob@example.org")}, "ok", func(k models.APIKey) bool { return k.Owner == "bob@example.org" && k.Actor == "bob@example.org" }},
		"a stranger":         {ops.UpdateAPIKeyIn{Owner: ptr("eve@example.org")}, "invalid owner", nil},
		"a member no more":   {ops.UpdateAPIKeyIn{Owner: ptr("gone@example.org")}, "invalid owner", nil},
		"nobody":             {ops.UpdateAPIKeyIn{Owner: ptr("")}, "invalid owner", nil},
		"an earlier end":     {ops.UpdateAPIKeyIn{ExpiresDays: ptr(1)}, "ok", func(k models.APIKey) bool { return k.ExpiresAt.Equal(clk.read().Add(24 * time.Hour)) }},
		"a later end":        {ops.UpdateAPIKeyIn{ExpiresDays: ptr(356)}, "ok", func(k models.APIKey) bool { return k.ExpiresAt.Equal(clk.read().Add(356 * 24 * time.Hour)) }},
		"over a year in all": {ops.UpdateAPIKeyIn{ExpiresDays: ptr(357)}, "invalid expires_days", nil},
		"over a year":        {ops.UpdateAPIKeyIn{ExpiresDays: ptr(367)}, "invalid expires_days", nil},
		"at once":            {ops.UpdateAPIKeyIn{ExpiresDays: ptr(0)}, "invalid expires_days", nil},
		"never":              {ops.UpdateAPIKeyIn{NeverExpires: true}, "expiry_required never_expires", nil},
		"a rate":             {ops.UpdateAPIKeyIn{RateN: ptr(600), RateSeconds: ptr(60)}, "ok", func(k models.APIKey) bool { return k.RateN == 600 && k.RateSeconds == 60 }},
		"half a rate":        {ops.UpdateAPIKeyIn{RateN: ptr(600)}, "invalid rate_limit", nil},
		"the server's rate":  {ops.UpdateAPIKeyIn{RateN: ptr(0), RateSeconds: ptr(0)}, "ok", func(k models.APIKey) bool { return k.RateN == 0 }},
	} {
		k := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: name, Scopes: both})
		clk.pass(10 * 24 * time.Hour)
		row.in.ID = k.ID
		if got := code(d, c, ops.UpdateAPIKey, row.in); got != row.want && got != row.want+" " {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
		now := must(t, d, c, ops.GetAPIKey, ops.APIKeyIDIn{ID: k.ID})
		if row.is == nil {
			row.is = func(k models.APIKey) bool { return k.Rev == 1 }
		}
		if !row.is(now) {
			t.Errorf("%s: afterwards %+v", name, now)
		}
	}
	k := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "x", Actor: "night shift"})
	moved := must(t, d, c, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: k.ID, Owner: ptr("bob@example.org")})
	if moved.Actor != "night shift" || moved.Owner != "bob@example.org" {
		t.Errorf("moved: %+v; want the name of its own kept", moved)
	}
	if rows := auditRows(t, d, "calliope"); !slices.ContainsFunc(rows, func(r models.AuditRow) bool {
		return r.Target == k.ID && slices.Contains(r.Detail.Changes, models.Change{Field: "owner", From: ada, To: "bob@example.org"})
	}) {
		t.Error("the audit log does not say from whom to whom the key went")
	}
	must(t, d, c, ops.RevokeAPIKey, ops.RevokeAPIKeyIn{ID: k.ID})
	if got := code(d, c, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: k.ID, Label: ptr("y")}); got != "key_revoked " {
		t.Errorf("changing what was revoked: %s", got)
	}
}

// TestAKeyToOtherBrains: it is made at the terminal, and whoever administers the
// brain that it is of gets neither its next secret nor another owner for it. That
// it ends or may do less is for them to say.
func TestAKeyToOtherBrains(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	newMember(t, d, eve, models.RoleAdmin)
	page := signedIn(t, d, "calliope", eve)
	mint := func() string {
		return must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "x", Scopes: []models.Scope{models.ScopeInvoke, models.ScopeAnyBrain}}).ID
	}
	id := mint()
	if got := code(d, page, ops.RotateAPIKey, ops.RotateAPIKeyIn{ID: id}); got != "terminal_only " {
		t.Errorf("rotated by a page: %s", got)
	}
	if got := code(d, page, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: id, Owner: ptr(eve)}); got != "terminal_only " {
		t.Errorf("moved by a page: %s", got)
	}
	if k := must(t, d, page, ops.GetAPIKey, ops.APIKeyIDIn{ID: id}); k.Rev != 1 || k.Owner != ada {
		t.Errorf("afterwards: %+v", k)
	}
	must(t, d, c, ops.RotateAPIKey, ops.RotateAPIKeyIn{ID: id})
	must(t, d, c, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: id, Owner: ptr(eve)})
	must(t, d, page, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: id, Scopes: []models.Scope{models.ScopeInvoke}})
	must(t, d, page, ops.RotateAPIKey, ops.RotateAPIKeyIn{ID: id}) // it reaches no other brain now
	must(t, d, page, ops.RevokeAPIKey, ops.RevokeAPIKeyIn{ID: mint()})
}

// TestActorsThatAreSomebodyElse: a key's actor is what audit rows name, so it is
// not another person by a capital letter, one who may not act, or Polaris itself.
func TestActorsThatAreSomebodyElse(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	newMember(t, d, eve, models.RoleReader)
	newMember(t, d, "off@example.org", models.RoleReader)
	must(t, d, ops.Call{By: c.By, Brain: store.Instance, Via: ops.CLI}, ops.DisableUser, ops.UserIn{Email: "off@example.org"})
	page := signedIn(t, d, "calliope", ada)
	for actor, want := range map[string]string{eve: eve, "EVE@example.org": eve, " Eve@Example.ORG ": eve, "night shift": ada, "off@example.org": "", "Off@example.org": "", "system": "", " SYSTEM": ""} {
		k, err := ops.Do(t.Context(), d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "x", Actor: actor})
		if want == "" && !fault.Is(err, fault.Invalid) || want != "" && (err != nil || k.Owner != want || want == eve && k.Actor != eve) {
			t.Errorf("%q at the terminal: owned by %q, actor %q, %v", actor, k.Owner, k.Actor, err)
		}
		if got := code(d, page, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "x", Actor: actor}); want != ada && got != "invalid actor" || want == ada && got != "ok" {
			t.Errorf("%q by ada's page: %s", actor, got)
		}
	}
	p, err := d.Terminal(t.Context(), "calliope", "EVE@example.org")
	if ms := must(t, d, c, ops.ListMembers, ops.Page{}).Members; err != nil || p.Actor != eve || !slices.ContainsFunc(ms, func(m ops.Member) bool { return m.Email == eve && m.PersonID == p.Person }) {
		t.Errorf("--actor EVE@example.org: %+v %v", p, err)
	}
}

// TestNarrowedFromTheNextRequest: a scope that was taken away is gone with the
// next look-up, and so are the rights of an owner's lost role.
func TestNarrowedFromTheNextRequest(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	must(t, d, c, ops.CreateUser, ops.CreateUserIn{Email: "bob@example.org", Roles: []models.Role{models.RoleCurator}})
	k := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "x", Actor: "bob@example.org", Scopes: []models.Scope{models.ScopeAdvisorRead, models.ScopeInvoke}})
	may := func(want ...bool) {
		t.Helper()
		p, err := d.KeyPrincipal(t.Context(), k.Secret)
		if err != nil {
			t.Fatal(err)
		}
		if got := []bool{p.May(models.MayAsk), p.May(models.MayReadDraft)}; !slices.Equal(got, want) {
			t.Errorf("may ask and read the draft: %v, want %v", got, want)
		}
	}
	may(true, true)
	must(t, d, c, ops.CreateUser, ops.CreateUserIn{Email: "bob@example.org", Roles: []models.Role{models.RoleReader}})
	may(true, false) // its owner is a reader now
	must(t, d, c, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: k.ID, Owner: ptr(ada)})
	may(true, true) // the new owner's rights count
	must(t, d, c, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: k.ID, Scopes: []models.Scope{models.ScopeAdvisorRead}})
	may(true, false)
}

// TestTwoAdminsDoNotOverwriteEachOther: a change names the revision that it is
// meant for, and of many at the same revision one wins.
func TestTwoAdminsDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	k := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "x"})
	c.IfMatch = []string{k.ETag()}
	var mu sync.Mutex
	var wg sync.WaitGroup
	outcomes := map[string]int{}
	for range 20 {
		wg.Go(func() {
			got := code(d, c, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: k.ID, Label: ptr("mine")})
			mu.Lock()
			defer mu.Unlock()
			outcomes[got]++
		})
	}
	wg.Wait()
	if outcomes["ok"] != 1 || outcomes["precondition_failed "] != 19 {
		t.Errorf("outcomes %v, want one winner", outcomes)
	}
	if got := code(d, c, ops.RotateAPIKey, ops.RotateAPIKeyIn{ID: k.ID}); got != "precondition_failed " {
		t.Errorf("rotating another revision: %s", got)
	}
	if got := code(d, c, ops.RevokeAPIKey, ops.RevokeAPIKeyIn{ID: k.ID}); got != "ok" {
		t.Errorf("revoking another revision: %s; a key that is to end ends", got)
	}
}

// TestOnlyWhatIsAKeys: nothing but its fields can be said of a key, so no
// brain, state or role comes in that way.
func TestOnlyWhatIsAKeys(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	k := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "x"})
	for _, o := range []*ops.Entry{ops.CreateAPIKey.Entry(), ops.UpdateAPIKey.Entry(), ops.RotateAPIKey.Entry(), ops.RevokeAPIKey.Entry()} {
		for _, extra := range []string{
			`"brain_id":"beta"`, `"brain":"beta"`, `"state":"active"`, `"roles":["owner"]`, `"role":"owner"`, `"owner_id":"per_x"`, `"hash":""`, `"created_by":"eve"`,
			`"expires_at":null`, `"revoked_at":null`, `"rev":7`, `"key":"sk-polaris-x"`, `"Label":"y"`, `"last_used_at":null`, `"previous_valid_until":null`,
		} {
			in := `{"id":"` + k.ID + `",` + extra + `}`
			if o.Name == "api_keys.create" {
				in = `{"label":"x",` + extra + `}`
			}
			if _, err := d.Invoke(t.Context(), c, o, []byte(in)); !fault.Is(err, fault.Invalid) {
				t.Errorf("%s %s: %v, want refused", o.Name, in, err)
			}
		}
	}
	if now := must(t, d, c, ops.ListAPIKeys, ops.Page{}).Keys; len(now) != 1 || now[0].Rev != 1 || now[0].State != "active" {
		t.Errorf("afterwards: %+v", now)
	}
}

// TestLastUsedIsRarelyWritten: the time of a key's last use is at most 5 minutes
// old, and written at most once in 5 minutes, however many use it at once.
func TestLastUsedIsRarelyWritten(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	clk := held(d)
	c := newBrain(t, d, "calliope", false)
	k := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "x"})
	own, err := pgx.Connect(t.Context(), db.Own)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close(context.Background())
	for _, sql := range []string{
		`CREATE TABLE touched (n int)`, `GRANT INSERT ON touched TO polaris_app`,
		`CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO touched VALUES (1); RETURN NULL; END'`,
		`CREATE TRIGGER note AFTER UPDATE OF last_used_at ON api_keys FOR EACH ROW EXECUTE FUNCTION note()`,
	} {
		if _, err := own.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for i, step := range []struct {
		passes time.Duration
		writes int
	}{{0, 1}, {time.Minute, 1}, {4 * time.Minute, 1}, {time.Second, 2}, {5 * time.Minute, 2}, {time.Hour, 3}} {
		clk.pass(step.passes)
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if got := verdict(t, d, k.Secret); got != "ok" {
					t.Error(got)
				}
			})
		}
		wg.Wait()
		var n int
		if err := own.QueryRow(t.Context(), "SELECT count(*) FROM touched").Scan(&n); err != nil || n != step.writes {
			t.Errorf("step %d: written %d times, %v; want %d", i, n, err, step.writes)
		}
		if now := must(t, d, c, ops.GetAPIKey, ops.APIKeyIDIn{ID: k.ID}); clk.read().Sub(*now.LastUsedAt) > models.KeyLastUsedLag || now.Rev != 1 {
			t.Errorf("step %d: last used %s, it is %s", i, now.LastUsedAt, clk.read())
		}
	}
}

// TestNever: only a brain that was made so has keys that never expire.
func TestNever(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	clk := held(d)
	c := terminal("calliope")
	must(t, d, c, ops.CreateBrain, ops.CreateBrainIn{ID: "calliope", Name: "x", OwnerEmail: ada, KeysMayNeverExpire: true})
	other := newBrain(t, d, "urania", false)
	if got := code(d, other, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "x", NeverExpires: true}); got != "expiry_required never_expires" {
		t.Errorf("in a brain where keys expire: %s", got)
	}
	if got := code(d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "x", NeverExpires: true, ExpiresDays: 3}); got != "invalid never_expires" {
		t.Errorf("never and in three days: %s", got)
	}
	k := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "x", NeverExpires: true})
	if k.ExpiresAt != nil {
		t.Errorf("expires at %s", k.ExpiresAt)
	}
	if k := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "by default"}); k.ExpiresAt == nil || !k.ExpiresAt.Equal(clk.read().Add(90*24*time.Hour)) {
		t.Errorf("by default it expires at %s", k.ExpiresAt)
	}
	clk.pass(10 * 366 * 24 * time.Hour)
	if got := verdict(t, d, k.Secret); got != "ok" {
		t.Errorf("ten years later: %s", got)
	}
	if got := must(t, d, c, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: k.ID, ExpiresDays: ptr(30)}); got.ExpiresAt == nil {
		t.Error("it still never expires")
	}
	if got := must(t, d, c, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: k.ID, NeverExpires: true}); got.ExpiresAt != nil {
		t.Error("it expires after all")
	}
}

// TestNoSecretIsTold: what operations give back and the audit log keeps of keys
// has no secret in it, nor the hash of one.
func TestNoSecretIsTold(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	first := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "x"})
	second := must(t, d, c, ops.RotateAPIKey, ops.RotateAPIKeyIn{ID: first.ID})
	// Whoever writes a secret where a name belongs does not leave it in lists.
	must(t, d, c, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: first.ID, Label: ptr("was " + second.Secret)})
	must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: second.Secret, Actor: second.Secret})
	var told []byte
	for _, out := range []any{
		must(t, d, c, ops.ListAPIKeys, ops.Page{}), must(t, d, c, ops.GetAPIKey, ops.APIKeyIDIn{ID: first.ID}),
		must(t, d, c, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: first.ID, Label: ptr("y")}), auditRows(t, d, "calliope"), dump(t, db.URL, "calliope"),
	} {
		b, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, b...)
	}
	for _, k := range []ops.CreatedAPIKey{first, second} {
		if !strings.Contains(string(told), k.Start) {
			t.Error("the key is not even named: this test sees nothing")
		}
		if secret := k.Secret[len(k.Start):]; strings.Contains(string(told), secret) || strings.Contains(string(told), secret[:32]) {
			t.Error("a secret is told")
		}
	}
}
