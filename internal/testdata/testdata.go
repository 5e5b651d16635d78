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
	dir := os.Getenv("POLARIS_TEST_DATA")
	if dir == "" {
		dir = filepath.Join(root(tb), "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "MANIFEST.md")); err != nil {
		if os.Getenv("CI") != "" {
			tb.Fatalf("no test data in %s: set POLARIS_TEST_DATA", dir)
		}
		tb.Skipf("no test data in %s: set POLARIS_TEST_DATA to run this test", dir)
	}
	return dir
}

// root walks up to the folder that holds go.mod.
func root(tb testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	tb.Fatal("no go.mod above the working directory")
	return ""
}
