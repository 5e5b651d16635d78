package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// A target is what a benchmark puts load on.
type target struct {
	url, key   string
	bodies     []string              // sent in turn
	postmaster int                   // process id of the database that it uses; 0: none
	beside     func(context.Context) // runs while there is load, and is counted with it; nil: nothing
}

// used is what some requests took.
type used struct {
	requests      int
	wall          time.Duration
	cpu, database time.Duration
}

func (u used) perSecond() float64    { return float64(u.requests) / u.wall.Seconds() }
func (u used) cpuEach() float64      { return u.cpu.Seconds() / float64(u.requests) }
func (u used) databaseEach() float64 { return u.database.Seconds() / float64(u.requests) }

// load has another process send n requests from so many clients at once, after
// some to warm up.
func (t *target) load(b *testing.B, n, clients int) used {
	b.Helper()
	bodies := filepath.Join(b.TempDir(), "bodies")
	if err := os.WriteFile(bodies, []byte(strings.Join(t.bodies, "\n")), 0o600); err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), os.Args[0], "load", t.url, t.key, bodies, strconv.Itoa(n), strconv.Itoa(clients))
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		b.Fatal("the load did not start")
	}
	lines := bufio.NewReader(out)
	said := func(want string) {
		if line, err := lines.ReadString('\n'); line != want+"\n" {
			b.Fatalf("the load said %q (%v), want %q", line, err, want)
		}
	}
	said("warm")
	db := t.databaseCPU() // looking costs time of our own
	cpu, start := ownCPU(), time.Now()
	stop := func() {}
	if t.beside != nil {
		stop = run(b.Context(), t.beside)
	}
	_, _ = io.WriteString(in, "go\n")
	said("done")
	stop()
	u := used{n, time.Since(start), ownCPU() - cpu, t.databaseCPU() - db}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return u
}

// generateLoad is the other process. Its clients are plain: each sends the
// bodies in turn over one connection and reads the answers.
func generateLoad(args []string) error {
	u, err := url.Parse(args[0])
	if err != nil {
		return err
	}
	bodies, err := os.ReadFile(args[2])
	if err != nil {
		return err
	}
	n, err1 := strconv.Atoi(args[3])
	clients, err2 := strconv.Atoi(args[4])
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	var reqs [][]byte
	for _, body := range strings.Split(string(bodies), "\n") {
		reqs = append(reqs, fmt.Appendf(nil, "POST /v1/mcp HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", u.Host, args[1], len(body), body))
	}
	conns := make([]net.Conn, clients)
	for i := range conns {
		if conns[i], err = net.Dial("tcp", u.Host); err != nil {
			return err
		}
	}
	if err := send(conns, reqs, 20*clients); err != nil {
		return err
	}
	fmt.Println("warm")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	if err := send(conns, reqs, n); err != nil {
		return err
	}
	fmt.Println("done")
	return nil
}

func send(conns []net.Conn, reqs [][]byte, n int) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, len(conns))
	for i, c := range conns {
		wg.Go(func() {
			r, body := bufio.NewReaderSize(c, 64<<10), &bytes.Buffer{}
			for errs[i] == nil {
				at := int(next.Add(1)) - 1
				if at >= n {
					return
				}
				errs[i] = once(c, r, body, reqs[at%len(reqs)])
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// once sends a request and reads the answer, its body into a buffer that is used
// again: what the load takes, the server lacks.
func once(c net.Conn, r *bufio.Reader, body *bytes.Buffer, req []byte) error {
	if _, err := c.Write(req); err != nil {
		return err
	}
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		return err
	}
	body.Reset()
	if _, err := body.ReadFrom(res.Body); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK || !bytes.Contains(body.Bytes(), []byte(`"content"`)) || bytes.Contains(body.Bytes(), []byte(`"isError"`)) {
		return fmt.Errorf("status %d: %s", res.StatusCode, body)
	}
	return nil
}

// ownCPU is the time that this process has used so far.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// postmaster returns the process id of the server behind a database, on Linux.
func postmaster(b *testing.B, dsn string) int {
	b.Helper()
	c, err := pgx.Connect(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close(b.Context())
	parent, _ := processStat(int(c.PgConn().PID()))
	return parent
}

// databaseCPU is the time that the database's processes have used so far.
func (t *target) databaseCPU() time.Duration {
	if t.postmaster == 0 {
		return 0
	}
	var sum time.Duration
	procs, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range procs {
		pid, _ := strconv.Atoi(filepath.Base(p))
		if parent, cpu := processStat(pid); parent == t.postmaster || pid == t.postmaster {
			sum += cpu
		}
	}
	return sum
}

// processStat reads a process's parent and the time it has used; zeros where
// there is no such process or no /proc.
func processStat(pid int) (parent int, cpu time.Duration) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0
	}
	f := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:])) // from the third field on
	parent, _ = strconv.Atoi(f[1])
	const tick = 10 * time.Millisecond // of Linux's user interface, whatever the kernel's own
	for _, i := range []int{11, 12} {
		n, _ := strconv.Atoi(f[i])
		cpu += time.Duration(n) * tick
	}
	return parent, cpu
}
