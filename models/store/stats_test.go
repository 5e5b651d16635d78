package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/store"
	"polaris/models/store/storetest"
)

func served(t *testing.T, s *store.Store, i int) error {
	t.Helper()
	return s.AppendServed(t.Context(), &models.AuditRow{BrainID: "alpha", At: time.Now(), Actor: fmt.Sprint(i), Operation: "answer", Outcome: "ok"}, nil)
}

func TestStatsCountTheCommits(t *testing.T) {
	t.Parallel()
	s, _ := storetest.Open(t, store.Options{})
	fill(t, s, "alpha", 1)
	before := s.Stats()
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			if err := served(t, s, i); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	after := s.Stats()
	if rows, commits := after.Rows-before.Rows, after.Commits-before.Commits; rows != 50 || commits < 1 || commits > 50 {
		t.Errorf("%d rows in %d commits, want 50 in 1 to 50", rows, commits)
	}
	if after.CommitTime <= before.CommitTime || after.Queued != 0 || after.FailedCommits != 0 {
		t.Errorf("%+v, before %+v", after, before)
	}
	if after.Acquired <= before.Acquired || after.Connections < 1 || after.MostConnections < after.Connections {
		t.Errorf("the pool: %+v, before %+v", after, before)
	}
	// One row that the database refuses fails its commit, and is counted there.
	if err := s.AppendServed(t.Context(), &models.AuditRow{BrainID: "alpha", At: time.Now(), Actor: "a\x00", Operation: "answer"}, nil); err == nil {
		t.Fatal("a row with a zero byte was written")
	}
	if got := s.Stats(); got.FailedCommits != 1 || got.Rows != after.Rows {
		t.Errorf("after a commit that failed: %+v", got)
	}
}

// The backlog grows with what is written, stays while the database is away, and
// goes when the rows are sealed.
func TestBacklogOfTheSealer(t *testing.T) {
	t.Parallel()
	s, db := storetest.Open(t, store.Options{})
	fill(t, s, "alpha", 1)
	z := store.NewSealer(s)
	for i := range 3 {
		if err := served(t, s, i); err != nil {
			t.Fatal(err)
		}
		z.Wrote("alpha")
	}
	time.Sleep(5 * time.Millisecond)
	if rows, oldest := z.Backlog(); rows != 3 || oldest < 5*time.Millisecond {
		t.Errorf("%d rows, the oldest %s; want 3 of 5 ms and more", rows, oldest)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel() // as good as a database that is away
	z.Flush(gone)
	if rows, oldest := z.Backlog(); rows != 3 || oldest < 5*time.Millisecond {
		t.Errorf("after sealing that failed: %d rows, the oldest %s; want 3 that are no younger", rows, oldest)
	}
	// Another process seals just now, and may not see the newest rows.
	other := connect(t, db.URL)
	if _, err := other.Exec(t.Context(), "BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('seal:alpha', 0))"); err != nil {
		t.Fatal(err)
	}
	z.Flush(t.Context())
	if rows, _ := z.Backlog(); rows != 3 {
		t.Errorf("while another seals: %d rows, want 3", rows)
	}
	if _, err := other.Exec(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	z.Flush(t.Context())
	if rows, oldest := z.Backlog(); rows != 0 || oldest != 0 {
		t.Errorf("after sealing: %d rows, the oldest %s", rows, oldest)
	}
}
