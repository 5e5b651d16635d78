package ops

import (
	"context"
	"time"

	"polaris/advisor"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// AskDraftIn is a question put to the draft: with a topic card as it is written
// now, or to see what of a source is found.
type AskDraftIn struct {
	Query  string      `json:"query"`
	Card   *SaveCardIn `json:"card,omitempty"`   // as it would be saved
	Source string      `json:"source,omitempty"` // id or code
}

// A DraftAnswer is what the draft makes of a question. Nothing of it is an answer
// that was served: it has no record.
type DraftAnswer struct {
	Without *models.Envelope `json:"without"`         // the draft's answer by itself
	With    *models.Envelope `json:"with,omitempty"`  // its answer with the card
	Found   *models.Envelope `json:"found,omitempty"` // the passages of the draft that the question leads to
	Alone   *models.Envelope `json:"alone,omitempty"` // those of the source, were there no other
	LeftOut bool             `json:"left_out"`        // the source is not in what would be published: it is held, or was removed
	Micros  int64            `json:"micros"`          // that asking took, without loading the draft
}

// AskDraft asks the draft as it would be published now.
var AskDraft = &Op[AskDraftIn, *DraftAnswer]{
	Name: "draft.ask", Title: "Try a question on the draft", Route: "POST /v1/brains/{brain_id}/draft/answers",
	Summary: "Ask the draft as it would be published now. With a card: the answer with the card as it is given, saved or not, beside the one without it. With a source: which passages the question leads to in the whole draft, and which in this source alone, each with its score and what brought it. Nothing is recorded as an answer.",
	Class:   Read, Needs: models.MayReadDraft, Offered: Web | REST,
	HTTP:  HTTP{Example: `{"query":"How long do we keep complaint records?","source":"HB"}`},
	Stage: func(ctx context.Context, e *Env, in AskDraftIn) (any, error) { return askDraft(ctx, e, in) },
	Run: func(_ context.Context, e *Env, _ AskDraftIn) (*DraftAnswer, error) {
		return e.Staged.(*DraftAnswer), nil
	},
}

func askDraft(ctx context.Context, e *Env, in AskDraftIn) (*DraftAnswer, error) {
	if err := e.desk.checkQuery(AskIn{Query: in.Query}); err != nil {
		return nil, err
	}
	card := models.TopicCard{}
	if in.Card != nil {
		c, err := checkCard(*in.Card)
		if err != nil {
			return nil, err
		}
		card = c
	}
	var alone *advisor.Engine
	var src *models.Source
	if in.Source != "" {
		var err error
		if src, alone, err = e.sourceAlone(ctx, in.Source); err != nil {
			return nil, err
		}
	}
	engine, err := e.desk.draftEngine(ctx, e.Call.Brain)
	if err != nil {
		return nil, err
	}
	q, err := e.question(ctx, advisor.Question{Text: in.Query})
	if err != nil {
		return nil, err
	}
	if q.Suspended, err = e.suspended(ctx); err != nil {
		return nil, err
	}
	out, began := &DraftAnswer{}, time.Now()
	out.Without = engine.Answer(ctx, q)
	if in.Card != nil {
		with := q
		with.TopicIDs = []string{card.ID}
		out.With = engine.WithCard(card).Answer(ctx, with)
	}
	if src != nil {
		out.Found, out.Alone = engine.Retrieve(ctx, q), alone.Retrieve(ctx, q)
		out.LeftOut = !engine.Holds(src.ID, src.Head)
	}
	out.Micros = time.Since(began).Microseconds()
	return out, nil
}

// sourceAlone returns a source and an engine that holds its draft revision and
// nothing else.
func (e *Env) sourceAlone(ctx context.Context, name string) (src *models.Source, engine *advisor.Engine, err error) {
	var doc *models.Doc
	err = e.Store().InBrain(ctx, e.Call.Brain, func(tx *store.Tx) (err error) {
		if src, err = tx.Source(name); err != nil {
			return err
		}
		gone, err := tx.PurgedSources()
		if _, was := gone[src.ID]; was && err == nil {
			err = fault.New(fault.Conflict, "%s was purged: there is nothing to find in it.", src.Code).WithCode("purged")
		}
		if err == nil {
			doc, err = tx.Doc(*src, src.Head)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	engine, err = advisor.Build(&models.Corpus{Brain: e.Call.Brain, Docs: []models.Doc{*doc}}, e.desk.advisorConfig())
	return src, engine, err
}
