package pdf

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"polaris/advisor/ingest/form"
	"polaris/internal/testdata"
)

// maxMemory is what the process that reads a PDF may take, in MiB.
const maxMemory = 400

// The memory is that of a process of its own, as each file has one: this test
// starts itself.
func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the peak of a process's memory is read from /proc, which this system lacks")
	}
	if name := os.Getenv("PDF_MEMORY_OF"); name != "" {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // what the first leaves behind would add up
			if _, err := Read(data, form.Limits{}, Options{Context: t.Context(), Tesseract: "-", Cache: os.Getenv("PDF_CACHE")}); err != nil {
				t.Fatal(err)
			}
		}
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(string(status))
		return
	}
	t.Parallel()
	dir := filepath.Join(testdata.Dir(t), "files")
	cacheDir := t.TempDir()
	if err := warm(cacheDir); err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"15", "30"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMemory$")
		cmd.Env = append(os.Environ(), "PDF_MEMORY_OF="+fileOf(t, dir, n), "PDF_CACHE="+cacheDir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		_, rest, _ := strings.Cut(string(out), "VmHWM:")
		var kb int
		if _, err := fmt.Sscanf(rest, "%d kB", &kb); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d MiB at its peak", n, kb/1024)
		if kb/1024 > maxMemory {
			t.Errorf("%s: %d MiB, want at most %d", n, kb/1024, maxMemory)
		}
	}
}

// One reading leaves behind what another did: the instances, of which a long
// document takes several, are given back.
func TestNothingLeaks(t *testing.T) {
	// Not parallel: other tests' memory would be counted.
	page := lines(60, 740, 10, strings.Split(strings.Repeat("This is a line of a page with some words in it.\n", 40), "\n")...)
	data := file{pages: slicesRepeat(page, 70)}.bytes()
	o := options(t)
	var before, after runtime.MemStats
	for i := range 4 {
		if _, err := Read(data, form.Limits{}, o); err != nil {
			t.Fatal(err)
		}
		for range 3 { // what has a finalizer goes in the second round
			runtime.GC()
		}
		if i == 1 {
			runtime.ReadMemStats(&before)
		}
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("the heap grew by %d KiB over two readings", grown>>10)
	}
}

func slicesRepeat(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

func TestMemoryOnTheHeapGrows(t *testing.T) {
	t.Parallel()
	var m memory
	r := &region{memory: &m, most: 3 << 16, heap: true}
	b := r.Reallocate(1 << 16)
	b[7] = 42
	if b = r.Reallocate(3 << 16); len(b) != 3<<16 || b[7] != 42 {
		t.Errorf("%d bytes, the eighth is %d", len(b), b[7])
	}
	if r.Reallocate(4<<16) != nil {
		t.Error("more than the limit was given")
	}
	r.Free()
}
