package web

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"polaris/ops"
)

// scrape returns what /metrics says now.
func (s *site) scrape() string {
	s.t.Helper()
	return s.browser().get("/metrics").want(http.StatusOK).text
}

// series returns the lines of a family, without comments and values.
func series(text, family string) (all []string) {
	for line := range strings.Lines(text) {
		if name, _, _ := strings.Cut(line, " "); strings.HasPrefix(line, family) && !strings.HasPrefix(line, "#") {
			all = append(all, name)
		}
	}
	return all
}

// callTool calls a tool of the hosted endpoint.
func (s *site) callTool(key, tool, args string) *answer {
	s.t.Helper()
	return s.browser().do(http.MethodPost, "/v1/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+args+`}}`,
		"Content-Type", "application/json", "Authorization", "Bearer "+key)
}

// After traffic of all kinds, the metrics say what happened and nothing of whom
// or what it was about.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s, b := published(t)
	s.server.Measure()
	key := b.createKey("calliope", "label-of-the-key")
	s.callTool(key, "answer", `{"query":"`+question()+`"}`).want(http.StatusOK)
	s.callTool(key, "retrieve", `{"query":"zebras of the moon"}`).want(http.StatusOK)
	s.callTool(key, "topic_cards", `{}`).want(http.StatusOK)
	s.askAs(key, "calliope")
	s.callTool("sk-polaris-wrong", "answer", `{}`).want(http.StatusUnauthorized)
	b.get("/brains/calliope/answers/ans_secretpath").want(http.StatusNotFound)
	b.get("/nowhere/secretpath?key=" + key).want(http.StatusNotFound)
	b.get("/.well-known/oauth-protected-resource").want(http.StatusNotFound)
	b.post("/brains/calliope/ask", url.Values{"question": {"secretpath"}}).want(http.StatusSeeOther)

	text := s.scrape()
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "polaris_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
	for _, want := range []string{
		`polaris_http_requests_total{method="POST",route="/v1/mcp",status="2xx",surface="mcp"} 3`,
		`polaris_http_requests_total{method="POST",route="/v1/mcp",status="4xx",surface="mcp"} 1`,
		`polaris_http_requests_total{method="POST",route="/v1/brains/:brain_id/answers",status="2xx",surface="rest"} 1`,
		`polaris_http_requests_total{method="GET",route="discovery",status="4xx",surface="mcp"} 1`,
		`polaris_http_requests_total{method="GET",route="other",status="4xx",surface="other"} 1`,
		`polaris_http_request_duration_seconds_count{route="/v1/mcp",status="2xx",surface="mcp"} 3`,
		`polaris_operations_total{operation="answer",outcome="ok",surface="mcp"} 1`,
		`polaris_operations_total{operation="answer",outcome="ok",surface="rest"} 1`,
		`polaris_operations_total{operation="answers.get",outcome="not_found",surface="web"} 1`,
		`polaris_operation_duration_seconds_count{operation="retrieve"} 1`,
		"polaris_credential_failures_total 1", "polaris_credential_throttled_total 0",
		`polaris_rate_limit_refusals_total{reason="over_limit"} 0`, `polaris_rate_limit_refusals_total{reason="limiter_unavailable"} 0`,
		"polaris_engines_loaded 1", "polaris_ready 1", "polaris_http_requests_in_flight 1", "polaris_database_connections_limit 16",
		`polaris_build_info{version="v9"} 1`, "polaris_audit_commit_failures_total 0", "go_goroutines ", "process_resident_memory_bytes ",
	} {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("no line %q", want)
		}
	}
	for _, positive := range []string{"polaris_audit_commits_total", "polaris_audit_committed_rows_total", "polaris_audit_commit_seconds_total", "polaris_engine_bytes", "polaris_database_acquires_total", "polaris_audit_unsealed_rows", "polaris_audit_seal_lag_seconds"} {
		if m := regexp.MustCompile(`(?m)^` + positive + ` (\S+)$`).FindStringSubmatch(text); m == nil || !strings.ContainsAny(m[1], "123456789") || m[1][0] == '-' {
			t.Errorf("%s is %v, want it above 0", positive, m)
		}
	}
	for _, secret := range []string{key, key[:23], "sk-polaris", "calliope", "Calliope", "label-of-the-key", "zebras", "secretpath", owner, question()[:20], "127.0.0.1"} {
		if strings.Contains(text, secret) {
			t.Errorf("the metrics hold %q", secret)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// TestMetricsAreDocumented holds the table of docs/operations.md against what is
// served.
func TestMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.server.Measure()
	s.server.metrics.Called(ops.CLI, "answer", ops.OutcomeOK, time.Second)
	doc, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	s.scrape()
	served, documented := map[string]bool{}, map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (polaris_\S+)`).FindAllStringSubmatch(s.scrape(), -1) {
		served[m[1]] = true
	}
	for _, m := range regexp.MustCompile("`(polaris_[a-z_]+)`").FindAllStringSubmatch(string(doc), -1) {
		documented[m[1]] = true
	}
	if !maps.Equal(served, documented) || len(served) < 20 {
		t.Errorf("served are %v, documented %v", slices.Sorted(maps.Keys(served)), slices.Sorted(maps.Keys(documented)))
	}
}

// Strangers cannot make series: neither by paths, methods and hosts, nor by
// keys.
func TestMetricsDoNotGrow(t *testing.T) {
	t.Parallel()
	s, b := published(t)
	s.desk.Limiter = ops.NewMemoryLimiter()
	s.server.Measure()
	key := b.createKey("calliope", "agent")
	try := func(i int) {
		s.browser().do(fmt.Sprintf("METHOD%d", i), fmt.Sprintf("/path/%d", i), "")
		s.callTool(key, "answer", fmt.Sprintf(`{"query":"what of %d"}`, i))
		s.callTool(key, fmt.Sprintf("tool%d", i), `{}`)
		s.browser().do(http.MethodPost, "/v1/mcp", "{}", "Host", fmt.Sprintf("h%d.example.org", i), "Content-Type", "application/json")
		b.get(fmt.Sprintf("/brains/calliope/wiki/title%d", i))
	}
	wrong := func(i int) {
		s.browser().do(http.MethodGet, fmt.Sprintf("/v1/brains/brain%d/topic-cards", i), "", "X-API-Key", fmt.Sprintf("sk-polaris-%d", i))
	}
	for i := range 40 { // past the rate, and then past the throttle, so that those are seen, too
		try(i)
	}
	for i := range 40 {
		wrong(i)
	}
	s.scrape() // which is a series itself
	before := series(s.scrape(), "polaris_")
	const more = 1000
	for i := range more {
		try(100 + i)
		wrong(100 + i)
	}
	after := s.scrape()
	for _, name := range series(after, "polaris_") {
		if !slices.Contains(before, name) {
			t.Errorf("after %d different paths, methods, hosts, brains, tools and keys there is %s", more, name)
		}
	}
	if !strings.Contains(after, `polaris_http_requests_total{method="other",route="other",status="4xx",surface="other"} 1040`) {
		t.Errorf("invented methods are counted as\n%s", strings.Join(series(after, "polaris_http_requests_total"), "\n"))
	}
	for _, counted := range []string{`polaris_rate_limit_refusals_total{reason="over_limit"} `, "polaris_credential_throttled_total "} {
		if !regexp.MustCompile(regexp.QuoteMeta("\n"+counted) + `[1-9]`).MatchString(after) {
			t.Errorf("%snot counted", counted)
		}
	}
}

// Who may read the metrics is decided by where the request comes from. Somebody
// behind a proxy on this machine comes from elsewhere.
func TestWhoMayScrape(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.server.conf.MetricsAllow = []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/8")}
	s.server.door.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("127.0.0.2/32")}
	for _, c := range []struct {
		peer, host, headers string
		want                int
	}{
		{"127.0.0.1:9", "127.0.0.1:8088", "", 200},
		{"127.0.0.1:9", "localhost:8088", "", 200},
		{"[::1]:9", "[::1]:8088", "", 200},
		{"[::ffff:127.0.0.1]:9", "127.0.0.1:8088", "", 200},
		{"10.1.2.3:9", "10.1.0.1:8088", "", 200},
		{"10.1.2.3:9", "wiki.example.org", "", 200},
		{"[fd00::7]:9", "[fd00::1]:8088", "", 200},
		// Elsewhere, nothing is there.
		{"10.2.0.1:9", "localhost:8088", "", 404},
		{"203.0.113.7:9", "127.0.0.1:8088", "", 404},
		{"[2001:db8::1]:9", "localhost", "", 404},
		{"@", "localhost", "", 404}, // a unix socket
		// A proxy on this machine, as it shows.
		{"127.0.0.1:9", "127.0.0.1:8088", "X-Forwarded-For: 203.0.113.7", 404},
		{"127.0.0.1:9", "127.0.0.1:8088", "X-Forwarded-For: 127.0.0.1", 404},
		{"127.0.0.1:9", "127.0.0.1:8088", "X-Forwarded-For: 10.1.2.3", 404}, // it is not trusted
		{"127.0.0.1:9", "localhost:8088", "X-Real-IP: 127.0.0.1", 404},
		{"127.0.0.1:9", "localhost:8088", "Forwarded: for=10.1.2.3", 404},
		{"127.0.0.1:9", "localhost:8088", "Via: 1.1 caddy", 404},
		{"127.0.0.1:9", "localhost:8088", "CF-Connecting-IP: 10.1.2.3", 404},
		{"127.0.0.1:9", "localhost:8088", "X-Forwarded-Proto: https", 404},
		{"127.0.0.1:9", "wiki.example.org", "", 404}, // the Host that people use
		{"127.0.0.1:9", "localhost", "HTTP/1.0", 404},
		// A trusted one, whose word counts; but not for being this machine.
		{"192.0.2.1:9", "wiki.example.org", "X-Forwarded-For: 10.1.2.3", 200},
		{"192.0.2.1:9", "wiki.example.org", "X-Forwarded-For: 203.0.113.7, 10.1.2.3", 200},
		{"192.0.2.1:9", "wiki.example.org", "X-Forwarded-For: 10.1.2.3, 203.0.113.7", 404},
		{"192.0.2.1:9", "wiki.example.org", "X-Forwarded-For: 127.0.0.1", 404},
		{"192.0.2.1:9", "wiki.example.org", "X-Forwarded-For: nonsense", 404},
		{"192.0.2.1:9", "wiki.example.org", "Forwarded: for=10.1.2.3", 404},
		{"127.0.0.2:9", "localhost", "X-Forwarded-For: 127.0.0.1", 404},
		// A name that was made to lead here.
		{"127.0.0.1:9", "evil.example", "", 403},
		{"10.1.2.3:9", "evil.example", "", 403},
	} {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.RemoteAddr, r.Host = c.peer, c.host
		if c.headers == "HTTP/1.0" {
			r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/1.0", 1, 0
		} else if name, value, ok := strings.Cut(c.headers, ": "); ok {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		s.server.Handler().ServeHTTP(w, r)
		if w.Code != c.want || (w.Code == http.StatusOK) != strings.Contains(w.Body.String(), "polaris_ready") {
			t.Errorf("from %s, Host %s, %q: %d, want %d", c.peer, c.host, c.headers, w.Code, c.want)
		}
		if w.Code == http.StatusOK {
			continue
		}
		// Whoever may not read them learns what an unknown path would tell.
		none := r.Clone(t.Context())
		none.URL.Path = "/nowhere"
		v := httptest.NewRecorder()
		s.server.Handler().ServeHTTP(v, none)
		got, want := scrub(&answer{w.Result(), t, w.Body.String()}), scrub(&answer{v.Result(), t, v.Body.String()})
		if v.Code != w.Code || got != want {
			t.Errorf("from %s: /metrics says %d, an unknown path %d\n%s\n%s", c.peer, w.Code, v.Code, got, want)
		}
	}
}

// BenchmarkMeasured measures what counting costs a retrieve.
func BenchmarkMeasured(b *testing.B) {
	m := newMetrics(&Server{echo: echo.New(), conf: Config{MCPPath: "/v1/mcp"}, desk: &ops.Desk{}})
	for b.Loop() {
		m.Called(ops.Hosted, "retrieve", ops.OutcomeOK, time.Millisecond)
		m.answered("/v1/mcp", http.MethodPost, http.StatusOK, time.Millisecond)
	}
}
