package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/store"
	"polaris/models/store/storetest"
)

// aged is a brain without four eyes whose log has ten rows of each of five days
// of 2020, and ten of today.
func aged(t *testing.T) (*store.Store, storetest.Database) {
	t.Helper()
	s, db := storetest.Open(t, store.Options{})
	err := s.InBrain(t.Context(), "alpha", func(tx *store.Tx) error { return tx.InsertBrain(&models.Brain{ID: "alpha", Name: "alpha"}) })
	if err != nil {
		t.Fatal(err)
	}
	for day := range 6 {
		at := time.Date(2020, 3, 1+day, 12, 0, 0, 0, time.UTC)
		if day == 5 {
			at = time.Now()
		}
		for i := range 10 {
			row := &models.AuditRow{BrainID: "alpha", At: at, Actor: fmt.Sprint(day, i), Operation: "answer", Outcome: "ok"}
			if err := s.AppendServed(t.Context(), row, nil); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Seal(t.Context(), "alpha"); err != nil {
			t.Fatal(err)
		}
	}
	return s, db
}

// retain removes what is older, and says so in the log as the operation does.
func retain(t *testing.T, s *store.Store, before time.Time) (l models.Link, rows int64) {
	t.Helper()
	err := s.InBrain(t.Context(), "alpha", func(tx *store.Tx) (err error) {
		if l, rows, err = tx.Retain(before); err != nil {
			return err
		}
		return tx.AppendAudit(&models.AuditRow{At: time.Now(), Operation: "audit.retain", Outcome: "ok", Detail: models.Detail{Changes: []models.Change{{Field: store.TombstoneField, To: fmt.Sprintf("%d:%x", l.Seq, l.Hash)}}}})
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Seal(t.Context(), "alpha"); err != nil {
		t.Fatal(err)
	}
	return l, rows
}

func TestRetentionLeavesALinkedTombstone(t *testing.T) {
	t.Parallel()
	s, db := aged(t)
	before := verify(t, s, "alpha")
	l, rows := retain(t, s, time.Date(2020, 3, 3, 0, 0, 0, 0, time.UTC))
	if l.Seq != 20 || rows != 20 {
		t.Fatalf("removed up to link %d, %d rows; want two days of ten", l.Seq, rows)
	}
	r := verify(t, s, "alpha")
	if len(r.Problems) > 0 || r.Removed != 20 || r.Sealed != 41 || r.HeadSeq != 61 || r.Unsealed != 0 {
		t.Errorf("after the first removal: %+v", r)
	}
	head := models.Link{Seq: before.HeadSeq}
	fmt.Sscanf(before.HeadHash, "%x", &head.Hash)
	if r := verifyFrom(t, s, "alpha", head); len(r.Problems) > 0 {
		t.Errorf("a head of before: %+v", r.Problems)
	}
	if l, rows := retain(t, s, time.Date(2020, 3, 5, 18, 0, 0, 0, time.UTC)); l.Seq != 40 || rows != 20 {
		t.Errorf("the second removal: link %d, %d rows; only whole days go", l.Seq, rows)
	}
	if r := verify(t, s, "alpha"); len(r.Problems) > 0 || r.Removed != 40 {
		t.Errorf("after the second removal: %+v", r)
	}
	var ts []store.Tombstone
	if err := s.InBrain(t.Context(), "alpha", func(tx *store.Tx) (err error) { ts, err = tx.Tombstones(); return err }); err != nil || len(ts) != 2 || ts[1].Seq != 40 {
		t.Errorf("tombstones %+v, %v", ts, err)
	}
	err := s.InBrain(t.Context(), "alpha", func(tx *store.Tx) error { _, _, err := tx.Retain(time.Now().AddDate(0, 0, -29)); return err })
	if err == nil || !strings.Contains(err.Error(), "thirty days") {
		t.Errorf("what is younger than thirty days: %v", err)
	}
	// The serving login removes nothing by itself, and writes no tombstone.
	app := connect(t, db.URL)
	for _, sql := range []string{
		"DELETE FROM audit", "DELETE FROM audit_chain", "DELETE FROM audit_tombstones", "SET ROLE polaris_retain",
		"INSERT INTO audit_tombstones VALUES ('alpha', 50, sha256('x'), 1, now(), now())",
	} {
		if _, err := app.Exec(t.Context(), "SELECT set_config('app.brain_id', 'alpha', false); "+sql); err == nil {
			t.Errorf("%s: the serving login may", sql)
		}
	}
}

// With four eyes nothing goes without a decision in the same transaction.
func TestRetentionNeedsADecision(t *testing.T) {
	t.Parallel()
	s, db := aged(t)
	own := connect(t, db.Own)
	if _, err := own.Exec(t.Context(), "ALTER TABLE brains DISABLE TRIGGER USER; UPDATE brains SET four_eyes = true, four_eyes_until = NULL; ALTER TABLE brains ENABLE TRIGGER USER"); err != nil {
		t.Fatal(err)
	}
	err := s.InBrain(context.Background(), "alpha", func(tx *store.Tx) error {
		_, _, err := tx.Retain(time.Date(2020, 3, 3, 0, 0, 0, 0, time.UTC))
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "second person") {
		t.Errorf("without a decision: %v", err)
	}
	if r := verify(t, s, "alpha"); r.Sealed != 60 {
		t.Errorf("%d rows are left", r.Sealed)
	}
}

// Whoever owns the database and cuts the beginning off finds no way to make it
// look like retention.
func TestChainFindsWhatIsNoRetention(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sql, finds string }{
		"the tombstone removed": {"DELETE FROM audit_tombstones", "link 21 follows link 0"},
		"more cut off": {
			"DELETE FROM audit WHERE id IN (SELECT audit_id FROM audit_chain WHERE seq <= 30); UPDATE audit_tombstones SET seq = 30, hash = (SELECT hash FROM audit_chain WHERE seq = 30); DELETE FROM audit_chain WHERE seq <= 30",
			"the chain begins behind link 30, and no row says",
		},
		"another hash":      {"UPDATE audit_tombstones SET hash = sha256('x')", "link 21: its audit row"},
		"a row of the rest": {"DELETE FROM audit WHERE id = (SELECT audit_id FROM audit_chain WHERE seq = 33)", "link 33: its audit row"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, db := aged(t)
			retain(t, s, time.Date(2020, 3, 3, 0, 0, 0, 0, time.UTC))
			tamper(t, db, "ALTER TABLE audit_tombstones DISABLE TRIGGER USER;"+c.sql)
			r := verify(t, s, "alpha")
			if !slices.ContainsFunc(r.Problems, func(p string) bool { return strings.HasPrefix(p, c.finds) }) {
				t.Errorf("problems %q, want one that starts %q", r.Problems, c.finds)
			}
		})
	}
}
