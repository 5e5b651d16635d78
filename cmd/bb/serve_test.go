package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"polaris/internal/leaks"
	"polaris/models/store/localpg"
)

// A server is `bb serve` in a process of its own.
type server struct {
	cmd *exec.Cmd
	url string
	out syncBuffer // standard output
	err syncBuffer
}

// A syncBuffer can be read while a process writes to it.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}
func (s *syncBuffer) String() string { s.mu.Lock(); defer s.mu.Unlock(); return s.b.String() }

func needsPostgres(t *testing.T) {
	t.Helper()
	if _, _, err := localpg.Find(0); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// dataFolder returns a data folder that PostgreSQL's own user can reach.
func dataFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bb-serve-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "polaris")
}

// freeAddress returns a loopback address that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// serve starts bb and waits until it is ready; it returns how long that took.
func serve(t *testing.T, data, addr string, args ...string) (*server, time.Duration) {
	t.Helper()
	s := &server{url: "http://" + addr}
	s.cmd = exec.Command(os.Args[0])
	s.cmd.Args = append([]string{"bb", "serve", "--data-dir", data, "--listen", addr, "--public-url", s.url}, args...)
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.err
	s.cmd.Env = append(os.Environ(), "POLARIS_LOG_LEVEL=debug")
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		}
		for _, secret := range leaks.In(s.log()) {
			t.Errorf("the log holds a secret: %s", secret)
		}
	})
	for deadline := began.Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if resp, err := http.Get(s.url + "/health"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return s, time.Since(began)
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("not ready after a minute\n%s\n%s", s.out.String(), s.err.String())
		}
	}
}

// log returns the lines of the server's log: what it says at the start to
// whoever started it, ways in among it, is not the log.
func (s *server) log() []byte {
	var log []byte
	for line := range strings.Lines(s.err.String()) {
		if strings.HasPrefix(line, "{") || strings.HasPrefix(line, "time=") {
			log = append(log, line...)
		}
	}
	return log
}

// stop asks the server to stop and reports how it ended.
func (s *server) stop(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v\n%s", err, s.err.String())
	}
}

var printedKey = regexp.MustCompile(`(?m)^  (sk-polaris-\S+)$`)

// ask calls the answer tool with the key and returns the structured answer.
func (s *server) ask(t *testing.T, key, query string) map[string]any {
	t.Helper()
	args, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		t.Fatal(err)
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"answer","arguments":` + string(args) + `}}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Result struct {
			StructuredContent map[string]any `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(raw, &got); err != nil || resp.StatusCode != http.StatusOK || got.Result.StructuredContent == nil {
		t.Fatalf("answer: %d %s %v", resp.StatusCode, raw, err)
	}
	return got.Result.StructuredContent
}

// TestServeDemo follows the README: start, ask with the printed key, stop,
// start again; the key goes on working. It also kills the server.
func TestServeDemo(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	data, addr := dataFolder(t), freeAddress(t)

	s, cold := serve(t, data, addr, "--demo")
	m := printedKey.FindStringSubmatch(s.out.String())
	for deadline := time.Now().Add(5 * time.Second); m == nil && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		m = printedKey.FindStringSubmatch(s.out.String())
	}
	if m == nil {
		t.Fatalf("no key in\n%s", s.out.String())
	}
	key := m[1]
	answer := s.ask(t, key, "How long do we have to decide on a completed application?")
	if g := answer["guardrail"].(map[string]any); g["status"] != "pass" || !strings.Contains(answer["result"].(string), "within 20 days") {
		t.Errorf("answer: %v", answer)
	}
	if got := strings.Count(s.out.String(), "/link?token="); got != 3 {
		t.Errorf("%d sign-in links are printed, want 3:\n%s", got, s.out.String())
	}
	if strings.Contains(s.err.String(), key) || strings.Contains(s.err.String(), "token=") {
		t.Errorf("the log holds a secret:\n%s", s.err.String())
	}
	rss := residentMB(t, s.cmd.Process.Pid)

	// A second server on the address ends with one line and touches nothing.
	second := exec.Command(os.Args[0])
	second.Args = []string{"bb", "serve", "--data-dir", data, "--listen", addr}
	if out, err := second.CombinedOutput(); err == nil || !strings.Contains(string(out), "cannot be bound: another program") || strings.Count(string(out), "\n") != 1 {
		t.Errorf("a second server: %v %s", err, out)
	}
	s.stop(t)

	s, warm := serve(t, data, addr, "--demo")
	s.ask(t, key, "What may we charge for a late payment?")
	if !strings.Contains(s.out.String(), key) {
		t.Errorf("the second start prints another key:\n%s", s.out.String())
	}

	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait() // killed: that is the point
	s, killed := serve(t, data, addr, "--demo")
	s.ask(t, key, "Who owns the handbook?")
	s.stop(t)
	t.Logf("ready: cold %s, warm %s, after kill -9 %s; resident %d MB", cold.Round(time.Millisecond), warm.Round(time.Millisecond), killed.Round(time.Millisecond), rss)
	if rss > 120 && !raceDetector { // which takes memory of its own
		t.Errorf("%d MB resident, want at most 120", rss)
	}
}

// residentMB returns the process's resident memory, 0 where the system has no
// /proc.
func residentMB(t *testing.T, pid int) int {
	t.Helper()
	out, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0
	}
	kb, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	return kb / 1024
}

// TestServePrintsTheSetupLink: a fresh instance has no default password, and a
// one-time link instead.
func TestServePrintsTheSetupLink(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	data, addr := dataFolder(t), freeAddress(t)
	s, _ := serve(t, data, addr)
	link := regexp.MustCompile(`http\S+/setup\?token=\w+`)
	for deadline := time.Now().Add(5 * time.Second); !link.MatchString(s.out.String()) && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
	}
	m := link.FindString(s.out.String())
	if m == "" {
		t.Fatalf("no set-up link in\n%s", s.out.String())
	}
	resp, err := http.Get(m)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("the set-up link: %d", resp.StatusCode)
	}
	// The command line works beside the server.
	beside := exec.Command(os.Args[0])
	beside.Args = []string{"bb", "brain", "create", "acme", "--name", "Acme", "--owner", "ada@example.org", "--data-dir", data}
	if out, err := beside.CombinedOutput(); err != nil {
		t.Errorf("bb beside a server: %v %s", err, out)
	}
	s.stop(t)
}

// TestPublishBesideTheServer: what another process publishes, the server
// answers from, without a pause in which it does not answer.
func TestPublishBesideTheServer(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	data, addr := dataFolder(t), freeAddress(t)
	s, _ := serve(t, data, addr, "--rate-limit", "off")
	file := filepath.Join(filepath.Dir(data), "rules.md")
	bb := func(args ...string) string {
		t.Helper()
		c := exec.Command(os.Args[0])
		c.Args = append(append([]string{"bb"}, args...), "--data-dir", data)
		var errw bytes.Buffer
		c.Stderr = &errw
		out, err := c.Output()
		if err != nil {
			t.Fatalf("bb %v: %v %s", args, err, errw.String())
		}
		return strings.TrimSpace(string(out))
	}
	publish := func(fee string) {
		t.Helper()
		if err := os.WriteFile(file, []byte("# House Rules\n\n## 1 Fees\n\n(a) The late fee is "+fee+" euros.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		bb("import", file, "--brain-id", "acme", "--code", "HR")
		bb("publish", "--brain-id", "acme")
	}
	bb("brain", "create", "acme", "--name", "Acme", "--owner", "ada@example.org", "--four-eyes=off")
	key := bb("apikey", "mint", "--brain-id", "acme", "--label", "agent")
	if g := s.ask(t, key, "How much is the late fee?")["guardrail"].(map[string]any); g["status"] != "disclaim" {
		t.Errorf("before anything is published: %v", g)
	}
	publish("12")
	if a := s.ask(t, key, "How much is the late fee?"); a["brain_version"] != float64(1) || !strings.Contains(a["result"].(string), "12 euros") {
		t.Errorf("the first version: %v", a)
	}
	asking := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-asking:
				return
			default:
				if a := s.ask(t, key, "How much is the late fee?"); !strings.Contains(a["result"].(string), "euros") {
					t.Errorf("while the next version comes: %v", a)
				}
			}
		}
	})
	publish("15")
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if a := s.ask(t, key, "How much is the late fee?"); a["brain_version"] == float64(2) {
			break
		}
		if time.Now().After(deadline) {
			t.Error("5 s after the flip the old version still answers")
			break
		}
	}
	close(asking)
	wg.Wait()
	s.stop(t)
	if out := bb("audit", "verify", "--brain-id", "acme"); !strings.Contains(out, " 0 not sealed yet") {
		t.Errorf("after the server stopped: %s", out)
	}
}
