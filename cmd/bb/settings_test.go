package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestReadmeListsTheSettings holds the README's table against the code.
func TestReadmeListsTheSettings(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(POLARIS_[A-Z_]+)` \\| ([^|]*) \\|").FindAllStringSubmatch(string(readme), -1)
	var listed []string
	for _, r := range rows {
		listed = append(listed, r[1])
		for _, f := range fields() {
			if f.env == r[1] && f.def != "" && strings.HasPrefix(r[2], "`") && !strings.Contains(f.def, "${") && !strings.Contains(r[2], "`"+f.def+"`") {
				t.Errorf("%s: the README says %s, the code %q", f.env, r[2], f.def)
			}
		}
	}
	want := variables()
	slices.Sort(listed)
	slices.Sort(want)
	if !slices.Equal(listed, want) {
		t.Errorf("the README lists %v, the code has %v", listed, want)
	}
}

func TestEverySettingIsAFlagOfServe(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if code := run(t.Context(), []string{"serve", "--help"}, nil, &out, &out); code != 0 {
		t.Fatalf("bb serve --help: %d\n%s", code, out.String())
	}
	for _, v := range variables() {
		flag := "--" + strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(v, "POLARIS_")), "_", "-")
		if !strings.Contains(out.String(), flag) {
			t.Errorf("bb serve has no %s for %s", flag, v)
		}
	}
}

func TestMalformedSettings(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"POLARIS_LISTEN", "8088", "POLARIS_LISTEN"},
		{"POLARIS_PUBLIC_URL", "ftp://x", "POLARIS_PUBLIC_URL"},
		{"POLARIS_PUBLIC_URL", "https://x/path", "POLARIS_PUBLIC_URL"},
		{"POLARIS_PUBLIC_URL", "https://x:99999", "between 1 and 65535"},
		{"POLARIS_PUBLIC_URL", "https://x:0", "between 1 and 65535"},
		{"POLARIS_PUBLIC_URL", "https://:8088", "POLARIS_PUBLIC_URL"},
		{"POLARIS_PUBLIC_URL", "https://x?", "POLARIS_PUBLIC_URL"},
		{"POLARIS_PUBLIC_URL", "https://u:secret@x", `"https://u:xxxxx@x"`},
		{"POLARIS_MCP_PATH", "v1/mcp", "POLARIS_MCP_PATH"},
		{"POLARIS_MCP_PATH", "/health", "POLARIS_MCP_PATH"},
		{"POLARIS_MCP_PATH", "/brains/mcp", "POLARIS_MCP_PATH"},
		{"POLARIS_MCP_PATH", "/v1/brains", "POLARIS_MCP_PATH"},
		{"POLARIS_SECRET_KEY", "zz", "POLARIS_SECRET_KEY must be 64 hexadecimal digits"},
		{"POLARIS_TRUSTED_PROXIES", "10.0.0.0/99", "POLARIS_TRUSTED_PROXIES"},
		{"POLARIS_METRICS_ALLOW", "everybody", "POLARIS_METRICS_ALLOW"},
		{"POLARIS_FETCH_ALLOW", "intranet", "POLARIS_FETCH_ALLOW"},
		{"POLARIS_RATE_LIMIT", "60", "POLARIS_RATE_LIMIT"},
		{"POLARIS_RATE_LIMIT_STORE", "redis", "POLARIS_RATE_LIMIT_STORE"},
		{"POLARIS_RATE_LIMIT", "0/1s", "POLARIS_RATE_LIMIT"},
		{"POLARIS_RATE_LIMIT", "10/1500ms", "POLARIS_RATE_LIMIT"},
		{"POLARIS_MCP_PATH", "/v1/../mcp", "POLARIS_MCP_PATH"},
		{"POLARIS_MCP_PATH", "//mcp", "POLARIS_MCP_PATH"},
		{"POLARIS_ALLOWED_HOSTS", "*", "POLARIS_ALLOWED_HOSTS"},
		{"POLARIS_ALLOWED_HOSTS", "ok.example,*.example", "POLARIS_ALLOWED_HOSTS"},
		{"POLARIS_ALLOWED_HOSTS", "https://a.example", "POLARIS_ALLOWED_HOSTS"},
		{"POLARIS_ALLOWED_HOSTS", "u@a.example", "POLARIS_ALLOWED_HOSTS"},
		{"POLARIS_ALLOWED_ORIGINS", "null", "POLARIS_ALLOWED_ORIGINS"},
		{"POLARIS_ALLOWED_ORIGINS", "a.example", "POLARIS_ALLOWED_ORIGINS"},
		{"POLARIS_ALLOWED_ORIGINS", "https://a.example/x", "POLARIS_ALLOWED_ORIGINS"},
		{"POLARIS_CORS_ORIGINS", "*", "POLARIS_CORS_ORIGINS"},
		{"POLARIS_CORS_ORIGINS", "https://*.example", "POLARIS_CORS_ORIGINS"},
		{"POLARIS_MAX_QUERY_CHARS", "-1", "POLARIS_MAX_QUERY_CHARS"},
		{"POLARIS_MAX_QUERY_CHARS", "many", "max-query-chars"},
		{"POLARIS_PARSE_MEMORY", "1000", "64 MiB"},
		{"POLARIS_PARSE_TIME", "1ms", "POLARIS_PARSE_TIME"},
		{"POLARIS_OCR_LANGUAGES", "eng, deu", "POLARIS_OCR_LANGUAGES"},
		{"POLARIS_OCR_LANGUAGES", "-c", "POLARIS_OCR_LANGUAGES"},
		{"POLARIS_PARSE_PAGES", "0", "POLARIS_PARSE_PAGES"},
		{"POLARIS_PARSE_UNPACKED", "-1", "POLARIS_PARSE_UNPACKED"},
		{"POLARIS_PARSE_RATIO", "0", "POLARIS_PARSE_RATIO"},
		{"POLARIS_PARSE_ENTRIES", "many", "parse-entries"},
		{"POLARIS_WORKERS", "-1", "POLARIS_WORKERS"},
		{"POLARIS_SHALLOW_INLINE_WAIT_SECONDS", "46", "POLARIS_SHALLOW_INLINE_WAIT_SECONDS"},
		{"POLARIS_SHALLOW_INLINE_WAIT_SECONDS", "0", "POLARIS_SHALLOW_INLINE_WAIT_SECONDS"},
		{"POLARIS_JOB_TTL", "59s", "POLARIS_JOB_TTL"},
		{"POLARIS_INDEX_MEMORY", "-1", "POLARIS_INDEX_MEMORY"},
		{"POLARIS_SHUTDOWN_GRACE", "soon", "shutdown-grace"},
		{"POLARIS_SHUTDOWN_GRACE", "-1s", `"-1s"; it must be a time above 0`},
		{"POLARIS_LOG_LEVEL", "loud", "log-level"},
		{"POLARIS_LISTNE", "127.0.0.1:1", "POLARIS_LISTNE is no setting"},
		{"POLARIS_LLM_EMBED_MODEL", "x", "has no effect in this release"},
		{"POLARIS_LLM_MODEL", "x", "POLARIS_LLM_BASE_URL"},
		{"POLARIS_LLM_BASE_URL", "localhost:11434", "http or https"},
		{"POLARIS_LLM_BASE_URL", "http://k:s@localhost/v1", "POLARIS_LLM_API_KEY"},
		{"POLARIS_LLM_BASE_URL", "http://localhost/v1", "POLARIS_LLM_MODEL"},
	} {
		t.Run(c.name+"="+c.value, func(t *testing.T) {
			t.Setenv(c.name, c.value)
			var out, errw bytes.Buffer
			code := run(context.Background(), []string{"config", "--data-dir", t.TempDir()}, nil, &out, &errw)
			if code != 2 || !strings.Contains(errw.String(), c.want) || strings.Count(errw.String(), "\n") != 1 {
				t.Errorf("exit %d, %q; want 2 and one line with %q", code, errw.String(), c.want)
			}
		})
	}
}

// The public URL is compared with what browsers send as Origin, and says whether
// cookies are Secure.
func TestThePublicURLIsAnOriginAsBrowsersWriteIt(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"https://polaris.example": "https://polaris.example", "https://polaris.example/": "https://polaris.example", "HTTPS://Polaris.Example": "https://polaris.example",
		"https://polaris.example:443": "https://polaris.example", "http://polaris.example:80/": "http://polaris.example", "http://polaris.example:443": "http://polaris.example:443",
		"https://polaris.example:8443": "https://polaris.example:8443", "https://polaris.example:": "https://polaris.example", "http://[::1]:80": "http://[::1]", "http://[FE80::1]:8088": "http://[fe80::1]:8088",
	} {
		if got, err := publicOrigin(given); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", given, got, err, want)
		}
	}
}

func TestEnvFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "polaris.env")
	if err := os.WriteFile(file, []byte("# ours\nexport POLARIS_LOG_LEVEL=debug\nPOLARIS_DATABASE_URL=\"postgres://bb:hunter2@db.example/x\"\nPOLARIS_RATE_LIMIT=5/1s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("POLARIS_RATE_LIMIT", "7/1s") // the process wins over the file
	for _, name := range []string{"POLARIS_LOG_LEVEL", "POLARIS_DATABASE_URL"} {
		t.Setenv(name, "") // restored after the test
		os.Unsetenv(name)
	}
	var out, errw bytes.Buffer
	if code := run(context.Background(), []string{"config", "--data-dir", dir}, nil, &out, &errw); code != 0 {
		t.Fatalf("exit %d: %s", code, errw.String())
	}
	if strings.Contains(out.String(), "hunter2") {
		t.Errorf("a password is shown:\n%s", out.String())
	}
	for _, want := range []string{`POLARIS_LOG_LEVEL +debug +` + file, `POLARIS_RATE_LIMIT +7/1s +environment`, `POLARIS_DATABASE_URL +postgres://bb:xxxxx@db.example/x +` + file, `POLARIS_LISTEN +127.0.0.1:8088 +default`} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no line %q in\n%s", want, out.String())
		}
	}
	if err := os.WriteFile(file, []byte("POLARIS LOG\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := run(context.Background(), []string{"config", "--data-dir", dir}, nil, &out, &errw); code != 2 || !strings.Contains(errw.String(), "line 1") {
		t.Errorf("a malformed file: exit %d, %s", code, errw.String())
	}
}

// A secret that cannot be one is blamed on where it came from.
func TestSecretKeyThatIsNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "secret.key")
	for _, text := range []string{"", "short", strings.Repeat("g", 64), strings.Repeat("a", 66)} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := &checked{Settings: Settings{DataDir: dir}}
		if err := c.readSecret(); err == nil || !strings.Contains(err.Error(), file) || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("a file with %q: %v", text, err)
		}
	}
	c := &checked{Settings: Settings{DataDir: dir, SecretKey: "short"}}
	if err := c.readSecret(); err == nil || !strings.Contains(err.Error(), "POLARIS_SECRET_KEY") {
		t.Errorf("the setting: %v", err)
	}
}
