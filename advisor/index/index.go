// Package index ranks the passages of one published version by their words.
//
// An [Index] is built once from titles and texts, is immutable afterwards, and
// may be searched by any number of goroutines. It holds postings (which
// passages a term is in, and how much that counts there) and a forward list
// (the terms of each passage in order), both as flat int32 slices, so that a
// hundred thousand passages cost a few allocations and not millions.
//
// The ranking is BM25 with the title counted twice; the best hundred are then
// ranked anew by how closely the question's words stand together, by how much
// of the question they have, and by how like the best of them they are in
// meaning: see latent. It knows
// nothing of citation keys, topic cards or documents: package retrieve does.
package index

import (
	"fmt"
	"hash/fnv"
	"math"
	"sync"
)

// The weights of the ranking. They were chosen on five public collections and
// are part of the engine's name: see [Index.Name].
const (
	k1          = 1.0
	b           = 0.75
	titleWeight = 2
	wOrdered    = 0.4 // two neighbouring words of the question, side by side
	wNear       = 0.2 // the same two within nearWindow words, in any order
	nearWindow  = 8
	rerankDepth = 100

	askingWeight  = 0.7  // of a word that only says how the question is asked
	coverageBonus = 0.8  // for a passage that covers all of the question
	latentShare   = 0.35 // of a passage's likeness to the best one, in its place among the hundred
)

// gap stands in a forward list where the title ends, so that no pair of words
// is near across it.
const gap = -1

// A Doc is what the index sees of a passage.
type Doc struct {
	Title   string // counted titleWeight times
	Text    string
	English bool // its words are reduced to their stems
}

// An Index is the searchable form of a list of passages, which it numbers from
// 0 in the order given.
type Index struct {
	n     int
	plain bool // some passages are not stemmed

	surface map[string]int32 // word of an English passage -> term; stopped for stop words
	terms   map[string]int32 // term -> its number
	idf     []float32

	postStart []int32 // by term: its part of postDoc and postVal
	postDoc   []int32
	postVal   []float32 // what the term adds to the passage's score
	termMost  []float32 // by term: the greatest of its postVal

	fwdStart []int32 // by passage: its part of fwd
	fwd      []int32
	norm     []float32 // by passage: the length part of BM25's denominator
	kinds    []Kind    // by passage: what its text has
	latent   *latent   // nil where there are too few passages, or too many

	file    *mapped   // nil where nothing lies in a file
	scratch sync.Pool // *scratch
}

// stopped marks a stop word in the surface map.
const stopped = -2

// Build indexes docs.
func Build(docs []Doc) *Index {
	w := newWriter(len(docs))
	for i := range docs {
		w.add(&docs[i])
	}
	x := &Index{n: len(docs), plain: w.plain, surface: w.surface, terms: w.terms, fwdStart: w.fwdStart, fwd: w.fwd, kinds: w.kinds}
	x.weigh(w)
	x.latent = newLatent(x)
	x.scratch.New = func() any { return newScratch(x) }
	return x
}

// weigh turns counts into what each term adds to each passage's score, so that
// a search only adds.
func (x *Index) weigh(w *writer) {
	x.postStart = make([]int32, len(x.terms)+1)
	for _, p := range w.posts {
		x.postStart[p.term+1]++
	}
	for i := range len(x.terms) {
		x.postStart[i+1] += x.postStart[i]
	}
	x.idf = make([]float32, len(x.terms))
	for t := range x.idf {
		df := float64(x.postStart[t+1] - x.postStart[t])
		x.idf[t] = float32(math.Log(1 + (x.collection()-df+0.5)/(df+0.5)))
	}
	avg := 1.0
	if x.n > 0 && w.total > 0 {
		avg = float64(w.total) / float64(x.n)
	}
	x.norm = make([]float32, x.n)
	for d, l := range w.lengths {
		x.norm[d] = float32(k1 * (1 - b + b*float64(l)/avg))
	}
	x.postDoc = make([]int32, len(w.posts))
	x.postVal = make([]float32, len(w.posts))
	x.termMost = make([]float32, len(x.terms))
	next := append([]int32(nil), x.postStart...)
	for _, p := range w.posts { // in passage order, so each term's list is too
		i := next[p.term]
		next[p.term]++
		x.postDoc[i] = p.doc
		tf := float32(p.count)
		x.postVal[i] = x.idf[p.term] * tf * (k1 + 1) / (tf + x.norm[p.doc])
		x.termMost[p.term] = max(x.termMost[p.term], x.postVal[i])
	}
}

// Kinds returns the kinds that the text of passage doc has.
func (x *Index) Kinds(doc int32) Kind { return x.kinds[doc] }

// Bytes returns what the index holds in memory, without the texts, to within a
// few per cent.
func (x *Index) Bytes() int64 {
	n := 4 * (len(x.idf) + len(x.termMost) + len(x.postStart) + len(x.postDoc) + len(x.postVal) + len(x.fwdStart) + len(x.fwd) + len(x.norm))
	for _, m := range []map[string]int32{x.surface, x.terms} {
		for s := range m {
			n += len(s) + 32 // a map entry of string and int32, at its load factor
		}
	}
	return int64(n + len(x.kinds) + x.latent.bytes())
}

// Name says how passages are analysed and ranked, with a hash over the word
// lists, so that two engines of one name rank alike.
func (x *Index) Name() string {
	h := fnv.New32a()
	fmt.Fprint(h, stopWords, questionWords, askingWords, roots, kindWords, rerankDepth, nearWindow, titleWeight, askingWeight, latentShare)
	return fmt.Sprintf("bm25/en k1=%g b=%g title=%d prox=%g/%g cover=%g lsa=%s (%08x)", k1, b, titleWeight, wOrdered, wNear, coverageBonus, x.latent, h.Sum32())
}

// leastCollection is how many passages a collection counts as having at least.
// In a handful of passages how many have a word says little about how telling
// the word is: without this, one word that none has would outweigh all others,
// and what a house rule of three paragraphs plainly answers would be declined.
const leastCollection = 1000

// collection returns the number of passages that word weights are measured
// against.
func (x *Index) collection() float64 { return float64(max(x.n, leastCollection)) }
