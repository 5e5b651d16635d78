package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// page returns docs/clients.md with the address of a server in it.
func page(t *testing.T, url string) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "http://localhost:8088", url)
}

// blocks returns the page's blocks in one language, each under its heading.
func blocks(t *testing.T, url, language string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, part := range strings.Split(page(t, url), "\n### ")[1:] {
		heading, rest, _ := strings.Cut(part, "\n")
		if m := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```$").FindStringSubmatch(rest); m != nil {
			all[heading] = m[1]
		}
	}
	return all
}

// documented returns the arguments of the page's one command that begins with
// start, as a shell reads them.
func documented(t *testing.T, url, key, start string) []string {
	t.Helper()
	var found []string
	for line := range strings.Lines(page(t, url)) {
		if rest, ok := strings.CutPrefix(line, start+" "); ok {
			found = append(found, rest)
		}
	}
	if len(found) != 1 {
		t.Fatalf("docs/clients.md has %d commands %q", len(found), start)
	}
	sh := exec.Command("sh", "-c", "words() { printf '%s\\0' \"$@\"; }\nwords "+found[0])
	sh.Env = append(os.Environ(), "POLARIS_API_KEY="+key)
	out, err := sh.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// TestDocumentedPrograms runs each program of docs/clients.md as somebody would
// who copied it. Each prints the answer to the page's question.
func TestDocumentedPrograms(t *testing.T) {
	t.Parallel()
	s := polaris(t)
	if !strings.Contains(page(t, s.url), question) {
		t.Fatalf("the page does not ask %q", question)
	}
	try := func(heading string, p program) {
		t.Run(heading, func(t *testing.T) {
			t.Parallel()
			p.env = append(p.env, "POLARIS_API_KEY="+s.key)
			r := p.run(t)
			if r.code != 0 {
				t.Fatalf("it ends with %d\n%s\n%s", r.code, r.out, r.err)
			}
			told{Text: r.out}.checkText(t)
		})
	}
	scripts := blocks(t, s.url, "js")
	if len(scripts) != 6 {
		t.Errorf("%d programs in JavaScript, want 6", len(scripts))
	}
	for heading, source := range scripts {
		dir := workshop(t)
		write(t, filepath.Join(dir, "example.mjs"), source)
		try(heading, program{dir: dir, args: []string{bin(t, "node"), "example.mjs"}})
	}
	programs := blocks(t, s.url, "go")
	if len(programs) != 2 {
		t.Errorf("%d programs in Go, want 2", len(programs))
	}
	for heading, source := range programs {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "main.go"), source)
		// Built as part of the module, which pins what it imports.
		build := exec.Command("go", "build", "-o", filepath.Join(dir, "example"), filepath.Join(dir, "main.go"))
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", heading, err, out)
		}
		try(heading, program{dir: dir, args: []string{filepath.Join(dir, "example")}})
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestDocumentedPython: what is not run says so.
func TestDocumentedPython(t *testing.T) {
	t.Parallel()
	text := page(t, "http://localhost:8088")
	if n, said := strings.Count(text, "```python\n"), strings.Count(text, "Not run by our tests.\n\n```python\n"); n != 2 || said != n {
		t.Errorf("%d programs in Python, of which %d say that they are not run", n, said)
	}
}
