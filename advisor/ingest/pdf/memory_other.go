//go:build !unix

package pdf

// mapped makes n bytes on the heap.
func mapped(n int) ([]byte, error) { return make([]byte, n), nil }

// unmap leaves them to the collector.
func unmap([]byte) {}
