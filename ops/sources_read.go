package ops

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"

	"polaris/advisor/retrieve"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// ReadSourceIn names a stretch of a source's passages: from a place on, or the
// one in which a key or a byte is.
type ReadSourceIn struct {
	Source   string `json:"source"`                                         // id or code
	Revision int    `json:"revision,omitempty" schema:"minimum=1"`          // left out: the draft's
	From     int    `json:"from,omitempty" schema:"minimum=0"`              // how many passages to leave out
	Key      string `json:"key,omitempty" schema:"maxLength=500"`           // the stretch in which this citation key is
	At       int    `json:"at,omitempty" schema:"minimum=0"`                // the stretch in which this byte of the text is
	Limit    int    `json:"limit,omitempty" schema:"minimum=1,maximum=200"` // passages; 200 where it is left out
}

// A SourceStretch is a source with some of the passages of a revision.
type SourceStretch struct {
	Source    models.Source         `json:"source"`
	Revision  models.Revision       `json:"revision"`
	SHA256    string                `json:"sha256"` // of the document's bytes, in hexadecimal
	Total     int                   `json:"total"`  // passages of the revision
	From      int                   `json:"from"`
	Found     int                   `json:"found"` // ordinal of the passage that was asked for by key or byte; -1: none
	Passages  []SourcePassage       `json:"passages"`
	Depth     []int                 `json:"depth"` // of each below its section
	Suspended []models.Suspension   `json:"suspended"`
	Certified *models.Certification `json:"certification,omitempty"` // of this revision
	Purged    *models.Purge         `json:"purge,omitempty"`
	Revisions []store.RevisionRow   `json:"revisions"` // the newest first

	References *RefCounts `json:"references,omitempty"` // of the draft's revision, and where they lead
}

// stretchOf is how many passages a stretch holds at most.
const stretchOf = 200

// ReadSource shows a stretch of a source's text, whatever its length.
var ReadSource = &Op[ReadSourceIn, *SourceStretch]{
	Name: "sources.read", Title: "Read a source", Route: "GET /v1/brains/{brain_id}/sources/{source}/passages",
	Summary: "Show some passages of a source with their text, from a place on or around a citation key, of the draft's revision or an older one; with the source's revisions.",
	Class:   Read, Needs: models.MayReadDraft, Offered: Web | REST,
	Run: readSource,
}

func readSource(_ context.Context, e *Env, in ReadSourceIn) (*SourceStretch, error) {
	if in.Limit == 0 {
		in.Limit = stretchOf
	}
	s, err := e.Tx.Source(in.Source)
	if err != nil {
		return nil, err
	}
	if in.Revision == 0 {
		in.Revision = s.Head
	}
	rev, err := e.Tx.Revision(s.ID, in.Revision)
	if err != nil {
		return nil, err
	}
	out := &SourceStretch{Source: *s, Revision: *rev, SHA256: hex.EncodeToString(rev.SHA256), Found: -1, Passages: []SourcePassage{}, Depth: []int{}}
	if out.Total, err = e.Tx.CountPassages(s.ID, rev.N); err != nil {
		return nil, err
	}
	if err := out.place(e.Tx, in); err != nil {
		return nil, err
	}
	if err := out.read(e.Tx, in.Limit); err != nil {
		return nil, err
	}
	if out.Suspended, err = suspendedOf(e.Tx, s.ID); err != nil {
		return nil, err
	}
	if out.Certified, err = e.Tx.Certification(s.ID, rev.N); err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	gone, err := e.Tx.PurgedSources()
	if err != nil {
		return nil, err
	}
	if p, was := gone[s.ID]; was {
		out.Purged = &p
	}
	if rev.N == s.Head && s.RemovedAt == nil && out.Purged == nil {
		if err := out.cite(e); err != nil {
			return nil, err
		}
	}
	out.Revisions, err = e.Tx.RevisionRows(s.ID)
	return out, err
}

// cite fills in what the passages cite and what cites them.
func (x *SourceStretch) cite(e *Env) error {
	l, err := e.links()
	if err != nil {
		return err
	}
	doc := slices.IndexFunc(l.draft.Docs, func(d models.Doc) bool { return d.Source.ID == x.Source.ID })
	if doc < 0 {
		return nil // it was taken out since
	}
	x.References = new(l.counted(doc))
	own := map[int][]models.Reference{}
	for _, r := range l.refs[doc] {
		if r.From >= x.From && r.From < x.From+len(x.Passages) {
			own[r.From] = append(own[r.From], r)
		}
	}
	for i := range x.Passages {
		p := &x.Passages[i]
		cited, _ := l.cited(doc, own[p.Ordinal], p.Text, p.Start)
		p.Refs, p.ReferredBy = cited[p.Ordinal], l.citing(retrieve.Ref{Doc: doc, Passage: p.Ordinal})
	}
	return nil
}

// place finds where the stretch begins.
func (x *SourceStretch) place(tx *store.Tx, in ReadSourceIn) error {
	x.From = in.From
	if in.Key != "" || in.At > 0 {
		n, err := tx.PlaceOf(x.Source.ID, x.Revision.N, in.Key, in.At)
		if err != nil {
			return err
		}
		if x.Found = n; n >= 0 {
			x.From = n / in.Limit * in.Limit
		}
	}
	if x.From > 0 && x.From >= x.Total {
		return fault.New(fault.NotFound, "The source has no passage there.").WithCode("no_such_passage")
	}
	return nil
}

// read fills in the passages: their rows, their text, which is one piece, and
// what is above them.
func (x *SourceStretch) read(tx *store.Tx, n int) error {
	ps, err := tx.PassageStretch(x.Source.ID, x.Revision.N, x.From, n)
	if err != nil || len(ps) == 0 {
		return err
	}
	start, end := ps[0].Start, ps[0].End
	var outside []int
	for _, p := range ps {
		start, end = min(start, p.Start), max(end, p.End)
		if p.Parent >= 0 && p.Parent < x.From {
			outside = append(outside, p.Parent)
		}
	}
	text, err := tx.TextAround(x.Source.ID, x.Revision.N, start, end)
	if err != nil {
		return err
	}
	above, err := tx.Above(x.Source.ID, x.Revision.N, outside)
	if err != nil {
		return err
	}
	for _, p := range ps {
		above[p.Ordinal] = p
		x.Passages = append(x.Passages, SourcePassage{Passage: p, Text: strings.ToValidUTF8(text[min(p.Start-start, len(text)):min(p.End-start, len(text))], "")})
	}
	for _, p := range ps {
		depth := 0
		for up, ok := above[p.Parent]; ok && up.Kind != models.Section && depth < 9; up, ok = above[up.Parent] {
			depth++
		}
		x.Depth = append(x.Depth, depth)
	}
	return nil
}
