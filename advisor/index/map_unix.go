//go:build unix

package index

import (
	"os"
	"syscall"
)

// A mapping is a file in memory.
type mapping struct{ bytes []byte }

// mapFile maps a file. The file may lose its name meanwhile.
func mapFile(path string) (*mapping, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < headSize || !info.Mode().IsRegular() {
		return nil, ErrNotIt
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return &mapping{b}, nil
}

func (m *mapping) unmap() { _ = syscall.Munmap(m.bytes) }
