package wiretest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/ops"
)

// rateLimit: two requests of the tight key pass, the third is refused, and each
// answer says where the caller stands. Another key is not affected.
func rateLimit(t *testing.T, mount Mount) {
	w := NewWorld(t, mount, Options{Rate: models.Rate{N: 60, Window: time.Minute}})
	left := regexp.MustCompile(`^"default";r=(\d+);t=(\d+)$`)
	for i, want := range []string{"1", "0"} {
		a := w.Do(t, Row{Header: bearer("tight"), Body: `{`})
		m := left.FindStringSubmatch(a.Header.Get("RateLimit"))
		if a.StatusCode != http.StatusBadRequest || m == nil || m[1] != want || a.Header.Get("RateLimit-Policy") != `"default";q=2;w=60` {
			t.Errorf("request %d: %d %q %q", i, a.StatusCode, a.Header.Get("RateLimit"), a.Header.Get("RateLimit-Policy"))
		}
	}
	w.check(t, Row{
		Header: bearer("tight", "Origin", "http://localhost:6274"), Body: ping, Status: 429, Code: "rate_limited", Has: []string{"--rate"},
		Expect: map[string]string{"Access-Control-Allow-Origin": "http://localhost:6274", "Ratelimit-Policy": `"default";q=2;w=60`},
		Also: func(t *testing.T, a *Answer) {
			if n, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || n < 1 || n > 60 {
				t.Errorf("Retry-After %q, want 1 to 60", a.Header.Get("Retry-After"))
			}
		},
	})
	w.check(t, Row{Name: "rate before content type", Header: bearer("tight", "Content-Type", "text/plain"), Body: "x", Status: 429, Code: "rate_limited"})
	w.check(t, Row{Body: ping, Status: 200, Expect: map[string]string{"Ratelimit-Policy": `"default";q=60;w=60`}})
	w.check(t, Row{Header: bearer("operator"), Body: ping, Status: 403, Code: "insufficient_scope", Expect: map[string]string{"Ratelimit-Policy": `"default";q=60;w=60`}})
}

// tooManyFailures: after 30 failed credentials in a minute an address, or a
// whole IPv6 /64, is refused without asking the database; others are not.
func tooManyFailures(t *testing.T, mount Mount) {
	asked := &statements{}
	w := NewWorld(t, mount, Options{Tracer: asked})
	from := func(key, addr string) http.Header { return with("X-API-Key", key, "X-Forwarded-For", addr) }
	for i := range 30 {
		w.check(t, Row{Header: from("sk-polaris-wrong", "203.0.113.9"), Body: ping, Status: 401, Code: "invalid_api_key"})
		w.check(t, Row{Header: from("{revoked}", fmt.Sprintf("2001:db8:1:2::%x", i+1)), Body: ping, Status: 401, Code: "revoked_api_key"})
	}
	// What the caller wrote in front of its own address is not believed.
	before := asked.Load()
	for _, addr := range []string{"203.0.113.9", "198.51.100.1, 203.0.113.9", "2001:db8:1:2:ffff::1"} {
		w.check(t, Row{
			Header: from("{reader}", addr), Body: ping, Status: 429, Code: "too_many_failures",
			Also: func(t *testing.T, a *Answer) {
				if n, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || n < 1 || n > 60 {
					t.Errorf("Retry-After %q, want 1 to 60", a.Header.Get("Retry-After"))
				}
			},
		})
	}
	if n := asked.Load() - before; before == 0 || n != 0 {
		t.Errorf("%d statements before, and %d for who failed too often; want some, and none", before, n)
	}
	for _, addr := range []string{"203.0.113.10", "2001:db8:1:3::1"} {
		w.check(t, Row{Header: from("{reader}", addr), Body: ping, Status: 200})
	}
	if n := asked.Load() - before; n < 2 {
		t.Errorf("%d statements for two whose key was looked up", n)
	}
	w.check(t, Row{Header: with("X-Forwarded-For", "203.0.113.9"), Body: ping, Status: 401, Code: "missing_credential"})
	w.StoreAway()
	w.check(t, Row{Header: from("{reader}", "203.0.113.9"), Body: ping, Status: 429, Code: "too_many_failures"})
}

// statements counts what is sent to the database.
type statements struct{ atomic.Int64 }

// TraceQueryStart counts one.
func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	s.Add(1)
	return ctx
}

// TraceQueryEnd does nothing.
func (*statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// storeAway: that the database is away is never told as a wrong key.
func storeAway(t *testing.T, mount Mount) {
	w := NewWorld(t, mount, Options{})
	w.StoreAway()
	w.check(t, Row{
		Body: ping, Header: bearer("reader", "Origin", "http://localhost:6274"), Status: 503, Code: "unavailable",
		Expect: map[string]string{"Retry-After": "2", "Www-Authenticate": "", "Access-Control-Allow-Origin": "http://localhost:6274"},
	})
	w.check(t, Row{Name: "no database needed", Header: with("X-API-Key", "sk-polaris-x"), Body: ping, Status: 401, Code: "invalid_api_key"})
}

// revocation holds from the next request on.
func revocation(t *testing.T, mount Mount) {
	w := NewWorld(t, mount, Options{})
	w.check(t, Row{Body: ping, Status: 200})
	w.Revoke(w.Keys["reader"])
	w.check(t, Row{Body: ping, Status: 401, Code: "revoked_api_key"})
}

// noLimiter is a limiter that cannot be reached.
type noLimiter struct{}

func (noLimiter) Take(context.Context, string, models.Rate, time.Time) (ops.Taken, error) {
	return ops.Taken{}, errors.New("dial tcp: connection refused")
}

// limiterAway: a rate that cannot be checked is not within bounds.
func limiterAway(t *testing.T, mount Mount) {
	w := NewWorld(t, mount, Options{Rate: models.Rate{N: 60, Window: time.Minute}})
	closed := Row{
		Body: ping, Header: bearer("reader", "Origin", "http://localhost:6274"), Status: 429, Code: "rate_limited", Has: []string{"--rate", "POLARIS_RATE_LIMIT_STORE"}, Lacks: []string{"refused"},
		Expect: map[string]string{"Retry-After": "1", "Ratelimit-Policy": `"default";q=60;w=60`, "Ratelimit": `"default";r=0;t=1`, "Access-Control-Allow-Origin": "http://localhost:6274"},
	}
	w.Desk.Limiter = noLimiter{}
	w.check(t, closed)

	// The counts' table is locked, by a migration, say: the answer does not wait.
	w.Desk.Limiter = ops.NewStoreLimiter(w.Desk.Store)
	w.check(t, Row{Body: ping, Status: 200, Expect: map[string]string{"Ratelimit-Policy": `"default";q=60;w=60`}})
	owner, err := pgx.Connect(t.Context(), w.DB.Own)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.Background())
	if _, err := owner.Exec(t.Context(), "BEGIN; LOCK TABLE rate_hits"); err != nil {
		t.Fatal(err)
	}
	quickest := time.Hour // of three: the machine may be busy
	for range 3 {
		began := time.Now()
		w.check(t, closed)
		quickest = min(quickest, time.Since(began))
	}
	if quickest > 200*time.Millisecond {
		t.Errorf("refused after %s, want within 200 ms", quickest)
	}
	t.Logf("refused after %s", quickest)
}

// auditAway: no answer leaves without its audit row, and what fails instead
// keeps to the shape of a failing tool.
func auditAway(t *testing.T, mount Mount) {
	w := NewWorld(t, mount, Options{Published: true})
	w.Ask(t, "reader", "answer", map[string]any{"query": "HB 1"})
	w.asOwner("REVOKE INSERT ON audit FROM polaris_app")
	for _, tool := range []string{"answer", "retrieve"} {
		a := w.Do(t, Row{Body: Call(1, tool, map[string]any{"query": "HB 1"})})
		if r := a.Result(t); a.StatusCode != http.StatusOK || !r.IsError || r.Data != nil || !strings.Contains(r.Content[0].Text, "audit_unavailable") {
			t.Errorf("%s: %d %s", tool, a.StatusCode, a.Body)
		}
	}
}

// asOwner runs one statement as the login that owns the tables.
func (w *World) asOwner(sql string) {
	w.tb.Helper()
	c, err := pgx.Connect(w.tb.Context(), w.DB.Own)
	if err != nil {
		w.tb.Fatal(err)
	}
	defer c.Close(w.tb.Context())
	if _, err := c.Exec(w.tb.Context(), sql); err != nil {
		w.tb.Fatalf("%s: %v", sql, err)
	}
}
