package guard

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// A way is how a child is started: in namespaces of its own or not, and, where
// this process may choose, as a user who owns nothing.
type way struct{ apart, another bool }

// ways are the ways to start a child, the best one first. A kernel, or what
// this process runs in, may refuse the better ones.
func (e *Extractor) ways() []way {
	var ws []way
	for _, w := range []way{{true, true}, {true, false}, {false, true}, {false, false}} {
		if w.apart && e.lack.namespaces || w.another && (e.own || os.Geteuid() != 0) {
			continue
		}
		ws = append(ws, w)
	}
	return ws
}

// bestWay is where the search begins: what was refused once is refused again.
var bestWay atomic.Int32

// nobody is the user that a child of root's becomes.
const nobody = childUser

// startApart starts the child in the best way that works.
func (r *run) startApart(j *job, in, out, errs *os.File) (err error) {
	ws := r.e.ways()
	first := int(bestWay.Load())
	if r.e.lack.namespaces || first >= len(ws) {
		first = 0
	}
	for i := first; i < len(ws); i++ {
		if err = r.startIn(ws[i], j, in, out, errs); err == nil {
			if !r.e.lack.namespaces {
				bestWay.Store(int32(i)) //nolint:gosec // below four
			}
			return nil
		}
		for _, passing := range []error{unix.EAGAIN, unix.ENOMEM, unix.EMFILE, unix.ENFILE} {
			if errors.Is(err, passing) {
				return err
			}
		}
		r.e.log().Debug("a child cannot be started so", "apart", ws[i].apart, "another_user", ws[i].another, "error", err)
	}
	return err
}

// learn looks at what the way that the child was started in came to. Namespaces
// in which nothing can be mounted hide no file, and Landlock, which does, needs
// a child outside of them.
func (r *run) learn(p Protection) {
	if p.Network == "network namespace" && p.Files == "" && r.e.lack == (lack{}) && landlockABI(&job{}) > 0 {
		bestWay.Store(int32(len(r.e.ways()) / 2)) //nolint:gosec // two
	}
}

// startIn starts the child in one way.
func (r *run) startIn(w way, j *job, in, out, errs *os.File) error {
	exe, args, err := r.e.program()
	if err != nil {
		return err
	}
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	j.Apart, j.Second = w.apart, w.apart && w.another
	if w.apart {
		attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	if w.another {
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		if err := errors.Join(os.Chown(j.Scratch, nobody, nobody), os.Chmod(j.Scratch, 0o711)); err != nil { //nolint:gosec // it is empty
			return err
		}
	}
	if j.Second {
		// It is root, without root's rights, until it has made its root folder: the
		// cache may lie where others cannot go.
		ids := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}, {ContainerID: 1, HostID: nobody, Size: 1}}
		attr.UidMappings, attr.GidMappings, attr.GidMappingsEnableSetgroups = ids, ids, true
		attr.Credential = &syscall.Credential{}
	}
	cmd := &exec.Cmd{Path: exe, Args: args, Env: environment(), Dir: j.Scratch, Stdin: in, Stdout: out, Stderr: errs, SysProcAttr: attr}
	cache := r.e.cache()
	if j.Cached = cache != "" && j.Op == opParse; j.Cached {
		dir, err := os.Open(cache)
		if err != nil {
			return err
		}
		defer dir.Close()
		cmd.ExtraFiles = []*os.File{dir}
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r.cmd = cmd
	// It goes first when the machine's memory ends.
	_ = os.WriteFile(proc(cmd.Process.Pid, "oom_score_adj"), []byte("1000"), 0)
	return nil
}

// stepBack makes this thread, and whoever it starts, yield to everybody else:
// by its priority, and by short turns, at the end of which another's is looked
// for. The thread that waits for the child yields too, because the kernel has it
// wait in a loop for what the child's last thread may not find time to do.
func stepBack(op string) {
	a := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH, Nice: 10, Runtime: 300_000} // ns
	if op == opWarm {                                                                                     // nobody waits for it yet
		a.Nice = 19
	}
	if unix.SchedSetAttr(0, &a, 0) != nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, int(a.Nice)) // of this thread, on Linux
	}
}

// environment is all that a child is told by it. Which programs it may start it
// decides when it knows how it is shut away.
func environment() []string {
	return []string{mark + "=1", "LANG=C.UTF-8", "HOME=/", "OMP_THREAD_LIMIT=1"}
}

// killAll kills a child's group. Where it has a process namespace all of that
// dies with it.
func killAll(pid int) { _ = unix.Kill(-pid, unix.SIGKILL) }

// awaitEnd waits until a child has ended, and leaves it to be waited for.
func awaitEnd(cmd *exec.Cmd) {
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

func proc(pid int, file string) string { return fmt.Sprintf("/proc/%d/%s", pid, file) }

// resident returns how much memory the child has now, and what it started.
//
// What its threads have started is looked for only where it may start anything:
// names below /proc that nobody looked up cost the kernel nothing when the child
// ends, and those of threads cost it more than to read a small document, at the
// priority of whoever waits for the end.
func (r *run) resident() int64 {
	n := residentOf(r.cmd.Process.Pid)
	if r.alone {
		return n
	}
	for _, d := range descendants(r.cmd.Process.Pid, 0) {
		n += residentOf(d)
	}
	return n
}

var pageSize = int64(os.Getpagesize())

func residentOf(pid int) int64 {
	b := readSome(proc(pid, "statm"))
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * pageSize
}

// descendants returns what a process has started, and what that has.
func descendants(pid, depth int) []int {
	tasks, err := os.ReadDir(proc(pid, "task"))
	if err != nil || depth > 8 {
		return nil
	}
	var all []int
	for _, t := range tasks {
		b := readSome(filepath.Join(proc(pid, "task"), t.Name(), "children"))
		for f := range strings.FieldsSeq(string(b)) {
			if child, err := strconv.Atoi(f); err == nil && len(all) < 1000 {
				all = append(append(all, child), descendants(child, depth+1)...)
			}
		}
	}
	return all
}

// highWater returns the most memory that the child itself had at any time.
func (r *run) highWater() int64 {
	_, after, found := strings.Cut(string(readSome(proc(r.cmd.Process.Pid, "status"))), "VmHWM:")
	if fields := strings.Fields(after); found && len(fields) > 0 {
		if kb, err := strconv.ParseInt(fields[0], 10, 64); err == nil {
			return kb << 10
		}
	}
	return 0
}

// readSome reads the beginning of a file of /proc, or nothing.
func readSome(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 16<<10))
	return b
}
