package retrieve

import (
	"math"

	"polaris/advisor/index"
)

// Ranked returns the passages that the question's words lead to, best first, at
// most n, each with its own text and a calibrated score.
func (f *Finder) Ranked(q *index.Query, n int) []Found {
	hits := f.words.Search(q, n)
	out := make([]Found, len(hits))
	for i, h := range hits {
		ref := f.refs[h.Doc]
		p := f.Passage(ref)
		out[i] = Found{Ref: ref, Start: p.Start, End: p.End, Why: ByWords, Score: f.features(q, h).score()}
	}
	return out
}

// Features are what the calibrated score of a passage is made from.
type Features struct {
	Coverage float64 // share of the question that the passage and its headings have
	Context  float64 // the same, with the passages above it
	Strength float64 // the ranking's score, as a share of the best possible
	Matched  float64 // terms matched
	Terms    float64 // terms of the question
}

// Features measures a hit; it is exported for the calibration's tests.
func (f *Finder) features(q *index.Query, h index.Hit) Features {
	m := f.words.MatchPassage(q, h.Doc)
	ft := Features{Coverage: q.Coverage(m), Matched: float64(q.Count(m)), Terms: float64(q.Len())}
	if best := q.Best(); best > 0 {
		ft.Strength = float64(h.Score) / best
	}
	for ref, ok := f.Parent(f.refs[h.Doc]); ok; ref, ok = f.Parent(ref) {
		m.Add(f.words.Match(q, f.Text(ref)))
	}
	ft.Context = q.Coverage(m)
	return ft
}

// score is the estimated probability that the passage bears on the question.
func (ft Features) score() float64 {
	z := -3 + 4*ft.Coverage + 2*ft.Context + 3*ft.Strength
	return 1 / (1 + math.Exp(-z))
}
