package ops_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// seen keeps what an observer is told.
type seen struct {
	mu    sync.Mutex
	calls []string
}

func (s *seen) Called(via ops.Surface, operation, outcome string, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if took < 0 || took > time.Minute {
		outcome += fmt.Sprint(" in ", took)
	}
	s.calls = append(s.calls, via.String()+" "+operation+" "+outcome)
}

// Every call is told of once, however it ended.
func TestTheObserverSeesEveryCall(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	_, p := keyOf(t, d, c)
	got := &seen{}
	d.Observe = got
	call := ops.Call{By: p, Brain: p.Brain, Via: ops.Hosted}
	must(t, d, call, ops.Answer, ops.AskIn{Query: "the late fee"})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, try := range []func() error{
		func() error { _, err := ops.Do(t.Context(), d, call, ops.Answer, ops.AskIn{}); return err },
		func() error {
			_, err := d.Invoke(t.Context(), call, ops.Answer.Entry(), []byte(`{"query":7}`))
			return err
		},
		func() error {
			_, err := ops.Do(t.Context(), d, call, ops.CreateBrain, ops.CreateBrainIn{ID: "urania"})
			return err
		},
		func() error {
			_, err := ops.Do(gone, d, ops.Call{By: models.System("calliope"), Brain: "calliope", Via: ops.CLI}, ops.ListSources, ops.Page{})
			return err
		},
	} {
		if try() == nil {
			t.Error("a call that cannot succeed did")
		}
	}
	want := []string{"mcp answer ok", "mcp answer invalid", "mcp answer invalid", "mcp brains.create not_found", "cli sources.list canceled"}
	if !slices.Equal(got.calls, want) {
		t.Errorf("saw %q, want %q", got.calls, want)
	}
}

func TestOutcomesAreAFixedSet(t *testing.T) {
	t.Parallel()
	for _, err := range []error{nil, context.Canceled, errors.New("postgres://secret"), fault.New(fault.Limited, "x").WithCode("of its own")} {
		if o := ops.Outcome(err); !slices.Contains(ops.Outcomes(), o) {
			t.Errorf("%v has the outcome %q", err, o)
		}
	}
	if n := len(ops.Outcomes()); n != len(fault.Kinds())+2 {
		t.Errorf("%d outcomes", n)
	}
}
