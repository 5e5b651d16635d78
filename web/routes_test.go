package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"polaris/models"
	"polaris/static"
	"polaris/views/htmlcheck"
)

// anonymous are the routes that answer somebody without a session or key. A
// route that is not here must not.
var anonymous = []string{
	"GET /live", "GET /health", "GET /metrics", "GET /static/*", "GET /setup", "POST /setup", "GET /session/new", "POST /session", "POST /session/end", "GET /link", "POST /link", "GET /v1/openapi.json", "DELETE /v1/auth/token",
}

// fill puts something into a route's parameters.
func fill(path, brain string) string {
	return strings.NewReplacer(":brain_id", brain, ":brain", brain, ":id", "x", ":code", "x", ":title", "x", ":entity", "x", "*", "x").Replace(path)
}

func (s *site) routes(visit func(r *echo.Route)) {
	n := 0
	for _, r := range s.server.echo.Routes() {
		if r.Method == echo.RouteNotFound || slices.Contains(anonymous, r.Method+" "+r.Path) {
			continue
		}
		n++
		visit(r)
	}
	if n < 20 {
		s.t.Errorf("only %d routes were visited", n)
	}
}

func TestNothingIsOpenToStrangers(t *testing.T) {
	t.Parallel()
	s, _ := started(t)
	served := map[string]bool{}
	for _, r := range s.server.echo.Routes() {
		served[r.Method+" "+r.Path] = true
	}
	for _, open := range anonymous {
		if !served[open] {
			t.Errorf("%s is open to everybody and is not there", open)
		}
	}
	s.routes(func(r *echo.Route) {
		a := s.browser().do(r.Method, fill(r.Path, "calliope"), "{}", "Content-Type", "application/json")
		switch {
		case isAPI(r.Path):
			a.want(http.StatusUnauthorized, `"missing_credential"`)
		default:
			a.want(http.StatusSeeOther)
			if !strings.HasPrefix(a.Header.Get("Location"), "/session/new") {
				t.Errorf("%s %s leads to %s", r.Method, r.Path, a.Header.Get("Location"))
			}
		}
	})
}

// A brain that is somebody else's answers like one that never was.
func TestForeignBrainsAreNotThere(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	s.brain("urania", "eve@example.org")
	s.desk.Settings.RateLimit = models.Rate{N: 1_000_000, Window: time.Second}
	key := b.createKey("calliope", "agent")
	s.routes(func(r *echo.Route) {
		if !strings.Contains(r.Path, ":brain") {
			return
		}
		see := func(brain string, header ...string) string {
			a := b.do(r.Method, fill(r.Path, brain), "{}", append([]string{"Content-Type", "application/json"}, header...)...)
			a.want(http.StatusNotFound)
			return scrub(a)
		}
		if theirs, none := see("urania"), see("nowhere"); theirs != none {
			t.Errorf("%s %s tells a foreign brain from none:\n%s\n%s", r.Method, r.Path, theirs, none)
		}
		if isAPI(r.Path) {
			if theirs, none := see("urania", "X-API-Key", key), see("nowhere", "X-API-Key", key); theirs != none {
				t.Errorf("%s %s tells a key a foreign brain from none:\n%s\n%s", r.Method, r.Path, theirs, none)
			}
		}
	})
}

// scrub takes out of a page what differs by chance.
func scrub(a *answer) string {
	_, nonce, _ := strings.Cut(a.Header.Get("Content-Security-Policy"), "'nonce-")
	nonce, _, _ = strings.Cut(nonce, "'")
	return strings.NewReplacer(nonce, "NONCE", a.Header.Get("X-Request-Id"), "REQ").Replace(a.text)
}

// Every page keeps the rules of htmlcheck and carries the policy that makes
// them hold.
func TestPagesAreStrict(t *testing.T) {
	t.Parallel()
	s, b := published(t)
	key := b.createKey("calliope", "agent")
	id := s.askAs(key, "calliope")
	b.post("/brains/calliope/ask", url.Values{"question": {question()}}).want(http.StatusSeeOther)
	pages := map[string]int{
		"/session/new?x": 303, "/brains": 200, "/brains/new": 200, "/nowhere": 404, "/brains/nowhere": 404,
		"/link?token=x": 403,
	}
	for path, status := range map[string]int{
		"": 200, "/search": 200, "/search?q=h": 200, "/ask": 200, "/ask?question=x": 200, "/answers": 200, "/answers/" + id: 200, "/answers/nowhere": 404, "/wiki": 200, "/wiki/nowhere": 404, "/sources": 200, "/sources/HB": 200, "/sources/references": 200, "/sources/references?source=HB&outside=true": 200, "/sources/references?source=NOPE": 404, "/sources/references?cursor=x": 400,
		"/sources/NOPE": 404, "/topic-cards": 200, "/versions": 200, "/settings/api-keys": 200, "/settings/api-keys/new": 200, "/settings/api-keys/" + key[11:23] + "/revocation": 200,
		"/settings/api-keys/" + key[11:23]: 200, "/settings/api-keys/" + key[11:23] + "/rotation": 200,
	} {
		pages["/brains/calliope"+path] = status
	}
	for path, status := range pages {
		a := b.get(path).want(status)
		strict(t, a)
		if status == http.StatusSeeOther {
			continue
		}
		checkPage(t, a)
		if got := a.Header.Get("Cache-Control"); status == 200 && got != privately || status != 200 && got != never && got != privately {
			t.Errorf("%s: Cache-Control %q", path, got)
		}
	}
	stranger := s.browser()
	for _, path := range []string{"/session/new"} {
		a := stranger.get(path).want(http.StatusOK)
		strict(t, a)
		checkPage(t, a)
	}
}

func checkPage(t *testing.T, a *answer) {
	t.Helper()
	for _, p := range htmlcheck.Document([]byte(a.text), served) {
		t.Errorf("%s: %s", a.Request.URL.Path, p)
	}
}

func served(path string) bool {
	rec := httptest.NewRecorder()
	static.Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
	return rec.Code == http.StatusOK
}

func strict(t *testing.T, a *answer) {
	t.Helper()
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s: %s is %q", a.Request.URL.Path, name, got)
		}
	}
	csp := a.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'nonce-", "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(csp, want) {
			t.Errorf("%s: the policy lacks %s: %s", a.Request.URL.Path, want, csp)
		}
	}
	if strings.Contains(csp, "unsafe") {
		t.Errorf("%s: the policy is unsafe: %s", a.Request.URL.Path, csp)
	}
}

func TestErrorShapes(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	checkPage(t, b.get("/nowhere").want(http.StatusNotFound, "There is nothing here", "Status 404", "request req_"))
	checkPage(t, b.do(http.MethodDelete, "/brains", "").want(http.StatusMethodNotAllowed, "does not do that"))
	var p struct {
		Type, Title, Detail, Code, Field string
		Status                           int
		RequestID                        string `json:"request_id"`
	}
	a := b.get("/v1/nowhere").want(http.StatusNotFound)
	a.json(&p)
	if a.Header.Get("Content-Type") != "application/problem+json" || p.Type != "about:blank" || p.Status != 404 || p.Code != "not_found" || p.RequestID != a.Header.Get("X-Request-Id") {
		t.Errorf("got %s %+v", a.Header.Get("Content-Type"), p)
	}
	if a := b.do(http.MethodPut, "/v1/brains/calliope/answers", "").want(http.StatusMethodNotAllowed, "method_not_allowed"); !strings.Contains(a.Header.Get("Allow"), "POST") {
		t.Errorf("Allow is %q", a.Header.Get("Allow"))
	}
	part := b.post("/brains/calliope/ask", url.Values{"question": {""}}, "HX-Request", "true", "HX-Target", "div#answer").want(http.StatusUnprocessableEntity, `id="answer"`, "query is empty")
	if strings.Contains(part.text, "<html") {
		t.Error("a fragment is a whole page")
	}
	s.browser().post("/brains/calliope/ask", nil, "HX-Request", "true", "HX-Target", "div#answer").want(http.StatusUnauthorized, `id="answer"`, "Sign in")
	s.browser().post("/brains/calliope/ask", nil, "HX-Request", "true", "HX-Target", `div#"><script>`).want(http.StatusUnauthorized, `id="problem"`)

	// Without a database nothing is told of the cause, and nobody is signed out.
	s.away()
	checkPage(t, b.get("/brains/calliope").want(http.StatusServiceUnavailable, "Not available just now"))
	b.get("/v1/brains/calliope/topic-cards").want(http.StatusServiceUnavailable, `"unavailable"`)
}

func TestPanicsAreCaught(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	s.server.echo.GET("/panics", s.server.signedIn(func(*page) error { panic("secret cause") }))
	s.server.echo.GET("/v1/panics", func(echo.Context) error { panic("secret cause") })
	a := b.get("/panics").want(http.StatusInternalServerError, "Something went wrong on our side")
	checkPage(t, a)
	r := b.get("/v1/panics").want(http.StatusInternalServerError, `"internal"`)
	if strings.Contains(a.text+r.text, "secret cause") {
		t.Error("the cause is told to the caller")
	}
	if !strings.Contains(s.log.String(), "secret cause") || !strings.Contains(s.log.String(), a.Header.Get("X-Request-Id")) {
		t.Error("the log lacks the cause or the request's id")
	}
}

func TestCreateBrain(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	b.post("/brains", url.Values{"name": {"Again"}, "id": {"calliope"}}).want(http.StatusUnprocessableEntity, "exists already", `value="Again"`)
	b.post("/brains", url.Values{"name": {""}, "id": {"x"}}).want(http.StatusUnprocessableEntity, "Give the brain a name")
	b.post("/brains", url.Values{"name": {"X"}, "id": {"Not A Slug"}}).want(http.StatusUnprocessableEntity, "lower-case letter", `value="Not A Slug"`)
	b.post("/brains", url.Values{"name": {"X"}, "id": {"_instance"}}).want(http.StatusUnprocessableEntity)
	b.post("/brains", url.Values{"name": {"X"}, "id": {""}}).want(http.StatusUnprocessableEntity)
	b.post("/brains", url.Values{"name": {"Urania"}, "id": {"urania"}, "four_eyes": {"on"}}).want(http.StatusSeeOther).to("/brains/urania?done=brain-created")
	if a := b.get("/brains/urania").want(http.StatusOK, "Urania", "owner"); strings.Contains(a.text, "Four eyes are off") {
		t.Error("four eyes are on, and the page says off")
	}
	b.get("/brains/calliope").want(http.StatusOK, "Four eyes are off")
	b.get("/").want(http.StatusSeeOther).to("/brains/calliope") // the last one looked at
	b.get("/brains").want(http.StatusOK, "Urania", "Calliope")
	s.person("reader@example.org", "calliope", models.RoleReader)
	r := s.browser()
	r.signIn("reader@example.org", password).want(http.StatusSeeOther)
	r.post("/brains", url.Values{"name": {"Mine"}, "id": {"mine"}}).want(http.StatusForbidden)
}

// TestReservedPaths: whatever the server answers is reserved, so the MCP
// endpoint cannot be put over it; and where it is by default is not.
func TestReservedPaths(t *testing.T) {
	t.Parallel()
	s, _ := started(t)
	for _, r := range s.server.echo.Routes() {
		if path := strings.TrimSuffix(r.Path, "/"); path != s.server.conf.MCPPath && !Reserves(r.Path) {
			t.Errorf("%s %s is not reserved", r.Method, r.Path)
		}
	}
	for _, free := range []string{"/v1/mcp", "/mcp", "/api/mcp", "/v1/agents"} {
		if Reserves(free) {
			t.Errorf("%s is reserved", free)
		}
	}
}
