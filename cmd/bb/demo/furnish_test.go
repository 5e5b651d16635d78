package demo

import (
	"slices"
	"testing"
	"time"

	"polaris/internal/leaks"
	"polaris/models"
	"polaris/models/store"
	"polaris/models/store/storetest"
	"polaris/ops"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// TestWhatAVisitorFinds: the brain has what its pages are for, in the first
// minute and without anything done.
func TestWhatAVisitorFinds(t *testing.T) {
	t.Parallel()
	s, _ := storetest.Open(t, store.Options{})
	d := ops.NewDesk(s, ops.Settings{PublicURL: "http://polaris.test", MaxQueryChars: 8000, RateLimit: models.Rate{N: 60, Window: time.Minute}, SealingKey: make([]byte, 32)}, leaks.Log(t))
	call := ops.Call{By: models.System(Brain), Brain: Brain, Via: ops.CLI}
	if _, err := ops.Do(t.Context(), d, call, ops.CreateBrain, ops.CreateBrainIn{ID: Brain, Name: BrainName, OwnerEmail: Curator, FourEyes: true}); err != nil {
		t.Fatal(err)
	}
	if err := Publish(t.Context(), d, call); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if err := Furnish(t.Context(), d, call); err != nil {
		t.Fatal(err)
	}
	t.Logf("furnished in %s", time.Since(begin).Round(time.Millisecond))
	at, err := d.Terminal(t.Context(), Brain, Curator)
	if err != nil {
		t.Fatal(err)
	}
	call.By = at
	queue := did(t, d, call, ops.ListRecommendations, ops.RecommendationsIn{State: models.Pending})
	var what []string
	for _, r := range queue.Recommendations {
		what = append(what, r.Operation)
		if r.Actor != Colleague || !r.Authenticated || r.Rationale == "" || len(r.Evidence) == 0 {
			t.Errorf("%s: by %q, authenticated %t, because %q, on %q", r.Operation, r.Actor, r.Authenticated, r.Rationale, r.Evidence)
		}
	}
	slices.Sort(what)
	if want := []string{"golden_questions.save", "sources.import", "topic_cards.save", "versions.publish"}; !slices.Equal(what, want) {
		t.Errorf("these wait: %q, want %q", what, want)
	}
	sources := did(t, d, call, ops.ListSources, ops.Page{Limit: 200})
	for _, src := range sources.Sources {
		if planted := src.Code == Planted().Code; planted != (sources.Held[src.ID] > 0) {
			t.Errorf("%s is held for %d flags", src.Code, sources.Held[src.ID])
		}
	}
	golden := did(t, d, call, ops.RunGolden, ops.None{})
	if golden == nil || golden.Asked != 7 || golden.Failed != 0 || golden.Changed != 1 {
		t.Errorf("golden questions: %+v", golden)
	}
	unanswered := did(t, d, call, ops.ListAnswers, ops.AnswersIn{Guardrail: models.GuardrailDisclaim})
	if len(unanswered.Answers) != 1 || unanswered.Answers[0].Query != Examples().Unanswerable[0] {
		t.Errorf("unanswered: %+v", unanswered.Answers)
	}
}

func did[In, Out any](t *testing.T, d *ops.Desk, c ops.Call, o *ops.Op[In, Out], in In) Out {
	t.Helper()
	out, err := ops.Do(t.Context(), d, c, o, in)
	if err != nil {
		t.Fatalf("%s: %v", o.Name, err)
	}
	return out
}
