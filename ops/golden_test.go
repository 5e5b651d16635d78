package ops_test

import (
	"encoding/json"
	"slices"
	"testing"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// Before anything is published the golden questions are asked of it, and whoever
// decides sees which citations appeared, vanished, moved or say something else.
func TestGoldenQuestionsGoBeforeThePublish(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "acme", true)
	ann, ben := signIn(t, d, "acme", bob, models.RoleCurator), signIn(t, d, "acme", cleo, models.RoleApprover)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	made := must(t, d, ann, ops.SaveGolden, ops.SaveGoldenIn{Question: "How much is the late fee?", Expects: []string{"HR 1"}})
	if !made.New || made.Question.ID != "how-much-is-the-late-fee" || made.Question.Rev != 1 {
		t.Errorf("%+v", made)
	}
	must(t, d, ann, ops.SaveGolden, ops.SaveGoldenIn{ID: "grace", Question: "Is a fee charged in the first month?", Expects: []string{"HR 1(b)"}})
	must(t, d, ann, ops.SaveGolden, ops.SaveGoldenIn{ID: "complaints", Question: "When are complaints answered?"})
	q := proposed(t, d, ann, ops.PublishVersion, ops.PublishIn{})
	first := reportOf(t, d, ben, q.ID)
	if first.Asked != 3 || first.Published != 0 || first.Failed != 0 || first.Changed != 0 {
		t.Errorf("first report %+v", first)
	}
	if got, err := decide(t, d, ben, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}

	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rulesLater)})
	q = proposed(t, d, ann, ops.PublishVersion, ops.PublishIn{})
	r := reportOf(t, d, ben, q.ID)
	by := map[string]ops.GoldenResult{}
	for _, g := range r.Questions {
		by[g.ID] = g
	}
	if r.Published != 1 || r.Asked != 3 || r.Failed != 1 || r.Changed != 3 {
		t.Errorf("second report %+v", r)
	}
	if g := by["how-much-is-the-late-fee"]; !slices.Contains(g.Reworded, "HR 1(a)") || len(g.Missing) != 0 {
		t.Errorf("the fee's words: %+v", g)
	}
	if g := by["grace"]; !slices.Contains(g.Moved, ops.GoldenMoved{From: "HR 1(b)", To: "HR 2(a)"}) || !slices.Equal(g.Missing, []string{"HR 1(b)"}) {
		t.Errorf("the moved passage: %+v", g)
	}
	if g := by["complaints"]; g.Before != models.GuardrailDisclaim || g.After != models.GuardrailPass || !slices.Contains(g.Appeared, "HR 2(b)") {
		t.Errorf("what can be answered now: %+v", g)
	}
	if now := must(t, d, ann, ops.RunGolden, ops.None{}); now.Failed != r.Failed || now.Changed != r.Changed || len(now.Questions) != 3 {
		t.Errorf("asked by hand: %+v", now)
	}
	if got, err := decide(t, d, ben, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("a manifest with a report is not applied: %+v, %v", got, err)
	}
	q = proposed(t, d, ann, ops.RestoreVersion, ops.RestoreIn{N: 1})
	back := reportOf(t, d, ben, q.ID)
	if i := slices.IndexFunc(back.Questions, func(g ops.GoldenResult) bool { return g.ID == "complaints" }); back.Published != 2 || !slices.Contains(back.Questions[i].Vanished, "HR 2(b)") {
		t.Errorf("a restore's report %+v", back)
	}
}

// reportOf reads the report out of what a reviewer is shown.
func reportOf(t *testing.T, d *ops.Desk, c ops.Call, id string) *ops.GoldenReport {
	t.Helper()
	b, err := json.Marshal(must(t, d, c, ops.GetRecommendation, ops.RecommendationIDIn{ID: id}))
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		After struct {
			Golden *ops.GoldenReport `json:"golden"`
		} `json:"after"`
	}
	if err := json.Unmarshal(b, &v); err != nil || v.After.Golden == nil {
		t.Fatalf("no report in %s: %v", b, err)
	}
	return v.After.Golden
}

// The gate of golden questions: curators save them, programs only propose, the
// others read; what does not fit is refused and changes nothing.
func TestGoldenQuestionsGate(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	newBrain(t, d, "acme", true)
	ann := signIn(t, d, "acme", bob, models.RoleCurator)
	ben := signIn(t, d, "acme", cleo, models.RoleApprover)
	for name, in := range map[string]ops.SaveGoldenIn{
		"question":  {Question: "  "},
		"id":        {ID: "Not A Slug", Question: "x"},
		"topic_ids": {Question: "x", TopicIDs: []string{"a", "b", "c"}},
		"expects":   {Question: "x", Expects: []string{"!!"}},
	} {
		_, err := ops.Do(t.Context(), d, ann, ops.SaveGolden, in)
		if f := fault.Of(err); f == nil || f.Kind != fault.Invalid || f.Field != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := ops.Do(t.Context(), d, ben, ops.SaveGolden, ops.SaveGoldenIn{Question: "x?"})
	refusedAs(t, "an approver", err, "insufficient_role")

	tokens := tokensOf(t, d, "acme", bob, models.ScopeInvoke, models.ScopeWrite)
	by, err := d.TokenPrincipal(t.Context(), tokens.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	q := proposed(t, d, ops.Call{By: by, Brain: "acme", Via: ops.REST}, ops.SaveGolden, ops.SaveGoldenIn{ID: "fee", Question: "How much?"})
	if l := must(t, d, ann, ops.ListGolden, ops.Page{}); len(l.Questions) != 0 {
		t.Errorf("saved before anybody decided: %+v", l)
	}
	if got, err := decide(t, d, ben, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}
	at := ann
	at.IfMatch = []string{"r9.9"}
	_, err = ops.Do(t.Context(), d, at, ops.SaveGolden, ops.SaveGoldenIn{ID: "fee", Question: "How much then?"})
	if !fault.Is(err, fault.Outdated) {
		t.Errorf("an old revision: %v", err)
	}
	rehearsal := ann
	rehearsal.DryRun = true
	must(t, d, rehearsal, ops.DeleteGolden, ops.GoldenIDIn{ID: "fee"})
	if l := must(t, d, ann, ops.ListGolden, ops.Page{}); len(l.Questions) != 1 || l.Questions[0].Question != "How much?" {
		t.Errorf("%+v", l)
	}
	must(t, d, ann, ops.DeleteGolden, ops.GoldenIDIn{ID: "fee"})
	_, err = ops.Do(t.Context(), d, ann, ops.DeleteGolden, ops.GoldenIDIn{ID: "fee"})
	refusedAs(t, "what is gone", err, "no_such_golden_question")
}
