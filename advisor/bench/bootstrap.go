package bench

import (
	"math/rand/v2"
	"slices"
)

// A Gain is how much better one way does than another on the same questions,
// with the bounds that 95 of 100 resamplings of them keep to.
type Gain struct {
	Mean, Low, High float64
	Worse           float64 // share of the resamplings in which it does no better
}

// Paired compares two ways by what each makes of every question, in the same
// order: a paired bootstrap of so many rounds, the same each time it is run.
func Paired(before, after []float64, rounds int) Gain {
	n := min(len(before), len(after))
	if n == 0 || rounds <= 0 {
		return Gain{}
	}
	var g Gain
	for i := range n {
		g.Mean += (after[i] - before[i]) / float64(n)
	}
	r := rand.New(rand.NewPCG(1, uint64(n)))
	means := make([]float64, rounds)
	for k := range means {
		for range n {
			i := r.IntN(n)
			means[k] += (after[i] - before[i]) / float64(n)
		}
		if means[k] <= 0 {
			g.Worse += 1 / float64(rounds)
		}
	}
	slices.Sort(means)
	g.Low, g.High = means[rounds*25/1000], means[rounds*975/1000]
	return g
}
