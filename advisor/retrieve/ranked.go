package retrieve

import (
	"math"

	"polaris/advisor/index"
)

// Ranked returns the passages that the question's words lead to, best first, at
// most n, each with a calibrated score, and with the list that it opens if that is short.
func (f *Finder) Ranked(q *index.Query, n int) []Found {
	hits := f.words.Search(q, n)
	out := make([]Found, len(hits))
	for i, h := range hits {
		ref := f.refs[h.Doc]
		p := f.Passage(ref)
		s := f.signs(q, h)
		out[i] = Found{Ref: ref, Start: p.Start, End: f.end(ref), Why: ByWords, Score: s.score()}
		s.kind = 0
		out[i].About = s.score()
	}
	return out
}

// signs are what tells a passage that bears on a question from one that only
// shares words with it.
type signs struct {
	coverage float64 // share of the question that the passage and its headings have
	strength float64 // the ranking's score, as a share of the best possible
	together float64 // share of the question's neighbouring words that stand together
	asked    bool    // the word that names what is asked for is there, or in what is above
	terms    int     // of the question
	kind     float64 // what it says that the kind of answer asked for is there, or is not
}

// signs measures a hit.
func (f *Finder) signs(q *index.Query, h index.Hit) signs {
	m := h.Terms
	s := signs{coverage: q.Coverage(m), together: h.Together, terms: q.Len()}
	if best := q.Best(); best > 0 {
		s.strength = float64(h.Score) / best
	}
	matched, any := q.Asked(m)
	s.asked = matched || !any
	for ref, ok := f.Parent(f.refs[h.Doc]); ok && !s.asked; ref, ok = f.Parent(ref) {
		s.asked, _ = q.Asked(f.words.Match(q, f.Text(ref)))
	}
	if want := q.Wants(); want != 0 {
		s.kind = evidenceOf(want, f.words.Kinds(h.Doc), s.asked)
		switch ref := f.refs[h.Doc]; {
		case s.kind <= 0:
		case q.Whole(m) && f.inOneSentence(q, f.Text(ref)):
			s.kind++
		case f.headed(q, ref):
			s.kind += 1.2
		}
	}
	return s
}

// headed reports whether the heading nearest to a passage is what the question
// is about.
func (f *Finder) headed(q *index.Query, r Ref) bool {
	h := f.Passage(r).Heading
	return len(h) > 0 && f.words.Same(q, h[len(h)-1])
}

// inOneSentence reports whether a sentence of text has all that the question is
// about, and the kind of answer that it asks for.
func (f *Finder) inOneSentence(q *index.Query, text string) bool {
	for _, s := range Sentences(text) {
		sentence := text[s.Start:s.End]
		if q.Whole(f.words.Match(q, sentence)) && index.Kinds(sentence)&q.Wants() != 0 {
			return true
		}
	}
	return false
}

// evidenceOf returns what it says of a passage that it has, or lacks, the kind
// of answer that is wanted. Times are seldom there by chance, numbers often are;
// that they are there says nothing where they are something else's.
func evidenceOf(want, has index.Kind, asked bool) float64 {
	switch {
	case want&has == 0:
		return -1
	case !asked:
		return 0
	case want&index.Number != 0:
		return 0.3
	}
	return 0.7
}

// score is the estimated probability that the passage bears on the question. It
// was fitted to questions that regulations and three other collections answer
// and to questions that they do not. Of a long question even the right passage
// has only a part, hence the last term.
func (s signs) score() float64 {
	z := -10.6 + 5*s.coverage + 5.1*s.strength + 3*s.together + 2*math.Log(1+float64(min(s.terms, 14))) + s.kind
	if s.asked {
		z += 1.5
	}
	return 1 / (1 + math.Exp(-z))
}
