package advisor

import (
	"fmt"
	"slices"

	"polaris/advisor/retrieve"
	"polaris/models"
)

// maxTopics is how many topic cards may route a question. One that spans more
// subjects is usually two questions.
const maxTopics = 2

// A card is a topic card with the passages that its anchors lead to.
type card struct {
	topic   models.Topic
	anchors []retrieve.Ref
	lacking []string // anchors that the corpus cannot supply
}

// addCards resolves the anchors of the corpus's topic cards.
func (e *Engine) addCards() {
	e.cards = map[string]*card{}
	for _, tc := range e.corpus.Cards {
		c := &card{topic: models.Topic{ID: tc.ID, Label: tc.Label, Covers: tc.Covers, Anchors: slices.Clone(tc.Anchors)}}
		if c.topic.Anchors == nil {
			c.topic.Anchors = []string{}
		}
		for _, a := range tc.Anchors {
			refs := e.find.Key(a)
			if len(refs) == 0 {
				c.lacking = append(c.lacking, a)
			}
			c.anchors = append(c.anchors, refs...)
		}
		c.topic.UnsupportableAnchors = len(c.lacking)
		e.cards[tc.ID] = c
		e.topics = append(e.topics, c.topic)
	}
}

// Lacking returns those anchors that a corpus cannot supply, as the engine of it
// would find. Of its passages only the keys are looked at.
func Lacking(c *models.Corpus, anchors []string) []string {
	keys := retrieve.NewKeys(c)
	lacking := []string{}
	for _, a := range anchors {
		if len(keys.Find(a)) == 0 {
			lacking = append(lacking, a)
		}
	}
	return lacking
}

// Topics returns the catalog: the version's topic cards, in its order, with how
// many of their anchors it cannot supply. It is empty, never nil, where a
// curator has written none.
func (e *Engine) Topics() []models.Topic {
	out := make([]models.Topic, len(e.topics))
	for i, t := range e.topics {
		t.Anchors = slices.Clone(t.Anchors)
		out[i] = t
	}
	return out
}

// route chooses the cards of a question: the first two known ones. It records
// in env which were used, and which ignored and why.
func (e *Engine) route(ids []string, env *models.Envelope) (used []*card) {
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		c, known := e.cards[id]
		switch {
		case !known:
			env.TopicsIgnored = append(env.TopicsIgnored, id)
			env.Notices = append(env.Notices, fmt.Sprintf("Topic card %q is not in this version and was ignored.", clean(id)))
		case len(used) == maxTopics:
			env.TopicsIgnored = append(env.TopicsIgnored, id)
			env.Notices = append(env.Notices, fmt.Sprintf("Topic card %q was ignored: a question takes at most %d.", clean(id), maxTopics))
		default:
			used = append(used, c)
			env.TopicsUsed = append(env.TopicsUsed, id)
			for _, key := range c.lacking {
				env.Notices = append(env.Notices, fmt.Sprintf("The sources have no %s, which topic card %q is anchored on.", clean(key), c.topic.ID))
			}
		}
	}
	return used
}

// WithCard returns the engine with one topic card more, or another one in the
// place of the card of its id, for trying a card before it is saved.
func (e *Engine) WithCard(tc models.TopicCard) *Engine {
	corpus := *e.corpus
	corpus.Cards = append(slices.DeleteFunc(slices.Clone(e.corpus.Cards), func(c models.TopicCard) bool { return c.ID == tc.ID }), tc)
	with := &Engine{corpus: &corpus, find: e.find, wiki: e.wiki, name: e.name, base: e.base, bytes: e.bytes, sentencesOf: e.sentencesOf}
	with.addCards()
	return with
}

// Holds reports whether the engine answers from this revision of a source.
func (e *Engine) Holds(source string, revision int) bool {
	return slices.ContainsFunc(e.corpus.Docs, func(d models.Doc) bool { return d.Source.ID == source && d.Revision.N == revision })
}
