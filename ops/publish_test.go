package ops_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

func TestMainJob(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)

	first := must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	if first.Status != ops.ImportNew || first.Revision != 1 {
		t.Fatalf("first import: %+v", first)
	}
	again := must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	if again.Status != ops.ImportUnchanged || again.Revision != 1 {
		t.Errorf("the same bytes again: %+v, want unchanged, revision 1", again)
	}
	must(t, d, c, ops.SaveCard, ops.SaveCardIn{Label: "Fees", Covers: "what we charge", Anchors: []string{"HR 1(a)", "HR 99"}})
	p := must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	if p.Version != 1 || p.FourEyes != "off" {
		t.Fatalf("published %+v, want version 1 with four eyes off", p)
	}

	_, key := keyOf(t, d, c)
	env := must(t, d, ops.Call{By: key, Brain: key.Brain, Via: ops.Hosted}, ops.Answer, ops.AskIn{Query: "How much is the late fee?", TopicIDs: []string{"fees", "no-such-card"}})
	if env.Guardrail.Status != models.GuardrailPass || len(env.Citations) == 0 || !strings.Contains(env.Citations[0].Quote, "12 euros") {
		t.Errorf("answer %+v", env)
	}
	if len(env.Notices) == 0 {
		t.Error("the unknown topic card is in no notice")
	}
	topics := must(t, d, ops.Call{By: key, Brain: key.Brain, Via: ops.Hosted}, ops.TopicCards, ops.None{})
	if len(topics.Topics) != 1 || topics.Topics[0].UnsupportableAnchors != 1 {
		t.Errorf("topics %+v, want one with one unsupportable anchor", topics)
	}
	record := must(t, d, ops.Call{By: key, Brain: key.Brain, Via: ops.REST}, ops.GetAnswer, ops.AnswerIDIn{ID: env.AnswerID})
	if !record.Intact || record.Envelope.Query != "How much is the late fee?" || record.Contexts[0].Quote != env.Citations[0].Quote {
		t.Errorf("record %+v", record)
	}
}

func TestFourEyesHoldPublishingBack(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", true)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	_, err := ops.Do(context.Background(), d, c, ops.PublishVersion, ops.PublishIn{})
	if f := fault.Of(err); f == nil || f.Code != "actor_required" {
		t.Fatalf("publishing as nobody: %v, want actor_required", err)
	}
	c.By, err = d.Terminal(context.Background(), "calliope", ada)
	if err != nil {
		t.Fatal(err)
	}
	proposed(t, d, c, ops.PublishVersion, ops.PublishIn{})
	if vs := must(t, d, c, ops.ListVersions, ops.Page{}); len(vs.Versions) != 0 || vs.Published != 0 {
		t.Errorf("something was published: %+v", vs)
	}
}

func TestPublishAgain(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	_, err := ops.Do(context.Background(), d, c, ops.PublishVersion, ops.PublishIn{})
	if f := fault.Of(err); f == nil || f.Code != "nothing_to_publish" {
		t.Errorf("an empty draft: %v", err)
	}
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	_, err = ops.Do(context.Background(), d, c, ops.PublishVersion, ops.PublishIn{})
	if f := fault.Of(err); f == nil || f.Code != "nothing_to_publish" {
		t.Errorf("an unchanged draft: %v", err)
	}

	_, key := keyOf(t, d, c)
	ask := func() *models.Envelope {
		return must(t, d, ops.Call{By: key, Brain: key.Brain, Via: ops.Hosted}, ops.Answer, ops.AskIn{Query: "How much is the late fee?"})
	}
	before := ask()
	revised := must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(strings.Replace(rules, "12 euros", "15 euros", 1))})
	if revised.Status != ops.ImportRevised || revised.Revision != 2 {
		t.Fatalf("changed bytes: %+v, want revision 2", revised)
	}
	if now := ask(); now.Citations[0].Quote != before.Citations[0].Quote {
		t.Errorf("the draft was served before it was published: %q", now.Citations[0].Quote)
	}
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	key.Published = 2
	if now := ask(); now.BrainVersion != 2 || !strings.Contains(now.Citations[0].Quote, "15 euros") {
		t.Errorf("after the second publish: version %d, %+v", now.BrainVersion, now.Citations)
	}
	old := must(t, d, c, ops.GetAnswer, ops.AnswerIDIn{ID: before.AnswerID})
	if !old.Intact || !strings.Contains(old.Contexts[0].Quote, "12 euros") {
		t.Errorf("the first answer's record: %+v", old)
	}
	back := must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	if back.Revision != 1 {
		t.Errorf("the first bytes once more: %+v, want revision 1 again", back)
	}
}

func TestDryRunChangesNothing(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	c.DryRun = true
	out := must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	if out.Status != ops.ImportNew {
		t.Errorf("rehearsal: %+v", out)
	}
	if ss := must(t, d, c, ops.ListSources, ops.Page{}); len(ss.Sources) != 0 {
		t.Errorf("the rehearsal left %+v", ss)
	}
}

func TestImportRefusesCodesThatCannotBeCited(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	for _, code := range []string{"hr", "1HR", "HR-", "CFR", "ABCDEFGHIJKLM"} {
		_, err := ops.Do(t.Context(), d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: code, Data: []byte(rules)})
		if f := fault.Of(err); f == nil || f.Kind != fault.Invalid || f.Field != "code" {
			t.Errorf("code %q: %v, want it refused as the code", code, err)
		}
	}
}

// TestRecordTellsTampering: a record whose body, or whose source's text, is no
// longer what was served says so.
func TestRecordTellsTampering(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	_, key := keyOf(t, d, c)
	env := must(t, d, ops.Call{By: key, Brain: key.Brain, Via: ops.Hosted}, ops.Answer, ops.AskIn{Query: "How much is the late fee?"})
	record := func() *ops.AnswerRecord {
		return must(t, d, c, ops.GetAnswer, ops.AnswerIDIn{ID: env.AnswerID})
	}
	if r := record(); !r.Intact || r.Owner != ada || r.Latency <= 0 {
		t.Fatalf("untouched: %+v", r)
	}
	own, err := pgx.Connect(t.Context(), db.Own)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close(t.Context())
	change := func(sql string) {
		t.Helper()
		if _, err := own.Exec(t.Context(), "SELECT set_config('app.brain_id', 'calliope', false);"+sql); err != nil {
			t.Fatal(err)
		}
	}
	change("ALTER TABLE revisions DISABLE TRIGGER USER") // whoever owns the database can
	for _, c := range []struct{ name, sql, undo string }{
		{"a word of the body", `UPDATE answers SET envelope = replace(envelope, '12 euros', '21 euros')`, `UPDATE answers SET envelope = replace(envelope, '21 euros', '12 euros')`},
		{"the source's text", `UPDATE revisions SET text = replace(text, '12 euros', '21 euros')`, `UPDATE revisions SET text = replace(text, '21 euros', '12 euros')`},
		{"the shape of the body", `UPDATE answers SET envelope = 'x' || envelope`, `UPDATE answers SET envelope = substr(envelope, 2)`},
	} {
		change(c.sql)
		if record().Intact {
			t.Errorf("%s was changed, and the record says that it is intact", c.name)
		}
		change(c.undo)
		if !record().Intact {
			t.Errorf("%s was put right, and the record says that it is not intact", c.name)
		}
	}
}
