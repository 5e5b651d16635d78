package advisor

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"polaris/advisor/retrieve"
	"polaris/advisor/verify"
	"polaris/models"
)

// Answer answers a question in sentences of the sources, or declines to.
func (e *Engine) Answer(_ context.Context, q Question) *models.Envelope {
	if env := refuse(q, e.Version(), e.name, true); env != nil {
		return env
	}
	return e.withhold(e.answer(q), q.Suspended, false)
}

func (e *Engine) answer(q Question) *models.Envelope {
	env, ev := e.open(q, asAnswer)
	if ev.reason == "" && !e.answers(ev) {
		ev.reason = weakEvidence
	}
	if ev.reason != "" {
		return decline(env, ev.reason, declined[ev.reason])
	}
	claims := e.choose(ev)
	if len(claims) == 0 && ev.unproved {
		return decline(env, weakEvidence, declined[weakEvidence])
	}
	b := builder{engine: e, env: env, numbers: map[span]int{}}
	for _, f := range ev.exact {
		b.cite(f)
	}
	var said strings.Builder
	sum, numbers := 0.0, map[span]int{}
	for i, c := range claims {
		n := c.found + 1
		if c.found >= len(ev.exact) {
			f := ev.ranked[c.found-len(ev.exact)]
			n = b.cite(retrieve.Found{Ref: c.ref, Start: c.start, End: c.end, Why: f.Why, Score: c.score})
		}
		numbers[spanOf(c)] = n
		if i > 0 {
			said.WriteString(between(claims[i-1], c))
		}
		text := e.find.Doc(c.ref).Revision.Text[c.start:c.end]
		fmt.Fprintf(&said, "%s [%d]", text, n)
		cited := &env.Citations[n-1]
		cited.Verification = verify.Lexical(text, cited.Quote, nil)
		cited.Verified = cited.Verification.Score >= ev.threshold
		sum += cited.Score * cited.Verification.Score
	}
	env.Result = said.String()
	env.Confidence = round(sum / float64(max(1, len(claims))))
	e.report(env, ev.conflicts, numbers)
	env.Rendered = render(env, nil)
	return env
}

// Retrieve returns the passages that bear on a question, and no text of its
// own: first those that it names, then those of its topic cards, then those
// that its words lead to, the best first.
func (e *Engine) Retrieve(_ context.Context, q Question) *models.Envelope {
	if env := refuse(q, e.Version(), e.name, false); env != nil {
		return env
	}
	return e.withhold(e.retrieve(q), q.Suspended, true)
}

func (e *Engine) retrieve(q Question) *models.Envelope {
	env, ev := e.open(q, asPassage)
	if ev.reason != "" {
		return decline(env, ev.reason, "")
	}
	b := builder{engine: e, env: env, numbers: map[span]int{}}
	for _, f := range ev.exact {
		b.cite(f)
	}
	for _, f := range e.passages(ev) {
		b.cite(f)
	}
	env.Rendered = render(env, b.fit(len(ev.exact), ev.cut))
	return env
}

// open begins an envelope and gathers the evidence.
func (e *Engine) open(q Question, weigh weigher) (*models.Envelope, *evidence) {
	text, led := inContext(q.Text, q.Earlier)
	q.Text = strings.ToValidUTF8(text, "\uFFFD")
	env := &models.Envelope{
		Citations:    []models.Citation{},
		Guardrail:    models.Guardrail{Status: models.GuardrailPass, Reasons: []string{}},
		BrainVersion: e.Version(),
		Query:        q.Text,
		Engine:       e.name,
	}
	if led {
		env.Notices = append(env.Notices, "The last question names nothing by itself, so it was read together with the one before it that does.")
	}
	return env, e.gather(q, env, weigh)
}

// decline makes env say that there is no answer, and why.
func decline(env *models.Envelope, reason, result string) *models.Envelope {
	env.Guardrail = models.Guardrail{Status: models.GuardrailDisclaim, Reasons: []string{reason}}
	env.Result = result
	env.Rendered = render(env, nil)
	return env
}

// NoVersion is the answer of a brain that has published nothing yet.
func NoVersion(q Question) *models.Envelope {
	if env := refuse(q, 0, Release, true); env != nil {
		return env
	}
	env := &models.Envelope{Citations: []models.Citation{}, Query: strings.ToValidUTF8(q.Text, "\uFFFD"), Engine: Release}
	return decline(env, noVersion, declined[noVersion])
}

// between parts two sentences: those of one passage run on.
func between(a, b claim) string {
	if a.ref == b.ref {
		return " "
	}
	return "\n\n"
}

// A span is a part of a document's text.
type span struct{ doc, start, end int }

// A builder adds citations to an envelope, equal spans once.
type builder struct {
	engine  *Engine
	env     *models.Envelope
	numbers map[span]int
}

// cite adds a citation of what was found, and returns its number.
func (b *builder) cite(f retrieve.Found) int {
	doc, p := b.engine.find.Doc(f.Ref), b.engine.find.Passage(f.Ref)
	text := doc.Revision.Text
	start, end := trimmed(text, f.Start, f.End)
	key := span{f.Doc, start, end}
	if n, ok := b.numbers[key]; ok {
		return n
	}
	n := len(b.env.Citations) + 1
	b.numbers[key] = n
	c := models.Citation{
		N: n, SourceID: doc.Source.Title, Kind: models.CitesPassage, Key: p.Key, Quote: text[start:end], Locator: p.Locator,
		Score: round(f.Score), Verification: models.Verification{Method: models.Unverified}, Why: f.Why,
		Provenance: models.Provenance{
			SourceDocPK: doc.Source.ID, DocTitle: doc.Source.Title, OriginURL: doc.Source.OriginURL,
			Jurisdiction: doc.Source.Jurisdiction, Revision: doc.Revision.N, Start: start, End: end,
		},
	}
	c.ConceptRefs = b.engine.wiki.Mentioned(c.Quote, 5)
	for _, entity := range append(c.ConceptRefs[:len(c.ConceptRefs):len(c.ConceptRefs)], b.engine.wiki.Source(f.Doc)) {
		if entity != "" {
			c.Wiki = append(c.Wiki, models.WikiLink{Entity: entity, Ref: b.engine.base + url.PathEscape(entity)})
		}
	}
	b.env.Citations = append(b.env.Citations, c)
	return n
}

// round keeps scores readable, and the same on every processor.
func round(f float64) float64 { return float64(int(f*1000+0.5)) / 1000 }
