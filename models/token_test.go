package models

import (
	"slices"
	"strings"
	"testing"
)

func TestRefreshTokens(t *testing.T) {
	t.Parallel()
	first, id := MintRefresh()
	next := NextRefresh(first)
	other, _ := MintRefresh()
	if len(first) != len("rt-polaris-")+12+1+32+6 || first == next || first[:40] != next[:40] || first[40:56] == next[40:56] {
		t.Errorf("%s, then %s: want the first half of the secret kept, and the other new", first, next)
	}
	for _, token := range []string{first, next} {
		if got, ok := RefreshID(token); !ok || got != id {
			t.Errorf("%s: id %q %v, want %s", token, got, ok, id)
		}
	}
	family, whole := HashRefresh(first)
	f2, w2 := HashRefresh(next)
	f3, _ := HashRefresh(other)
	if !SameHash(family, f2) || SameHash(whole, w2) || SameHash(family, f3) || SameHash(family, nil) {
		t.Error("tokens of one grant have the one hash in common, and no other")
	}
	for i := range len(first) {
		if _, ok := RefreshID(first[:i]); ok {
			t.Errorf("%s: taken", first[:i])
		}
		c := byte('a')
		if first[i] == c {
			c = 'b'
		}
		if _, ok := RefreshID(first[:i] + string(c) + first[i+1:]); ok {
			t.Errorf("%s with another character at %d: taken", first, i)
		}
	}
	key, _ := MintKey()
	for _, s := range []string{"", key, first + "0", " " + first, first + "\n", strings.ToLower(first), "rt-polaris-", "rt" + key[2:]} {
		if _, ok := RefreshID(s); ok {
			t.Errorf("%q: taken", s)
		}
	}
	if _, ok := KeyID(first); ok {
		t.Error("a refresh token is a key")
	}
	if got := RedactIn("x " + first + " y"); strings.Contains(got, first[24:40]) || !strings.Contains(got, id) {
		t.Errorf("redacted: %s", got)
	}
}

func TestRedactInAccessTokens(t *testing.T) {
	t.Parallel()
	const token = "eyJhbGciOiJFZERTQSIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwczovL3BvbGFyaXMifQ.c2lnbmF0dXJl"
	for in, want := range map[string]string{
		token: "eyJ…", "got " + token + ", odd": "got eyJ…, odd", token[:60]: "eyJ…",
		"eyJ": "eyJ", "a sentence. With dots.": "a sentence. With dots.", "req_eyJ0": "req_eyJ0",
	} {
		if got := RedactIn(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestCovers: role × scope, and several roles together.
func TestCovers(t *testing.T) {
	t.Parallel()
	curating := []Scope{ScopeAdvisorRead, ScopeResearchRun, ScopeInvoke, ScopeWrite}
	reading := curating[:3]
	for _, c := range []struct {
		roles []Role
		want  []Scope
	}{
		{nil, nil},
		{[]Role{RoleOwner}, curating},
		{[]Role{RoleAdmin}, curating},
		{[]Role{RoleCurator}, curating},
		{[]Role{RoleApprover}, reading},
		{[]Role{RoleAuditor}, reading},
		{[]Role{RoleReader}, curating[:2]},
		{[]Role{RoleReader, RoleCurator}, curating},
		{[]Role{"king"}, nil},
	} {
		for _, s := range Scopes() {
			if got := Covers(c.roles, s); got != slices.Contains(c.want, s) {
				t.Errorf("%v × %s: %v", c.roles, s, got)
			}
		}
	}
}
