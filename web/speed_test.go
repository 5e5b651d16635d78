package web

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// A tally counts the statements that reach the database.
type tally struct{ n atomic.Int64 }

func (q *tally) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	q.n.Add(1)
	return ctx
}

func (*tally) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// lists are the pages whose content grows.
var lists = []string{"", "/search?q=r", "/ask", "/answers", "/wiki", "/sources", "/sources/S0", "/topic-cards", "/versions", "/approvals", "/golden-questions", "/settings", "/settings/api-keys", "/settings/members", "/audit"}

// grown is an instance whose brain has sources, cards, proposals and answers.
func grown(t *testing.T, o store.Options) (*site, *browser, func(sources, passages, proposals int)) {
	s, b := startedWith(t, o)
	s.desk.Settings.RateLimit = models.Rate{Off: true}
	c := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: owner}, Brain: "calliope", Via: ops.CLI}
	key := b.createKey("calliope", "agent")
	p, err := s.desk.KeyPrincipal(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	program := models.Principal{Kind: models.KindPerson, Person: p.Person, Actor: owner, Brain: "calliope", TokenID: "x", Roles: []models.Role{models.RoleOwner}, Scopes: []models.Scope{models.ScopeWrite}, Authenticated: true}
	made, proposed := 0, 0
	return s, b, func(sources, passages, proposals int) {
		for ; made < sources; made++ {
			var text strings.Builder
			fmt.Fprintf(&text, "# Rules %d\n\n## 1 Fees\n\n", made)
			for i := range passages {
				fmt.Fprintf(&text, "Rule %d of source %d says that the fee number %d is %d dollars.\n\n", i, made, i, i+made)
			}
			run(s, c, ops.ImportSource, ops.ImportSourceIn{Name: "x.md", Title: fmt.Sprint("Rules ", made), Code: fmt.Sprint("S", made), Data: []byte(text.String())})
			run(s, c, ops.SaveCard, ops.SaveCardIn{ID: fmt.Sprint("card-", made), Label: "Fees", Covers: "fees", Anchors: []string{fmt.Sprintf("S%d § 1 Fees ¶1", made)}})
		}
		var all sync.WaitGroup
		gate := make(chan struct{}, 4)
		for ; proposed < proposals; proposed++ {
			gate <- struct{}{}
			n := proposed
			all.Go(func() {
				defer func() { <-gate }()
				in := ops.SaveCardIn{ID: fmt.Sprint("wish-", n), Label: "Wish", Covers: "a rule", Anchors: []string{"S0 § 1 Fees ¶1"}}
				if _, err := ops.Do(context.Background(), s.desk, ops.Call{By: program, Brain: "calliope", Via: ops.REST}, ops.SaveCard, in); err == nil {
					t.Error("a program's card is saved at once")
				} else if _, waits := ops.AsWaiting(err); !waits {
					t.Error(err)
				}
			})
			if t.Failed() {
				break
			}
		}
		all.Wait()
		run(s, c, ops.PublishVersion, ops.PublishIn{})
		for range 3 {
			s.askAs(key, "calliope")
		}
	}
}

// No page asks more of the database because there is more in the brain.
func TestPagesAskABoundedNumberOfQuestions(t *testing.T) {
	t.Parallel()
	q := &tally{}
	_, b, grow := grown(t, store.Options{Tracer: q})
	count := func() map[string]int64 {
		all := map[string]int64{}
		for _, path := range lists {
			b.get("/brains/calliope" + path).want(http.StatusOK) // what is read once is read
			before := q.n.Load()
			b.get("/brains/calliope" + path).want(http.StatusOK)
			all[path] = q.n.Load() - before
		}
		return all
	}
	grow(2, 3, 2)
	few := count()
	grow(12, 3, 14)
	many := count()
	for _, path := range lists {
		if few[path] == 0 || many[path] > few[path] {
			t.Errorf("%q asks %d questions of 2 sources and proposals, and %d of 12", path, few[path], many[path])
		}
		if many[path] > 45 {
			t.Errorf("%q asks %d questions", path, many[path])
		}
	}
	t.Logf("statements: %v", many)
}

// With 100,000 passages and 10,000 proposals each page is made within 50 ms, half
// of the time.
// Filling the brain takes minutes, so by default it has fewer, and all that is
// shown is that no page is slow beyond what a busy machine explains.
func TestPagesAreQuick(t *testing.T) {
	sources, passages, proposals, most := 4, 100, 60, time.Second
	if os.Getenv("POLARIS_TEST_LONG") != "" {
		sources, passages, proposals, most = 50, 2000, 10_000, 50*time.Millisecond
	}
	_, b, grow := grown(t, store.Options{})
	start := time.Now()
	grow(sources, passages, proposals)
	t.Logf("%d passages and %d proposals came in %s", sources*passages, proposals, time.Since(start).Round(time.Second))
	for _, path := range lists {
		var took []time.Duration
		for range 11 {
			start := time.Now()
			b.get("/brains/calliope" + path).want(http.StatusOK)
			took = append(took, time.Since(start))
		}
		slices.Sort(took)
		t.Logf("%-22q p50 %.1f ms, slowest %.1f ms", path, took[5].Seconds()*1000, took[10].Seconds()*1000)
		if took[5] > most {
			t.Errorf("%q takes %s", path, took[5])
		}
	}
}
