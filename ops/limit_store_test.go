package ops_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/internal/leaks"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/models/store/storetest"
	"polaris/ops"
)

// An outage is one way in which the store does not answer in time. It returns
// how to end it.
type outage struct {
	name  string
	begin func(t *testing.T, s *store.Store, owner *pgx.Conn) (end func())
}

// as runs statements, the last of which ends the outage.
func as(sql ...string) func(*testing.T, *store.Store, *pgx.Conn) func() {
	run := func(t *testing.T, c *pgx.Conn, sql string) {
		t.Helper()
		if _, err := c.Exec(context.Background(), sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	return func(t *testing.T, _ *store.Store, c *pgx.Conn) func() {
		for _, q := range sql[:len(sql)-1] {
			run(t, c, q)
		}
		return func() { run(t, c, sql[len(sql)-1]) }
	}
}

var outages = []outage{
	{"the table is locked", as("BEGIN", "LOCK TABLE rate_hits IN ACCESS EXCLUSIVE MODE", "ROLLBACK")},
	{"the rows are held", as("BEGIN", "SELECT * FROM rate_hits FOR UPDATE", "ROLLBACK")},
	{"another counts the caller and does not end", as("BEGIN", "SELECT pg_advisory_xact_lock(uuid_hash_extended(caller, 0)) FROM rate_hits", "ROLLBACK")},
	{"the database is slow", as("ALTER FUNCTION rate_take RENAME TO quick_take",
		`CREATE FUNCTION rate_take(who uuid, asked integer, n integer, span interval, held timestamptz, OUT accepted integer, OUT used integer, OUT wait interval)
			LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(10); accepted := asked; END $$`,
		"DROP FUNCTION rate_take; ALTER FUNCTION quick_take RENAME TO rate_take")},
	{"it may not be written", as("REVOKE UPDATE ON rate_hits FROM polaris_app", "GRANT UPDATE ON rate_hits TO polaris_app")},
	{"all connections are busy", func(t *testing.T, s *store.Store, _ *pgx.Conn) func() {
		release := make(chan bool)
		const all = 16
		held := make(chan bool, all)
		for range all {
			go func() {
				_ = s.InBrain(context.Background(), "b", func(*store.Tx) error {
					held <- true
					<-release
					return nil
				})
			}()
		}
		for range all {
			<-held
		}
		return func() { close(release) }
	}},
}

// TestTheLimitFailsClosed: whatever keeps the store from answering, a request is
// refused within 200 ms, is told so, and the next one after the outage passes.
func TestTheLimitFailsClosed(t *testing.T) {
	t.Parallel()
	for _, o := range outages {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			d, owner, log := deskWithStoreLimiter(t)
			p := models.Principal{Kind: models.KindKey, KeyID: "abc", Brain: "b"}
			if _, err := d.Take(t.Context(), p); err != nil {
				t.Fatalf("before: %v", err)
			}
			end := o.begin(t, d.Store, owner)
			// The machine may be busy with other tests: the quickest of three counts.
			quickest := time.Hour
			for range 3 {
				began := time.Now()
				taken, err := d.Take(t.Context(), p)
				quickest = min(quickest, time.Since(began))
				checkClosed(t, taken, err)
			}
			if quickest > 200*time.Millisecond {
				t.Errorf("refused after %s, want within 200 ms", quickest)
			}
			t.Logf("refused after %s", quickest)
			end()
			if err := takeSoon(t, d, p); err != nil {
				t.Errorf("after: %v", err)
			}
			for _, leak := range []string{"rate_hits", "SELECT", "pg_sleep"} {
				if strings.Contains(log.String(), leak) {
					t.Errorf("the log holds %q:\n%s", leak, log)
				}
			}
			if !strings.Contains(log.String(), "the rate limit could not be checked") {
				t.Errorf("the log says nothing of it: %q", log)
			}
		})
	}
}

// A store that is away for good refuses at once.
func TestTheLimitFailsClosedWithoutAStore(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	s, err := store.Open(t.Context(), db.URL, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := ops.NewDesk(s, ops.Settings{RateLimit: aMinute}, leaks.Log(t))
	d.Limiter = ops.NewStoreLimiter(s)
	s.Close()
	began := time.Now()
	taken, err := d.Take(t.Context(), models.Principal{Kind: models.KindPerson, Person: "per_1"})
	if took := time.Since(began); took > 200*time.Millisecond {
		t.Errorf("refused after %s", took)
	}
	checkClosed(t, taken, err)
}

func deskWithStoreLimiter(t *testing.T) (*ops.Desk, *pgx.Conn, *strings.Builder) {
	t.Helper()
	s, db := storetest.Open(t, store.Options{})
	var log strings.Builder
	d := ops.NewDesk(s, ops.Settings{RateLimit: aMinute}, slog.New(slog.NewTextHandler(&log, nil)))
	d.Limiter = ops.NewStoreLimiter(s)
	owner, err := pgx.Connect(t.Context(), db.Own)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { owner.Close(context.Background()) })
	return d, owner, &log
}

// checkClosed holds what a request is told whose rate could not be counted.
func checkClosed(t *testing.T, taken ops.Taken, err error) {
	t.Helper()
	f := fault.Of(err)
	if err == nil || f.Kind != fault.Limited || f.Code != "rate_limited" || !strings.Contains(f.Message, "POLARIS_RATE_LIMIT_STORE") || !strings.Contains(f.Message, "60 requests in 1m0s") {
		t.Errorf("%v, want rate_limited and the settings named", err)
	}
	if taken != (ops.Taken{Limit: 60, Window: time.Minute, Reset: time.Second}) {
		t.Errorf("%+v, want the rate, nothing left, and when to try again", taken)
	}
}

// takeSoon takes one request from a store that comes back.
func takeSoon(t *testing.T, d *ops.Desk, p models.Principal) (err error) {
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if _, err = d.Take(t.Context(), p); err == nil {
			return nil
		}
	}
	return err
}

// Whoever is refused learns which settings decide: a key's own and the
// server's, or for a person the server's alone.
func TestARefusalNamesTheSetting(t *testing.T) {
	t.Parallel()
	s, _ := storetest.Open(t, store.Options{})
	d := ops.NewDesk(s, ops.Settings{RateLimit: models.Rate{N: 1, Window: time.Second}}, leaks.Log(t))
	d.Now = func() time.Time { return noon }
	for _, c := range []struct {
		p    models.Principal
		want []string
		not  string
	}{
		{models.Principal{Kind: models.KindKey, KeyID: "a"}, []string{"1 requests in 1s", "--rate", "POLARIS_RATE_LIMIT"}, "_STORE"},
		{models.Principal{Kind: models.KindKey, KeyID: "b", RateLimit: models.Rate{N: 1, Window: time.Hour / 4}}, []string{"1 requests in 15m0s", "--rate"}, "_STORE"},
		{models.Principal{Kind: models.KindPerson, Person: "per_1"}, []string{"POLARIS_RATE_LIMIT"}, "key"},
	} {
		if _, err := d.Take(t.Context(), c.p); err != nil {
			t.Fatal(err)
		}
		_, err := d.Take(t.Context(), c.p)
		f := fault.Of(err)
		if err == nil || f.Code != "rate_limited" || strings.Contains(f.Message, c.not) {
			t.Errorf("%s: %v", c.p.Caller(), err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(f.Message, w) {
				t.Errorf("%s: %q does not say %q", c.p.Caller(), f.Message, w)
			}
		}
	}
}

// A burst of one caller costs a few statements, and not one for each request.
func TestABurstIsCountedTogether(t *testing.T) {
	t.Parallel()
	seen := &statements{}
	s, _ := storetest.Open(t, store.Options{Tracer: seen})
	l := ops.NewHeldLimiter(s)
	take(t, l, "k", aMinute, 0) // opens a connection
	seen.mu.Lock()
	seen.single = nil
	seen.mu.Unlock()
	got := takeAtOnce(t, l, 400, aMinute, 0)
	if n := len(seen.single); n > 200 {
		t.Errorf("%d statements for 400 requests at once", n)
	} else {
		t.Logf("%d statements", n)
	}
	if !got[58].OK || got[58].Remaining != 0 || got[59].OK {
		t.Errorf("59 were left, and accepted are %+v, %+v", got[58], got[59])
	}
}

// Callers of long ago are forgotten, those of now are not.
func TestQuietCallersAreSwept(t *testing.T) {
	t.Parallel()
	s, db := storetest.Open(t, store.Options{})
	l := ops.NewHeldLimiter(s)
	longAgo := time.Now().Add(-time.Hour).Sub(noon)
	large := models.Rate{N: 1000, Window: time.Minute}
	takeAtOnce(t, l, 300, large, longAgo) // five blocks of "k"
	for _, c := range []string{"a", "b", "c"} {
		take(t, l, c, aMinute, longAgo)
	}
	now := time.Since(noon)
	take(t, l, "c", aMinute, now)
	take(t, l, "d", aMinute, now)
	if n, err := s.SweepRates(t.Context(), 30*time.Minute); err != nil || n < 3 {
		t.Errorf("swept %d, %v; want k's blocks, a and b", n, err)
	}
	c, err := pgx.Connect(t.Context(), db.Own)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	var left int
	if err := c.QueryRow(t.Context(), "SELECT count(*) FROM rate_hits").Scan(&left); err != nil || left != 2 {
		t.Errorf("%d rows left, %v; want c's and d's", left, err)
	}
	for _, caller := range []string{"a", "c", "d"} {
		want := map[string]int{"a": 59, "c": 58, "d": 58}[caller]
		if got := take(t, l, caller, aMinute, now); !got.OK || got.Remaining != want {
			t.Errorf("%s: %+v, want %d left", caller, got, want)
		}
	}
}

// A request that comes while its caller is being swept away waits for the sweep,
// and is counted.
func TestASweepTakesNoRequestAway(t *testing.T) {
	t.Parallel()
	s, db := storetest.Open(t, store.Options{})
	l := ops.NewHeldLimiter(s)
	sweeper, err := pgx.Connect(t.Context(), db.Own)
	if err != nil {
		t.Fatal(err)
	}
	defer sweeper.Close(context.Background())
	// The request gives up on the lock after 100 ms, which a busy machine may take.
	for try := 1; ; try++ {
		now := time.Duration(try) * time.Hour
		take(t, l, "k", aMinute, now-time.Hour/2)
		if _, err := sweeper.Exec(t.Context(), "BEGIN; DELETE FROM rate_hits"); err != nil {
			t.Fatal(err)
		}
		var got ops.Taken
		var failed error
		var wg sync.WaitGroup
		wg.Go(func() { got, failed = l.Take(t.Context(), "k", aMinute, noon.Add(now)) })
		time.Sleep(30 * time.Millisecond)
		if _, err := sweeper.Exec(t.Context(), "COMMIT"); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if failed != nil && try < 5 {
			continue
		}
		if failed != nil || !got.OK || got.Remaining != 59 {
			t.Fatalf("%+v, %v; want accepted", got, failed)
		}
		if got := take(t, l, "k", aMinute, now); got.Remaining != 58 {
			t.Errorf("the next one: %+v, want 58 left: the one before was not counted", got)
		}
		return
	}
}

// TestSignInIsNotCounted: while attempts cannot be counted nobody is let in, and
// nobody is told that they tried too often.
func TestSignInIsNotCounted(t *testing.T) {
	t.Parallel()
	d, owner, _ := deskWithStoreLimiter(t)
	if _, err := owner.Exec(t.Context(), "DROP FUNCTION rate_take"); err != nil {
		t.Fatal(err)
	}
	_, err := ops.Do(t.Context(), d, ops.Call{By: ops.Visitor(), Brain: store.Instance, Via: ops.Web, From: "192.0.2.1"}, ops.SignIn, ops.SignInIn{Email: "ada@example.org", Password: "correct horse battery"})
	if f := fault.Of(err); err == nil || f.Kind != fault.Limited || strings.Contains(f.Message, "Too many") || !strings.Contains(f.Message, "POLARIS_RATE_LIMIT_STORE") {
		t.Errorf("%v, want that attempts cannot be counted", err)
	}
}
