package ops

import (
	"context"
	"errors"
	"time"

	"polaris/models/fault"
)

// An Observer is told how each call ended that reached the gate: what was
// called, from where, with which outcome and in what time. It learns nothing of
// who called, in which brain, with what input; it must be quick, and safe for
// concurrent use.
type Observer interface {
	Called(via Surface, operation, outcome string, took time.Duration)
}

// Outcomes of calls that ended with no fault. The others are the kinds of
// faults by their names, so that all outcomes together are a small, fixed set.
const (
	OutcomeOK       = "ok"
	OutcomeCanceled = "canceled" // whoever asked went away
)

// Outcome returns how a call ended as one word of that set.
func Outcome(err error) string {
	switch {
	case err == nil:
		return OutcomeOK
	case errors.Is(err, context.Canceled):
		return OutcomeCanceled
	}
	return fault.Of(err).Kind.String()
}

// Outcomes returns the whole set.
func Outcomes() []string {
	all := []string{OutcomeOK, OutcomeCanceled}
	for _, k := range fault.Kinds() {
		all = append(all, k.String())
	}
	return all
}

func (d *Desk) observe(c Call, o *Entry, began time.Time, err error) {
	if d.Observe != nil {
		d.Observe.Called(c.Via, o.Name, Outcome(err), d.Now().Sub(began))
	}
}

// Backlog returns how many audit rows of this process are not sealed yet, and
// how long the oldest has waited.
func (d *Desk) Backlog() (rows int, oldest time.Duration) { return d.sealer.Backlog() }
