package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestHosts(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	port := s.url[strings.LastIndex(s.url, ":"):]
	for _, row := range []struct {
		host string
		ok   bool
	}{
		{"127.0.0.1" + port, true},
		{"localhost", true},
		{"LOCALHOST:8088", true},
		{"[::1]:8088", true},
		{"::1", true},
		{"app.localhost", true},
		{"127.9.9.9", true},
		{"wiki.example.org", true},
		{"wiki.example.org:443", true},
		{"wiki.example.org.", true},
		{"evil.example", false},
		{"wiki.example.org.evil.example", false},
		{"localhost.evil.example", false},
		{"127.0.0.1.evil.example", false},
		{"10.0.0.1", false},
		{"0.0.0.0", false},
	} {
		a := s.browser().get("/session/new", "Host", row.host)
		if row.ok && a.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d", row.host, a.StatusCode)
		}
		if !row.ok && (a.StatusCode != http.StatusForbidden || !strings.Contains(a.text, "POLARIS_PUBLIC_URL") || !strings.Contains(a.text, "POLARIS_ALLOWED_HOSTS")) {
			t.Errorf("%s: got %d %s", row.host, a.StatusCode, a.text)
		}
	}
	b.get("/v1/brains/calliope/topic-cards", "Host", "evil.example").want(http.StatusForbidden, `"host_not_allowed"`)
	b.mcp("x", toolsList).want(http.StatusUnauthorized)
	b.do(http.MethodPost, "/v1/mcp", toolsList, "Host", "evil.example", "Content-Type", "application/json").want(http.StatusForbidden, "host_not_allowed")
	b.get("/live", "Host", "evil.example").want(http.StatusOK, `{"status":"alive"}`)
	b.get("/health", "Host", "evil.example").want(http.StatusOK, `{"status":"ready"}`)
}

// What another site's page makes a browser send does nothing.
func TestCrossSite(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	key := b.createKey("calliope", "first")
	fields := url.Values{"label": {"planted"}, "scope": {"advisor:read"}}
	at := "/brains/calliope/settings/api-keys"
	for _, header := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"},
	} {
		b.post(at, fields, header...).want(http.StatusForbidden, "another site")
		b.post("/session/end", nil, header...).want(http.StatusForbidden)
		b.post("/session", url.Values{"email": {owner}, "password": {password}}, header...).want(http.StatusForbidden)
		b.do(http.MethodPost, "/v1/brains/calliope/answers", `{"query":"x"}`, append([]string{"Content-Type", "application/json"}, header...)...).want(http.StatusForbidden, "origin_not_allowed")
		// Basic credentials are no key: browsers keep them for a proxy and send them along.
		b.do(http.MethodPost, "/v1/brains/calliope/answers", `{"query":"x"}`, append([]string{"Content-Type", "application/json", "Authorization", "Basic YTpi"}, header...)...).want(http.StatusForbidden, "origin_not_allowed")
		b.do(http.MethodPost, "/v1/brains/calliope/answers", `{"query":"x"}`, append([]string{"Content-Type", "application/json", "X-API-Key", " "}, header...)...).want(http.StatusForbidden, "origin_not_allowed")
		// A key is no cookie: nobody can make a browser send it.
		s.browser().do(http.MethodPost, "/v1/brains/calliope/answers", `{"query":"x"}`, append([]string{"Content-Type", "application/json", "X-API-Key", key}, header...)...).want(http.StatusOK)
	}
	b.post(at, url.Values{"label": {"mine"}}, "Sec-Fetch-Site", "same-origin", "Origin", s.url).want(http.StatusCreated)
	if a := b.get(at).want(http.StatusOK, "mine"); strings.Contains(a.text, "planted") {
		t.Error("another site made a key")
	}
}

func TestDiscoveryIsPlainly404(t *testing.T) {
	t.Parallel()
	s := open(t)
	b := s.browser()
	for _, path := range []string{
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/v1/mcp", "/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/v1/mcp",
		"/.well-known/openid-configuration", "/.well-known/openid-configuration/v1/mcp", "/v1/mcp/.well-known/openid-configuration", "/authorize", "/token", "/register", "/register/",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "DELETE", "PROPFIND"} {
			a := b.do(method, path, "", "Accept", "text/html").want(http.StatusNotFound)
			if kind := a.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain") || strings.Contains(a.text, "<") {
				t.Errorf("%s %s: %s %q", method, path, kind, a.text)
			}
		}
	}
}

func TestMCPIsMounted(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	key := b.createKey("calliope", "agent")
	for _, path := range []string{"/v1/mcp", "/v1/mcp/"} {
		for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "PROPFIND"} {
			if a := s.browser().do(method, path, "").want(http.StatusMethodNotAllowed); a.Header.Get("Allow") != "POST" {
				t.Errorf("%s %s: Allow %q", method, path, a.Header.Get("Allow"))
			}
		}
		s.browser().do(http.MethodPost, path, toolsList, "Content-Type", "application/json", "Authorization", "Bearer "+key).want(http.StatusOK, "tools")
		b.do(http.MethodPost, path, toolsList, "Content-Type", "application/json").want(http.StatusForbidden, "session_not_accepted")
	}
}

func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	large := strings.Repeat("x", 1<<20+1)
	b.post("/brains/calliope/settings/api-keys", url.Values{"label": {large}}).want(http.StatusRequestEntityTooLarge, "1048576")
	b.post("/session", url.Values{"email": {large}}).want(http.StatusRequestEntityTooLarge)
	b.do(http.MethodPost, "/v1/brains/calliope/answers", `{"query":"`+large+`"}`, "Content-Type", "application/json").want(http.StatusRequestEntityTooLarge, "body_too_large")
	s.browser().post("/session", url.Values{}).want(http.StatusUnprocessableEntity)
	s.browser().do(http.MethodPost, "/session", "%zz=1;", "Content-Type", "application/x-www-form-urlencoded").want(http.StatusBadRequest, "could not be read")
}

func TestLogTellsNoSecrets(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	b.get("/brains/calliope?secret=in-the-query", "X-Request-Id", "planted by a stranger").want(http.StatusOK)
	b.get("/brains/calliope/wiki/A-private-title").want(http.StatusNotFound)
	b.get("/link?token=one-time-token").want(http.StatusForbidden)
	if a := b.get("/live", "X-Request-Id", "proxy-17.a_B"); a.Header.Get("X-Request-Id") != "proxy-17.a_B" {
		t.Errorf("the proxy's request id became %q", a.Header.Get("X-Request-Id"))
	}
	log := s.log.String()
	for _, secret := range []string{"in-the-query", "private-title", "one-time-token", "planted", b.cookie(SessionCookie).Value, password} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %q", secret)
		}
	}
	for _, want := range []string{`"route":"/brains/:brain"`, `"route":"/brains/:brain/wiki/:title"`, `"status":200`, `"request_id":"req_`, `"duration_ms":`} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s\n%s", want, log)
		}
	}
}

// What is no text never reaches the database: a path, a form, a body.
func TestTextThatIsNone(t *testing.T) {
	t.Parallel()
	s, b := published(t)
	key := b.createKey("calliope", "agent")
	b.get("/brains/_instance").want(http.StatusNotFound)
	b.get("/brains/_instance/settings/api-keys").want(http.StatusNotFound)
	for _, bad := range []string{"%00", "%ff", "a%00b", "%ed%a0%80"} {
		for _, path := range []string{"/sources/" + bad, "/sources/HB?key=" + bad, "/answers/" + bad, "/wiki/" + bad, "/settings/api-keys/" + bad + "/revocation", "/ask?question=" + bad, "?done=" + bad} {
			if a := b.get("/brains/calliope" + path); a.StatusCode >= 500 {
				t.Errorf("GET %s: %d", path, a.StatusCode)
			}
		}
		for _, path := range []string{"/answers/" + bad, "/wiki/" + bad, "/wiki?entity=" + bad} {
			if a := s.browser().get("/v1/brains/calliope"+path, "X-API-Key", key); a.StatusCode >= 500 {
				t.Errorf("GET %s: %d %s", path, a.StatusCode, a.text)
			}
		}
		for path, form := range map[string]string{
			"/settings/api-keys":                        "scope=advisor:read&expires=30&label=" + bad,
			"/settings/api-keys/" + bad + "/revocation": "reason=x",
			"/settings/api-keys/abc/revocation":         "reason=" + bad,
			"/ask":                                      "question=" + bad,
		} {
			if a := b.do(http.MethodPost, "/brains/calliope"+path, form, "Content-Type", "application/x-www-form-urlencoded"); a.StatusCode < 400 || a.StatusCode >= 500 {
				t.Errorf("POST %s %s: %d", path, form, a.StatusCode)
			}
		}
	}
}

// A body's fields are read once, under their exact names.
func TestBodiesAreReadStrictly(t *testing.T) {
	t.Parallel()
	s, b := published(t)
	key := b.createKey("calliope", "agent")
	for _, body := range []string{
		`{"QUERY":"x"}`, `{"query":"x","Query":"y"}`, `{"query":"x","query":"y"}`, `{"query":"x","topic_ids":[{"a":1,"a":2}]}`, "{\"query\":\"\xff\"}", `{"query":"x"}}`, `{"query":"x"} {}`, `null`, `[]`,
	} {
		s.browser().do(http.MethodPost, "/v1/brains/calliope/answers", body, "Content-Type", "application/json", "X-API-Key", key).want(http.StatusBadRequest)
	}
}
