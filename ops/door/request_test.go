package door

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"polaris/models/fault"
	"polaris/ops"
)

func TestAddressOf(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, row := range []struct{ remote, forwarded, want string }{
		{"203.0.113.7:4711", "", "203.0.113.7/32"},
		{"203.0.113.7:4711", "198.51.100.1", "203.0.113.7/32"}, // not our proxy's word
		{"10.0.0.1:4711", "198.51.100.1", "198.51.100.1/32"},
		{"10.0.0.1:4711", "192.0.2.9, 198.51.100.1, 10.0.0.2", "198.51.100.1/32"}, // what came before is hearsay
		{"10.0.0.1:4711", "198.51.100.1:50123", "198.51.100.1/32"},                // some proxies add the port
		{"10.0.0.1:4711", "198.51.100.1, 10.0.0.2:50123", "198.51.100.1/32"},
		{"10.0.0.1:4711", "[2001:db8:1:2:3::4]:50123", "2001:db8:1:2::/64"},
		{"10.0.0.1:4711", "[2001:db8:1:2:3::4]", "2001:db8:1:2::/64"},
		{"10.0.0.1:4711", "[198.51.100.1", "10.0.0.1/32"},
		{"10.0.0.1:4711", "198.51.100.1:x", "10.0.0.1/32"},
		{"10.0.0.1:4711", "", "10.0.0.1/32"},
		{"10.0.0.1:4711", "nonsense", "10.0.0.1/32"},
		{"10.0.0.1:4711", "198.51.100.1, nonsense", "10.0.0.1/32"},
		{"[2001:db8:1:2:3::4]:4711", "", "2001:db8:1:2::/64"},
		{"[::ffff:203.0.113.7]:4711", "", "203.0.113.7/32"},
		{"[fd00::1]:4711", "2001:db8:1:2:3::4", "2001:db8:1:2::/64"},
		{"[fe80::1%eth0]:4711", "", "fe80::/64"},
		{"@", "", "invalid Prefix"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = row.remote
		if row.forwarded != "" {
			r.Header.Set("X-Forwarded-For", row.forwarded)
		}
		if got := AddressOf(r, proxies).String(); got != row.want {
			t.Errorf("%s forwarded %q: got %s, want %s", row.remote, row.forwarded, got, row.want)
		}
	}
}

func TestCredentialOf(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		auths, keys []string
		want        string // "!" for a refusal
	}{
		{nil, nil, ""},
		{[]string{"Bearer a"}, nil, "a"},
		{[]string{"  bearer   a  "}, nil, "a"},
		{nil, []string{" a "}, "a"},
		{[]string{"Bearer a"}, []string{"a"}, "a"},
		{[]string{"Basic a"}, []string{"b"}, "b"},
		{[]string{"Basic a"}, nil, ""},
		{[]string{"Bearer"}, nil, ""},
		{[]string{"Bearer a"}, []string{"b"}, "!"},
		{[]string{"Bearer a", "Bearer a"}, nil, "!"},
		{[]string{"Basic a", "Bearer a"}, nil, "!"},
		{nil, []string{"a", "a"}, "!"},
	} {
		r := &http.Request{Header: http.Header{"Authorization": row.auths, "X-Api-Key": row.keys}}
		got, err := CredentialOf(r)
		if err != nil {
			got = "!"
			if fault.Of(err).Code != "conflicting_credentials" {
				t.Errorf("%q %q: %v", row.auths, row.keys, err)
			}
		}
		if got != row.want {
			t.Errorf("%q %q: %q, want %q", row.auths, row.keys, got, row.want)
		}
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	for id, kept := range map[string]bool{
		"7f3a-b_c.D9": true, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false, "": false, "a b": false, "a\n": false, "ä": false, "<b>": false,
	} {
		r := &http.Request{Header: http.Header{RequestIDHeader: {id}}}
		if got := RequestID(r); (got == id) != kept || !kept && !strings.HasPrefix(got, "req_") {
			t.Errorf("%q became %q, want it kept: %v", id, got, kept)
		}
	}
}

func TestTell(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	tell(h, ops.Taken{})
	if len(h) != 0 {
		t.Errorf("no limit: %v", h)
	}
	tell(h, ops.Taken{Limit: 60, Window: time.Minute, Remaining: 3, Reset: 1500 * time.Millisecond})
	if h.Get("RateLimit-Policy") != `"default";q=60;w=60` || h.Get("RateLimit") != `"default";r=3;t=2` {
		t.Errorf("got %v", h)
	}
}
