package research

import (
	"os"
	"strings"
	"testing"
)

// TestClassify holds the rules against questions that were written before them.
func TestClassify(t *testing.T) {
	t.Parallel()
	set, err := os.ReadFile("testdata/depth.tsv")
	if err != nil {
		t.Fatal(err)
	}
	right, n := 0, 0
	for line := range strings.Lines(string(set)) {
		want, q, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			t.Fatalf("%q", line)
		}
		n++
		if got := Classify(q); string(got) == want {
			right++
		} else {
			t.Logf("%s instead of %s: %s", got, want, q)
		}
	}
	t.Logf("%d of %d right", right, n)
	if n != 120 || right < 108 {
		t.Errorf("%d of %d right, want 108 of 120", right, n)
	}
}
