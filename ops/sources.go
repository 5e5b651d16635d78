package ops

import (
	"context"
	"maps"

	"polaris/advisor/retrieve"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// SourceList is sources of the draft, by code, and how many passages each has,
// by its id.
type SourceList struct {
	Sources  []models.Source `json:"sources"`
	Passages map[string]int  `json:"passages"`

	Suspended []models.Suspension `json:"suspended"`         // of any source
	Removed   []models.Source     `json:"removed"`           // from the draft, by code; they can be restored
	Warnings  map[string]int      `json:"warnings,omitzero"` // how many came of reading each, by its id
	Held      map[string]int      `json:"held,omitzero"`     // how many flags keep each out of what is published, by its id
	Languages map[string]string   `json:"languages"`         // of each, by its id: BCP 47; "und" where it is not clear
	Purged    []string            `json:"purged,omitempty"`  // ids of the removed of which nothing is left; they cannot be restored
	More
}

func (l SourceList) with(m SourceList) SourceList {
	maps.Copy(l.Passages, m.Passages)
	maps.Copy(l.Warnings, m.Warnings)
	maps.Copy(l.Held, m.Held)
	maps.Copy(l.Languages, m.Languages)
	return SourceList{append(l.Sources, m.Sources...), l.Passages, m.Suspended, m.Removed, l.Warnings, l.Held, l.Languages, m.Purged, m.More}
}

// ListSources lists the draft's sources.
var ListSources = &Op[Page, SourceList]{
	Name: "sources.list", Title: "List sources", Route: "GET /v1/brains/{brain_id}/sources", Summary: "List the draft's sources, by code.",
	Class: Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in Page) (SourceList, error) {
		ss, more, err := stretch(e, in, e.Tx.SourcePage, func(s models.Source) store.Mark { return store.Mark{ID: s.Code} })
		if err != nil {
			return SourceList{}, err
		}
		n, err := e.Tx.DraftPassages(ss)
		if err != nil {
			return SourceList{}, err
		}
		off, err := e.Tx.Suspensions()
		if err != nil {
			return SourceList{}, err
		}
		gone, err := e.Tx.RemovedSources()
		if err != nil {
			return SourceList{}, err
		}
		purged, err := e.Tx.PurgedSources()
		if err != nil {
			return SourceList{}, err
		}
		l := SourceList{ss, n, off, gone, map[string]int{}, map[string]int{}, map[string]string{}, nil, more}
		for _, s := range gone {
			if _, was := purged[s.ID]; was {
				l.Purged = append(l.Purged, s.ID)
			}
		}
		heads, err := e.Tx.Heads()
		for _, s := range ss {
			h := heads[s.ID]
			l.Languages[s.ID] = h.Language
			if h.Warnings > 0 {
				l.Warnings[s.ID] = h.Warnings
			}
			if h.Held {
				l.Held[s.ID] = h.Flags
			}
		}
		return l, err
	},
}

// GetSourceIn names a source by its id or its code.
type GetSourceIn struct {
	Source string `json:"source"`
}

// A SourcePassage is a passage with its text.
type SourcePassage struct {
	models.Passage
	Text       string       `json:"text"`
	Refs       []PassageRef `json:"refs,omitempty"`        // what it cites
	ReferredBy *ReferredBy  `json:"referred_by,omitempty"` // what cites it
}

// SourceView is a source with the passages of the draft's revision.
type SourceView struct {
	Source   models.Source   `json:"source"`
	Revision models.Revision `json:"revision"`
	Passages []SourcePassage `json:"passages"`

	References RefCounts `json:"references"`

	Suspended []models.Suspension   `json:"suspended"`               // all of it, or passages
	Certified *models.Certification `json:"certification,omitempty"` // of this revision
	Purged    *models.Purge         `json:"purge,omitempty"`         // there is nothing of it then
}

// GetSource shows one source of the draft.
var GetSource = &Op[GetSourceIn, SourceView]{
	Name: "sources.get", Title: "Show a source", Summary: "Show a source of the draft with its passages.",
	Route: "GET /v1/brains/{brain_id}/sources/{source}",
	Class: Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in GetSourceIn) (SourceView, error) {
		s, err := e.Tx.Source(in.Source)
		if err != nil {
			return SourceView{}, err
		}
		d, err := e.Tx.Doc(*s, s.Head)
		if err != nil {
			return SourceView{}, err
		}
		off, err := suspendedOf(e.Tx, s.ID)
		if err != nil {
			return SourceView{}, err
		}
		by, err := e.Tx.Certification(s.ID, s.Head)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return SourceView{}, err
		}
		gone, err := e.Tx.PurgedSources()
		if err != nil {
			return SourceView{}, err
		}
		v := SourceView{Source: *s, Revision: d.Revision, Suspended: off, Certified: by}
		if p, was := gone[s.ID]; was {
			v.Purged = &p
		}
		l, err := e.links()
		if err != nil {
			return SourceView{}, err
		}
		l, doc := l.of(*s, d.Passages)
		cited, n := l.cited(doc, d.Refs, d.Revision.Text, 0)
		v.References = n
		for i, p := range d.Passages {
			v.Passages = append(v.Passages, SourcePassage{p, d.Revision.Text[p.Start:p.End], cited[i], l.citing(retrieve.Ref{Doc: doc, Passage: i})})
		}
		return v, nil
	},
}
