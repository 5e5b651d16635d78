package ops

import (
	"context"
	"slices"

	"polaris/models"
	"polaris/models/fault"
)

// PassagesIn names passages by a citation key, as people write it.
type PassagesIn struct {
	Key string `json:"key" jsonschema:"a citation key, as in HB 4.2(a) or 12 CFR 1002.9" schema:"minLength=1,maxLength=500"`
}

// A CitedPassage is a passage of the draft with its source and its text, that
// of the passages below it included.
type CitedPassage struct {
	Code    string         `json:"code"` // of its source
	Title   string         `json:"title"`
	Passage models.Passage `json:"passage"`
	Text    string         `json:"text"`

	Language   string       `json:"language"`              // of its source: BCP 47; "und" where it is not clear
	Refs       []PassageRef `json:"refs,omitempty"`        // what the passage itself cites
	ReferredBy *ReferredBy  `json:"referred_by,omitempty"` // what cites it
}

// CitedPassages are the passages that a key names: several, where it does not
// say of which source.
type CitedPassages struct {
	Passages []CitedPassage `json:"passages"`
}

// GetPassages shows what a citation key names in the draft.
var GetPassages = &Op[PassagesIn, CitedPassages]{
	Name: "passages.get", Title: "Look up a citation key", Route: "GET /v1/brains/{brain_id}/passages",
	Summary: "Show the passages of the draft that a citation key names, with their text. A key that does not say of which source it is may name several.",
	Class:   Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: getPassages,
}

func getPassages(_ context.Context, e *Env, in PassagesIn) (CitedPassages, error) {
	l, err := e.links()
	if err != nil {
		return CitedPassages{}, err
	}
	draft := l.draft
	refs := l.keys.Find(in.Key)
	if len(refs) == 0 {
		return CitedPassages{}, &fault.Error{Kind: fault.NotFound, Code: "no_such_passage", Field: "key", Message: "No passage of the draft has this citation key."}
	}
	const most = 50 // a key that so many sources have is none to be read through
	refs = refs[:min(len(refs), most)]
	heads, err := e.Tx.Heads()
	if err != nil {
		return CitedPassages{}, err
	}
	out := CitedPassages{Passages: make([]CitedPassage, len(refs))}
	for i, r := range refs {
		d := &draft.Docs[r.Doc]
		p, text, err := e.Tx.DraftPassage(d.Source, d.Passages[r.Passage].Key)
		if err != nil {
			return CitedPassages{}, err
		}
		own := slices.DeleteFunc(slices.Clone(l.refs[r.Doc]), func(x models.Reference) bool { return x.From != r.Passage })
		cited, _ := l.cited(r.Doc, own, text, p.Start)
		out.Passages[i] = CitedPassage{d.Source.Code, d.Source.Title, *p, text, heads[d.Source.ID].Language, cited[r.Passage], l.citing(r)}
	}
	return out, nil
}
