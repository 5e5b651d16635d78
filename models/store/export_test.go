package store

import (
	"context"
	"time"
)

// Flush seals once, as each tick of [Sealer.Run] does.
func (z *Sealer) Flush(ctx context.Context) { z.flush(ctx) }

// HoldLookups makes look-ups wait for the round trip under way however long it
// takes, and returns how many do.
func (s *Store) HoldLookups() (waiting func() int) {
	s.lookups.mu.Lock()
	defer s.lookups.mu.Unlock()
	s.lookups.stalled = time.Hour
	return func() int {
		s.lookups.mu.Lock()
		defer s.lookups.mu.Unlock()
		return len(s.lookups.waiting)
	}
}

// Kept are the tables of a backup.
var Kept = kept
