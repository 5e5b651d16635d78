package clients

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestClaudeCode follows docs/clients.md: one line adds the endpoint, and Claude
// Code then says that it is connected. No model is asked.
func TestClaudeCode(t *testing.T) {
	t.Parallel()
	s := polaris(t)
	claude := func(t *testing.T, home string, args ...string) run {
		t.Helper()
		return program{dir: home, args: append([]string{nativeClaude(t)}, args...), env: []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}}.run(t)
	}
	for name, c := range map[string]struct{ key, want string }{
		"key":     {s.key, `polaris: http://\S+/v1/mcp \(HTTP\) - . Connected`},
		"bad key": {badKey, `polaris: http://\S+/v1/mcp \(HTTP\) - . Failed to connect.*HTTP 401.*invalid_api_key`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			via, home := newRelay(t, s.url, nil), t.TempDir()
			if r := claude(t, home, append([]string{"mcp", "add"}, documented(t, via.url, c.key, "claude mcp add")...)...); r.code != 0 {
				t.Fatalf("mcp add: %d %s %s", r.code, r.out, r.err)
			}
			r := claude(t, home, "mcp", "list")
			if !regexp.MustCompile(c.want).MatchString(r.out) || r.code != 0 {
				t.Errorf("mcp list ends with %d and says\n%s\n%s", r.code, r.out, r.err)
			}
			if name == "key" {
				for _, p := range via.passed() {
					if p.status >= 400 && p.status != 405 {
						t.Errorf("%s %s is answered %d", p.method, p.path, p.status)
					}
				}
			} else {
				via.gaveUp(t, 12)
			}
		})
	}
}

// nativeClaude returns Claude Code's program. Its package for this machine
// holds it; what the main package offers under .bin would have to be put there
// by a script, and installing runs none.
func nativeClaude(t *testing.T) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(modules(t), "@anthropic-ai/claude-code-*/claude"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if !strings.Contains(c, "-musl/") || len(all) == 1 {
			return c
		}
	}
	t.Fatalf("no program for this machine among %q", all)
	return ""
}
