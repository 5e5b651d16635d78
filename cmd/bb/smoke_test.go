package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// smoke runs `bb smoke` as somebody would who has nothing else of Polaris.
func smoke(t *testing.T, key string, args ...string) (code int, out, errw string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0])
	c.Args = append([]string{"bb", "smoke"}, args...)
	c.Env = append(os.Environ(), "POLARIS_API_KEY="+key, "POLARIS_DATA_DIR=/nowhere/at/all")
	var o, e strings.Builder
	c.Stdout, c.Stderr = &o, &e
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), o.String(), e.String()
}

// A proxied is a server behind a proxy that does what a test wants done.
type proxied struct {
	url  string
	key  string
	ask  atomic.Pointer[func(http.ResponseWriter, *http.Request) bool] // true: answered already
	tell atomic.Pointer[func(*http.Response)]
}

// behindProxy serves the demo behind a proxy.
func behindProxy(t *testing.T) *proxied {
	t.Helper()
	needsPostgres(t)
	addr := freeAddress(t)
	target, err := url.Parse("http://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxied{}
	rp := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
			r.Out.Header.Set("X-Forwarded-For", r.In.Header.Get("X-Test-From"))
		},
		ModifyResponse: func(r *http.Response) error {
			if f := p.tell.Load(); f != nil {
				(*f)(r)
			}
			return nil
		},
	}
	n := 0 // who fails too often is held back: each run comes from elsewhere
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/live" {
			n++
		}
		r.Header.Set("X-Test-From", fmt.Sprintf("203.0.113.%d", n))
		if f := p.ask.Load(); f == nil || !(*f)(w, r) {
			rp.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(front.Close)
	p.url = front.URL
	s, _ := serve(t, dataFolder(t), addr, "--demo", "--public-url", front.URL, "--trusted-proxies", "127.0.0.1", "--rate-limit", "5000/60s")
	p.key = s.waitFor(t, printedKey)[1]
	return p
}

// TestSmoke checks a deployment that is well, and then the same one behind a
// proxy that does something wrong: the check that finds it fails, and says what
// to do.
func TestSmoke(t *testing.T) {
	t.Parallel()
	p := behindProxy(t)
	code, out, errw := smoke(t, p.key, "--url", p.url)
	if code != 0 || errw != "" || strings.Count(out, "\n") != len(smokeChecks) || strings.Count(out, "ok ") != len(smokeChecks) {
		t.Fatalf("a deployment that is well: %d\n%s%s", code, out, errw)
	}
	t.Logf("\n%s", out)
	code, out, errw = smoke(t, "", "--api-key", p.key, "--url", p.url+"/v1/mcp/", "--json")
	var report smokeReport
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 || errw != "" || !report.OK || len(report.Checks) != len(smokeChecks) || report.URL != p.url+"/v1/mcp" {
		t.Errorf("as JSON: %d %+v %v %s", code, report, err, errw)
	}
	code, out, errw = smoke(t, "", "--url", p.url)
	if code != 1 || !strings.Contains(errw, "10 of 18 checks were not made: there is no API key") || strings.Contains(out, "failed") {
		t.Errorf("without a key: %d\n%s%s", code, out, errw)
	}
	code, out, errw = smoke(t, p.key, "--url", p.url, "--question", "zebras of the moon")
	if code != 1 || !regexp.MustCompile(`(?m)^failed +(retrieve|answer) .*--question`).MatchString(out) {
		t.Errorf("a question that nothing answers: %d\n%s%s", code, out, errw)
	}

	without := func(name string) func(http.ResponseWriter, *http.Request) bool {
		return func(_ http.ResponseWriter, r *http.Request) bool { r.Header.Del(name); return false }
	}
	answering := func(path string, h http.HandlerFunc) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasPrefix(r.URL.Path, path) {
				h(w, r)
				return true
			}
			return false
		}
	}
	hiding := func(name string) func(*http.Response) { return func(r *http.Response) { r.Header.Del(name) } }
	page := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><title>Sign in</title>")
	}
	rewriting := func(old, with string) func(*http.Response) {
		return func(r *http.Response) {
			b, _ := io.ReadAll(r.Body)
			b = []byte(strings.ReplaceAll(string(b), old, with))
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(string(b))), int64(len(b))
			r.Header.Set("Content-Length", fmt.Sprint(len(b)))
		}
	}
	for _, c := range []struct {
		name, check, want string
		ask               func(http.ResponseWriter, *http.Request) bool
		tell              func(*http.Response)
	}{
		{"another server", "live", "Something else than Polaris", answering("/live", page), nil},
		{"not ready", "health", "is not ready", answering("/health", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, `{"status":"not_ready"}`)
		}), nil},
		{"a key for all", "no_key", "answers without a key", func(_ http.ResponseWriter, r *http.Request) bool {
			r.Header.Set("Authorization", "Bearer "+p.key)
			return false
		}, nil},
		{"a sign-in before it", "no_key", "Something before the server", answering("/v1/mcp", page), nil},
		{"no challenge", "no_key", "WWW-Authenticate", nil, hiding("WWW-Authenticate")},
		{"no Allow", "method", "Allow: POST", nil, hiding("Allow")},
		{"pages everywhere", "discovery", "/.well-known/oauth-protected-resource is answered with 200 with text/html", answering("/.well-known/", page), nil},
		{"a foreign host", "no_key", "Set POLARIS_PUBLIC_URL to " + p.url, func(_ http.ResponseWriter, r *http.Request) bool { r.Host = "upstream.internal"; return false }, nil},
		{"a Host of its own", "host", "Let it pass on", func(_ http.ResponseWriter, r *http.Request) bool { r.Host = "127.0.0.1"; return false }, nil},
		{"no Origin", "origin", "Origin header away", without("Origin"), nil},
		{"no Authorization", "bad_key", "takes the Authorization header away", without("Authorization"), nil},
		{"no X-API-Key", "x_api_key", "takes that header away", without("X-API-Key"), nil},
		{"no rate headers", "rate_headers", "no RateLimit headers", nil, hiding("RateLimit")},
		{"no Mcp-Method", "discover_2026", "Mcp-Method away", without("Mcp-Method"), nil},
		{"no Mcp-Name", "call_2026", "Mcp-Name away", without("Mcp-Name"), nil},
		{"quotes made straight", "retrieve", "is not as long as its offsets say", nil, rewriting("(a) Tell", "(a)  Tell")},
		{"another public URL", "answer", "Set POLARIS_PUBLIC_URL to " + p.url, nil, rewriting(p.url, "http://polaris.internal")},
		{"records kept back", "record", "Something before the server", answering("/v1/brains/", page), nil},
		{"an answer that is none", "initialize", "The proxy does not reach the server", func(w http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.Header.Get("Authorization"), p.key) {
				w.Header().Set("Content-Type", "text/html")
				w.WriteHeader(http.StatusBadGateway)
				io.WriteString(w, p.key)
				return true
			}
			return false
		}, nil},
		{"the key told back", "initialize", "Look at the server's log", func(w http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.Header.Get("Authorization"), p.key) {
				w.Header().Set("Content-Type", p.key)
				w.WriteHeader(http.StatusTeapot)
				fmt.Fprintf(w, `{"error":{"code":"other","message":%q}}`, p.key)
				return true
			}
			return false
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.ask.Store(nil)
			p.tell.Store(nil)
			if c.ask != nil {
				p.ask.Store(&c.ask)
			}
			if c.tell != nil {
				p.tell.Store(&c.tell)
			}
			code, out, errw := smoke(t, p.key, "--url", p.url)
			if want := regexp.MustCompile(`(?m)^failed +` + c.check + ` .*` + regexp.QuoteMeta(c.want)); code != 1 || !want.MatchString(out) {
				t.Errorf("%d, want that %s fails with %q\n%s%s", code, c.check, c.want, out, errw)
			}
			if strings.Contains(out+errw, p.key) || strings.Count(out, "\n") != len(smokeChecks) || strings.Count(errw, "\n") != 1 {
				t.Errorf("the key, or too many lines:\n%s%s", out, errw)
			}
		})
	}
}

// A redirect is not followed, least of all with the key.
func TestSmokeFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	var followed atomic.Int32
	evil := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	t.Cleanup(evil.Close)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/live":
			io.WriteString(w, `{"status":"alive"}`)
		default:
			http.Redirect(w, r, evil.URL+"/sk-polaris-secret", http.StatusTemporaryRedirect)
		}
	}))
	t.Cleanup(front.Close)
	code, out, errw := smoke(t, "sk-polaris-secret", "--url", front.URL)
	if code != 1 || followed.Load() > 0 || strings.Contains(out+errw, "sk-polaris-secret") || !regexp.MustCompile(`(?m)^failed +no_key .*It redirects elsewhere`).MatchString(out) {
		t.Errorf("%d, followed %d times\n%s%s", code, followed.Load(), out, errw)
	}
}

// What keeps a server from being reached is named, and costs no more than one
// time-out.
func TestSmokeUnreached(t *testing.T) {
	t.Parallel()
	tlsServer := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(tlsServer.Close)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	for address, want := range map[string]string{
		"http://" + freeAddress(t): "Nothing listens there",
		tlsServer.URL:              "TLS certificate does not hold",
		strings.Replace(tlsServer.URL, "https://", "http://", 1): "400",
		"http://polaris.invalid":                                 "name is not known",
		"http://" + silent.Addr().String():                       "no answer in time",
		"https://" + silent.Addr().String():                      "no answer in time",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			code, out, errw := smoke(t, "sk-polaris-secret", "--url", address)
			first, _, _ := strings.Cut(out, "\n")
			if took := time.Since(began); code != 1 || !strings.HasPrefix(first, "failed  live ") || !strings.Contains(first, want) || took > 13*time.Second {
				t.Errorf("%s: %d after %s\n%s%s", address, code, took, out, errw)
			}
			if !strings.Contains(errw, "1 of 18 checks failed, and 17 could not be made.") {
				t.Errorf("%s: %s", address, errw)
			}
		})
	}
}

// Addresses that carry something else are refused before anything is sent, and
// neither they nor a key are ever repeated, however the line is wrong.
func TestSmokeRefusesAddresses(t *testing.T) {
	t.Setenv("POLARIS_DATA_DIR", t.TempDir())
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(srv.Close)
	host := strings.TrimPrefix(srv.URL, "http://")
	for _, args := range [][]string{
		{"--url", "http://user:hunter2@" + host},
		{"--url", "http://hunter2@" + host},
		{"--url", "http://" + host + "/?k=hunter2"},
		{"--url", "http://" + host + "/#hunter2"},
		{"--url", "http://" + host + "?"},
		{"--url", "http://" + host + "#"},
		{"--url", "hunter2"},
		{"--url", "http://" + host + ":hunter2"},
		{"--url=http://u:hunter2@" + host},
		{"http://u:hunter2@" + host},
		{"--url", "http://" + host, "hunter2"},
		{"--url", "http://" + host, "sk-polaris-hunter2"},
		{"--url", "http://" + host, "--key", "hunter2"},
		{"--url", "http://" + host, "--api-key", "hunter2\nx"},
		{"--url", "http://" + host, "--api-key", "hünter2 hunter2"},
	} {
		for _, as := range [][]string{{}, {"--json"}} {
			var out, errw strings.Builder
			code := run(t.Context(), append(append([]string{"smoke"}, args...), as...), strings.NewReader(""), &out, &errw)
			if code != 2 || out.String() != "" || strings.Contains(errw.String(), "hunter2") || strings.Count(errw.String(), "\n") != 1 || asked.Load() > 0 {
				t.Errorf("%q: %d %q %q after %d requests", args, code, out.String(), errw.String(), asked.Load())
			}
		}
	}
}
