package advisor

import (
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
	spans := parts(text, heading(text, retrieve.Sentences(text)))
	all := make([]said, len(spans))
	size := 0
	for i, s := range spans {
		sentence := text[s.Start:s.End]
		all[i] = said{
			Span: s, terms: e.find.Index().Terms(sentence), kinds: index.Kinds(sentence), substance: substance(sentence),
			says: says(sentence), leans: leans(sentence), row: sentence[0] == '|', opens: i == len(spans)-1 && !complete(sentence),
		}
		size += saidBytes + 4*len(all[i].terms)
	}
	if kept.CompareAndSwap(nil, &all) {
		e.kept.Add(int64(size))
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
		var r run
		for _, s := range e.read(ref) {
			if !s.says {
				continue
			}
			next := alone(ev.query, s)
			if s.opens {
				next.kind |= e.find.Kinds(ref) & ev.query.Wants() // in the list that it opens
			}
			r = r.then(ev.query, text, s, next)
			worth := (r.own + contextPart*max(0, context-r.own)) * (0.5 + 0.5*f.Score) * r.substance * fit(ev.query.Wants(), r.kind)
			out = append(out, claim{
				ref: ref, start: base + r.Start, end: base + r.End, found: found,
				score: f.Score, worth: worth, terms: r.terms, kind: r.kind,
			})
		}
	}
	return out
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
