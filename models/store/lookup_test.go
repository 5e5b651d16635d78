package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/models/store/storetest"
)

// A turnstile holds the first look-up before it is sent, and counts what comes
// after it.
type turnstile struct {
	held, release   chan struct{}
	first           atomic.Bool
	mu              sync.Mutex
	single, batched int
}

func (s *turnstile) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	if strings.Contains(d.SQL, "auth_key") {
		s.mu.Lock()
		s.single++
		s.mu.Unlock()
		if s.first.CompareAndSwap(false, true) {
			close(s.held)
			<-s.release
		}
	}
	return ctx
}
func (s *turnstile) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
func (s *turnstile) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

func (s *turnstile) TraceBatchQuery(_ context.Context, _ *pgx.Conn, d pgx.TraceBatchQueryData) {
	if strings.Contains(d.SQL, "auth_key") {
		s.mu.Lock()
		s.batched++
		s.mu.Unlock()
	}
}
func (s *turnstile) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// Look-ups that come while one is under way go together in the next round trip;
// each finds its own key, as it is after the look-up came; a bad one fails alone.
func TestLookupsShareRoundTrips(t *testing.T) {
	t.Parallel()
	gate := &turnstile{held: make(chan struct{}), release: make(chan struct{})}
	s, db := storetest.Open(t, store.Options{Tracer: gate})
	waiting := s.HoldLookups()
	const keys = 10
	own, err := pgx.Connect(t.Context(), db.Own)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close(t.Context())
	for _, sql := range []string{
		"INSERT INTO brains (id, name, created_at, created_by) VALUES ('calliope', 'c', now(), 't')",
		"INSERT INTO persons (id, email, name, created_at, created_by) VALUES ('p', 'p@example.org', 'p', now(), 't')",
		"SELECT set_config('app.brain_id', 'calliope', false)",
		`INSERT INTO memberships (brain_id, person_id, roles) VALUES ('calliope', 'p', '["reader"]')`,
		`INSERT INTO api_keys (brain_id, id, label, scopes, actor, owner_id, hash, created_by, created_via, created_at)
		 SELECT 'calliope', 'key' || i, '', '["advisor:read"]', 'actor' || i, 'p', sha256('x'), 't', 'cli', now() FROM generate_series(0, 10) i`,
	} {
		if _, err := own.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if h, err := s.KeyByID(t.Context(), "key10"); err != nil || h.Key.Actor != "actor10" {
			t.Errorf("the first: %+v %v", h, err)
		}
	})
	<-gate.held
	if _, err := own.Exec(t.Context(), "UPDATE api_keys SET revoked_at = now()"); err != nil {
		t.Fatal(err)
	}
	for i := range keys {
		wg.Go(func() {
			h, err := s.KeyByID(t.Context(), fmt.Sprint("key", i))
			if err != nil || h.Key.Actor != fmt.Sprint("actor", i) || h.Key.RevokedAt == nil || h.Roles[0] != models.RoleReader {
				t.Errorf("key %d: %+v %v, want its own, revoked before it was looked up", i, h, err)
			}
		})
	}
	wg.Go(func() {
		if _, err := s.KeyByID(t.Context(), "absent"); !fault.Is(err, fault.NotFound) {
			t.Errorf("an absent key: %v", err)
		}
	})
	gone, leave := context.WithCancel(t.Context())
	wg.Go(func() {
		if _, err := s.KeyByID(gone, "key1"); !errors.Is(err, context.Canceled) {
			t.Errorf("one that went away: %v", err)
		}
	})
	until(t, func() bool { return waiting() == keys+2 })
	leave()
	close(gate.release)
	wg.Wait()
	if gate.single != 1 || gate.batched != keys+2 {
		t.Errorf("%d look-ups went alone and %d together, want 1 and %d", gate.single, gate.batched, keys+2)
	}
}

// A look-up that the database refuses is an outage for its own caller and for
// nobody who happened to come with it.
func TestABadLookupFailsAlone(t *testing.T) {
	t.Parallel()
	gate := &turnstile{held: make(chan struct{}), release: make(chan struct{})}
	s, _ := storetest.Open(t, store.Options{Tracer: gate})
	waiting := s.HoldLookups()
	var wg sync.WaitGroup
	find := func(id string, want fault.Kind) {
		wg.Go(func() {
			if _, err := s.KeyByID(t.Context(), id); !fault.Is(err, want) {
				t.Errorf("%q: %v, want kind %v", id, err, want)
			}
		})
	}
	find("first", fault.NotFound)
	<-gate.held
	for range 3 {
		find("absent", fault.NotFound)
		find("a\x00b", fault.Unavailable)
	}
	until(t, func() bool { return waiting() == 6 })
	close(gate.release)
	wg.Wait()
}

// A round trip that does not end holds up nobody for long: others start beside
// it.
func TestAStalledLookupIsPassed(t *testing.T) {
	t.Parallel()
	gate := &turnstile{held: make(chan struct{}), release: make(chan struct{})}
	s, _ := storetest.Open(t, store.Options{Tracer: gate})
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = s.KeyByID(t.Context(), "held") })
	<-gate.held
	defer wg.Wait()
	defer close(gate.release)
	until(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := s.KeyByID(ctx, "other")
		return fault.Is(err, fault.NotFound)
	})
}

func until(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Error("it did not come to pass in 10 s")
			return
		}
	}
}
