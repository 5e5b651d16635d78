package wiretest

import (
	"encoding/json"
	"strings"
	"testing"

	"polaris/cmd/bb/demo"
	"polaris/models"
)

// Ask calls a tool and reads its envelope.
func (w *World) Ask(tb testing.TB, key, tool string, args map[string]any) (Result, models.Envelope) {
	tb.Helper()
	r := w.Do(tb, Row{Header: bearer(key), Body: Call(1, tool, args)}).Result(tb)
	var e models.Envelope
	if err := json.Unmarshal(r.Data, &e); err != nil || r.IsError {
		tb.Fatalf("%s %v: %v; %+v", tool, args, err, r)
	}
	return r, e
}

// content: the demo's own questions, through the wire: both channels carry the
// answer, every claim has its quote, and what the handbook does not say is
// disclaimed.
func content(t *testing.T, mount Mount) {
	w := NewWorld(t, mount, Options{Published: true})
	for _, q := range demo.Examples().Answerable {
		args := map[string]any{"query": q.Text}
		if len(q.Topics) > 0 {
			args["topic_ids"] = q.Topics
		}
		r, e := w.Ask(t, "reader", "answer", args)
		if e.Guardrail.Status != models.GuardrailPass || len(e.Citations) == 0 || e.BrainVersion != 1 {
			t.Errorf("%q: %s %v, %d citations", q.Text, e.Guardrail.Status, e.Guardrail.Reasons, len(e.Citations))
		}
		text := r.Content[0].Text
		if text != e.Rendered || !strings.Contains(text, "## Sources") || !strings.Contains(text, e.RecordURL) || !strings.Contains(text, e.AnswerID) {
			t.Errorf("%q: the channels differ, or lack the sources or the record:\n%s\n---\n%s", q.Text, text, e.Rendered)
		}
		for _, c := range e.Citations {
			if !strings.Contains(flat(text), flat(c.Quote)) {
				t.Errorf("%q: the text lacks the quote %q", q.Text, c.Quote)
			}
		}
		if _, p := w.Ask(t, "reader", "retrieve", args); p.Result != "" || len(p.Citations) == 0 {
			t.Errorf("%q: retrieve gave result %q and %d citations", q.Text, p.Result, len(p.Citations))
		}
	}
	for _, q := range demo.Examples().Unanswerable {
		if _, e := w.Ask(t, "reader", "answer", map[string]any{"query": q}); e.Guardrail.Status != models.GuardrailDisclaim || len(e.Citations) != 0 {
			t.Errorf("%q: %s, %d citations; want a disclaimer", q, e.Guardrail.Status, len(e.Citations))
		}
	}
	catalog(t, w)
}

// flat is s as one line with single spaces, since a quote may be wrapped or
// indented where it is shown.
func flat(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, ">", " ")), " ") }

// catalog: the topic cards and the wiki.
func catalog(t *testing.T, w *World) {
	var cards struct{ Topics []models.Topic }
	r := w.Do(t, Row{Body: Call(1, "topic_cards", map[string]any{})}).Result(t)
	if err := json.Unmarshal(r.Data, &cards); err != nil || len(cards.Topics) != len(demo.Cards()) {
		t.Fatalf("cards %s: %v", r.Data, err)
	}
	for _, c := range cards.Topics {
		if !strings.Contains(r.Content[0].Text, c.ID) || !strings.Contains(r.Content[0].Text, c.Covers) {
			t.Errorf("the text lacks card %s", c.ID)
		}
	}
	var page struct {
		Categories []models.WikiCategory
		Title      string
		Markdown   string
	}
	r = w.Do(t, Row{Body: Call(1, "read_wiki", map[string]any{})}).Result(t)
	if err := json.Unmarshal(r.Data, &page); err != nil || len(page.Categories) == 0 {
		t.Fatalf("index %s: %v", r.Data, err)
	}
	title := page.Categories[0].Titles[0]
	r = w.Do(t, Row{Body: Call(1, "read_wiki", map[string]any{"entity": title})}).Result(t)
	if err := json.Unmarshal(r.Data, &page); err != nil || page.Title != title || page.Markdown == "" {
		t.Errorf("article %q: %s %v", title, r.Data, err)
	}
	if r = w.Do(t, Row{Body: Call(1, "read_wiki", map[string]any{"entity": title + "x"})}).Result(t); !r.IsError || r.Data != nil || !strings.Contains(r.Content[0].Text, title) {
		t.Errorf("an unknown title gave %+v, want an error that offers %q", r, title)
	}
}

// ownBrain: a key sees its own brain, whatever the arguments say.
func ownBrain(t *testing.T, mount Mount) {
	w := NewWorld(t, mount, Options{Published: true})
	q := demo.Examples().Answerable[0].Text
	if _, e := w.Ask(t, "other", "answer", map[string]any{"query": q, "brain_id": string(demo.Brain), "tenantId": string(demo.Brain)}); e.BrainVersion != 0 || len(e.Citations) != 0 {
		t.Errorf("urania's key got version %d and %d citations of calliope", e.BrainVersion, len(e.Citations))
	}
	if _, e := w.Ask(t, "reader", "answer", map[string]any{"query": q, "brainId": "urania"}); e.BrainVersion != 1 {
		t.Errorf("calliope's key got version %d, want 1", e.BrainVersion)
	}
}

// nothingPublished: a brain without a version says so in each tool.
func nothingPublished(t *testing.T, mount Mount) {
	w := NewWorld(t, mount, Options{})
	for _, tool := range []string{"answer", "retrieve"} {
		_, e := w.Ask(t, "reader", tool, map[string]any{"query": "What is due?"})
		if e.Guardrail.Status != models.GuardrailDisclaim || len(e.Guardrail.Reasons) != 1 || e.Guardrail.Reasons[0] != "no_published_version" || len(e.Citations) != 0 {
			t.Errorf("%s: %+v", tool, e)
		}
	}
	for _, tool := range []string{"topic_cards", "read_wiki"} {
		if r := w.Do(t, Row{Body: Call(1, tool, map[string]any{})}).Result(t); r.IsError || !strings.Contains(r.Content[0].Text, "published") {
			t.Errorf("%s: %+v", tool, r)
		}
	}
	for _, args := range []map[string]any{{"query": " "}, {"query": strings.Repeat("é", 8001)}} {
		if r := w.Do(t, Row{Body: Call(1, "answer", args)}).Result(t); !r.IsError || r.Data != nil || !strings.Contains(r.Content[0].Text, "query") && !strings.Contains(r.Content[0].Text, "question") {
			t.Errorf("%d characters: %+v", len(args["query"].(string)), r)
		}
	}
}
