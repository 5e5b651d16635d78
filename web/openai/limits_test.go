package openai_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/internal/wiretest"
	"polaris/models"
	"polaris/ops"
	"polaris/web/openai"
)

// TestRate: each path counts, each answer says where the caller stands, and a
// client is told when to come back.
func TestRate(t *testing.T) {
	t.Parallel()
	both(t, wiretest.Options{Rate: models.Rate{N: 60, Window: time.Minute}}, func(t *testing.T, w *wiretest.World) {
		policy := map[string]string{"Ratelimit-Policy": `"default";q=2;w=60`}
		if a := w.Do(t, wiretest.Row{Method: "GET", Path: "/v1/models", Header: bearer("tight")}); a.StatusCode != http.StatusOK || !strings.HasPrefix(a.Header.Get("RateLimit"), `"default";r=1;`) {
			t.Errorf("%d %v", a.StatusCode, a.Header)
		}
		refused(t, w, row{Row: wiretest.Row{Header: bearer("tight"), Body: `{`, Status: 400, Code: "invalid_json", Expect: policy}})
		for _, r := range []wiretest.Row{
			{Name: "chat", Header: bearer("tight"), Body: ask("x")},
			{Name: "stream", Header: bearer("tight"), Body: ask("x", `"stream":true`)},
			{Name: "rate before content", Header: bearer("tight", "Content-Type", "text/plain"), Body: "x"},
			{Name: "models", Method: "GET", Path: "/models", Header: bearer("tight")},
		} {
			r.Status, r.Code, r.Expect = 429, "rate_limited", policy
			a := refused(t, w, row{Row: r})
			if n, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || n < 1 || n > 60 {
				t.Errorf("%s: Retry-After %q", r.Name, a.Header.Get("Retry-After"))
			}
		}
		w.Desk.Limiter = limiter(func() (ops.Taken, error) { return ops.Taken{}, errors.New("dial tcp: connection refused") })
		refused(t, w, row{Row: wiretest.Row{Name: "limiter away", Body: ask("x"), Status: 429, Code: "rate_limited", Expect: map[string]string{"Retry-After": "1"}}})
	})
}

// A limiter is a rate that a test decides on.
type limiter func() (ops.Taken, error)

func (l limiter) Take(context.Context, string, models.Rate, time.Time) (ops.Taken, error) { return l() }

func TestTooManyFailures(t *testing.T) {
	t.Parallel()
	both(t, wiretest.Options{}, func(t *testing.T, w *wiretest.World) {
		from := func(key string) http.Header { return header("X-API-Key", key, "X-Forwarded-For", "203.0.113.9") }
		for range 30 {
			refused(t, w, row{Row: wiretest.Row{Header: from("sk-polaris-wrong"), Body: ask("x"), Status: 401, Code: "invalid_api_key"}})
		}
		a := refused(t, w, row{Row: wiretest.Row{Header: from("{reader}"), Body: ask("x"), Status: 429, Code: "too_many_failures"}})
		if a.Header.Get("Retry-After") == "" {
			t.Errorf("no Retry-After: %v", a.Header)
		}
	})
}

// TestRevocation holds from the next request on.
func TestRevocation(t *testing.T) {
	t.Parallel()
	both(t, wiretest.Options{}, func(t *testing.T, w *wiretest.World) {
		answered(t, w, "reader", ask("Who?"))
		w.Revoke(w.Keys["reader"])
		refused(t, w, row{Row: wiretest.Row{Body: ask("Who?"), Status: 401, Code: "revoked_api_key"}})
	})
}

// TestOutages: what is our fault says nothing of its cause, here or in the log,
// and is never told as the caller's.
func TestOutages(t *testing.T) {
	t.Parallel()
	t.Run("store away", func(t *testing.T) {
		t.Parallel()
		both(t, wiretest.Options{}, func(t *testing.T, w *wiretest.World) {
			w.StoreAway()
			for _, path := range []string{chat, "/v1/models"} {
				method := http.MethodPost
				if path != chat {
					method = http.MethodGet
				}
				refused(t, w, row{Row: wiretest.Row{Method: method, Path: path, Body: ask("x"), Status: 503, Code: "unavailable", Expect: map[string]string{"Retry-After": "2", "Www-Authenticate": ""}}})
			}
		})
	})
	t.Run("panic", func(t *testing.T) {
		t.Parallel()
		var log wiretest.Log
		w := wiretest.NewWorld(t, alone, wiretest.Options{Log: &log})
		w.Desk.Limiter = limiter(func() (ops.Taken, error) { panic("secret cause") })
		a := refused(t, w, row{Row: wiretest.Row{Header: bearer("reader", "X-Request-Id", "req-panic"), Body: ask("x"), Status: 500, Code: "internal"}})
		if strings.Contains(string(a.Body)+log.String(), "secret cause") || !strings.Contains(log.String(), "req-panic") {
			t.Errorf("body %s, log %s", a.Body, log.String())
		}
	})
	t.Run("too slow", func(t *testing.T) {
		t.Parallel()
		w := wiretest.NewWorld(t, func(_ testing.TB, w *wiretest.World, _ http.Handler) http.Handler {
			return openai.New(w.Desk, w.Door, openai.Config{Deadline: time.Second})
		}, wiretest.Options{Published: true})
		answered(t, w, "reader", ask(question()))
		own, err := pgx.Connect(t.Context(), w.DB.Own)
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close(context.Background())
		if _, err := own.Exec(t.Context(), "BEGIN; LOCK TABLE audit"); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		for _, stream := range []string{`"stream":false`, `"stream":true`} {
			a := w.Do(t, wiretest.Row{Path: chat, Body: ask(question(), stream)})
			if a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" || !bytes.Contains(a.Body, []byte(`"type":"server_error"`)) || bytes.Contains(a.Body, []byte("## Sources")) {
				t.Errorf("%d %v %s", a.StatusCode, a.Header, a.Body)
			}
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("took %s", d)
		}
	})
}

// A leaver is a client that goes away after some events.
type leaver struct {
	*httptest.ResponseRecorder
	writes, after int
	gone          func()
}

func (l *leaver) Write(b []byte) (int, error) {
	l.writes++
	if l.writes == l.after {
		l.gone()
	}
	if l.writes > l.after {
		return 0, errors.New("broken pipe")
	}
	return l.ResponseRecorder.Write(b)
}

// TestFlushed: each event leaves as soon as it is written, and none is written
// after the client has gone.
func TestFlushed(t *testing.T) {
	t.Parallel()
	w := wiretest.NewWorld(t, alone, wiretest.Options{Published: true})
	h := alone(t, w, nil)
	send := func(a http.ResponseWriter, ctx context.Context) {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, chat, strings.NewReader(ask(question(), `"stream":true`)))
		r.Host = wiretest.PublicHost
		r.Header = http.Header{"X-Api-Key": {w.Keys["reader"]}, "Content-Type": {"application/json"}}
		h.ServeHTTP(a, r)
	}
	whole := &counter{ResponseRecorder: httptest.NewRecorder()}
	send(whole, t.Context())
	if n := len(events(t, whole.Body.Bytes())) + 1; n < 5 || whole.flushes != n {
		t.Errorf("%d events, %d flushes", n, whole.flushes)
	}
	ctx, hangUp := context.WithCancel(t.Context())
	l := &leaver{httptest.NewRecorder(), 0, 2, hangUp}
	send(l, ctx)
	if l.writes != 2 || strings.Contains(l.Body.String(), "[DONE]") {
		t.Errorf("%d writes: %s", l.writes, l.Body)
	}
	broken := &leaver{httptest.NewRecorder(), 0, 2, func() {}}
	send(broken, t.Context())
	if broken.writes != 3 {
		t.Errorf("%d writes on a broken connection", broken.writes)
	}
}

// A counter counts how often an answer is flushed.
type counter struct {
	*httptest.ResponseRecorder
	flushes int
}

func (c *counter) FlushError() error { c.flushes++; return nil }

// TestStreamArrivesInPieces: through the router, too, the first event is read
// before the last is there to be.
func TestStreamArrivesInPieces(t *testing.T) {
	t.Parallel()
	w := wiretest.NewWorld(t, routed, wiretest.Options{Published: true})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL+chat, strings.NewReader(ask(question(), `"stream":true`)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"X-Api-Key": {w.Keys["reader"]}, "Content-Type": {"application/json"}}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if len(res.TransferEncoding) != 1 || res.TransferEncoding[0] != "chunked" {
		t.Errorf("transfer encoding %v", res.TransferEncoding)
	}
	line, err := bufio.NewReader(res.Body).ReadString('\n')
	if err != nil || !strings.Contains(line, `"role":"assistant"`) {
		t.Errorf("first line %q, %v", line, err)
	}
}
