//go:build !linux

package localpg

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// diesWithUs has no equivalent here: a supervisor that is killed leaves
// PostgreSQL running until the next one finds it and ends it.
func diesWithUs(syscall.Signal) *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

func ps(pid int, column string) string {
	b, _ := exec.Command("ps", "-ww", "-o", column+"=", "-p", strconv.Itoa(pid)).Output()
	return strings.TrimSpace(string(b))
}

// isZombie reports whether pid has ended and only waits to be noticed.
func isZombie(pid int) bool { return strings.HasPrefix(ps(pid, "stat"), "Z") }

// commandOf returns the command line of pid, "" if it cannot be read.
func commandOf(pid int) string { return ps(pid, "command") }

// folderOf is not to be had from ps.
func folderOf(int) string { return "" }
