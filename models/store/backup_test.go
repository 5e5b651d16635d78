package store_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/models/store/storetest"
)

// ends are the tables that a backup leaves out: what is in them ends with a
// restore.
var ends = []string{"sessions", "links", "token_grants", "signing_keys", "rate_hits", "goose_db_version", "research_jobs"}

func TestEveryTableIsKeptOrEnds(t *testing.T) {
	t.Parallel()
	tables := strs(t, connect(t, storetest.New(t).Own), `SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`)
	both := slices.Concat(store.Kept, ends)
	slices.Sort(both)
	if !slices.Equal(tables, both) {
		t.Errorf("the tables are\n%q, kept or ended are\n%q", tables, both)
	}
}

// A log with a tombstone and a session go through a backup: the log is the same,
// the session is gone, and all that guards the tables is up again.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	s, db := aged(t)
	retain(t, s, time.Date(2020, 3, 3, 0, 0, 0, 0, time.UTC))
	c := connect(t, db.Own)
	for _, sql := range []string{
		`INSERT INTO persons (id, email, name, password_hash, created_at, created_by) VALUES ('p1', 'ada@example.org', E'A\tda\\', 'argon', now(), 'x')`,
		`INSERT INTO sessions VALUES ('\x01', 'p1', now(), now(), now() + interval '1 hour')`,
		`SELECT set_config('app.brain_id', 'alpha', false)`,
		`INSERT INTO recommendations (brain_id, id, operation, class, input, input_version, target, base, before, after, rationale, evidence, proposer, actor, key_id, surface, authenticated, needed, roles, payload, state, created_at, expires_at)
			VALUES ('alpha', 'rec_1', 'topic_cards.save', 'A2', '{}', 1, 'x', '', '', '{}', E'line\nline', '[]', 'p1', 'ada', '', 'rest', true, 1, '[]', '\x', 'pending', now() - interval '3 days', now() + interval '1 day')`,
	} {
		if _, err := c.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	before := verify(t, s, "alpha")

	path := filepath.Join(t.TempDir(), "b")
	var file bytes.Buffer
	m, err := store.WriteBackup(t.Context(), db.Own, "test", &file, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := store.ReadBackup(path)
	if err != nil || read.Rows() != m.Rows() || m.Rows() < 80 || len(m.Problems()) > 0 {
		t.Fatalf("read back: %v; written with %d rows and %v", err, m.Rows(), m.Problems())
	}

	to := storetest.New(t)
	own := connect(t, to.Own)
	guards := `SELECT t.tgrelid::regclass::text || ' ' || t.tgname || ' ' || t.tgenabled::text FROM pg_trigger t WHERE NOT tgisinternal
		UNION ALL SELECT relname || ' ' || relrowsecurity::text || relforcerowsecurity::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`
	up := strs(t, own, guards)
	if err := store.Restore(t.Context(), to.Own, "polaris_app", path, read); err != nil {
		t.Fatal(err)
	}
	if again := strs(t, own, guards); !slices.Equal(up, again) || len(up) < 40 {
		t.Errorf("what guards the tables was\n%q and is\n%q", up, again)
	}
	if n := strs(t, own, `SELECT count(*)::text FROM sessions`); n[0] != "0" {
		t.Errorf("%s sessions", n)
	}
	r, err := store.Open(t.Context(), to.URL, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if after := verify(t, r, "alpha"); after.HeadHash != before.HeadHash || after.Removed != 20 || len(after.Problems) > 0 {
		t.Errorf("the chain was %+v and is %+v", before, after)
	}
	rec := `SELECT md5(r.payload::text || r.created_at::text || r.rationale || r.needed || p.name || (SELECT count(*) FROM participation)) FROM recommendations r JOIN persons p ON p.id = r.proposer`
	if _, err := own.Exec(t.Context(), `SELECT set_config('app.brain_id', 'alpha', false)`); err != nil {
		t.Fatal(err)
	}
	if was, is := strs(t, c, rec), strs(t, own, rec); len(was) != 1 || !slices.Equal(was, is) {
		t.Errorf("the recommendation was %v and is %v", was, is)
	}
	// The log goes on behind what was restored.
	if err := r.AppendServed(t.Context(), &models.AuditRow{BrainID: "alpha", At: time.Now(), Operation: "answer", Outcome: "ok"}, nil); err != nil {
		t.Error(err)
	}
	if _, err := r.Seal(t.Context(), "alpha"); err != nil {
		t.Error(err)
	}
	if after := verify(t, r, "alpha"); after.HeadSeq != before.HeadSeq+1 || len(after.Problems) > 0 {
		t.Errorf("after another row: %+v", after)
	}
	// The instance's log says that it was restored, and with which heads.
	var rows []models.AuditRow
	if err := r.InBrain(t.Context(), store.Instance, func(tx *store.Tx) (err error) { rows, err = tx.AuditRows(1); return err }); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || rows[0].Operation != "instance.restore" || rows[0].Authenticated || !slices.ContainsFunc(rows[0].Detail.Changes, func(c models.Change) bool {
		return c.Field == "head of alpha" && c.To == fmt.Sprintf("%d:%s", before.HeadSeq, before.HeadHash)
	}) {
		t.Errorf("the restore left the rows %+v", rows)
	}
	// What holds something is left as it is.
	if err := store.Restore(t.Context(), db.Own, "polaris_app", path, read); fault.Of(err).Code != "not_empty" {
		t.Errorf("into the database that it is of: %v", err)
	}
	if now := verify(t, s, "alpha"); now.HeadHash != before.HeadHash {
		t.Errorf("which is %+v now", now)
	}
}

// A log that was tampered with is backed up and restored as it is, and both say
// so.
func TestBackupOfATamperedLog(t *testing.T) {
	t.Parallel()
	_, db := aged(t)
	c := connect(t, db.Own)
	for _, sql := range []string{`SELECT set_config('app.brain_id', 'alpha', false)`, `ALTER TABLE audit DISABLE TRIGGER USER`, `UPDATE audit SET actor = 'x' WHERE id = (SELECT min(id) FROM audit)`, `ALTER TABLE audit ENABLE TRIGGER USER`} {
		if _, err := c.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "b")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := store.WriteBackup(t.Context(), db.URL, "test", f, t.TempDir()) // the serving login may read all there is, too
	if err != nil || len(m.Problems()) != 1 || !strings.Contains(m.Problems()[0], "was changed") {
		t.Fatalf("%v, %v", m.Problems(), err)
	}
	if err := store.Restore(t.Context(), storetest.New(t).Own, "polaris_app", path, m); err != nil {
		t.Error(err)
	}
	// Told that it is another one, the restore is undone.
	m.Chains[1].HeadHash = strings.Repeat("00", 32)
	to := storetest.New(t)
	if err := store.Restore(t.Context(), to.Own, "polaris_app", path, m); fault.Of(err).Code != "bad_backup" {
		t.Errorf("with another head: %v", err)
	}
	if n := strs(t, connect(t, to.Own), `SELECT count(*)::text FROM brains`); n[0] != "0" {
		t.Errorf("%s brains are there after it", n)
	}
}

// A backup of another schema or form is refused with the reason, and nothing is
// made; so is one that lacks a member, or has one more.
func TestBackupOfAnotherReleaseIsRefused(t *testing.T) {
	t.Parallel()
	_, db := aged(t)
	var file bytes.Buffer
	if _, err := store.WriteBackup(t.Context(), db.Own, "test", &file, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(m map[string]any)
		code   string
	}{
		"an older schema":  {func(m map[string]any) { m["schema"] = 1 }, "other_release"},
		"a newer schema":   {func(m map[string]any) { m["schema"] = 9999 }, "other_release"},
		"another form":     {func(m map[string]any) { m["format"] = 2 }, "other_release"},
		"a member less":    {func(m map[string]any) { m["members"] = m["members"].([]any)[1:] }, "bad_backup"},
		"another hash":     {func(m map[string]any) { m["members"].([]any)[0].(map[string]any)["sha256"] = "00" }, "bad_backup"},
		"an unknown field": {func(m map[string]any) { m["more"] = true }, "bad_backup"},
	} {
		path := filepath.Join(t.TempDir(), "b")
		if err := os.WriteFile(path, withManifest(t, file.Bytes(), c.change), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := store.ReadBackup(path)
		if f := fault.Of(err); f == nil || f.Code != c.code || !strings.Contains(f.Message, "Nothing was restored") {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
}

// withManifest returns a backup whose manifest was changed.
func withManifest(t *testing.T, backup []byte, change func(map[string]any)) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(backup))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	zw := gzip.NewWriter(&out)
	w := tar.NewWriter(zw)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF { //nolint:errorlint // it is never wrapped
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == "manifest.json" {
			var m map[string]any
			if err := json.Unmarshal(b, &m); err != nil {
				t.Fatal(err)
			}
			change(m)
			if b, err = json.Marshal(m); err != nil {
				t.Fatal(err)
			}
			h.Size = int64(len(b))
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
