package verify

import "math"

// The weights of the score. They were found by a random search for the best
// areas under the curve on the training and development splits of three public
// sets (SICK, WiCE, SciFact), under the condition that of claims made from a
// regulation's own sentences at most one in a hundred that was altered in its
// meaning is accepted, and nearly all that were not.
const (
	wCoverage, wSentence, wOrder = 0.59, 0.33, 0.08 // of the base, together 1

	keepNumber   = 0.21  // what is left where the claim has a number that the quote lacks
	keepDenied   = 0.22  // where one negates what both share
	keepNegation = 0.02  // where the claim has a negation and the quote none
	keepFlipped  = 0.17  // where the words are the same and the negations are not
	keepOpposed  = 0.16  // where the quote has the opposite of a word
	keepTime     = 0.08  // where one says before and the other after, or more and less
	keepName     = 0.67  // for each name that the quote lacks, up to mostNames
	keepCue      = 0.775 // for each cue that the quote lacks
	keepLost     = 0.97  // for each cue that the claim lacks, where it is nearly all of the quote
	keepMissing  = 0.79  // for each further word in a row that the quote lacks, up to mostMissing
	keepRare     = 0.72  // where the quote lacks the claim's rarest word; a commoner one costs less
	keepFirst    = 0.81  // where it lacks the first, which is who acts
	keepLast     = 0.77  // where it lacks the last, which is what is done or found
	keepSwapped  = 0.77  // where the words are the same and stand in another order

	mostNames, mostMissing, mostCues = 3, 6, 3

	fullCoverage = 0.9  // from which claim and quote say the same thing
	sameWords    = 0.97 // from which they have the same words
	sameTiles    = 0.91 // from which another order is clauses that moved
	nearlyAll    = 1.25 // how much longer than the claim a quote is that says nothing else
)

// score is 0 to 1, and 1 for nothing but words that all are there in order.
func (a *alignment) score() float64 {
	if a.total == 0 {
		return 0
	}
	coverage, order, tiled := a.coverage(), a.inOrder(), a.tiled()
	s := wCoverage*coverage + wSentence*a.near + wOrder*max(order, tiled)
	if coverage > sameWords && order < 1 && tiled < sameTiles {
		s *= keepSwapped
	}
	if a.numbers() > 0 {
		s *= keepNumber
	}
	if a.opposed() > 0 {
		s *= keepOpposed
	}
	s *= math.Pow(keepName, float64(min(a.names(), mostNames)))
	s *= math.Pow(keepMissing, float64(min(a.missingRun(), mostMissing)))
	s *= math.Pow(keepRare, a.rarestMissing())
	if a.kin[0] == 0 {
		s *= keepFirst
	}
	if a.kin[len(a.kin)-1] == 0 {
		s *= keepLast
	}
	return min(s*a.cueShare(coverage >= fullCoverage), 0.99) // 1 is for what is verbatim
}

// cueShare is what is left of a score by the cues of claim and quote.
func (a *alignment) cueShare(full bool) float64 {
	c, q := a.claim.counts(), a.quote.counts()
	s := 1.0
	switch {
	case full && c[negation] != q[negation]:
		s = keepFlipped
	case a.negated():
		s = keepDenied
	case c[negation] > 0 && q[negation] == 0:
		s = keepNegation
	}
	added := 0
	for k := exception; k <= including; k++ {
		if c[k] > q[k] {
			added++
		}
	}
	s *= math.Pow(keepCue, float64(min(added, mostCues)))
	if turned(c, q, before, after) || turned(c, q, more, less) || turned(c, q, least, most) {
		s *= keepTime
	}
	if float64(len(a.quote.content)) < nearlyAll*float64(len(a.claim.content)) {
		for _, k := range []cue{exception, duty, leave, advice, only, before, after, within, least, most, more, less} {
			if q[k] > 0 && c[k] == 0 {
				s *= keepLost
			}
		}
	}
	return s
}

// turned reports whether the claim has one of two opposite cues where the quote
// has the other alone.
func turned(c, q [including + 1]int, x, y cue) bool {
	return c[x] > 0 && q[x] == 0 && q[y] > 0 || c[y] > 0 && q[y] == 0 && q[x] > 0
}
