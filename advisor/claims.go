package advisor

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"polaris/advisor/index"
	"polaris/advisor/retrieve"
)

// How much an answer says.
const (
	maxClaims   = 5    // sentences found by words; every exact provision has one besides
	perExact    = 2    // sentences of an exact provision, where there are few of them
	wholeClaim  = 1200 // bytes up to which a provision that was named is given in full
	minGain     = 0.45 // of the best sentence's worth, for another to be said
	contextPart = 0.25 // what the headings' words count, against the sentence's own
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
	return append(out, e.inOrder(e.withLeadIns(greedy(ev.query, pool, said, most)))...)
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
	if f.Why == retrieve.ByKey && f.End-f.Start <= wholeClaim && len(ev.exact) <= 3 {
		text := e.find.Doc(f.Ref).Revision.Text
		start, end := trimmed(text, f.Start, f.End)
		return []claim{{ref: f.Ref, start: start, end: end, found: i, score: f.Score, terms: e.find.Index().Match(ev.query, text[start:end])}}
	}
	all := e.sentences(ev, f, e.find.Below(f.Ref), i)
	best := greedy(ev.query, all, index.Matched{}, most)
	if len(best) == 0 && len(all) > 0 {
		best = all[:min(most, len(all))] // nothing but the key was asked
	}
	slices.SortFunc(best, func(a, b claim) int { return cmp.Compare(a.start, b.start) })
	return best
}

// sentences returns the sentences of the passages refs, weighed. A short first
// sentence is the heading of the one after it and stays with it.
func (e *Engine) sentences(ev *evidence, f retrieve.Found, refs []retrieve.Ref, found int) []claim {
	var out []claim
	x := e.find.Index()
	for _, ref := range refs {
		base, text := e.find.Passage(ref).Start, e.find.Text(ref)
		context := ev.query.Coverage(e.find.Match(ev.query, ref))
		spans := retrieve.Sentences(text)
		if len(spans) > 1 && len(strings.Fields(text[spans[0].Start:spans[0].End])) <= runIn {
			spans[1].Start = spans[0].Start
			spans = spans[1:]
		}
		for _, s := range parts(text, spans) {
			if !says(text[s.Start:s.End]) {
				continue
			}
			c := claim{ref: ref, start: base + s.Start, end: base + s.End, found: found, score: f.Score}
			c.terms = x.Match(ev.query, text[s.Start:s.End])
			own := ev.query.Coverage(c.terms)
			c.worth = (own + contextPart*max(0, context-own)) * (0.5 + 0.5*f.Score) * weightOfLength(text[s.Start:s.End])
			out = append(out, c)
		}
	}
	return out
}

// parts cuts sentences that are too long to quote, at white space where there
// is some.
func parts(text string, spans []retrieve.Span) []retrieve.Span {
	var out []retrieve.Span
	for _, s := range spans {
		for s.End-s.Start > longClaim {
			cut := s.Start + longClaim
			if i := strings.LastIndexByte(text[s.Start:cut], ' '); i > longClaim/2 {
				cut = s.Start + i
			}
			for !boundary(text, cut) {
				cut--
			}
			out = append(out, retrieve.Span{Start: s.Start, End: cut})
			s.Start = cut + len(text[cut:s.End]) - len(strings.TrimLeftFunc(text[cut:s.End], unicode.IsSpace))
		}
		if s.Start < s.End {
			out = append(out, s)
		}
	}
	return out
}

// weightOfLength favours sentences that can say something over scraps.
func weightOfLength(s string) float64 {
	if n := len(strings.Fields(s)); n < 6 {
		return 0.4 + 0.1*float64(n)
	}
	return 1
}

// greedy takes the sentence worth most, again and again, where what was already
// said is worth only a part of what it was; it stops when the next would add
// little.
func greedy(q *index.Query, pool []claim, said index.Matched, most int) []claim {
	var out []claim
	first := 0.0
	taken := map[[2]int]bool{} // a sentence may be found twice
	for len(out) < most {
		best, value := -1, 0.0
		for i, c := range pool {
			if taken[[2]int{c.ref.Doc, c.start}] {
				continue
			}
			fresh := q.Coverage(c.terms.Minus(said))
			all := q.Coverage(c.terms)
			v := c.worth
			if all > 0 {
				v *= 0.4 + 0.6*fresh/all
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
		taken[[2]int{c.ref.Doc, c.start}] = true
		said.Add(c.terms)
		out = append(out, c)
	}
	return out
}

// withLeadIns puts before an item of a list the sentence that opens the list,
// without which the item says little: "A creditor shall notify an applicant
// within:".
func (e *Engine) withLeadIns(cs []claim) []claim {
	for _, c := range slices.Clone(cs) {
		parent, ok := e.find.Parent(c.ref)
		if !ok {
			continue
		}
		text := e.find.Text(parent)
		spans := retrieve.Sentences(text)
		if len(spans) == 0 || !e.opensList(parent, c) {
			continue
		}
		last := spans[len(spans)-1]
		for i := len(spans) - 2; i >= 0 && !says(text[last.Start:last.End]); i-- {
			last.Start = spans[i].Start // "Information requests. —"
		}
		base := e.find.Passage(parent).Start
		lead := claim{ref: parent, start: base + last.Start, end: base + last.End, found: c.found, score: c.score, worth: c.worth}
		same := func(o claim) bool { return o.ref == parent && o.end == lead.end }
		if !slices.ContainsFunc(cs, same) {
			cs = append(cs, lead)
		}
	}
	return cs
}

// opensList reports whether the passage above a claim opens a list that the
// claim is an item of: it ends as such a sentence does, or breaks off where the
// item goes on in small letters.
func (e *Engine) opensList(parent retrieve.Ref, item claim) bool {
	text := strings.TrimSpace(e.find.Text(parent))
	if complete(text) || e.isHeading(parent) || len(strings.Fields(text)) < 4 {
		return false
	}
	if strings.HasSuffix(text, ":") || strings.HasSuffix(text, "—") {
		return true
	}
	return unicode.IsLower(firstLetter(e.find.Text(item.ref)))
}

// firstLetter returns the first letter of a text after its numbering.
func firstLetter(text string) rune {
	for w := range strings.FieldsSeq(text) {
		if strings.HasSuffix(w, ".") || strings.HasPrefix(w, "(") && strings.HasSuffix(w, ")") {
			continue
		}
		for _, r := range w {
			if unicode.IsLetter(r) {
				return r
			}
		}
	}
	return 0
}

// complete reports whether a text ends where a sentence does.
func complete(text string) bool {
	text = strings.TrimRightFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"')]”’", r) })
	return text == "" || strings.ContainsRune(".!?", rune(text[len(text)-1]))
}

// says reports whether a sentence can say anything: it has two words at least.
func says(sentence string) bool {
	n := 0
	for w := range strings.FieldsSeq(sentence) {
		if strings.ContainsFunc(w, unicode.IsLetter) {
			n++
		}
	}
	return n >= 2 || n == 1 && len(sentence) > 40 // writing without spaces
}

// inOrder sorts sentences as they are said.
func (e *Engine) inOrder(cs []claim) []claim {
	best := map[int]float64{}
	for _, c := range cs {
		best[c.ref.Doc] = max(best[c.ref.Doc], c.worth)
	}
	slices.SortFunc(cs, func(a, b claim) int {
		return cmp.Or(cmp.Compare(best[b.ref.Doc], best[a.ref.Doc]), cmp.Compare(a.ref.Doc, b.ref.Doc), cmp.Compare(a.start, b.start))
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
