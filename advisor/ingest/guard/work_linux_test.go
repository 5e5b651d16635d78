package guard

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"polaris/advisor/ingest"
	"polaris/models/fault"
)

// holdIfAsked is a process that reads a document until it is killed.
func holdIfAsked() {
	if len(os.Args) < 2 || os.Args[1] != "hold" || os.Getenv("HOLD_FOR_A_TEST") == "" {
		return
	}
	e := &Extractor{args: []string{"bb", "misbehave", "hangs"}, Limits: Limits{Time: time.Minute}}
	_, _ = e.run(context.Background(), job{Op: opParse}, []byte(rules), nothingElse)
	os.Exit(0)
}

// folders returns the work folders of a folder for temporary files.
func folders(t *testing.T, dir string) []string {
	t.Helper()
	fs, err := filepath.Glob(filepath.Join(dir, workPrefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return fs
}

// A process that is killed leaves the folder that its child worked in. It is
// swept once it is gone, and not before.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // a child of root's is another user
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	holder := exec.CommandContext(t.Context(), "/proc/self/exe")
	holder.Args = []string{"bb", "hold"}
	holder.Env = append(os.Environ(), "HOLD_FOR_A_TEST=1")
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = holder.Process.Kill(); _ = holder.Wait() }()
	for until := time.Now().Add(10 * time.Second); len(descendants(holder.Process.Pid, 0)) == 0 || len(folders(t, dir)) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("no child is started")
		}
	}
	if n := sweep(); n != 0 || len(folders(t, dir)) != 1 {
		t.Fatalf("%d folders were swept while they were in use", n)
	}
	if err := os.WriteFile(filepath.Join(folders(t, dir)[0], "left.doc"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait() // it was killed
	left := folders(t, dir)
	if len(left) != 1 {
		t.Fatalf("the process that was killed left %v", left)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, workPrefix+"link")); err != nil {
		t.Fatal(err)
	}
	// A child that had not become another program yet holds what its parent held,
	// until it is killed, too.
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		if f, err := lockFolder(left[0]); err == nil {
			_ = f.Close()
			break
		}
	}
	swept.Store(0)
	if _, err := (&Extractor{}).Parse(t.Context(), []byte(rules), ingest.Options{}); err != nil {
		t.Fatal(err)
	}
	if left := folders(t, dir); len(left) != 1 || !strings.HasSuffix(left[0], "link") { // which is no folder of ours
		t.Errorf("after another process's first document: %v", left)
	}
}

// What a reader takes is counted by the kernel and by the clock, and whoever
// reaches a limit is ended by it; the next document is read as ever.
func TestTimeIsUp(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte("word "), 10<<20) // seconds of work
	for name, test := range map[string]struct {
		e    *Extractor
		says string
	}{
		"processor time": {&Extractor{cpu: 1, Limits: Limits{Time: time.Minute, Memory: 1 << 30}}, "more than 1s of processor time"},
		"wall time":      {&Extractor{Limits: Limits{Time: time.Second, Memory: 1 << 30}}, "longer than 1s"},
	} {
		start := time.Now()
		_, err := test.e.Parse(t.Context(), long, ingest.Options{})
		if f := fault.Of(err); err == nil || f.Code != "parse_time" || f.Kind != fault.TooLarge || !strings.Contains(f.Message, test.says) {
			t.Errorf("%s: after %v: %v", name, time.Since(start), err)
		}
		if _, err := (&Extractor{}).Parse(t.Context(), []byte(rules), ingest.Options{}); err != nil {
			t.Errorf("%s: afterwards: %v", name, err)
		}
	}
}
