package main

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// compiled returns what says that the PDF engine of a data folder is compiled.
func compiled(t *testing.T, data string) []string {
	t.Helper()
	done, err := filepath.Glob(filepath.Join(data, "cache", "pdf", "compiled *"))
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// A server compiles the PDF engine when it is ready, without being asked for a
// PDF; and one that is stopped meanwhile does not wait for it.
func TestServeWarmsThePDFEngine(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	data := dataFolder(t)
	s, _ := serve(t, data, freeAddress(t))
	if done := compiled(t, data); len(done) > 0 {
		t.Errorf("ready only after the engine was compiled: %v", done)
	}
	within := func(what string, ok func() bool) {
		t.Helper()
		for until := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("%s: not within a minute\n%s", what, s.err.String())
			}
		}
	}
	child := func() bool { // the program's, in its process's group of children
		out, err := exec.CommandContext(t.Context(), "pgrep", "-P", strconv.Itoa(s.cmd.Process.Pid), "-f", "^bb extract").Output()
		return err == nil && strings.TrimSpace(string(out)) != ""
	}
	within("compiling begins", child)
	pid, err := exec.CommandContext(t.Context(), "pgrep", "-P", strconv.Itoa(s.cmd.Process.Pid), "-f", "^bb extract").Output()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	s.stop(t)
	t.Logf("stopped after %v", time.Since(began).Round(time.Millisecond))
	if done := compiled(t, data); len(done) > 0 {
		t.Errorf("it was stopped only after the engine was compiled: %v", done)
	}
	if out, err := exec.CommandContext(t.Context(), "ps", "-o", "stat=", "-p", strings.TrimSpace(string(pid))).Output(); err == nil {
		t.Errorf("the child that compiled is left behind: %s", out)
	}

	s, ready := serve(t, data, freeAddress(t))
	within("compiling ends", func() bool { return len(compiled(t, data)) == 1 })
	res, err := http.Get(s.url + "/health")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("health says %d", res.StatusCode)
	}
	t.Logf("ready after %v", ready.Round(time.Millisecond))
	s.stop(t)
}
