package ops

import (
	"net/netip"
	"slices"
	"sync"
	"time"
)

// Bounds of the throttle for failed credentials.
const (
	mostFailures   = 30          // from one address,
	failuresWindow = time.Minute // in this time
	mostAddresses  = 50_000      // remembered at once
)

// Failures counts the credentials that did not hold, by where they came from.
// Over the bound an address is refused before the database is asked anything.
type Failures struct {
	mu    sync.Mutex
	at    map[netip.Prefix][]time.Time // oldest first, never longer than mostFailures
	swept time.Time

	failed, held int64 // since the start; see Counted
}

// NewFailures returns an empty count.
func NewFailures() *Failures { return &Failures{at: map[netip.Prefix][]time.Time{}} }

// Wait returns how long the address has to wait; 0 or less means that it may
// try.
func (f *Failures) Wait(from netip.Prefix, now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	wait := f.wait(from, now)
	if wait > 0 {
		f.held++
	}
	return wait
}

// Counted returns how many failures [Failures.Add] counted since the start, and
// how many attempts were refused without a look at their credential.
func (f *Failures) Counted() (failed, held int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed, f.held
}

func (f *Failures) wait(from netip.Prefix, now time.Time) time.Duration {
	at := f.at[from]
	if len(at) < mostFailures {
		return 0
	}
	return at[0].Add(failuresWindow).Sub(now)
}

// Add counts one failure.
func (f *Failures) Add(from netip.Prefix, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed++
	f.add(from, now)
}

func (f *Failures) add(from netip.Prefix, now time.Time) {
	if now.Sub(f.swept) > failuresWindow || len(f.at) >= mostAddresses {
		f.sweep(now)
	}
	at := f.at[from]
	if len(at) == mostFailures {
		at = at[1:]
	}
	f.at[from] = append(at, now)
}

// Try counts an attempt as failed before it is made, and returns 0 or less; or
// it returns how long the address has to wait. Where trying is what costs (a
// password's slow hash), any number of simultaneous attempts are thus held to
// the bound. One that did not fail is taken back with [Failures.Forgive].
func (f *Failures) Try(from netip.Prefix, now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	wait := f.wait(from, now)
	if wait <= 0 {
		f.add(from, now)
	} else {
		f.held++
	}
	return wait
}

// Forgive takes back what Try counted at that time.
func (f *Failures) Forgive(from netip.Prefix, tried time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := f.at[from]
	if i := slices.IndexFunc(at, tried.Equal); i >= 0 {
		f.at[from] = slices.Concat(at[:i], at[i+1:])
	}
	if len(f.at[from]) == 0 {
		delete(f.at, from)
	}
}

// sweep forgets addresses that have been quiet. Where an attacker has more
// addresses than are remembered, all are forgotten: memory is bounded, and a
// count by address would not have held such an attacker anyway.
func (f *Failures) sweep(now time.Time) {
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
