package index

import (
	"cmp"
	"slices"
)

// What the closeness of the question's words is worth is costly to find: the
// words of a passage have to be read. But from a few bits it is known which
// words of the question a passage lacks, and so how much it can be worth at
// most. Candidates are read in the order of what they may come to, and once
// that is less than what the k best have, the rest need not be.

// signed is the number of words of a signature.
const signed = 6

// A signature says which terms may be in a passage, and which may be there more
// than once: the bits of those that are, are set; others may be.
type signature [signed]uint64

// Of a signature's words the first are of the terms, the last of those that are
// there more than once.
const (
	onceWords = 4
	moreWords = signed - onceWords
)

func (g *signature) add(t int32, times int32) {
	g[t>>6%onceWords] |= 1 << (t & 63)
	if times > 1 {
		g[onceWords+t>>6%moreWords] |= 1 << (t & 63)
	}
}

// in reports whether t may be in the passage, and whether more than once.
func (g *signature) in(t int32) (once, more bool) {
	return g[t>>6%onceWords]&(1<<(t&63)) != 0, g[onceWords+t>>6%moreWords]&(1<<(t&63)) != 0
}

// sign makes the signatures of all passages.
func (x *Index) sign() {
	x.signs = make([]signature, x.n)
	times := make([]int32, len(x.idf))
	for d := range x.signs {
		fwd := x.forward(int32(d))
		for _, t := range fwd {
			if t >= 0 {
				times[t]++
				x.signs[d].add(t, times[t])
			}
		}
		for _, t := range fwd {
			if t >= 0 {
				times[t] = 0
			}
		}
	}
}

// limits say what the pairs of a question can be worth at most.
type limits struct {
	terms []termLimit // by place in the query
	pairs []float32   // what a pair's worth is measured by
}

type termLimit struct{ once, more bool }

// set prepares the limits of a question's pairs.
func (l *limits) set(q *Query) {
	l.terms = slices.Grow(l.terms[:0], len(q.terms))[:len(q.terms)]
	l.pairs = l.pairs[:0]
	for _, p := range q.pairs {
		l.pairs = append(l.pairs, (q.terms[p.a].idf+q.terms[p.b].idf)/2*(k1+1))
	}
}

// slack is more than what rounding can add to a sum.
const slack = 1.0001

// of returns what nearness.score comes to at most. Two words that are there
// once each stand together once at most; where one of them is, they stand side
// by side once.
func (l *limits) of(q *Query, g *signature, norm float32) (sum float32) {
	for i, t := range q.terms {
		if t.id >= 0 {
			l.terms[i].once, l.terms[i].more = g.in(t.id)
		}
	}
	single := 1 / (1 + norm)
	for i, p := range q.pairs {
		a, b := l.terms[p.a], l.terms[p.b]
		switch {
		case !a.once || !b.once:
		case !a.more && !b.more:
			sum += l.pairs[i] * (wOrdered + wNear) * single
		case !a.more || !b.more:
			sum += l.pairs[i] * (wOrdered*single + wNear)
		default:
			sum += l.pairs[i] * (wOrdered + wNear)
		}
	}
	return sum * slack
}

// A limited is a candidate with what it comes to at most.
type limited struct{ most, own candidate }

// A ranked is a candidate with its final score and where its hit is.
type ranked struct {
	candidate
	slot int32
}

// rerank adds to the score of each of the best rerankDepth candidates what the
// closeness of the question's words is worth, and returns the k that are best
// then, best first. Of more than that the others come after them as they are.
func (x *Index) rerank(q *Query, s *scratch, best []candidate, k int) []Hit {
	s.limits.set(q)
	order := s.order[:0]
	for i, c := range best {
		most := c
		if i < rerankDepth {
			d := c.doc()
			most = newCandidate(d, c.score()+s.limits.of(q, &x.signs[d], x.norm[d]))
		}
		order = append(order, limited{most, c})
	}
	s.order = order
	slices.SortFunc(order, func(a, b limited) int { return cmp.Compare(b.most, a.most) })
	return x.final(q, s, order, k)
}

// final reads candidates, in the order of what they come to at most, until no
// other can be among the k best.
func (x *Index) final(q *Query, s *scratch, order []limited, k int) []Hit {
	best, hits := s.ranked[:0], s.hits[:0]
	for _, o := range order {
		full := len(best) == k
		if full && (k == 0 || o.most < best[k-1].candidate) {
			break
		}

		c := o.own
		s.near.read(x.forward(c.doc()), s.local)
		s.near.count(len(q.pairs))
		if o.most != o.own {
			c = newCandidate(c.doc(), c.score()+s.near.score(q, x.norm[c.doc()]))
		}
		slot := int32(len(hits))
		switch {
		case !full:
			best, hits = append(best, ranked{}), append(hits, Hit{})
		case c < best[k-1].candidate:
			continue
		default:
			slot = best[k-1].slot
		}
		i := len(best) - 1
		for ; i > 0 && best[i-1].candidate < c; i-- {
			best[i] = best[i-1]
		}
		best[i] = ranked{c, slot}
		hits[slot] = Hit{c.doc(), c.score(), s.near.matched(), s.near.together(q)}
	}
	s.ranked, s.hits = best, hits
	out := make([]Hit, len(best))
	for i, r := range best {
		out[i] = hits[r.slot]
	}
	return out
}
