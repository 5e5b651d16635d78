package index

// A nearness counts, for one passage, how often each pair of the question's
// neighbouring words stands together.
type nearness struct {
	stride int         // of beside: the terms of the query and one more
	beside []besides   // by place of a word and of a later one, see set
	words  []place     // the question's words in the passage, in order
	pairs  []pairCount // by pair plus one
}

// besides are the pairs that two terms are, each as its number plus one; 0: none.
type besides struct {
	asSaid   uint16 // the first of them is the pair's first
	reversed uint16
}

// A place is where in a passage a word of the question is.
type place struct {
	at    int32
	local uint16 // place in the query plus one
}

type pairCount struct {
	ordered, close float32
	at             int // place last counted from
}

// rerank adds to each candidate what the closeness of the question's words is
// worth, and leaves that in the accumulator; its place is by that and by how
// much of the question it has.
func (x *Index) rerank(q *Query, s *scratch, best []candidate) {
	for i := range best {
		d := best[i].doc()
		s.near.read(x.forward(d), s.local)
		s.near.count(len(q.pairs))
		words := best[i].score() + s.near.score(q, x.norm[d])
		s.acc[d] = words
		best[i] = newCandidate(d, words*(1+coverageBonus*float32(q.Coverage(s.near.matched()))))
	}
}

// forward returns the terms of a passage in order.
func (x *Index) forward(doc int32) []int32 { return x.fwd[x.fwdStart[doc]:x.fwdStart[doc+1]] }

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

// set notes which terms of the question stand beside which.
func (n *nearness) set(q *Query) {
	n.stride = len(q.terms) + 1
	if size := n.stride * n.stride; len(n.beside) < size {
		n.beside = make([]besides, size)
	}
	for i, p := range q.pairs {
		n.beside[(p.a+1)*n.stride+p.b+1].asSaid = uint16(i + 1)
		n.beside[(p.b+1)*n.stride+p.a+1].reversed = uint16(i + 1)
	}
	if len(n.pairs) < len(q.pairs)+1 {
		n.pairs = make([]pairCount, len(q.pairs)+1)
	}
}

func (n *nearness) unset(q *Query) {
	for _, p := range q.pairs {
		n.beside[(p.a+1)*n.stride+p.b+1] = besides{}
		n.beside[(p.b+1)*n.stride+p.a+1] = besides{}
	}
}

// read finds the question's words in a passage. Most of its words are none, so
// this is apart from what is done with those that are. Where the title ends,
// places leave a gap that no pair is near across.
func (n *nearness) read(fwd []int32, local []uint16) {
	if cap(n.words) < len(fwd) {
		n.words = make([]place, 2*len(fwd))
	}
	words, k, after := n.words[:cap(n.words)], 0, int32(0)
	for i, t := range fwd {
		if uint(t) >= uint(len(local)) {
			after = nearWindow
			continue
		}
		l := local[t]
		words[k] = place{int32(i) + after, l} // written over by the next, if it is none
		if l != 0 {
			k++
		}
	}
	n.words = words[:k]
}

// count looks ahead from each word of the question for the words that stand
// beside it in the question.
func (n *nearness) count(pairs int) {
	counts := n.pairs[:pairs+1]
	for i := range counts {
		counts[i] = pairCount{at: -1}
	}
	for i, w := range n.words {
		row := n.beside[int(w.local)*n.stride:][:n.stride]
		for _, v := range n.words[i+1:] {
			if v.at-w.at >= nearWindow {
				break
			}
			b := row[v.local]
			if p := &counts[b.asSaid]; b.asSaid != 0 && p.at != i {
				p.at = i
				p.close++
				if v.at == w.at+1 {
					p.ordered++
				}
			}
			if p := &counts[b.reversed]; b.reversed != 0 && p.at != i {
				p.at = i
				p.close++
			}
		}
	}
}

// score weighs the counts as BM25 weighs those of words.
func (n *nearness) score(q *Query, norm float32) (sum float32) {
	for i, p := range q.pairs {
		o, u := n.pairs[i+1].ordered, n.pairs[i+1].close
		if u == 0 {
			continue
		}
		idf := (q.terms[p.a].idf + q.terms[p.b].idf) / 2
		sum += idf * (k1 + 1) * (wOrdered*o/(o+norm) + wNear*u/(u+norm))
	}
	return sum
}

// matched returns the terms of the question that are in the passage.
func (n *nearness) matched() (m Matched) {
	for _, w := range n.words {
		m[(w.local-1)/64] |= 1 << ((w.local - 1) % 64)
	}
	return m
}

// together returns the share of the question's pairs of neighbouring words that
// stand near each other in the passage, 0 to 1, each weighing what its words
// count. It is 1 for a question of one word, which has none.
func (n *nearness) together(q *Query) float64 {
	if q.pairTotal == 0 {
		return 1
	}
	sum := 0.0
	for i, p := range q.pairs {
		if n.pairs[i+1].close > 0 {
			sum += q.terms[p.a].telling + q.terms[p.b].telling
		}
	}
	return sum / q.pairTotal
}
