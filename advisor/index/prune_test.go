package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Leaving out what cannot be among the best changes neither the best nor a bit
// of their scores, over several windows, with many equal scores, and for
// questions of one word up to more than a window's bounds tell apart.
func TestPruningIsExact(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 7))
	text := func(n int) string {
		ws := make([]string, n)
		for i := range ws {
			ws[i] = fmt.Sprintf("w%dx", int(2000*rnd.Float64()*rnd.Float64()*rnd.Float64()*rnd.Float64()))
		}
		return strings.Join(ws, " ")
	}
	docs := make([]Doc, 3*windowSize+17)
	for i := range docs {
		docs[i] = Doc{Title: text(1), Text: text(2 + rnd.IntN(12)), English: true}
		if i%5 == 4 {
			docs[i] = docs[i-1-rnd.IntN(4)] // equal scores, near and far
		}
		if i > windowSize && i%7 == 0 {
			docs[i] = docs[i-windowSize]
		}
	}
	x := Build(docs)
	s := newScratch(x)
	left := 0
	for i := range 400 {
		q := x.Query(text(1 + i%25))
		k := []int{1, 10, 100, 300}[i%4]
		want := slices.Clone(greatest(x.exhaustive(q, s, k), k))
		got := slices.Clone(greatest(x.pruned(q, s, k), k))
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("question %d, %d best: got %v, want %v", i, k, got, want)
		}
		if len(got) == k {
			left++
		}
		if j := slices.IndexFunc(s.acc, func(f float32) bool { return f != 0 }); j >= 0 || len(s.touched) > 0 {
			t.Fatalf("question %d left a score at passage %d", i, j)
		}
	}
	if left < 200 {
		t.Errorf("only %d questions had more passages than were asked for", left)
	}
}
