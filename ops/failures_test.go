package ops

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"
)

func TestFailures(t *testing.T) {
	t.Parallel()
	f, at := NewFailures(), netip.MustParsePrefix("203.0.113.7/32")
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for i := range mostFailures {
		if w := f.Wait(at, now); w > 0 {
			t.Fatalf("has to wait %v after %d failures", w, i)
		}
		f.Add(at, now)
	}
	if w := f.Wait(at, now.Add(time.Second)); w != 59*time.Second {
		t.Errorf("after %d failures: wait %v, want 59s", mostFailures, w)
	}
	if w := f.Wait(netip.MustParsePrefix("203.0.113.8/32"), now); w > 0 {
		t.Errorf("the neighbour has to wait %v", w)
	}
	if w := f.Wait(at, now.Add(failuresWindow)); w > 0 {
		t.Errorf("a minute later: wait %v", w)
	}
	f.Add(netip.MustParsePrefix("198.51.100.1/32"), now.Add(2*failuresWindow+time.Second))
	if len(f.at) != 1 {
		t.Errorf("%d addresses are remembered, want the new one alone", len(f.at))
	}
	for i := range mostAddresses + 10 {
		f.Add(netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 32), now.Add(2*failuresWindow))
	}
	if len(f.at) > mostAddresses {
		t.Errorf("%d addresses are remembered, want at most %d", len(f.at), mostAddresses)
	}
}

func TestFailuresTry(t *testing.T) {
	t.Parallel()
	f, at := NewFailures(), netip.MustParsePrefix("203.0.113.7/32")
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for range 3 * mostFailures {
		if w := f.Try(at, now); w > 0 {
			t.Fatalf("attempts that went well count: wait %v", w)
		}
		f.Forgive(at, now)
	}
	for i := range mostFailures {
		if w := f.Try(at, now); w > 0 {
			t.Fatalf("has to wait %v after %d attempts", w, i)
		}
	}
	if w := f.Try(at, now); w != failuresWindow {
		t.Errorf("over the bound: wait %v", w)
	}
	f.Forgive(at, now)
	if w := f.Try(at, now); w > 0 {
		t.Errorf("after one was forgiven: wait %v", w)
	}
}

func TestAddressOf(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, row := range []struct{ remote, forwarded, want string }{
		{"203.0.113.7:4711", "", "203.0.113.7/32"},
		{"203.0.113.7:4711", "198.51.100.1", "203.0.113.7/32"}, // not our proxy's word
		{"10.0.0.1:4711", "198.51.100.1", "198.51.100.1/32"},
		{"10.0.0.1:4711", "192.0.2.9, 198.51.100.1, 10.0.0.2", "198.51.100.1/32"}, // what came before is hearsay
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
