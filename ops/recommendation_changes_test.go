package ops_test

import (
	"context"
	"testing"

	"polaris/advisor/ingest"
	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// What an import would do is told passage by passage, from the document that was
// put aside; once it was decided on, from the revision that it became.
func TestPassagesOfAProposedImport(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", true)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	prog := signIn(t, d, "calliope", "eve@example.org", models.RoleCurator)
	prog.Via, prog.Visit, prog.By.Scopes, prog.By.TokenID = ops.REST, nil, []models.Scope{models.ScopeWrite}, "x"
	_, err := ops.Do(t.Context(), d, prog, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rulesLater)})
	q, ok := ops.AsWaiting(err)
	if !ok {
		t.Fatalf("the import does not wait: %v", err)
	}
	read := 0
	parse := d.Settings.Parse
	d.Settings.Parse = func(ctx context.Context, data []byte, o ingest.Options) (*ingest.Document, error) {
		read++ // what nobody has approved is read where every document is: in the child that is shut away
		return parse(ctx, data, o)
	}
	seen := func() ops.ProposedChanges { return must(t, d, c, ops.ShowChanges, ops.RecommendationIDIn{ID: q.ID}) }
	check := func(when string, p ops.ProposedChanges) {
		t.Helper()
		if p.Source == nil || p.Gone || p.Source.Status != ops.Altered || p.Source.Counts.Changed == 0 || p.Source.Counts.Gained == 0 {
			t.Fatalf("%s: %+v", when, p)
		}
		for _, ch := range p.Source.Passages {
			if ch.Status == ops.Altered && ch.Before != "" && ch.After != "" && ch.Before != ch.After {
				return
			}
		}
		t.Errorf("%s: no passage is told before and after: %+v", when, p.Source.Passages)
	}
	check("while it waits", seen())
	if read != 1 {
		t.Errorf("the desk's parser read the document %d times, not once", read)
	}
	decide(t, d, signIn(t, d, "calliope", bob, models.RoleApprover), q.ID, "approve")
	check("after it was applied", seen())
}

// A publish names each thing that it changes with who changed it since the last
// one, and marks whom nobody verified.
func TestWhatAPublishChanges(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", true)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "same.md", Code: "SAME", Data: []byte("# Same\n\nNothing changes here.\n")})
	must(t, d, c, ops.SaveGolden, ops.SaveGoldenIn{ID: "fee", Question: "How much is the late fee?", Expects: []string{"HR 1(a)"}})
	cleos := signIn(t, d, "calliope", cleo, models.RoleCurator)
	bobs := signIn(t, d, "calliope", bob, models.RoleApprover)
	publish := func() string {
		t.Helper()
		_, err := ops.Do(t.Context(), d, cleos, ops.PublishVersion, ops.PublishIn{})
		q, ok := ops.AsWaiting(err)
		if !ok {
			t.Fatalf("the publish does not wait: %v", err)
		}
		return q.ID
	}
	first := publish()
	p := must(t, d, c, ops.ShowChanges, ops.RecommendationIDIn{ID: first})
	if len(p.Items) != 2 || p.Items[0].ID != "HR" || p.Items[0].Status != ops.Gained || len(p.Items[0].By) != 1 || p.Items[0].By[0].Authenticated {
		t.Errorf("the first publish changes %+v", p.Items)
	}
	decide(t, d, bobs, first, "approve")

	eve := signIn(t, d, "calliope", "eve@example.org", models.RoleCurator)
	must(t, d, eve, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rulesLater)})
	must(t, d, eve, ops.SaveCard, ops.SaveCardIn{ID: "fees", Label: "Fees", Covers: "what we charge", Anchors: []string{"HR 1(a)"}})
	second := publish()
	p = must(t, d, c, ops.ShowChanges, ops.RecommendationIDIn{ID: second})
	if len(p.Items) != 2 || p.Items[0].ID != "HR" || p.Items[0].Status != ops.Altered || p.Items[0].FromRevision != 1 || p.Items[0].ToRevision != 2 || p.Items[1].Kind != "topic_card" {
		t.Fatalf("the second publish changes %+v", p.Items)
	}
	for _, item := range p.Items {
		if len(item.By) != 1 || item.By[0].Actor != "eve@example.org" || !item.By[0].Authenticated {
			t.Errorf("%s was changed by %+v", item.ID, item.By)
		}
	}
	if p.Golden == nil || p.Golden.Asked != 1 || p.Golden.Changed != 1 {
		t.Errorf("the golden questions: %+v", p.Golden)
	}
	decide(t, d, bobs, second, "approve")
	vs := must(t, d, c, ops.ListVersions, ops.Page{}).Versions
	if len(vs) != 2 || vs[0].Recommendation != second || vs[1].Recommendation != first {
		t.Errorf("the versions were decided on as %+v", vs)
	}
}
