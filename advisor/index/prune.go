package index

import (
	"cmp"
	"slices"
)

const (
	prunedFrom = 50_000  // passages from which on a search leaves out what cannot be among the best
	windowSize = 1 << 14 // passages looked at in one go: their scores fit a processor's cache
	slack      = 1.0001  // a bound is this much more than it adds up to: sums in another order round otherwise
)

// A cursor is one term of a question on its way through its postings.
type cursor struct {
	docs   []int32 // those from the window's beginning on
	vals   []float32
	in     int // how many of them are in the window
	weight float32
	most   float32 // that the term can add to a score
	upTo   float32 // that it and all cursors before it can
}

// pruned returns the k best passages and some more, in no order, as best does.
// It goes through the passages window by window. Once k are found, terms that
// even together cannot lift a passage above the least of them find no passages
// of their own (MaxScore, of Turtle and Flood): they are looked up for those
// that the others find. What is left is added up in the order of the question,
// so that every score is that of best to the bit.
func (x *Index) pruned(q *Query, s *scratch, k int) []candidate {
	asked := x.cursors(q)
	lists := make([]*cursor, len(asked))
	for i := range asked {
		lists[i] = &asked[i]
	}
	slices.SortStableFunc(lists, func(a, b *cursor) int { return cmp.Compare(a.most, b.most) })
	sum := float32(0)
	for _, c := range lists {
		sum += c.most
		c.upTo = sum * slack
	}
	best, least, passive := s.best[:0], candidate(0), 0
	for start := 0; start < x.n; start += windowSize {
		for _, c := range lists {
			c.in = before32(c.docs, int32(min(start+windowSize, x.n)))
		}
		for passive < len(lists) && lists[passive].upTo < least.score() {
			passive++
		}
		if passive == len(lists) {
			break
		}
		for _, c := range lists[passive:] {
			s.addNoting(c.docs[:c.in], c.vals[:c.in], c.weight)
		}
		for _, d := range s.touched {
			found := s.acc[d]
			s.acc[d] = 0
			if !reaches(lists[:passive], d, found, least.score()) {
				continue
			}
			if c := newCandidate(d, exact(asked, d)); c > least {
				best = append(best, c)
			}
			if len(best) == 2*k {
				best = greatest(best, k)
				least = slices.Min(best)
			}
		}
		s.touched = s.touched[:0]
		if len(best) > k {
			best = greatest(best, k)
			least = slices.Min(best)
		}
		for _, c := range lists {
			c.docs, c.vals, c.in = c.docs[c.in:], c.vals[c.in:], 0
		}
	}
	s.best = best
	return best
}

// cursors returns one for each term of the question that some passage has, in
// the order of the question.
func (x *Index) cursors(q *Query) []cursor {
	out := make([]cursor, 0, len(q.terms))
	for _, t := range q.terms {
		if t.id < 0 {
			continue
		}
		lo, hi := x.postStart[t.id], x.postStart[t.id+1]
		out = append(out, cursor{docs: x.postDoc[lo:hi], vals: x.postVal[lo:hi], weight: t.weight, most: t.weight * x.termMost[t.id]})
	}
	return out
}

// reaches reports whether a passage, of which the score without these terms is
// known, may reach floor with them.
func reaches(passive []*cursor, d int32, score, floor float32) bool {
	for i := len(passive) - 1; i >= 0; i-- {
		if (score+passive[i].upTo)*slack < floor {
			return false
		}
		score += passive[i].of(d)
	}
	return score*slack >= floor
}

// exact adds up a passage's score as exhaustive search does.
func exact(asked []cursor, d int32) (score float32) {
	for i := range asked {
		score += asked[i].of(d)
	}
	return score
}

// of returns what the term adds to a passage of the window.
func (c *cursor) of(d int32) float32 {
	docs := c.docs[:c.in]
	if i := before32(docs, d); i < len(docs) && docs[i] == d {
		return float32(c.weight * c.vals[i])
	}
	return 0
}

// before32 returns how many of docs, which are in order, are below d. It looks
// in steps that double, since those of one window are at the front.
func before32(docs []int32, d int32) int {
	lo, step := 0, 1
	for lo+step <= len(docs) && docs[lo+step-1] < d {
		lo += step
		step *= 2
	}
	hi := min(lo+step, len(docs))
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); docs[mid] < d {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
