package verify

// Veto returns what makes it impossible that quote carries claim, whoever says
// that it does: "" where words alone show nothing. It is for claims that
// somebody else has judged: a judge may see that two ways of saying something
// mean the same, and never that a number, a negation, a name or the direction of
// a limit may be another one.
func Veto(claim, quote string) string {
	c, q := plain(claim), plain(quote)
	if c == "" {
		return "it says nothing"
	}
	if (c == q || contains(q, c)) && !denied(claim, quote) {
		return ""
	}
	a := align(read(claim), read(quote), nil)
	if a.total == 0 {
		return "it says nothing"
	}
	cc, cq := a.claim.counts(), a.nearest().counts()
	switch {
	case a.numbers() > 0:
		return "it has a number that the quote lacks"
	case a.opposed() > 0:
		return "it has the opposite of what the quote says"
	case a.negated(), (cc[negation] > 0) != (cq[negation] > 0):
		return "one of the two is negated"
	case turned(cc, cq, before, after) || turned(cc, cq, more, less) || turned(cc, cq, least, most):
		return "a limit is turned round"
	case cc[duty] > 0 && cq[duty] == 0 && cq[leave]+cq[advice] > 0:
		return "it makes a duty of what may be done"
	case a.names() > 0:
		return "it has a name that the quote lacks"
	case a.coverage() < leastShared:
		return "it has hardly a word of the quote"
	}
	return ""
}

// nearest returns the sentence of the quote that has most of the claim.
func (a *alignment) nearest() *text {
	x := &text{}
	for _, t := range a.quote.all {
		if t.sentence == a.best {
			x.all = append(x.all, t)
		}
	}
	return x
}

// leastShared is the share of a claim's words that the quote has at the least
// where somebody judges that it carries the claim.
const leastShared = 0.3
