package ops_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// A publish by one process is noticed by another, which learns the published
// number with each credential that it looks up. Readers of both are served
// throughout, and within five seconds by the new version.
func TestAnotherProcessNoticesAPublish(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	s, err := store.Open(t.Context(), db.URL, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	other := ops.NewDesk(s, d.Settings, d.Log)
	c := newBrain(t, d, "calliope", false)
	var text strings.Builder
	text.WriteString(rules)
	for i := range 5000 {
		fmt.Fprintf(&text, "\n(%d) Counter %d opens at %d o'clock and is closed on public holidays.\n", i+1, i, i%24)
	}
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(text.String())})
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	key, _ := keyOf(t, d, c)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(strings.Replace(text.String(), "12 euros", "15 euros", 1))})

	ask := func(d *ops.Desk) (*models.Envelope, error) {
		by, err := d.KeyPrincipal(context.Background(), key)
		if err != nil {
			return nil, err
		}
		return ops.Do(context.Background(), d, ops.Call{By: by, Brain: "calliope", Via: ops.Hosted}, ops.Answer, ops.AskIn{Query: "How much is the late fee?"})
	}
	for _, d := range []*ops.Desk{d, other} {
		if env, err := ask(d); err != nil || env.BrainVersion != 1 {
			t.Fatalf("before: %+v, %v", env, err)
		}
	}
	var wg sync.WaitGroup
	var flipped atomic.Pointer[time.Time]
	var served, slowest, latest atomic.Int64
	stop := make(chan struct{})
	for _, d := range []*ops.Desk{d, other} {
		for range 2 {
			wg.Go(func() {
				for seen := false; ; {
					select {
					case <-stop:
						if !seen {
							t.Error("a reader never saw the new version")
						}
						return
					default:
					}
					began := time.Now()
					env, err := ask(d)
					if err != nil || env.Guardrail.Status != models.GuardrailPass {
						t.Errorf("a reader was not served: %+v, %v", env, err)
						return
					}
					served.Add(1)
					slowest.Store(max(slowest.Load(), int64(time.Since(began))))
					switch at := flipped.Load(); {
					case env.BrainVersion == 2 && !seen:
						seen = true
						if at != nil {
							latest.Store(max(latest.Load(), int64(time.Since(*at))))
						}
						if !strings.Contains(env.Result, "15 euros") {
							t.Errorf("version 2 says %q", env.Result)
						}
					case env.BrainVersion == 1 && seen:
						t.Error("the old version answered after the new one")
					}
				}
			})
		}
	}
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	now := time.Now()
	flipped.Store(&now)
	time.Sleep(5 * time.Second)
	close(stop)
	wg.Wait()
	t.Logf("%d answers, slowest %v; the last reader had the new version %v after the flip", served.Load(), time.Duration(slowest.Load()), time.Duration(latest.Load()))
	if late := time.Duration(latest.Load()); late > 5*time.Second {
		t.Errorf("the new version answered %v after the flip", late)
	}
}

// Reading an old version drops nothing that answers, and an answer of it is
// recorded as what it is.
func TestReadingAnOldVersionEvictsNothing(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	for _, euros := range []string{"12", "15", "18"} {
		must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(strings.Replace(rules, "12 euros", euros+" euros", 1))})
		must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	}
	fresh := ops.NewDesk(d.Store, d.Settings, d.Log)
	_, key := keyOf(t, d, c)
	reader := ops.Call{By: key, Brain: "calliope", Via: ops.Hosted}
	now := func() {
		t.Helper()
		if env := must(t, fresh, reader, ops.Answer, ops.AskIn{Query: "How much is the late fee?"}); env.BrainVersion != 3 || !strings.Contains(env.Result, "18") {
			t.Errorf("version %d answers %q", env.BrainVersion, env.Result)
		}
	}
	now()
	engine, err := fresh.Shelf.Exactly(t.Context(), "calliope", 3)
	if err != nil {
		t.Fatal(err)
	}
	for n, euros := range map[int]string{1: "12", 2: "15", 3: "18"} {
		env := must(t, fresh, c, ops.Answer, ops.AskIn{Query: "How much is the late fee?", Version: n})
		if env.BrainVersion != n || !strings.Contains(env.Result, euros+" euros") {
			t.Errorf("as of version %d: version %d, %q", n, env.BrainVersion, env.Result)
		}
		if r := must(t, fresh, c, ops.GetAnswer, ops.AnswerIDIn{ID: env.AnswerID}); !r.Intact || r.Published.N != n {
			t.Errorf("its record: %+v", r)
		}
	}
	now()
	if same, err := fresh.Shelf.Exactly(t.Context(), "calliope", 3); err != nil || same != engine {
		t.Errorf("the published engine was built anew (%v)", err)
	}
	_, err = ops.Do(t.Context(), fresh, reader, ops.Answer, ops.AskIn{Query: "How much is the late fee?", Version: 1})
	refusedAs(t, "a key with advisor:read", err, "insufficient_role")
	_, err = ops.Do(t.Context(), fresh, c, ops.Answer, ops.AskIn{Query: "How much is the late fee?", Version: 9})
	refusedAs(t, "a version that never was", err, "no_such_version")
}
