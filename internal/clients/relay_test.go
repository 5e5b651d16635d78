package clients

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// A relay stands between a client and a server, notes what passes, and says
// that it comes from an address of its own, so that one client's bad keys are
// not counted against another's.
type relay struct {
	url string
	mu  sync.Mutex
	all []passed
}

// A passed is a request that passed, with what it was answered.
type passed struct {
	method, path string
	header       http.Header
	status       int
}

var relays atomic.Uint32

// newRelay returns a relay to the server at target; header is added to each
// request.
func newRelay(t *testing.T, target string, header http.Header) *relay {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	r, from := &relay{}, "198.18.0."+strconv.Itoa(int(relays.Add(1)))
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(to)
		p.Out.Host = p.In.Host
		p.Out.Header.Set("X-Forwarded-For", from)
		for name, values := range header {
			p.Out.Header[name] = values
		}
	}, ModifyResponse: func(a *http.Response) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.all = append(r.all, passed{a.Request.Method, a.Request.URL.Path, a.Request.Header, a.StatusCode})
		return nil
	}}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	r.url = s.URL
	return r
}

// passed returns what passed so far.
func (r *relay) passed() []passed {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]passed(nil), r.all...)
}
