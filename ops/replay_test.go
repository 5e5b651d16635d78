package ops_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// What was answered stays proved, whatever becomes of the brain: its source is
// revised, removed, the version is followed by others and restored.
func TestReplayOutlivesEverything(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "pets.md", Code: "PETS", Data: []byte("# Pets\n\nCats sleep sixteen hours a day.\n")})
	must(t, d, c, ops.SaveCard, ops.SaveCardIn{ID: "fees", Label: "Fees", Covers: "what we charge", Anchors: []string{"HR 1(a)"}})
	_, key := keyOf(t, d, c)
	by := ops.Call{By: key, Brain: key.Brain, Via: ops.Hosted}
	asked := map[string]string{"nothing is published": must(t, d, by, ops.Answer, ops.AskIn{Query: "How much is the late fee?"}).AnswerID}
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	by.By.Published = 1
	asked["answer"] = must(t, d, by, ops.Answer, ops.AskIn{Query: "How much is the late fee?", TopicIDs: []string{"fees", "no-such-card"}}).AnswerID
	asked["retrieve"] = must(t, d, by, ops.Retrieve, ops.AskIn{Query: "HR 1(b)"}).AnswerID
	asked["in context"] = must(t, d, by, ops.Answer, ops.AskIn{Query: "How much?", Earlier: []string{"What is the late fee?"}}).AnswerID
	asked["disclaimed"] = must(t, d, by, ops.Answer, ops.AskIn{Query: "Who won the cup final?"}).AnswerID

	check := func(when string) {
		t.Helper()
		for what, id := range asked {
			r := must(t, d, c, ops.ReplayAnswer, ops.AnswerIDIn{ID: id})
			if !r.Intact || !r.Reproduced || len(r.Findings) > 0 || r.EngineThen == "" || r.EngineThen != r.EngineNow {
				t.Errorf("%s, %s: %+v", when, what, r)
			}
		}
	}
	check("at once")
	if err := d.SealNow(t.Context(), "calliope"); err != nil {
		t.Fatal(err)
	}
	check("sealed")
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rulesLater)})
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	check("a revision later")
	must(t, d, c, ops.RemoveSource, ops.GetSourceIn{Source: "HR"})
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	by.By.Published = 3
	if env := must(t, d, by, ops.Answer, ops.AskIn{Query: "How much is the late fee?"}); len(env.Citations) > 0 {
		t.Errorf("what was removed is served: %+v", env.Citations)
	}
	check("the source removed")
	must(t, d, c, ops.RestoreVersion, ops.RestoreIn{N: 1})
	check("the version restored")
	other := ops.NewDesk(d.Store, d.Settings, d.Log) // another process, with nothing loaded
	if r := must(t, other, c, ops.ReplayAnswer, ops.AnswerIDIn{ID: asked["answer"]}); !r.Intact || !r.Reproduced {
		t.Errorf("another process: %+v", r)
	}

	own := connected(t, db.Own)
	change := func(sql string) {
		t.Helper()
		if _, err := own.Exec(t.Context(), "SELECT set_config('app.brain_id', 'calliope', false);"+sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range []string{"revisions", "versions", "audit", "blobs"} {
		change("ALTER TABLE " + table + " DISABLE TRIGGER USER") // whoever owns the database can
	}
	for _, c2 := range []struct{ name, sql, undo, finds string }{
		{"the body", `UPDATE answers SET envelope = replace(envelope, '12 euros', '21 euros')`, `UPDATE answers SET envelope = replace(envelope, '21 euros', '12 euros')`, "body"},
		{"the text", `UPDATE revisions SET text = replace(text, '12 euros', '21 euros')`, `UPDATE revisions SET text = replace(text, '21 euros', '12 euros')`, "citation 1"},
		{"the audit row", `UPDATE audit SET actor = 'x' || actor`, `UPDATE audit SET actor = substr(actor, 2)`, "sealed as link"},
		{"the manifest", `UPDATE versions SET manifest = replace(manifest::text, 'House', 'Mouse')::jsonb`, `UPDATE versions SET manifest = replace(manifest::text, 'Mouse', 'House')::jsonb`, "manifest of version 1"},
		{"the bytes", `UPDATE blobs SET bytes = bytes || 'x'::bytea`, `UPDATE blobs SET bytes = substr(bytes, 1, octet_length(bytes) - 1)`, "bytes that were imported"},
	} {
		change(c2.sql)
		r := must(t, d, c, ops.ReplayAnswer, ops.AnswerIDIn{ID: asked["answer"]})
		if r.Intact || !strings.Contains(strings.Join(r.Findings, "; "), c2.finds) {
			t.Errorf("%s was changed: %+v", c2.name, r)
		}
		change(c2.undo)
	}
	check("put right")

	reader := ops.Call{By: models.Principal{Kind: models.KindPerson, Person: "per_r", Brain: "calliope", Roles: []models.Role{models.RoleReader}, Authenticated: true, Published: 4}, Brain: "calliope", Via: ops.Web}
	_, err := ops.Do(t.Context(), d, reader, ops.ReplayAnswer, ops.AnswerIDIn{ID: asked["answer"]})
	refusedAs(t, "a reader", err, "insufficient_role")
}

// A source leaves the draft and comes back; its code stays its own.
func TestRemoveAndRestoreSource(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	in := ops.ImportSourceIn{Name: "rules.md", Data: []byte(rules)}
	had := must(t, d, c, ops.ImportSource, in)
	_, err := ops.Do(t.Context(), d, c, ops.RestoreSource, ops.GetSourceIn{Source: had.Code})
	refusedAs(t, "restoring what is there", err, "not_removed")
	must(t, d, c, ops.RemoveSource, ops.GetSourceIn{Source: had.Code})
	if ss := must(t, d, c, ops.ListSources, ops.Page{}); len(ss.Sources) != 0 {
		t.Errorf("still in the draft: %+v", ss)
	}
	_, err = ops.Do(t.Context(), d, c, ops.RemoveSource, ops.GetSourceIn{Source: had.Code})
	refusedAs(t, "removing it twice", err, "already_removed")
	_, err = ops.Do(t.Context(), d, c, ops.GetPassages, ops.PassagesIn{Key: had.Code + " 1(a)"})
	refusedAs(t, "its key", err, "no_such_passage")
	_, err = ops.Do(t.Context(), d, c, ops.PublishVersion, ops.PublishIn{})
	refusedAs(t, "an empty draft", err, "nothing_to_publish")
	must(t, d, c, ops.RestoreSource, ops.GetSourceIn{Source: had.Code})
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	must(t, d, c, ops.RemoveSource, ops.GetSourceIn{Source: had.SourceID})
	again := must(t, d, c, ops.ImportSource, in)
	if again.SourceID != had.SourceID || again.Code != had.Code || again.Revision != 1 {
		t.Errorf("imported again: %+v, want source %s", again, had.SourceID)
	}
	if ss := must(t, d, c, ops.ListSources, ops.Page{}); len(ss.Sources) != 1 {
		t.Errorf("imported again, and not in the draft: %+v", ss)
	}
	must(t, d, c, ops.RemoveSource, ops.GetSourceIn{Source: had.Code})
	other := must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "x.md", Data: []byte("# House Rulers\n\nThe king rules.\n")})
	if other.SourceID == had.SourceID {
		t.Errorf("another document took its place: %+v", other)
	}
}

// connected returns a connection that the test closes.
func connected(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}
