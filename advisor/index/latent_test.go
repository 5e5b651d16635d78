package index

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// vehicles are passages about two things, in words that never meet: "car" and
// "automobile" keep the same company, "apple" another.
func vehicles(n int) []Doc {
	rnd := rand.New(rand.NewPCG(3, 4))
	company := map[string][]string{
		"car": {"engine", "wheel", "brake", "driver", "road"}, "automobile": {"engine", "wheel", "brake", "driver", "road"},
		"apple": {"tree", "fruit", "orchard", "juice", "harvest"}, "pear": {"tree", "fruit", "orchard", "juice", "harvest"},
	}
	names := []string{"car", "automobile", "apple", "pear"}
	docs := make([]Doc, n)
	for i := range docs {
		name := names[i%4]
		text := name
		for range 6 {
			text += " " + company[name][rnd.IntN(5)]
		}
		docs[i] = Doc{Text: text + fmt.Sprintf(" n%dx", rnd.IntN(n/4)), English: true}
	}
	return docs
}

func TestLatentFindsCompany(t *testing.T) {
	t.Parallel()
	x := Build(vehicles(1000))
	mean := func(a, b int) float64 {
		sum, n := 0.0, 0
		for i := a; i < 400; i += 4 {
			for j := b; j < 400; j += 4 {
				if i != j {
					sum += float64(x.latent.likeness(int32(i), int32(j)))
					n++
				}
			}
		}
		return sum / float64(n) / (127 * 127)
	}
	same, other := mean(0, 1), mean(0, 2)
	if same < 0.2 || math.Abs(other) > same/5 {
		t.Errorf("car and automobile are %.2f alike, car and apple %.2f", same, other)
	}
}

// The space is the same however many processors build it, and however often.
func TestLatentIsDeterministic(t *testing.T) { //nolint:paralleltest // changes GOMAXPROCS
	docs := vehicles(1200)
	want := Build(docs).latent.vecs
	for _, procs := range []int{1, 2, 7} {
		before := runtime.GOMAXPROCS(procs)
		got := Build(docs).latent.vecs
		runtime.GOMAXPROCS(before)
		if !slices.Equal(got, want) {
			t.Errorf("%d processors: another space", procs)
		}
	}
}

func TestOrthonormal(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	const n = 500
	m := make([]float64, n*latentSize)
	for i := range m {
		m[i] = rnd.NormFloat64()
	}
	for i := range n { // one column that depends on others, one that is empty
		m[i*latentSize+9] = 2*m[i*latentSize+3] - m[i*latentSize+4]
		m[i*latentSize+20] = 0
	}
	orthonormal(m)
	g := products(m)
	for a := range latentSize {
		for c := a; c < latentSize; c++ {
			want := 0.0
			if a == c && a != 9 && a != 20 {
				want = 1
			}
			if math.Abs(g[a][c]-want) > 1e-9 {
				t.Errorf("columns %d and %d: product %g, want %g", a, c, g[a][c], want)
			}
		}
	}
}

// Passages without a word, or all alike, leave nothing undefined.
func TestLatentOfNothing(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"empty": "", "alike": "the same words again"} {
		docs := make([]Doc, leastLatent)
		for i := range docs {
			docs[i] = Doc{Text: text, English: true}
		}
		x := Build(docs)
		hits := x.Search(x.Query("same words"), 5)
		if name == "alike" && (len(hits) != 5 || hits[0].Doc != 0 || hits[4].Doc != 4) {
			t.Errorf("%s: got %v", name, hits)
		}
		if name == "empty" && len(hits) != 0 {
			t.Errorf("%s: got %v", name, hits)
		}
	}
}
