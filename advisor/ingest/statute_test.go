package ingest

import "testing"

func fcra(tb testing.TB) *Document {
	return parse(tb, load(tb, "fcra-15usc1681.md"), Options{Name: "fcra-15usc1681.md"})
}

func TestStatute(t *testing.T) {
	t.Parallel()
	d := fcra(t)
	if d.Code != "FCRA" || d.Title != "FCRA (15 U.S.C. 1681–1681x)" {
		t.Errorf("code %q, title %q", d.Code, d.Title)
	}
}
