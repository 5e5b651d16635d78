package ops

import (
	"context"
	"time"

	"polaris/models"
	"polaris/models/fault"
)

// HistoryIn names a source or a topic card.
type HistoryIn struct {
	Source string `json:"source,omitempty"` // id or code
	Card   string `json:"card,omitempty"`   // id, also of one that was deleted
}

// A HistoryEntry is one change of a thing of the draft.
type HistoryEntry struct {
	ID             int64           `json:"id"` // of the audit row; changes.undo takes it
	At             time.Time       `json:"at"`
	Operation      string          `json:"operation"`
	Undo           bool            `json:"undo,omitempty"` // it took another change back
	Actor          string          `json:"actor"`
	Surface        string          `json:"surface"`
	Authenticated  bool            `json:"authenticated"`
	ApprovedBy     string          `json:"approved_by,omitempty"`
	Recommendation string          `json:"recommendation_id,omitempty"`
	Rationale      string          `json:"rationale,omitempty"`
	Changes        []models.Change `json:"changes,omitempty"`
}

// A History is what changed a thing, the newest first.
type History struct {
	Entries []HistoryEntry `json:"entries"`
}

// mostHistory bounds how far back a history goes; the audit log has all of it.
const mostHistory = 100

// historyOf are the operations that change a source, and a topic card.
var (
	changesSources = []string{"sources.import", "sources.update", "sources.remove", "sources.restore", "sources.revert", "sources.suspend", "sources.lift", "sources.certify", "sources.purge"}
	changesCards   = []string{"topic_cards.save", "topic_cards.delete"}
)

// ShowHistory shows who changed a source or a topic card of the draft, and what.
var ShowHistory = &Op[HistoryIn, History]{
	Name: "draft.history", Title: "Show what changed a source or a card", Route: "GET /v1/brains/{brain_id}/draft/history",
	Summary: "Show the changes of one source or one topic card of the draft, the newest first: who made or proposed each, who approved it, and what it changed.",
	Class:   Read, Needs: models.MayReadDraft, Offered: Web | REST,
	Run: func(_ context.Context, e *Env, in HistoryIn) (History, error) {
		out := History{Entries: []HistoryEntry{}}
		var target string
		var names, operations []string
		switch {
		case in.Source != "" && in.Card == "":
			s, err := e.Tx.Source(in.Source)
			if err != nil {
				return out, err
			}
			target, operations = s.Code, changesSources
			names = []string{"source " + s.Code, "certification of " + s.Code}
		case in.Card != "" && in.Source == "":
			target, operations, names = in.Card, changesCards, []string{"topic card " + in.Card}
		default:
			return out, fault.Field("card", "Name a source or a topic card.")
		}
		cs, err := e.Tx.ChangesOf(operations, target, names, mostHistory)
		for _, c := range cs {
			out.Entries = append(out.Entries, HistoryEntry{
				ID: c.AuditID, At: c.At, Operation: c.Operation, Undo: c.Undo, Actor: c.Actor, Surface: c.Surface, Authenticated: c.Authenticated,
				ApprovedBy: c.DecidedBy, Recommendation: c.Recommendation, Rationale: c.Rationale, Changes: c.Changes,
			})
		}
		return out, err
	},
}
