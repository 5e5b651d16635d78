package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/models/store/storetest"
)

// Rows of several brains, some with a record and some without, share commits:
// each record names its own row, in its own brain.
func TestServedRowsKeepApart(t *testing.T) {
	t.Parallel()
	for _, callers := range []int{1, 60} {
		s, db := storetest.Open(t, store.Options{})
		own := connect(t, db.Own)
		if _, err := own.Exec(t.Context(), "INSERT INTO brains (id, name, created_at, created_by) VALUES ('alpha', 'a', now(), 't'), ('beta', 'b', now(), 't')"); err != nil {
			t.Fatal(err)
		}
		brains := []models.BrainID{"alpha", "beta"}
		var wg sync.WaitGroup
		work := make(chan int)
		for range callers {
			wg.Go(func() {
				for i := range work {
					id := fmt.Sprint("ans_", i)
					row := &models.AuditRow{BrainID: brains[i%2], At: time.Now(), Actor: "actor" + id, Operation: "answer", Outcome: "ok", Target: id, LatencyMicros: int64(i), Detail: models.Detail{BodyHash: id}}
					var a *models.Answer
					if i%3 > 0 {
						a = &models.Answer{BrainID: row.BrainID, ID: id, Query: "§ “" + id, Topics: []string{id}, Version: i, Guardrail: "pass", Body: `{"x":"` + id + `"}`}
					}
					if err := s.AppendServed(t.Context(), row, a); err != nil {
						t.Error(err)
					}
				}
			})
		}
		const all = 120
		for i := range all {
			work <- i
		}
		close(work)
		wg.Wait()
		for b, brain := range brains {
			err := s.InBrain(t.Context(), brain, func(tx *store.Tx) error {
				rows, err := tx.AuditRows(all)
				if len(rows) != all/2 {
					t.Errorf("%d callers: %s has %d rows, want %d", callers, brain, len(rows), all/2)
				}
				for i := b; i < all; i += 2 {
					id := fmt.Sprint("ans_", i)
					a, err := tx.Answer(id)
					if i%3 == 0 {
						if !fault.Is(err, fault.NotFound) {
							t.Errorf("%s has a record: %v", id, err)
						}
						continue
					}
					if err != nil {
						return err
					}
					row, err := tx.AuditRow(a.AuditID)
					if err != nil || row.Target != id || row.Actor != "actor"+id || row.LatencyMicros != int64(i) || row.Detail.BodyHash != id || a.Actor != row.Actor ||
						!a.At.Equal(row.At) || a.Version != i || a.Topics[0] != id || a.Body != `{"x":"`+id+`"}` || a.Query != "§ “"+id {
						t.Errorf("%s: record %+v of row %+v, %v", id, a, row, err)
					}
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
			if n, err := s.Seal(t.Context(), brain); err != nil || n != all/2 {
				t.Errorf("sealed %d of %s: %v", n, brain, err)
			}
		}
	}
}

// What fails only at the commit has failed: the answer is not given.
func TestACommitThatFailsIsNoticed(t *testing.T) {
	t.Parallel()
	s, db := storetest.Open(t, store.Options{})
	_, err := connect(t, db.Own).Exec(t.Context(), `
		CREATE FUNCTION never() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not today'; END $$;
		CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON audit DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION never()`)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			err := s.AppendServed(t.Context(), &models.AuditRow{BrainID: "alpha", At: time.Now(), Operation: "answer"}, nil)
			if f := fault.Of(err); f == nil || f.Code != "audit_unavailable" {
				t.Errorf("got %v, want audit_unavailable", err)
			}
		})
	}
	wg.Wait()
}

// Answers that are still on their way when the store is closed, because the
// grace period cut them off, are told so; what was acknowledged is there.
func TestServedWhileClosing(t *testing.T) {
	t.Parallel()
	watch, db := storetest.Open(t, store.Options{})
	own := connect(t, db.Own)
	if _, err := own.Exec(t.Context(), "INSERT INTO brains (id, name, created_at, created_by) VALUES ('alpha', 'a', now(), 't')"); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		s, err := store.Open(t.Context(), db.URL, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var acknowledged, refused atomic.Int64
		var rows []models.AuditRow
		count := func(tx *store.Tx) (err error) { rows, err = tx.AuditRows(1 << 20); return err }
		if err := watch.InBrain(t.Context(), "alpha", count); err != nil {
			t.Fatal(err)
		}
		was := len(rows)
		var wg sync.WaitGroup
		first := make(chan struct{})
		var once sync.Once
		for range 8 {
			wg.Go(func() {
				for refused.Load() == 0 {
					err := s.AppendServed(t.Context(), &models.AuditRow{BrainID: "alpha", At: time.Now(), Actor: "a", Operation: "answer", Outcome: "ok"}, nil)
					switch {
					case err == nil:
						acknowledged.Add(1)
					case fault.Of(err).Code == "audit_unavailable":
						refused.Add(1)
					default:
						t.Error(err)
						refused.Add(1)
					}
					once.Do(func() { close(first) })
				}
			})
		}
		<-first
		s.Close()
		wg.Wait()
		if err := watch.InBrain(t.Context(), "alpha", count); err != nil {
			t.Fatal(err)
		}
		if got := int64(len(rows) - was); got < acknowledged.Load() {
			t.Errorf("%d rows, and %d were acknowledged", got, acknowledged.Load())
		}
	}
}
