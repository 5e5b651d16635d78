package clients

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// installed returns the folder whose node_modules are those of the lock file.
var installed = sync.OnceValues(install)

// install has npm fetch what the lock file names, once: the folder is named for
// what is in the file, and moved into place whole.
func install() (string, error) {
	if _, err := exec.LookPath("npm"); err != nil {
		return "", errors.New("npm is missing: the clients in JavaScript cannot be installed (Node 20 or newer brings it)")
	}
	want := []string{"package.json", "package-lock.json", ".npmrc"}
	hash := sha256.New()
	for _, name := range want {
		b, err := os.ReadFile(filepath.Join("node", name))
		if err != nil {
			return "", err
		}
		hash.Write(b)
	}
	all, err := filepath.Abs("../../.cache/clients")
	if err != nil {
		return "", err
	}
	unlock, err := locked(all + ".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	dir := filepath.Join(all, hex.EncodeToString(hash.Sum(nil))[:16])
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.RemoveAll(all); err != nil { // what earlier lock files named: close to a gigabyte
		return "", err
	}
	if err := os.MkdirAll(all, 0o755); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(all, "new-")
	if err != nil {
		return "", err
	}
	for _, name := range want {
		b, err := os.ReadFile(filepath.Join("node", name))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(fresh, name), b, 0o644); err != nil {
			return "", err
		}
	}
	fmt.Fprintln(os.Stderr, "clients: installing the MCP and OpenAI clients with npm, about 900 MB in .cache/clients, once for each lock file")
	npm := exec.Command("npm", "ci", "--loglevel=error")
	npm.Dir = fresh
	if out, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the clients in JavaScript are not installed: npm ci: %w: %s", err, strings.Join(strings.Fields(string(out)), " "))
	}
	return dir, os.Rename(fresh, dir)
}

// locked waits until no other run of these tests holds the file.
func locked(name string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil // which gives the lock back
}

// modules returns the folder of the installed packages.
func modules(t *testing.T) string {
	t.Helper()
	dir, err := installed()
	if err != nil { // no npm, or no network
		lacking(t, err.Error())
	}
	return filepath.Join(dir, "node_modules")
}

// bin returns a program of the installed packages. Several want Node 22, so
// all run on the one that is installed beside them, whatever the machine has.
func bin(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(modules(t), ".bin", name)
}

// workshop returns a folder in which node finds our scripts and the installed
// packages, and which is home to whatever a client wants to keep.
func workshop(t *testing.T) string {
	t.Helper()
	from, dir := modules(t), t.TempDir()
	if err := os.Symlink(from, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob("node/*.mjs")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts, %v", len(scripts), err)
	}
	for _, s := range scripts {
		b, err := os.ReadFile(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(s)), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A run is how a program ended.
type run struct {
	out, err string
	code     int
	took     time.Duration
}

// A program is what to run, as a user would at a terminal of their own.
type program struct {
	dir   string   // also its home
	args  []string // the program first
	env   []string
	limit time.Duration // default 30 s: no client may hang
}

// run runs p; it fails the test if p does not end in time.
func (p program) run(t *testing.T) run {
	t.Helper()
	if p.limit == 0 {
		p.limit = 30 * time.Second
	}
	ctx, cancel := context.WithTimeout(t.Context(), p.limit)
	defer cancel()
	c := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	// A client may start others: none is to outlive its test.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second
	c.Dir, c.Env = p.dir, p.environment()
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	began := time.Now()
	err := c.Run()
	r := run{out.String(), errs.String(), c.ProcessState.ExitCode(), time.Since(began)}
	if ctx.Err() != nil {
		t.Fatalf("%v did not end within %s\n%s\n%s", p.args, p.limit, r.out, r.err)
	}
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		t.Fatal(err)
	}
	return r
}

// environment is small on purpose: the settings of who runs the tests, and
// their credentials, are no business of a client's.
func (p program) environment() []string {
	return append([]string{"HOME=" + p.dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + p.dir, "NO_COLOR=1", "CI=1"}, p.env...)
}

// script runs one of our scripts against the endpoint at url, and reads what
// it saw into seen.
func script(t *testing.T, seen any, url, key, name string, args ...string) run {
	t.Helper()
	p := program{
		dir: workshop(t), args: append([]string{bin(t, "node"), name}, args...),
		env: []string{"POLARIS_URL=" + url, "POLARIS_API_KEY=" + key, "QUESTION=" + question},
	}
	r := p.run(t)
	if err := json.Unmarshal([]byte(r.out), seen); err != nil || r.code != 0 {
		t.Fatalf("%s %v ended with %d, %v\n%s\n%s", name, args, r.code, err, r.out, r.err)
	}
	return r
}

// TestLockFile: what is installed is pinned, and from no host in particular.
func TestLockFile(t *testing.T) {
	t.Parallel()
	lock, err := os.ReadFile("node/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`"resolved":|registry|https?://`).FindAll(lock, 3); found != nil {
		t.Errorf("the lock file names hosts: %q. Remove its \"resolved\" and \"funding\" entries", found)
	}
	var want struct{ Dependencies, OptionalDependencies map[string]string }
	raw, err := os.ReadFile("node/package.json")
	if err == nil {
		err = json.Unmarshal(raw, &want)
	}
	if err != nil || len(want.Dependencies) < 12 {
		t.Fatalf("package.json: %d packages, %v", len(want.Dependencies), err)
	}
	for _, group := range []map[string]string{want.Dependencies, want.OptionalDependencies} {
		for name, version := range group {
			if !regexp.MustCompile(`^(npm:@?[a-z/-]+@)?\d+\.\d+\.\d+(-[a-z0-9.]+)?$`).MatchString(version) {
				t.Errorf("%s is pinned to %q, which is no version", name, version)
			}
		}
	}
}
