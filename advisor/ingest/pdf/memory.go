package pdf

import (
	"sync"

	"github.com/tetratelabs/wazero/experimental"
)

// A memory is what an engine works in. It lies outside Go's heap
// where the system can map it: it grows without being copied, only what was
// touched counts, and closing an instance gives its part back at once.
type memory struct {
	mu      sync.Mutex
	regions map[*region]bool
}

// A region is the memory of one instance.
type region struct {
	memory *memory
	all    []byte
	used   uint64
	most   uint64
	heap   bool // all is on Go's heap, and grows by being copied
}

// Allocate implements [experimental.MemoryAllocator]. Where so much may not be
// mapped at once, the instance makes do with the heap.
func (m *memory) Allocate(_, limit uint64) experimental.LinearMemory {
	all, err := mapped(int(limit)) //nolint:gosec // at most memoryPages
	m.mu.Lock()
	defer m.mu.Unlock()
	r := &region{memory: m, all: all, most: limit, heap: err != nil}
	if m.regions == nil {
		m.regions = map[*region]bool{}
	}
	m.regions[r] = true
	return r
}

// Reallocate implements [experimental.LinearMemory].
func (r *region) Reallocate(size uint64) []byte {
	r.memory.mu.Lock()
	defer r.memory.mu.Unlock()
	if size > r.most {
		return nil
	}
	if r.heap && size > uint64(len(r.all)) {
		r.all = append(r.all, make([]byte, size-uint64(len(r.all)))...)
	}
	r.used = max(r.used, size)
	return r.all[:r.used]
}

// Free implements [experimental.LinearMemory].
func (r *region) Free() {
	r.memory.mu.Lock()
	defer r.memory.mu.Unlock()
	if r.all != nil && !r.heap {
		unmap(r.all)
	}
	r.all, r.used = nil, 0
	delete(r.memory.regions, r)
}

// spoil ends what runs in the memory, without its doing: each pointer that it
// reads from now on leads outside of its memory, which the sandbox refuses. The
// runtime's own way to end a call costs a goroutine for each of them, and a
// page takes ten thousand.
func (m *memory) spoil() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for r := range m.regions {
		used := r.all[:r.used]
		for i := range used {
			used[i] = 0xFF
		}
	}
}
