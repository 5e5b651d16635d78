package ops_test

import (
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/models/store"
	"polaris/models/store/storetest"
	"polaris/ops"
)

// byToken returns the circumstances of a program that holds an access token of
// the person.
func byToken(t testing.TB, d *ops.Desk, brain models.BrainID, email string) ops.Call {
	t.Helper()
	by, err := d.TokenPrincipal(t.Context(), tokensOf(t, d, brain, email, models.ScopeWrite, models.ScopeInvoke).AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	return ops.Call{By: by, Brain: brain, Via: ops.REST}
}

// putAside counts the documents that were put aside.
func putAside(t *testing.T, db storetest.Database) (n int) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), db.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if _, err := c.Exec(t.Context(), "SELECT set_config('app.brain_id', 'acme', false)"); err != nil {
		t.Fatal(err)
	}
	if err := c.QueryRow(t.Context(), "SELECT count(*) FROM quarantine").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A document that a program sends waits apart from the brain. Approved it is a
// revision, whatever its end it is not kept aside longer.
func TestImportedFromOutside(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	c := newBrain(t, d, "acme", true)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte("# House Rules\n\nThe late fee is 12 dollars.\n")})
	signIn(t, d, "acme", bob, models.RoleCurator)
	ben := signIn(t, d, "acme", cleo, models.RoleApprover)
	program := byToken(t, d, "acme", bob)
	next := ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte("# House Rules\n\nThe late fee is 15 dollars.\n\nIt is asked once, and never again after that day.\n")}

	q := proposed(t, d, program, ops.ImportSource, next)
	v := must(t, d, ben, ops.GetRecommendation, ops.RecommendationIDIn{ID: q.ID})
	if len(v.Input) > 400 || v.Target != "source HR" || v.Base != "revision 1" {
		t.Errorf("frozen %s, of %s at %q", v.Input, v.Target, v.Base)
	}
	var before, after ops.SourceState
	if err := json.Unmarshal(v.Before, &before); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(v.After, &after); err != nil {
		t.Fatal(err)
	}
	if before.Revision != 1 || after.Revision != 2 || after.KeysGained != 1 || after.KeysLost != 0 || after.Passages != before.Passages+1 || after.Bytes != len(next.Data) {
		t.Errorf("from %+v to %+v", before, after)
	}
	if n := putAside(t, db); n != 1 {
		t.Errorf("%d documents are put aside, want 1", n)
	}
	if got, err := decide(t, d, ben, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}
	s := must(t, d, c, ops.GetSource, ops.GetSourceIn{Source: "HR"})
	if s.Source.Head != 2 || len(s.Passages) != after.Passages || s.Revision.CreatedBy != bob {
		t.Errorf("the source is at revision %d with %d passages, by %s", s.Source.Head, len(s.Passages), s.Revision.CreatedBy)
	}
	if n := putAside(t, db); n != 0 {
		t.Errorf("%d documents are still put aside", n)
	}
	_, err := ops.Do(t.Context(), d, program, ops.ImportSource, next)
	refusedAs(t, "the same bytes again", err, "unchanged")

	// Rejected, or overtaken, it goes as well.
	for _, end := range []string{"reject", "approve"} {
		next.Data = append(next.Data, "\nMore.\n"...)
		q = proposed(t, d, program, ops.ImportSource, next)
		want := models.Rejected
		if end == "approve" {
			must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte("# House Rules\n\nAnother.\n")})
			want = models.Stale
		}
		if got, err := decide(t, d, ben, q.ID, end); err != nil || got.State != want {
			t.Errorf("%s: %+v, %v, want %s", end, got, err, want)
		}
		if n := putAside(t, db); n != 0 {
			t.Errorf("%s: %d documents are still put aside", end, n)
		}
	}
}

// Whoever is not signed in at a browser does not decide, and is told so on every
// surface.
func TestOnlySessionsDecide(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "acme", true)
	signIn(t, d, "acme", bob, models.RoleCurator)
	program := byToken(t, d, "acme", bob)
	q := proposed(t, d, program, ops.ImportSource, ops.ImportSourceIn{Name: "x.md", Data: []byte("# X\n\nText.\n")})
	k := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "x"})
	key, err := d.KeyPrincipal(t.Context(), k.Secret)
	if err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]ops.Call{
		"terminal": c, "token": program, "key": {By: key, Brain: "acme", Via: ops.REST}, "page without a session": {By: program.By, Brain: "acme", Via: ops.Web},
	} {
		_, err := ops.Do(t.Context(), d, call, ops.DecideRecommendation, ops.DecideIn{ID: q.ID, Verdict: "approve"})
		refusedAs(t, name, err, "session_required")
	}
}
