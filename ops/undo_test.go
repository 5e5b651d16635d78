package ops_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// lastRow returns the id of the newest row of the log that says what was done.
func (x *team) lastRow(t testing.TB) string {
	t.Helper()
	return x.strings(t, "SELECT id::text FROM audit WHERE outcome = 'ok' ORDER BY audit.id DESC LIMIT 1")[0]
}

// draft is all of the draft that can be undone, without when and by whom and how
// often it was changed.
func (x *team) draft(t testing.TB) string {
	t.Helper()
	return strings.Join(x.strings(t, `
		SELECT 'card ' || id || '|' || label || '|' || covers || '|' || anchors::text FROM topic_cards
		UNION ALL SELECT 'source ' || code || '|' || title || '|' || jurisdiction || '|' || origin_url || '|' || owner || '|' || coalesce(review_by::text, '') || '|' || coalesce(effective_to::text, '') || '|' || head || '|' || (removed_at IS NOT NULL) FROM sources
		UNION ALL SELECT 'golden ' || id || '|' || question || '|' || expects::text || '|' || topic_ids::text FROM golden_questions
		UNION ALL SELECT 'suspended ' || source_id || '|' || key || '|' || reason FROM suspensions ORDER BY 1`), "\n")
}

// Each change of the draft is taken back by its row, and the draft is what it
// was; taking that back makes the change again.
func TestUndoTakesBack(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	old, next := []byte(rules), []byte(rules+"\nAnd more.\n")
	gold := func(q string) ops.SaveGoldenIn {
		return ops.SaveGoldenIn{ID: "fee", Question: q, Expects: []string{"HR 1(a)"}}
	}
	other := card("fees")
	other.Covers, other.Anchors = "something else", []string{"HR 1(a)", "HR 2"}
	for _, c := range []struct {
		name string
		do   func(ops.Call)
	}{
		{"a new card", func(c ops.Call) { must(t, x.d, c, ops.SaveCard, card("fees")) }},
		{"a changed card", func(c ops.Call) { must(t, x.d, c, ops.SaveCard, other) }},
		{"a deleted card", func(c ops.Call) { must(t, x.d, c, ops.DeleteCard, ops.CardIDIn{ID: "fees"}) }},
		{"a new golden question", func(c ops.Call) { must(t, x.d, c, ops.SaveGolden, gold("How much?")) }},
		{"a changed golden question", func(c ops.Call) { must(t, x.d, c, ops.SaveGolden, gold("How much is it?")) }},
		{"a deleted golden question", func(c ops.Call) { must(t, x.d, c, ops.DeleteGolden, ops.GoldenIDIn{ID: "fee"}) }},
		{"a new source", func(c ops.Call) {
			must(t, x.d, c, ops.ImportSource, ops.ImportSourceIn{Name: "n.md", Code: "NEW", Data: []byte("# New\n\nNews.\n")})
		}},
		{"a new revision", func(c ops.Call) {
			must(t, x.d, c, ops.ImportSource, ops.ImportSourceIn{Name: "r.md", Title: "Other rules", SourceFacts: ops.SourceFacts{Jurisdiction: "US", OriginURL: "https://example.org/r", Owner: "Legal", ReviewBy: "2027-06-30"}, Code: "HR", Data: next})
		}},
		{"what is said of a source", func(c ops.Call) {
			must(t, x.d, c, ops.UpdateSource, ops.UpdateSourceIn{Source: "HR", Title: new("Renamed"), Owner: new(""), EffectiveTo: new(models.Date("2028-01-01"))})
		}},
		{"an old revision by its bytes", func(c ops.Call) {
			must(t, x.d, c, ops.ImportSource, ops.ImportSourceIn{Name: "r.md", Code: "HR", Data: old})
		}},
		{"a reverted source", func(c ops.Call) { must(t, x.d, c, ops.RevertSource, ops.RevertIn{Source: "HR", Revision: 2}) }},
		{"a removed source", func(c ops.Call) { must(t, x.d, c, ops.RemoveSource, ops.GetSourceIn{Source: "HR"}) }},
		{"a restored source", func(c ops.Call) { must(t, x.d, c, ops.RestoreSource, ops.GetSourceIn{Source: "HR"}) }},
	} {
		before := x.draft(t)
		c.do(x.di)
		after, row := x.draft(t), x.lastRow(t)
		if before == after {
			t.Fatalf("%s changed nothing", c.name)
		}
		got := must(t, x.d, x.di, ops.UndoChange, ops.UndoIn{ID: row})
		if now := x.draft(t); now != before && c.name != "a new source" {
			t.Errorf("%s, undone: the draft was\n%s\nand is\n%s", c.name, before, now)
		}
		if got.ID != row || got.Operation == "" || got.Target == "" {
			t.Errorf("%s: undone as %+v", c.name, got)
		}
		said := x.strings(t, "SELECT operation || ' ' || (detail->>'applies') || ' ' || (detail->>'undoes') FROM audit ORDER BY audit.id DESC LIMIT 1")[0]
		if want := "changes.undo " + got.Operation + " " + row; said != want {
			t.Errorf("%s: the log says %q, want %q", c.name, said, want)
		}
		// Once more is taking back what is not there any more; undoing the undoing
		// makes it again.
		if _, err := ops.Do(t.Context(), x.d, x.di, ops.UndoChange, ops.UndoIn{ID: row}); fault.Of(err) == nil || fault.Of(err).Code != "stale" {
			t.Errorf("%s, undone twice: %v", c.name, err)
		}
		must(t, x.d, x.di, ops.UndoChange, ops.UndoIn{ID: x.strings(t, "SELECT id::text FROM audit WHERE operation = 'changes.undo' AND outcome = 'ok' ORDER BY audit.id DESC LIMIT 1")[0]})
		if now := x.draft(t); now != after {
			t.Errorf("%s, undone and made again: the draft was\n%s\nand is\n%s", c.name, after, now)
		}
	}
	if s := x.draft(t); !strings.Contains(s, "source NEW|New") {
		t.Errorf("the draft is\n%s", s)
	}
	whole(t, x.d)
}

// What was applied after a decision is taken back by the recommendation's id.
// A program's undoing waits as the opposite operation does, under its class, and
// for what has changed since nothing is even queued.
func TestUndoGoesThroughTheGate(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	id := x.byToken(t, x.ann, "fees", "")
	if _, err := decide(t, x.d, x.ben, id, "approve"); err != nil {
		t.Fatal(err)
	}
	tokens := must(t, x.d, x.ann, ops.CreateTokens, ops.CreateTokensIn{Scopes: []models.Scope{models.ScopeInvoke, models.ScopeWrite}})
	by, err := x.d.TokenPrincipal(t.Context(), tokens.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	program := ops.Call{By: by, Brain: "acme", Via: ops.REST}
	q := proposed(t, x.d, program, ops.UndoChange, ops.UndoIn{ID: id})
	v := must(t, x.d, x.ben, ops.GetRecommendation, ops.RecommendationIDIn{ID: q.ID})
	if v.Operation != "topic_cards.delete" || v.Class != "A3" || v.Target != "topic card fees" || !strings.Contains(string(v.Before), "Fees") || v.After != nil {
		t.Errorf("what waits is %+v", v)
	}
	_, err = decide(t, x.d, x.ann, q.ID, "approve")
	refusedAs(t, "the proposer of the undoing", err, "own_proposal")
	if got, err := decide(t, x.d, x.ben, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}
	if n := len(x.strings(t, "SELECT id FROM topic_cards")); n != 0 {
		t.Errorf("%d cards", n)
	}
	// That decision is a change as well.
	must(t, x.d, x.di, ops.UndoChange, ops.UndoIn{ID: q.ID})
	if n := len(x.strings(t, "SELECT id FROM topic_cards")); n != 1 {
		t.Errorf("%d cards after the undoing was undone", n)
	}

	must(t, x.d, x.di, ops.SaveCard, card("fees"))
	row := x.lastRow(t)
	changed := card("fees")
	changed.Covers = "changed since"
	must(t, x.d, x.di, ops.SaveCard, changed)
	_, err = ops.Do(t.Context(), x.d, x.di, ops.UndoChange, ops.UndoIn{ID: row})
	refusedAs(t, "what has changed since", err, "stale")
	_, err = ops.Do(t.Context(), x.d, program, ops.UndoChange, ops.UndoIn{ID: row})
	refusedAs(t, "what has changed since, by a program", err, "stale")
	for _, none := range []string{"", "0", "-1", "rec_000000000000", "x", "9223372036854775808", "99999999"} {
		_, err = ops.Do(t.Context(), x.d, x.di, ops.UndoChange, ops.UndoIn{ID: none})
		refusedAs(t, "an id of nothing: "+none, err, "no_such_change")
	}

	// A judgement is undone at the terminal by somebody with a name, as it is made.
	row = x.lastRow(t)
	nameless := x.shell
	nameless.By.Actor = "admin"
	_, err = ops.Do(t.Context(), x.d, nameless, ops.UndoChange, ops.UndoIn{ID: row})
	refusedAs(t, "by nobody in particular", err, "approver_required")
	must(t, x.d, x.shell, ops.UndoChange, ops.UndoIn{ID: row})

	// What takes two to lift takes two to undo.
	must(t, x.d, x.di, ops.SuspendSource, ops.SuspendIn{Source: "HR", Reason: "wrong"})
	q = proposed(t, x.d, x.di, ops.UndoChange, ops.UndoIn{ID: x.lastRow(t)})
	if v := must(t, x.d, x.ben, ops.GetRecommendation, ops.RecommendationIDIn{ID: q.ID}); v.Operation != "sources.lift" || v.Class != "A4" {
		t.Errorf("undoing a suspension waits as %s, %s", v.Operation, v.Class)
	}
	whole(t, x.d)
}

// A rehearsal shows the very difference that is then queued or done, leaves
// everything as it is, and no row.
func TestRehearsalShowsWhatIsDone(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	must(t, x.d, x.di, ops.SaveCard, card("fees"))
	tokens := must(t, x.d, x.ann, ops.CreateTokens, ops.CreateTokensIn{Scopes: []models.Scope{models.ScopeInvoke, models.ScopeWrite}})
	by, err := x.d.TokenPrincipal(t.Context(), tokens.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	program := ops.Call{By: by, Brain: "acme", Via: ops.REST}
	must(t, x.d, x.di, ops.SuspendSource, ops.SuspendIn{Source: "HR", Reason: "wrong"})
	must(t, x.d, x.di, ops.SaveGolden, ops.SaveGoldenIn{ID: "fee", Question: "How much?"})
	rows := func() int { return len(x.strings(t, "SELECT id::text FROM audit")) }
	for _, c := range []struct{ op, in string }{
		{"topic_cards.save", `{"id":"fees","label":"Fees","covers":"other","anchors":["HR 1(a)"]}`},
		{"topic_cards.save", `{"id":"new","label":"New","covers":"other","anchors":["HR 1(a)"]}`},
		{"topic_cards.delete", `{"id":"fees"}`},
		{"golden_questions.save", `{"id":"fee","question":"How much is it?"}`},
		{"golden_questions.delete", `{"id":"fee"}`},
		{"sources.import", `{"name":"n.md","code":"NEW","data":"IyBYCgpUZXh0IG9mIFgu"}`},
		{"sources.import", `{"name":"n.md","code":"HR","data":"IyBYCgpUZXh0IG9mIFgu"}`},
		{"sources.remove", `{"source":"HR"}`},
		{"sources.lift", `{"source":"HR"}`},
		{"versions.publish", `{"notes":"x"}`},
		{"settings.save", `{"rules":[{"class":"A4","needed":2,"roles":["owner","approver"]}]}`},
		{"members.grant", `{"member":"di@example.org","roles":["admin"]}`},
	} {
		o := ops.All().Find(c.op)
		before, n := dump(t, x.db.URL, "acme"), rows()
		r, err := x.d.Rehearse(t.Context(), program, o, []byte(c.in))
		if err != nil {
			t.Fatalf("%s: %v", c.op, err)
		}
		if dump(t, x.db.URL, "acme") != before || rows() != n {
			t.Fatalf("the rehearsal of %s left something", c.op)
		}
		if r.Status != ops.WouldQueue || r.ExpiresAt == nil || r.Operation != c.op || r.Result != nil {
			t.Errorf("%s: %+v", c.op, r)
		}
		_, err = x.d.Invoke(t.Context(), program, o, []byte(c.in))
		q, waits := ops.AsWaiting(err)
		if !waits {
			t.Fatalf("%s does not wait: %v", c.op, err)
		}
		v := must(t, x.d, x.ben, ops.GetRecommendation, ops.RecommendationIDIn{ID: q.ID})
		if withoutTimes(v.Before) != withoutTimes(r.Before) || withoutTimes(v.After) != withoutTimes(r.After) || v.Target != r.Target || v.Base != r.Base {
			t.Errorf("%s was rehearsed as %s: %s → %s\nand waits as %s: %s → %s", c.op, r.Target, r.Before, r.After, v.Target, v.Before, v.After)
		}
		if len(r.Before)+len(r.After) == 0 {
			t.Errorf("%s shows nothing", c.op)
		}
	}

	// Done at once it shows the same, and what would come back.
	in := []byte(`{"id":"fees","label":"Fees","covers":"other","anchors":["HR 1(a)","HR 99"]}`)
	r, err := x.d.Rehearse(t.Context(), x.di, ops.SaveCard.Entry(), in)
	if err != nil || r.Status != ops.WouldApply || !strings.Contains(string(r.Before), `"covers":"fees"`) || !strings.Contains(string(r.After), `"covers":"other"`) || len(r.Result.(ops.SavedCard).Unsupportable) != 1 {
		t.Errorf("at once: %+v, %v", r, err)
	}
	k := must(t, x.d, x.ann, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "agent"})
	r, err = x.d.Rehearse(t.Context(), x.ann, ops.UpdateAPIKey.Entry(), fmt.Appendf(nil, `{"id":%q,"label":"other"}`, k.ID))
	if err != nil || len(r.Changes) != 1 || r.Changes[0].From != "agent" || r.Changes[0].To != "other" {
		t.Errorf("what changes of a key: %+v, %v", r, err)
	}
	r, err = x.d.Rehearse(t.Context(), x.ann, ops.CreateAPIKey.Entry(), []byte(`{"label":"agent"}`))
	if b, _ := json.Marshal(r); err != nil || strings.Contains(string(b), "sk-polaris") {
		t.Errorf("a key that nobody gets: %s, %v", b, err)
	}
	must(t, x.d, x.di, ops.SaveCard, card("fees"))
	row := x.lastRow(t)
	before, n := dump(t, x.db.URL, "acme"), rows()
	r, err = x.d.Rehearse(t.Context(), x.di, ops.UndoChange.Entry(), fmt.Appendf(nil, `{"id":%q}`, row))
	if err != nil || r.Status != ops.WouldApply || r.Target != "topic card fees" || r.Class != ops.Judgement {
		t.Errorf("an undoing: %+v, %v", r, err)
	}
	if dump(t, x.db.URL, "acme") != before || rows() != n {
		t.Error("the rehearsals left something")
	}

	// A refusal leaves its row; what has no rehearsal says so.
	if _, err := x.d.Rehearse(t.Context(), x.di, ops.DeleteCard.Entry(), []byte(`{"id":"none"}`)); fault.Of(err) == nil || rows() != n+1 {
		t.Errorf("a refusal: %v, %d rows more", err, rows()-n)
	}
	_, err = x.d.Rehearse(t.Context(), x.di, ops.ListCards.Entry(), []byte(`{}`))
	refusedAs(t, "a reading", err, "no_dry_run")
}

func withoutTimes(raw json.RawMessage) string {
	return fleeting.ReplaceAllString(string(raw), "~")
}

// Every operation that writes says how it is undone and rehearsed, or why it is
// not; and on each surface it is disposed of as the contract's table says.
func TestEveryWriteStatesItsGate(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c, ids := furnished(t, d, "alpha", "aleph")
	signed := signIn(t, d, "alpha", bob, models.RoleOwner)
	tokens := must(t, d, signed, ops.CreateTokens, ops.CreateTokensIn{Scopes: []models.Scope{models.ScopeInvoke, models.ScopeWrite}})
	token, err := d.TokenPrincipal(t.Context(), tokens.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	in := inputs(ids)
	on := true
	must(t, d, c, ops.SaveSettings, ops.SaveSettingsIn{FourEyes: &on})
	undoable, rehearsed, writes, waited := 0, 0, 0, 0
	for _, o := range ops.All() {
		if o.Class < ops.Reversible {
			if o.Undoable() || o.Final != "" || o.Unrehearsed != "" {
				t.Errorf("%s changes nothing, and says how it is undone", o.Name)
			}
			continue
		}
		writes++
		if o.Undoable() == (o.Final != "") {
			t.Errorf("%s must either be undoable or say why not: %q", o.Name, o.Final)
		}
		if o.Undoable() && !o.Queues() {
			t.Errorf("%s can be undone and has no state to tell whether it moved", o.Name)
		}
		if o.Undoable() {
			undoable++
		}
		if o.Rehearsable() {
			rehearsed++
		}
		for _, via := range ops.Surfaces() {
			call := map[ops.Surface]ops.Call{ops.Web: signed, ops.CLI: c}[via]
			if call.By.Kind == "" {
				call = ops.Call{By: token, Brain: "alpha"}
			}
			call.Via, call.DryRun = via, true
			if o.Needs == models.MayEnter {
				call.By, call.Brain = ops.Visitor(), store.Instance
			}
			_, err := d.Invoke(context.Background(), call, o, []byte(in[o.Name]))
			_, waits := ops.AsWaiting(err)
			if waits {
				waited++
			}
			code := "ok"
			if f := fault.Of(err); f != nil && !waits {
				code = f.Code
			}
			offered := o.Offered&via != 0
			switch gate := ops.Dispose(via, o.Class); {
			case !offered || gate == ops.Never:
				if code != "not_offered" {
					t.Errorf("%s by %s is not offered: %s", o.Name, via, code)
				}
			case via == ops.REST && !o.Alone && !o.Queues() && o.Name != "changes.undo":
				if code != "session_required" && code != "insufficient_scope" {
					t.Errorf("%s by %s can neither wait nor be done: %s (%v)", o.Name, via, code, err)
				}
			case code == "ok" && !waits && gate == ops.Queues && !o.Alone && (via == ops.REST || o.Name != "settings.save"): // stricter at home it becomes at once
				t.Errorf("%s by %s is done at once", o.Name, via)
			case waits && gate != ops.Queues:
				t.Errorf("%s by %s waits", o.Name, via)
			}
		}
	}
	t.Logf("%d operations write: %d can be undone, %d rehearsed; %d calls would wait", writes, undoable, rehearsed, waited)
	if undoable < 9 || rehearsed < 25 || waited < 10 {
		t.Error("too few for this to say much")
	}
}
