package index

import (
	"cmp"
	"slices"
)

// A Hit is a passage and its score, which compares only within one search.
type Hit struct {
	Doc   int32
	Score float32
}

// A scratch is what one search writes to, kept from search to search: it is as
// large as the index, and is left zeroed.
type scratch struct {
	acc     []float32 // by passage
	touched []int32
	local   []uint16 // by term: place in the query plus one
	heap    []Hit
	near    nearness
}

func newScratch(x *Index) *scratch {
	return &scratch{acc: make([]float32, x.n), local: make([]uint16, len(x.idf))}
}

// Search returns the k best passages for q, best first; equal scores are in
// the order of the passages.
func (x *Index) Search(q *Query, k int) []Hit {
	s := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	x.accumulate(q, s)
	hits := s.top(max(k, rerankDepth))
	slices.SortFunc(hits, byScore)
	x.rerank(q, s, hits[:min(len(hits), rerankDepth)])
	slices.SortFunc(hits, byScore)
	return slices.Clone(hits[:min(k, len(hits))])
}

// accumulate adds up every term's share in every passage.
func (x *Index) accumulate(q *Query, s *scratch) {
	for _, t := range q.terms {
		if t.id < 0 {
			continue
		}
		lo, hi := x.postStart[t.id], x.postStart[t.id+1]
		docs, vals := x.postDoc[lo:hi], x.postVal[lo:hi]
		vals = vals[:len(docs)]
		for i, d := range docs {
			if s.acc[d] == 0 {
				s.touched = append(s.touched, d)
			}
			s.acc[d] += t.weight * vals[i]
		}
	}
}

// top takes the k best out of the accumulators, in no order, and zeroes them.
func (s *scratch) top(k int) []Hit {
	h := s.heap[:0]
	for _, d := range s.touched {
		c := Hit{d, s.acc[d]}
		s.acc[d] = 0
		switch {
		case len(h) < k:
			h = append(h, c)
			up(h)
		case byScore(c, h[0]) < 0:
			h[0] = c
			down(h)
		}
	}
	s.touched = s.touched[:0]
	s.heap = h
	return h
}

// byScore orders the better hit first.
func byScore(a, b Hit) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	return cmp.Compare(a.Doc, b.Doc)
}

// up and down keep the worst hit at h[0].
func up(h []Hit) {
	for i := len(h) - 1; i > 0; {
		p := (i - 1) / 2
		if byScore(h[i], h[p]) <= 0 {
			return
		}
		h[i], h[p] = h[p], h[i]
		i = p
	}
}

func down(h []Hit) {
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && byScore(h[c+1], h[c]) > 0 {
			c++
		}
		if byScore(h[c], h[i]) <= 0 {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}
