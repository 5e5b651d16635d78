package store_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/store"
	"polaris/models/store/storetest"
)

// sized returns a count of a usual run, or the one that is asked for where
// POLARIS_TEST_LONG is set.
func sized(few, all int) int {
	if os.Getenv("POLARIS_TEST_LONG") != "" {
		return all
	}
	return few
}

// large is a brain with so many passages and so many rows of the log, sealed.
func large(t *testing.T, passages, rows int) (*store.Store, storetest.Database) {
	t.Helper()
	s, db := storetest.Open(t, store.Options{})
	err := s.InBrain(t.Context(), "alpha", func(tx *store.Tx) error {
		if err := tx.InsertBrain(&models.Brain{ID: "alpha", Name: "alpha"}); err != nil {
			return err
		}
		const each = 500
		for n := range (passages + each - 1) / each {
			if err := insertDocument(tx, n, each); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, db.Own)
	if _, err := c.Exec(t.Context(), "SELECT set_config('app.brain_id', 'alpha', false)"); err != nil {
		t.Fatal(err)
	}
	_, err = c.Exec(t.Context(), `INSERT INTO audit (brain_id, at, kind, person, actor, authenticated, key_id, surface, operation, class, outcome, target, request_id, latency_micros, detail)
		SELECT 'alpha', timestamptz '2024-01-01' + i * interval '61 seconds', 'key', 'per_' || i % 97, 'agent' || i % 97 || '@example.org', true, 'key' || i % 211, (ARRAY['mcp', 'rest', 'web'])[1 + i % 3],
			CASE WHEN i % 5003 = 0 THEN 'topic_cards.save' WHEN i % 17 = 0 THEN 'retrieve' ELSE 'answer' END, 'A0', CASE WHEN i % 1009 = 0 THEN 'rate_limited' ELSE 'ok' END,
			'ans_' || i, 'req_' || i, 1000 + i % 777, jsonb_build_object('version', 3, 'guardrail', 'pass', 'spans', jsonb_build_array('src_' || i % 89 || '@1:10-90', 'src_x@2:5-70'), 'body_hash', md5(i::text))
		FROM generate_series(1, $1::int) i`, rows)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		if i%10 == 9 { // as autovacuum would, had it the time
			if _, err := c.Exec(t.Context(), "VACUUM audit_unsealed"); err != nil {
				t.Fatal(err)
			}
		}
		n, err := s.Seal(t.Context(), "alpha")
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	if _, err := c.Exec(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
	return s, db
}

// insertDocument adds a source with so many passages.
func insertDocument(tx *store.Tx, n, passages int) error {
	src := models.Source{ID: fmt.Sprintf("src_%d", n), Code: fmt.Sprintf("S%d", n), Title: fmt.Sprint("Source ", n), Head: 1, CreatedAt: time.Now(), CreatedBy: "ada@example.org"}
	if err := tx.SaveSource(&src); err != nil {
		return err
	}
	var text strings.Builder
	d := models.Doc{Source: src}
	for i := range passages {
		start := text.Len()
		fmt.Fprintf(&text, "The fee of case %d in chapter %d is %d dollars and is due within %d days.\n", i, n, i*7%1000, i%90)
		d.Passages = append(d.Passages, models.Passage{Ordinal: i, Key: fmt.Sprintf("S%d %d", n, i), Locator: fmt.Sprint("§ ", i), Heading: []string{"Fees"}, Kind: models.Paragraph, Parent: -1, Start: start, End: text.Len() - 1, SpanEnd: text.Len() - 1})
	}
	sum := sha256.Sum256([]byte(text.String()))
	d.Revision = models.Revision{SourceID: src.ID, N: 1, SHA256: sum[:], MediaType: "text/plain", Language: "en", Title: src.Title, Name: "s.txt", Text: text.String(), Warnings: []string{}, CreatedAt: time.Now(), CreatedBy: "ada@example.org"}
	return tx.InsertRevision(&d, []byte(text.String()))
}

// A large instance is backed up and restored without a difference, and its chain
// verifies to the same head. The figures are for the docs.
func TestLargeBackup(t *testing.T) {
	t.Parallel()
	s, db := large(t, sized(1000, 100_000), sized(5000, 1_000_000))
	timed := func(what string, fn func() error) {
		t.Helper()
		began := time.Now()
		if err := fn(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		t.Logf("%s: %.1f s", what, time.Since(began).Seconds())
	}
	var before *store.ChainReport
	timed("verify", func() error { before = verify(t, s, "alpha"); return nil })
	if len(before.Problems) > 0 || before.Unsealed > 0 || before.Sealed < 5000 {
		t.Fatalf("the chain: %+v", before)
	}
	path := filepath.Join(t.TempDir(), "b")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var m *store.Manifest
	timed("backup", func() (err error) {
		m, err = store.WriteBackup(t.Context(), db.Own, "test", f, t.TempDir())
		return err
	})
	if st, err := f.Stat(); err == nil {
		t.Logf("%d rows, %d bytes", m.Rows(), st.Size())
	}
	to := storetest.New(t)
	timed("read the backup", func() (err error) { m, err = store.ReadBackup(path); return err })
	timed("restore", func() error { return store.Restore(t.Context(), to.Own, "polaris_app", path, m) })
	r, err := store.Open(t.Context(), to.URL, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	head := models.Link{Seq: before.HeadSeq}
	fmt.Sscanf(before.HeadHash, "%x", &head.Hash)
	var after *store.ChainReport
	timed("verify what was restored", func() error { after = verifyFrom(t, r, "alpha", head); return nil })
	if after.HeadHash != before.HeadHash || len(after.Problems) > 0 || after.Sealed != before.Sealed {
		t.Errorf("the chain was %+v and is %+v", before, after)
	}
	// What differs, row by row, from the text of every row.
	a, b := connect(t, db.Own), connect(t, to.Own)
	differ := 0
	for _, table := range []string{"brains", "sources", "revisions", "blobs", "passages", "audit", "audit_chain"} {
		sum := "SELECT count(*) || ' ' || coalesce(sum(hashtextextended(x::text, 0)::numeric), 0) FROM " + table + " x"
		for _, c := range []string{"SELECT set_config('app.brain_id', 'alpha', false)"} {
			strs(t, a, c)
			strs(t, b, c)
		}
		if was, is := strs(t, a, sum)[0], strs(t, b, sum)[0]; was != is || strings.HasPrefix(was, "0 ") {
			differ++
			t.Errorf("%s was %s and is %s", table, was, is)
		}
	}
	t.Logf("%d differences", differ)
}

// The log of a large brain is listed by each filter, and by what is not there at
// all, in less time than anybody notices; and it is read whole.
func TestLargeLogIsListed(t *testing.T) {
	t.Parallel()
	s, db := large(t, 0, sized(5000, 1_000_000))
	most := sized(2000, 100)
	in := func(fn func(tx *store.Tx) error) {
		t.Helper()
		if err := s.InBrain(t.Context(), "alpha", fn); err != nil {
			t.Fatal(err)
		}
	}
	newest := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, f := range map[string]store.AuditFilter{
		"all": {}, "a target": {Target: "ans_7"}, "no target": {Target: "ans_none"}, "a person": {Person: "per_13"}, "no person": {Person: "per_none"}, "an address": {Person: "nobody@example.org"},
		"an actor": {Actor: "agent13@example.org"}, "no actor": {Actor: "nobody"}, "a key": {KeyID: "key17"}, "no key": {KeyID: "none"},
		"an operation": {Operation: "answer"}, "a rare operation": {Operation: "topic_cards.save"}, "no operation": {Operation: "none"},
		"an outcome": {Outcome: "ok"}, "a rare outcome": {Outcome: "rate_limited"}, "no outcome": {Outcome: "none"},
		"an old day":    {From: time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC), To: time.Date(2024, 1, 3, 0, 0, 0, 0, time.UTC)},
		"a day to come": {From: time.Date(2096, 1, 2, 0, 0, 0, 0, time.UTC)}, "before all": {To: time.Date(2014, 1, 2, 0, 0, 0, 0, time.UTC)},
		"a key's refusals": {KeyID: "key17", Outcome: "rate_limited"}, "a person's day": {Person: "per_13", From: newest.AddDate(0, 0, -300), To: newest.AddDate(0, 0, -299)},
		"a key's saves of a day": {KeyID: "key17", Operation: "topic_cards.save", From: newest.AddDate(0, 0, -300), To: newest.AddDate(0, 0, -299)},
	} {
		var best time.Duration
		n := 0
		for range 3 {
			began := time.Now()
			in(func(tx *store.Tx) error {
				rows, err := tx.AuditPage(f, store.Stretch{N: 51})
				n = len(rows)
				return err
			})
			if took := time.Since(began); best == 0 || took < best {
				best = took
			}
		}
		t.Logf("%-24s %5.1f ms, %d rows", name, float64(best.Microseconds())/1000, n)
		if best > time.Duration(most)*time.Millisecond {
			t.Errorf("listing by %s takes %v", name, best)
		}
	}
	began, n := time.Now(), 0
	in(func(tx *store.Tx) error {
		m, err := tx.AuditMoment()
		for seq := int64(0); err == nil; {
			var rows []store.SealedRow
			if rows, err = tx.SealedAfter(store.AuditFilter{}, m, seq, 1000); len(rows) == 0 {
				break
			}
			n, seq = n+len(rows), rows[len(rows)-1].Seq
		}
		return err
	})
	t.Logf("read whole for an export: %d rows in %.1f s", n, time.Since(began).Seconds())
	if want := sized(5000, 1_000_000); n != want {
		t.Errorf("%d rows of %d", n, want)
	}

	// Each way to tamper with it is found and named, in one walk.
	c := connect(t, db.Own)
	if _, err := c.Exec(t.Context(), "ALTER TABLE audit DISABLE TRIGGER USER; ALTER TABLE audit_chain DISABLE TRIGGER USER; SELECT set_config('app.brain_id', 'alpha', false)"); err != nil {
		t.Fatal(err)
	}
	at := func(seq int) string { return fmt.Sprintf("(SELECT audit_id FROM audit_chain WHERE seq = %d)", seq) }
	before := verify(t, s, "alpha")
	head := models.Link{Seq: before.HeadSeq}
	fmt.Sscanf(before.HeadHash, "%x", &head.Hash)
	for _, sql := range []string{
		"UPDATE audit SET actor = 'mallory' WHERE id = " + at(n/10),
		"DELETE FROM audit WHERE id = " + at(n/5),
		fmt.Sprintf("DELETE FROM audit_chain WHERE seq = %d", n/4),
		fmt.Sprintf("UPDATE audit_chain c SET audit_id = -o.audit_id FROM audit_chain o WHERE c.seq IN (%[1]d, %[1]d + 1) AND o.seq = 2 * %[1]d + 1 - c.seq", n/3),
		"UPDATE audit_chain SET audit_id = -audit_id WHERE audit_id < 0",
		`INSERT INTO audit (brain_id, at, kind, person, actor, authenticated, key_id, surface, operation, class, outcome, target, request_id, latency_micros, detail) OVERRIDING SYSTEM VALUE
			SELECT brain_id, at, kind, person, 'mallory', authenticated, key_id, surface, operation, class, outcome, target, request_id, latency_micros, detail FROM audit WHERE id = ` + at(n/2),
		fmt.Sprintf("DELETE FROM audit_chain WHERE seq > %d", n-3),
	} {
		if _, err := c.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	began = time.Now()
	after := verifyFrom(t, s, "alpha", head)
	t.Logf("verified and found wanting in %.1f s: %q", time.Since(began).Seconds(), after.Problems)
	for _, want := range []string{
		fmt.Sprintf("link %d: its audit row", n/10), fmt.Sprintf("link %d: its audit row", n/5), fmt.Sprintf("link %d follows link %d", n/4+1, n/4-1),
		fmt.Sprintf("link %d: its audit row", n/3), fmt.Sprintf("link %d: its audit row", n/3+1), "has no link and waits for none", fmt.Sprintf("the chain ends at link %d", n-3),
	} {
		if !strings.Contains(strings.Join(after.Problems, "\n"), want) {
			t.Errorf("nothing says %q", want)
		}
	}
}
