package advisor

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"polaris/advisor/index"
	"polaris/advisor/retrieve"
	"polaris/advisor/verify"
)

// How much an answer says.
const (
	maxClaims   = 5    // sentences found by words; every exact provision has one besides
	perExact    = 2    // sentences of an exact provision, where there are few of them
	wholeClaim  = 2500 // bytes up to which a provision that was named is said in full
	minGain     = 0.45 // of the best sentence's worth, for another to be said
	shortList   = 900  // bytes up to which a list is said with all its items
	contextPart = 0.25 // what the headings' words count, against the sentence's own
	wrongKind   = 0.45 // what a sentence is worth that lacks the kind of answer asked for
	looseKind   = 0.8  // of one that only says before or at once
	nearBest    = 0.85 // of the best worth: as good an answer as that one
	runIn       = 6    // words up to which a first sentence is the heading of the next
)

// A claim is a sentence of the answer: a span of a source, and the passage
// found that it is from.
type claim struct {
	ref        retrieve.Ref
	start, end int
	found      int // place in the evidence: exact ones first, then ranked
	score      float64
	worth      float64
	terms      index.Matched
	kind       index.Kind // of those that the question asks for
}

// choose returns the sentences that answer the question: some of every exact
// provision, in their order, then the best of the rest, the best source first
// and in the order of its text.
func (e *Engine) choose(ev *evidence) []claim {
	var out []claim
	var said index.Matched
	each := perExact
	if len(ev.exact) > 3 {
		each = 1
	}
	for i, f := range ev.exact {
		cs := e.fromProvision(ev, i, f, each)
		for _, c := range cs {
			said.Add(c.terms)
		}
		out = append(out, cs...)
	}
	var pool []claim
	for i, f := range ev.ranked {
		pool = append(pool, e.sentences(ev, f, e.within(f), len(ev.exact)+i)...)
	}
	most := maxClaims
	if len(ev.exact) > 0 {
		most = min(2, maxClaims) // the provisions asked for are the answer
	}
	out = append(out, e.inOrder(e.withLeadIns(ev.query, greedy(ev.query, pool, said, most)))...)
	var readable []claim
	for _, c := range pool {
		readable = append(readable, e.carried(c)...)
	}
	out, ev.conflicts = e.oppose(ev, out, readable)
	return out
}

// within returns the passages whose text a ranked passage was found with.
func (e *Engine) within(f retrieve.Found) []retrieve.Ref {
	if f.End == e.find.Passage(f.Ref).End {
		return []retrieve.Ref{f.Ref}
	}
	return e.find.Below(f.Ref)
}

// fromProvision returns the sentences of an exact provision that bear most on
// the question, or all of it where it is short.
func (e *Engine) fromProvision(ev *evidence, i int, f retrieve.Found, most int) []claim {
	if !f.Anchor && f.End-f.Start <= wholeClaim && len(ev.exact) <= 3 {
		text := e.find.Doc(f.Ref).Revision.Text
		start, end := trimmed(text, f.Start, f.End)
		return []claim{{ref: f.Ref, start: start, end: end, found: i, score: f.Score, terms: e.find.Index().Match(ev.query, text[start:end])}}
	}
	all := e.sentences(ev, f, e.find.Below(f.Ref), i)
	best := greedy(ev.query, all, index.Matched{}, most)
	if len(best) == 0 && len(all) > 0 {
		best = all[:min(most, len(all))] // nothing but the key was asked
	}
	readable := slices.DeleteFunc(e.withLeadIns(ev.query, best), func(c claim) bool { return c.start < f.Start || c.end > f.End })
	quote := e.find.Doc(f.Ref).Revision.Text[f.Start:f.End]
	readable = slices.DeleteFunc(readable, func(c claim) bool {
		below := verify.Lexical(e.textOf(c), quote, nil).Score < ev.threshold
		ev.unproved = ev.unproved || below
		return below
	})
	slices.SortFunc(readable, func(a, b claim) int { return cmp.Compare(a.start, b.start) })
	return readable
}

// greedy takes the sentence worth most, again and again, where what was already
// said is worth only a part of what it was; it stops when the next would add
// little.
func greedy(q *index.Query, pool []claim, said index.Matched, most int) []claim {
	var out []claim
	first := 0.0
	var taken []span // a sentence may be found twice
	for len(out) < most {
		best, value := -1, 0.0
		for i, c := range pool {
			if slices.ContainsFunc(taken, func(s span) bool { return s.doc == c.ref.Doc && s.start <= c.start && c.end <= s.end }) {
				continue
			}
			fresh := q.Coverage(c.terms.Minus(said))
			all := q.Coverage(c.terms)
			v := c.worth
			if all > 0 {
				v *= repeated(c) + (1-repeated(c))*fresh/all
			}
			if v > value {
				best, value = i, v
			}
		}
		if best < 0 || value < minGain*first {
			break
		}
		first = max(first, value)
		c := pool[best]
		taken = append(taken, span{c.ref.Doc, c.start, c.end})
		said.Add(c.terms)
		out = append(out, c)
	}
	return out
}

// repeated is what a sentence keeps of its worth where others have said its
// words. One that has the kind of answer asked for is an answer of its own: of
// two rules on how long records are kept, both are said.
func repeated(c claim) float64 {
	if c.kind != 0 {
		return 0.5
	}
	return 0.4
}

// inOrder sorts sentences as they are said: the best source first, and of each
// source the best passages first, then the others as they stand.
func (e *Engine) inOrder(cs []claim) []claim {
	best := map[int]float64{}
	for _, c := range cs {
		best[c.ref.Doc] = max(best[c.ref.Doc], c.worth)
	}
	leads := map[retrieve.Ref]int{}
	for _, c := range cs {
		if c.worth >= nearBest*best[c.ref.Doc] {
			leads[c.ref] = -1
		}
	}
	slices.SortFunc(cs, func(a, b claim) int {
		return cmp.Or(cmp.Compare(best[b.ref.Doc], best[a.ref.Doc]), cmp.Compare(a.ref.Doc, b.ref.Doc),
			cmp.Compare(leads[a.ref], leads[b.ref]), cmp.Compare(a.start, b.start))
	})
	return cs
}

// trimmed takes the white space off the span of a text.
func trimmed(text string, start, end int) (int, int) {
	for start < end && unicode.IsSpace(rune(text[start])) {
		start++
	}
	return start, start + len(strings.TrimRightFunc(text[start:end], unicode.IsSpace))
}
