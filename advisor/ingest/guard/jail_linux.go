package guard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// shared are the folders of this machine that outside programs need, and nobody
// keeps a secret in.
var shared = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/alternatives"}

// programs is where outside programs are looked for.
const programs = "/usr/local/bin:/usr/bin:/bin"

// cacheFD is the descriptor of the cache's folder, where there is one.
const cacheFD = 3

// closeInherited closes what this process was handed down by mistake: files that
// the parent was given open by whoever started it.
func closeInherited() {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		for fd := cacheFD + 1; fd < 1024; fd++ {
			closeUnlessOurs(fd)
		}
		return
	}
	for _, f := range open {
		if fd, err := strconv.Atoi(f.Name()); err == nil && fd > cacheFD {
			closeUnlessOurs(fd)
		}
	}
}

// closeUnlessOurs closes a descriptor that survived exec. The runtime's own
// would not.
func closeUnlessOurs(fd int) {
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
		_ = unix.Close(fd)
	}
}

// shutAway takes from this process what it does not need to read a document, in
// as many ways as this kernel has, and says which. From here on there is no way
// back.
func shutAway(j *job) Protection {
	p := Protection{User: "same"}
	lacks := func(what string, err error) {
		p.Missing = append(p.Missing, fmt.Sprintf("%s: %v", what, err))
	}
	if !j.Cached {
		_ = unix.Close(cacheFD)
	} else {
		j.Options.Cache = fmt.Sprintf("/proc/self/fd/%d", cacheFD)
	}
	abi := landlockABI(j)
	writable := j.scratch()
	switch {
	case !j.Apart:
		p.Missing = append(p.Missing, "namespaces: not allowed")
	default:
		p.Network, p.Processes = "network namespace", "process namespace"
		if err := ownRoot(j); err != nil {
			lacks("mount namespace", err)
			break
		}
		p.Files, writable = "mount namespace", "/tmp"
	}
	if os.Geteuid() == nobody {
		p.User = "another"
	}
	if j.Second {
		if err := becomeSecond(); err != nil {
			lacks("another user", err)
		} else {
			p.User = "another"
		}
	}
	// In namespaces of its own Landlock comes on top, where the kernel puts it on
	// all threads at once.
	if !j.Lack.Landlock && (p.Files == "" && !j.Apart || abi >= 8) {
		if err := landlocked(j, writable); err != nil {
			lacks("Landlock", err)
		} else {
			name := "Landlock " + strconv.Itoa(abi)
			setIfEmpty(&p.Files, name)
			if abi >= 6 {
				setIfEmpty(&p.Processes, name)
			}
		}
	}
	if p.Files != "" && canSee("/etc/passwd") {
		lacks(p.Files, errors.New("a file of this machine can be opened all the same"))
		p.Files = ""
	}
	p.Outside = p.Files != "" && !j.Inside
	j.Options.Inside = !p.Outside
	if p.Outside {
		_ = os.Setenv("PATH", programs)
	}
	_ = os.Setenv("TMPDIR", writable)
	_ = os.Chdir(writable)
	if !j.Lack.Seccomp {
		if err := filtered(p.Outside, p.Processes != ""); err != nil {
			lacks("system call filter", err)
		} else {
			p.Filter = true
			setIfEmpty(&p.Network, "system call filter")
		}
	}
	return p
}

func setIfEmpty(s *string, to string) {
	if *s == "" {
		*s = to
	}
}

func canSee(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// ownRoot gives this process a root folder in which there is nothing but a
// folder for temporary files, /dev/null, the cache to be read, and, where
// outside programs may run, what they need to.
func ownRoot(j *job) error {
	if j.Lack.Mounts {
		return errors.New("not allowed")
	}
	root := j.scratch()
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	if err := unix.Mount("tmpfs", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=64k,nr_inodes=64"); err != nil {
		return fmt.Errorf("mounting a root folder: %w", err)
	}
	tmp := filepath.Join(root, "tmp")
	if err := os.Mkdir(tmp, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", tmp, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=1777,size=64m,nr_inodes=1k"); err != nil {
		return fmt.Errorf("mounting a folder for temporary files: %w", err)
	}
	if err := bind("/dev/null", filepath.Join(root, "dev/null"), false); err != nil {
		return err
	}
	if j.Cached {
		from, err := os.Readlink(j.Options.Cache) // a descriptor of the parent's mounts cannot be bound, the place it names can
		if err == nil {
			err = bind(from, filepath.Join(root, "cache"), true)
		}
		if err != nil {
			return err
		}
	}
	if !j.Inside {
		for _, path := range shared {
			if err := show(path, root); err != nil {
				return err
			}
		}
	}
	if err := unix.Mount("", root, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, ""); err != nil {
		return fmt.Errorf("closing the root folder: %w", err)
	}
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("changing the root folder: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leaving the old root folder: %w", err)
	}
	if j.Cached {
		_ = unix.Close(cacheFD) // it is of the old root
		j.Options.Cache = "/cache"
	}
	return os.Chdir("/tmp")
}

// show makes a path of this machine visible under root, to be read.
func show(path, root string) error {
	st, err := os.Lstat(path)
	if err != nil {
		return nil //nolint:nilerr // there is none, and nobody needs it
	}
	to := filepath.Join(root, path)
	if st.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	return bind(path, to, true)
}

// bind makes a file or folder visible at another place.
func bind(from, to string, readOnly bool) error {
	st, err := os.Stat(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if st.IsDir() {
		err = os.MkdirAll(to, 0o755)
	} else {
		err = os.WriteFile(to, nil, 0o644)
	}
	if err != nil {
		return err
	}
	if err := unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("showing %s: %w", from, err)
	}
	if !readOnly {
		return nil
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	err = unix.MountSetattr(unix.AT_FDCWD, to, unix.AT_RECURSIVE, &attr)
	if errors.Is(err, unix.ENOSYS) { // before Linux 5.12; flags that are set must stay
		var fs unix.Statfs_t
		if err = unix.Statfs(to, &fs); err == nil {
			err = unix.Mount("", to, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|uintptr(fs.Flags)&(unix.MS_NOEXEC|unix.MS_NOATIME|unix.MS_RELATIME|unix.MS_NODIRATIME), "")
		}
	}
	if err != nil {
		return fmt.Errorf("showing %s to be read alone: %w", from, err)
	}
	return nil
}

// becomeSecond makes this process the user of its namespaces who has no rights
// in them. Its end stays tied to the parent's.
func becomeSecond() error {
	if err := syscall.Setgid(1); err != nil {
		return err
	}
	if err := syscall.Setuid(1); err != nil {
		return err
	}
	tied := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: with this thread the tie would go
		tied <- unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
		select {}
	}()
	return <-tied
}

// landlockABI returns which version of Landlock the kernel has; 0: none.
func landlockABI(j *job) int {
	if j.Lack.Landlock {
		return 0
	}
	v, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return v
}

// landlocked takes this process's sight of files, but for what a child needs,
// and what else Landlock knows of: TCP, signals and sockets of others.
func landlocked(j *job, writable string) error {
	if landlockABI(j) == 0 {
		return errors.New("not in this kernel, or turned off")
	}
	const look, write = ll.AccessFSReadFile | ll.AccessFSReadDir, ll.AccessFSWriteFile | ll.AccessFSMakeReg | ll.AccessFSMakeDir | ll.AccessFSRemoveFile | ll.AccessFSRemoveDir | ll.AccessFSTruncate
	rules := []landlock.Rule{
		landlock.PathAccess(look|write, writable),
		landlock.PathAccess(ll.AccessFSReadFile|ll.AccessFSWriteFile, "/dev/null"),
	}
	if j.Cached {
		rules = append(rules, landlock.PathAccess(look, j.Options.Cache))
	}
	if !j.Inside {
		for _, path := range shared {
			if st, err := os.Stat(path); err == nil && st.IsDir() {
				rules = append(rules, landlock.RODirs(path))
			} else if err == nil {
				rules = append(rules, landlock.ROFiles(path))
			}
		}
	}
	return landlock.V10.BestEffort().Restrict(rules...)
}
