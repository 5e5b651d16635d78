//go:build !linux

package guard

import (
	"os"
	"os/exec"
	"strings"
)

// startApart starts the child: a process of its own, and that is all that this
// system offers.
func (r *run) startApart(j *job, in, out, errs *os.File) error {
	exe, args, err := r.e.program()
	if err != nil {
		return err
	}
	cache := r.e.cache()
	if j.Cached = cache != "" && j.Op == opParse; j.Cached {
		j.Options.Cache = cache
	}
	r.cmd = &exec.Cmd{Path: exe, Args: args, Env: environment(), Dir: j.Scratch, Stdin: in, Stdout: out, Stderr: errs, SysProcAttr: group()}
	return r.cmd.Start()
}

// stepBack does nothing: here a priority is a whole process's.
func stepBack(string) {}

func environment() []string {
	env := []string{mark + "=1", "LANG=C.UTF-8"}
	for _, kv := range os.Environ() { // without it nothing starts on Windows
		if name, _, _ := strings.Cut(kv, "="); strings.EqualFold(name, "SYSTEMROOT") {
			env = append(env, kv)
		}
	}
	return env
}

// awaitEnd waits until a child has ended.
func awaitEnd(cmd *exec.Cmd) { _ = cmd.Wait() }

// highWater is not known here; what was seen is.
func (r *run) highWater() int64 { return 0 }

// learn does nothing: there is one way to start a child.
func (r *run) learn(Protection) {}
