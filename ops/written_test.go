package ops_test

import (
	"context"
	"strings"
	"testing"

	"polaris/advisor/model"
	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// A hand is a model that writes what it was told to.
type hand struct{ claims []model.Claim }

func (hand) Name() string { return "scripted-1" }

func (h hand) Write(context.Context, string, []model.Passage) ([]model.Claim, error) {
	return h.claims, nil
}

func (hand) Judge(_ context.Context, pairs []model.Pair) (map[int]bool, error) {
	granted := map[int]bool{}
	for _, p := range pairs {
		granted[p.N] = p.Claim == p.Quote || strings.HasPrefix(p.Claim, "Whoever pays late")
	}
	return granted, nil
}

// Where a model is set, answers are in its words; the record says so, keeps them,
// and its replay holds the quotes against the sources without making them again.
func TestAnswersThatAModelWrote(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	c.By.Published = 1
	ask := ops.AskIn{Query: "How much is the late fee?"}
	quoted := must(t, d, c, ops.Answer, ask)
	d.Settings.Writer = hand{[]model.Claim{{Text: "Whoever pays late owes a fee of 12 euros.", Passage: 1, Quote: "The late fee is 12 euros."}}}
	env := must(t, d, c, ops.Answer, ask)
	if !strings.HasPrefix(env.Result, "Whoever pays late owes a fee of 12 euros. [1]") || env.Citations[0].Verification.Method != models.VerifiedEntailment ||
		!strings.HasSuffix(env.Engine, " with scripted-1") || !strings.Contains(env.Rendered, "scripted-1 wrote these sentences") {
		t.Errorf("%+v", env)
	}
	r := must(t, d, c, ops.ReplayAnswer, ops.AnswerIDIn{ID: env.AnswerID})
	if !r.Intact || r.Reproduced || len(r.Findings) != 1 || !strings.Contains(r.Findings[0], "a model wrote the sentences") {
		t.Errorf("%+v", r)
	}
	if r := must(t, d, c, ops.ReplayAnswer, ops.AnswerIDIn{ID: quoted.AnswerID}); !r.Intact || !r.Reproduced {
		t.Errorf("what was quoted before: %+v", r)
	}
	// Passages are never a model's.
	if env := must(t, d, c, ops.Retrieve, ask); env.Result != "" || strings.Contains(env.Engine, "scripted") {
		t.Errorf("%+v", env)
	}
}
