package advisor

import (
	"strings"
	"unicode"

	"polaris/advisor/retrieve"
)

// sentences returns the sentences of the passages refs, weighed.
func (e *Engine) sentences(ev *evidence, f retrieve.Found, refs []retrieve.Ref, found int) []claim {
	var out []claim
	x := e.find.Index()
	for _, ref := range refs {
		base, text := e.find.Passage(ref).Start, e.find.Text(ref)
		context := ev.query.Coverage(e.find.Match(ev.query, ref))
		for _, s := range parts(text, heading(text, retrieve.Sentences(text))) {
			if !says(text[s.Start:s.End]) {
				continue
			}
			c := claim{ref: ref, start: base + s.Start, end: base + s.End, found: found, score: f.Score}
			c.terms = x.Match(ev.query, text[s.Start:s.End])
			own := ev.query.Coverage(c.terms)
			c.worth = (own + contextPart*max(0, context-own)) * (0.5 + 0.5*f.Score) * substance(text[s.Start:s.End])
			out = append(out, c)
		}
	}
	return out
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
	if n < 15 && !complete(s) && !strings.ContainsAny(s[len(s)-1:], ":;,") && !strings.HasSuffix(s, "—") {
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
