package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestParityNamesTests holds PARITY.md to tests that exist.
func TestParityNamesTests(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../PARITY.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([a-z/]+)\\.((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 40 {
		t.Errorf("only %d tests are named", len(named))
	}
	for _, n := range named {
		files, err := filepath.Glob(filepath.Join("..", "..", n[1], "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		def, found := regexp.MustCompile(`(?m)^func `+n[2]+`\(`), false
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			found = found || def.Match(b)
		}
		if !found {
			t.Errorf("there is no %s in %s", n[2], n[1])
		}
	}
}
