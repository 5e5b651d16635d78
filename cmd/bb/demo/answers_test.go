package demo

import (
	"slices"
	"testing"

	"polaris/advisor"
	"polaris/advisor/cite"
	"polaris/advisor/ingest"
	"polaris/models"
)

// engine builds the demo brain's engine from the documents, as a publish does.
func engine(t *testing.T) *advisor.Engine {
	t.Helper()
	c := &models.Corpus{Brain: Brain, Version: 1, Cards: Cards()}
	for _, d := range Documents() {
		doc, err := ingest.Parse(d.Data, ingest.Options{Name: d.Name, Title: d.Title, Code: d.Code})
		if err != nil {
			t.Fatal(err)
		}
		c.Docs = append(c.Docs, models.Doc{
			Source:   models.Source{ID: "src_" + d.Code, Code: d.Code, Title: d.Title, Head: 1},
			Revision: models.Revision{SourceID: "src_" + d.Code, N: 1, Text: doc.Text, Language: doc.Language, Title: doc.Title},
			Passages: doc.Passages, Terms: doc.Terms, Refs: doc.Refs,
		})
	}
	e, err := advisor.Build(c, advisor.Config{PublicURL: "http://localhost:8088"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestExamplesAreAnswered: what the demo shows must be what a reader finds in
// the handbook, and what it cannot answer must be said to be so.
func TestExamplesAreAnswered(t *testing.T) {
	t.Parallel()
	e := engine(t)
	for _, q := range Examples().Answerable {
		env := e.Answer(t.Context(), advisor.Question{Text: q.Text, TopicIDs: q.Topics})
		if env.Guardrail.Status != models.GuardrailPass {
			t.Errorf("%q: %+v", q.Text, env.Guardrail)
		}
		for _, want := range q.Keys {
			if !slices.ContainsFunc(env.Citations, func(c models.Citation) bool { return names(t, c.Key, want) }) {
				t.Errorf("%q does not cite %s, but %v", q.Text, want, keysOf(env))
			}
		}
	}
	for _, q := range Examples().Unanswerable {
		env := e.Answer(t.Context(), advisor.Question{Text: q})
		if env.Guardrail.Status != models.GuardrailDisclaim || len(env.Citations) != 0 {
			t.Errorf("%q: %+v with %v, want declined", q, env.Guardrail, keysOf(env))
		}
	}
}

// names reports whether a citation of key quotes what want names.
func names(t *testing.T, key, want string) bool {
	t.Helper()
	k, err := cite.Parse(key)
	w, werr := cite.Parse(want)
	if err != nil || werr != nil {
		t.Fatalf("%s, %s: %v %v", key, want, err, werr)
	}
	return k.Contains(w) || w.Contains(k)
}

func keysOf(env *models.Envelope) (keys []string) {
	for _, c := range env.Citations {
		keys = append(keys, c.Key)
	}
	return keys
}
