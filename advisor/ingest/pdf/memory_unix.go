//go:build unix

package pdf

import "golang.org/x/sys/unix"

// mapped reserves n bytes, of which those take memory that are touched.
func mapped(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
}

// unmap gives back what mapped reserved, whole.
func unmap(b []byte) { _ = unix.Munmap(b) }
