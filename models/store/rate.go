package store

import (
	"context"
	"crypto/sha256"
	"time"
)

// Hits are what counting requests of a caller gave.
type Hits struct {
	Accepted int           // of those that asked
	Used     int           // of the window, these included
	Wait     time.Duration // until one more is free, where none is left; else until the oldest leaves
}

// TakeRate counts requests that came together from a caller who may have n in
// any window, over all processes of the database. It is one statement, and one
// transaction of its own: what it counted stays counted. Time is the database's,
// unless a test holds it.
func (s *Store) TakeRate(ctx context.Context, caller string, asked, n int, window time.Duration, held *time.Time) (Hits, error) {
	var h Hits
	hash := sha256.Sum256([]byte(caller))
	err := s.pool.QueryRow(ctx, `SELECT accepted, used, wait FROM rate_take($1, $2, $3, $4, $5)`, [16]byte(hash[:16]), asked, n, window, held).
		Scan(&h.Accepted, &h.Used, &h.Wait)
	return h, mapped(err)
}

// sweepBatch bounds how many rows one sweeping transaction removes.
const sweepBatch = 1000

// SweepRates forgets what callers did who have been quiet for so long, and
// returns how many blocks of their log that were. One process sweeps at a time;
// one that comes second returns at once, and no request waits for either.
func (s *Store) SweepRates(ctx context.Context, quiet time.Duration) (n int64, err error) {
	for {
		tag, err := s.pool.Exec(ctx, `WITH old AS MATERIALIZED (
			SELECT caller, block FROM rate_hits
			WHERE (SELECT pg_try_advisory_xact_lock(hashtextextended('sweep rates', 0))) AND at[cardinality(at)] < clock_timestamp() - $1::interval
			LIMIT $2 FOR UPDATE SKIP LOCKED)
			DELETE FROM rate_hits r USING old WHERE r.caller = old.caller AND r.block = old.block`, quiet, sweepBatch)
		n += tag.RowsAffected()
		if err != nil || tag.RowsAffected() < sweepBatch {
			return n, mapped(err)
		}
	}
}
