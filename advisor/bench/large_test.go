package bench

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"polaris/advisor/index"
	"polaris/internal/testdata"
)

// The bars of a large brain.
const (
	largePassages = 1_000_000
	largeP50      = 8 * time.Millisecond
	largeLoad     = 2 * time.Second
	largeMemory   = 1_200_000_000
)

// generated makes n passages whose words come as often, and whose lengths are as
// often, as those of a set.
func generated(set *Set, n int) []index.Doc {
	var words []string
	var lengths []int
	for _, d := range set.Docs {
		ws := strings.Fields(d.Text)
		words = append(words, ws...)
		lengths = append(lengths, len(ws))
	}
	rnd := rand.New(rand.NewPCG(11, 12))
	docs := make([]index.Doc, n)
	var b strings.Builder
	for i := range docs {
		b.Reset()
		for range lengths[rnd.IntN(len(lengths))] {
			b.WriteString(words[rnd.IntN(len(words))])
			b.WriteByte(' ')
		}
		docs[i] = index.Doc{Text: b.String(), English: true}
	}
	return docs
}

// A brain of a million passages is searched, held and loaded within its bars
// where POLARIS_TEST_LONG is set; a number there above 1 is how many passages to
// generate instead. Elsewhere it has as few as are just searched by the same
// means, and what that takes is told and not judged.
func TestLargeBrain(t *testing.T) {
	long := os.Getenv("POLARIS_TEST_LONG")
	n := largePassages
	if long == "" {
		n = 50_001
	}
	if m, err := strconv.Atoi(long); err == nil && m > 1 {
		n = m
	}
	set, err := Load(filepath.Join(testdata.Dir(t), "bench", "obliqa"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "large.index")
	key := saved(t, set, n, path)
	runtime.GC()
	before := heap()
	start := time.Now()
	x, err := index.Load(path, key)
	load := time.Since(start)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	own := heap() - before
	file, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	var took []time.Duration
	for _, q := range set.Queries[:min(300, len(set.Queries))] {
		least := time.Hour // of three: what else the machine does is no part of it
		for range 3 {
			start := time.Now()
			if len(x.Search(x.Query(q.Text), 10)) == 0 {
				t.Errorf("nothing found for %q", q.Text)
			}
			least = min(least, time.Since(start))
		}
		took = append(took, least)
	}
	slices.Sort(took)
	p50, p99 := took[len(took)/2], took[len(took)*99/100]
	memory := own + file.Size()
	t.Logf("%d passages, %d questions: p50 %v, p99 %v; heap %d MB and file %d MB; load %v", n, len(took), p50, p99, own/1e6, file.Size()/1e6, load)
	if long != "" && (p50 > largeP50 || load > largeLoad || memory > largeMemory) {
		t.Errorf("p50 %v, load %v, memory %d MB; want at most %v, %v, %d MB", p50, load, memory/1e6, largeP50, largeLoad, largeMemory/1_000_000)
	}
}

// saved builds an index of n generated passages in a file, and lets go of the
// rest.
func saved(t *testing.T, set *Set, n int, path string) index.Key {
	t.Helper()
	docs := generated(set, n)
	start := time.Now()
	key := index.KeyOf(docs)
	t.Log("key", time.Since(start))
	start = time.Now()
	x := index.Build(docs)
	t.Log("build", time.Since(start))
	start = time.Now()
	if err := x.Save(path, key); err != nil {
		t.Fatal(fmt.Errorf("save: %w", err))
	}
	t.Log("save", time.Since(start))
	return key
}

func heap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
