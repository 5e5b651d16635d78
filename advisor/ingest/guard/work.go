package guard

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// workPrefix begins the names of the folders that children work in.
const workPrefix = "bb-work-"

// workFolder makes an empty folder for a child and holds it until leave is
// called, which removes it. Should this process be killed, nobody holds it any
// more, and the next one that looks removes it.
func workFolder() (dir string, leave func(), err error) {
	for range 10 {
		if dir, err = os.MkdirTemp("", workPrefix); err != nil {
			return "", nil, err
		}
		var let func()
		if let, err = hold(dir); err == nil {
			return dir, func() {
				_ = os.RemoveAll(dir) // what cannot be removed is found again
				let()
			}, nil
		}
		_ = os.RemoveAll(dir) // whoever swept was faster
	}
	return "", nil, err
}

// sweepEvery is how often folders without an owner are looked for.
const sweepEvery = time.Minute

var swept atomic.Int64 // when that was last done, in seconds

// sweepSometimes sweeps unless that was just done.
func sweepSometimes() {
	now, last := time.Now().Unix(), swept.Load()
	if now-last >= int64(sweepEvery/time.Second) && swept.CompareAndSwap(last, now) {
		sweep()
	}
}

// sweep removes the folders of this user whose owners are gone, and returns how
// many.
func sweep() (n int) {
	entries, err := os.ReadDir(os.TempDir())
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), workPrefix) && removeIfFree(filepath.Join(os.TempDir(), e.Name())) {
			n++
		}
	}
	return n
}
