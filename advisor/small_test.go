package advisor_test

import (
	"reflect"
	"strings"
	"testing"

	"polaris/advisor"
	"polaris/advisor/ingest"
	"polaris/models"
)

// TestSmallBrains: three paragraphs are a brain, too. Where hardly anything is
// published, how rare a word is says little, and must not decide what is
// answered.
func TestSmallBrains(t *testing.T) {
	t.Parallel()
	e := smallBrain(t)
	for q, want := range map[string]string{
		"How much is the late fee?":          "12 euros",
		"What is the late fee?":              "12 euros",
		"Is there a fee in the first month?": "No fee is charged",
		"Who won the cup final?":             "",
		"What is the fee for parking?":       "",
		"How do I cancel my subscription?":   "",
	} {
		env := e.Answer(t.Context(), advisor.Question{Text: q})
		if pass := env.Guardrail.Status == models.GuardrailPass; pass != (want != "") || !strings.Contains(env.Result, want) {
			t.Errorf("%q: %s, %q; want %q", q, env.Guardrail.Status, env.Result, want)
		}
	}
}

// TestConversation: what was asked before is read where a question names
// nothing by itself, the answer says so, and otherwise nothing of it gets into
// the answer.
func TestConversation(t *testing.T) {
	t.Parallel()
	e := smallBrain(t)
	before := []string{"Is there a fee in the first month?", "How much is the late fee?"}
	alone, led := e.Answer(t.Context(), advisor.Question{Text: "How much?"}), e.Answer(t.Context(), advisor.Question{Text: "How much?", Earlier: before})
	if alone.Guardrail.Status != models.GuardrailDisclaim || len(alone.Notices) != 0 {
		t.Errorf("alone: %+v", alone)
	}
	if !strings.Contains(led.Result, "12 euros") || led.Query != before[1]+"\nHow much?" || len(led.Notices) != 1 || !strings.Contains(led.Rendered, "Note: "+led.Notices[0]) {
		t.Errorf("in context: %+v", led)
	}
	for _, q := range []string{"Who won the cup final?", "And who won the cup final?", "Is there a fee in the first month?", "What does HR 1(a) say?"} {
		got, want := e.Answer(t.Context(), advisor.Question{Text: q, Earlier: before}), e.Answer(t.Context(), advisor.Question{Text: q})
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: in context %+v, alone %+v", q, got, want)
		}
	}
}

// smallBrain is an engine over three paragraphs.
func smallBrain(t *testing.T) *advisor.Engine {
	t.Helper()
	const rules = "# House Rules\n\n## 1 Fees\n\n(a) The late fee is 12 euros.\n\n(b) No fee is charged in the first month.\n"
	doc, err := ingest.Parse([]byte(rules), ingest.Options{Name: "rules.md", Code: "HR"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := advisor.Build(&models.Corpus{Brain: "house", Version: 1, Docs: []models.Doc{{
		Source: models.Source{ID: "src_hr", Code: "HR", Title: doc.Title}, Revision: models.Revision{N: 1, Text: doc.Text}, Passages: doc.Passages,
	}}}, advisor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
