package index

import (
	"math"
	"runtime/debug"
	"slices"
)

// A Hit is a passage and what was found in it. Scores compare only within one
// search, and are not in the order of the hits, which more than words decide.
type Hit struct {
	Doc      int32
	Score    float32 // by its words and how closely they stand together
	Terms    Matched // the question's terms that it has, its title included
	Together float64 // see Index.together
}

// A candidate is a passage that may become a hit, as one number: the greater,
// the better. Its upper half is the score, whose bits are in the order of the
// scores since none is below zero; of equal scores the first passage is better.
type candidate uint64

func newCandidate(doc int32, score float32) candidate {
	return candidate(math.Float32bits(score))<<32 | candidate(^uint32(doc))
}

func (c candidate) doc() int32     { return int32(^uint32(c)) }
func (c candidate) score() float32 { return math.Float32frombits(uint32(c >> 32)) }

// A scratch is what one search writes to, kept from search to search: it is as
// large as the index, and is left zeroed.
type scratch struct {
	acc     []float32 // by passage
	touched []int32   // passages with a score, where they are few
	local   []uint16  // by term: place in the query plus one
	best    []candidate
	near    nearness
}

func newScratch(x *Index) *scratch {
	return &scratch{acc: make([]float32, x.n), local: make([]uint16, len(x.idf))}
}

// Search returns the k best passages for q, best first; equals are in the order
// of the passages.
func (x *Index) Search(q *Query, k int) []Hit {
	if x.file != nil {
		defer x.file.guard(debug.SetPanicOnFault(true))
	}
	s := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s) // and x, with its file, is held until then
	s.mark(q)
	defer s.unmark(q)
	s.near.set(q)
	defer s.near.unset(q)
	depth := max(k, rerankDepth)
	best := greatest(x.best(q, s, depth), depth)
	head := greatest(best, rerankDepth)
	tail := best[len(head):]
	x.rerank(q, s, head)
	x.latent.blend(head)
	head = greatest(head, k)
	slices.Sort(head)
	slices.Sort(tail)
	hits := make([]Hit, 0, min(k, len(best)))
	for _, part := range [][]candidate{head, tail} {
		for i := len(part) - 1; i >= 0 && len(hits) < k; i-- {
			hits = append(hits, x.hit(q, s, part[i]))
		}
	}
	for _, c := range best {
		s.acc[c.doc()] = 0
	}
	return hits
}

// hit says what was found in a candidate. What it scored by its words alone is
// in the accumulator if its place was decided by more, and else its score.
func (x *Index) hit(q *Query, s *scratch, c candidate) Hit {
	s.near.read(x.forward(c.doc()), s.local)
	s.near.count(len(q.pairs))
	h := Hit{c.doc(), c.score(), s.near.matched(), s.near.together(q)}
	if words := s.acc[c.doc()]; words > 0 {
		h.Score = words
	}
	return h
}

// best adds up every term's share in every passage, and returns the k best and
// some more, in no order.
func (x *Index) best(q *Query, s *scratch, k int) []candidate {
	if x.n >= prunedFrom {
		return x.pruned(q, s, k)
	}
	return x.exhaustive(q, s, k)
}

// exhaustive is best without leaving anything out. Where the question's words
// are common it is quicker to look at every passage afterwards than to note at
// each step which have a score now.
func (x *Index) exhaustive(q *Query, s *scratch, k int) []candidate {
	postings := 0
	for _, t := range q.terms {
		if t.id >= 0 {
			postings += int(x.postStart[t.id+1] - x.postStart[t.id])
		}
	}
	few := postings < x.n/4
	for _, t := range q.terms {
		if t.id < 0 {
			continue
		}
		lo, hi := x.postStart[t.id], x.postStart[t.id+1]
		if few {
			s.addNoting(x.postDoc[lo:hi], x.postVal[lo:hi], t.weight)
		} else {
			s.add(x.postDoc[lo:hi], x.postVal[lo:hi], t.weight)
		}
	}
	if few {
		return s.topNoted()
	}
	return s.top(k)
}

func (s *scratch) add(docs []int32, vals []float32, weight float32) {
	acc, vals := s.acc, vals[:len(docs)]
	for i, d := range docs {
		acc[d] += float32(weight * vals[i]) // rounded: every machine adds alike
	}
}

// addNoting also notes the passages that have a score now.
func (s *scratch) addNoting(docs []int32, vals []float32, weight float32) {
	acc, vals := s.acc, vals[:len(docs)]
	for i, d := range docs {
		if acc[d] == 0 {
			s.touched = append(s.touched, d)
		}
		acc[d] += float32(weight * vals[i]) // rounded: every machine adds alike
	}
}

// top takes the k best and some more out of the accumulators and zeroes them.
func (s *scratch) top(k int) []candidate {
	best := s.best[:0]
	floor := float32(0) // passages come in order: an equal score is not better
	for d, score := range s.acc {
		if score <= floor {
			continue
		}
		if best = append(best, newCandidate(int32(d), score)); len(best) == 4*k {
			best = greatest(best, k)
			floor = slices.Min(best).score()
		}
	}
	clear(s.acc)
	s.best = best
	return best
}

// topNoted is top over the noted passages.
func (s *scratch) topNoted() []candidate {
	best := s.best[:0]
	for _, d := range s.touched {
		best = append(best, newCandidate(d, s.acc[d]))
		s.acc[d] = 0
	}
	s.touched = s.touched[:0]
	s.best = best
	return best
}

// greatest moves the k greatest of cs to its front, in no order, and returns
// them.
func greatest(cs []candidate, k int) []candidate {
	k = max(0, k)
	for lo, hi := 0, len(cs); hi > k && lo < k; {
		pivot := middle(cs[lo], cs[lo+(hi-lo)/2], cs[hi-1])
		i, j := lo, hi-1
		for i <= j {
			for cs[i] > pivot {
				i++
			}
			for cs[j] < pivot {
				j--
			}
			if i <= j {
				cs[i], cs[j] = cs[j], cs[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j + 1
		case k >= i:
			lo = i
		default:
			return cs[:k]
		}
	}
	return cs[:min(k, len(cs))]
}

func middle(a, b, c candidate) candidate {
	return max(min(a, b), min(max(a, b), c))
}
