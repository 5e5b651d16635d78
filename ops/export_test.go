package ops

import (
	"context"
	"time"

	"polaris/models/store"
)

// NewHeldLimiter returns a limiter that goes by the now of Take, and waits for
// the database as long as a busy machine may need.
func NewHeldLimiter(s *store.Store) *StoreLimiter {
	l := NewStoreLimiter(s)
	l.held, l.patience = true, time.Minute
	return l
}

// Expire looks once for what has a time, as ExpireForever does.
func (d *Desk) Expire(ctx context.Context) { d.expire(ctx) }
