package models

import (
	"strings"
	"testing"
	"time"
)

func TestMintKey(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		key, id := MintKey()
		got, ok := KeyID(key)
		if !ok || got != id || len(key) != 62 || !strings.HasPrefix(key, "sk-polaris-"+id+"_") || seen[id] {
			t.Fatalf("%s: id %s, read back %s %v", key, id, got, ok)
		}
		seen[id] = true
	}
}

// One changed character, wherever it is, makes it no key; nobody is asked.
func TestKeyIDRefusesEachChange(t *testing.T) {
	t.Parallel()
	key, _ := MintKey()
	for i := range key {
		for _, c := range []byte("0aZ_-\x00\xff") {
			if key[i] == c {
				continue
			}
			changed := key[:i] + string([]byte{c}) + key[i+1:]
			if _, ok := KeyID(changed); ok {
				t.Errorf("%q is taken for a key: character %d of %q was changed", changed, i, key)
			}
		}
	}
	for _, s := range []string{"", key[1:], key + "0", " " + key, key + " ", strings.ToUpper(key), strings.Repeat("sk-polaris-", 6)} {
		if _, ok := KeyID(s); ok {
			t.Errorf("%q is taken for a key", s)
		}
	}
}

func TestKeyMatches(t *testing.T) {
	t.Parallel()
	key, _ := MintKey()
	other, _ := MintKey()
	k := APIKey{Hash: HashKey(key)}
	if now := time.Now(); k.Secret(key, now) != CurrentSecret || k.Secret(other, now) != WrongSecret || k.Secret("", now) != WrongSecret {
		t.Error("a key must match itself and nothing else")
	}
	if start := KeyStart(key[len("sk-polaris-"):][:12]); !strings.HasPrefix(key, start) || len(key)-len(start) != 38 {
		t.Errorf("lists show %q of %q, want all but the secret and its checksum", start, key)
	}
}

func TestKeyState(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	past, future := now.Add(-time.Second), now.Add(time.Second)
	for _, c := range []struct {
		k    APIKey
		want string
	}{
		{APIKey{}, "active"},
		{APIKey{ExpiresAt: &future}, "active"},
		{APIKey{ExpiresAt: &now}, "expired"},
		{APIKey{ExpiresAt: &past}, "expired"},
		{APIKey{RevokedAt: &past, ExpiresAt: &past, OwnerGone: true}, "revoked"},
		{APIKey{ExpiresAt: &past, OwnerGone: true}, "expired"},
		{APIKey{ExpiresAt: &future, OwnerGone: true}, "suspended"},
	} {
		if got := c.k.StateAt(now); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.k, got, c.want)
		}
	}
}

// TestRotate follows one key through rotations: which secret is which, when.
func TestRotate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	first, id := MintKey()
	k := APIKey{ID: id, Hash: HashKey(first), CreatedAt: now.Add(-time.Hour)}
	second := k.Rotate("ada@example.org", time.Hour, now)
	if got, ok := KeyID(second); !ok || got != id || second == first {
		t.Fatalf("rotated %s into %s", first, second)
	}
	old := k
	third := k.Rotate("eve@example.org", 0, now.Add(time.Minute))
	for _, c := range []struct {
		what string
		k    *APIKey
		key  string
		at   time.Duration
		want Secret
	}{
		{"the new secret", &old, second, 0, CurrentSecret},
		{"the new secret after the overlap", &old, second, 2 * time.Hour, CurrentSecret},
		{"the old secret in the overlap", &old, first, time.Hour - time.Nanosecond, OverlapSecret},
		{"the old secret after it", &old, first, time.Hour, RotatedSecret},
		{"no overlap", &k, second, time.Minute, RotatedSecret},
		{"no overlap, by a clock that is behind", &k, second, -time.Hour, RotatedSecret},
		{"the oldest", &k, first, time.Minute, WrongSecret},
		{"the newest", &k, third, time.Minute, CurrentSecret},
		{"nothing", &k, "", 0, WrongSecret},
	} {
		if got := c.k.Secret(c.key, now.Add(c.at)); got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
	if k.RotatedBy != "eve@example.org" || !k.Youth().Equal(now.Add(time.Minute)) {
		t.Errorf("rotated by %s, as young as %s", k.RotatedBy, k.Youth())
	}
}

func FuzzKeyID(f *testing.F) {
	key, _ := MintKey()
	for _, s := range []string{key, "", "sk-polaris-", key[:61], strings.Repeat("é", 31)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, ok := KeyID(s)
		if ok && (len(id) != 12 || len(s) != 62 || s[11:23] != id || checksum(s[:56]) != s[56:]) {
			t.Errorf("%q is taken for a key with id %q", s, id)
		}
		if !ok && id != "" {
			t.Errorf("%q is no key and has id %q", s, id)
		}
	})
}

func TestRedactIn(t *testing.T) {
	t.Parallel()
	key, id := MintKey()
	for in, want := range map[string]string{
		key:                                 "sk-polaris-" + id + "_…",
		"leaked: " + key + ", twice " + key: "leaked: sk-polaris-" + id + "_…, twice sk-polaris-" + id + "_…",
		key[:30]:                            "sk-polaris-" + id + "_…",
		"sk-polaris-" + id + "_":            "sk-polaris-" + id + "_",
		"plain words":                       "plain words",
	} {
		if got := RedactIn(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
