package localpg

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// diesWithUs makes the kernel send sig to a child when we die, kill -9 included.
func diesWithUs(sig syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: sig}
}

// isZombie reports whether pid has ended and only waits to be noticed.
func isZombie(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	i := bytes.LastIndexByte(b, ')') // the name in brackets may hold anything
	return err == nil && i >= 0 && bytes.HasPrefix(b[i:], []byte(") Z"))
}

// commandOf returns the command line of pid, "" if it cannot be read.
func commandOf(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return string(bytes.ReplaceAll(b, []byte{0}, []byte{' '}))
}

// folderOf returns the working folder of pid, which for a postmaster is its
// data folder; "" if it cannot be read.
func folderOf(pid int) string {
	d, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	return d
}
