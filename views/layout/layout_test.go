package layout

import (
	"testing"
	"time"
)

func TestAt(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 16, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		before time.Duration
		want   string
	}{
		{0, "now"},
		{59 * time.Second, "now"},
		{time.Minute, "1 minute ago"},
		{59 * time.Minute, "59 minutes ago"},
		{time.Hour, "1 hour ago"},
		{25 * time.Hour, "1 day ago"},
		{29 * 24 * time.Hour, "29 days ago"},
		{30 * 24 * time.Hour, "31 Oct 2026"},
		{-2 * time.Hour, "in 2 hours"},
		{-90 * 24 * time.Hour, "28 Feb 2027"},
	} {
		if got := At(now.Add(-row.before), now); got.Text != row.want || got.Stamp == "" || got.Full == "" {
			t.Errorf("%v before: got %+v, want %q", row.before, got, row.want)
		}
	}
	if got := At(time.Time{}, now); got != (When{Text: "never"}) {
		t.Errorf("zero time: got %+v", got)
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1\u202f000", 1234567: "1\u202f234\u202f567", -12345: "-12\u202f345"} {
		if got := Number(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestCurrent(t *testing.T) {
	t.Parallel()
	nav := []Section{{Items: []Item{{URL: "/brains/b"}, {URL: "/brains/b/settings"}, {URL: "/brains/b/settings/api-keys"}, {URL: "/brains/b/ask"}}}}
	for path, want := range map[string]string{
		"/brains/b": "/brains/b", "/brains/b/settings/api-keys/new": "/brains/b/settings/api-keys", "/brains/b/settings/x": "/brains/b/settings", "/brains/b/asking": "", "/gone": "",
	} {
		if got := current(Frame{Path: path, Nav: nav, Brain: Brain{URL: "/brains/b"}}); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestTook(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{0: "less than 1\u00a0ms", 900 * time.Microsecond: "less than 1\u00a0ms", 3*time.Millisecond + 700*time.Microsecond: "3\u00a0ms", 2 * time.Second: "2\u202f000\u00a0ms"} {
		if got := Took(d); got != want {
			t.Errorf("Took(%s) = %q, want %q", d, got, want)
		}
	}
}
