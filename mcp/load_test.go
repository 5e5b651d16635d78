package mcp_test

import (
	"bufio"
	"bytes"
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
	url, key, body string
	postmaster     int // process id of the database that it uses; 0: none
}

// used is what some requests took.
type used struct {
	requests      int
	wall          time.Duration
	cpu, database time.Duration
}

func (u used) plus(v used) used {
	return used{u.requests + v.requests, u.wall + v.wall, u.cpu + v.cpu, u.database + v.database}
}
func (u used) perSecond() float64    { return float64(u.requests) / u.wall.Seconds() }
func (u used) cpuEach() float64      { return u.cpu.Seconds() / float64(u.requests) }
func (u used) databaseEach() float64 { return u.database.Seconds() / float64(u.requests) }

// clients is how many send at once.
const clients = 16

// load has another process send n requests, after some to warm up.
func (t *target) load(b *testing.B, n int) used {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), os.Args[0], "load", t.url, t.key, t.body, strconv.Itoa(n))
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
	cpu, db, start := ownCPU(), t.databaseCPU(), time.Now()
	b.ResetTimer()
	_, _ = io.WriteString(in, "go\n")
	said("done")
	b.StopTimer()
	u := used{n, time.Since(start), ownCPU() - cpu, t.databaseCPU() - db}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return u
}

// generateLoad is the other process. Its clients are plain: each sends the same
// bytes over one connection and reads the answer.
func generateLoad(args []string) error {
	u, err := url.Parse(args[0])
	if err != nil {
		return err
	}
	req := fmt.Appendf(nil, "POST /v1/mcp HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", u.Host, args[1], len(args[2]), args[2])
	n, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	conns := make([]net.Conn, clients)
	for i := range conns {
		if conns[i], err = net.Dial("tcp", u.Host); err != nil {
			return err
		}
	}
	if err := send(conns, req, 20*clients); err != nil {
		return err
	}
	fmt.Println("warm")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	if err := send(conns, req, n); err != nil {
		return err
	}
	fmt.Println("done")
	return nil
}

func send(conns []net.Conn, req []byte, n int) error {
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	errs := make([]error, len(conns))
	for i, c := range conns {
		wg.Go(func() {
			r := bufio.NewReaderSize(c, 64<<10)
			for errs[i] == nil && left.Add(-1) >= 0 {
				errs[i] = once(c, r, req)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func once(c net.Conn, r *bufio.Reader, req []byte) error {
	if _, err := c.Write(req); err != nil {
		return err
	}
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK || !bytes.Contains(body, []byte(`"content"`)) || bytes.Contains(body, []byte(`"isError"`)) {
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
