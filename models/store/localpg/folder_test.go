package localpg

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"polaris/models/fault"
)

func itoa(n int) string { return strconv.Itoa(n) }
func atoi(s string) int { n, _ := strconv.Atoi(s); return n }

// as returns what makes a command run as the owner of dir.
func as(t testing.TB, dir string) *syscall.SysProcAttr {
	t.Helper()
	st, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		return nil
	}
	s := st.Sys().(*syscall.Stat_t)
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: s.Uid, Gid: s.Gid}}
}

// sum is a fingerprint of all names, modes, times and bytes below dir.
func sum(t testing.TB, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(h, name, st.Mode(), st.ModTime(), st.Size())
		if d.Type().IsRegular() {
			b, err := os.ReadFile(name)
			h.Write(b)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// A real cluster whose version has changed under it.
func TestOtherMajor(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	hold(t, dir).cmd.Process.Signal(syscall.SIGTERM)
	gone(t, dir)
	data := filepath.Join(dir, "postgres", "data")
	_, have, err := Find(0)
	if err != nil {
		t.Fatal(err)
	}
	f := filepath.Join(data, "PG_VERSION")
	if err := os.WriteFile(f, []byte("9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := sum(t, data)
	_, err = Attach(soon(t), Config{Dir: dir, Log: quiet()})
	if e := fault.Of(err); e == nil || e.Kind != fault.NotReady || e.Code != "postgres_version" ||
		!strings.Contains(e.Message, "of PostgreSQL 9 ") || !strings.Contains(e.Message, itoa(have)) || !strings.Contains(e.Message, "install PostgreSQL 9, or dump and restore") {
		t.Errorf("got error %v, want one that names both versions and a way on", err)
	}
	if after := sum(t, data); after != before {
		t.Error("the data folder was touched")
	}
	if err := os.WriteFile(f, []byte(itoa(have)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := rows(t, attach(t, dir).DSN(Owner, Database)); n != 1 {
		t.Errorf("got %d committed rows, want 1", n)
	}
}

func TestNoPrograms(t *testing.T) {
	t.Parallel()
	dir, empty := folder(t), t.TempDir()
	_, err := Attach(soon(t), Config{Dir: dir, BinDir: empty, Log: quiet()})
	if e := fault.Of(err); e == nil || e.Kind != fault.NotReady || e.Code != "postgres_missing" ||
		!strings.Contains(e.Message, Hint()) || strings.Contains(e.Message, "\n") {
		t.Errorf("got error %v, want one line with %q", err, Hint())
	}
	if _, err := os.Stat(filepath.Join(dir, "postgres", "data")); err == nil {
		t.Error("a data folder was made")
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	bin := func(version string, files ...string) string {
		d := filepath.Join(t.TempDir(), strings.Fields(version)[0], "bin")
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if err := program(filepath.Join(d, f), []byte("#!/bin/sh\necho 'postgres (PostgreSQL) "+version+"'\n")); err != nil {
				t.Fatal(err)
			}
		}
		return d
	}
	old := bin("9.6.24", "initdb", "postgres")
	a, b := bin("15.18 (Debian 15.18-0+deb12u1)", "initdb", "postgres"), bin("18beta1", "initdb", "postgres")
	client := bin("17.2", "postgres")
	for _, row := range []struct {
		name string
		dirs []string
		pin  int
		want string
		code string
	}{
		{"the first", []string{a, b}, 0, a, ""},
		{"not the old", []string{old, b, a}, 0, b, ""},
		{"the fitting", []string{a, b}, 18, b, ""},
		{"the server", []string{client, a}, 0, a, ""},
		{"nothing", nil, 0, "", "postgres_missing"},
		{"nothing for the data", []string{t.TempDir()}, 15, "", "postgres_missing"},
		{"client only", []string{client}, 0, "", "postgres_missing"},
		{"old only", []string{old}, 0, "", "postgres_version"},
		{"another", []string{a}, 16, "", "postgres_version"},
	} {
		got, _, err := find(row.dirs, row.pin)
		var code string
		if err != nil {
			code = fault.Of(err).Code
		}
		if got != row.want || code != row.code {
			t.Errorf("%s: got %q, %v, want %q, %s", row.name, got, err, row.want, row.code)
		}
	}
}

func TestLongPath(t *testing.T) {
	t.Parallel()
	var sock string
	t.Cleanup(func() { // runs last, when all processes have ended
		if _, err := os.Lstat(sock); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left behind: %v", sock, err)
			os.RemoveAll(sock)
		}
	})
	base := folder(t)
	if os.Geteuid() == 0 {
		if err := os.Chmod(base, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(base, strings.Repeat("long-", 30)[:150-len(base)-1])
	if len(dir) != 150 {
		t.Fatalf("the path has %d characters", len(dir))
	}
	p := hold(t, dir)
	c := attach(t, dir)
	if c.PID() != p.Postgres {
		t.Errorf("got PostgreSQL %d, want %d", c.PID(), p.Postgres)
	}
	if sock = c.place.sock; !strings.HasPrefix(sock, shortRoot) {
		t.Errorf("the socket is in %s", sock)
	}
	kill(t, p.Supervisor, p.Postgres)
	if n := rows(t, c.DSN(Owner, Database)); n != 1 {
		t.Errorf("got %d committed rows, want 1", n)
	}
}

// Somebody was quicker to make the folder of the sockets in /tmp.
func TestSquattedSocketFolder(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		make func(sock string) error
	}{
		{"link", func(sock string) error { return os.Symlink(t.TempDir(), sock) }},
		{"file", func(sock string) error { return os.WriteFile(sock, nil, 0o600) }},
		{"open to all", func(sock string) error { return errors.Join(os.Mkdir(sock, 0o777), os.Chmod(sock, 0o777)) }},
		{"another's", func(sock string) error { return errors.Join(os.Mkdir(sock, 0o700), os.Chown(sock, 12345, 12345)) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if row.name == "another's" && os.Geteuid() != 0 {
				t.Skip("only root can give a folder away")
			}
			dir := filepath.Join(folder(t), strings.Repeat("x", 120))
			p, err := settle(dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := row.make(p.sock); err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(p.sock)
			if _, err := Attach(soon(t), Config{Dir: dir, Log: quiet()}); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), p.sock) {
				t.Errorf("got error %v, want a refusal of %s", err, p.sock)
			}
		})
	}
}

// Folders that cannot be used, each with a line that says why.
func TestUnusableFolder(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		make func(t *testing.T, dir string) string
		want string
	}{
		{"none", func(*testing.T, string) string { return "" }, "no data folder"},
		{"a file", func(t *testing.T, dir string) string {
			write(t, dir+"/f", "x")
			return dir + "/f"
		}, "cannot be made"},
		{"postgres is a file", func(t *testing.T, dir string) string {
			write(t, dir+"/postgres", "x")
			return dir
		}, "is not a folder"},
		{"postgres is a link", func(t *testing.T, dir string) string {
			if err := os.Symlink(t.TempDir(), dir+"/postgres"); err != nil {
				t.Fatal(err)
			}
			return dir
		}, "is not a folder"},
		{"data is something else", func(t *testing.T, dir string) string {
			settled(t, dir)
			write(t, dir+"/postgres/data/notes.txt", "x")
			return dir
		}, "is no PostgreSQL cluster"},
		{"damaged version", func(t *testing.T, dir string) string {
			settled(t, dir)
			write(t, dir+"/postgres/data/PG_VERSION", "fifteen\n")
			return dir
		}, "damaged"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := row.make(t, folder(t))
			if _, err := Attach(soon(t), Config{Dir: dir, Log: quiet()}); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got error %v, want %q", err, row.want)
			}
		})
	}
}

// readable copies the test binary to where every user can run it.
func readable(t testing.TB) string {
	t.Helper()
	mine, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "localpg-program-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self := filepath.Join(dir, "program")
	b, err := os.ReadFile(mine)
	if err = errors.Join(err, program(self, b), os.Chmod(dir, 0o755), os.Chmod(self, 0o755)); err != nil {
		t.Fatal(err)
	}
	return self
}

// program writes a file that is to be run. No process is forked meanwhile: a
// child of another test would hold the file open for writing until its own exec,
// and nobody may run a file that somebody writes ("text file busy").
func program(name string, b []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(name, b, 0o755)
}

func write(t testing.TB, name, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func settled(t testing.TB, dir string) place {
	t.Helper()
	p, err := settle(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// As root PostgreSQL runs as somebody else, whom the folder must let in.
func TestRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("not root; every other test covers this case")
	}
	t.Run("runs as another user", func(t *testing.T) {
		t.Parallel()
		dir := folder(t)
		p := hold(t, dir)
		for _, pid := range []int{p.Supervisor, p.Postgres} {
			st, err := os.Stat("/proc/" + itoa(pid))
			if err != nil {
				t.Skip("no /proc here:", err)
			}
			if ownerOf(st) == 0 {
				t.Errorf("process %d runs as root", pid)
			}
		}
		if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o710 {
			t.Errorf("the data folder has mode %v, want 0710", st.Mode())
		}
	})
	t.Run("in a closed temporary folder", func(t *testing.T) {
		t.Parallel()
		closed := folder(t) // mode 0700, as mktemp makes it
		dir := filepath.Join(closed, "deeper", "polaris")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if p := hold(t, dir); p.Postgres == 0 {
			t.Error("no PostgreSQL")
		}
		for _, d := range []string{closed, filepath.Join(closed, "deeper")} {
			if st, err := os.Stat(d); err != nil || st.Mode().Perm()&0o067 != 0 {
				t.Errorf("%s has mode %v: others may do more than pass", d, st.Mode())
			}
		}
	})
	t.Run("unreachable", func(t *testing.T) {
		t.Parallel()
		closed, err := os.MkdirTemp("/var/lib", "localpg-test-") // mode 0700, like root's home
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(closed) })
		dir := filepath.Join(closed, "polaris")
		start := time.Now()
		_, err = Attach(soon(t), Config{Dir: dir, Log: quiet()})
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "may not enter "+closed+";") {
			t.Errorf("got error %v, want one about %s", err, closed)
		}
		if time.Since(start) > 5*time.Second {
			t.Errorf("it took %v to say so", time.Since(start))
		}
	})
	t.Run("another user's folder", func(t *testing.T) {
		t.Parallel()
		dir := folder(t)
		hold(t, dir)
		self := readable(t)
		for uid, want := range map[uint32]string{
			2:     "belongs to user root; run as that user or as root", // bin, on every Unix
			64999: "needs a user with a name",
		} {
			cmd := exec.Command(self, "holder", dir)
			cmd.Dir = "/"
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
			if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
				t.Errorf("as user %d: got %v, %s, want %q", uid, err, out, want)
			}
		}
	})
}

// Somebody works on the data folder with PostgreSQL's own tools.
func TestStartedByHand(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	if err := attach(t, dir).Stop(soon(t)); err != nil {
		t.Fatal(err)
	}
	bin, _, err := Find(0)
	if err != nil {
		t.Fatal(err)
	}
	data, run := filepath.Join(dir, "postgres", "data"), filepath.Join(dir, "postgres")
	cmd := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-c", "listen_addresses=", "-c", "unix_socket_directories="+run)
	cmd.Dir = "/"
	cmd.SysProcAttr = as(t, data)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Signal(syscall.SIGINT); cmd.Wait() }()
	eventually(t, "it is up", func() bool { return strings.Contains(readFile(data+"/postmaster.pid"), "ready") })
	if _, err := Attach(soon(t), Config{Dir: dir, Log: quiet()}); !fault.Is(err, fault.NotReady) || !strings.Contains(err.Error(), itoa(cmd.Process.Pid)) {
		t.Errorf("got error %v, want NotReady because of process %d", err, cmd.Process.Pid)
	}
	if syscall.Kill(cmd.Process.Pid, 0) != nil {
		t.Error("it was stopped")
	}
}

// The whole under an unprivileged user; and root as a guest in its folder.
func TestUnprivileged(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("not root: every other test covers this case")
	}
	dir := folder(t)
	self := readable(t)
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	run := func() *process {
		cmd := exec.Command(self, "holder", dir)
		cmd.SysProcAttr = as(t, dir)
		cmd.Dir = dir
		p := launch(t, cmd)
		p.wait(t)
		return p
	}
	p := run()
	if st, err := os.Stat(filepath.Join(dir, "postgres")); err != nil || ownerOf(st) != 65534 {
		t.Fatalf("the cluster is not the user's: %v", err)
	}
	c := attach(t, dir)
	if c.PID() != p.Postgres || c.Supervisor() != p.Supervisor {
		t.Errorf("root got PostgreSQL %d, want %d", c.PID(), p.Postgres)
	}
	kill(t, p.Holder, p.Supervisor) // root starts the next supervisor
	if n := rows(t, c.DSN(Owner, Database)); n != 1 {
		t.Errorf("got %d committed rows, want 1", n)
	}
	q := run()
	if q.Postgres != c.PID() {
		t.Errorf("the user got PostgreSQL %d, want %d", q.Postgres, c.PID())
	}
	c.Detach()
	kill(t, q.Holder)
	gone(t, dir)
	if q = run(); rows(t, q.DSN) != 3 { // and the user's folder is still the user's
		t.Errorf("got %d committed rows, want 3", rows(t, q.DSN))
	}
	err := filepath.WalkDir(filepath.Join(dir, "postgres"), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // a file that PostgreSQL has just removed
		}
		if st, err := d.Info(); err == nil && (ownerOf(st) != 65534 || st.Mode().Perm()&0o077 != 0 && d.Type()&fs.ModeSymlink == 0) {
			t.Errorf("%s has mode %v and owner %d", name, st.Mode(), ownerOf(st))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
