package main

import (
	"fmt"
	"os"
)

// machineMemory returns how many bytes of memory the machine has, or 16 GiB
// where it does not say.
func machineMemory() int64 {
	f, err := os.Open("/proc/meminfo")
	if err == nil {
		defer f.Close()
		var kib int64
		if _, err = fmt.Fscanf(f, "MemTotal: %d kB", &kib); err == nil && kib > 0 {
			return kib << 10
		}
	}
	return 16 << 30
}
