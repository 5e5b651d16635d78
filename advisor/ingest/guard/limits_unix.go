//go:build unix

package guard

import "golang.org/x/sys/unix"

// limitSelf takes on the limits that the kernel keeps for a process, and for all
// that it starts. What cannot be limited is watched by the parent.
func limitSelf(j job) {
	for what, most := range map[int]int64{
		unix.RLIMIT_CORE:   0, // a core holds the document
		unix.RLIMIT_CPU:    j.CPU,
		unix.RLIMIT_DATA:   j.Data, // should the parent look away
		unix.RLIMIT_NOFILE: 256,
		unix.RLIMIT_FSIZE:  64 << 20,
	} {
		var now unix.Rlimit
		if unix.Getrlimit(what, &now) == nil {
			most := min(uint64(most), now.Max) //nolint:gosec // none is negative
			_ = unix.Setrlimit(what, &unix.Rlimit{Cur: most, Max: most})
		}
	}
}
