package ops_test

import (
	"testing"

	"polaris/models"
	"polaris/ops"
)

// What is flagged is let through by another person than who brought it in, on
// whatever way either did; what is not flagged is vouched for by anybody.
func TestAnotherPersonCertifiesWhatIsFlagged(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	of := func(code string) ops.CertifyIn { return ops.CertifyIn{Source: code} }
	put := func(c ops.Call, code, text string) {
		must(t, x.d, c, ops.ImportSource, ops.ImportSourceIn{Name: code + ".md", Code: code, Data: []byte(text)})
	}
	put(x.di, "PLAIN", "# Plain rules\n\n(a) The fee for a copy is 3 euros.\n")
	must(t, x.d, x.di, ops.CertifySource, of("PLAIN"))

	put(x.di, "PL", hidden)
	if got := code(x.d, x.di, ops.CertifySource, of("PL")); got != "own_import " {
		t.Errorf("whoever brought it in, at the pages: %s", got)
	}
	named := x.shell
	named.ApprovedBy = "di@example.org"
	if got := code(x.d, named, ops.CertifySource, of("PL")); got != "own_import " {
		t.Errorf("whoever brought it in, at the terminal: %s", got)
	}
	if c := must(t, x.d, x.ben, ops.CertifySource, of("PL")); c.ImportedBy != "di@example.org" || c.By != "ben@example.org" {
		t.Errorf("another: %+v", c)
	}
	if c := must(t, x.d, x.di, ops.GetSource, ops.GetSourceIn{Source: "PL"}).Certified; c == nil || c.ImportedBy != "di@example.org" {
		t.Errorf("as it is shown: %+v", c)
	}

	// What a program brought in is its person's, whoever approved it.
	tokens := must(t, x.d, x.ben, ops.CreateTokens, ops.CreateTokensIn{Scopes: []models.Scope{models.ScopeInvoke, models.ScopeWrite}})
	by, err := x.d.TokenPrincipal(t.Context(), tokens.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	program := ops.Call{By: by, Brain: "acme", Via: ops.REST}
	q := proposed(t, x.d, program, ops.ImportSource, ops.ImportSourceIn{Name: "pl2.md", Code: "PL2", Data: []byte(hidden + "\n(z) More.\n")})
	if got, err := decide(t, x.d, x.cleo, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}
	if got := code(x.d, x.ben, ops.CertifySource, of("PL2")); got != "own_import " {
		t.Errorf("whose program brought it in: %s", got)
	}
	must(t, x.d, x.di, ops.CertifySource, of("PL2"))

	// Who named themselves at the terminal counts as well.
	shell := x.shell
	shell.By.Actor = "Ben@Example.org"
	put(shell, "PL3", hidden+"\n(y) More still.\n")
	if got := code(x.d, x.ben, ops.CertifySource, of("PL3")); got != "own_import " {
		t.Errorf("who brought it in at the terminal: %s", got)
	}
}
