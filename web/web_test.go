package web

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"polaris/internal/leaks"
	"polaris/mcp"
	"polaris/models"
	"polaris/models/store"
	"polaris/models/store/storetest"
	"polaris/ops"
	"polaris/ops/door"
	"polaris/web/openai"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const (
	owner    = "ada@example.org"
	password = "correct horse battery"
)

// A site is a whole server over a database of its own.
type site struct {
	t      *testing.T
	db     storetest.Database
	server *Server
	desk   *ops.Desk
	url    string
	log    *bytes.Buffer
	away   func() // takes the database away for good
}

// open serves a fresh instance.
func open(t *testing.T) *site { t.Helper(); return openWith(t, store.Options{}) }

func openWith(t *testing.T, o store.Options) *site {
	t.Helper()
	db := storetest.New(t)
	st, err := store.Open(t.Context(), db.URL, o)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, db: db, log: &bytes.Buffer{}, away: sync.OnceFunc(st.Close)}
	t.Cleanup(s.away)
	front := &late{}
	srv := httptest.NewServer(front)
	t.Cleanup(srv.Close)
	s.url = srv.URL
	log := slog.New(slog.NewJSONHandler(io.MultiWriter(&locked{w: s.log}, leaks.Writer(t)), &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.desk = ops.NewDesk(st, ops.Settings{PublicURL: s.url, MaxQueryChars: 8000, RateLimit: models.Rate{N: 60, Window: time.Minute}, SealingKey: make([]byte, 32)}, log)
	at, err := door.New(s.desk, door.Config{PublicURL: s.url, SessionCookie: SessionCookie, AllowedHosts: []string{"wiki.example.org"}})
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := mcp.Hosted(s.desk, at, mcp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s.server = New(s.desk, at, endpoint, Config{PublicURL: s.url, CookieKey: []byte(strings.Repeat("k", 32)), MCPPath: "/v1/mcp", Log: log, Version: "v9", OpenAI: openai.New(s.desk, at, openai.Config{})})
	s.server.SetReady(true)
	front.set(s.server.Handler())
	return s
}

// started is an instance whose first person has a brain and is signed in.
func started(t *testing.T) (*site, *browser) { t.Helper(); return startedWith(t, store.Options{}) }

func startedWith(t *testing.T, o store.Options) (*site, *browser) {
	t.Helper()
	s := openWith(t, o)
	b := s.browser()
	token, err := s.desk.PrepareSetup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.post("/setup", url.Values{"token": {token}, "name": {"Ada"}, "email": {owner}, "password": {password}, "again": {password}}).want(http.StatusSeeOther)
	b.post("/brains", url.Values{"name": {"Calliope"}, "id": {"calliope"}}).want(http.StatusSeeOther)
	return s, b
}

// person adds somebody to a brain, with a password.
func (s *site) person(email string, brain models.BrainID, roles ...models.Role) {
	s.t.Helper()
	terminal := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: owner}, Brain: brain, Via: ops.CLI}
	if _, err := ops.Do(s.t.Context(), s.desk, terminal, ops.CreateUser, ops.CreateUserIn{Email: email, Roles: roles, Password: password}); err != nil {
		s.t.Fatal(err)
	}
}

// brain makes another brain with an owner of its own.
func (s *site) brain(id models.BrainID, email string) {
	s.t.Helper()
	terminal := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: email}, Brain: id, Via: ops.CLI}
	if _, err := ops.Do(s.t.Context(), s.desk, terminal, ops.CreateBrain, ops.CreateBrainIn{ID: id, Name: string(id), OwnerEmail: email}); err != nil {
		s.t.Fatal(err)
	}
}

// A browser keeps cookies and follows no redirect by itself.
type browser struct {
	t      *testing.T
	base   string
	client *http.Client
}

func (s *site) browser() *browser {
	jar, _ := cookiejar.New(nil) // cannot fail
	return &browser{s.t, s.url, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// An answer is what a browser got.
type answer struct {
	*http.Response
	t    *testing.T
	text string
}

func (b *browser) do(method, path, body string, header ...string) *answer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Set(header[i], header[i+1])
	}
	res, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return &answer{res, b.t, string(text)}
}

func (b *browser) get(path string, header ...string) *answer {
	b.t.Helper()
	return b.do(http.MethodGet, path, "", header...)
}

func (b *browser) post(path string, form url.Values, header ...string) *answer {
	b.t.Helper()
	return b.do(http.MethodPost, path, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, header...)...)
}

func (b *browser) signIn(email, pass string) *answer {
	b.t.Helper()
	return b.post("/session", url.Values{"email": {email}, "password": {pass}})
}

// want fails unless the answer has the status and its text has each part.
func (a *answer) want(status int, parts ...string) *answer {
	a.t.Helper()
	if a.StatusCode != status {
		a.t.Fatalf("%s %s: got %d, want %d\n%s", a.Request.Method, a.Request.URL.Path, a.StatusCode, status, a.text)
	}
	for _, p := range parts {
		if !strings.Contains(a.text, p) {
			a.t.Errorf("%s %s lacks %q\n%s", a.Request.Method, a.Request.URL.Path, p, a.text)
		}
	}
	return a
}

// to fails unless the answer leads there.
func (a *answer) to(location string) *answer {
	a.t.Helper()
	if got := a.Header.Get("Location"); got != location {
		a.t.Errorf("%s %s leads to %q, want %q", a.Request.Method, a.Request.URL.Path, got, location)
	}
	return a
}

func (a *answer) json(into any) {
	a.t.Helper()
	if err := json.Unmarshal([]byte(a.text), into); err != nil {
		a.t.Fatalf("%s %s: %v\n%s", a.Request.Method, a.Request.URL.Path, err, a.text)
	}
}

// invite adds somebody who has no password yet, and returns the one-time
// token.
func (s *site) invite(email string, brain models.BrainID, roles ...models.Role) string {
	s.t.Helper()
	terminal := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: owner}, Brain: brain, Via: ops.CLI}
	u, err := ops.Do(s.t.Context(), s.desk, terminal, ops.CreateUser, ops.CreateUserIn{Email: email, Roles: roles})
	if err != nil {
		s.t.Fatal(err)
	}
	return u.Link
}
