package localpg

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"polaris/models/fault"
)

const (
	port = 5432 // names the socket file; nothing listens on TCP

	// maxSocketPath is what fits into sun_path on macOS (104 bytes with the
	// final zero) and therefore on Linux (108).
	maxSocketPath = 103
)

// shortRoot holds the socket folders of data folders with long paths. It is not
// os.TempDir: that follows TMPDIR, and two processes with different ones would
// miss each other.
const shortRoot = "/tmp"

// A place is where a cluster lives and as whom it runs.
type place struct {
	root string // the data folder, absolute and without symbolic links
	home string // root/postgres
	sock string // folder of both sockets
	uid  int    // PostgreSQL and its supervisor run as this user
	gid  int
	user string // its name, by which peer authentication knows it
}

func (p place) data() string        { return filepath.Join(p.home, "data") }
func (p place) lock() string        { return filepath.Join(p.home, "lock") }
func (p place) control() string     { return filepath.Join(p.sock, "control") }
func (p place) pgSocket() string    { return filepath.Join(p.sock, fmt.Sprintf(".s.PGSQL.%d", port)) }
func (p place) postgresLog() string { return filepath.Join(p.home, "log", "postgres.log") }
func (p place) ownLog() string      { return filepath.Join(p.home, "log", "supervisor.log") }

// unusable is the fault of a data folder that cannot be used as it is.
func unusable(format string, args ...any) *fault.Error {
	return fault.Field("data_dir", format, args...)
}

// refused is unusable because of err, whose reason ("permission denied") it
// gives: the path is in the message already.
func refused(err error, format string, args ...any) *fault.Error {
	f := unusable(format, args...)
	f.Err = err
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		f.Message += ": " + errno.Error()
	}
	return f
}

// settle makes the data folder and the folder postgres in it, and finds out as
// whom PostgreSQL has to run there. It may be called any number of times.
func settle(dir string) (place, error) {
	var p place
	if dir == "" {
		return p, unusable("no data folder is named")
	}
	abs, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(abs, 0o700)
	}
	if err == nil {
		p.root, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return p, refused(err, "the data folder %s cannot be made", dir)
	}
	p.home = filepath.Join(p.root, "postgres")
	if err := p.findUser(); err != nil {
		return p, err
	}
	if err := p.makeHome(); err != nil {
		return p, err
	}
	p.sock = filepath.Join(p.home, "run")
	if len(p.pgSocket()) > maxSocketPath {
		sum := sha256.Sum256([]byte(p.root))
		p.sock = filepath.Join(shortRoot, fmt.Sprintf("polaris-%d-%x", p.uid, sum[:8]))
	}
	return p, nil
}

// findUser decides as whom PostgreSQL runs: as ourselves, and for root, whom it
// refuses, as the owner of what is there, else as postgres or nobody.
func (p *place) findUser() error {
	if uid := os.Geteuid(); uid != 0 {
		return p.become(user.LookupId(strconv.Itoa(uid)))
	}
	for _, f := range []string{p.home, p.root} {
		if st, err := os.Lstat(f); err == nil && ownerOf(st) != 0 {
			return p.become(user.LookupId(strconv.Itoa(ownerOf(st))))
		}
	}
	if u, err := user.Lookup("postgres"); err == nil {
		return p.become(u, nil)
	}
	return p.become(user.Lookup("nobody"))
}

func (p *place) become(u *user.User, err error) error {
	if err != nil {
		return fault.New(fault.NotReady, "PostgreSQL needs a user with a name to run as; add one to /etc/passwd").Because(err)
	}
	p.user = u.Username
	if p.uid, err = strconv.Atoi(u.Uid); err == nil {
		p.gid, err = strconv.Atoi(u.Gid)
	}
	return err
}

func ownerOf(st fs.FileInfo) int { return int(st.Sys().(*syscall.Stat_t).Uid) }

// makeHome makes the one folder that the user of PostgreSQL cannot make for
// itself when root owns the data folder. Names are resolved inside the data
// folder, so that nobody who owns it can lead root out of it by a link.
func (p *place) makeHome() error {
	root, err := os.OpenRoot(p.root)
	if errors.Is(err, fs.ErrPermission) {
		if st, e := os.Stat(p.root); e == nil && ownerOf(st) != os.Geteuid() {
			return refused(err, "the data folder %s belongs to user %s; run as that user or as root, or choose another one", p.root, nameOf(ownerOf(st)))
		}
	}
	if err != nil {
		return refused(err, "the data folder %s cannot be opened", p.root)
	}
	defer root.Close()
	if err := root.Mkdir("postgres", 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return refused(err, "the data folder %s cannot be written to", p.root)
	}
	st, err := root.Lstat("postgres")
	if err != nil {
		return refused(err, "the data folder %s cannot be read", p.root)
	}
	if !st.IsDir() {
		return unusable("%s is not a folder; move it away", p.home)
	}
	if os.Geteuid() == 0 {
		if err := p.admit(); err != nil {
			return refused(err, "user %s cannot be let into the data folder %s", p.user, p.root)
		}
		p.admitThroughTemp()
		if ownerOf(st) == 0 {
			if err := root.Lchown("postgres", p.uid, p.gid); err != nil {
				return refused(err, "%s cannot be given to user %s", p.home, p.user)
			}
		}
		return nil
	}
	if owner := ownerOf(st); owner != p.uid {
		return unusable("the database in %s belongs to user %s; run as that user or as root, or choose another data folder", p.home, nameOf(owner))
	}
	return nil
}

func nameOf(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return strconv.Itoa(uid)
}

// admit lets the user of PostgreSQL pass through root's data folder, by its
// group and for passing only: the folder's other files stay out of its reach.
func (p *place) admit() error {
	st, err := os.Stat(p.root)
	if err != nil || ownerOf(st) != 0 || st.Mode().Perm()&0o077 != 0 {
		return err // not ours to change, or somebody has thought about it already
	}
	if err := os.Chown(p.root, -1, p.gid); err != nil {
		return err
	}
	return os.Chmod(p.root, st.Mode().Perm()|0o010)
}

// admitThroughTemp lets the user of PostgreSQL pass through those folders above
// that are closed to all but root and lie in a folder for temporary files: such
// as mktemp makes, for a trial or a test. Elsewhere a closed folder is somebody's
// decision, and [place.reach] says what to do; it also speaks up where this did
// not succeed.
func (p *place) admitThroughTemp() {
	for d := filepath.Dir(p.root); underTemp(d); d = filepath.Dir(d) {
		st, err := os.Lstat(d)
		if err == nil && st.IsDir() && ownerOf(st) == 0 && st.Mode().Perm()&0o001 == 0 {
			_ = letPass(d, st, p.uid)
		}
	}
}

// underTemp reports whether a folder lies in one for temporary files.
func underTemp(dir string) bool {
	for _, temp := range []string{os.TempDir(), "/tmp", "/var/tmp", "/dev/shm"} {
		if strings.HasPrefix(dir, strings.TrimSuffix(temp, "/")+"/") {
			return true
		}
	}
	return false
}

// furnish makes what is below the home. It runs as the user of PostgreSQL, and
// under the lock, like tidy.
func (p *place) furnish() error {
	for _, d := range []string{filepath.Join(p.home, "log"), p.sock} {
		if err := os.Mkdir(d, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return refused(err, "%s cannot be made", d)
		}
	}
	return p.checkSockets()
}

// tidy leaves nothing of ours in /tmp.
func (p *place) tidy() {
	if filepath.Dir(p.sock) != p.home {
		os.Remove(p.sock) // unless it holds something, which is not ours then
	}
}

// reach looks for the folder above that keeps the user of PostgreSQL out.
func (p *place) reach() error {
	if unix.Access(p.home, unix.R_OK|unix.W_OK|unix.X_OK) == nil {
		return nil
	}
	stop := p.home
	for d := p.home; d != "/" && d != "."; d = filepath.Dir(d) {
		if unix.Access(d, unix.X_OK) != nil {
			stop = d
		}
	}
	return unusable("PostgreSQL runs as user %s, who may not enter %s; choose a data folder that it can reach, such as /var/lib/polaris, or chmod o+x %s", p.user, stop, stop)
}

// checkSockets makes sure that the folder of the sockets is what it should be.
// In /tmp anybody could have made one of that name first, or a link, to have us
// talk to a database of theirs.
func (p *place) checkSockets() error {
	st, err := os.Lstat(p.sock)
	if err != nil {
		return err
	}
	if !st.IsDir() || ownerOf(st) != p.uid || st.Mode().Perm()&0o077 != 0 {
		return unusable("%s must be a folder of user %s with mode 0700, and it is not (%s, user %s); remove it", p.sock, p.user, st.Mode(), nameOf(ownerOf(st)))
	}
	return nil
}
