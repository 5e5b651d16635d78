package ops_test

import (
	"encoding/json"
	"strings"
	"testing"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

const handbook = `# Handbook

## 1 Pets

(a) Cats sleep sixteen hours a day.

(b) Dogs sleep twelve hours a day.

"Kennel" means the house of a dog.
`

// One curator stops a source from being served: the next request that any
// process takes has none of it, by no tool. What was served before stays as it
// is recorded. It takes two to lift it.
func TestSuspendHoldsFromTheNextRequestOn(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	s, err := store.Open(t.Context(), db.URL, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	other := ops.NewDesk(s, d.Settings, d.Log)
	c := newBrain(t, d, "acme", true)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "hb.md", Code: "HB", Data: []byte(handbook)})
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "hr.md", Code: "HR", Data: []byte(rules)})
	must(t, d, c, ops.SaveCard, ops.SaveCardIn{ID: "pets", Label: "Pets we keep", Covers: "how long they rest", Anchors: []string{"HB 1(a)", "HR 1(a)"}})
	ann, ben := signIn(t, d, "acme", bob, models.RoleCurator), signIn(t, d, "acme", cleo, models.RoleApprover)
	publishing := proposed(t, d, ann, ops.PublishVersion, ops.PublishIn{})
	if _, err := decide(t, d, ben, publishing.ID, "approve"); err != nil {
		t.Fatal(err)
	}
	key, _ := keyOf(t, d, c)
	at := func(d *ops.Desk) ops.Call {
		by, err := d.KeyPrincipal(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return ops.Call{By: by, Brain: "acme", Via: ops.Hosted}
	}
	cats := ops.AskIn{Query: "How long do cats sleep a day?"}
	titles := func(d *ops.Desk) (all []string) {
		for _, c := range must(t, d, at(d), ops.ReadWiki, ops.ReadWikiIn{}).Categories {
			all = append(all, c.Titles...)
		}
		return all
	}
	// all is whatever a reader can get at.
	all := func(d *ops.Desk) string {
		var b strings.Builder
		keep := func(v any) {
			j, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(j)
		}
		for _, q := range []ops.AskIn{cats, {Query: "HB 1(a)"}, {Query: "HB 1"}, {Query: "cats and dogs sleep hours", TopicIDs: []string{"pets"}}} {
			q.Query += " "
			for _, o := range []*ops.Op[ops.AskIn, *models.Envelope]{ops.Answer, ops.Retrieve} {
				env := must(t, d, at(d), o, q)
				keep(struct {
					R, T string
					C    []models.Citation
				}{env.Result, env.Rendered, env.Citations})
			}
		}
		keep(must(t, d, at(d), ops.TopicCards, ops.None{}))
		for _, title := range titles(d) {
			keep(must(t, d, at(d), ops.ReadWiki, ops.ReadWikiIn{Entity: title}))
		}
		return b.String()
	}
	for _, d := range []*ops.Desk{d, other} {
		if text := all(d); !strings.Contains(text, "Cats sleep sixteen") || !strings.Contains(text, "Dogs sleep twelve") {
			t.Fatalf("before anything is suspended: %s", text)
		}
	}
	before := must(t, other, at(other), ops.Answer, cats)
	if before.Guardrail.Status != models.GuardrailPass {
		t.Fatalf("%+v", before.Guardrail)
	}

	if got := code(d, ann, ops.SuspendSource, ops.SuspendIn{Source: "HB"}); got != "invalid reason" {
		t.Errorf("without a reason: %s", got)
	}
	if got := code(d, ann, ops.SuspendSource, ops.SuspendIn{Source: "HB", Key: "HB 9(z)", Reason: "x"}); got != "no_such_passage key" {
		t.Errorf("a passage that never was: %s", got)
	}
	// A passage.
	must(t, d, ann, ops.SuspendSource, ops.SuspendIn{Source: "HB", Key: "HB 1(a)", Reason: "They sleep longer."})
	for _, d := range []*ops.Desk{d, other} {
		if text := all(d); strings.Contains(text, "sixteen") || !strings.Contains(text, "Dogs sleep twelve") {
			t.Errorf("with a passage suspended: %s", text)
		}
		env := must(t, d, at(d), ops.Answer, cats)
		if env.Guardrail.Status != models.GuardrailDisclaim || len(env.Guardrail.Reasons) != 1 || env.Guardrail.Reasons[0] != "source_suspended" || len(env.Citations) != 0 {
			t.Errorf("an answer that would need it: %+v", env)
		}
		if cards := must(t, d, at(d), ops.TopicCards, ops.None{}); cards.Topics[0].UnsupportableAnchors != 1 || cards.Notice == "" {
			t.Errorf("cards: %+v", cards)
		}
	}
	// All of it.
	must(t, d, ann, ops.SuspendSource, ops.SuspendIn{Source: "HB", Reason: "Withdrawn."})
	if got := code(d, ann, ops.SuspendSource, ops.SuspendIn{Source: "HB", Reason: "Withdrawn."}); got != "already_suspended " {
		t.Errorf("twice: %s", got)
	}
	var during *models.Envelope
	for _, d := range []*ops.Desk{d, other} {
		text := all(d)
		for _, word := range []string{"sixteen", "twelve", "house of a dog"} {
			if strings.Contains(text, word) {
				t.Errorf("%q is served with its source suspended: %s", word, text)
			}
		}
		if !strings.Contains(text, "The late fee is 12 euros") {
			t.Errorf("another source is gone: %s", text)
		}
		during = must(t, d, at(d), ops.Answer, cats)
	}
	if v := must(t, d, ann, ops.GetSource, ops.GetSourceIn{Source: "HB"}); len(v.Suspended) != 2 || v.Suspended[0].By != bob {
		t.Errorf("shown of the source: %+v", v.Suspended)
	}

	// Records are of what was served.
	if r := must(t, d, c, ops.ReplayAnswer, ops.AnswerIDIn{ID: before.AnswerID}); !r.Intact || !r.Reproduced {
		t.Errorf("an answer of before: %+v", r)
	}
	if r := must(t, d, c, ops.ReplayAnswer, ops.AnswerIDIn{ID: during.AnswerID}); !r.Intact || !r.Reproduced {
		t.Errorf("an answer that was declined: %+v", r)
	}

	// Lifting.
	lift := ops.LiftIn{Source: "HB"}
	q := proposed(t, d, ann, ops.LiftSuspension, lift)
	_, err = decide(t, d, ann, q.ID, "approve")
	refusedAs(t, "lifting alone", err, "own_proposal")
	app := connected(t, db.URL)
	if _, err := app.Exec(t.Context(), "SELECT set_config('app.brain_id', 'acme', false)"); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"DELETE FROM suspensions", "UPDATE suspensions SET key = 'x'", "TRUNCATE suspensions"} {
		if _, err := app.Exec(t.Context(), sql); err == nil {
			t.Errorf("%s went through", sql)
		}
	}
	for _, d := range []*ops.Desk{d, other} {
		if env := must(t, d, at(d), ops.Answer, ops.AskIn{Query: "How long do dogs sleep a day?"}); env.Guardrail.Status == models.GuardrailPass {
			t.Errorf("it is served before anybody decided: %s", env.Result)
		}
	}
	if got, err := decide(t, d, ben, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, d := range []*ops.Desk{d, other} {
		if text := all(d); strings.Contains(text, "sixteen") || !strings.Contains(text, "Dogs sleep twelve") {
			t.Errorf("with the source lifted and its passage suspended: %s", text)
		}
	}
	if got := code(d, ann, ops.LiftSuspension, lift); got != "not_suspended " {
		t.Errorf("lifting again: %s", got)
	}
	if r := must(t, d, c, ops.ReplayAnswer, ops.AnswerIDIn{ID: during.AnswerID}); !r.Intact || !r.Reproduced {
		t.Errorf("a declined answer, once that is lifted: %+v", r)
	}
}
