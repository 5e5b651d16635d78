package ops_test

import (
	"strings"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// What a brain records of its answers, and for how long, holds from the next
// answer on; the log verifies whatever is kept; and who kept what was served can
// prove it.
func TestRecordingOfAnswers(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	c := newBrain(t, d, "acme", true)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "hr.md", Code: "HR", Data: []byte(rules)})
	ann, ben := signIn(t, d, "acme", bob, models.RoleAdmin, models.RoleCurator), signIn(t, d, "acme", cleo, models.RoleApprover)
	if _, err := decide(t, d, ben, proposed(t, d, ann, ops.PublishVersion, ops.PublishIn{}).ID, "approve"); err != nil {
		t.Fatal(err)
	}
	_, by := keyOf(t, d, c)
	agent := ops.Call{By: by, Brain: "acme", Via: ops.Hosted}
	fee := ops.AskIn{Query: "How much is the late fee?"}
	ask := func() (*models.Envelope, string) {
		env := must(t, d, agent, ops.Answer, fee)
		body, _ := env.Encoded()
		return env, body
	}
	app := connected(t, db.URL)
	if _, err := app.Exec(t.Context(), "SELECT set_config('app.brain_id', 'acme', false)"); err != nil {
		t.Fatal(err)
	}
	try := func(sqls ...string) {
		t.Helper()
		for _, sql := range sqls {
			if _, err := app.Exec(t.Context(), sql); err == nil || strings.Contains(err.Error(), "syntax error") {
				t.Errorf("%s: %v, want it refused", sql, err)
			}
		}
	}
	try("UPDATE brains SET answer_days = 1 WHERE id = 'acme'", "UPDATE brains SET record_answers = 'off' WHERE id = 'acme'", "UPDATE brains SET record_answers = 'hash', answer_days = 1 WHERE id = 'acme'",
		"UPDATE answers SET envelope = ''", "DELETE FROM answers")
	full, served := ask()
	recorded := strings.Count(dump(t, db.URL, "acme"), fee.Query)

	// Less of it at once, all else by two.
	if got := must(t, d, ann, ops.SaveSettings, ops.SaveSettingsIn{RecordAnswers: models.RecordHash}); got.RecordAnswers != models.RecordHash {
		t.Fatalf("%+v", got)
	}
	hashed, body := ask()
	if n := strings.Count(dump(t, db.URL, "acme"), fee.Query); n != recorded || n == 0 {
		t.Errorf("the question stands %d times in the tables, and stood %d times before", n, recorded)
	}
	r := must(t, d, ann, ops.ReplayAnswer, ops.AnswerIDIn{ID: hashed.AnswerID})
	if r.Body != models.KeptHash || !r.Intact || r.Reproduced {
		t.Errorf("without its body: %+v", r)
	}
	if r := must(t, d, ann, ops.ProveAnswer, ops.ProveIn{ID: hashed.AnswerID, Body: body}); !r.Intact || !r.Reproduced || len(r.Findings) > 0 {
		t.Errorf("with its body: %+v", r)
	}
	if r := must(t, d, ann, ops.ProveAnswer, ops.ProveIn{ID: hashed.AnswerID, Body: strings.ReplaceAll(body, `,"`, ",\n \"")}); !r.Intact || !r.Reproduced {
		t.Errorf("with its body in other lines: %+v", r)
	}
	for what, b := range map[string]string{"another answer's": served, "a forged one": strings.Replace(body, "12 euros", "13 euros", 1)} {
		if got := code(d, ann, ops.ProveAnswer, ops.ProveIn{ID: hashed.AnswerID, Body: b}); got != "other_body body" {
			t.Errorf("%s: %s", what, got)
		}
	}
	if got := code(d, ann, ops.ProveAnswer, ops.ProveIn{ID: hashed.AnswerID, Body: "{"}); got != "invalid body" {
		t.Errorf("no JSON: %s", got)
	}
	try("UPDATE brains SET record_answers = 'full' WHERE id = 'acme'")

	change := func(in ops.SaveSettingsIn) {
		t.Helper()
		q := proposed(t, d, ann, ops.SaveSettings, in)
		if _, err := decide(t, d, ann, q.ID, "approve"); err == nil {
			t.Error("it is decided on alone")
		}
		if got, err := decide(t, d, ben, q.ID, "approve"); err != nil || got.State != models.Applied {
			t.Fatalf("%+v: %+v, %v", in, got, err)
		}
	}
	change(ops.SaveSettingsIn{RecordAnswers: models.RecordOff})
	off, _ := ask()
	if got := code(d, ann, ops.GetAnswer, ops.AnswerIDIn{ID: off.AnswerID}); got != "no_such_answer " {
		t.Errorf("with nothing recorded: %s", got)
	}
	if rows := must(t, d, ann, ops.ListAudit, ops.AuditListIn{AuditFilterIn: ops.AuditFilterIn{Target: off.AnswerID}}); len(rows.Rows) != 1 || rows.Rows[0].Row.Detail.BodyHash == "" {
		t.Errorf("the log says %+v", rows)
	}
	days := 30
	change(ops.SaveSettingsIn{RecordAnswers: models.RecordFull, AnswerDays: &days})
	if got := must(t, d, ann, ops.GetSettings, ops.None{}); got.RecordAnswers != models.RecordFull || got.AnswerDays != 30 {
		t.Errorf("the settings are %+v", got)
	}

	// Bodies expire; what is younger stays.
	young, _ := ask()
	own := connected(t, db.Own)
	if _, err := own.Exec(t.Context(), "SELECT set_config('app.brain_id', 'acme', false)"); err != nil {
		t.Fatal(err)
	}
	if _, err := own.Exec(t.Context(), "UPDATE answers SET at = now() - interval '31 days' WHERE id = $1", full.AnswerID); err != nil {
		t.Fatal(err)
	}
	if got := must(t, d, c, ops.ExpireAnswers, ops.None{}); got.Expired != 1 {
		t.Errorf("%+v", got)
	}
	if got := must(t, d, c, ops.ExpireAnswers, ops.None{}); got.Expired != 0 {
		t.Errorf("again: %+v", got)
	}
	if r := must(t, d, ann, ops.GetAnswer, ops.AnswerIDIn{ID: full.AnswerID}); r.Body != models.KeptExpired || !r.Intact || r.Envelope.Query != "" || !strings.Contains(r.Gone, "expired on "+time.Now().UTC().Format("2 January 2006")) {
		t.Errorf("its record: %+v", r)
	}
	if r := must(t, d, ann, ops.ReplayAnswer, ops.AnswerIDIn{ID: full.AnswerID}); r.Body != models.KeptExpired || !r.Intact {
		t.Errorf("its replay: %+v", r)
	}
	if r := must(t, d, ann, ops.ProveAnswer, ops.ProveIn{ID: full.AnswerID, Body: served}); !r.Intact || !r.Reproduced {
		t.Errorf("by whoever kept it: %+v", r)
	}
	if r := must(t, d, ann, ops.ReplayAnswer, ops.AnswerIDIn{ID: young.AnswerID}); r.Body != models.KeptFull || !r.Reproduced {
		t.Errorf("a younger one: %+v", r)
	}
	if _, err := own.Exec(t.Context(), "UPDATE answers SET at = now() - interval '31 days' WHERE id = $1", young.AnswerID); err != nil {
		t.Fatal(err)
	}
	d.ExpireBodies(t.Context())
	if r := must(t, d, ann, ops.GetAnswer, ops.AnswerIDIn{ID: young.AnswerID}); r.Body != models.KeptExpired {
		t.Errorf("by itself: %+v", r)
	}
	if err := d.SealNow(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	if r := must(t, d, c, ops.VerifyAudit, ops.VerifyAuditIn{}); len(r.Problems) > 0 || r.Unsealed > 0 {
		t.Errorf("the log: %+v", r)
	}
}
