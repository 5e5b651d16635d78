// Package advisor answers questions from one published version of a brain.
//
// An [Engine] is built once from a frozen [models.Corpus] and answers any
// number of questions at once. It returns text of the sources and nothing
// else: each sentence of an answer is quoted to the byte from a citation, and
// where the sources do not bear on a question it says so instead. It never
// learns who is asking, and reads no clock: the same question, topic cards and
// version give the same bytes, until [Finish] adds who was served what, when.
package advisor

import (
	"net/url"
	"strings"
	"sync/atomic"

	"polaris/advisor/retrieve"
	"polaris/advisor/wiki"
	"polaris/models"
)

// Release names the code that answers; it changes whenever answers may.
const Release = "polaris-0.1"

// A Config is what an engine needs to know of the server.
type Config struct {
	PublicURL string // origin of links into the wiki
	Indexes   string // folder in which indexes are kept from start to start; empty: none are
}

// A Question is what a caller wants to know, and the topic cards that route it.
type Question struct {
	Text     string
	TopicIDs []string
	Earlier  []string // what was asked before in the same conversation, oldest first

	// Suspended is what the answer may not stand on.
	Suspended []models.Withheld

	Blocked   []models.RefusedTopic // what the brain does not answer about
	Threshold float64               // from which a sentence counts as verified; 0: [DefaultThreshold]
}

// An Engine answers from one version of a brain. It changes no answer once
// built, and is safe for concurrent use.
type Engine struct {
	corpus *models.Corpus
	find   *retrieve.Finder
	wiki   *wiki.Wiki
	cards  map[string]*card
	topics []models.Topic
	name   string
	base   string // of wiki links
	bytes  int64  // see Bytes

	sentencesOf [][]atomic.Pointer[[]said] // by document and passage; nil: not read yet
	kept        atomic.Int64               // bytes of them
	shown       atomic.Pointer[Shown]      // see Without
}

// Build makes the engine of a corpus, which must not change afterwards.
func Build(c *models.Corpus, cfg Config) (*Engine, error) {
	if err := check(c); err != nil {
		return nil, err
	}
	e := &Engine{
		corpus: c,
		find:   retrieve.NewKept(c, cfg.indexFile(c)),
		base:   strings.TrimSuffix(cfg.PublicURL, "/") + "/v1/brains/" + url.PathEscape(string(c.Brain)) + "/wiki/",
	}
	e.name = Release + " " + e.find.Index().Name()
	e.sentencesOf = make([][]atomic.Pointer[[]said], len(c.Docs))
	for d := range c.Docs {
		e.sentencesOf[d] = make([]atomic.Pointer[[]said], len(c.Docs[d].Passages))
	}
	e.addCards()
	e.wiki = wiki.New(c, func(key string) (out []wiki.Place) {
		for _, r := range e.find.Key(key) {
			out = append(out, wiki.Place{Doc: r.Doc, Passage: r.Passage})
		}
		return out
	}, e.follow)
	e.bytes = e.find.Index().Bytes()
	for _, d := range c.Docs {
		e.bytes += int64(len(d.Revision.Text))
	}
	return e, nil
}

// follow returns the passages of the version that a reference leads to.
func (e *Engine) follow(doc int, x *models.Reference) (out []wiki.Place) {
	for _, r := range e.find.Follow(doc, x) {
		out = append(out, wiki.Place{Doc: r.Doc, Passage: r.Passage})
	}
	return out
}

// Bytes returns what the engine holds in memory: the index and the texts,
// which is most of it.
func (e *Engine) Bytes() int64 { return e.bytes + e.kept.Load() }

// Version returns the number of the version that the engine answers from.
func (e *Engine) Version() int { return e.corpus.Version }

// Name says how the engine analyses and ranks, for a version's manifest.
func (e *Engine) Name() string { return e.name }
