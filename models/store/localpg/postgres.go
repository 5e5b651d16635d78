package localpg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"polaris/models/fault"
)

// retryLimit is how long a start is tried again while back ends of a killed
// postmaster still hold its shared memory.
const retryLimit = 10 * time.Second

// A server is one run of the postmaster.
type server struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // how it ended, once done is closed
}

func (s *server) pid() int { return s.cmd.Process.Pid }

// bringUp starts PostgreSQL, making the cluster first if there is none, and
// returns when it answers and has its roles.
func (s *supervisor) bringUp(ctx context.Context) (*server, error) {
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	for start := time.Now(); ; {
		if err := s.clearStale(ctx); err != nil {
			return nil, err
		}
		pg, said, err := s.start(ctx)
		if err == nil {
			if err = s.bootstrap(ctx); err == nil {
				s.log.Info("PostgreSQL is ready", "pid", pg.pid(), "major", s.major)
				s.guests.tell(status{State: ready, PID: pg.pid(), Major: s.major, Supervisor: os.Getpid()})
				return pg, nil
			}
			pg.stop(s.log)
			return nil, err
		}
		s.log.Warn("PostgreSQL did not start", "err", err, "said", said)
		if ctx.Err() != nil || !passing(said) || time.Since(start) > retryLimit {
			return nil, fault.New(fault.Unavailable, "PostgreSQL in %s does not start: %s", s.place.home, lastLine(said)).Because(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// passing reports whether what PostgreSQL said will pass: back ends that have
// not noticed yet that their postmaster is dead.
func passing(said string) bool {
	return strings.Contains(said, "pre-existing shared memory block") || strings.Contains(said, `lock file "postmaster.pid" already exists`)
}

// linesOf leaves out what others, such as the back ends of the run before, have
// written to the log meanwhile. What the loader says bears no process id.
func linesOf(said string, pid int) string {
	var own []string
	for l := range strings.Lines(said) {
		if strings.Contains(l, fmt.Sprintf("[%d]", pid)) {
			own = append(own, l)
		}
	}
	if own == nil {
		return strings.TrimSpace(said)
	}
	return strings.TrimSpace(strings.Join(own, ""))
}

func lastLine(said string) string {
	ls := strings.Split(strings.TrimSpace(said), "\n")
	for _, l := range ls { // the first FATAL says more than what follows from it
		if _, m, ok := strings.Cut(l, "FATAL:"); ok {
			return strings.TrimSpace(m)
		}
	}
	return ls[len(ls)-1]
}

// prepare makes sure that there is a cluster that our programs can run.
func (s *supervisor) prepare(ctx context.Context) error {
	pin, err := version(s.place.data())
	if err != nil {
		return err
	}
	if s.bin == "" {
		if s.set.bin != "" {
			s.bin, s.major, err = find([]string{s.set.bin}, pin)
		} else {
			s.bin, s.major, err = Find(pin)
		}
		if err != nil {
			return err
		}
	}
	if pin == 0 {
		if err := s.initdb(ctx); err != nil {
			return err
		}
	}
	return s.writeAuth()
}

// version returns the major version of the cluster in data, 0 if there is none.
func version(data string) (int, error) {
	b, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if err == nil {
		// Before version 10 it reads "9.6": too old in any case.
		v, err := strconv.Atoi(strings.TrimSpace(strings.SplitN(string(b), ".", 2)[0]))
		if err != nil || v == 0 {
			return 0, unusable("%s is damaged: its PG_VERSION reads %q", data, b)
		}
		return v, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return 0, refused(err, "%s cannot be read", data)
	}
	if es, err := os.ReadDir(data); err == nil && len(es) > 0 {
		return 0, unusable("%s has files and is no PostgreSQL cluster; move it away", data)
	}
	return 0, nil
}

// start runs the postmaster until it is ready. When it fails, the text is what
// PostgreSQL said about it.
func (s *supervisor) start(ctx context.Context) (*server, string, error) {
	rotate(s.place.postgresLog(), startLogLimit)
	out, err := os.OpenFile(s.place.postgresLog(), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, "its log cannot be written", err
	}
	defer out.Close()
	from, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, "its log cannot be written", err
	}
	pg := &server{cmd: exec.Command(filepath.Join(s.bin, "postgres"), s.arguments()...), done: make(chan struct{})}
	pg.cmd.Dir = s.place.home
	pg.cmd.Stdout, pg.cmd.Stderr = out, out
	pg.cmd.SysProcAttr = diesWithUs(syscall.SIGINT)
	if err := pg.run(); err != nil {
		return nil, "its program cannot be run", err
	}
	for !s.isReady(pg.pid()) {
		select {
		case <-pg.done:
			said, _ := io.ReadAll(io.NewSectionReader(out, from, 1<<20))
			return nil, linesOf(string(said), pg.pid()), fmt.Errorf("postgres ended: %w", pg.err)
		case <-ctx.Done():
			pg.stop(s.log)
			return nil, "the supervisor was told to stop", ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
	}
	return pg, "", nil
}

// run starts the process and waits for its end in the background. The parent of
// a process, as far as its death signal goes, is the thread that started it:
// the thread is held until the process has ended, or Go could end it earlier.
func (s *server) run() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := s.cmd.Start()
		started <- err
		if err == nil {
			if s.err = s.cmd.Wait(); s.err == nil {
				s.err = errors.New("exit status 0")
			}
			close(s.done)
		}
	}()
	return <-started
}

// isReady reads the postmaster's own word for it, which costs less than a
// connection and leaves no "starting up" in the log.
func (s *supervisor) isReady(pid int) bool {
	b, err := os.ReadFile(filepath.Join(s.place.data(), "postmaster.pid"))
	ls := strings.Split(string(b), "\n")
	return err == nil && len(ls) > 7 && ls[0] == strconv.Itoa(pid) && strings.TrimSpace(ls[7]) == "ready"
}

// arguments are settings, given on the command line so that nothing in the
// data folder can override them.
func (s *supervisor) arguments() []string {
	set := []string{
		"listen_addresses=", // no TCP
		"port=" + strconv.Itoa(port),
		"unix_socket_directories=" + s.place.sock,
		"unix_socket_permissions=0700",
		"cluster_name=polaris",
		"max_connections=60",
		"shared_buffers=48MB",
		"huge_pages=off",
		"jit=off", // it costs more than our short queries take
		// Parallel queries need /dev/shm, of which containers have 64 MB.
		"max_parallel_workers_per_gather=0",
		"timezone=UTC", "log_timezone=UTC", "lc_messages=C",
		"logging_collector=off", "log_checkpoints=off",
		// What users write stays out of the log: no statements, no key values.
		"log_min_error_statement=panic", "log_error_verbosity=terse",
		"fsync=on", "full_page_writes=on", "synchronous_commit=on",
	}
	if s.set.fast {
		set = append(set, "fsync=off", "full_page_writes=off", "synchronous_commit=off")
	}
	args := []string{"-D", s.place.data()}
	for _, v := range append(set, s.set.extra...) {
		args = append(args, "-c", v)
	}
	return args
}

// stop asks for a fast shutdown, which ends every session in good order, and
// insists if that takes too long. It may be called on a server that has ended.
func (s *server) stop(log *slog.Logger) {
	for _, o := range []struct {
		sig  syscall.Signal
		wait time.Duration
	}{{syscall.SIGINT, 30 * time.Second}, {syscall.SIGQUIT, 10 * time.Second}, {syscall.SIGKILL, 10 * time.Second}} {
		s.cmd.Process.Signal(o.sig)
		select {
		case <-s.done:
			return
		case <-time.After(o.wait):
			log.Warn("PostgreSQL does not stop", "signal", o.sig.String())
		}
	}
}
