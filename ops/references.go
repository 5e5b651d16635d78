package ops

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"polaris/advisor/retrieve"
	"polaris/models"
	"polaris/models/store"
)

// Where a cross-reference leads.
const (
	RefResolved = "resolved" // to passages of the draft
	RefBroken   = "broken"   // to a place that a source of the draft does not have
	RefOutside  = "outside"  // to a document that is no source of the draft
)

// Bounds of what is shown beside one passage.
const (
	mostTargets   = 20 // of one reference: an unprefixed number may fit many sources
	mostReferrers = 20
)

// A CitedPlace is a passage by the code of its source and its key.
type CitedPlace struct {
	Code string `json:"code"`
	Key  string `json:"key"`
}

// A PassageRef is what a passage cites, and where that leads.
type PassageRef struct {
	Text  string       `json:"text"` // as it is written
	Start int          `json:"start"`
	End   int          `json:"end"`
	Key   string       `json:"key"`          // canonical
	Of    string       `json:"of,omitempty"` // the document that the words around it name
	State string       `json:"state" schema:"enum=resolved|broken|outside"`
	To    []CitedPlace `json:"to,omitempty"`
}

// ReferredBy are the passages of the draft that cite a passage.
type ReferredBy struct {
	Count int          `json:"count"`
	From  []CitedPlace `json:"from"` // at most 20 of them, by code and in the order of their texts
}

// RefCounts counts the cross-references of a source by where they lead.
type RefCounts struct {
	Found    int `json:"found"`
	Resolved int `json:"resolved"`
	Broken   int `json:"broken"`
	Outside  int `json:"outside"`
}

func (c *RefCounts) add(state string) {
	c.Found++
	switch state {
	case RefResolved:
		c.Resolved++
	case RefBroken:
		c.Broken++
	default:
		c.Outside++
	}
}

// links are the cross-references of a draft beside the keys that they lead to.
// They do not change once they are made.
type links struct {
	draft *models.Corpus
	keys  *retrieve.Keys
	refs  [][]models.Reference // by document of the draft

	reverse sync.Once
	by      map[retrieve.Ref]*ReferredBy // what cites each passage
	counts  []RefCounts                  // of each document
}

// draftSum names what keys and references of a draft depend on: a revision never
// changes.
func draftSum(ss []models.Source) [sha256.Size]byte {
	h := sha256.New()
	for i := range ss {
		fmt.Fprintf(h, "%q %q %q %q %d\n", ss[i].ID, ss[i].Code, ss[i].Title, ss[i].Jurisdiction, ss[i].Head)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// links returns the draft's keys and references.
func (e *Env) links() (*links, error) {
	ss, err := e.Tx.Sources()
	if err != nil {
		return nil, err
	}
	sum, kept := draftSum(ss), &e.desk.linked
	if l := kept.get(e.Call.Brain, sum); l != nil {
		return l, nil
	}
	l, err := readLinks(e.Tx)
	if err != nil {
		return nil, err
	}
	read := make([]models.Source, len(l.draft.Docs))
	for i := range l.draft.Docs {
		read[i] = l.draft.Docs[i].Source
	}
	if draftSum(read) == sum { // else it has changed meanwhile
		kept.keep(e.Call.Brain, sum, l)
	}
	return l, nil
}

// readLinks reads the draft's keys and references.
func readLinks(tx *store.Tx) (*links, error) {
	draft, err := tx.DraftKeys()
	if err != nil {
		return nil, err
	}
	refs, err := tx.DraftRefs()
	if err != nil {
		return nil, err
	}
	l := &links{draft: draft, refs: make([][]models.Reference, len(draft.Docs))}
	for i, d := range draft.Docs {
		// A revision that came since the keys were read may have more passages.
		l.refs[i] = slices.DeleteFunc(refs[d.Source.ID], func(x models.Reference) bool { return x.From >= len(d.Passages) })
	}
	l.keys = retrieve.NewKeys(draft)
	return l, nil
}

// of returns the place of a source in the draft, and links that have it: one that
// was taken out of the draft is put behind the others, so that its references can
// be followed.
func (l *links) of(s models.Source, passages []models.Passage) (*links, int) {
	for i := range l.draft.Docs {
		if l.draft.Docs[i].Source.ID == s.ID {
			return l, i
		}
	}
	draft := *l.draft
	draft.Docs = append(slices.Clip(draft.Docs), models.Doc{Source: s, Passages: passages})
	more := &links{draft: &draft, keys: retrieve.NewKeys(&draft), refs: append(slices.Clip(l.refs), nil)}
	return more, len(draft.Docs) - 1
}

// follow returns where a reference of a document leads.
func (l *links) follow(doc int, x *models.Reference) (to []retrieve.Ref, state string) {
	to, broken := l.keys.Follow(doc, x)
	switch {
	case len(to) > 0:
		return to, RefResolved
	case broken:
		return nil, RefBroken
	}
	return nil, RefOutside
}

func (l *links) place(r retrieve.Ref) CitedPlace {
	d := &l.draft.Docs[r.Doc]
	return CitedPlace{d.Source.Code, d.Passages[r.Passage].Key}
}

// cited returns what the passages of a document cite, by ordinal. Text is the
// revision's from the byte at on.
func (l *links) cited(doc int, refs []models.Reference, text string, at int) (by map[int][]PassageRef, n RefCounts) {
	by = map[int][]PassageRef{}
	for i := range refs {
		x := &refs[i]
		to, state := l.follow(doc, x)
		n.add(state)
		out := PassageRef{Start: x.Start, End: x.End, Key: x.Key, Of: x.Of, State: state}
		if x.Start >= at && x.End-at <= len(text) {
			out.Text = text[x.Start-at : x.End-at]
		}
		for _, r := range to[:min(len(to), mostTargets)] {
			out.To = append(out.To, l.place(r))
		}
		by[x.From] = append(by[x.From], out)
	}
	return by, n
}

// citing returns which passages of the draft cite a passage, nil where none does.
func (l *links) citing(r retrieve.Ref) *ReferredBy {
	l.reverse.Do(l.turn)
	return l.by[r]
}

// counted returns how many references of a document lead where.
func (l *links) counted(doc int) RefCounts {
	l.reverse.Do(l.turn)
	return l.counts[doc]
}

// turn finds what cites each passage, and counts.
func (l *links) turn() {
	l.by, l.counts = map[retrieve.Ref]*ReferredBy{}, make([]RefCounts, len(l.refs))
	for d := range l.refs {
		last := map[retrieve.Ref]int{} // by target: the passage that was counted last
		for i := range l.refs[d] {
			x := &l.refs[d][i]
			to, state := l.follow(d, x)
			l.counts[d].add(state)
			for _, r := range to {
				if was, counted := last[r]; counted && was == x.From {
					continue
				}
				last[r] = x.From
				c := l.by[r]
				if c == nil {
					c = &ReferredBy{From: []CitedPlace{}}
					l.by[r] = c
				}
				c.Count++
				if len(c.From) < mostReferrers {
					c.From = append(c.From, l.place(retrieve.Ref{Doc: d, Passage: x.From}))
				}
			}
		}
	}
}

// BrokenRefsIn is which references to list.
type BrokenRefsIn struct {
	Source  string `json:"source,omitempty" jsonschema:"id or code of one source; all where it is left out"`
	Outside bool   `json:"outside,omitempty" jsonschema:"list those instead that cite documents which are no sources of the draft"`
	Page
}

// A BrokenRef is a cross-reference that leads nowhere.
type BrokenRef struct {
	Code  string `json:"code"` // of the source that has it
	From  string `json:"from"` // key of the passage
	Key   string `json:"key"`  // what it cites
	Of    string `json:"of,omitempty"`
	Start int    `json:"start"` // of the words, in the revision's text
	End   int    `json:"end"`

	n int // its place among those of the source, from 1
}

// BrokenRefs is a page of the references that lead nowhere.
type BrokenRefs struct {
	References []BrokenRef `json:"references"`
	More
}

// ListBrokenRefs lists the draft's broken cross-references.
var ListBrokenRefs = &Op[BrokenRefsIn, BrokenRefs]{
	Name: "references.broken", Title: "List broken cross-references", Route: "GET /v1/brains/{brain_id}/references/broken",
	Summary: "List the cross-references of the draft that lead nowhere, by source and in the order of its text: broken ones, which cite a place that a source does not have, or those to documents that are no sources.",
	Class:   Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in BrokenRefsIn) (BrokenRefs, error) {
		only := ""
		if in.Source != "" {
			s, err := e.Tx.Source(in.Source)
			if err != nil {
				return BrokenRefs{}, err
			}
			only = s.ID
		}
		l, err := e.links()
		if err != nil {
			return BrokenRefs{}, err
		}
		want := RefBroken
		if in.Outside {
			want = RefOutside
		}
		rows, more, err := stretch(e, in.Page, func(s store.Stretch) ([]BrokenRef, error) { return l.leadingNowhere(want, only, s), nil },
			func(r BrokenRef) store.Mark { return store.Mark{ID: r.Code, N: r.n} })
		return BrokenRefs{rows, more}, err
	},
}

// leadingNowhere returns a stretch of the references of a state; the documents
// are in the order of their codes.
func (l *links) leadingNowhere(state, only string, s store.Stretch) []BrokenRef {
	out := []BrokenRef{}
	for d := range l.refs {
		doc := &l.draft.Docs[d]
		if only != "" && doc.Source.ID != only || doc.Source.Code < s.After.ID {
			continue
		}
		for i := range l.refs[d] {
			if doc.Source.Code == s.After.ID && i < s.After.N {
				continue
			}
			x := &l.refs[d][i]
			if _, is := l.follow(d, x); is != state {
				continue
			}
			if out = append(out, BrokenRef{doc.Source.Code, doc.Passages[x.From].Key, x.Key, x.Of, x.Start, x.End, i + 1}); len(out) == s.N {
				return out
			}
		}
	}
	return out
}
