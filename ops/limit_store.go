package ops

import (
	"context"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// storeTimeout is how long the count may take: what is left of 200 ms is for
// whoever waits to be told.
const storeTimeout = 150 * time.Millisecond

// A StoreLimiter keeps the times of each caller's requests in the database:
// exact for all processes that share it, and by its clock.
type StoreLimiter struct {
	Store *store.Store

	// Held makes the now of Take count instead of the database's clock, for
	// tests.
	Held bool
}

// Take counts one request.
func (l *StoreLimiter) Take(ctx context.Context, caller string, r models.Rate, now time.Time) (Taken, error) {
	if r.Off {
		return Taken{OK: true}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	var held *time.Time
	if l.Held {
		held = &now
	}
	h, err := l.Store.TakeRate(ctx, caller, r.N, r.Window, held)
	if err != nil {
		return Taken{}, err
	}
	return taken(r, h.OK, h.Used, h.Wait), nil
}

// SweepRates forgets callers that have been quiet, once a minute until ctx ends,
// where the limiter keeps them in the database. (One in memory does it itself.)
func (d *Desk) SweepRates(ctx context.Context) {
	if _, ok := d.Limiter.(*StoreLimiter); !ok {
		return
	}
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if _, err := d.Store.SweepRates(ctx, longestQuiet); err != nil && ctx.Err() == nil {
			d.Log.Warn("quiet callers could not be forgotten", "error_type", fault.TypeOf(err))
		}
	}
}
