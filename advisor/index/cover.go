package index

import (
	"runtime"
	"runtime/debug"
	"slices"
)

// Matched says which terms of a question a text has.
type Matched [maxQueryTerms / 64]uint64

// Has reports whether the i-th term is matched.
func (m *Matched) Has(i int) bool { return m[i/64]&(1<<(i%64)) != 0 }

// Add matches what o matches.
func (m *Matched) Add(o Matched) {
	for i := range m {
		m[i] |= o[i]
	}
}

// Minus returns what m matches and o does not.
func (m Matched) Minus(o Matched) Matched {
	for i := range m {
		m[i] &^= o[i]
	}
	return m
}

// Terms are the terms of a text, each once, whatever is asked.
type Terms []int32

// Terms returns those terms that text has. The text need not be one of the
// passages.
func (x *Index) Terms(text string) Terms {
	var ts Terms
	Words(text, func(word []byte, _, _ int) {
		t, seen := x.surface[string(word)]
		if !seen {
			t = x.lookup(string(word))
		}
		if t >= 0 {
			ts = append(ts, t)
		}
	})
	slices.Sort(ts)
	return slices.Clip(slices.Compact(ts))
}

// Matched returns the terms of q that are among ts.
func (q *Query) Matched(ts Terms) (m Matched) {
	for _, t := range ts {
		if i := q.place(t); i >= 0 {
			m[i/64] |= 1 << (i % 64)
		}
	}
	return m
}

// Match returns the terms of q that text has. The text need not be one of the
// passages.
func (x *Index) Match(q *Query, text string) (m Matched) {
	Words(text, func(word []byte, _, _ int) {
		t, seen := x.surface[string(word)]
		if !seen {
			t = x.lookup(string(word))
		}
		if i := q.place(t); i >= 0 {
			m[i/64] |= 1 << (i % 64)
		}
	})
	return m
}

// MatchPassage returns the terms of q that passage doc has, its title included.
func (x *Index) MatchPassage(q *Query, doc int32) Matched {
	if x.file != nil {
		defer x.file.guard(debug.SetPanicOnFault(true))
	}
	defer runtime.KeepAlive(x)
	return q.Matched(x.forward(doc))
}

// Coverage returns the share of the question that m matches, 0 to 1, each term
// weighing its inverse document frequency, and little if it only says how the
// question is asked. Terms that no passage has weigh most and are never matched.
func (q *Query) Coverage(m Matched) float64 {
	if q.total == 0 {
		return 0
	}
	sum := 0.0
	for i, t := range q.terms {
		if m.Has(i) {
			sum += t.telling
		}
	}
	return sum / q.total
}

// Whole reports whether m matches every word of the question that says what it
// is about, where there are two of them at least.
func (q *Query) Whole(m Matched) bool {
	n := 0
	for i, t := range q.terms {
		switch {
		case t.asking:
		case !m.Has(i):
			return false
		default:
			n++
		}
	}
	return n >= 2
}

// Same reports whether a text, such as a heading, is about what the question is
// about and nothing else: each has the other's words, but for those that carry
// no meaning, only say how something is asked, or are numbers.
func (x *Index) Same(q *Query, text string) bool {
	var m Matched
	same := true
	Words(text, func(word []byte, start, _ int) {
		s := string(word)
		if isStop[s] || isQuestion[s] || isAsking[s] || digitAt(text, start) {
			return
		}
		i := q.place(x.lookup(s))
		if i < 0 {
			same = false
			return
		}
		m[i/64] |= 1 << (i % 64)
	})
	n := 0
	for i, t := range q.terms {
		if !t.asking && !m.Has(i) {
			return false
		}
		if !t.asking {
			n++
		}
	}
	return same && n > 0
}

// Best returns the score that a passage would have if it had every term of the
// question very often: what scores are held against.
func (q *Query) Best() float64 {
	sum := 0.0
	for _, t := range q.terms {
		sum += float64(t.idf*t.weight) * (k1 + 1)
	}
	return sum
}

// Asked reports whether m matches the word that names what the question asks
// for, and whether there is one.
func (q *Query) Asked(m Matched) (matched, any bool) {
	if q.asked < 0 {
		return false, false
	}
	return m.Has(q.asked), true
}
