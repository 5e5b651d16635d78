package advisor

import (
	"fmt"
	"slices"
	"strings"

	"polaris/advisor/retrieve"
	"polaris/advisor/wiki"
	"polaris/models"
)

// sourceSuspended is the reason where an answer would need what is suspended.
const sourceSuspended = "source_suspended"

// A Shown is what of a version may be browsed while parts of it are suspended.
type Shown struct {
	engine *Engine
	off    string         // what is suspended, as a name
	spans  map[int][]span // of the texts that are not shown, by document
	wiki   *wiki.Wiki
	topics []models.Topic
}

// Without returns the version without what is suspended. The texts of that are
// not merely passed over: the articles are written from a corpus that lacks them.
func (e *Engine) Without(off []models.Withheld) *Shown {
	var name strings.Builder
	for _, w := range off {
		fmt.Fprintf(&name, "%q %q\n", w.SourceID, w.Key)
	}
	if s := e.shown.Load(); s != nil && s.off == name.String() {
		return s // the same is suspended as when it was made, so nothing in it is old
	}
	s := &Shown{engine: e, off: name.String(), spans: map[int][]span{}, wiki: e.wiki, topics: e.topics}
	for d := range e.corpus.Docs {
		doc := &e.corpus.Docs[d]
		for _, w := range off {
			if w.SourceID != doc.Source.ID {
				continue
			}
			if w.Key == "" {
				s.spans[d] = append(s.spans[d], span{d, 0, len(doc.Revision.Text)})
				continue
			}
			for _, p := range doc.Passages {
				if p.Key == w.Key {
					s.spans[d] = append(s.spans[d], span{d, p.Start, p.SpanEnd})
				}
			}
		}
	}
	if len(s.spans) > 0 {
		s.build()
	}
	e.shown.Store(s)
	return s
}

// build writes the wiki and counts the anchors of what is left.
func (s *Shown) build() {
	e := s.engine
	c := *e.corpus
	c.Docs = slices.Clone(c.Docs)
	for d := range s.spans {
		c.Docs[d] = s.blank(d)
	}
	s.wiki = wiki.New(&c, func(key string) (out []wiki.Place) {
		for _, r := range e.find.Key(key) {
			if !s.hides(r) {
				out = append(out, wiki.Place{Doc: r.Doc, Passage: r.Passage})
			}
		}
		return out
	}, func(doc int, x *models.Reference) []wiki.Place {
		return slices.DeleteFunc(e.follow(doc, x), func(p wiki.Place) bool { return s.hides(retrieve.Ref{Doc: p.Doc, Passage: p.Passage}) })
	})
	s.topics = slices.Clone(e.topics)
	for i, t := range s.topics {
		for _, a := range t.Anchors {
			if refs := e.find.Key(a); len(refs) > 0 && !slices.ContainsFunc(refs, func(r retrieve.Ref) bool { return !s.hides(r) }) {
				s.topics[i].UnsupportableAnchors++
			}
		}
	}
}

// blank returns a document of which only the names are left where all of it is
// suspended, and else one with blanks where the suspended passages stood.
func (s *Shown) blank(d int) models.Doc {
	doc := s.engine.corpus.Docs[d]
	text := []byte(doc.Revision.Text)
	for _, x := range s.spans[d] {
		if x.start == 0 && x.end == len(text) {
			doc.Revision.Text, doc.Passages, doc.Terms, doc.Refs = "", nil, nil, nil
			return doc
		}
		for i := x.start; i < x.end; i++ {
			text[i] = ' '
		}
	}
	doc.Revision.Text = string(text)
	doc.Refs = slices.DeleteFunc(slices.Clone(doc.Refs), func(x models.Reference) bool { return s.overlaps(d, x.Start, x.End) })
	doc.Terms = slices.DeleteFunc(slices.Clone(doc.Terms), func(t models.Term) bool {
		return t.Ordinal >= 0 && t.Ordinal < len(doc.Passages) && s.hides(retrieve.Ref{Doc: d, Passage: t.Ordinal})
	})
	return doc
}

// hides reports whether a passage, with those below it, has suspended text.
func (s *Shown) hides(r retrieve.Ref) bool {
	p := s.engine.find.Passage(r)
	return s.overlaps(r.Doc, p.Start, p.SpanEnd)
}

func (s *Shown) overlaps(doc, start, end int) bool {
	return slices.ContainsFunc(s.spans[doc], func(x span) bool { return x.start < end && start < x.end })
}

// quotes reports whether a citation has suspended text.
func (s *Shown) quotes(c models.Citation) bool {
	d := slices.IndexFunc(s.engine.corpus.Docs, func(d models.Doc) bool { return d.Source.ID == c.Provenance.SourceDocPK })
	return d >= 0 && s.overlaps(d, c.Provenance.Start, c.Provenance.End)
}

// withhold takes out of an answer what is suspended: an answer in sentences that
// would need it is declined, of passages the others stay.
func (e *Engine) withhold(env *models.Envelope, off []models.Withheld, passages bool) *models.Envelope {
	if len(off) == 0 || len(env.Citations) == 0 {
		return env
	}
	s := e.Without(off)
	kept := slices.DeleteFunc(slices.Clone(env.Citations), s.quotes)
	gone := len(env.Citations) - len(kept)
	if gone > 0 && (!passages || len(kept) == 0) {
		env.Citations, env.Confidence = []models.Citation{}, 0
		return decline(env, sourceSuspended, declined[sourceSuspended])
	}
	for i := range kept {
		c := &kept[i]
		c.N = i + 1
		c.ConceptRefs = slices.DeleteFunc(slices.Clone(c.ConceptRefs), func(t string) bool { return !s.wiki.Has(t) })
		c.Wiki = slices.DeleteFunc(slices.Clone(c.Wiki), func(l models.WikiLink) bool { return !s.wiki.Has(l.Entity) })
	}
	env.Citations = kept
	if gone > 0 {
		env.Notices = append(env.Notices, fmt.Sprintf("%s left out: suspended by a curator.", counted(gone, "passage was", "passages were")))
		env.Rendered = render(env, nil)
	}
	return env
}
