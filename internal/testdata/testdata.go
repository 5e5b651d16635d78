// Package testdata finds the folder of real documents and benchmark sets that
// some tests read. The folder is not part of the project: its files keep their
// own licences.
package testdata

import (
	"os"
	"path/filepath"
	"testing"
)

// Dir returns the folder: $POLARIS_TEST_DATA, else shared/data beside the
// checkout. Where it is absent the test is skipped, and fails under CI.
func Dir(tb testing.TB) string {
	tb.Helper()
	dir, found := Find()
	if !found {
		if os.Getenv("CI") != "" {
			tb.Fatalf("no test data in %s: set POLARIS_TEST_DATA", dir)
		}
		tb.Skipf("no test data in %s: set POLARIS_TEST_DATA to run this test", dir)
	}
	return dir
}

// Find returns where the folder is or should be, and whether it is there.
func Find() (dir string, found bool) {
	if dir = os.Getenv("POLARIS_TEST_DATA"); dir == "" {
		dir = filepath.Join(root(), "..", "shared", "data")
	}
	_, err := os.Stat(filepath.Join(dir, "MANIFEST.md"))
	return dir, err == nil
}

// root walks up from the working directory to the folder that holds go.mod.
func root() string {
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	return "."
}
