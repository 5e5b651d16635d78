package advisor

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"polaris/advisor/index"
	"polaris/advisor/retrieve"
)

// A said is a sentence of a passage, with all of it that no question changes:
// read once, when its passage is first looked at, and kept with the engine.
type said struct {
	retrieve.Span             // of the passage's text
	terms         index.Terms // of its words
	kinds         index.Kind
	substance     float64
	words         int
	says          bool // it can say anything by itself
	leans         bool // it says little without those before it
	row           bool // of a table
	opens         bool // the last one, which opens a list
}

// saidBytes is the size of a said without its terms, roughly.
const saidBytes = 72

// read returns the sentences of a passage.
func (e *Engine) read(ref retrieve.Ref) []said {
	kept := &e.sentencesOf[ref.Doc][ref.Passage]
	if all := kept.Load(); all != nil {
		return *all
	}
	text := e.find.Text(ref)
	all := say(e.find.Index(), text, parts(text, heading(text, retrieve.Sentences(text))))
	if kept.CompareAndSwap(nil, &all) {
		size := 0
		for i := range all {
			size += saidBytes + 4*len(all[i].terms)
		}
		e.kept.Add(int64(size))
	}
	return all
}

// say reads the sentences of a text that stand at spans.
func say(x *index.Index, text string, spans []retrieve.Span) []said {
	all := make([]said, len(spans))
	for i, s := range spans {
		sentence := text[s.Start:s.End]
		all[i] = said{
			Span: s, terms: x.Terms(sentence), kinds: index.Kinds(sentence), substance: substance(sentence), words: words(sentence),
			says: says(sentence), leans: leans(sentence), row: sentence[0] == '|', opens: i == len(spans)-1 && !complete(sentence),
		}
	}
	return all
}

// sentences returns the sentences of the passages refs, weighed. One that says
// little without those before it comes with them.
func (e *Engine) sentences(ev *evidence, f retrieve.Found, refs []retrieve.Ref, found int) []claim {
	var out []claim
	for _, ref := range refs {
		base, text := e.find.Passage(ref).Start, e.find.Text(ref)
		context := ev.query.Coverage(e.find.Match(ev.query, ref))
		var opened index.Kind
		if all := e.read(ref); len(all) > 0 && all[len(all)-1].opens {
			opened = e.find.Kinds(ref) // in the list that it opens
		}
		weigh(ev.query, text, e.read(ref), context, opened, func(_ int, r run, worth float64) {
			out = append(out, claim{
				ref: ref, start: base + r.Start, end: base + r.End, found: found,
				score: f.Score, worth: worth * (0.5 + 0.5*f.Score), terms: r.terms, kind: r.kind,
			})
		})
	}
	return out
}

// What a sentence is worth beside the words of the question that it has.
const (
	placePart  = 0.3  // for the last one of a long passage: prose ends with what it comes to
	lengthPart = 0.15 // for one of twice the usual length: it has room to say the thing
	usualWords = 20
	longProse  = 7 // sentences from which a passage is prose that comes to something
)

// weigh calls each with every sentence of a text that can say something, the
// run that ends with it, and what that is worth as an answer. Context is how
// much of the question the whole text has.
func weigh(q *index.Query, text string, all []said, context float64, opened index.Kind, each func(i int, r run, worth float64)) {
	var r run
	for i, s := range all {
		if !s.says {
			continue
		}
		next := alone(q, s)
		if s.opens {
			next.kind |= opened & q.Wants()
		}
		r = r.then(q, text, s, next)
		has := r.own + contextPart*max(0, context-r.own)
		if len(all) >= longProse && !s.row {
			place := float64(i) / float64(len(all)-1)
			length := max(-2, min(1, math.Log2(float64(max(1, s.words))/usualWords)))
			has += (placePart*place + lengthPart*length) * context
		}
		each(i, r, has*r.substance*fit(q.Wants(), r.kind))
	}
}

// Rank orders the sentences of one text by what they are worth as the answer to
// a question, the best first, as an answer chooses among those of a passage.
// Those that can say nothing come last.
func Rank(x *index.Index, question string, sentences []string) []int {
	q := x.Query(question)
	text := strings.Join(sentences, " ")
	spans := make([]retrieve.Span, 0, len(sentences))
	var place []int // of a span among the sentences
	at := 0
	for i, s := range sentences {
		if s != "" {
			spans = append(spans, retrieve.Span{Start: at, End: at + len(s)})
			place = append(place, i)
		}
		at += len(s) + 1
	}
	worth := make([]float64, len(sentences))
	for i := range worth {
		worth[i] = -1
	}
	weigh(q, text, say(x, text, spans), q.Coverage(x.Match(q, text)), 0, func(i int, _ run, w float64) { worth[place[i]] = w })
	order := make([]int, len(sentences))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })
	return order
}

// A run is a sentence with those before it that it leans on.
type run struct {
	retrieve.Span
	terms     index.Matched
	own       float64    // share of the question that it has
	kind      index.Kind // of those that the question asks for
	substance float64
}

// alone returns the run of one sentence.
func alone(q *index.Query, s said) run {
	r := run{Span: s.Span, terms: q.Matched(s.terms), substance: s.substance}
	r.own = q.Coverage(r.terms)
	r.kind = s.kinds & q.Wants()
	return r
}

// then returns the run that ends with the sentence s, whose own run is next. It
// goes on where s leans on it, or has the kind of answer to what the run is
// about: "The notice states the reasons. State no more than four."
func (r run) then(q *index.Query, text string, s said, next run) run {
	answers := next.kind != 0 && r.kind == 0 && next.own < r.own
	if r.End == 0 || next.End-r.Start > longClaim || s.row || !answers && !s.leans {
		return next
	}
	r.End = next.End
	r.terms.Add(next.terms)
	r.own = q.Coverage(r.terms)
	r.kind |= next.kind
	r.substance = substance(text[r.Start:r.End])
	return r
}

// fit favours what has the kind of answer that a question asks for, if it asks
// for one.
func fit(want, has index.Kind) float64 {
	switch {
	case want != 0 && has == 0:
		return wrongKind
	case has == index.Moment:
		return looseKind
	}
	return 1
}

// heading joins a short first sentence to the one after it, whose heading it is.
func heading(text string, spans []retrieve.Span) []retrieve.Span {
	if len(spans) > 1 && words(text[spans[0].Start:spans[0].End]) <= runIn {
		spans[1].Start = spans[0].Start
		return spans[1:]
	}
	return spans
}

// parts cuts sentences that are too long to quote, at white space where there
// is some.
func parts(text string, spans []retrieve.Span) []retrieve.Span {
	var out []retrieve.Span
	for _, s := range spans {
		for s.End-s.Start > longClaim {
			cut := s.Start + longClaim
			if i := strings.LastIndexByte(text[s.Start:cut], ' '); i > longClaim/2 {
				cut = s.Start + i
			}
			for !boundary(text, cut) {
				cut--
			}
			out = append(out, retrieve.Span{Start: s.Start, End: cut})
			s.Start = cut + len(text[cut:s.End]) - len(strings.TrimLeftFunc(text[cut:s.End], unicode.IsSpace))
		}
		if s.Start < s.End {
			out = append(out, s)
		}
	}
	return out
}

// substance favours sentences that can say something over scraps and headings.
func substance(s string) float64 {
	w := 1.0
	n := words(s)
	if n < 6 {
		w = 0.4 + 0.1*float64(n)
	}
	if n < 15 && !complete(s) && !strings.ContainsAny(s[len(s)-1:], ":;,|") && !strings.HasSuffix(s, "—") {
		w *= 0.5
	}
	return w
}

// words counts what white space sets apart.
func words(s string) (n int) {
	for range strings.FieldsSeq(s) {
		n++
	}
	return n
}

// says reports whether a sentence can say anything: it has two words at least.
func says(sentence string) bool {
	n := 0
	for w := range strings.FieldsSeq(sentence) {
		if strings.ContainsFunc(w, unicode.IsLetter) {
			n++
		}
	}
	return n >= 2 || n == 1 && len(sentence) > 40 // writing without spaces
}
