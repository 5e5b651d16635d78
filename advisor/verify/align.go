package verify

// An alignment is how a claim's content words lie in a quote.
type alignment struct {
	claim, quote *text
	weight       []float64 // of each content word of the claim
	total        float64
	kin          []float64 // how well the quote has each, 0 to 1
	at           []int     // where in the quote's content, -1: nowhere
	best         int       // the sentence of the quote that has most of the claim
	near         float64   // the share of the claim that this sentence has
}

// longest bounds the words that are aligned in order; a claim is a sentence.
const longest = 400

// align finds each content word of a claim in the quote.
func align(c, q *text, weigh Weigher) *alignment {
	a := &alignment{claim: c, quote: q}
	places := map[string][]int{}
	for i, k := range q.content {
		places[q.all[k].stem] = append(places[q.all[k].stem], i)
	}
	bySentence := map[int]float64{}
	last := -1
	for _, k := range c.content {
		t := c.all[k]
		w := 1.0
		if weigh != nil {
			w = weigh(t.word)
		}
		a.weight = append(a.weight, w)
		a.total += w
		kin, at := 0.0, -1
		if ps := places[t.stem]; len(ps) > 0 {
			kin, at = 1, nearest(ps, last+1)
		} else {
			for i, j := range q.content {
				if s := related(t, q.all[j]); s > kin {
					kin, at = s, i
				}
			}
		}
		if at >= 0 {
			last = at
			seen := map[int]bool{}
			for _, p := range append(places[t.stem], at) {
				if s := q.all[q.content[p]].sentence; !seen[s] {
					seen[s] = true
					bySentence[s] += w * kin
				}
			}
		}
		a.kin, a.at = append(a.kin, kin), append(a.at, at)
	}
	for s, w := range bySentence {
		if share := w / a.total; share > a.near || share == a.near && s < a.best {
			a.best, a.near = s, share
		}
	}
	return a
}

// nearest returns the first of the places at or after from, or the last one.
func nearest(ps []int, from int) int {
	for _, p := range ps {
		if p >= from {
			return p
		}
	}
	return ps[len(ps)-1]
}

// related returns how surely two different words are forms of one: words of
// five letters at least that begin alike.
func related(a, b token) float64 {
	if _, ok := value(a.word); ok {
		return 0 // it is equal or another one
	}
	x, y := a.stem, b.stem
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) < 5 || y[0] >= '0' && y[0] <= '9' {
		return 0
	}
	n := max(5, len(x)-2)
	if n <= len(x) && x[:n] == y[:n] {
		return 0.8
	}
	return 0
}

// coverage is the share of the claim's content that the quote has.
func (a *alignment) coverage() float64 {
	if a.total == 0 {
		return 0
	}
	sum := 0.0
	for i, w := range a.weight {
		sum += w * a.kin[i]
	}
	return sum / a.total
}

// inOrder is the length of the longest common subsequence of claim and quote,
// as a share of the claim.
func (a *alignment) inOrder() float64 {
	n := min(len(a.claim.content), longest)
	if n == 0 {
		return 0
	}
	prev, cur := make([]int, len(a.quote.content)+1), make([]int, len(a.quote.content)+1)
	for i := range n {
		s := a.claim.all[a.claim.content[i]].stem
		for j, k := range a.quote.content {
			cur[j+1] = max(prev[j+1], cur[j])
			if a.quote.all[k].stem == s {
				cur[j+1] = prev[j] + 1
			}
		}
		prev, cur = cur, prev
	}
	return float64(prev[len(prev)-1]) / float64(n)
}

// leastTile is the fewest words in a row that count as taken over together.
const leastTile = 3

// tiled is the share of the claim that is made of runs of leastTile words and
// more of the quote, each part of the quote used once, the longest first: what
// remains of a sentence whose clauses were moved, and not of one in which two
// words changed places.
func (a *alignment) tiled() float64 {
	c, q := stems(a.claim), stems(a.quote)
	c = c[:min(len(c), longest)]
	if len(c) == 0 {
		return 0
	}
	least := min(leastTile, len(c))
	usedC, usedQ := make([]bool, len(c)), make([]bool, len(q))
	at := map[string][]int{}
	for j, s := range q {
		at[s] = append(at[s], j)
	}
	covered := 0
	for {
		size, ci, qi := 0, 0, 0
		for i := range c {
			if usedC[i] {
				continue
			}
			for _, j := range at[c[i]] {
				k := 0
				for i+k < len(c) && j+k < len(q) && !usedC[i+k] && !usedQ[j+k] && c[i+k] == q[j+k] {
					k++
				}
				if k > size {
					size, ci, qi = k, i, j
				}
			}
		}
		if size < least {
			return float64(covered) / float64(len(c))
		}
		for k := range size {
			usedC[ci+k], usedQ[qi+k] = true, true
		}
		covered += size
	}
}

func stems(x *text) []string {
	out := make([]string, len(x.content))
	for i, k := range x.content {
		out[i] = x.all[k].stem
	}
	return out
}

// missingRun returns the most of the claim's words in a row that the quote lacks.
func (a *alignment) missingRun() (most int) {
	n := 0
	for _, k := range a.kin {
		if n++; k > 0 {
			n = 0
		}
		most = max(most, n)
	}
	return most
}

// rarestMissing is how telling the rarest of the claim's words is that the quote
// lacks, as a share of its rarest one.
func (a *alignment) rarestMissing() float64 {
	most, missing := 0.0, 0.0
	for i, w := range a.weight {
		most = max(most, w)
		if a.kin[i] == 0 {
			missing = max(missing, w)
		}
	}
	if most == 0 {
		return 0
	}
	return missing / most
}

// names counts the claim's names that the quote lacks.
func (a *alignment) names() (n int) {
	for i, k := range a.claim.content {
		if a.claim.all[k].name && a.kin[i] < 1 {
			n++
		}
	}
	return n
}

// numbers counts the claim's numbers that the quote lacks.
func (a *alignment) numbers() (n int) {
	have := a.quote.numbers()
	for v := range a.claim.numbers() {
		if !have[v] {
			n++
		}
	}
	return n
}

// opposed counts the claim's words that the quote lacks and has an antonym of.
func (a *alignment) opposed() (n int) {
	for i, k := range a.claim.content {
		if a.kin[i] > 0 {
			continue
		}
		for _, j := range a.quote.content {
			if antonyms[a.claim.all[k].stem][a.quote.all[j].stem] {
				n++
				break
			}
		}
	}
	return n
}

// negated reports whether claim and quote differ in whether what they share is
// negated: a negation counts where a shared word follows it closely.
func (a *alignment) negated() bool {
	shared := map[string]bool{}
	for i, k := range a.claim.content {
		if a.kin[i] > 0 {
			shared[a.claim.all[k].stem] = true
			if a.at[i] >= 0 {
				shared[a.quote.all[a.quote.content[a.at[i]]].stem] = true
			}
		}
	}
	return denials(a.claim, shared) > 0 != (denials(a.quote, shared) > 0)
}

// reach is how many words after a negation it still bears on.
const reach = 5

func denials(x *text, shared map[string]bool) (n int) {
	for i, t := range x.all {
		if cues[t.word] != negation {
			continue
		}
		for j := i + 1; j < len(x.all) && j <= i+reach && x.all[j].sentence == t.sentence; j++ {
			if shared[x.all[j].stem] {
				n++
				break
			}
		}
	}
	return n
}
