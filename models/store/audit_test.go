package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/models/store/storetest"
)

// fill writes n served rows from many callers at once and seals them.
func fill(t *testing.T, s *store.Store, brain models.BrainID, n int) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			row := &models.AuditRow{BrainID: brain, At: time.Now(), Actor: fmt.Sprint(i), Operation: "answer", Outcome: "ok", Detail: models.Detail{Spans: []string{"src@1:0-5"}}}
			if err := s.AppendServed(t.Context(), row, nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if sealed, err := s.Seal(t.Context(), brain); err != nil || sealed != n {
		t.Fatalf("sealed %d of %d rows: %v", sealed, n, err)
	}
}

func verify(t *testing.T, s *store.Store, brain models.BrainID) *store.ChainReport {
	t.Helper()
	return verifyFrom(t, s, brain, models.Link{})
}

func verifyFrom(t *testing.T, s *store.Store, brain models.BrainID, known models.Link) (r *store.ChainReport) {
	t.Helper()
	err := s.InBrain(t.Context(), brain, func(tx *store.Tx) (err error) {
		r, err = tx.VerifyChain(known)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tamper changes the log of the brain alpha as whoever owns the database can,
// who gets around its guards; the chain is for them.
func tamper(t *testing.T, db storetest.Database, sql string) {
	t.Helper()
	setup := "ALTER TABLE audit DISABLE TRIGGER USER; ALTER TABLE audit_chain DISABLE TRIGGER USER; SELECT set_config('app.brain_id', 'alpha', false);"
	if _, err := connect(t, db.Own).Exec(t.Context(), setup+sql); err != nil {
		t.Fatal(err)
	}
}

func TestChainFindsTampering(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sql, finds string }{
		"nothing":       {"SELECT 1", ""},
		"a changed row": {"UPDATE audit SET actor = 'mallory' WHERE id = (SELECT audit_id FROM audit_chain WHERE seq = 7)", "link 7: its audit row"},
		"a changed detail": {
			`UPDATE audit SET detail = '{"spans":["src@1:0-6"]}' WHERE id = (SELECT audit_id FROM audit_chain WHERE seq = 9)`, "link 9: its audit row",
		},
		"an added detail": {
			`UPDATE audit SET detail = detail || '{"approved_by_all":true}' WHERE id = (SELECT audit_id FROM audit_chain WHERE seq = 9)`, "link 9: its audit row",
		},
		"a removed row":  {"DELETE FROM audit WHERE id = (SELECT audit_id FROM audit_chain WHERE seq = 7)", "link 7: its audit row"},
		"a removed link": {"DELETE FROM audit_chain WHERE seq = 7", "link 8 follows link 6"},
		"two swapped rows": {`UPDATE audit_chain c SET audit_id = o.audit_id + 1000000 FROM audit_chain o WHERE c.seq IN (7, 8) AND o.seq = 15 - c.seq;
			UPDATE audit_chain SET audit_id = audit_id - 1000000 WHERE seq IN (7, 8)`, "link 7: its audit row"},
		"an inserted link": {`INSERT INTO audit_chain SELECT brain_id, 21, audit_id + 1000000, hash FROM audit_chain WHERE seq = 20`, "link 21: its audit row"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, db := storetest.Open(t, store.Options{})
			fill(t, s, "alpha", 20)
			tamper(t, db, c.sql)
			r := verify(t, s, "alpha")
			if c.finds == "" {
				if len(r.Problems) != 0 || r.Sealed != 20 || r.Unsealed != 0 || r.HeadSeq != 20 {
					t.Errorf("untouched: %+v", r)
				}
				return
			}
			if !slices.ContainsFunc(r.Problems, func(p string) bool { return strings.HasPrefix(p, c.finds) }) {
				t.Errorf("problems %q, want one that starts %q", r.Problems, c.finds)
			}
		})
	}
}

func TestSealersTakeTurns(t *testing.T) {
	t.Parallel()
	s, _ := storetest.Open(t, store.Options{})
	fill(t, s, "alpha", 10)
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			row := &models.AuditRow{BrainID: "alpha", At: time.Now(), Actor: fmt.Sprint(i), Operation: "answer"}
			if err := s.AppendServed(t.Context(), row, nil); err != nil {
				t.Error(err)
			}
		})
		if i%20 == 0 {
			wg.Go(func() {
				if _, err := s.Seal(t.Context(), "alpha"); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	if _, err := s.Seal(t.Context(), "alpha"); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, s, "alpha"); len(r.Problems) != 0 || r.Sealed != 210 || r.Unsealed != 0 {
		t.Errorf("%+v, want 210 sealed rows and no problems", r)
	}
}

// One row that the database refuses must not take the others of its commit
// with it.
func TestOneBadRowFailsAlone(t *testing.T) {
	t.Parallel()
	s, _ := storetest.Open(t, store.Options{})
	errs := make([]error, 50)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			row := &models.AuditRow{BrainID: "alpha", At: time.Now(), Actor: fmt.Sprint(i), Operation: "answer"}
			if i == 25 {
				row.Actor = "not\x00text"
			}
			errs[i] = s.AppendServed(t.Context(), row, nil)
		})
	}
	wg.Wait()
	for i, err := range errs {
		if (err != nil) != (i == 25) {
			t.Errorf("row %d: %v", i, err)
		}
	}
	if f := fault.Of(errs[25]); f == nil || f.Code != "audit_unavailable" {
		t.Errorf("the bad row: %v, want audit_unavailable", errs[25])
	}
}

// A transaction that somebody holds open must not hold up an answer's row, nor
// the sealing of what is committed.
func TestAnOpenTransactionHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	s, _ := storetest.Open(t, store.Options{})
	open, release := make(chan bool), make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		err := s.InBrain(context.Background(), "alpha", func(tx *store.Tx) error {
			if err := tx.AppendAudit(&models.AuditRow{Operation: "sources.import", Actor: "slow"}); err != nil {
				return err
			}
			close(open)
			<-release
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-open
	began := time.Now()
	fill(t, s, "alpha", 20)
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("20 rows and their seal took %s beside an open transaction", took)
	}
	close(release)
	wg.Wait()
	if n, err := s.Seal(t.Context(), "alpha"); err != nil || n != 1 {
		t.Errorf("sealed %d late rows, %v; want 1", n, err)
	}
	if r := verify(t, s, "alpha"); len(r.Problems) != 0 || r.Sealed != 21 {
		t.Errorf("%+v", r)
	}
}

// A chain whose end was cut off, or that was made anew, is consistent in
// itself. Who noted its head down finds it.
func TestChainAgainstANotedHead(t *testing.T) {
	t.Parallel()
	s, db := storetest.Open(t, store.Options{})
	fill(t, s, "alpha", 20)
	var at7, head models.Link
	err := s.InBrain(t.Context(), "alpha", func(tx *store.Tx) error {
		for _, want := range []struct {
			seq int64
			to  *models.Link
		}{{7, &at7}, {20, &head}} {
			rows, err := tx.AuditRows(20)
			if err != nil {
				return err
			}
			for _, r := range rows {
				l, err := tx.LinkOf(r.ID)
				if err != nil {
					return err
				}
				if l.Seq == want.seq {
					*want.to = l
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, known := range []models.Link{{}, at7, head} {
		if p := verifyFrom(t, s, "alpha", known).Problems; len(p) > 0 {
			t.Errorf("from link %d: %v", known.Seq, p)
		}
	}
	other := models.Link{Seq: 7, Hash: head.Hash}
	if p := verifyFrom(t, s, "alpha", other).Problems; len(p) != 1 || !strings.HasPrefix(p[0], "link 7 is not the one") {
		t.Errorf("another link 7: %v", p)
	}
	tamper(t, db, "DELETE FROM audit WHERE id IN (SELECT audit_id FROM audit_chain WHERE seq > 17); DELETE FROM audit_chain WHERE seq > 17")
	if p := verify(t, s, "alpha").Problems; len(p) > 0 {
		t.Errorf("without a head: %v", p)
	}
	if p := verifyFrom(t, s, "alpha", head).Problems; len(p) != 1 || !strings.HasPrefix(p[0], "the chain ends at link 17") {
		t.Errorf("cut off: %v", p)
	}
}

// What is sealed is off the list, and what is not stays on it: a seal costs what
// is new, however long the log.
func TestSealedRowsLeaveTheList(t *testing.T) {
	t.Parallel()
	s, db := storetest.Open(t, store.Options{})
	c := connect(t, db.URL)
	waiting := func() string {
		t.Helper()
		return strs(t, c, "SELECT count(*)::text FROM audit_unsealed WHERE brain_id = 'alpha'")[0]
	}
	if _, err := c.Exec(t.Context(), "SELECT set_config('app.brain_id', 'alpha', false)"); err != nil {
		t.Fatal(err)
	}
	fill(t, s, "alpha", 20)
	if n := waiting(); n != "0" {
		t.Errorf("%s of 20 sealed rows are still to be sealed", n)
	}
	if err := s.InBrain(t.Context(), "alpha", func(tx *store.Tx) error {
		return tx.AppendAudit(&models.AuditRow{At: time.Now(), Actor: "a", Operation: "x", Outcome: "ok"})
	}); err != nil {
		t.Fatal(err)
	}
	if n := waiting(); n != "1" {
		t.Errorf("%s rows are to be sealed after one more, want 1", n)
	}
	for _, want := range []int{1, 0} {
		if n, err := s.Seal(t.Context(), "alpha"); err != nil || n != want {
			t.Errorf("sealed %d: %v, want %d", n, err, want)
		}
	}
	if r := verify(t, s, "alpha"); r.Sealed != 21 || r.Unsealed != 0 || len(r.Problems) > 0 {
		t.Errorf("%+v", r)
	}
}
