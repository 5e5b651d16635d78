package advisor_test

import (
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
