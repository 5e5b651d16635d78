package ops

import (
	"context"
	"fmt"
	"time"

	"polaris/models"
	"polaris/models/fault"
)

// A Limiter counts the accepted requests of each caller in a sliding window:
// never more than the rate in any window, wherever it begins. A refused request
// does not count, so a caller that keeps trying gets in as soon as the window
// allows.
type Limiter interface {
	// Take counts one request and reports whether it is within the rate. It
	// returns within 200 ms; an error means that the count could not be taken,
	// and callers fail closed. A limiter that several processes share goes by
	// the clock that they share, and not by now.
	Take(ctx context.Context, caller string, r models.Rate, now time.Time) (Taken, error)
}

// Taken is what taking one request from a rate gave.
type Taken struct {
	OK        bool
	Limit     int           // requests in the window; 0 where there is no limit
	Window    time.Duration // the window
	Remaining int           // that are left now
	Reset     time.Duration // until one more is free, when none is left; else until the oldest leaves
}

// longestQuiet is after how long a caller is forgotten: longer than any window
// that a rate may have.
const longestQuiet = 30 * time.Minute

func taken(r models.Rate, ok bool, used int, reset time.Duration) Taken {
	return Taken{OK: ok, Limit: r.N, Window: r.Window, Remaining: max(0, r.N-used), Reset: reset}
}

// Take counts one request of p against its own rate, or the server's. Where
// the count cannot be taken the request is refused: the limit fails closed.
func (d *Desk) Take(ctx context.Context, p models.Principal) (Taken, error) {
	r := p.RateLimit
	if r.IsZero() {
		r = d.Settings.RateLimit
	}
	t, err := d.Limiter.Take(ctx, p.Caller(), r, d.Now())
	if err != nil {
		if ctx.Err() == nil { // that a client went away is nobody's failure
			d.Log.Error("the rate limit could not be checked", "caller", p.Caller(), "error_type", fault.TypeOf(err))
		}
		return Taken{Limit: r.N, Window: r.Window, Reset: time.Second},
			fault.New(fault.Limited, "The limit %s cannot be checked just now, because its store (POLARIS_RATE_LIMIT_STORE) does not answer in time. Try again in a moment.", whose(p, r)).Because(err)
	}
	if !t.OK {
		return t, fault.New(fault.Limited, "Over the limit %s.", whose(p, r))
	}
	return t, nil
}

// whose says what the rate is, and which setting it comes from.
func whose(p models.Principal, r models.Rate) string {
	limit := fmt.Sprintf("of %d requests in %s", r.N, r.Window)
	if p.KeyID != "" {
		return limit + " for this key. It is set per key (--rate), or for the server by POLARIS_RATE_LIMIT"
	}
	return limit + " for each caller, which is set for the server by POLARIS_RATE_LIMIT"
}
