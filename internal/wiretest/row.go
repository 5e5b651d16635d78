package wiretest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A Row is one request and what its answer must be.
type Row struct {
	Name   string
	Method string      // default POST
	Path   string      // default /v1/mcp
	Host   string      // default: the server's own, on loopback
	Header http.Header // "{reader}" stands for that key; by default that key as Bearer
	Body   string

	Status int
	Code   string            // of error.code, in a plain refusal
	RPC    int               // of error.code, in a JSON-RPC error
	Has    []string          // in the body
	Lacks  []string          // nor in the body
	Expect map[string]string // headers; "" means absent
	Also   func(t *testing.T, a *Answer)
}

// An Answer is what came back.
type Answer struct {
	*http.Response
	Body []byte
}

// JSON reads the body into v.
func (a *Answer) JSON(tb testing.TB, v any) {
	tb.Helper()
	if err := json.Unmarshal(a.Body, v); err != nil {
		tb.Fatalf("body %q: %v", a.Body, err)
	}
}

// client follows no redirect: a redirect would lose the credential.
var client = &http.Client{
	Timeout:       60 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{MaxIdleConnsPerHost: 256},
}

// Do sends a row's request.
func (w *World) Do(tb testing.TB, r Row) *Answer {
	tb.Helper()
	method, path := r.Method, r.Path
	if method == "" {
		method = http.MethodPost
	}
	if path == "" {
		path = "/v1/mcp"
	}
	req, err := http.NewRequestWithContext(tb.Context(), method, w.URL+w.key(path), strings.NewReader(r.Body))
	if err != nil {
		tb.Fatal(err)
	}
	req.Host = r.Host
	req.Header.Set("X-Forwarded-For", w.Address())
	req.Header.Set("Content-Type", "application/json")
	if r.Header == nil {
		r.Header = http.Header{"Authorization": {"Bearer {reader}"}}
	}
	for name, vs := range r.Header {
		delete(req.Header, name)
		for _, v := range vs {
			req.Header[name] = append(req.Header[name], w.key(v))
		}
	}
	res, err := client.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return &Answer{res, body}
}

// check runs one row.
func (w *World) check(t *testing.T, r Row) {
	t.Helper()
	a := w.Do(t, r)
	if a.StatusCode != r.Status {
		t.Errorf("status %d, want %d; body %s", a.StatusCode, r.Status, a.Body)
	}
	var e struct {
		JSONRPC string
		Error   struct {
			Code          any
			Message, Type string
		}
	}
	if r.Code != "" {
		a.JSON(t, &e)
		if e.Error.Code != r.Code || e.Error.Message == "" || e.Error.Type == "" || e.JSONRPC != "" {
			t.Errorf("body %s, want error.code %q with message and type", a.Body, r.Code)
		}
	}
	if r.RPC != 0 {
		a.JSON(t, &e)
		if e.Error.Code != float64(r.RPC) || e.JSONRPC != "2.0" || e.Error.Message == "" {
			t.Errorf("body %s, want JSON-RPC error %d", a.Body, r.RPC)
		}
	}
	if len(a.Body) > 0 && !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") {
		t.Errorf("content type %q, want JSON", a.Header.Get("Content-Type"))
	}
	if a.Header.Get("Mcp-Session-Id") != "" || a.Header.Get("Location") != "" {
		t.Errorf("a session id or a redirect: %v", a.Header)
	}
	for _, s := range r.Has {
		if !bytes.Contains(a.Body, []byte(s)) {
			t.Errorf("body %s, want %q in it", a.Body, s)
		}
	}
	for _, s := range r.Lacks {
		if bytes.Contains(a.Body, []byte(s)) {
			t.Errorf("body %s, want no %q in it", a.Body, s)
		}
	}
	for name, want := range r.Expect {
		if got := strings.Join(a.Header.Values(name), " | "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if r.Also != nil {
		r.Also(t, a)
	}
}

// Call is the body of a tools/call.
func Call(id any, tool string, args any) string {
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
	if err != nil {
		panic(err) // a test's own literals
	}
	return string(b)
}

// A Result is the result of a tools/call.
type Result struct {
	Content []struct{ Type, Text string } `json:"content"`
	Data    json.RawMessage               `json:"structuredContent"`
	IsError bool                          `json:"isError"`
}

// Result reads the result of a tools/call.
func (a *Answer) Result(tb testing.TB) Result {
	tb.Helper()
	var v struct {
		Result Result
		Error  json.RawMessage
	}
	a.JSON(tb, &v)
	if v.Error != nil || len(v.Result.Content) == 0 {
		tb.Fatalf("no result with content: %s", a.Body)
	}
	return v.Result
}
