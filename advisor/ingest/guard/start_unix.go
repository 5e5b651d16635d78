//go:build unix && !linux

package guard

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func group() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killAll kills a child's group.
func killAll(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// resident asks ps, which takes a while, so it is asked less often.
func (r *run) resident() int64 {
	time.Sleep(200 * time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "ps", "-o", "rss=", "-p", strconv.Itoa(r.cmd.Process.Pid)).Output()
	if err != nil {
		return 0
	}
	kb, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		return 0
	}
	return kb << 10
}
