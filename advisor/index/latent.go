package index

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// The bounds of the latent space.
const (
	latentSize   = 64     // dimensions
	leastLatent  = 512    // passages: of fewer, words that occur together do so by chance
	mostLatent   = 50_000 // passages: for more, building it would hold up publishing
	latentRounds = 2      // of power iteration
	latentCuts   = 64     // parts that the work is cut into; a constant, so that every machine adds in one order
)

// A latent holds, for each passage, its place in a space of few dimensions in
// which passages are near each other that use words of the same company, though
// not the same words: latent semantic analysis. The space is that of the
// collection's own largest singular vectors, found by a randomised power
// iteration; no model and no text from elsewhere is in it.
//
// It moves passages up that are like the best one. That a question's own place
// in the space does as well was measured, and needs the space's terms as well.
//
// All sums are over a fixed order of float64 with no fused operations, and the
// result is rounded to 8 bits, so that a version is ranked alike on every
// machine.
type latent struct {
	vecs []int8 // latentSize for each passage
}

// newLatent returns the latent space of a weighed index.
func newLatent(x *Index) *latent {
	if x.n < leastLatent || x.n > mostLatent {
		return nil
	}
	m := newSparse(x)
	z := make([]float64, m.terms*latentSize) // by term
	y := make([]float64, x.n*latentSize)     // by passage
	rnd := rand.New(rand.NewPCG(1, 1))
	for i := range z {
		z[i] = float64(rnd.IntN(2)*2 - 1)
	}
	for range latentRounds {
		m.byDoc.times(z, y)
		orthonormal(y)
		m.byTerm.times(y, z)
		orthonormal(z)
	}
	m.byDoc.times(z, y)
	l := &latent{vecs: make([]int8, len(y))}
	for d := range x.n {
		quantise(y[d*latentSize:][:latentSize], l.vecs[d*latentSize:][:latentSize])
	}
	return l
}

// String names the space for the engine's name.
func (l *latent) String() string {
	if l == nil {
		return "off"
	}
	return fmt.Sprintf("%d@%g", latentSize, latentShare)
}

func (l *latent) bytes() int {
	if l == nil {
		return 0
	}
	return len(l.vecs)
}

// blend changes the candidates' scores to a mixture of what they were and of
// their likeness to the best of them, each brought to the range from 0 to 1.
func (l *latent) blend(best []candidate) {
	if l == nil || len(best) < 3 {
		return
	}
	top := slices.Max(best)
	low := slices.Min(best).score()
	span := top.score() - low
	if span <= 0 {
		return
	}
	var like [rerankDepth]int32
	most, least := int32(math.MinInt32), int32(math.MaxInt32)
	for i, c := range best {
		like[i] = l.likeness(top.doc(), c.doc())
		most, least = max(most, like[i]), min(least, like[i])
	}
	if most == least {
		return
	}
	for i, c := range best {
		words := (c.score() - low) / span
		meaning := float32(like[i]-least) / float32(most-least)
		best[i] = newCandidate(c.doc(), float32((1-latentShare)*words)+float32(latentShare*meaning))
	}
}

// likeness is the cosine of two passages, times a constant.
func (l *latent) likeness(a, b int32) (sum int32) {
	v, w := l.vecs[int(a)*latentSize:][:latentSize], l.vecs[int(b)*latentSize:][:latentSize]
	for i := range v {
		sum += int32(v[i]) * int32(w[i])
	}
	return sum
}

// quantise writes a vector of length 1 in steps of 1/127.
func quantise(v []float64, out []int8) {
	length := 0.0
	for _, c := range v {
		length += float64(c * c)
	}
	if length == 0 {
		return
	}
	length = math.Sqrt(length)
	for i, c := range v {
		out[i] = int8(math.Round(127 * c / length))
	}
}

// A sparse is the matrix of passages and terms, both ways round. An entry is
// what the term adds to the passage's score, each passage's entries brought to
// length 1. Terms of one passage alone say nothing of its company.
type sparse struct {
	terms         int
	byDoc, byTerm lines
}

// lines are the lines of a sparse matrix, one after the other.
type lines struct {
	start []int32
	at    []int32
	val   []float32
}

func newSparse(x *Index) *sparse {
	m := &sparse{terms: len(x.idf), byTerm: lines{start: make([]int32, len(x.idf)+1)}, byDoc: lines{start: make([]int32, x.n+1)}}
	squares := make([]float64, x.n)
	shared := func(t int) (lo, hi int32) {
		lo, hi = x.postStart[t], x.postStart[t+1]
		if hi-lo < 2 {
			return lo, lo
		}
		return lo, hi
	}
	for t := range m.terms {
		lo, hi := shared(t)
		m.byTerm.start[t+1] = m.byTerm.start[t] + hi - lo
		for i := lo; i < hi; i++ {
			d, v := x.postDoc[i], float64(x.postVal[i])
			squares[d] += float64(v * v)
			m.byDoc.start[d+1]++
		}
	}
	for d := range x.n {
		m.byDoc.start[d+1] += m.byDoc.start[d]
	}
	size := m.byTerm.start[m.terms]
	for _, l := range []*lines{&m.byTerm, &m.byDoc} {
		l.at, l.val = make([]int32, size), make([]float32, size)
	}
	next := slices.Clone(m.byDoc.start)
	k := 0
	for t := range m.terms {
		lo, hi := shared(t)
		for i := lo; i < hi; i++ {
			d := x.postDoc[i]
			v := float32(float64(x.postVal[i]) / math.Sqrt(squares[d]))
			m.byTerm.at[k], m.byTerm.val[k] = d, v
			k++
			m.byDoc.at[next[d]], m.byDoc.val[next[d]] = int32(t), v
			next[d]++
		}
	}
	return m
}

// times sets each line of out to the sum of the lines of in that it names, as
// much of each as it says.
func (l *lines) times(in, out []float64) {
	n := len(l.start) - 1
	inParts(n, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			sum := out[r*latentSize:][:latentSize]
			clear(sum)
			for i := l.start[r]; i < l.start[r+1]; i++ {
				v, from := float64(l.val[i]), in[int(l.at[i])*latentSize:][:latentSize]
				for c := range sum {
					sum[c] += float64(v * from[c])
				}
			}
		}
	})
}

// orthonormal makes the columns of a matrix, given by lines, orthogonal and of
// length 1, by Cholesky's factor of their products. That is inexact for columns
// that nearly depend on each other, which the next round mends. A column that
// depends on others becomes 0.
func orthonormal(m []float64) {
	r := cholesky(products(m))
	inParts(len(m)/latentSize, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			divide(m[i*latentSize:][:latentSize], r)
		}
	})
}

type square [latentSize][latentSize]float64

// products returns the products of each two columns, the upper half.
func products(m []float64) *square {
	n := len(m) / latentSize
	parts := make([]square, latentCuts)
	cuts(n, func(k, lo, hi int) {
		p := &parts[k]
		for i := lo; i < hi; i++ {
			row := m[i*latentSize:][:latentSize]
			if empty(row) {
				continue
			}
			for a, v := range row {
				sums := &p[a]
				for c := a; c < latentSize; c++ {
					sums[c] += float64(v * row[c])
				}
			}
		}
	})
	for k := 1; k < len(parts); k++ {
		for a := range latentSize {
			for c := a; c < latentSize; c++ {
				parts[0][a][c] += parts[k][a][c]
			}
		}
	}
	return &parts[0]
}

// cholesky returns the upper triangle r with rᵀr = g. Where nothing is left of
// a column its line of r is 0.
func cholesky(g *square) *square {
	r := new(square)
	for a := range latentSize {
		left := g[a][a]
		for k := range a {
			left -= float64(r[k][a] * r[k][a])
		}
		if left <= 1e-12*g[a][a] || left <= 0 {
			continue
		}
		r[a][a] = math.Sqrt(left)
		for c := a + 1; c < latentSize; c++ {
			v := g[a][c]
			for k := range a {
				v -= float64(r[k][a] * r[k][c])
			}
			r[a][c] = v / r[a][a]
		}
	}
	return r
}

// divide solves x·r = row in place.
func divide(row []float64, r *square) {
	if empty(row) {
		return
	}
	for a := range latentSize {
		if r[a][a] == 0 {
			row[a] = 0
			continue
		}
		v := row[a] / r[a][a]
		row[a] = v
		line := &r[a]
		for c := a + 1; c < latentSize; c++ {
			row[c] -= float64(v * line[c])
		}
	}
}

// empty reports whether a line is of a term or passage that shares nothing: most
// terms of a collection are in one passage alone.
func empty(row []float64) bool { return row[0] == 0 && row[1] == 0 && row[latentSize-1] == 0 }

// inParts runs f on parts of 0 to n at once, for work whose parts do not touch.
func inParts(n int, f func(lo, hi int)) { cuts(n, func(_, lo, hi int) { f(lo, hi) }) }

// cuts cuts 0 to n into latentCuts parts, and runs f on as many at once as
// there are processors.
func cuts(n int, f func(k, lo, hi int)) {
	var wg sync.WaitGroup
	next := make(chan int, latentCuts)
	for k := range latentCuts {
		next <- k
	}
	close(next)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for k := range next {
				f(k, k*n/latentCuts, (k+1)*n/latentCuts)
			}
		})
	}
	wg.Wait()
}
