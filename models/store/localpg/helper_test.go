package localpg

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"
)

// prefix begins the names of all data folders of this run, by which its
// processes are recognised.
var prefix = filepath.Join(roomy(), "polaris-localpg-"+time.Now().Format("150405.000000")+"-")

// roomy returns the memory file system if it has room for our clusters, else
// the temporary folder. A killed process loses nothing that it has written to
// either, and a disk takes four times as long to make a cluster's thousand
// files, particularly after thousands were deleted.
func roomy() string {
	var st unix.Statfs_t
	if unix.Statfs("/dev/shm", &st) == nil && st.Bavail*uint64(st.Bsize) > 4<<30 {
		return "/dev/shm"
	}
	return os.TempDir()
}

// folder returns a data folder of the test's own. It is not t.TempDir, whose
// parent the user that PostgreSQL runs as may not enter when root runs the test.
// When the test ends, every process on the folder must end too.
func folder(t testing.TB) string {
	t.Helper()
	base := filepath.Dir(prefix)
	if _, ok := t.(*testing.B); ok {
		base = os.TempDir() // what is measured is measured on a disk
	}
	dir, err := os.MkdirTemp(base, filepath.Base(prefix))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		gone(t, dir)
		if t.Failed() {
			t.Logf("supervisor's log:\n%s", readFile(dir+"/postgres/log/supervisor.log"))
			t.Logf("PostgreSQL's log:\n%s", readFile(dir+"/postgres/log/postgres.log"))
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func readFile(name string) string { b, _ := os.ReadFile(name); return string(b) }

// gone waits until no process works on dir.
func gone(t testing.TB, dir string) {
	t.Helper()
	var left []string
	eventually(t, "the processes on "+dir+" end", func() bool {
		left = processes(dir)
		return len(left) == 0
	})
	for _, l := range left {
		t.Log("left behind:", l)
	}
}

// processes returns the command lines, with their ids, that contain word.
func processes(word string) []string {
	out, _ := exec.Command("ps", "-axww", "-o", "pid=,stat=,command=").Output()
	var ps []string
	for l := range strings.Lines(string(out)) {
		if f := strings.Fields(l); len(f) > 2 && strings.Contains(l, word) && !strings.HasPrefix(f[1], "Z") {
			ps = append(ps, strings.TrimSpace(l))
		}
	}
	return ps
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Errorf("waited in vain until %s", what)
			return
		}
	}
}

func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// attach holds the cluster in dir for the test.
func attach(t testing.TB, dir string) *Cluster {
	t.Helper()
	c, err := Attach(soon(t), Config{Dir: dir, Log: quiet(), Linger: testLinger})
	if err != nil {
		t.Fatalf("attach: %v", err)
	}
	t.Cleanup(func() { c.Detach() })
	return c
}

// A process is a holder of its own.
type process struct {
	report
	cmd *exec.Cmd
}

// hold starts a holder on dir and waits for its report.
func hold(t testing.TB, dir string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := launch(t, exec.Command(self, "holder", dir))
	p.wait(t)
	return p
}

func launch(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = w, os.Stderr
	cmd.ExtraFiles = []*os.File{r} // kept for wait, which reads our own end
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() { r.Close(); cmd.Process.Kill(); cmd.Wait() })
	return p
}

// wait reads the holder's report.
func (p *process) wait(t testing.TB) {
	t.Helper()
	if err := json.NewDecoder(io.Reader(p.cmd.ExtraFiles[0])).Decode(&p.report); err != nil {
		t.Fatalf("the holder did not attach: %v", err)
	}
}

// kill sends SIGKILL and waits until each has ended.
func kill(t testing.TB, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if pid <= 1 {
			t.Fatalf("no process to kill: %v", pids)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatalf("kill %d: %v", pid, err)
		}
	}
	for _, pid := range pids {
		eventually(t, "the killed process ends", func() bool { return syscall.Kill(pid, 0) != nil || isZombie(pid) })
	}
}

func connect(t testing.TB, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(soon(t), dsn)
	if err != nil {
		t.Fatalf("connect %s: %v", dsn, err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// rows counts the rows that holders have committed; it tries until PostgreSQL
// answers, as a connection pool would.
func rows(t testing.TB, dsn string) int {
	t.Helper()
	n := -1
	eventually(t, "PostgreSQL answers", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		conn, err := pgx.Connect(ctx, dsn)
		if err != nil {
			return false
		}
		defer conn.Close(ctx)
		return conn.QueryRow(ctx, `select count(*) from kept`).Scan(&n) == nil
	})
	return n
}
