package clients

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
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
	"polaris/models/store/storetest"
)

// A server is `bb serve --demo` in a process of its own.
type server struct {
	url  string // without a path
	key  string // of the demo's brain
	data string
	cmd  *exec.Cmd
	out  printed
	err  printed
	over chan struct{} // closed when it has ended
}

// question is one that the demo's handbook answers, and part of what the
// answer says.
const (
	question = "How long do we have to decide on a completed application?"
	saying   = "within 20 days"
)

// tools are all that the demo's key may see.
var tools = []string{"answer", "read_wiki", "retrieve", "topic_cards"}

// running is the server that all tests share; nothing in them changes it.
// Clients share its key, and all come from one address, which bad keys would
// close: the relays of these tests say where a request is from.
var running = sync.OnceValues(func() (*server, error) {
	return start("", "--rate-limit", "off", "--trusted-proxies", "127.0.0.0/8")
})

func TestMain(m *testing.M) {
	storetest.Main(m, func() (err error) {
		for _, s := range started {
			s.stop()
			err = errors.Join(err, s.holdsNoSecret())
		}
		if dir, failed := built(); failed == nil && len(started) > 0 {
			_ = os.RemoveAll(dir)
		}
		return err
	})
}

// started are the servers that there are to stop.
var (
	starting sync.Mutex
	started  []*server
)

// polaris returns the server that all tests share.
func polaris(t *testing.T) *server {
	t.Helper()
	if _, _, err := localpg.Find(0); err != nil {
		lacking(t, err.Error())
	}
	s, err := running()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the server said, so far:\n%s", s.err.String())
		}
	})
	return s
}

// lacking ends a test whose machine lacks something: under CI a test that did
// not run has shown nothing.
func lacking(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// built is the folder that holds bb.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "polaris-clients-")
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-o", dir, "./cmd/bb")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("%w\n%s", err, out), os.RemoveAll(dir))
	}
	return dir, os.Chmod(dir, 0o711) // PostgreSQL's own user passes through
})

// start starts bb with a data folder of its own, and waits until it serves and
// has printed the demo's key. Its public URL is public, or else where it is.
func start(public string, args ...string) (*server, error) {
	bin, err := built()
	if err != nil {
		return nil, err
	}
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	starting.Lock()
	defer starting.Unlock()
	s := &server{url: "http://" + addr, data: filepath.Join(bin, "data"+strconv.Itoa(len(started))), over: make(chan struct{})}
	s.cmd = exec.Command(filepath.Join(bin, "bb"), append([]string{
		"serve", "--demo", "--data-dir", s.data, "--listen", addr, "--public-url", cmp.Or(public, s.url),
	}, args...)...)
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.err
	s.cmd.Env = append(os.Environ(), "POLARIS_LOG_LEVEL=debug")
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	started = append(started, s)
	go func() {
		_ = s.cmd.Wait() // how it ended is in its log
		close(s.over)
	}()
	key := regexp.MustCompile(`(?m)^  (sk-polaris-\S+)$`)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if m := key.FindStringSubmatch(s.out.String()); m != nil && s.healthy() {
			s.key = m[1]
			return s, nil
		}
		select {
		case <-s.over:
			return nil, fmt.Errorf("bb ended\n%s\n%s", s.out.String(), s.err.String())
		default:
		}
	}
	return nil, fmt.Errorf("not ready after a minute\n%s\n%s", s.out.String(), s.err.String())
}

func (s *server) healthy() bool {
	resp, err := http.Get(s.url + "/health")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// stop ends the server.
func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // gone already, perhaps
	<-s.over
}

// holdsNoSecret looks through what the server said and stored, whatever the
// clients sent it: its log at the finest level, and PostgreSQL's own files. The
// demo's key lies beside those, for the demo to print it again.
func (s *server) holdsNoSecret() error {
	var found, lines []string
	for line := range strings.Lines(s.err.String()) {
		if strings.HasPrefix(line, "{") || strings.HasPrefix(line, "time=") { // ways in are told at the start
			lines = append(lines, line)
		}
	}
	for _, secret := range leaks.In([]byte(strings.Join(lines, ""))) {
		found = append(found, "the log: "+secret)
	}
	looked, err := leaks.Files(filepath.Join(s.data, "postgres"), func(path, secret string) { found = append(found, path+": "+secret) })
	switch {
	case err != nil:
		return err
	case looked < 10<<20 || len(lines) < 10 && flag.Lookup("test.run").Value.String() == "": // a few tests alone say little
		return fmt.Errorf("looked for secrets in %d lines and %d bytes of files only", len(lines), looked)
	case len(found) > 0:
		return fmt.Errorf("secrets were left behind: %s", strings.Join(found, "; "))
	}
	return nil
}

// freeAddress returns a loopback address that nothing listens on.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// printed can be read while a process writes to it.
type printed struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.Write(b)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.String()
}
