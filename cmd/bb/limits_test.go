package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"polaris/models"
	"polaris/ops"
)

func TestWhereRatesAreCounted(t *testing.T) {
	t.Parallel()
	const elsewhere = "postgres://db.example/x"
	for _, c := range []struct{ database, set, want, warns string }{
		{"", "", "memory", ""},
		{"", "memory", "memory", ""},
		{"", "postgres", "postgres", ""},
		{elsewhere, "", "postgres", ""},
		{elsewhere, "postgres", "postgres", ""},
		{elsewhere, "memory", "memory", "POLARIS_RATE_LIMIT_STORE"},
	} {
		var log bytes.Buffer
		set := &checked{Settings: Settings{DatabaseURL: c.database, RateLimitStore: c.set}, rate: models.Rate{N: 60, Window: time.Minute}}
		set.warnOfRates(slog.New(slog.NewTextHandler(&log, nil)))
		_, shared := set.limiter(nil).(*ops.StoreLimiter)
		if set.rateStore() != c.want || shared != (c.want == "postgres") {
			t.Errorf("database %q, setting %q: %s, shared %v; want %s", c.database, c.set, set.rateStore(), shared, c.want)
		}
		if c.warns == "" && log.Len() > 0 || !strings.Contains(log.String(), c.warns) {
			t.Errorf("database %q, setting %q: logged %q, want %q", c.database, c.set, log.String(), c.warns)
		}
	}
}

// A pressed server was sent one request after the other; kept is what it
// accepted.
type pressed struct {
	mu             sync.Mutex
	sent, answered []time.Time // of the accepted
	refused        map[string]int
}

// press sends requests until the time is over, sometimes with a pause.
func (p *pressed) press(t *testing.T, url, key string, rnd *rand.Rand, until time.Time) {
	for time.Now().Before(until) {
		began := time.Now()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		ended := time.Now()
		if err != nil {
			t.Error(err)
			return
		}
		if resp.Header.Get("RateLimit") == "" || resp.Header.Get("RateLimit-Policy") == "" {
			t.Errorf("%d without the caller's rate: %v", resp.StatusCode, resp.Header)
		}
		p.mu.Lock()
		switch resp.StatusCode {
		case http.StatusOK:
			p.sent, p.answered = append(p.sent, began), append(p.answered, ended)
		case http.StatusTooManyRequests:
			checkRefusal(t, resp, body)
			p.refused[url]++
		default:
			t.Errorf("%d %s", resp.StatusCode, body)
		}
		p.mu.Unlock()
		pause := rnd.IntN(20)
		if rnd.IntN(200) == 0 {
			pause = 500
		}
		time.Sleep(time.Duration(pause) * time.Millisecond)
	}
}

func checkRefusal(t *testing.T, resp *http.Response, body []byte) {
	t.Helper()
	var e struct {
		Error struct{ Code, Message string }
	}
	after, aerr := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err := json.Unmarshal(body, &e); err != nil || aerr != nil || after < 1 || e.Error.Code != "rate_limited" || !strings.Contains(e.Error.Message, "--rate") {
		t.Errorf("refused with Retry-After %q and %s", resp.Header.Get("Retry-After"), body)
	}
}

// most returns how many were accepted, for certain, within one window wherever
// it begins: sent after its begin and answered before its end.
func (p *pressed) most(window time.Duration) (most int) {
	for _, from := range p.sent {
		in := 0
		for i, s := range p.sent {
			if !s.Before(from) && p.answered[i].Before(from.Add(window)) {
				in++
			}
		}
		most = max(most, in)
	}
	return most
}

// TestNeverMoreOverThreeProcesses presses three servers on one database with one
// key for more than three windows. With POLARIS_TEST_LONG set it is the real
// rate, 60 in 60 s, that is held so; else the window is 2 s.
func TestNeverMoreOverThreeProcesses(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	window := 2 * time.Second
	if os.Getenv("POLARIS_TEST_LONG") != "" {
		window = time.Minute
	}
	data := dataFolder(t)
	var servers []*server
	for range 3 {
		s, _ := serve(t, data, freeAddress(t), "--rate-limit-store", "postgres", "--rate-limit", "off")
		servers = append(servers, s)
	}
	bb := func(args ...string) string {
		t.Helper()
		c := exec.Command(os.Args[0])
		c.Args = append(append([]string{"bb"}, args...), "--data-dir", data)
		out, err := c.Output()
		if err != nil {
			t.Fatalf("bb %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	bb("brain", "create", "acme", "--name", "Acme", "--owner", "ada@example.org")
	key := bb("apikey", "mint", "--brain-id", "acme", "--label", "agent", "--rate", "60/"+window.String())

	p := &pressed{refused: map[string]int{}}
	began := time.Now()
	until := began.Add(3*window + window/4)
	var wg sync.WaitGroup
	for i := range 9 {
		wg.Go(func() { p.press(t, servers[i%3].url, key, rand.New(rand.NewPCG(3, uint64(i))), until) })
	}
	wg.Wait()
	most := p.most(window)
	t.Logf("in %s: %d accepted, at most %d in any %s; refused %v", time.Since(began).Round(time.Second), len(p.sent), most, window, p.refused)
	if most > 60 {
		t.Errorf("%d accepted within %s, want at most 60", most, window)
	}
	if len(p.sent) < 3*60 { // a limit that is too strict is wrong, too
		t.Errorf("%d accepted in more than three windows, want at least 180", len(p.sent))
	}
	for _, s := range servers {
		if p.refused[s.url] == 0 {
			t.Errorf("%s refused nothing, so it was not pressed", s.url)
		}
		if got := strings.Count(s.err.String(), "POLARIS_RATE_LIMIT is off"); got != 1 {
			t.Errorf("the log says %d times that there is no limit, want once:\n%s", got, s.err.String())
		}
		s.stop(t)
	}
}
