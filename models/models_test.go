package models

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestBrainID(t *testing.T) {
	t.Parallel()
	for id, want := range map[BrainID]bool{
		"calliope": true, "a": true, "a-1": true, BrainID("a" + strings.Repeat("b", 39)): true,
		"": false, "A": false, "1a": false, "-a": false, "a_b": false, "a b": false, "é": false, "_instance": false, "a\n": false, BrainID("a" + strings.Repeat("b", 40)): false,
	} {
		if got := id.Valid(); got != want {
			t.Errorf("%q: got %v, want %v", id, got, want)
		}
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Declining an application: the notices we owe": "declining-an-application-the-notices-we-owe",
		"  ": "", "Fees & charges": "fees-charges", "É": "", strings.Repeat("ab ", 40): strings.TrimSuffix(strings.Repeat("ab-", 22), "-")[:64],
	} {
		got := Slug(in)
		if len(got) > 64 || strings.HasSuffix(got, "-") || want != "" && !strings.HasPrefix(want, got) || want == "" && got != "" {
			t.Errorf("Slug(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCleanEmail(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"ada@example.org": "ada@example.org", " Ada@Example.ORG\n": "ada@example.org",
		"": "", "ada": "", "@x": "", "a@": "", "a@b@c": "", "a b@c.d": "", "a\x00@b.c": "", "<a@b.c>": "", "a@b.c, d@e.f": "", strings.Repeat("a", 250) + "@b.cd": "",
	} {
		got, ok := CleanEmail(in)
		if got != want || ok != (want != "") {
			t.Errorf("CleanEmail(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
}

// A key never does more than its owner may now, whatever its scopes say.
func TestKeyIsBoundByItsOwner(t *testing.T) {
	t.Parallel()
	for _, r := range Rights() {
		p := Principal{Kind: KindKey, Scopes: Scopes(), Roles: []Role{RoleReader}}
		if p.May(r) && r != MayAsk && r != MayResearch && r != MayIdentify {
			t.Errorf("a reader's key with every scope may %s", r)
		}
		if p.Roles = nil; p.May(r) {
			t.Errorf("a key whose owner lost the brain may %s", r)
		}
		p = Principal{Kind: KindKey, Scopes: Scopes(), Roles: Roles()}
		if p.May(r) && (r == MayKeys || r == MayMembers || r == MayAdminister || r == MayEnter) {
			t.Errorf("an owner's key with every scope may %s: a key mints no keys and makes no people", r)
		}
		p = Principal{Kind: KindPerson, TokenID: "tok", Scopes: []Scope{ScopeAdvisorRead, ScopeInvoke}, Roles: Roles(), InstanceAdmin: true}
		if p.May(r) && slices.Contains([]Right{MayKeys, MayMembers, MayAdminister, MayEditDraft}, r) {
			t.Errorf("an owner's token that may only read may %s", r)
		}
		if p.Scopes = Scopes(); p.May(r) == slices.Contains([]Right{MayAudit, MayAdminister, MaySelf, MayEnter}, r) {
			t.Errorf("an owner's token with every scope, %s: %v", r, p.May(r))
		}
	}
}

// What is hashed into the chain must survive the database, which keeps
// microseconds.
func TestAuditBytesAreStable(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.FixedZone("x", 3600))
	a := AuditRow{BrainID: "a", ID: 7, At: at, Detail: Detail{Spans: []string{"<&>"}}}
	b := a
	b.At = at.UTC().Truncate(time.Microsecond)
	if string(a.Bytes()) != string(b.Bytes()) {
		t.Errorf("%s\n%s", a.Bytes(), b.Bytes())
	}
	c := a
	c.Actor = "x"
	if string(a.Bytes()) == string(c.Bytes()) {
		t.Error("two rows that differ have the same bytes")
	}
}

// TestSecretsComeFromTheSystem: no package of the server takes chance from
// anywhere but crypto/rand, so no secret can be computed from another.
func TestSecretsComeFromTheSystem(t *testing.T) {
	t.Parallel()
	files := 0
	for _, root := range []string{"../models", "../ops", "../web", "../mcp", "../cmd"} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files++
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, i := range f.Imports {
				if strings.HasPrefix(i.Path.Value, `"math/rand`) {
					t.Errorf("%s imports %s", path, i.Path.Value)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 50 {
		t.Errorf("only %d files were looked at", files)
	}
}
