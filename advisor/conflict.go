package advisor

import (
	"fmt"

	"polaris/advisor/verify"
	"polaris/models"
)

// sourcesDisagree is the reason beside a pass where two sources that an answer
// quotes say opposite things. Both are quoted; which of them holds is for people
// to settle.
const sourcesDisagree = "sources_disagree"

// Bounds of what is looked at for contradictions.
const (
	mostConflicts = 2    // that are told of
	asMuch        = 0.5  // of what the one sentence has of the question, for the other to be on it too
	someOfIt      = 0.25 // of the question that both have at least
)

// A conflict is two sentences of an answer, from two sources, that say opposite
// things, and what they are opposed in.
type conflict struct {
	a, b claim
	in   string
}

// oppose returns the sentences of an answer with those of other sources that
// contradict them, each behind the one that it contradicts, and the conflicts.
func (e *Engine) oppose(ev *evidence, cs, pool []claim) (out []claim, found []conflict) {
	told := map[span]bool{}
	for _, c := range cs {
		told[spanOf(c)] = true
	}
	for i, c := range cs {
		out = append(out, c)
		for _, o := range append(cs[i+1:len(cs):len(cs)], pool...) {
			if len(found) == mostConflicts || !e.onTheSame(ev, c, o) {
				continue
			}
			in, opposed := verify.Opposed(e.textOf(c), e.textOf(o))
			if !opposed || e.agreedElsewhere(ev, c, o, pool) {
				continue
			}
			found = append(found, conflict{c, o, in})
			if !told[spanOf(o)] {
				told[spanOf(o)] = true
				out = append(out, o)
			}
			break
		}
	}
	return out, found
}

// onTheSame reports whether two sentences of different sources are both on what
// is asked.
func (e *Engine) onTheSame(ev *evidence, c, o claim) bool {
	if c.ref.Doc == o.ref.Doc || o.end-o.start > longClaim || c.end-c.start > longClaim {
		return false
	}
	x, y := ev.query.Coverage(c.terms), ev.query.Coverage(o.terms)
	return min(x, y) >= someOfIt && y >= asMuch*x
}

// agreedElsewhere reports whether the source of o says what c says as well: then
// it speaks of two things, and does not contradict.
func (e *Engine) agreedElsewhere(ev *evidence, c, o claim, pool []claim) bool {
	for _, p := range pool {
		if p.ref.Doc == o.ref.Doc && spanOf(p) != spanOf(o) && e.onTheSame(ev, c, p) && verify.Lexical(e.textOf(p), e.textOf(c), nil).Score >= verify.Threshold {
			return true
		}
	}
	return false
}

func spanOf(c claim) span { return span{c.ref.Doc, c.start, c.end} }

func (e *Engine) textOf(c claim) string { return e.find.Doc(c.ref).Revision.Text[c.start:c.end] }

// report tells of the conflicts of an answer, with both quotes.
func (e *Engine) report(env *models.Envelope, found []conflict, numbers map[span]int) {
	if len(found) == 0 {
		return
	}
	env.Guardrail.Reasons = append(env.Guardrail.Reasons, sourcesDisagree)
	for _, x := range found {
		env.Notices = append(env.Notices, fmt.Sprintf("The sources disagree in %s: [%d] “%s” and [%d] “%s”",
			x.in, numbers[spanOf(x.a)], clean(e.textOf(x.a)), numbers[spanOf(x.b)], clean(e.textOf(x.b))))
	}
}
