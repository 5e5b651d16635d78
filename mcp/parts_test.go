package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"polaris/models/fault"
	"polaris/ops"
)

func TestGate(t *testing.T) {
	t.Parallel()
	public := &url.URL{Scheme: "https", Host: "Polaris.example:8443"}
	g := newGate(public, Config{AllowedHosts: []string{"kb.internal", "other.internal:81"}, AllowedOrigins: []string{"https://app.example/"}})
	for host, want := range map[string]bool{
		"polaris.example": true, "polaris.example:8443": true, "polaris.example:1": true, "POLARIS.example.": true, "polaris.example.:9": true,
		"kb.internal": true, "kb.internal:99": true, "other.internal:81": true, "other.internal": false, "other.internal:82": false,
		"localhost": true, "127.0.0.1:7": true, "[::1]": true, "[::1]:7": true, "127.0.0.2": false, "[::ffff:127.0.0.1]": false, "0.0.0.0": false, "127.1": false,
		"": false, "evil.example": false, "polaris.example.evil.example": false, "polaris.example@evil.example": false, "localhost:80@evil.example": false,
	} {
		if got := g.hostAllowed(host); got != want {
			t.Errorf("host %q: %v, want %v", host, got, want)
		}
	}
	for origin, want := range map[string]bool{
		"https://polaris.example:8443": true, "https://polaris.example": false, "http://polaris.example:8443": false, "https://app.example": true,
		"http://localhost:3000": true, "http://127.0.0.1": true, "http://[::1]:5": true, "https://localhost": true,
		"null": false, "file://": false, "http://localhost.evil.example": false, "http://localhost@evil.example": false, "http://localhost/x": false,
		"chrome-extension://localhost": false, "http://localhost:6274, https://evil.example": false,
	} {
		if got := g.originAllowed(origin); got != want {
			t.Errorf("origin %q: %v, want %v", origin, got, want)
		}
	}
	h := http.Header{}
	if no := g.check(h, &http.Request{Method: http.MethodPost, Host: "localhost", Header: http.Header{"Origin": {"https://app.example"}}}); no != nil || h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("without CORS origins: %v, headers %v", no, h)
	}
}

func TestErrorTypeHoldsNoText(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"conflict":            fault.New(fault.Conflict, "secret"),
		"*errors.errorString": fmt.Errorf("secret: %w", fmt.Errorf("secret: %w", errors.New("secret"))),
		"*url.Error":          fault.New(fault.Unavailable, "secret").Because(&url.Error{Op: "secret"}),
		"*mcp.panicked":       &panicked{what: "string"},
		"*strconv.NumError":   fmt.Errorf("%w %w", &strconv.NumError{Func: "secret"}, io.EOF),
		"*net.AddrError":      errors.Join(&net.AddrError{Err: "secret"}, io.EOF),
		"sqlstate 53100":      fmt.Errorf("secret: %w", &pgconn.PgError{Code: "53100", Message: "secret"}),
		"*json.SyntaxError":   json.Unmarshal([]byte("{"), &struct{}{}),
		"*http.MaxBytesError": &http.MaxBytesError{},
		"*reflect.ValueError": &reflect.ValueError{},
	} {
		if got := errorType(err); got != want {
			t.Errorf("%#v: %q, want %q", err, got, want)
		}
	}
}

func TestWithoutNulls(t *testing.T) {
	t.Parallel()
	type inner struct {
		L []int `json:"l"`
		P *int  `json:"p"`
	}
	type out struct {
		A []inner          `json:"a"`
		B []inner          `json:"b"`
		M map[string]inner `json:"m"`
		S string           `json:"s"`
		N float64          `json:"n"`
	}
	_, s, err := outputSchema(reflect.TypeFor[*out]())
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(out{A: []inner{{}, {L: []int{1}}}, M: map[string]inner{"x": {}}, S: "a:null", N: 12345678901234567})
	got, err := s.withoutNulls(raw)
	if want := `{"a":[{"l":[]},{"l":[1]}],"b":[],"m":{"x":{"l":[]}},"n":12345678901234568,"s":"a:null"}`; err != nil || string(got) != want {
		t.Errorf("got %s %v, want %s", got, err, want)
	}
	if _, err := s.withoutNulls([]byte("null")); err == nil {
		t.Error("an output that is null was taken")
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	long := ""
	for range 60 {
		long += "é"
	}
	for in, want := range map[string]string{"": "", "short": "short", long: long[:100] + "…", "x" + long: ("x" + long)[:99] + "…"} {
		if got := clip(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestHostedNeedsAPublicURL(t *testing.T) {
	t.Parallel()
	for _, u := range []string{"", "polaris.example", "/v1", "https://", ":"} {
		if _, err := Hosted(&ops.Desk{}, Config{PublicURL: u}); err == nil {
			t.Errorf("public URL %q was taken", u)
		}
	}
}
