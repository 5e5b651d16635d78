package localpg

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"polaris/models/fault"
)

// clearStale deals with what an earlier run left behind: a postmaster whose
// supervisor was killed and which has not ended yet, or a postmaster.pid whose
// process id now belongs to somebody else. That an id is dead PostgreSQL sees
// for itself.
func (s *supervisor) clearStale(ctx context.Context) error {
	file := filepath.Join(s.place.data(), "postmaster.pid")
	asked := time.Time{}
	for {
		b, rerr := os.ReadFile(file)
		if rerr != nil {
			break // none, the usual case; PostgreSQL has better words for others
		}
		first, rest, _ := strings.Cut(string(b), "\n")
		pid, _ := strconv.Atoi(strings.TrimSpace(first))
		if pid <= 1 || pid == os.Getpid() || syscall.Kill(pid, 0) != nil {
			break
		}
		// One that has ended and whom init has not buried (in a container nobody
		// may) still counts as alive for PostgreSQL.
		if isZombie(pid) || !s.servesOurs(pid) {
			if err := s.disown(file, pid, rest); err != nil {
				return err
			}
			break
		}
		if !strings.Contains(commandOf(pid), "unix_socket_directories="+s.place.sock) {
			return fault.New(fault.NotReady, "PostgreSQL process %d works on %s and was not started by Polaris; stop it first", pid, s.place.data())
		}
		switch {
		case asked.IsZero():
			s.log.Warn("PostgreSQL of an earlier run is still up; asking it to stop", "pid", pid)
			syscall.Kill(pid, syscall.SIGINT)
			asked = time.Now()
		case time.Since(asked) > 30*time.Second:
			return fault.New(fault.Unavailable, "PostgreSQL process %d of an earlier run does not stop; end it by hand", pid)
		case ctx.Err() != nil:
			return ctx.Err()
		}
		time.Sleep(5 * time.Millisecond)
	}
	// The socket's own lock file suffers from reused ids just the same, and
	// guards nothing: the folder is ours alone, and the postmaster is gone.
	os.Remove(s.place.pgSocket() + ".lock")
	return nil //nolint:nilerr // a file that cannot be read is PostgreSQL's to complain about
}

// disown replaces the foreign process id in postmaster.pid by ours. Deleting
// the file would be easier and wrong: its shared memory key is PostgreSQL's
// guard against back ends that have outlived their postmaster. PostgreSQL takes
// its parent's id for a stale one, and still checks the key.
func (s *supervisor) disown(file string, pid int, rest string) error {
	s.log.Warn("postmaster.pid names a process that is no PostgreSQL on this folder", "pid", pid)
	tmp := file + ".polaris"
	if err := os.WriteFile(tmp, fmt.Appendf(nil, "%d\n%s", os.Getpid(), rest), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, file)
}

// servesOurs reports whether process pid is a postmaster on our data folder,
// whoever started it.
func (s *supervisor) servesOurs(pid int) bool {
	cmd := commandOf(pid)
	program, _, _ := strings.Cut(cmd, " ")
	switch filepath.Base(program) {
	case "postgres", "postmaster":
		return strings.Contains(cmd, s.place.data()) || folderOf(pid) == s.place.data()
	}
	return false
}
