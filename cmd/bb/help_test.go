package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestEveryCommandHasAnExample: and the example is of that command.
func TestEveryCommandHasAnExample(t *testing.T) {
	t.Parallel()
	k, err := kong.New(&root{}, kong.Name("bb"), vars())
	if err != nil {
		t.Fatal(err)
	}
	leaves := k.Model.Leaves(false)
	if len(leaves) < 20 {
		t.Fatalf("%d commands", len(leaves))
	}
	for _, n := range leaves {
		name := n.Name
		for p := n.Parent; p != nil; p = p.Parent {
			name = p.Name + " " + name
		}
		if _, example, _ := strings.Cut(n.Help, "Example: "); !strings.Contains(example, name) {
			t.Errorf("%s has the help %q, without an example of itself", name, n.Help)
		}
	}
}

// TestMisuseNamesTheHelp: the line about a wrong use says whose help to read.
func TestMisuseNamesTheHelp(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":                        "",
		"nonsense":                "`bb --help`",
		"import":                  "`bb import --help`",
		"brain create":            "`bb brain create --help`",
		"brain":                   "`bb brain --help`",
		"sources":                 "did you mean \"source\"? `bb --help`",
		"answer --colour red why": "`bb answer --help`",
	} {
		var out, errw strings.Builder
		code := run(t.Context(), strings.Fields(line), strings.NewReader(""), &out, &errw)
		if want != "" && (code != 2 || !strings.Contains(errw.String(), want)) {
			t.Errorf("bb %s: %d %q, want 2 and %s", line, code, errw.String(), want)
		}
		if want == "" && (code != 0 || !strings.Contains(out.String(), "Usage:")) {
			t.Errorf("bb: %d %q", code, out.String())
		}
	}
}

// TestReleaseIsAVersion: what goes out beside the name of Polaris does not say
// the name again.
func TestReleaseIsAVersion(t *testing.T) {
	t.Parallel()
	if v := release(); v == "" || strings.Contains(v, "polaris") || strings.ContainsAny(v, "()") {
		t.Errorf("the release is %q", v)
	}
	var out, errw strings.Builder
	if code := run(t.Context(), []string{"--version"}, strings.NewReader(""), &out, &errw); code != 0 || out.String() != "polaris "+release()+"\n" {
		t.Errorf("bb --version: %d %q", code, out.String())
	}
}
