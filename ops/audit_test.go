package ops_test

import (
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// Each filter shows what it names and nothing else; pages follow one another
// without a gap.
func TestListAuditFilters(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c, x := furnished(t, d, "alpha", "aleph")
	ann := signIn(t, d, "alpha", bob, models.RoleCurator)
	must(t, d, ann, ops.SaveGolden, ops.SaveGoldenIn{ID: "fee", Question: "How much?"})
	_, err := ops.Do(t.Context(), d, ann, ops.ListAudit, ops.AuditListIn{})
	refusedAs(t, "a curator", err, "insufficient_role")

	list := func(f ops.AuditFilterIn) []ops.AuditLine {
		return must(t, d, c, ops.ListAudit, ops.AuditListIn{AuditFilterIn: f, Page: ops.Page{Limit: 200}}).Rows
	}
	all := list(ops.AuditFilterIn{})
	for name, q := range map[string]struct {
		in   ops.AuditFilterIn
		fits func(models.AuditRow) bool
	}{
		"person by address": {ops.AuditFilterIn{Person: bob}, func(r models.AuditRow) bool { return r.Person == ann.By.Person }},
		"person by id":      {ops.AuditFilterIn{Person: ann.By.Person}, func(r models.AuditRow) bool { return r.Person == ann.By.Person }},
		"actor":             {ops.AuditFilterIn{Actor: ada}, func(r models.AuditRow) bool { return r.Actor == ada }},
		"key":               {ops.AuditFilterIn{KeyID: x.key}, func(r models.AuditRow) bool { return r.KeyID == x.key }},
		"operation":         {ops.AuditFilterIn{Operation: "answer"}, func(r models.AuditRow) bool { return r.Operation == "answer" }},
		"target":            {ops.AuditFilterIn{Target: x.card}, func(r models.AuditRow) bool { return r.Target == x.card }},
		"outcome":           {ops.AuditFilterIn{Outcome: "insufficient_role"}, func(r models.AuditRow) bool { return r.Outcome == "insufficient_role" }},
		"two at once": {ops.AuditFilterIn{Operation: "golden_questions.save", Person: bob}, func(r models.AuditRow) bool {
			return r.Operation == "golden_questions.save" && r.Person == ann.By.Person
		}},
		"since": {ops.AuditFilterIn{From: all[3].Row.At.Format(time.RFC3339Nano)}, func(r models.AuditRow) bool { return !r.At.Before(all[3].Row.At) }},
		"until": {ops.AuditFilterIn{To: all[3].Row.At.Format(time.RFC3339Nano)}, func(r models.AuditRow) bool { return r.At.Before(all[3].Row.At) }},
	} {
		want := []int64{}
		for _, l := range all {
			if q.fits(l.Row) {
				want = append(want, l.Row.ID)
			}
		}
		got := []int64{}
		for _, l := range list(q.in) {
			got = append(got, l.Row.ID)
		}
		if !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: rows %v, want %v", name, got, want)
		}
	}
	var paged []ops.AuditLine
	for p := (ops.Page{Limit: 3}); ; {
		l := must(t, d, c, ops.ListAudit, ops.AuditListIn{Page: p})
		if paged = append(paged, l.Rows...); l.NextCursor == "" {
			break
		}
		p.Cursor = l.NextCursor
	}
	if len(paged) != len(all) || paged[0].Row.ID != all[0].Row.ID || paged[len(paged)-1].Row.ID != all[len(all)-1].Row.ID {
		t.Errorf("%d rows by threes, %d at once", len(paged), len(all))
	}
	for field, in := range map[string]ops.AuditFilterIn{"from": {From: "yesterday"}, "to": {To: "2026-13-01"}} {
		if _, err := ops.Do(t.Context(), d, c, ops.ListAudit, ops.AuditListIn{AuditFilterIn: in}); err == nil || !strings.HasPrefix(err.Error(), field+" is a date") {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// Whoever has an export as JSON lines can recompute the chain with nothing else,
// up to the head that it names.
func TestExportVerifiesByItself(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c, _ := furnished(t, d, "alpha", "aleph")
	must(t, d, c, ops.CreateUser, ops.CreateUserIn{Email: "x@example.org", Name: "<&>", Roles: []models.Role{models.RoleReader}})
	if err := d.SealNow(t.Context(), "alpha"); err != nil {
		t.Fatal(err)
	}
	must(t, d, c, ops.SaveGolden, ops.SaveGoldenIn{ID: "fee", Question: "How much?"}) // not sealed yet
	x := must(t, d, c, ops.ExportAudit, ops.ExportAuditIn{})
	var b bytes.Buffer
	if err := x.Stream(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	var head struct{ Head string }
	if err := json.Unmarshal([]byte(lines[0]), &head); err != nil {
		t.Fatal(err)
	}
	prev, unsealed := models.Link{}, 0
	for _, l := range lines[1:] {
		var line struct {
			Seq  int64
			Hash string
			Row  json.RawMessage
		}
		if err := json.Unmarshal([]byte(l), &line); err != nil {
			t.Fatal(err)
		}
		if line.Seq == 0 {
			unsealed++
			continue
		}
		prev = models.Link{Seq: prev.Seq + 1, Hash: models.ChainHash(prev.Hash, line.Seq, line.Row)}
		if line.Seq != prev.Seq || line.Hash != hex.EncodeToString(prev.Hash) {
			t.Fatalf("link %d does not follow: %s", line.Seq, l)
		}
	}
	if head.Head != fmt.Sprintf("%d:%x", prev.Seq, prev.Hash) || unsealed != 1 || prev.Seq < 5 {
		t.Errorf("head %s after %d links, %d unsealed", head.Head, prev.Seq, unsealed)
	}
	rows := must(t, d, c, ops.ListAudit, ops.AuditListIn{AuditFilterIn: ops.AuditFilterIn{Operation: "audit.export"}}).Rows
	if len(rows) != 1 || rows[0].Row.Target != head.Head {
		t.Errorf("the export's own row: %+v", rows)
	}
}

// In a spreadsheet no cell that somebody wrote is a formula, and the head is the
// last line.
func TestExportAsCSV(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "alpha", false)
	for _, evil := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", `a"b,c`} {
		row := &models.AuditRow{BrainID: "alpha", At: time.Now(), Actor: evil, Operation: "x", Outcome: "ok", Target: evil, Detail: models.Detail{Rationale: evil}}
		if err := d.Store.AppendServed(t.Context(), row, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.SealNow(t.Context(), "alpha"); err != nil {
		t.Fatal(err)
	}
	x := must(t, d, c, ops.ExportAudit, ops.ExportAuditIn{Format: "csv", AuditFilterIn: ops.AuditFilterIn{Operation: "x"}})
	var b bytes.Buffer
	if err := x.Stream(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 9 || rows[0][0] != "seq" || rows[8][0] != "head" || rows[8][1] != fmt.Sprintf("%d:%s", x.HeadSeq, x.HeadHash) {
		t.Fatalf("%q", rows)
	}
	for _, r := range rows[1:] {
		for i, cell := range r {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") {
				t.Errorf("column %s holds %q", rows[0][i], cell)
			}
		}
	}
	if rows[1][6] != "'=1+1" || rows[7][6] != `a"b,c` {
		t.Errorf("actors %q and %q", rows[1][6], rows[7][6])
	}
}

// Removing old rows waits for a second person where there are four eyes; then
// the log verifies, and the decision's row names the tombstone.
func TestRetainTakesTwo(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	for range 3 { // a log that began long ago
		row := &models.AuditRow{BrainID: "acme", At: time.Date(2020, 3, 1, 12, 0, 0, 0, time.UTC), Actor: "x", Operation: "answer", Outcome: "ok"}
		if err := d.Store.AppendServed(t.Context(), row, nil); err != nil {
			t.Fatal(err)
		}
	}
	c := newBrain(t, d, "acme", true)
	ann, ben := signIn(t, d, "acme", bob, models.RoleAdmin), signIn(t, d, "acme", cleo, models.RoleOwner)
	if err := d.SealNow(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	_, err := ops.Do(t.Context(), d, ann, ops.RetainAudit, ops.RetainIn{Before: "2020-02-01"})
	refusedAs(t, "nothing that old", err, "nothing_to_remove")
	_, err = ops.Do(t.Context(), d, ann, ops.RetainAudit, ops.RetainIn{Before: time.Now().Format(time.DateOnly)})
	if err == nil || !strings.Contains(err.Error(), "thirty days") {
		t.Errorf("what is young: %v", err)
	}
	q := proposed(t, d, ann, ops.RetainAudit, ops.RetainIn{Before: "2020-04-01"})
	late := proposed(t, d, ann, ops.RetainAudit, ops.RetainIn{Before: "2020-05-01"})
	_, err = decide(t, d, ann, q.ID, "approve")
	refusedAs(t, "the proposer approves", err, "own_proposal")
	if r := must(t, d, c, ops.VerifyAudit, ops.VerifyAuditIn{}); r.Removed != 0 {
		t.Errorf("removed before anybody decided: %+v", r)
	}
	if got, err := decide(t, d, ben, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}
	if err := d.SealNow(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	if r := must(t, d, c, ops.VerifyAudit, ops.VerifyAuditIn{}); r.Removed != 3 || len(r.Problems) > 0 || r.Unsealed != 0 {
		t.Errorf("after it: %+v", r)
	}
	if rows := must(t, d, c, ops.ListAudit, ops.AuditListIn{AuditFilterIn: ops.AuditFilterIn{To: "2020-12-31"}}).Rows; len(rows) != 0 {
		t.Errorf("old rows are left: %+v", rows)
	}
	if got, err := decide(t, d, ben, late.ID, "approve"); err != nil || got.State != models.Stale {
		t.Errorf("a second removal, proposed before the first was done: %+v, %v", got, err)
	}
	x := must(t, d, c, ops.ExportAudit, ops.ExportAuditIn{})
	var b bytes.Buffer
	if err := x.Stream(t.Context(), &b); err != nil || !strings.Contains(b.String(), `"starts_after":"3:`) {
		t.Errorf("the export does not say where the log starts: %.300s, %v", b.String(), err)
	}
}
