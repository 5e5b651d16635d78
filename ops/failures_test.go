package ops

import (
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
	if failed, held := f.Counted(); failed != mostFailures || held != 1 {
		t.Errorf("%d failures and %d refusals are counted, want %d and 1", failed, held, mostFailures)
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
