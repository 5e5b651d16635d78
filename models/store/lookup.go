package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Credentials are looked up on every request, by one query each and no cache.
// Under load the round trips cost more than the queries, so requests share them:
// those that arrive while a round trip is under way go together in the next one.
// Each query thus starts after its request arrived, and what it finds is never
// older than the request.

const (
	lookupTimeout = 5 * time.Second        // for one round trip
	lookupStalled = 100 * time.Millisecond // so long one is waited for; then another may start beside it
	lookupBatch   = 64                     // look-ups in one round trip at most
)

// A lookup is one look-up by one query that returns at most one row.
type lookup struct {
	sql  string
	args []any
	read func(pgx.Row) error
	err  error
	done chan struct{} // closed when err is set; nil for one that did not wait
}

// lookups are those that wait for the next round trip.
type lookups struct {
	mu      sync.Mutex
	waiting []*lookup
	running int           // round trips under way
	since   time.Time     // when the last of them started
	stalled time.Duration // lookupStalled
}

// look runs the query sql, and read on its row, which is
// pgx.ErrNoRows where there is none. It returns when read has, or ctx ends.
func (s *Store) look(ctx context.Context, sql string, read func(pgx.Row) error, args ...any) error {
	l := &lookup{sql: sql, args: args, read: read}
	q := &s.lookups
	q.mu.Lock()
	if q.running > 0 && (len(q.waiting) < lookupBatch && time.Since(q.since) < q.stalled || q.running > 1) {
		l.done = make(chan struct{})
		q.waiting = append(q.waiting, l)
		q.mu.Unlock()
		select {
		case <-l.done:
			return l.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	q.running++
	q.since = time.Now()
	q.mu.Unlock()
	s.roundTrip(ctx, []*lookup{l})
	if q.next() {
		go s.lookOn()
	}
	return l.err
}

// next ends a round trip, and reports whether another one must follow it.
func (q *lookups) next() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.since = time.Now()
	if len(q.waiting) == 0 {
		q.running--
		return false
	}
	return true
}

// lookOn makes round trips until nobody waits.
func (s *Store) lookOn() {
	q := &s.lookups
	for more := true; more; more = q.next() {
		q.mu.Lock()
		n := min(len(q.waiting), lookupBatch)
		batch := q.waiting[:n:n]
		q.waiting = q.waiting[n:]
		q.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), lookupTimeout)
		s.roundTrip(ctx, batch)
		cancel()
		for _, l := range batch {
			close(l.done)
		}
	}
}

// roundTrip runs look-ups in one round trip and sets their errors. ctx is for
// getting a connection only.
func (s *Store) roundTrip(ctx context.Context, ls []*lookup) {
	if len(ls) == 0 {
		return
	}
	conn, err := s.pool.Acquire(ctx)
	if err == nil {
		defer conn.Release()
		err = bounded(conn.Conn(), lookupTimeout, func(ctx context.Context, c *pgx.Conn) error {
			lookUp(ctx, c, ls)
			return nil
		})
	}
	for _, l := range ls {
		if err != nil {
			l.err = err
		}
	}
}

func lookUp(ctx context.Context, c *pgx.Conn, ls []*lookup) {
	if len(ls) > 1 {
		together(ctx, c, ls)
	}
	for _, l := range ls {
		// Of several that went together a bad one has failed all: each is tried alone.
		var refused *pgconn.PgError
		if len(ls) == 1 || errors.As(l.err, &refused) && !c.IsClosed() {
			l.err = l.read(c.QueryRow(ctx, l.sql, l.args...))
		}
	}
}

// bounded runs f, which ends by a deadline on the connection itself. To watch a
// context that can end, pgx starts a goroutine for each query; so the one that f
// gets cannot. A connection that has failed is closed by the pool.
func bounded(c *pgx.Conn, limit time.Duration, f func(context.Context, *pgx.Conn) error) error {
	socket := c.PgConn().Conn()
	if err := socket.SetDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	defer func() { _ = socket.SetDeadline(time.Time{}) }()
	return f(context.Background(), c)
}

// together runs several look-ups at once.
func together(ctx context.Context, c *pgx.Conn, ls []*lookup) {
	b := &pgx.Batch{}
	for _, l := range ls {
		b.Queue(l.sql, l.args...)
	}
	rs := c.SendBatch(ctx, b)
	for _, l := range ls {
		l.err = l.read(rs.QueryRow())
	}
	_ = rs.Close() // what went wrong, each look-up was told
}
