package mcp

import (
	"net/netip"
	"sync"
	"time"
)

// Bounds of the throttle for failed credentials.
const (
	mostFailures   = 30          // from one address,
	failuresWindow = time.Minute // in this time
	mostAddresses  = 50_000      // remembered at once
)

// failures counts the credentials that did not hold, by where they came from.
// Over the bound an address is refused before the database is asked anything.
type failures struct {
	mu    sync.Mutex
	at    map[netip.Prefix][]time.Time // oldest first, never longer than mostFailures
	swept time.Time
}

func newFailures() *failures { return &failures{at: map[netip.Prefix][]time.Time{}} }

// wait returns how long the address has to wait; 0 means that it may try.
func (f *failures) wait(from netip.Prefix, now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := f.at[from]
	if len(at) < mostFailures {
		return 0
	}
	return at[0].Add(failuresWindow).Sub(now) // not above 0 once the oldest has left the window
}

// add counts one failure.
func (f *failures) add(from netip.Prefix, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.swept) > failuresWindow || len(f.at) >= mostAddresses {
		f.sweep(now)
	}
	at := f.at[from]
	if len(at) == mostFailures {
		at = at[1:]
	}
	f.at[from] = append(at, now)
}

// sweep forgets addresses that have been quiet. Where an attacker has more
// addresses than are remembered, all are forgotten: memory is bounded, and a
// count by address would not have held such an attacker anyway.
func (f *failures) sweep(now time.Time) {
	f.swept = now
	for a, at := range f.at {
		if now.Sub(at[len(at)-1]) > failuresWindow {
			delete(f.at, a)
		}
	}
	if len(f.at) >= mostAddresses {
		clear(f.at)
	}
}
