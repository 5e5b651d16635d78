package ops_test

import (
	"context"
	"strings"
	"testing"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// What curators say of a source changes without its text, is in the audit row,
// and is refused where it cannot be.
func TestUpdateSource(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "old.md", Code: "OLD", Data: []byte("# Old Rules\n\nThe fee was 9 euros.\n")})
	in := ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules), SourceFacts: ops.SourceFacts{Owner: "Legal", EffectiveFrom: "2026-01-01", EffectiveTo: "2026-12-31", ReviewBy: "2026-06-30", Supersedes: "OLD"}}
	must(t, d, c, ops.ImportSource, in)
	s := must(t, d, c, ops.GetSource, ops.GetSourceIn{Source: "HR"}).Source
	if s.Owner != "Legal" || s.EffectiveFrom != "2026-01-01" || s.EffectiveTo != "2026-12-31" || s.ReviewBy != "2026-06-30" || s.Supersedes != "OLD" {
		t.Fatalf("imported: %+v", s)
	}
	got := must(t, d, c, ops.UpdateSource, ops.UpdateSourceIn{Source: "HR", Owner: new("Risk"), ReviewBy: new(models.Date("2027-06-30")), EffectiveTo: new(models.Date(""))})
	if got.Owner != "Risk" || got.ReviewBy != "2027-06-30" || got.EffectiveTo != "" || got.EffectiveFrom != "2026-01-01" || got.Title != "House Rules" || got.Head != 1 {
		t.Errorf("updated: %+v", got)
	}
	if again := must(t, d, c, ops.GetSource, ops.GetSourceIn{Source: "HR"}).Source; again.Owner != "Risk" || again.EffectiveTo != "" {
		t.Errorf("kept: %+v", again)
	}
	var rows []models.AuditRow
	if err := d.Store.InBrain(t.Context(), c.Brain, func(tx *store.Tx) (err error) { rows, err = tx.AuditRows(1); return err }); err != nil {
		t.Fatal(err)
	}
	if r := rows[0]; r.Operation != "sources.update" || r.Target != "HR" || len(r.Detail.Changes) != 3 {
		t.Errorf("its row: %+v", r)
	}
	for what, x := range map[string]struct {
		in    ops.UpdateSourceIn
		field string
	}{
		"no such day":                {ops.UpdateSourceIn{Source: "HR", ReviewBy: new(models.Date("2026-02-30"))}, "review_by"},
		"an end before":              {ops.UpdateSourceIn{Source: "HR", EffectiveTo: new(models.Date("2025-01-01"))}, "effective_to"},
		"itself":                     {ops.UpdateSourceIn{Source: "HR", Supersedes: new("HR")}, "supersedes"},
		"a source that is not there": {ops.UpdateSourceIn{Source: "HR", Supersedes: new("NONE")}, "supersedes"},
		"no title":                   {ops.UpdateSourceIn{Source: "HR", Title: new(" ")}, "title"},
		"no address":                 {ops.UpdateSourceIn{Source: "HR", OriginURL: new("file:///etc/passwd")}, "origin_url"},
	} {
		if _, err := ops.Do(context.Background(), d, c, ops.UpdateSource, x.in); err == nil || fault.Of(err).Field != x.field {
			t.Errorf("%s: %v, want a fault about %s", what, err, x.field)
		}
	}
	// A new revision begins without dates, and keeps the rest.
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rulesLater)})
	if s := must(t, d, c, ops.GetSource, ops.GetSourceIn{Source: "HR"}).Source; s.EffectiveFrom != "" || s.Owner != "Risk" || s.Supersedes != "OLD" || s.Head != 2 {
		t.Errorf("the next revision: %+v", s)
	}
	// A program asks, and what was said meanwhile makes its request stale.
	x := newBrain(t, d, "acme", true)
	must(t, d, x, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	ann := signIn(t, d, "acme", "ann@example.org", models.RoleCurator)
	ben := signIn(t, d, "acme", "ben@example.org", models.RoleApprover)
	agent := ann
	agent.Via, agent.Visit = ops.REST, nil
	q := proposed(t, d, agent, ops.UpdateSource, ops.UpdateSourceIn{Source: "HR", Owner: new("Legal")})
	stale := proposed(t, d, agent, ops.UpdateSource, ops.UpdateSourceIn{Source: "HR", Owner: new("Risk")})
	if out, err := decide(t, d, ben, q.ID, "approve"); err != nil || out.State != models.Applied {
		t.Fatalf("%+v, %v", out, err)
	}
	if out, err := decide(t, d, ben, stale.ID, "approve"); err != nil || out.State != models.Stale {
		t.Errorf("%+v, %v", out, err)
	}
	if s := must(t, d, x, ops.GetSource, ops.GetSourceIn{Source: "HR"}).Source; s.Owner != "Legal" {
		t.Errorf("after the decision: %+v", s)
	}
}

// A card whose anchor lost its text, changed it, or finds it under another key is
// named with the import that did it, and when the revisions are compared.
func TestCardsAffected(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	const first = "# Desk Rules\n\n## 1 Fees\n\n(a) The late fee is 12 euros.\n\n(b) Children pay nothing at all.\n\n(c) A card is lent for a year.\n\n(d) Lost cards cost 5 euros.\n"
	const later = "# Desk Rules\n\n## 1 Fees\n\n(a) The late fee is 15 euros.\n\n(b) A card is lent for a year.\n\n## 2 Others\n\n(a) Children pay nothing at all.\n\n(b) Dogs wait outside.\n"
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "desk.md", Code: "DR", Data: []byte(first)})
	for id, anchor := range map[string]string{"fee": "DR 1(a)", "children": "DR 1(b)", "lost": "DR 1(d)", "card": "DR 1(c)", "other": "XX 9"} {
		must(t, d, c, ops.SaveCard, ops.SaveCardIn{ID: id, Label: id, Covers: "the " + id, Anchors: []string{anchor}})
	}
	out := must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "desk.md", Code: "DR", Data: []byte(later)})
	got := map[string]string{}
	for _, a := range out.CardsAffected {
		got[a.Card] = strings.TrimSpace(a.Status + " " + a.To)
	}
	want := map[string]string{"fee": "changed", "children": "changed", "lost": "lost", "card": "moved DR 1(b)"}
	if len(got) != len(want) {
		t.Errorf("affected: %v, want %v", got, want)
	}
	for id, w := range want {
		if got[id] != w {
			t.Errorf("%s: %q, want %q", id, got[id], w)
		}
	}
	if out.Counts == nil || out.Counts.Changed == 0 || out.Counts.Gained == 0 {
		t.Errorf("counts: %+v", out.Counts)
	}
	diff := must(t, d, c, ops.DiffSource, ops.DiffSourceIn{Source: "DR"})
	if diff.FromRevision != 1 || diff.ToRevision != 2 || len(diff.CardsAffected) != len(want) || len(diff.Passages) == 0 {
		t.Errorf("compared: %+v", diff)
	}
	_, err := ops.Do(t.Context(), d, c, ops.DiffSource, ops.DiffSourceIn{Source: "DR", From: 1, To: 9})
	refusedAs(t, "a revision that is not there", err, "no_such_revision")

	// Removed and imported again it is said to be restored.
	must(t, d, c, ops.RemoveSource, ops.GetSourceIn{Source: "DR"})
	if out := must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "desk.md", Code: "DR", Data: []byte(later)}); out.Status != ops.ImportRestored || out.Revision != 2 {
		t.Errorf("after removal: %+v", out)
	}
	if out := must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "desk.md", Code: "DR", Data: []byte(first)}); out.Status != ops.ImportRevised || out.Revision != 1 || out.Counts == nil {
		t.Errorf("back to the first text: %+v", out)
	}
}
