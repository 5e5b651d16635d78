package advisor_test

import (
	"strings"
	"testing"

	"polaris/advisor"
	"polaris/advisor/ingest"
	"polaris/advisor/model"
	"polaris/models"
)

// brainOf builds an engine of texts in Markdown.
func brainOf(t *testing.T, texts ...string) *advisor.Engine {
	t.Helper()
	c := &models.Corpus{Brain: "own", Version: 1}
	for i, text := range texts {
		code := string(rune('A' + i))
		doc, err := ingest.Parse([]byte(text), ingest.Options{Name: code + ".md", Code: code})
		if err != nil {
			t.Fatal(err)
		}
		c.Docs = append(c.Docs, models.Doc{
			Source: models.Source{ID: "src_" + code, Code: code, Title: doc.Title}, Revision: models.Revision{N: 1, Text: doc.Text}, Passages: doc.Passages,
		})
	}
	e, err := advisor.Build(c, advisor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// shows writes a claim of the first passage shown that has its quote.
func shows(t *testing.T, e *advisor.Engine, q advisor.Question, text, quote string) *models.Envelope {
	t.Helper()
	for n := 1; n <= 10; n++ {
		s := &script{write: claims(model.Claim{Text: text, Passage: n, Quote: quote}), judge: fair(text)}
		if env := e.Compose(t.Context(), q, s.serve(t)); advisor.Written(env.Engine) {
			return env
		}
	}
	return nil
}

// What a model quotes of a list whose opening turns its items is said only with
// the opening; of any other list an item stands alone.
func TestComposeKeepsTheOpeningThatTurns(t *testing.T) {
	t.Parallel()
	e := brainOf(t, "# Rules\n\n## 1 Staff\n\nStaff shall not:\n\n(a) ask a guest about income;\n\n(b) open the post of a guest.\n\n## 2 Guests\n\nA guest gets:\n\n(a) a key of the gate; and\n\n(b) a towel from the house.\n")
	q := advisor.Question{Text: "May staff ask a guest about income?"}
	const item = "ask a guest about income;"
	if env := shows(t, e, q, "Ask a guest about income.", item); env != nil {
		t.Errorf("an item without its opening: %q", env.Result)
	}
	env := shows(t, e, q, "Staff shall not: (a) ask a guest about income.", "Staff shall not:\n\n(a) "+item)
	if env == nil || !strings.Contains(env.Citations[0].Quote, "Staff shall not:") {
		t.Errorf("an item with its opening: %+v", env)
	}
	if env := shows(t, e, advisor.Question{Text: "Does a guest get a key of the gate?"}, "A key of the gate", "a key of the gate"); env == nil {
		t.Error("an item of a list that is opened plainly is dropped")
	}
}

// That sources contradict each other is told of answers that a model writes, too.
func TestComposeTellsOfContradictions(t *testing.T) {
	t.Parallel()
	e := brainOf(t, "# Old rules\n\nThe late fee of the library is 12 euros.\n", "# New rules\n\nThe late fee of the library is 15 euros.\n")
	q := advisor.Question{Text: "How much is the late fee of the library?"}
	if plain := e.Answer(t.Context(), q); len(plain.Guardrail.Reasons) != 1 {
		t.Fatalf("without a model: %+v", plain.Guardrail)
	}
	env := shows(t, e, q, "The late fee of the library is 12 euros.", "The late fee of the library is 12 euros.")
	if env == nil {
		t.Fatal("nothing was proved")
	}
	if env.Guardrail.Status != models.GuardrailPass || len(env.Guardrail.Reasons) != 1 || env.Guardrail.Reasons[0] != "sources_disagree" ||
		!strings.Contains(env.Rendered, "12 euros.”") || !strings.Contains(env.Rendered, "15 euros.”") || len(env.Citations) != 2 || !env.Citations[1].Verified {
		t.Errorf("%+v", env)
	}
}
