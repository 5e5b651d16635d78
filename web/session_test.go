package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestCookieFollowsTheAddress(t *testing.T) {
	t.Parallel()
	key := []byte(strings.Repeat("k", 32))
	for _, secure := range []bool{true, false} {
		k := newCookies(key, secure)
		r, w := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()
		s, err := k.Get(r, SessionCookie)
		if err != nil {
			t.Fatal(err)
		}
		s.Values[secretKey] = "the secret"
		if err := s.Save(r, w); err != nil {
			t.Fatal(err)
		}
		c := w.Result().Cookies()[0]
		if c.Secure != secure || !c.HttpOnly || strings.Contains(c.Value, "the secret") {
			t.Errorf("https %v: the cookie is %v", secure, c)
		}
		back := httptest.NewRequest(http.MethodGet, "/", nil)
		back.AddCookie(c)
		for _, read := range []struct {
			store *cookies
			want  any
		}{{k, "the secret"}, {newCookies([]byte(strings.Repeat("l", 32)), secure), nil}} {
			got, err := read.store.New(back, SessionCookie)
			if err != nil || got.Values[secretKey] != read.want {
				t.Errorf("the cookie is read as %v (%v), want %v", got.Values[secretKey], err, read.want)
			}
		}
	}
}

// HEAD says what GET would, without its body.
func TestHead(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	for _, path := range []string{"/brains/calliope", "/live", "/health", s.server.assets.Icon} {
		if a := b.do(http.MethodHead, path, "").want(http.StatusOK); a.text != "" || a.Header.Get("Content-Type") == "" {
			t.Errorf("%s: %q %v", path, a.text, a.Header)
		}
	}
	b.do(http.MethodHead, "/nowhere", "").want(http.StatusNotFound)
	s.browser().do(http.MethodHead, "/brains/calliope", "").want(http.StatusSeeOther)
}

func TestShortCookieKeysAreRefused(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a key of 16 bytes was taken")
		}
	}()
	New(nil, nil, nil, Config{PublicURL: "http://localhost", CookieKey: make([]byte, 16)})
}
