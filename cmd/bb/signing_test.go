package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bb runs one command in a process of its own, with what is added to its
// environment, and returns its exit status and what it printed.
func bb(t *testing.T, env []string, in string, args ...string) (code int, out, errors string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Args = append([]string{"bb"}, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin = strings.NewReader(in)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	_ = cmd.Run() // its exit status is looked at
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

// TestAnotherSecretKey: a server whose secret key is not the one of last time
// says so at the start, in one line, and dropping the keys is the way on.
func TestAnotherSecretKey(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	data := dataFolder(t)
	s, _ := serve(t, data, freeAddress(t))
	s.stop(t)
	if _, err := os.Stat(filepath.Join(data, "secret.key")); err != nil {
		t.Fatal(err)
	}
	other := []string{"POLARIS_SECRET_KEY=" + strings.Repeat("ab", 32)}
	start := []string{"serve", "--data-dir", data, "--listen", freeAddress(t)}
	code, out, errs := bb(t, other, "", start...)
	last := strings.Split(strings.TrimSpace(errs), "\n")
	if line := last[len(last)-1]; code != 1 || strings.Contains(out, "ready") || !strings.HasPrefix(line, "bb: ") || !strings.Contains(line, "POLARIS_SECRET_KEY") || !strings.Contains(line, "tokens.rotate_signing_key") {
		t.Errorf("another secret key: %d\n%s\n%s", code, out, errs)
	}
	rotate := []string{"op", "tokens.rotate_signing_key", "--brain-id", "_instance", "--data-dir", data}
	if code, _, errs := bb(t, other, "{}", rotate...); code != 1 || !strings.Contains(errs, "another secret key") {
		t.Errorf("rotating with it: %d %s", code, errs)
	}
	if code, out, errs := bb(t, nil, "{}", rotate...); code != 0 || !strings.Contains(out, `"retired": 1`) {
		t.Errorf("rotating with the right one: %d %s %s", code, out, errs)
	}
	if code, out, errs := bb(t, other, `{"drop":true}`, rotate...); code != 0 || !strings.Contains(out, `"dropped": 2`) {
		t.Errorf("dropping: %d %s %s", code, out, errs)
	}
	if code, _, errs := bb(t, nil, "", start...); code != 1 || !strings.Contains(errs, "POLARIS_SECRET_KEY") {
		t.Errorf("the secret key of before, after keys of another: %d %s", code, errs)
	}
}
