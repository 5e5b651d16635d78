package ops

import (
	"context"
	"time"

	"polaris/models"
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

// LetGo takes one look at what there is to let go of.
func (d *Desk) LetGo(ctx context.Context, seen map[models.BrainID]int) error {
	return d.letGo(ctx, seen)
}

// ExpireBodies lets bodies of answers go, as LetGoForever does.
func (d *Desk) ExpireBodies(ctx context.Context) { d.expireBodies(ctx) }
