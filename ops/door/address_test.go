package door

import (
	"net/http"
	"testing"

	"polaris/ops"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	d, err := New(&ops.Desk{}, Config{PublicURL: "https://Polaris.example:8443", AllowedHosts: []string{"kb.internal", "other.internal:81"}, AllowedOrigins: []string{"https://app.example/"}})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{
		"polaris.example": true, "polaris.example:8443": true, "polaris.example:1": true, "POLARIS.example.": true, "polaris.example.:9": true,
		"kb.internal": true, "kb.internal:99": true, "other.internal:81": true, "other.internal": false, "other.internal:82": false,
		"localhost": true, "127.0.0.1:7": true, "[::1]": true, "[::1]:7": true, "127.0.0.2": true, "app.localhost:80": true, "localhost.": true, "x@app.localhost": false, "[::ffff:127.0.0.1]": true, "0.0.0.0": false, "127.1": false,
		"": false, "evil.example": false, "polaris.example.evil.example": false, "polaris.example@evil.example": false, "localhost:80@evil.example": false,
	} {
		if got := d.hostAllowed(host); got != want {
			t.Errorf("host %q: %v, want %v", host, got, want)
		}
	}
	for origin, want := range map[string]bool{
		"https://polaris.example:8443": true, "https://polaris.example": false, "http://polaris.example:8443": false, "https://app.example": true,
		"http://localhost:3000": true, "http://127.0.0.1": true, "http://[::1]:5": true, "https://localhost": true,
		"null": false, "file://": false, "http://localhost.evil.example": false, "http://localhost@evil.example": false, "http://localhost/x": false,
		"chrome-extension://localhost": false, "http://localhost:6274, https://evil.example": false,
	} {
		if got := d.originAllowed(origin); got != want {
			t.Errorf("origin %q: %v, want %v", origin, got, want)
		}
	}
	h := http.Header{}
	if err := d.CheckCaller(h, &http.Request{Method: http.MethodPost, Host: "localhost", Header: http.Header{"Origin": {"https://app.example"}}}); err != nil || h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("without CORS origins: %v, headers %v", err, h)
	}
}

func TestADoorNeedsAPublicURL(t *testing.T) {
	t.Parallel()
	for _, u := range []string{"", "polaris.example", "/v1", "https://", ":"} {
		if _, err := New(&ops.Desk{}, Config{PublicURL: u}); err == nil {
			t.Errorf("public URL %q was taken", u)
		}
	}
}
