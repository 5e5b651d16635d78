package ops

import (
	"context"
	"strings"

	"polaris/advisor"
	"polaris/models"
	"polaris/models/fault"
)

// FindPassagesIn is what somebody has typed of a citation key, or of what it is
// about.
type FindPassagesIn struct {
	Query string `json:"query" schema:"minLength=1,maxLength=200"`
	Limit int    `json:"limit,omitempty" schema:"minimum=1,maximum=20"` // 10 where it is left out
}

// A FoundPassage is a passage of the draft that could be meant.
type FoundPassage struct {
	AnchorText
	How string `json:"how"` // key: its key begins so; name: its key or heading has it; words: it is about that
}

// FoundPassages are passages, the likeliest first.
type FoundPassages struct {
	Passages []FoundPassage `json:"passages"`
}

// foundShown is how much of a passage's text is shown, in bytes.
const foundShown = 160

// FindPassages completes a citation key: by its beginning, by what is in it or in
// its heading, and by what the published version's index finds for the words.
var FindPassages = &Op[FindPassagesIn, FoundPassages]{
	Name: "passages.find", Title: "Find passages", Route: "GET /v1/brains/{brain_id}/draft/passages",
	Summary: "Find passages of the draft whose citation key begins with a text, whose key or heading has it, or that are about it. For completing a key while it is typed.",
	Class:   Read, Needs: models.MayReadDraft, Offered: Web | REST,
	Stage: func(ctx context.Context, e *Env, in FindPassagesIn) (any, error) {
		return e.byWords(ctx, in.Query)
	},
	Run: findPassages,
}

// byWords returns the keys that the published version finds for words; none where
// nothing is published.
func (e *Env) byWords(ctx context.Context, query string) ([]string, error) {
	if strings.TrimSpace(query) == "" || len(query) > 200 {
		return nil, fault.Field("query", "Type some of a citation key, or of what it is about, in at most 200 bytes.")
	}
	engine, err := e.engine(ctx)
	if err != nil || engine == nil || len(query) < 4 {
		return nil, err
	}
	off, err := e.suspended(ctx)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, c := range engine.Retrieve(ctx, advisor.Question{Text: query, Suspended: off}).Citations {
		if c.Key != "" {
			keys = append(keys, c.Key)
		}
	}
	return keys, nil
}

func findPassages(_ context.Context, e *Env, in FindPassagesIn) (FoundPassages, error) {
	out := FoundPassages{Passages: []FoundPassage{}}
	most := in.Limit
	if most == 0 {
		most = 10
	}
	seen := map[string]bool{}
	add := func(how string, x AnchorText) {
		if id := x.Code + "\x00" + x.Key; !seen[id] && len(out.Passages) < most {
			seen[id] = true
			out.Passages = append(out.Passages, FoundPassage{x, how})
		}
	}
	typed := clean(in.Query)
	begin, err := e.Tx.PassagesByBeginning(typed, most, foundShown)
	if err != nil {
		return out, err
	}
	for _, p := range begin {
		add("key", textOf(p))
	}
	if words, _ := e.Staged.([]string); len(out.Passages) < most && len(words) > 0 {
		ps, err := e.Tx.PassagesByKeys(distinct(words), foundShown)
		if err != nil {
			return out, err
		}
		for _, k := range words { // in the order in which they were found
			for _, p := range ps {
				if p.Key == k {
					add("words", textOf(p))
				}
			}
		}
	}
	if len(out.Passages) == 0 { // the dearest: it reads all keys
		ps, err := e.Tx.PassagesNamed(typed, most, foundShown)
		if err != nil {
			return out, err
		}
		for _, p := range ps {
			add("name", textOf(p))
		}
	}
	return out, nil
}
