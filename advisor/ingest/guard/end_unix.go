//go:build unix

package guard

import (
	"os"
	"syscall"
	"time"
)

// killed reports whether a child that nobody here ended was ended by the system:
// cpu where its processor time was used up, for which the kernel kills it; else
// by whoever has the right to, the kernel that is short of memory among them.
func killed(s *os.ProcessState, seconds int64) (cpu, other bool) {
	w, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !w.Signaled() {
		return false, false
	}
	const slack = time.Second // what the kernel counts by, and a little
	cpu = w.Signal() == syscall.SIGXCPU || w.Signal() == syscall.SIGKILL && s.UserTime()+s.SystemTime() >= time.Duration(seconds)*time.Second-slack
	return cpu, !cpu && w.Signal() == syscall.SIGKILL
}
