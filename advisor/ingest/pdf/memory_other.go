//go:build !unix

package pdf

import "errors"

// mapped reserves nothing: the heap has to do.
func mapped(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap([]byte) {}
