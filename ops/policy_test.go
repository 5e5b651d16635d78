package ops_test

import (
	"strings"
	"testing"

	"polaris/advisor"
	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// What a brain asks of its answers holds from the next request on, on every
// process. It becomes stricter at once, and laxer by two people, in the database
// as well. What was refused is recorded, and replays as it was.
func TestPolicyOfABrain(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	s, err := store.Open(t.Context(), db.URL, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	other := ops.NewDesk(s, d.Settings, d.Log)
	c := newBrain(t, d, "acme", true)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "hr.md", Code: "HR", Data: []byte(rules)})
	ann, ben := signIn(t, d, "acme", bob, models.RoleAdmin, models.RoleCurator), signIn(t, d, "acme", cleo, models.RoleApprover)
	if _, err := decide(t, d, ben, proposed(t, d, ann, ops.PublishVersion, ops.PublishIn{}).ID, "approve"); err != nil {
		t.Fatal(err)
	}
	key, _ := keyOf(t, d, c)
	fee := ops.AskIn{Query: "How much is the late fee?"}
	ask := func(d *ops.Desk, o *ops.Op[ops.AskIn, *models.Envelope]) *models.Envelope {
		by, err := d.KeyPrincipal(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return must(t, d, ops.Call{By: by, Brain: "acme", Via: ops.Hosted}, o, fee)
	}
	if got := must(t, d, ann, ops.GetSettings, ops.None{}); got.VerifyThreshold != advisor.DefaultThreshold || got.RefusedTopics == nil || len(got.RefusedTopics) != 0 {
		t.Errorf("by default: %+v", got)
	}
	before := ask(d, ops.Answer)
	if before.Guardrail.Status != models.GuardrailPass {
		t.Fatalf("before: %+v", before.Guardrail)
	}

	fees := []models.RefusedTopic{{Label: "Fees", Phrases: []string{"late fee", "overdue fine"}}}
	must(t, d, ann, ops.SaveSettings, ops.SaveSettingsIn{VerifyThreshold: ptr(0.9), RefusedTopics: &fees})
	var refused *models.Envelope
	for _, d := range []*ops.Desk{d, other} {
		for _, o := range []*ops.Op[ops.AskIn, *models.Envelope]{ops.Retrieve, ops.Answer} {
			refused = ask(d, o)
			if refused.Guardrail.Status != models.GuardrailBlock || len(refused.Guardrail.Reasons) != 1 || refused.Guardrail.Reasons[0] != "refused_topic" || len(refused.Citations) != 0 {
				t.Errorf("%s: %+v", o.Name, refused)
			}
		}
	}
	if !strings.Contains(refused.Result, "questions about Fees") {
		t.Errorf("it says %q", refused.Result)
	}
	row := must(t, d, ann, ops.ListAudit, ops.AuditListIn{AuditFilterIn: ops.AuditFilterIn{Target: refused.AnswerID}}).Rows[0].Row
	if p := row.Detail.Policy; row.Detail.Guardrail != models.GuardrailBlock || p == nil || p.VerifyThreshold != 0.9 || len(p.RefusedTopics) != 1 {
		t.Errorf("the log has %+v", row.Detail)
	}

	cur := ann
	cur.By.Policy = models.Policy{VerifyThreshold: 0.9, RefusedTopics: fees} // as the guard looks it up for the next request
	if tried := must(t, d, cur, ops.AskDraft, ops.AskDraftIn{Query: fee.Query}); tried.Without.Guardrail.Status != models.GuardrailBlock {
		t.Errorf("the draft answers what is refused: %+v", tried.Without.Guardrail)
	}

	// Wider by two.
	app := connected(t, db.URL)
	if _, err := app.Exec(t.Context(), "SELECT set_config('app.brain_id', 'acme', false)"); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"verify_threshold = 0.5", "refused_topics = '[]'", `refused_topics = '[{"label":"Fees","phrases":["late fee"]}]'`} {
		if _, err := app.Exec(t.Context(), "UPDATE brains SET "+sql+" WHERE id = 'acme'"); err == nil || !strings.Contains(err.Error(), "by two people") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	q := proposed(t, d, ann, ops.SaveSettings, ops.SaveSettingsIn{VerifyThreshold: ptr(0.6), RefusedTopics: &[]models.RefusedTopic{}})
	if env := ask(d, ops.Answer); env.Guardrail.Status != models.GuardrailBlock {
		t.Errorf("while it waits: %+v", env.Guardrail)
	}
	if _, err := decide(t, d, ann, q.ID, "approve"); err == nil {
		t.Error("it is decided on alone")
	}
	if got, err := decide(t, d, ben, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}
	if got := must(t, d, ann, ops.GetSettings, ops.None{}); got.VerifyThreshold != 0.6 || len(got.RefusedTopics) != 0 {
		t.Errorf("the settings are %+v", got)
	}
	if env := ask(other, ops.Answer); env.Result != before.Result || env.Guardrail.Status != models.GuardrailPass {
		t.Errorf("afterwards: %+v", env)
	}
	for _, id := range []string{before.AnswerID, refused.AnswerID} {
		if r := must(t, d, ann, ops.ReplayAnswer, ops.AnswerIDIn{ID: id}); !r.Intact || !r.Reproduced {
			t.Errorf("replayed: %+v", r)
		}
	}
}

// What is no threshold and no topic is refused, by the name of its field.
func TestPolicyIsChecked(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	newBrain(t, d, "acme", true)
	ann := signIn(t, d, "acme", bob, models.RoleOwner)
	topic := func(label string, phrases ...string) *[]models.RefusedTopic {
		return &[]models.RefusedTopic{{Label: label, Phrases: phrases}}
	}
	many := make([]models.RefusedTopic, 51)
	for what, in := range map[string]ops.SaveSettingsIn{
		"too low": {VerifyThreshold: ptr(0.49)}, "too high": {VerifyThreshold: ptr(1.01)},
		"no label": {RefusedTopics: topic(" ", "late fee")}, "no phrase": {RefusedTopics: topic("Fees")}, "an empty one": {RefusedTopics: topic("Fees", " ")},
		"one about nothing": {RefusedTopics: topic("Fees", "what is the")}, "a long one": {RefusedTopics: topic("Fees", strings.Repeat("fee ", 30))},
		"too many topics": {RefusedTopics: &many}, "too many phrases": {RefusedTopics: topic("Fees", strings.Split("a1 a2 a3 a4 a5 a6 a7 a8 a9 b1 b2 b3 b4 b5 b6 b7 b8 b9 c1 c2 c3", " ")...)},
		"twice": {RefusedTopics: &[]models.RefusedTopic{{Label: "Fees", Phrases: []string{"fee"}}, {Label: "Fees", Phrases: []string{"fine"}}}},
	} {
		want := "invalid refused_topics"
		if in.VerifyThreshold != nil {
			want = "invalid verify_threshold"
		}
		if got := code(d, ann, ops.SaveSettings, in); got != want {
			t.Errorf("%s: %q", what, got)
		}
	}
}
