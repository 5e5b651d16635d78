package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"polaris/advisor/ingest"
)

// A tried is what a child that looks around could do.
type tried struct {
	Protection Protection
	Done       map[string]string // what was tried: "" where it worked, else the error
	Env        []string
	Open       []string // descriptors, and what they are
	Limits     map[string]uint64
	Temp       []string
}

// lookAround is a child that does what whoever has taken one over would try.
func lookAround(w frameWriter) {
	closeInherited()
	frames := newFrameReader(os.Stdin)
	_, payload, err := frames.next()
	var j job
	if err == nil {
		err = json.Unmarshal(payload, &j)
	}
	if err != nil {
		panic(err)
	}
	limitSelf(j)
	var open []string
	fds, _ := os.ReadDir("/proc/self/fd")
	for _, f := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && !strings.Contains(to, "/fd") && !strings.HasPrefix(to, "anon_inode:") {
			open = append(open, f.Name()+" "+to)
		}
	}
	t := tried{Protection: shutAway(&j), Done: map[string]string{}, Env: os.Environ(), Open: open, Limits: map[string]uint64{}}
	did := func(what string, err error) {
		t.Done[what] = ""
		if err != nil {
			t.Done[what] = err.Error()
		}
	}
	data, err := document(frames) // the names of what to try it on
	if err != nil {
		panic(err)
	}
	var on struct {
		Secret, Port, Socket, Cache string
		Parent                      int
	}
	if err := json.Unmarshal(data, &on); err != nil {
		panic(err)
	}
	_, err = os.ReadFile(on.Secret)
	did("read a secret of the data folder", err)
	_, err = os.ReadFile(fmt.Sprintf("/proc/%d/environ", on.Parent))
	did("read the parent's environment", err)
	_, err = os.ReadFile("/etc/passwd")
	did("read /etc/passwd", err)
	did("write beside the secret", os.WriteFile(filepath.Join(filepath.Dir(on.Secret), "new"), nil, 0o600))
	did("write into the engine's cache", os.WriteFile(filepath.Join(j.Options.Cache, "entry"), nil, 0o600))
	_, err = os.ReadFile(filepath.Join(j.Options.Cache, "compiled"))
	did("read the engine's cache", err)
	did("write a temporary file", os.WriteFile(filepath.Join(os.TempDir(), "x"), []byte("x"), 0o600))
	_, err = net.DialTimeout("tcp", on.Port, time.Second)
	did("connect to a port", err)
	_, err = net.DialTimeout("unix", on.Socket, time.Second)
	did("connect to a socket", err)
	_, err = net.DialTimeout("unix", "@"+filepath.Base(on.Socket), time.Second)
	did("connect to an abstract socket", err)
	did("signal the parent", unix.Kill(on.Parent, 0))
	if t.Protection.Processes != "" { // else it may come off, and stop the test for good
		did("trace the parent", unix.PtraceAttach(on.Parent))
	}
	did("mount", unix.Mount("tmpfs", os.TempDir(), "tmpfs", 0, ""))
	did("make namespaces", unix.Unshare(unix.CLONE_NEWUSER))
	did("raise a limit", unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1, Max: 1}))
	out, err := exec.Command("/usr/bin/true").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w %s", err, out)
	}
	did("start a program", err)
	for name, what := range map[string]int{"core": unix.RLIMIT_CORE, "cpu": unix.RLIMIT_CPU, "data": unix.RLIMIT_DATA} {
		var l unix.Rlimit
		_ = unix.Getrlimit(what, &l)
		t.Limits[name] = l.Max
	}
	if err := w.value(frameText, t); err != nil {
		panic(err)
	}
	if err := w.end(); err != nil {
		panic(err)
	}
}

// What a child sees and may do is what its protection says, on every sort of
// kernel.
func TestSight(t *testing.T) {
	dir := t.TempDir()
	// Only a folder's own lock is to keep a child out: the folders that this test
	// made are open. Those above are not its own; /tmp would be closed to others.
	for d := dir; d != filepath.Clean(os.TempDir()) && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	scratch := filepath.Join(dir, "scratch") // beside other processes' children nobody could say whose is left behind
	if err := os.Mkdir(scratch, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", scratch)
	data, cache := filepath.Join(dir, "data"), filepath.Join(dir, "data", "cache")
	for _, d := range []string{data, cache} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	secret := filepath.Join(data, "secret.key")
	if err := errors.Join(os.WriteFile(secret, []byte("secret"), 0o644), os.WriteFile(filepath.Join(cache, "compiled"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(data, ".s.PGSQL.5432")
	var lc net.ListenConfig
	var ends [3]net.Listener
	var err error
	for i, at := range [][2]string{{"tcp", "127.0.0.1:0"}, {"unix", socket}, {"unix", "@" + filepath.Base(socket) + filepath.Base(dir)}} {
		if ends[i], err = lc.Listen(t.Context(), at[0], at[1]); err != nil {
			t.Fatal(err)
		}
		defer ends[i].Close()
	}
	t.Setenv("POLARIS_SECRET_KEY", "0123456789")
	inherited, err := os.Open(secret)
	if err != nil {
		t.Fatal(err)
	}
	defer inherited.Close()
	if _, err := unix.FcntlInt(inherited.Fd(), unix.F_SETFD, 0); err != nil { // as a careless shell would hand it down
		t.Fatal(err)
	}
	on, err := json.Marshal(map[string]any{"Secret": secret, "Port": ends[0].Addr().String(), "Socket": socket, "Cache": cache, "Parent": os.Getpid()})
	if err != nil {
		t.Fatal(err)
	}
	for lacking, e := range extractors() {
		e.args = []string{"bb", "misbehave", "look around"}
		e.filled.Store(&cache)
		var got tried
		_, err := e.run(t.Context(), job{Op: opParse, Options: ingest.Options{}}, on, func(_ byte, payload []byte) error { return json.Unmarshal(payload, &got) })
		if err != nil {
			t.Errorf("%s: %v", lacking, err)
			continue
		}
		never := []string{"raise a limit"}
		if got.Protection.Files != "" {
			never = append(never, "read a secret of the data folder", "read /etc/passwd", "read the parent's environment", "write beside the secret", "write into the engine's cache")
		}
		if got.Protection.Network != "" {
			never = append(never, "connect to a port", "connect to a socket", "connect to an abstract socket")
		}
		if got.Protection.Processes != "" {
			never = append(never, "signal the parent", "trace the parent")
		}
		if got.Protection.Filter {
			never = append(never, "mount", "make namespaces")
		}
		if e.Inside && got.Protection.Filter {
			never = append(never, "start a program")
		}
		for _, what := range never {
			if result, was := got.Done[what]; result == "" || !was {
				t.Errorf("%s (%s): it could %s", lacking, got.Protection, what)
			}
		}
		always := []string{"write a temporary file", "read the engine's cache"}
		if got.Protection.Outside {
			always = append(always, "start a program")
		}
		for _, what := range always {
			if got.Done[what] != "" {
				t.Errorf("%s (%s): it could not %s: %s", lacking, got.Protection, what, got.Done[what])
			}
		}
		for _, kv := range got.Env {
			if strings.Contains(kv, "POLARIS") || strings.Contains(kv, "0123456789") {
				t.Errorf("%s: it was told %s", lacking, kv)
			}
		}
		for _, o := range got.Open {
			if !strings.Contains(o, "pipe:") && !strings.Contains(o, "/sys/fs/cgroup/") && // the runtime's own
				!strings.HasSuffix(o, cache) {
				t.Errorf("%s: it was handed %s", lacking, o)
			}
		}
		if got.Limits["core"] != 0 || got.Limits["cpu"] != 241 || got.Limits["data"] > 2<<30 {
			t.Errorf("%s: limits %v", lacking, got.Limits)
		}
		t.Logf("%s: %v", lacking, got.Done)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
