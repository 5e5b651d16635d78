package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/models/store/localpg"
)

// elsewhereDemo serves the demo from a database that the test can reach as its
// owner.
func elsewhereDemo(t *testing.T, args ...string) (s *server, key string, pg *localpg.Cluster) {
	t.Helper()
	needsPostgres(t)
	pg, err := localpg.Attach(t.Context(), localpg.Config{Dir: dataFolder(t)}) // not Fast: what is killed must not forget
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Detach() })
	s, _ = serve(t, dataFolder(t), freeAddress(t), append([]string{"--database-url", pg.DSN(localApp, localDB), "--migrate-url", pg.DSN(localOwner, localDB), "--demo"}, args...)...)
	return s, s.waitFor(t, printedKey)[1], pg
}

// holdAudit keeps every answer from being recorded, and so from being given,
// until the function that it returns is called.
func holdAudit(t *testing.T, pg *localpg.Cluster) (release func()) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), pg.DSN(localOwner, localDB))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(t.Context(), "BEGIN; LOCK TABLE audit IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	release = sync.OnceFunc(func() { c.Close(context.Background()) })
	t.Cleanup(release)
	return release
}

// post sends a tool call; each call has a connection of its own.
func (s *server) post(key string) (status int, body string, err error) {
	req, err := http.NewRequest(http.MethodPost, s.url+"/v1/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"answer","arguments":{"query":"What may we charge for a late payment?"}}}`))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

// inFlight waits until the server says that n requests are in flight, beside
// the one that asks.
func (s *server) inFlight(t *testing.T, n int) {
	t.Helper()
	var last string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		resp, err := http.Get(s.url + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		last = regexp.MustCompile(`(?m)^polaris_http_requests_in_flight \d+$`).FindString(string(b))
		if last == fmt.Sprint("polaris_http_requests_in_flight ", n+1) {
			return
		}
	}
	t.Fatalf("%q, want %d", last, n+1)
}

// terminate sends SIGTERM and waits until the address is given up.
func (s *server) terminate(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := http.Get(s.url + "/live"); errors.Is(err, syscall.ECONNREFUSED) {
			return
		} else if time.Now().After(end) {
			t.Fatalf("5 s after SIGTERM a new connection gives %v", err)
		}
	}
}

// TestDrain: what is in flight at SIGTERM gets its answer, and nothing new gets
// in; what only pretends to be in flight holds nothing open.
func TestDrain(t *testing.T) {
	t.Parallel()
	s, key, pg := elsewhereDemo(t, "--rate-limit", "off", "--shutdown-grace", "6s")
	slow := s.slowly(t, "POST /v1/mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+key+"\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n", " ")
	unauthorised := s.slowly(t, "POST /v1/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n", " ")
	form := s.slowly(t, "POST /session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n", "a")
	half := s.slowly(t, "POST /v1/mcp HTTP/1.1\r\nHost: localhost\r\n", "X-A: b\r\n")
	var hundred strings.Builder
	for i := range 100 {
		fmt.Fprintf(&hundred, "X-Header-%d: %s\r\n", i, strings.Repeat("v", 100))
	}
	hundreds := s.slowly(t, "GET /live HTTP/1.1\r\nHost: localhost\r\n"+hundred.String()+"\r\n", "")
	if got := hundreds(); !strings.HasPrefix(got, "HTTP/1.1 200") {
		t.Errorf("100 headers: %.100s", got)
	}

	if got := unauthorised(); !strings.HasPrefix(got, "HTTP/1.1 401") {
		t.Errorf("a slow body without a credential: %.200q", got)
	}
	s.inFlight(t, 2)
	release := holdAudit(t, pg)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if status, body, err := s.post(key); status != http.StatusOK || err != nil || !strings.Contains(body, `"status":"pass"`) {
				t.Errorf("in flight at SIGTERM: %d %.200s %v", status, body, err)
			}
		})
	}
	s.inFlight(t, 52) // with the slow body and the slow form

	began := time.Now()
	s.terminate(t)
	time.Sleep(500 * time.Millisecond)
	release()
	wg.Wait()
	answered := time.Since(began)
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("after draining: %v", err)
	}
	took := time.Since(began)
	t.Logf("50 answers %s after SIGTERM, the end after %s", answered.Round(time.Millisecond), took.Round(time.Millisecond))
	if took > 6500*time.Millisecond {
		t.Errorf("the end came %s after SIGTERM, beyond the grace period", took)
	}
	for name, got := range map[string]string{"a slow body": slow(), "a slow form": form()} {
		if !regexp.MustCompile(`^HTTP/1.1 4\d\d`).MatchString(got) {
			t.Errorf("%s was answered with %.200q", name, got)
		}
	}
	if got := half(); got != "" && !strings.HasPrefix(got, "HTTP/1.1 4") {
		t.Errorf("a header without an end: %.200q", got)
	}
	if strings.Contains(s.err.String(), "panic") || strings.Contains(s.err.String(), key) {
		t.Errorf("the log:\n%s", s.err.String())
	}
}

// slowly sends the beginning of a request and then a piece each second, until
// the connection ends. The function that it returns waits for that, or for two
// seconds of a whole answer, and returns what came.
func (s *server) slowly(t *testing.T, begin, piece string) (answer func() string) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, begin); err != nil {
		t.Fatal(err)
	}
	go func() {
		for piece != "" {
			if _, err := io.WriteString(c, piece); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}()
	got := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(c).ReadString('\n') // whatever came before the end
		got <- line
	}()
	return func() string {
		select {
		case line := <-got:
			return line
		case <-time.After(15 * time.Second):
			return "still open"
		}
	}
}

// TestGraceEnds: what takes longer is cut off, and the exit says so. A second
// signal does not wait for it.
func TestGraceEnds(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]bool{"grace": false, "second signal": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			grace := "1s"
			if again {
				grace = "20s"
			}
			s, key, pg := elsewhereDemo(t, "--rate-limit", "off", "--shutdown-grace", grace)
			holdAudit(t, pg)
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					if _, body, err := s.post(key); err == nil && strings.Contains(body, `"status":"pass"`) {
						t.Errorf("an answer was given without its row: %.200s", body)
					}
				})
			}
			s.inFlight(t, 3)
			began := time.Now()
			s.terminate(t)
			if again { // and again: of two that come at once the system makes one
				ended := make(chan struct{})
				defer close(ended)
				go func() {
					for s.cmd.Process.Signal(syscall.SIGTERM) == nil {
						select {
						case <-ended:
							return
						case <-time.After(20 * time.Millisecond):
						}
					}
				}()
			}
			err := s.cmd.Wait()
			took := time.Since(began)
			wg.Wait()
			t.Logf("%v after %s", err, took.Round(time.Millisecond))
			var exit *exec.ExitError
			if again {
				if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM || took > time.Second {
					t.Errorf("a second signal: %v after %s", err, took)
				}
				return
			}
			if !errors.As(err, &exit) || exit.ExitCode() != 1 || took < time.Second || took > 12*time.Second {
				t.Errorf("ended with %v after %s, want status 1 soon after 1 s", err, took)
			}
			if want := "bb: 3 requests were cut off at the end of the grace period of 1s (POLARIS_SHUTDOWN_GRACE)."; !strings.Contains(s.err.String(), want) {
				t.Errorf("the last word is missing: %s", s.err.String())
			}
			if strings.Contains(s.err.String(), "panic") {
				t.Errorf("the log:\n%s", s.err.String())
			}
		})
	}
}

// TestStoppedWhileStarting: a signal that comes before the server is ready ends
// it, too, and that is no failure.
func TestStoppedWhileStarting(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	addr := freeAddress(t)
	s := &server{url: "http://" + addr, cmd: exec.Command(os.Args[0])}
	s.cmd.Args = []string{"bb", "serve", "--demo", "--data-dir", dataFolder(t), "--listen", addr, "--public-url", "http://" + addr}
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.err
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	// From the moment that the address is bound, probes are answered.
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if status, body := s.probe("/live"); status == http.StatusOK && body == `{"status":"alive"}` {
			break
		}
		if time.Now().After(end) {
			t.Fatal("nothing answers")
		}
	}
	if status, body := s.probe("/health"); status != http.StatusServiceUnavailable || body != `{"status":"not_ready"}` {
		t.Errorf("/health while starting: %d %s", status, body)
	}
	if status, body, err := s.post("sk-polaris-x"); status != http.StatusServiceUnavailable || err != nil || !strings.Contains(body, `"unavailable"`) {
		t.Errorf("/v1/mcp while starting: %d %s %v", status, body, err)
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil || !strings.Contains(s.err.String(), "stopped before the server was ready") {
		t.Errorf("stopped while starting: %v\n%s", err, s.err.String())
	}
}

// probe asks a probe's path by an address that is in no list of hosts.
func (s *server) probe(path string) (status int, body string) {
	req, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	if err != nil {
		return 0, err.Error()
	}
	req.Host = "10.9.8.7:8088"
	resp, err := (&http.Client{Timeout: 5 * time.Second}).Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, strings.TrimSpace(string(b))
}

// TestDatabaseKilled: without its database the server is alive, is not ready
// after five seconds, and answers 503 and never 401; with it back it is ready
// again by itself.
func TestDatabaseKilled(t *testing.T) {
	t.Parallel()
	s, key, pg := elsewhereDemo(t, "--rate-limit", "off")
	seen := map[int]int{}
	call := func() int {
		status, body, err := s.post(key)
		if err != nil {
			t.Errorf("while the database is away: %v", err)
		}
		if status == http.StatusServiceUnavailable {
			var refusal struct {
				Error struct{ Code, Message, Type string }
			}
			if err := json.Unmarshal([]byte(body), &refusal); err != nil || refusal.Error.Code != "unavailable" {
				t.Errorf("503 with %s", body)
			}
		}
		seen[status]++
		return status
	}
	if status, _ := s.probe("/health"); status != http.StatusOK || call() != http.StatusOK {
		t.Fatal("not ready at first")
	}
	// The supervisor would start PostgreSQL again at once.
	if err := errors.Join(syscall.Kill(pg.Supervisor(), syscall.SIGSTOP), syscall.Kill(pg.PID(), syscall.SIGKILL)); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	back := sync.OnceFunc(func() { _ = syscall.Kill(pg.Supervisor(), syscall.SIGCONT) })
	t.Cleanup(back)
	for {
		status, body := s.probe("/health")
		if after := time.Since(killed); status == http.StatusServiceUnavailable {
			t.Logf("not ready %s after the database was killed", after.Round(time.Millisecond))
			if after < 5*time.Second || after > 7500*time.Millisecond || body != `{"status":"not_ready"}` {
				t.Errorf("/health says %d %s after %s, want that after 5 to 7 s", status, body, after)
			}
			break
		} else if after > 10*time.Second {
			t.Fatal("ready 10 s after the database was killed")
		}
		call()
		time.Sleep(100 * time.Millisecond)
	}
	if status, body := s.probe("/live"); status != http.StatusOK || body != `{"status":"alive"}` {
		t.Errorf("/live without a database: %d %s", status, body)
	}
	if got := call(); got != http.StatusServiceUnavailable {
		t.Errorf("/v1/mcp without a database: %d", got)
	}
	for status := range seen {
		if status != http.StatusOK && status != http.StatusServiceUnavailable {
			t.Errorf("/v1/mcp answered %s while the database was away: %v", strconv.Itoa(status), seen)
		}
	}
	back()
	returned := time.Now()
	for {
		if status, _ := s.probe("/health"); status == http.StatusOK && call() == http.StatusOK {
			t.Logf("ready again %s after the database came back; /v1/mcp answered %v", time.Since(returned).Round(time.Millisecond), seen)
			break
		}
		if time.Since(returned) > 30*time.Second {
			health, _ := s.probe("/health")
			status, body, err := s.post(key)
			t.Fatalf("30 s after the database came back /health says %d, /v1/mcp %d %s %v", health, status, body, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.stop(t)
}
