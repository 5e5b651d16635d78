package verify

// What two sentences can be opposed in.
const (
	InNumber     = "number"
	InNegation   = "negation"
	InObligation = "obligation"
)

// Bounds of when two sentences are about one thing.
const (
	leastCommon  = 3    // words that both have
	shareOfLess  = 0.6  // of the shorter one's words
	shareOfMore  = 0.5  // of the longer one's
	sameSubject  = 0.75 // of the shorter one's, where they differ in obligation alone, or in a number
	longSentence = 40   // words beyond which a sentence says several things
)

// Opposed reports whether two sentences say opposite things of one subject, and
// in what: each has a number that the other lacks, one denies what the other
// says, or what one demands the other leaves free. It finds few, and means to be
// right about them.
func Opposed(a, b string) (in string, opposed bool) {
	x, y := read(a), read(b)
	xs, ys := x.subject(), y.subject()
	if len(xs) > longSentence || len(ys) > longSentence || x.supposes() || y.supposes() {
		return "", false
	}
	shared := map[string]bool{}
	for s := range xs {
		if ys[s] {
			shared[s] = true
		}
	}
	less, more := float64(min(len(xs), len(ys))), float64(max(len(xs), len(ys)))
	n := float64(len(shared))
	if n < leastCommon || n < shareOfLess*less || n < shareOfMore*more {
		return "", false
	}
	cx, cy := x.counts(), y.counts()
	dx, dy := denials(x, shared), denials(y, shared)
	switch {
	case (dx > 0) != (dy > 0) && cx[negation] != cy[negation] && cx[exception] == cy[exception]:
		return InNegation, true
	case dx != dy:
		return "", false
	case n >= sameSubject*less && apart(x.numbers(), y.numbers()):
		return InNumber, true
	case n >= sameSubject*more && (cx[duty] > 0 && cy[duty] == 0 && cy[leave] > 0 || cy[duty] > 0 && cx[duty] == 0 && cx[leave] > 0):
		return InObligation, true
	}
	return "", false
}

// subject returns the stems that say what a text is about: no numbers and
// nothing that only turns it.
func (x *text) subject() map[string]bool {
	m := map[string]bool{}
	for _, t := range x.all {
		if _, number := value(t.word); number || function[t.word] || isNumbering(t.word) {
			continue
		}
		if c := cues[t.word]; c == noCue || c == leave && t.word != "may" && t.word != "can" {
			m[t.stem] = true
		}
	}
	return m
}

// supposes reports whether a text denies something only as a case that may come,
// or defines a word: "where we cannot lend". It then says nothing that another
// could contradict.
func (x *text) supposes() bool {
	supposed := false
	for _, t := range x.all {
		switch {
		case t.word == "means":
			return true
		case cues[t.word] == condition:
			supposed = true
		case cues[t.word] == negation && supposed:
			return true
		}
	}
	return false
}

// isNumbering reports whether a word may be the letter of an item.
func isNumbering(w string) bool { return len(w) == 1 }

// apart reports whether two sets of numbers have as many, and none in common.
func apart(a, b map[float64]bool) bool {
	for v := range a {
		if b[v] {
			return false
		}
	}
	return len(a) > 0 && len(a) == len(b)
}
