package localpg

import (
	"io"
	"os"
)

// How large a log file may be before its content moves to a second file, which
// is overwritten: at a start, and while PostgreSQL runs.
const (
	startLogLimit   = 1 << 20
	runningLogLimit = 16 << 20
)

// rotate moves what is in a log file that is too large to name.1. The file
// itself stays, emptied, since PostgreSQL goes on appending to it; a line
// written at that very moment may be lost.
func rotate(name string, limit int64) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || st.Size() <= limit {
		return
	}
	old, err := os.OpenFile(name+".1", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return
	}
	defer old.Close()
	// Even if the copy fails, for want of space most likely, the log must not grow on.
	_, _ = io.Copy(old, f)
	_ = f.Truncate(0)
}
