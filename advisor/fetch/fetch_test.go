package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"polaris/models/fault"
)

// A world is a resolver and a dialer that answer from tables. Whatever is
// dialled is recorded, and ends at the loopback server of the test: nothing here
// connects anywhere else.
type world struct {
	mu      sync.Mutex
	names   map[string][][]string // what each name resolves to, the first time, the second …
	dialled []string
	server  string
}

func newWorld(t *testing.T, h http.Handler) *world {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return &world{names: map[string][][]string{"docs.example": {{"93.184.216.34"}}}, server: s.Listener.Addr().String()}
}

func (w *world) resolve(_ context.Context, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	answers := w.names[host]
	if len(answers) == 0 {
		return nil, errors.New("no such host")
	}
	if len(answers) > 1 {
		w.names[host] = answers[1:]
	}
	var out []netip.Addr
	for _, a := range answers[0] {
		out = append(out, netip.MustParseAddr(a))
	}
	return out, nil
}

func (w *world) dial(ctx context.Context, _, address string) (net.Conn, error) {
	w.mu.Lock()
	w.dialled = append(w.dialled, address)
	w.mu.Unlock()
	return (&net.Dialer{}).DialContext(ctx, "tcp", w.server)
}

func (w *world) client(s Settings) *Client {
	s.Reach.Resolve, s.Reach.Dial = w.resolve, w.dial
	c := New(s)
	c.pause = func(context.Context, time.Duration) error { return nil }
	return c
}

func text(body string) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/plain")
		_, _ = rw.Write([]byte(body))
	}
}

func site(pages map[string]http.HandlerFunc) http.Handler {
	m := http.NewServeMux()
	for p, h := range pages {
		m.HandleFunc(p, h)
	}
	return m
}

// TestOnlyPublicAddresses is the table of what a request that a server is
// talked into must not reach.
func TestOnlyPublicAddresses(t *testing.T) {
	t.Parallel()
	refused := []struct{ url, resolves string }{
		{"http://127.0.0.1/", ""},
		{"http://localhost/", "127.0.0.1"},
		{"http://[::1]/", ""},
		{"http://[::]/", ""},
		{"http://0.0.0.0/", ""},
		{"http://10.1.2.3/", ""},
		{"http://172.16.0.1/", ""},
		{"http://192.168.1.1/", ""},
		{"http://100.64.0.1/", ""},
		{"http://169.254.169.254/latest/meta-data/", ""},
		{"http://metadata.example/", "169.254.169.254"},
		{"http://[fd00:ec2::254]/", ""},
		{"http://[fe80::1]/", ""},
		{"http://[::ffff:127.0.0.1]/", ""},
		{"http://[::ffff:10.0.0.1]/", ""},
		{"http://[64:ff9b::7f00:1]/", ""},
		{"http://[2002:7f00:1::]/", ""},
		{"http://[2001:db8::1]/", ""},
		{"http://224.0.0.1/", ""},
		{"http://255.255.255.255/", ""},
		{"http://2130706433/", "127.0.0.1"},
		{"http://0x7f.1/", "127.0.0.1"},
		{"http://0177.0.0.1/", "127.0.0.1"},
		{"http://both.example/", "93.184.216.34 10.0.0.1"},
		{"http://mapped.example/", "::ffff:192.168.0.1"},
		{"http://docs.example:22/", ""},
		{"http://docs.example:5432/", ""},
		{"https://docs.example:8443/", ""},
	}
	for _, tc := range refused {
		t.Run(tc.url, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, text("secret"))
			u, err := url.Parse(tc.url)
			if err != nil {
				t.Fatal(err)
			}
			if tc.resolves != "" {
				w.names[u.Hostname()] = [][]string{strings.Fields(tc.resolves)}
			}
			_, err = w.client(Settings{}).Get(t.Context(), tc.url, Seen{})
			if f := fault.Of(err); f == nil || f.Code != "address_not_allowed" {
				t.Errorf("got %v, want address_not_allowed", err)
			}
			if len(w.dialled) != 0 {
				t.Errorf("dialled %v", w.dialled)
			}
		})
	}
}

func TestWhatIsNoAddress(t *testing.T) {
	t.Parallel()
	for _, u := range []string{
		"", "docs.example/a", "file:///etc/passwd", "gopher://docs.example/", "ftp://docs.example/a", "http://", "http:///x", "http://:80/",
		"http://user:pass@docs.example/", "http://user@docs.example/", "javascript:alert(1)", "http://docs.example/" + strings.Repeat("a", 2100), "http://[::1", "data:text/plain,x", "http://docs example/",
	} {
		w := newWorld(t, text("x"))
		_, err := w.client(Settings{}).Get(t.Context(), u, Seen{})
		if f := fault.Of(err); f == nil || f.Kind != fault.Invalid || f.Field != "url" {
			t.Errorf("%.40q: got %v", u, err)
		}
		if len(w.dialled) != 0 {
			t.Errorf("%.40q: dialled %v", u, w.dialled)
		}
	}
}

// TestTheCheckedAddressIsDialled has a name that answers with a public address
// first and an inner one ever after: rebinding.
func TestTheCheckedAddressIsDialled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, site(map[string]http.HandlerFunc{"/a": text("public"), "/robots.txt": http.NotFound}))
	w.names["rebind.example"] = [][]string{{"93.184.216.34"}, {"127.0.0.1"}}
	c := w.client(Settings{})
	c.http.Transport.(*http.Transport).DisableKeepAlives = true
	_, err := c.Get(t.Context(), "http://rebind.example/a", Seen{}) // robots.txt takes the first answer, the document the second
	if f := fault.Of(err); f == nil || f.Code != "address_not_allowed" {
		t.Errorf("got %v, want address_not_allowed", err)
	}
	if want := []string{"93.184.216.34:80"}; !slices.Equal(w.dialled, want) {
		t.Errorf("dialled %v, want %v", w.dialled, want)
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	to := func(u string) http.HandlerFunc {
		return func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, u, http.StatusFound) }
	}
	pages := map[string]http.HandlerFunc{
		"/ok": to("/here"), "/here": text("here"),
		"/inner": to("http://169.254.169.254/latest/"), "/name": to("http://inner.example/"), "/port": to("http://docs.example:6379/"),
		"/file": to("file:///etc/passwd"), "/user": to("http://a:b@docs.example/here"), "/loop": to("/loop"),
		"/shut": to("/private/x"), "/private/x": text("private"), "/robots.txt": text("User-agent: *\nDisallow: /private\n"),
	}
	for path, want := range map[string]string{
		"/ok": "", "/inner": "address_not_allowed", "/name": "address_not_allowed", "/port": "address_not_allowed", "/file": "invalid", "/user": "invalid", "/loop": NotReached, "/shut": "robots",
	} {
		w := newWorld(t, site(pages))
		w.names["inner.example"] = [][]string{{"10.0.0.7"}}
		res, err := w.client(Settings{}).Get(t.Context(), "http://docs.example"+path, Seen{})
		code := ""
		if err != nil {
			code = fault.Of(err).Code
		} else if res.URL != "http://docs.example/here" || string(res.Data) != "here" {
			t.Errorf("%s: got %+v", path, res)
		}
		if code != want {
			t.Errorf("%s: got %q (%v), want %q", path, code, err, want)
		}
		for _, d := range w.dialled {
			if d != "93.184.216.34:80" {
				t.Errorf("%s: dialled %s", path, d)
			}
		}
	}
	https, http1 := &http.Request{URL: mustParse(t, "https://a.example/")}, &http.Request{URL: mustParse(t, "http://a.example/")}
	if err := New(Settings{}).redirect(http1, []*http.Request{https}); !fault.Is(err, fault.Forbidden) {
		t.Errorf("from https to http: got %v", err)
	}
}

func mustParse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestAllowedNetwork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, text("intranet"))
	w.names["wiki.corp"] = [][]string{{"10.20.0.5"}}
	c := w.client(Settings{Reach: Reach{Allow: []netip.Prefix{netip.MustParsePrefix("10.20.0.0/16")}}})
	res, err := c.Get(t.Context(), "http://wiki.corp:8090/a.txt", Seen{})
	if err != nil || string(res.Data) != "intranet" {
		t.Errorf("got %v, %v", res, err)
	}
	if _, err := c.Get(t.Context(), "http://10.21.0.5:8090/", Seen{}); !fault.Is(err, fault.Forbidden) {
		t.Errorf("the network beside it: got %v", err)
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	zeros := func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/plain")
		for range 100 {
			if _, err := rw.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	}
	zipped := func(rw http.ResponseWriter, _ *http.Request) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(make([]byte, 8<<20))
		_ = z.Close()
		rw.Header().Set("Content-Encoding", "gzip")
		rw.Header().Set("Content-Type", "text/plain")
		_, _ = rw.Write(b.Bytes())
	}
	hang := func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/plain")
		rw.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	picture := func(rw http.ResponseWriter, _ *http.Request) { rw.Header().Set("Content-Type", "image/png") }
	status := func(n int) http.HandlerFunc {
		return func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(n) }
	}
	h := site(map[string]http.HandlerFunc{
		"/zeros": zeros, "/zipped": zipped, "/hang": hang, "/picture": picture, "/robots.txt": http.NotFound,
		"/401": status(401), "/403": status(403), "/404": status(404), "/410": status(410), "/500": status(500), "/204": status(204), "/304": status(304),
	})
	for path, want := range map[string]fault.Kind{
		"/zeros": fault.TooLarge, "/zipped": fault.TooLarge, "/hang": fault.Unavailable, "/picture": fault.Unsupported,
		"/401": fault.Forbidden, "/403": fault.Forbidden, "/404": fault.NotFound, "/410": fault.NotFound, "/500": fault.Unavailable, "/204": fault.Unavailable, "/304": fault.Unavailable,
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, h)
			_, err := w.client(Settings{MaxBytes: 1 << 20, Timeout: 500 * time.Millisecond}).Get(t.Context(), "http://docs.example"+path, Seen{})
			if !fault.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
			if m := fault.Of(err).Message; !strings.Contains(m, "docs.example") {
				t.Errorf("%q names no host", m)
			}
		})
	}
}

func TestUnchanged(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	body, tag := "one", `"1"`
	w := newWorld(t, site(map[string]http.HandlerFunc{"/robots.txt": http.NotFound, "/hb.md": func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		rw.Header().Set("ETag", tag)
		rw.Header().Set("Content-Disposition", `attachment; filename="..\\..\\etc/House Rules.md"`)
		if r.Header.Get("If-None-Match") == tag {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = rw.Write([]byte(body))
	}}))
	c := w.client(Settings{})
	first, err := c.Get(t.Context(), "http://docs.example/hb.md#part", Seen{})
	if err != nil || string(first.Data) != "one" || first.Name != "House Rules.md" {
		t.Fatalf("got %+v, %v", first, err)
	}
	again, err := c.Get(t.Context(), "http://docs.example/hb.md", first.Seen)
	if err != nil || !again.Unchanged || len(again.Data) != 0 || again.Seen != first.Seen {
		t.Errorf("unchanged: got %+v, %v", again, err)
	}
	mu.Lock()
	body, tag = "two", `"2"`
	mu.Unlock()
	third, err := c.Get(t.Context(), "http://docs.example/hb.md", first.Seen)
	if err != nil || third.Unchanged || string(third.Data) != "two" || third.Seen.ETag != `"2"` {
		t.Errorf("changed: got %+v, %v", third, err)
	}
}

// What a server sends beyond its answer, or less than it said, is neither read
// nor written to a log: each document has a connection of its own.
func TestBodyThatLies(t *testing.T) {
	t.Parallel()
	lies := func(length, body string) http.HandlerFunc {
		return func(rw http.ResponseWriter, r *http.Request) {
			if !r.Close {
				t.Errorf("%s: the connection is kept", r.URL.Path)
			}
			conn, _, err := rw.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %s\r\n\r\n%s", length, body)
			_ = conn.Close()
		}
	}
	w := newWorld(t, site(map[string]http.HandlerFunc{"/robots.txt": http.NotFound, "/long": lies("5", "wordsHTTP/1.1 200 OK\r\n\r\nand more"), "/short": lies("500", "words")}))
	c := w.client(Settings{})
	if res, err := c.Get(t.Context(), "http://docs.example/long", Seen{}); err != nil || string(res.Data) != "words" {
		t.Errorf("more than it said: %+v, %v", res, err)
	}
	if _, err := c.Get(t.Context(), "http://docs.example/short", Seen{}); err == nil || !strings.Contains(err.Error(), "only part") || fault.Of(err).Code != NotReached {
		t.Errorf("less than it said: %v", err)
	}
}

func TestRobots(t *testing.T) {
	t.Parallel()
	answer := func(status int, body string) http.HandlerFunc {
		return func(rw http.ResponseWriter, _ *http.Request) {
			rw.WriteHeader(status)
			_, _ = rw.Write([]byte(body))
		}
	}
	for name, tc := range map[string]struct {
		robots http.HandlerFunc
		path   string
		want   string
	}{
		"none":          {answer(404, ""), "/a", ""},
		"all":           {answer(200, "User-agent: *\nDisallow: /private\n"), "/a", ""},
		"forbidden":     {answer(200, "User-agent: *\nDisallow: /private\n"), "/private/x", "robots"},
		"query":         {answer(200, "User-agent: *\nDisallow: /*?print\n"), "/a?print=1", "robots"},
		"ours":          {answer(200, "User-agent: *\nDisallow: /\n\nUser-agent: polaris\nAllow: /\n"), "/a", ""},
		"not ours":      {answer(200, "User-agent: *\nAllow: /\n\nUser-agent: Polaris\nDisallow: /\n"), "/a", "robots"},
		"broken server": {answer(503, ""), "/a", NotReached},
		"for ever":      {func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, "/robots.txt", http.StatusFound) }, "/a", NotReached},
		"huge":          {answer(200, "User-agent: *\nDisallow: /private\n"+strings.Repeat("# nothing\n", 1<<20)), "/a", ""},
		"huge, and no":  {answer(200, "User-agent: *\nDisallow: /private\n"+strings.Repeat("# nothing\n", 1<<20)), "/private/x", "robots"},
		"cut":           {answer(200, "User-agent: *\nDisallow: /private\n"+strings.Repeat("#", maxRobots-46)+"\nDisallow: /abc\n"), "/a", ""},
		"page":          {answer(200, "<html><body>not found</body></html>"), "/a", ""},
		"one long line": {answer(200, strings.Repeat("#", maxRobots+1)), "/a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			w := newWorld(t, site(map[string]http.HandlerFunc{"/robots.txt": func(rw http.ResponseWriter, r *http.Request) { asked++; tc.robots(rw, r) }, "/": text("x")}))
			c := w.client(Settings{})
			for range 2 {
				_, err := c.Get(t.Context(), "http://docs.example"+tc.path, Seen{})
				code := ""
				if err != nil {
					code = fault.Of(err).Code
				}
				if code != tc.want {
					t.Errorf("got %q (%v), want %q", code, err, tc.want)
				}
			}
			most := 1
			if tc.want == NotReached { // it is not remembered, and followed no further than any address
				most = 2 * (maxRedirects + 1)
			}
			if asked < 1 || asked > most {
				t.Errorf("robots.txt was asked for %d times, want at most %d", asked, most)
			}
		})
	}
}

func page(links ...string) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		for _, l := range links {
			_, _ = fmt.Fprintf(rw, "<p><a href=%q>x</a>", l)
		}
	}
}
