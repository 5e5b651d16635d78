package ops_test

import (
	"strings"
	"testing"

	"polaris/models"
	"polaris/ops"
)

// A person vouches for one revision, in each way in which somebody can, and with
// the next revision that is over.
func TestCertifyOneRevision(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	in := ops.CertifyIn{Source: "HR", Note: "Compared with the printed ones."}
	shown := func() *models.Certification {
		return must(t, x.d, x.di, ops.GetSource, ops.GetSourceIn{Source: "HR"}).Certified
	}
	revise := func(text string) {
		must(t, x.d, x.shell, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules + text)})
	}
	if c := shown(); c != nil {
		t.Errorf("before anybody did: %+v", c)
	}

	// At the pages: who asks.
	if got := code(x.d, x.di, ops.CertifySource, ops.CertifyIn{Source: "HR", Revision: 2}); got != "other_revision revision" {
		t.Errorf("a revision that is not the draft's: %s", got)
	}
	must(t, x.d, x.di, ops.CertifySource, in)
	if c := shown(); c == nil || c.By != "di@example.org" || !c.Authenticated || c.Revision != 1 || c.Note != in.Note {
		t.Errorf("at the pages: %+v", c)
	}
	if got := code(x.d, x.ann, ops.CertifySource, in); got != "already_certified " {
		t.Errorf("twice: %s", got)
	}
	revise("\nThe fee is waived in May.\n")
	if c := shown(); c != nil {
		t.Errorf("of another revision: %+v", c)
	}

	// At the terminal: who is named, verified by nobody.
	if got := code(x.d, x.shell, ops.CertifySource, in); got != "approver_required approved_by" {
		t.Errorf("nobody is named: %s", got)
	}
	named := x.shell
	named.ApprovedBy = "nobody@example.org"
	if got := code(x.d, named, ops.CertifySource, in); got != "no_such_member approved_by" {
		t.Errorf("a stranger is named: %s", got)
	}
	named.ApprovedBy = "Ben@Example.org"
	must(t, x.d, named, ops.CertifySource, in)
	if c := shown(); c == nil || c.By != "ben@example.org" || c.Authenticated || c.Revision != 2 {
		t.Errorf("at the terminal: %+v", c)
	}

	// By a program: who approves it, and nobody before.
	revise("\nThe fee is waived in June.\n")
	tokens := must(t, x.d, x.ann, ops.CreateTokens, ops.CreateTokensIn{Scopes: []models.Scope{models.ScopeInvoke, models.ScopeWrite}})
	by, err := x.d.TokenPrincipal(t.Context(), tokens.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	program := ops.Call{By: by, Brain: "acme", Via: ops.REST, ApprovedBy: "ann@example.org"}
	q, late := proposed(t, x.d, program, ops.CertifySource, in), proposed(t, x.d, program, ops.CertifySource, in)
	if c := shown(); c != nil {
		t.Errorf("while it waits: %+v", c)
	}
	_, err = decide(t, x.d, x.ann, q.ID, "approve")
	refusedAs(t, "whose program it is", err, "own_proposal")
	if got, err := decide(t, x.d, x.cleo, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}
	if c := shown(); c == nil || c.By != cleo || !c.Authenticated || c.Revision != 3 {
		t.Errorf("by who approved it: %+v", c)
	}
	if got, err := decide(t, x.d, x.ben, late.ID, "approve"); err != nil || got.State != models.Stale {
		t.Errorf("the same once more: %+v, %v", got, err)
	}
	// One that a new revision overtakes vouches for nothing.
	revise("\nThe fee is waived in July.\n")
	q = proposed(t, x.d, program, ops.CertifySource, in)
	revise("\nThe fee is waived in August.\n")
	if got, err := decide(t, x.d, x.cleo, q.ID, "approve"); err != nil || got.State != models.Stale || shown() != nil {
		t.Errorf("of a revision that is none of the draft's any more: %+v, %v", got, err)
	}
	// What was read before speaks again when the draft goes back to it.
	revise("\nThe fee is waived in May.\n")
	if c := shown(); c == nil || c.By != "ben@example.org" {
		t.Errorf("back at revision 2: %+v", c)
	}
	must(t, x.d, x.di, ops.RemoveSource, ops.GetSourceIn{Source: "HR"})
	if got := code(x.d, x.di, ops.CertifySource, in); got != "already_removed " {
		t.Errorf("a source that is not in the draft: %s", got)
	}

	app := connected(t, x.db.URL)
	if _, err := app.Exec(t.Context(), "SELECT set_config('app.brain_id', 'acme', false)"); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"DELETE FROM certifications", "TRUNCATE certifications", "UPDATE certifications SET authenticated = true", "UPDATE certifications SET revision = 4",
		"INSERT INTO certifications SELECT 'beta', source_id, revision, person_id, note, at, true FROM certifications",
		"INSERT INTO certifications SELECT brain_id, source_id, 9, person_id, note, at, true FROM certifications LIMIT 1",
	} {
		if _, err := app.Exec(t.Context(), sql); err == nil || strings.Contains(err.Error(), "syntax") {
			t.Errorf("%s: %v, want it refused", sql, err)
		}
	}
}
