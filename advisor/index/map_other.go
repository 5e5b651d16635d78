//go:build !unix

package index

import "os"

// A mapping is a file in memory: here, a copy of it.
type mapping struct{ bytes []byte }

func mapFile(path string) (*mapping, error) {
	b, err := os.ReadFile(path)
	return &mapping{b}, err
}

func (m *mapping) unmap() {}
