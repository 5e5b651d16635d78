package guard

import (
	"os"
	"syscall"
)

func group() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killAll does nothing: the child starts no others here, and is killed itself.
func killAll(int) {}

// killed is never known here.
func killed(*os.ProcessState, int64) (cpu, other bool) { return false, false }

// resident is not known here. Go's own limit on the child's memory is in force.
func (r *run) resident() int64 { return 0 }
