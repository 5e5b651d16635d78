package pdf

import (
	"fmt"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// A region is the memory of one instance, outside Go's heap: it grows without
// being copied, only pages that were touched take memory, and closing the
// instance gives them back at once.
type region struct {
	all  []byte
	used uint64
}

// reserve maps an instance's memory. A failure is a panic, as the interface
// wants it; the binding makes an error of it.
func reserve(_, limit uint64) experimental.LinearMemory {
	all, err := unix.Mmap(-1, 0, int(limit), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		panic(fmt.Errorf("mapping the memory of the PDF engine: %w", err))
	}
	return &region{all: all}
}

// Reallocate implements [experimental.LinearMemory].
func (r *region) Reallocate(size uint64) []byte {
	if size > uint64(len(r.all)) {
		return nil
	}
	r.used = max(r.used, size)
	return r.all[:r.used]
}

// Free implements [experimental.LinearMemory].
func (r *region) Free() {
	if r.all != nil {
		_ = unix.Munmap(r.all) // it was mapped by reserve, whole
		r.all = nil
	}
}
