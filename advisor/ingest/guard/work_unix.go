//go:build unix

package guard

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// hold locks a folder. The kernel lets go of the lock when the process ends,
// however it ends; children do not inherit it.
func hold(dir string) (let func(), err error) {
	f, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	there, err := os.Lstat(dir)
	mine, merr := f.Stat()
	if err = errors.Join(err, merr); err == nil && !os.SameFile(there, mine) {
		err = os.ErrNotExist
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// lockFolder opens a folder, and no link to one, and locks it if nobody has.
func lockFolder(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), dir)
	if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// removeIfFree removes a folder that this user's processes made and none holds.
func removeIfFree(dir string) bool {
	f, err := lockFolder(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	var st unix.Stat_t
	if unix.Fstat(int(f.Fd()), &st) != nil || int(st.Uid) != os.Geteuid() && (os.Geteuid() != 0 || st.Uid != childUser) {
		return false
	}
	return os.RemoveAll(dir) == nil
}
