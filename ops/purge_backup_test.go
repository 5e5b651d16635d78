package ops_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"polaris/models"
	"polaris/models/store"
	"polaris/models/store/storetest"
	"polaris/ops"
)

// A backup made after a purge holds nothing of the source. One from before does,
// and a restore that is told of the tombstone takes it out again.
func TestPurgeOutlivesARestore(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	c := newBrain(t, d, "acme", false)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "hb.md", Code: "HB", Data: []byte(handbook)})
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "hr.md", Code: "HR", Data: []byte(rules)})
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	_, by := keyOf(t, d, c)
	quotes := must(t, d, ops.Call{By: by, Brain: "acme", Via: ops.Hosted}, ops.Answer, ops.AskIn{Query: "How long do cats sleep a day?"})
	if err := d.SealNow(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	backup := func() string {
		var b bytes.Buffer
		if _, err := store.WriteBackup(t.Context(), db.Own, "test", &b, t.TempDir()); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "b")
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	before := backup()
	must(t, d, c, ops.PurgeSource, ops.PurgeIn{Source: "HB", Reason: "Order 3 O 12/26"})
	after := backup()
	list, err := json.Marshal(must(t, d, c, ops.ListPurges, ops.None{})) // as the command prints it
	if err != nil {
		t.Fatal(err)
	}
	var told ops.PurgeList
	if err := json.Unmarshal(list, &told); err != nil || len(told.Purges) != 1 {
		t.Fatalf("%v, %+v", err, told)
	}

	for _, row := range []struct {
		name, path string
		purged     []models.Purge
		again      int
		holds      bool
	}{
		{"from before, untold", before, nil, 0, true},
		{"from before, told", before, told.Purges, 1, false},
		{"from after, untold", after, nil, 0, false},
		{"from after, told", after, told.Purges, 0, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			m, err := store.ReadBackup(row.path)
			if err != nil {
				t.Fatal(err)
			}
			m.Purged = row.purged
			to := storetest.New(t)
			if err := store.Restore(t.Context(), to.Own, "polaris_app", row.path, m); err != nil {
				t.Fatal(err)
			}
			if text := dump(t, to.URL, "acme"); strings.Contains(text, "Cats sleep sixteen") != row.holds || len(m.Again) != row.again {
				t.Errorf("it holds the source: %t; purged again: %v", !row.holds, m.Again)
			}
			s, err := store.Open(t.Context(), to.URL, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			d := ops.NewDesk(s, d.Settings, d.Log)
			if err := d.SealNow(t.Context(), "acme"); err != nil {
				t.Fatal(err)
			}
			if r := must(t, d, c, ops.VerifyAudit, ops.VerifyAuditIn{}); len(r.Problems) > 0 || r.Unsealed > 0 {
				t.Errorf("the log: %+v", r)
			}
			r := must(t, d, c, ops.ReplayAnswer, ops.AnswerIDIn{ID: quotes.AnswerID})
			if want := map[bool]string{true: models.KeptFull, false: models.KeptPurged}[row.holds]; r.Body != want || !r.Intact {
				t.Errorf("an answer that quoted it: %+v", r)
			}
			if ps := must(t, d, c, ops.ListPurges, ops.None{}).Purges; len(ps) != 1 && !row.holds {
				t.Errorf("the tombstones are %+v", ps)
			}
		})
	}
}
