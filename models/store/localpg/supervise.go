package localpg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"polaris/models/fault"
)

const (
	firstGuest = 10 * time.Second // how long a new supervisor waits for whoever started it
	claimLimit = 60 * time.Second // how long it waits for the one before to finish
	drainLimit = 60 * time.Second // how long it goes on after SIGTERM for those who still hold the cluster
)

// A supervisor owns the PostgreSQL of one data folder, by the lock in it.
type supervisor struct {
	set     settings
	place   place
	log     *slog.Logger
	lock    *os.File
	guests  *guests
	starter *os.File // the pipe to whoever started us, until PostgreSQL is ready
	bin     string
	major   int
	fresh   bool // initdb has just run: there are no roles yet
}

// mark is set in the environment of a supervisor. A program that is asked to be
// one and does something else instead, as a test binary that ignores its
// arguments would, may call Attach again: without the mark that has no end.
const mark = "LOCALPG_SUPERVISOR"

// SuperviseIfAsked is [Supervise], and the end of the process, if [Attach] has
// started this process as a supervisor; otherwise it does nothing. It is for
// the first line of a program's main, or an init function of what only tests
// import.
func SuperviseIfAsked() {
	if len(os.Args) < 2 || os.Args[1] != command || os.Getenv(mark) == "" {
		return
	}
	if err := Supervise(context.Background(), os.Args[2:]...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Supervise is the supervisor: the body of the hidden command that [Attach]
// starts, with the arguments that it gives. It returns when the last holder of
// the cluster has gone and PostgreSQL has ended, or at once if another
// supervisor serves the folder already.
//
// Started by root it gives up root's rights for the whole process, and it takes
// over standard output and error: call it from a process that does nothing
// else, with a context that no signal ends, since it has its own opinion of
// signals. SIGTERM lets those who hold the cluster finish, up to a minute;
// SIGINT and the end of ctx stop PostgreSQL now.
func Supervise(ctx context.Context, args ...string) error {
	s := new(supervisor)
	l, err := s.open(ctx, args)
	if err != nil {
		say(pipe{os.Stdout}, refusal(err))
		return err
	}
	if l == nil {
		return nil
	}
	defer s.lock.Close() // last: until then nobody else may start
	defer s.place.tidy()
	s.guests = receive(l)
	defer s.guests.close()
	s.log.Info("supervisor starts", "dir", s.place.root, "user", s.place.user)
	err = s.run(ctx)
	s.log.Info("supervisor ends", "err", err)
	if err != nil {
		// Whoever started us may not have got through to the socket yet.
		say(pipe{s.starter}, refusal(err))
		s.guests.refuse(err)
	}
	return err
}

// A pipe is written to like the control socket.
type pipe struct{ *os.File }

func (pipe) SetWriteDeadline(time.Time) error { return nil } // not for pipes, and one line always fits

// open does everything up to the control socket, whose listener it returns; nil
// if another supervisor serves the folder.
func (s *supervisor) open(ctx context.Context, args []string) (net.Listener, error) {
	var err error
	if s.set, err = parseSettings(args); err != nil {
		return nil, fault.New(fault.Invalid, "postgres-supervisor: %v", err)
	}
	if s.place, err = settle(s.set.dir); err != nil {
		return nil, err
	}
	syscall.Umask(0o077)
	if err := drop(s.place.uid, s.place.gid); err != nil {
		return nil, fault.New(fault.Unavailable, "the PostgreSQL supervisor cannot become user %s", s.place.user).Because(err)
	}
	if err := s.place.reach(); err != nil {
		return nil, err
	}
	if ours, err := s.claim(ctx); !ours {
		return nil, err
	}
	if err := s.place.furnish(); err != nil {
		return nil, err
	}
	rotate(s.place.ownLog(), startLogLimit)
	out, err := os.OpenFile(s.place.ownLog(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, refused(err, "%s cannot be written to", s.place.ownLog())
	}
	defer out.Close()
	s.log = slog.New(slog.NewTextHandler(os.Stderr, nil)).With("supervisor", os.Getpid())
	os.Remove(s.place.control()) // of a supervisor that was killed: the lock says that none lives
	l, err := net.Listen("unix", s.place.control())
	if err != nil {
		return nil, refused(err, "the control socket %s cannot be made", s.place.control())
	}
	// Whoever started us may be gone tomorrow, and its pipe with it: writing to it
	// as standard output would kill us then.
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	s.starter = os.NewFile(uintptr(fd), "starter")
	return l, errors.Join(unix.Dup2(int(out.Fd()), 1), unix.Dup2(int(out.Fd()), 2))
}

// drop gives up root's rights, for good and for every thread.
func drop(uid, gid int) error {
	if os.Geteuid() != 0 {
		return nil
	}
	if err := syscall.Setgroups([]int{gid}); err != nil {
		return err
	}
	if err := syscall.Setgid(gid); err != nil {
		return err
	}
	return syscall.Setuid(uid)
}

// claim takes the lock, waiting for a supervisor that is about to end. It
// reports false without an error when another one serves.
func (s *supervisor) claim(ctx context.Context) (bool, error) {
	f, err := os.OpenFile(s.place.lock(), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return false, refused(err, "%s cannot be opened", s.place.lock())
	}
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			break
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			f.Close()
			return false, refused(err, "%s cannot be locked", s.place.lock())
		}
		if l, err := dial(ctx, s.place.control()); err == nil {
			l.Close()
			f.Close()
			return false, nil
		}
		if time.Since(start) > claimLimit || ctx.Err() != nil {
			pid, _ := os.ReadFile(s.place.lock())
			f.Close()
			return false, fault.New(fault.Unavailable, "process %s holds %s and does not answer on %s; if that is a /tmp of its own, use a shorter data folder", strings.TrimSpace(string(pid)), s.place.lock(), s.place.control())
		}
	}
	s.lock = f
	if err := f.Truncate(0); err == nil {
		fmt.Fprintf(f, "%d\n", os.Getpid()) // for people; the lock is what counts
	}
	return true, nil
}

// run keeps PostgreSQL up until nobody needs it.
func (s *supervisor) run(ctx context.Context) error {
	sigs := make(chan os.Signal, 4)
	signal.Notify(sigs, syscall.SIGINT, syscall.SIGTERM)
	signal.Ignore(syscall.SIGHUP)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.guests.watch(sigs, cancel)

	pg, err := s.bringUp(ctx)
	if err != nil {
		return err
	}
	s.starter.Close()
	defer func() { pg.stop(s.log) }()
	patience := time.NewTimer(max(s.set.linger, firstGuest))
	minute := time.NewTicker(time.Minute)
	defer minute.Stop()
	if s.guests.count() > 0 {
		patience.Stop()
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-pg.done:
			s.log.Warn("PostgreSQL ended", "pid", pg.pid(), "err", pg.err)
			if s.guests.count() == 0 {
				return nil
			}
			s.guests.tell(status{State: starting, Supervisor: os.Getpid()})
			next, err := s.bringUp(ctx)
			if err != nil {
				return err
			}
			pg = next
		case <-s.guests.changed:
			patience.Stop()
			if s.guests.count() == 0 {
				patience.Reset(s.guests.patience(s.set.linger))
			}
		case <-patience.C:
			if s.guests.closeIfEmpty() {
				return nil
			}
		case <-minute.C:
			rotate(s.place.postgresLog(), runningLogLimit)
			// What looks old in /tmp is swept away; PostgreSQL does the same for its own.
			os.Chtimes(s.place.control(), time.Time{}, time.Now())
		}
	}
}
