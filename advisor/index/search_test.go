package index

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The search finds what adding up and sorting everything finds, whichever way
// it takes: questions of rare words note the passages they meet, those of
// common ones look at all of them.
func TestSearchIsExact(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprintf("w%dx", int(300*rnd.Float64()*rnd.Float64()*rnd.Float64())) }
	text := func(n int) string {
		var ws []string
		for range n {
			ws = append(ws, word())
		}
		return strings.Join(ws, " ")
	}
	for _, size := range []int{3, leastLatent - 1, 1500} {
		docs := make([]Doc, size)
		for i := range docs {
			docs[i] = Doc{Title: text(2), Text: text(5 + rnd.IntN(40)), English: true}
		}
		x := Build(docs)
		if on := x.latent != nil; on != (size >= leastLatent) {
			t.Errorf("%d passages: latent space %v", size, on)
		}
		for i := range 100 {
			q := x.Query(text(1 + i%12))
			k := []int{1, 5, 20, 150}[i%4]
			if got, want := x.Search(q, k), naive(x, q, k); !slices.Equal(got, want) {
				t.Fatalf("%d passages, query %d, %d best:\n got %v\nwant %v", size, i, k, got, want)
			}
		}
	}
}

// naive is the ranking as its description says it.
func naive(x *Index, q *Query, k int) []Hit {
	var hits []Hit
	for d := range int32(x.n) {
		h := Hit{Doc: d, Terms: x.MatchPassage(q, d)}
		for _, t := range q.terms {
			if t.id < 0 {
				continue
			}
			lo, hi := x.postStart[t.id], x.postStart[t.id+1]
			if i, ok := slices.BinarySearch(x.postDoc[lo:hi], d); ok {
				h.Score += t.weight * x.postVal[int(lo)+i]
			}
		}
		if h.Score > 0 {
			hits = append(hits, h)
		}
	}
	order := func(key map[int32]float32) func(a, b Hit) int {
		return func(a, b Hit) int { return cmp.Or(cmp.Compare(key[b.Doc], key[a.Doc]), cmp.Compare(a.Doc, b.Doc)) }
	}
	words := map[int32]float32{}
	for _, h := range hits {
		words[h.Doc] = h.Score
	}
	slices.SortFunc(hits, order(words))
	hits = hits[:min(len(hits), max(k, rerankDepth))]
	place := map[int32]float32{}
	for i := range hits {
		h := &hits[i]
		bonus, together := near(x, q, h.Doc)
		if h.Together = together; i < rerankDepth {
			h.Score += bonus
			place[h.Doc] = h.Score * (1 + coverageBonus*float32(q.Coverage(h.Terms)))
		}
	}
	head, tail := hits[:min(len(hits), rerankDepth)], hits[min(len(hits), rerankDepth):]
	slices.SortFunc(head, order(place))
	if x.latent != nil && len(head) > 2 {
		blended(x, head, place)
		slices.SortFunc(head, order(place))
	}
	return append(head, tail...)[:min(k, len(hits))]
}

// blended mixes the places of hits, the best first, with their likeness to it.
func blended(x *Index, hits []Hit, place map[int32]float32) {
	var like []float32
	for _, h := range hits {
		like = append(like, float32(x.latent.likeness(hits[0].Doc, h.Doc)))
	}
	most, least := slices.Max(like), slices.Min(like)
	high, low := place[hits[0].Doc], place[hits[len(hits)-1].Doc]
	if high == low || most == least {
		return
	}
	for i, h := range hits {
		place[h.Doc] = float32((1-latentShare)*((place[h.Doc]-low)/(high-low))) + float32(latentShare*((like[i]-least)/(most-least)))
	}
}

// near counts pairs by looking at every two places of the passage.
func near(x *Index, q *Query, d int32) (bonus float32, together float64) {
	fwd := x.forward(d)
	for _, p := range q.pairs {
		var ordered, close float32
		for i := range fwd {
			met := false
			for j := i + 1; j < len(fwd) && j < i+nearWindow && fwd[j] != gap && fwd[i] != gap; j++ {
				a, b := q.terms[p.a].id, q.terms[p.b].id
				if met || (fwd[i] != a || fwd[j] != b) && (fwd[i] != b || fwd[j] != a) {
					continue
				}
				met = true
				close++
				if fwd[i] == a && j == i+1 {
					ordered++
				}
			}
		}
		idf := (q.terms[p.a].idf + q.terms[p.b].idf) / 2
		bonus += idf * (k1 + 1) * (wOrdered*ordered/(ordered+x.norm[d]) + wNear*close/(close+x.norm[d]))
		if close > 0 {
			together += q.terms[p.a].telling + q.terms[p.b].telling
		}
	}
	if q.pairTotal == 0 {
		return bonus, 1
	}
	return bonus, together / q.pairTotal
}
