package ops

import (
	"context"
	"strings"
	"unicode/utf8"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// SearchIn is what somebody types to get to a thing by its name.
type SearchIn struct {
	Text string `json:"q" jsonschema:"a part of the name: of a title, a code, a citation key, a topic card, a change that waits"`
}

// A Hit is one thing that has the text in its name.
type Hit struct {
	Kind HitKind `json:"kind"`
	ID   string  `json:"id"`             // by which its page is found: a code, an id, a title, a citation key
	Name string  `json:"name"`           // as people call it
	Note string  `json:"note,omitempty"` // what tells it from others of the name
	In   string  `json:"in,omitempty"`   // code of the source that a passage is of
}

// A HitKind says what was found.
type HitKind string

// The kinds of things that are found by name, in the order in which they are
// listed.
const (
	HitSource         HitKind = "source"
	HitCard           HitKind = "topic_card"
	HitPassage        HitKind = "passage"
	HitArticle        HitKind = "article"
	HitRecommendation HitKind = "recommendation"
)

// Hits are what was found.
type Hits struct {
	Hits []Hit `json:"hits"`
}

const (
	longestSearch = 200 // characters
	mostHits      = 6   // of each kind
	passageStart  = 160 // bytes of a passage's text
)

// Search finds the things of a brain by name. It is not retrieval: it leads to
// pages, and reads no passage's text.
var Search = &Op[SearchIn, Hits]{
	Name: "search", Title: "Find by name", Route: "GET /v1/brains/{brain_id}/search",
	Summary: "Find things by their names: sources by code or title, topic cards, passages by citation key, articles, changes that wait. Of the draft where you may read it, else of the published version. For questions use answer or retrieve.",
	Class:   Read, Needs: models.MayAsk, Offered: Web | REST,
	Run: func(ctx context.Context, e *Env, in SearchIn) (Hits, error) {
		text := strings.TrimSpace(in.Text)
		if n := utf8.RuneCountInString(text); n > longestSearch {
			return Hits{}, fault.Field("q", "Search for at most %d characters.", longestSearch)
		}
		out := Hits{[]Hit{}}
		if text == "" {
			return out, nil
		}
		if e.Call.By.May(models.MayReadDraft) {
			if err := out.draft(e, text); err != nil {
				return out, err
			}
		}
		return out, out.articles(ctx, e, text)
	},
}

// draft adds what is found in the draft.
func (h *Hits) draft(e *Env, text string) error {
	ss, err := e.Tx.FindSources(store.SourceFilter{Text: text}, store.ByCode, store.Stretch{N: mostHits})
	if err != nil {
		return err
	}
	for _, s := range ss {
		h.Hits = append(h.Hits, Hit{Kind: HitSource, ID: s.Code, Name: s.Title, Note: s.Code})
	}
	cs, err := e.Tx.CardsNamed(text, mostHits)
	if err != nil {
		return err
	}
	for _, c := range cs {
		h.Hits = append(h.Hits, Hit{Kind: HitCard, ID: c.ID, Name: c.Name, Note: c.ID})
	}
	ps, err := e.Tx.PassagesByBeginning(text, mostHits, passageStart)
	if err != nil {
		return err
	}
	for _, p := range ps {
		h.Hits = append(h.Hits, Hit{HitPassage, p.Key, p.Key, strings.Join(strings.Fields(p.Text), " "), p.Code})
	}
	rs, err := e.Tx.RecommendationsNamed(text, mostHits)
	if err != nil {
		return err
	}
	for _, r := range rs {
		h.Hits = append(h.Hits, Hit{Kind: HitRecommendation, ID: r.ID, Name: r.Operation, Note: r.Target})
	}
	return nil
}

// articles adds the articles of the published wiki.
func (h *Hits) articles(ctx context.Context, e *Env, text string) error {
	shown, err := e.shown(ctx)
	if err != nil || shown == nil {
		return err
	}
	n := 0
	for _, c := range shown.Wiki() {
		for _, title := range c.Titles {
			if n < mostHits && strings.Contains(strings.ToLower(title), strings.ToLower(text)) {
				h.Hits = append(h.Hits, Hit{Kind: HitArticle, ID: title, Name: title, Note: c.Name})
				n++
			}
		}
	}
	return nil
}
