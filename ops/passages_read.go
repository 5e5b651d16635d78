package ops

import (
	"context"

	"polaris/models"
	"polaris/models/fault"
)

// ReadPassageIn names a passage by its citation key, and how much around it is
// wanted.
type ReadPassageIn struct {
	Key    string `json:"key" jsonschema:"a citation key, as in HB 4.2(a)" schema:"minLength=1,maxLength=500"`
	Before int    `json:"before,omitempty" schema:"minimum=0,maximum=100"` // passages before it; 6 where it is left out
	After  int    `json:"after,omitempty" schema:"minimum=0,maximum=100"`  // and after; 20 where it is left out
}

// A PublishedPassage is a passage of the version that answers, in the text around
// it.
type PublishedPassage struct {
	Version  int           `json:"version"`
	Code     string        `json:"code"` // of its source
	SourceID string        `json:"source_id"`
	Title    string        `json:"title"`
	Revision int           `json:"revision"`
	Origin   string        `json:"origin_url,omitempty"`
	At       int           `json:"at"` // which of the passages was asked for
	Passages []TextPassage `json:"passages"`
	Before   bool          `json:"before"` // more stands before them
	After    bool          `json:"after"`
	Notice   string        `json:"notice,omitempty"`
}

// A TextPassage is one passage with its own text.
type TextPassage struct {
	Key     string `json:"key"`
	Locator string `json:"locator"`
	Heading bool   `json:"heading"`
	Depth   int    `json:"depth"`
	Start   int    `json:"start"` // byte offset in the revision's text
	Text    string `json:"text"`
}

// noPublishedPassage says that the version has none, or that it is suspended.
var noPublishedPassage = &fault.Error{Kind: fault.NotFound, Code: "no_such_passage", Field: "key", Message: "No passage of the published version has this citation key."}

// ReadPassage shows a passage of the published version where it stands. Whoever
// may ask may read what an answer quotes.
var ReadPassage = &Op[ReadPassageIn, PublishedPassage]{
	Name: "passages.read", Title: "Read a passage", Route: "GET /v1/brains/{brain_id}/published/passages",
	Summary: "Show the passage of the published version that a citation key names, with those before and after it.",
	Class:   Read, Needs: models.MayAsk, Offered: Web | REST, Loaded: true,
	Run: func(ctx context.Context, e *Env, in ReadPassageIn) (PublishedPassage, error) {
		if in.Key == "" || len(in.Key) > 500 {
			return PublishedPassage{}, noPublishedPassage
		}
		shown, err := e.shown(ctx)
		if err != nil {
			return PublishedPassage{}, err
		}
		if shown == nil {
			return PublishedPassage{}, noPublishedPassage
		}
		before, after := 6, 20
		if in.Before > 0 {
			before = min(in.Before, 100)
		}
		if in.After > 0 {
			after = min(in.After, 100)
		}
		s, ok := shown.Around(in.Key, before, after)
		if !ok {
			return PublishedPassage{}, noPublishedPassage
		}
		out := PublishedPassage{
			Version: e.Call.By.Published, Code: s.Source.Code, SourceID: s.Source.ID, Title: s.Source.Title, Revision: s.Revision, Origin: s.Source.OriginURL,
			At: s.At, Passages: make([]TextPassage, len(s.Passages)), Before: s.Before, After: s.After, Notice: partial(shown),
		}
		for i, p := range s.Passages {
			out.Passages[i] = TextPassage(p)
		}
		return out, nil
	},
}
