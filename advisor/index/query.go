package index

import "math"

// Bounds of a question: what is beyond them is not ranked by. A question of
// 8,000 characters has about 1,300 words.
const (
	maxQueryTerms = 256
	maxQueryPairs = 256
)

// A Query is a question as one index understands it.
type Query struct {
	terms     []queryTerm
	pairs     []queryPair // neighbouring words of the question
	local     map[int32]int
	some      [4]uint64 // a bit for each term of local, several to one bit: most terms of a text are none of them
	total     float64   // sum of the terms' idf, those the index lacks included
	asked     int       // place of the term that names what is asked for, or -1
	pairTotal float64   // the same of the pairs
	wants     Kind
}

type queryTerm struct {
	id      int32 // -1: in no passage
	idf     float32
	weight  float32 // grows with the root of how often the question says it
	telling float64 // what it counts when coverage is measured
	asking  bool    // it only says how the question is asked
}

type queryPair struct{ a, b int } // places in terms

// Query analyses a question: its words without stop words and question words,
// stemmed, each once.
func (x *Index) Query(text string) *Query {
	q := &Query{local: map[int32]int{}, asked: -1}
	var focus focus
	var wants wants
	missing := map[string]int{}
	seen := map[queryPair]bool{}
	prev := -1
	Words(text, func(word []byte, _, _ int) {
		s := string(word)
		wants.word(s)
		if isStop[s] || isQuestion[s] {
			focus.stop(s)
			return
		}
		cur := q.add(x, s, missing)
		if focus.open() && cur >= 0 && !isAsking[s] {
			q.asked = cur
		}
		if p := (queryPair{prev, cur}); prev >= 0 && cur >= 0 && prev != cur && !seen[p] && len(seen) < maxQueryPairs {
			seen[p] = true
			q.addPair(p)
		}
		prev = cur
	})
	for i := range q.terms {
		t := &q.terms[i]
		q.total += t.telling
		t.weight = float32(math.Sqrt(float64(t.weight)))
		if t.asking {
			t.weight *= askingWeight
		}
	}
	q.wants = wants.kind
	return q
}

// add counts a word of the question and returns the place of its term, or -1
// where the question is over its bound.
func (q *Query) add(x *Index, word string, missing map[string]int) int {
	id := x.lookup(word)
	if id < 0 {
		i, ok := missing[word]
		if !ok && len(q.terms) < maxQueryTerms {
			i = len(q.terms)
			missing[word] = i
			q.terms = append(q.terms, queryTerm{id: -1, idf: x.unknownIDF(), telling: telling(word, x.unknownIDF()), asking: isAsking[word]})
		} else if !ok {
			return -1
		}
		q.terms[i].weight++
		return i
	}
	i, ok := q.local[id]
	if !ok {
		if len(q.terms) >= maxQueryTerms {
			return -1
		}
		i = len(q.terms)
		q.local[id] = i
		q.some[id>>6&3] |= 1 << (id & 63)
		q.terms = append(q.terms, queryTerm{id: id, idf: x.idf[id], telling: telling(word, x.idf[id]), asking: isAsking[word]})
	}
	q.terms[i].weight++
	return i
}

// place returns the place in the question of the term t, or -1.
func (q *Query) place(t int32) int {
	if t < 0 || q.some[t>>6&3]&(1<<(t&63)) == 0 {
		return -1
	}
	if i, ok := q.local[t]; ok {
		return i
	}
	return -1
}

// telling returns what a word of the question counts when coverage is measured.
func telling(word string, idf float32) float64 {
	if isAsking[word] {
		return askingShare * float64(idf)
	}
	return float64(idf)
}

// addPair notes two neighbouring words of the question. Only where the index
// has both can they be found together.
func (q *Query) addPair(p queryPair) {
	a, b := q.terms[p.a], q.terms[p.b]
	q.pairTotal += a.telling + b.telling
	if a.id >= 0 && b.id >= 0 {
		q.pairs = append(q.pairs, p)
	}
}

// lookup returns the number of the term that a word stands for, or -1. Where
// some passages are not stemmed, a word that has no stem here may still be one
// of theirs.
func (x *Index) lookup(word string) int32 {
	if t, ok := x.surface[word]; ok {
		return t
	}
	if t, ok := x.terms[Stem(word)]; ok {
		return t
	}
	if x.plain {
		if t, ok := x.terms[word]; ok {
			return t
		}
	}
	return -1
}

// unknownIDF is the weight of a word that no passage has: it is as telling as
// a word can be, and counts against every passage.
func (x *Index) unknownIDF() float32 {
	return float32(math.Log(1 + (x.collection()+0.5)/0.5))
}

// Wants returns the kind of answer that the question asks for, any one of those
// in it, and 0 where its words say none.
func (q *Query) Wants() Kind { return q.wants }

// Len returns how many different terms the question has.
func (q *Query) Len() int { return len(q.terms) }

// Known returns how many of them some passage has.
func (q *Query) Known() int { return len(q.local) }
