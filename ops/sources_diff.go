package ops

import (
	"context"

	"polaris/models"
	"polaris/models/fault"
)

// DiffSourceIn names a source and two of its revisions.
type DiffSourceIn struct {
	Source string `json:"source"`                            // id or code
	From   int    `json:"from,omitempty" schema:"minimum=1"` // left out: the one before
	To     int    `json:"to,omitempty" schema:"minimum=1"`   // left out: the draft's
}

// A RevisionDiff is what one revision of a source has that another has not, and
// the topic cards that feel it.
type RevisionDiff struct {
	SourceDiff
	CardsAffected []models.AffectedCard `json:"cards_affected,omitempty"` // of the draft
}

// DiffSource compares two revisions of a source, passage by passage.
var DiffSource = &Op[DiffSourceIn, RevisionDiff]{
	Name: "sources.diff", Title: "Compare revisions of a source", Route: "GET /v1/brains/{brain_id}/sources/{source}/diff",
	Summary: "Show what differs between two revisions of a source: passages gained, lost, changed, or moved to another citation key, and the topic cards whose anchors lost or changed their text.",
	Class:   Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in DiffSourceIn) (RevisionDiff, error) {
		out := RevisionDiff{SourceDiff: SourceDiff{Passages: []PassageChange{}}}
		s, err := e.Tx.Source(in.Source)
		if err != nil {
			return out, err
		}
		to := in.To
		if to == 0 {
			to = s.Head
		}
		from := in.From
		if from == 0 {
			from = to - 1
		}
		if from == 0 {
			return out, fault.Field("from", "%s has one revision only, so there is nothing to compare it with.", s.Code)
		}
		docs := [2]*models.Doc{}
		for i, n := range []int{from, to} {
			docs[i], err = e.Tx.Doc(*s, n)
			if fault.Is(err, fault.NotFound) {
				return out, fault.New(fault.NotFound, "%s has no revision %d.", s.Code, n).WithCode("no_such_revision")
			}
			if err != nil {
				return out, err
			}
		}
		out.Code, out.Title, out.FromRevision, out.ToRevision, out.Status = s.Code, s.Title, from, to, Altered
		if a, b := docs[0].Revision.Title, docs[1].Revision.Title; a != b {
			out.Fields = []models.Change{{Field: "title", From: a, To: b}}
		}
		out.compare(docs[0], docs[1])
		out.CardsAffected, err = affected(e, docs[0], docs[1])
		return out, err
	},
}
