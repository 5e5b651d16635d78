package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPrintable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\ttext\n":   "plain\ttext\n",
		"é 日 \u200f":      "é 日 \u200f",
		"\x1b[31mred\x07": `\u001b[31mred\u0007`,
		"a\rb\x7f":        `a\u000db\u007f`,
		"\u009b31m":       `\u009b31m`,
		"\u202egnp.exe":   `\u202egnp.exe`,
		"\u2066x\u2069":   `\u2066x\u2069`,
		"\xff\x9b":        `\xff\x9b`,
		"\ufffd":          "\ufffd",
		"ends \xe6\x97":   `ends \xe6\x97`,
	} {
		for _, step := range []int{1, 2, 3, 100} { // characters are cut wherever a writer likes
			var b bytes.Buffer
			p := &printable{w: &b}
			for rest := in; rest != ""; {
				n := min(step, len(rest))
				if m, err := p.Write([]byte(rest[:n])); m != n || err != nil {
					t.Fatalf("%q: wrote %d, %v", rest[:n], m, err)
				}
				rest = rest[n:]
			}
			p.end()
			if b.String() != want {
				t.Errorf("%q in steps of %d: got %q, want %q", in, step, b.String(), want)
			}
		}
	}
}

// What a document and its name hold does not reach the terminal as commands,
// and JSON says exactly what they hold.
func TestOutputCommandsNoTerminal(t *testing.T) {
	t.Parallel()
	title := "Rules \x1b]0;owned\x07 \u202eof\u202c"
	path := filepath.Join(t.TempDir(), "a\x1b[2J\nb.md")
	if err := os.WriteFile(path, []byte("# "+title+"\n\n"+strings.Repeat("A sentence of plain text stands here. ", 80)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	for _, args := range [][]string{{"extract", path}, {"extract", path + "\x1b[0m"}, {"\x1b[31m"}, {"--data-dir", "/nowhere\x1b", "brain", "list"}} {
		run(context.Background(), args, strings.NewReader(""), &out, &errs)
	}
	if all := out.String() + errs.String(); strings.ContainsAny(all, "\x1b\x07\u202e") || strings.Contains(all, "\nb.md") || !strings.Contains(all, `\u001b]0;owned\u0007 \u202eof`) {
		t.Errorf("the terminal was sent %q", all)
	}
	out.Reset()
	if code := run(context.Background(), []string{"extract", path, "--json"}, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	var got struct{ Title string }
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Title != title {
		t.Errorf("JSON says %q, %v", got.Title, err)
	}
}
