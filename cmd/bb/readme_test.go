package main

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/models/store/localpg"
)

// readmeBlocks returns the fenced blocks of the README in one language.
func readmeBlocks(t *testing.T, language string) []string {
	t.Helper()
	return pageBlocks(t, "README.md", language)
}

func pageBlocks(t *testing.T, name, language string) []string {
	t.Helper()
	page, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		all = append(all, m[1])
	}
	if len(all) == 0 {
		t.Fatalf("%s has no %s block", name, language)
	}
	return all
}

// pageCommands returns every shell command of a page: the lines of its sh
// blocks, and what stands in backquotes and is run by bb.
func pageCommands(t *testing.T, name string) []string {
	t.Helper()
	var all []string
	for _, b := range pageBlocks(t, name, "sh") {
		for line := range strings.Lines(strings.ReplaceAll(b, "\\\n", " ")) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), "  #")
			all = append(all, strings.TrimSpace(line))
		}
	}
	page, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("`((?:echo [^`|\n]+ \\| )?bb [^`\n]+)`").FindAllStringSubmatch(string(page), -1) {
		if line := strings.ReplaceAll(m[1], "--brain-id ID", "--brain-id acme"); line != "bb apikey mint" && line != "bb user disable" { // names here, not commands
			all = append(all, line)
		}
	}
	return all
}

// shellWords are the arguments of a command line as a shell reads them.
func shellWords(t *testing.T, line string, env ...string) []string {
	t.Helper()
	name, _, _ := strings.Cut(line, " ")
	sh := exec.Command("sh", "-c", name+`() { printf '%s\0' "$@"; }`+"\n"+line)
	sh.Env = append(os.Environ(), env...)
	out, err := sh.Output()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// TestReadmeCommands runs every command of the README and of the page about
// keys and tokens, in order, as a reader would: against a demo, and against a
// server of the reader's own. Only what would not end here (make's targets) is
// looked up instead.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	demoData := dataFolder(t)
	demo, _ := serve(t, demoData, freeAddress(t), "--demo")
	key := demo.waitFor(t, printedKey)[1]
	var own *server
	ownData, ownAddr := dataFolder(t), freeAddress(t)

	var minted string // the id of the newest key
	for _, line := range append(pageCommands(t, "README.md"), pageCommands(t, "docs/access.md")...) {
		switch name, rest, _ := strings.Cut(line, " "); name {
		case "make":
			dry := exec.Command("make", "-n", rest)
			dry.Dir = "../.."
			if out, err := dry.CombinedOutput(); err != nil {
				t.Errorf("%s: %v %s", line, err, out)
			} else if rest == "demo" && !strings.Contains(string(out), "bb serve --demo") {
				t.Errorf("make demo runs %s", out)
			}
		case "export":
			if rest != "POLARIS_API_KEY=sk-polaris-…" && rest != `PATH="$PWD/bin:$PATH"` {
				t.Errorf("no test runs %q", line)
			}
		case "curl":
			if strings.Contains(line, "/v1/auth/token") {
				demo.readmeToken(t, line, demoData)
			} else {
				demo.readmeCurl(t, line, key)
			}
		case "claude":
			printed := demo.waitFor(t, regexp.MustCompile(`(?m)^  (claude mcp add .*)$`))[1]
			want := shellWords(t, strings.ReplaceAll(line, "http://localhost:8088", demo.url), "POLARIS_API_KEY="+key)
			if got := shellWords(t, printed); !slices.Equal(got, want) {
				t.Errorf("the server prints %q, the README has %q", got, want)
			}
		case "echo":
			data := ownData
			if strings.Contains(line, "_instance") {
				data = demoData // where the people of the tokens are
			}
			runReadme(t, strings.ReplaceAll(line, `"ID"`, `"`+minted+`"`), "POLARIS_DATA_DIR="+data)
		case "bb":
			if strings.HasPrefix(rest, "smoke ") || strings.HasPrefix(rest, "connect ") {
				runReadme(t, strings.ReplaceAll(line, "http://localhost:8088", demo.url), "POLARIS_API_KEY="+key)
				continue
			}
			if rest == "serve" {
				if own == nil {
					own, _ = serve(t, ownData, ownAddr)
				}
				continue
			}
			out := runReadme(t, strings.ReplaceAll(line, " ID", " "+minted), "POLARIS_DATA_DIR="+ownData, "POLARIS_LISTEN="+ownAddr, "POLARIS_PUBLIC_URL=http://"+ownAddr)
			if strings.HasPrefix(rest, "answer") && (!strings.Contains(out, "A counter-offer stays open for 30 days. ") || !strings.Contains(out, "## Sources")) {
				t.Errorf("%s printed\n%s", line, out)
			}
			if strings.HasPrefix(rest, "apikey mint") {
				secret := regexp.MustCompile(`sk-polaris-(\w{12})_\w+`).FindStringSubmatch(out)
				own.ask(t, secret[0], "Who owns this handbook?")
				minted = secret[1]
			}
		default:
			t.Errorf("no test runs %q", line)
		}
	}
}

// runReadme runs a line in a shell at the root of the checkout, where bb is
// this test's program.
func runReadme(t *testing.T, line string, env ...string) string {
	t.Helper()
	sh := exec.Command("sh", "-c", line)
	sh.Dir, sh.Env = "../..", append(os.Environ(), env...)
	out, err := sh.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

// readmeCurl sends what the curl line would send.
func (s *server) readmeCurl(t *testing.T, line, key string) {
	t.Helper()
	words := shellWords(t, strings.ReplaceAll(line, "http://localhost:8088", s.url), "POLARIS_API_KEY="+key)
	var url, body string
	header := http.Header{}
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "-s", "-N":
		case "-H":
			i++
			name, value, _ := strings.Cut(words[i], ": ")
			header.Set(name, value)
		case "-d":
			i++
			body = words[i]
		default:
			url = words[i]
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(got), "within 20 days") || !strings.Contains(string(got), `"status":"pass"`) {
		t.Errorf("%s\n%d %s %v", line, resp.StatusCode, got, err)
	}
}

// readmeToken signs in as the curl line would, for somebody who has a password,
// and asks with the token. A line that renews does so with what came of that.
func (s *server) readmeToken(t *testing.T, line, data string) {
	t.Helper()
	var got struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	send := func(body string) {
		t.Helper()
		resp, err := http.Post(s.url+"/v1/auth/token", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %v", body, resp.StatusCode, err)
		}
		s.ask(t, got.Access, "How long do we have to decide on a completed application?")
	}
	words := shellWords(t, line)
	sent := words[len(words)-1]
	if strings.Contains(sent, "rt-polaris-…") {
		newWithPassword(t, data, "eve@example.org")
		send(`{"grant_type":"password","email":"eve@example.org","password":"correct horse battery","brain_id":"calliope"}`)
		send(strings.ReplaceAll(sent, "rt-polaris-…", got.Refresh))
		return
	}
	newWithPassword(t, data, "ada@example.org")
	send(strings.NewReplacer("…", "correct horse battery", `"acme"`, `"calliope"`).Replace(sent))
}

// newWithPassword makes a reader of the demo's brain who has a password.
func newWithPassword(t *testing.T, data, email string) {
	t.Helper()
	code, _, errs := bb(t, nil, "correct horse battery\n", "user", "create", email, "--role", "reader", "--brain-id", "calliope", "--password-stdin", "--data-dir", data)
	if code != 0 {
		t.Fatalf("making %s: %s", email, errs)
	}
}

// waitFor waits until standard output has what is looked for; the server prints
// after it is ready.
func (s *server) waitFor(t *testing.T, what *regexp.Regexp) []string {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if m := what.FindStringSubmatch(s.out.String()); m != nil {
			return m
		}
	}
	t.Fatalf("no %s in\n%s", what, s.out.String())
	return nil
}

// TestReadmeBridgeConfiguration: the JSON is JSON, and what it starts is a
// command of ours.
func TestReadmeBridgeConfiguration(t *testing.T) {
	t.Parallel()
	var c struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(readmeBlocks(t, "json")[1]), &c); err != nil {
		t.Fatal(err)
	}
	p := c.MCPServers["polaris"]
	cmd := bridgeTo(t, "", p.Env["POLARIS_API_KEY"])
	cmd.Args = append([]string{p.Command}, p.Args...)
	if out, err := cmd.CombinedOutput(); !strings.Contains(string(out), "characters that no key has") || err == nil { // the ellipsis
		t.Errorf("the README's program says %s %v", out, err)
	}
	cmd = bridgeTo(t, "", "sk-polaris-x")
	cmd.Args = append([]string{p.Command}, p.Args...)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 { // standard input is empty
		t.Errorf("the README's program says %s %v", out, err)
	}
}

// TestReadmeClientConfiguration: the JSON is JSON, and names the endpoint.
func TestReadmeClientConfiguration(t *testing.T) {
	t.Parallel()
	var c struct {
		MCPServers map[string]struct {
			Type, URL string
			Headers   map[string]string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(readmeBlocks(t, "json")[0]), &c); err != nil {
		t.Fatal(err)
	}
	if p := c.MCPServers["polaris"]; p.Type != "http" || p.URL != "http://localhost:8088/v1/mcp" || p.Headers["Authorization"] != "Bearer sk-polaris-…" {
		t.Errorf("the README's configuration is %+v", c)
	}
}

// TestReadmeDatabaseOfYourOwn makes the logins as the README's SQL does, in a
// PostgreSQL that Polaris does not run, and serves the demo from there.
func TestReadmeDatabaseOfYourOwn(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	pg, err := localpg.Attach(t.Context(), localpg.Config{Dir: dataFolder(t), Fast: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Detach() })
	admin, err := pgx.Connect(t.Context(), pg.DSN(localpg.Admin, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	// A private cluster comes with what the README makes.
	undo := "DROP DATABASE " + localDB + ";\nDROP ROLE " + localApp + ";\nDROP ROLE " + localOwner + ";\n"
	for sql := range strings.Lines(undo + readmeBlocks(t, "sql")[0]) {
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	data := dataFolder(t)
	s, _ := serve(t, data, freeAddress(t), "--demo", "--database-url", pg.DSN(localApp, localDB), "--migrate-url", pg.DSN(localOwner, localDB))
	s.ask(t, s.waitFor(t, printedKey)[1], "How long do we have to decide on a completed application?")
	if _, err := os.Stat(filepath.Join(data, "postgres")); err == nil {
		t.Error("the server made a private database beside the one that it was given")
	}
	s.stop(t)
}
