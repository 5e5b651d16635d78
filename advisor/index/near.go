package index

// A nearness counts, for one passage, how often each pair of the question's
// neighbouring words stands together.
type nearness struct {
	partners       [][]partner // by term of the query: the pairs it is in
	ordered, close []float32   // by pair
	at             []int       // by pair: the position last counted from
}

type partner struct {
	other int
	pair  int
	first bool // the term is the pair's first word
}

// rerank adds to each hit what the closeness of the question's words is worth.
func (x *Index) rerank(q *Query, s *scratch, hits []Hit) {
	if len(q.pairs) == 0 {
		return
	}
	s.mark(q)
	s.near.reset(q)
	for i := range hits {
		d := hits[i].Doc
		s.near.count(x.fwd[x.fwdStart[d]:x.fwdStart[d+1]], s.local, len(q.pairs))
		hits[i].Score += s.near.score(q, x.norm[d])
	}
	s.unmark(q)
}

// mark notes the place in the query of each of its terms.
func (s *scratch) mark(q *Query) {
	for i, t := range q.terms {
		if t.id >= 0 {
			s.local[t.id] = uint16(i + 1)
		}
	}
}

func (s *scratch) unmark(q *Query) {
	for _, t := range q.terms {
		if t.id >= 0 {
			s.local[t.id] = 0
		}
	}
}

func (n *nearness) reset(q *Query) {
	for len(n.partners) < len(q.terms) {
		n.partners = append(n.partners, nil)
	}
	for i := range n.partners {
		n.partners[i] = n.partners[i][:0]
	}
	for i, p := range q.pairs {
		n.partners[p.a] = append(n.partners[p.a], partner{p.b, i, true})
		n.partners[p.b] = append(n.partners[p.b], partner{p.a, i, false})
	}
	for len(n.at) < len(q.pairs) {
		n.ordered, n.close, n.at = append(n.ordered, 0), append(n.close, 0), append(n.at, 0)
	}
}

// count walks a passage once; from each word of the question it looks ahead
// for the words that stand beside it in the question.
func (n *nearness) count(fwd []int32, local []uint16, pairs int) {
	for i := range pairs {
		n.ordered[i], n.close[i], n.at[i] = 0, 0, -1
	}
	for i, t := range fwd {
		if t == gap || local[t] == 0 {
			continue
		}
		partners := n.partners[local[t]-1]
		for j := i + 1; len(partners) > 0 && j < min(i+nearWindow, len(fwd)); j++ {
			u := fwd[j]
			if u == gap {
				break
			}
			if local[u] == 0 {
				continue
			}
			for _, p := range partners {
				if p.other != int(local[u]-1) || n.at[p.pair] == i {
					continue
				}
				n.at[p.pair] = i
				n.close[p.pair]++
				if p.first && j == i+1 {
					n.ordered[p.pair]++
				}
			}
		}
	}
}

// score weighs the counts as BM25 weighs those of words.
func (n *nearness) score(q *Query, norm float32) (sum float32) {
	for i, p := range q.pairs {
		idf := (q.terms[p.a].idf + q.terms[p.b].idf) / 2
		o, u := n.ordered[i], n.close[i]
		sum += idf * (k1 + 1) * (wOrdered*o/(o+norm) + wNear*u/(u+norm))
	}
	return sum
}

// Together returns the share of the question's pairs of neighbouring words that
// stand near each other in passage doc, 0 to 1, each weighing what its words
// count. It is 1 for a question of one word, which has
// none.
func (x *Index) Together(q *Query, doc int32) float64 {
	if q.pairTotal == 0 {
		return 1
	}
	s := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	s.mark(q)
	s.near.reset(q)
	s.near.count(x.fwd[x.fwdStart[doc]:x.fwdStart[doc+1]], s.local, len(q.pairs))
	s.unmark(q)
	sum := 0.0
	for i, p := range q.pairs {
		if s.near.close[i] > 0 {
			sum += q.terms[p.a].telling + q.terms[p.b].telling
		}
	}
	return sum / q.pairTotal
}
