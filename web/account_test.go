package web

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"polaris/models"
)

func setupFields(token string) url.Values {
	return url.Values{"token": {token}, "name": {"Ada"}, "email": {owner}, "password": {password}, "again": {password}}
}

func TestSetUpOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	token, err := s.desk.PrepareSetup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := s.browser()
	b.get("/").want(http.StatusSeeOther).to("/session/new")
	b.get("/session/new").want(http.StatusSeeOther).to("/setup")
	b.get("/setup?token="+token).want(http.StatusOK, `value="`+token+`"`)

	wrong := setupFields(token)
	wrong.Set("again", "something else")
	b.post("/setup", wrong).want(http.StatusUnprocessableEntity, "two passwords differ", `value="ada@example.org"`)
	b.post("/setup", setupFields("not the token")).want(http.StatusUnprocessableEntity, "used already")
	short := setupFields(token)
	short.Set("password", "short")
	short.Set("again", "short")
	b.post("/setup", short).want(http.StatusUnprocessableEntity, "at least 12 characters")

	b.post("/setup", setupFields(token)).want(http.StatusSeeOther).to("/")
	b.get("/").want(http.StatusSeeOther).to("/brains")
	b.get("/brains").want(http.StatusOK, "No brain yet", "Create a brain")

	other := s.browser()
	other.get("/setup?token=" + token).want(http.StatusSeeOther).to("/session/new")
	second := setupFields(token)
	second.Set("email", "eve@example.org")
	other.post("/setup", second).want(http.StatusUnprocessableEntity, "used already")
	other.signIn("eve@example.org", password).want(http.StatusUnprocessableEntity)
}

func TestSetUpOfManyOneWins(t *testing.T) {
	t.Parallel()
	s := open(t)
	token, err := s.desk.PrepareSetup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const tries = 8
	status := make([]int, tries)
	var all sync.WaitGroup
	for i := range tries {
		b := s.browser()
		all.Go(func() {
			f := setupFields(token)
			f.Set("email", string(rune('a'+i))+"@example.org")
			status[i] = b.post("/setup", f).StatusCode
		})
	}
	all.Wait()
	won := 0
	for _, code := range status {
		if code == http.StatusSeeOther {
			won++
		} else if code >= 500 {
			t.Errorf("a set-up that lost got %d", code)
		}
	}
	if won != 1 {
		t.Errorf("%d of %d set-ups with one token won: %v", won, tries, status)
	}
}

func TestSignInAndOut(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	cookie := b.cookie(SessionCookie)
	b.post("/session/end", nil).want(http.StatusSeeOther).to("/session/new?done=signed-out")
	b.get("/session/new?done=signed-out").want(http.StatusOK, "You are signed out")
	b.get("/brains/calliope").want(http.StatusSeeOther).to("/session/new?next=%2Fbrains%2Fcalliope")

	// The session is over on the server, too: its cookie is worth nothing.
	b.get("/brains/calliope", "Cookie", cookie.String()).want(http.StatusSeeOther)

	b.post("/session", url.Values{"email": {" ADA@example.org "}, "password": {password}, "next": {"/brains/calliope/wiki"}}).want(http.StatusSeeOther).to("/brains/calliope/wiki")
	b.get("/session/new?next=/brains").want(http.StatusSeeOther).to("/brains")
	b.get("/").want(http.StatusSeeOther).to("/brains/calliope")

	c := s.browser().signIn(owner, password).want(http.StatusSeeOther).Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Name != SessionCookie {
		t.Errorf("the session cookie is %v", c)
	}
}

// cookie returns a cookie that the browser holds.
func (b *browser) cookie(name string) *http.Cookie {
	b.t.Helper()
	u, err := url.Parse(b.base)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range b.client.Jar.Cookies(u) {
		if c.Name == name {
			return c
		}
	}
	b.t.Fatalf("there is no cookie %s", name)
	return nil
}

// Whether an address is known must not show.
func TestWrongSignInsLookTheSame(t *testing.T) {
	t.Parallel()
	s, _ := started(t)
	known := s.browser().signIn(owner, "wrong password here").want(http.StatusUnprocessableEntity)
	unknown := s.browser().signIn("eve@example.org", "wrong password here").want(http.StatusUnprocessableEntity)
	plain := func(a *answer, email string) string {
		text := strings.ReplaceAll(a.text, email, "EMAIL")
		_, nonce, _ := strings.Cut(a.Header.Get("Content-Security-Policy"), "'nonce-")
		nonce, _, _ = strings.Cut(nonce, "'")
		return strings.ReplaceAll(text, nonce, "NONCE")
	}
	if a, b := plain(known, owner), plain(unknown, "eve@example.org"); a != b {
		t.Errorf("a known address shows\n%s\nan unknown one\n%s", a, b)
	}
	if len(known.Cookies()) > 0 {
		t.Error("a failed sign-in set a cookie")
	}
}

// A cookie that somebody planted is not the one that signing in makes good.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	before := b.cookie(SessionCookie)
	b.signIn(owner, password).want(http.StatusSeeOther)
	after := b.cookie(SessionCookie)
	if before.Value == after.Value {
		t.Error("signing in kept the cookie")
	}
	s.browser().get("/brains/calliope", "Cookie", before.String()).want(http.StatusSeeOther)
	s.browser().get("/brains/calliope", "Cookie", after.String()).want(http.StatusOK)
	s.browser().get("/brains/calliope", "Cookie", SessionCookie+"=planted").want(http.StatusSeeOther)
}

func TestSignInThrottle(t *testing.T) {
	t.Parallel()
	s, _ := started(t)
	b := s.browser()
	for i := range 30 {
		// Another address each time, so that it is the caller who is counted.
		b.signIn("a"+string(rune('a'+i))+"@example.org", "wrong password here").want(http.StatusUnprocessableEntity)
	}
	if got := b.signIn(owner, password).want(http.StatusTooManyRequests, "Too many").Header.Get("Retry-After"); got == "" {
		t.Error("no Retry-After")
	}
}

// Attempts made at once are held to the same bound: each costs a slow hash.
func TestSignInThrottleAtOnce(t *testing.T) {
	t.Parallel()
	s, _ := started(t)
	var tried atomic.Int32
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			if s.browser().signIn(fmt.Sprintf("a%d@example.org", i), "wrong password here").StatusCode == http.StatusUnprocessableEntity {
				tried.Add(1)
			}
		})
	}
	all.Wait()
	if n := tried.Load(); n != 30 {
		t.Errorf("%d of 60 simultaneous attempts were tried, want 30", n)
	}
}

// A form that arrives a byte a second is refused soon, on whatever page, and
// nobody has to be signed in to send one.
func TestAFormThatTricklesIn(t *testing.T) {
	t.Parallel()
	s := open(t)
	var all sync.WaitGroup
	for _, path := range []string{"/session", "/link", "/setup"} {
		all.Go(func() {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n", path)
			stop, began := make(chan struct{}), time.Now()
			defer close(stop)
			go func() {
				for tick := time.NewTicker(time.Second); ; {
					select {
					case <-tick.C:
						fmt.Fprint(conn, "a") // fails once the other side has closed
					case <-stop:
						tick.Stop()
						return
					}
				}
			}()
			_ = conn.SetReadDeadline(began.Add(3 * bodyTime))
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Errorf("%s: no answer after %s: %v", path, time.Since(began), err)
				return
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusBadRequest || time.Since(began) < bodyTime-time.Second {
				t.Errorf("%s: %d after %s", path, resp.StatusCode, time.Since(began))
			}
		})
	}
	all.Wait()
}

func TestOneTimeLink(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	made := s.invite("reader@example.org", "calliope", models.RoleReader)
	visitor := s.browser()
	visitor.get("/link?token="+made).want(http.StatusOK, "reader@example.org", "Choose a password")
	visitor.get("/link?token=nonsense").want(http.StatusForbidden, "used already")
	fields := url.Values{"token": {made}, "email": {"reader@example.org"}, "password": {password}, "again": {password}}
	visitor.post("/link", fields).want(http.StatusSeeOther).to("/")
	visitor.get("/").want(http.StatusSeeOther).to("/brains/calliope")
	visitor.get("/brains/calliope").want(http.StatusOK, "Calliope", "reader")
	s.browser().post("/link", fields).want(http.StatusForbidden)

	// A reader's navigation leads to nothing that is refused, and the rest is.
	page := visitor.get("/brains/calliope").want(http.StatusOK)
	if strings.Contains(page.text, "/sources") || strings.Contains(page.text, "/api-keys") {
		t.Error("a reader is led to pages that are not theirs")
	}
	visitor.get("/brains/calliope/sources").want(http.StatusForbidden, "Your role")
	visitor.get("/brains/calliope/settings/api-keys").want(http.StatusForbidden)
	visitor.get("/brains/calliope/settings/api-keys/new").want(http.StatusForbidden)
	visitor.post("/brains/calliope/settings/api-keys", url.Values{"label": {"x"}, "scope": {"advisor:read"}}).want(http.StatusForbidden)
	visitor.get("/brains/new").want(http.StatusForbidden)
	b.get("/brains/calliope/sources").want(http.StatusOK)
}

func TestLocal(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{
		"/brains/calliope":                    "/brains/calliope",
		"/brains/calliope/ask?question=a%20b": "/brains/calliope/ask?question=a%20b",
		"":                                    "/", "brains": "/", "//evil.example": "/", "///evil.example": "/", "/\\evil.example": "/", "\\/evil.example": "/",
		"https://evil.example": "/", "javascript:alert(1)": "/", "/\t/evil.example": "/", "/\n/evil.example": "/", "\u00a0/x": "/",
		"/a//evil.example": "/", "/.//evil.example": "/", "/x\x00": "/", "/x\x7f": "/", "/#x": "/", "/%2F%2Fevil.example": "/%2F%2Fevil.example",
		"/" + strings.Repeat("x", 2000): "/",
	} {
		if got := local(next); got != want {
			t.Errorf("%q: got %q, want %q", next, got, want)
		}
	}
}
