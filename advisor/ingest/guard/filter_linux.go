package guard

import (
	"os"
	"slices"
	"syscall"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// calls are the system calls that reading a document takes: files that are
// open or may be opened, memory, threads, time. There is no socket among them,
// no mount, no other process, nothing that changes who or where this process
// is. Names that a processor does not have are left out there.
var calls = []string{
	"read", "write", "readv", "writev", "pread64", "pwrite64", "close", "close_range", "lseek", "fstat", "newfstatat", "stat", "lstat", "statx", "fstatfs", "statfs",
	"open", "openat", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents64", "getcwd", "chdir", "fchdir", "umask",
	"fcntl", "dup", "dup2", "dup3", "pipe", "pipe2", "poll", "ppoll", "select", "pselect6", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd2",
	"mkdir", "mkdirat", "unlink", "unlinkat", "rmdir", "rename", "renameat", "renameat2", "ftruncate", "truncate", "fsync", "fdatasync", "fallocate", "fadvise64",
	"mmap", "munmap", "mremap", "mprotect", "madvise", "mincore", "brk", "membarrier", "pkey_alloc", "pkey_free", "pkey_mprotect",
	"futex", "futex_waitv", "set_robust_list", "get_robust_list", "rseq", "set_tid_address", "gettid", "sched_yield", "sched_getaffinity", "sched_setaffinity", "sched_getparam", "sched_getscheduler", "sched_get_priority_min", "sched_get_priority_max", "getcpu", "get_mempolicy",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigtimedwait", "rt_sigsuspend", "sigaltstack", "restart_syscall", "pause", "alarm",
	"nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday", "time", "times", "setitimer", "getitimer", "timer_create", "timer_settime", "timer_delete", "timer_gettime",
	"getpid", "getppid", "getpgrp", "getpgid", "getsid", "getuid", "geteuid", "getgid", "getegid", "getgroups", "getresuid", "getresgid", "capget",
	"getrlimit", "setrlimit", "prlimit64", "getrusage", "getpriority", "sysinfo", "uname", "getrandom", "arch_prctl", "exit", "exit_group",
}

// forPrograms are those that starting an outside program takes besides.
var forPrograms = []string{"execve", "fork", "vfork", "wait4", "waitid", "pidfd_open", "prctl", "setpgid"}

// namespaces are the flags of clone that make one.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME

// notThere is the answer to calls for which the C library has another way, when
// it is told that the kernel does not know them.
const notThere = seccomp.Action(0x00050000 | uint32(syscall.ENOSYS))

// filtered has the kernel refuse all system calls but those of the list, in all
// threads and in what they start. The list is of what is allowed, so that calls
// of another processor's kind, and of kernels to come, are refused, too.
func filtered(outside, alone bool) error {
	has, err := arch.GetInfo("")
	if err != nil {
		return err
	}
	allowed := slices.Clone(calls)
	var some []seccomp.NameWithConditions
	when := func(name string, cs ...seccomp.Condition) {
		some = append(some, seccomp.NameWithConditions{Name: name, Conditions: cs})
	}
	plain := seccomp.Condition{Argument: 0, Operation: seccomp.BitsNotSet, Value: newNamespaces}
	if outside {
		allowed = append(allowed, forPrograms...)
		when("clone", plain)
	} else {
		when("clone", plain, seccomp.Condition{Argument: 0, Operation: seccomp.BitsSet, Value: unix.CLONE_THREAD})
		when("prctl", seccomp.Condition{Argument: 0, Operation: seccomp.Equal, Value: unix.PR_SET_VMA})
		when("prctl", seccomp.Condition{Argument: 0, Operation: seccomp.Equal, Value: unix.PR_SET_NAME})
		when("prctl", seccomp.Condition{Argument: 0, Operation: seccomp.Equal, Value: unix.PR_GET_NAME})
	}
	if outside && alone { // there is nobody here whom a signal could harm
		allowed = append(allowed, "kill", "tgkill", "pidfd_send_signal")
	} else {
		when("tgkill", seccomp.Condition{Argument: 0, Operation: seccomp.Equal, Value: uint64(os.Getpid())}) //nolint:gosec // never negative
	}
	allowed = slices.DeleteFunc(allowed, func(name string) bool { _, ok := has.SyscallNames[name]; return !ok })
	return seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true,
		Flag:       seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{DefaultAction: seccomp.ActionErrno, Syscalls: []seccomp.SyscallGroup{
			{Names: allowed, NamesWithCondtions: some, Action: seccomp.ActionAllow},
			{Names: []string{"clone3"}, Action: notThere},
		}},
	})
}
