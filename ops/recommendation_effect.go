package ops

import (
	"context"
	"encoding/json"
	"slices"

	"polaris/advisor"
	"polaris/models"
	"polaris/models/store"
)

// effect returns what a proposed card makes of the golden questions that are
// asked under it, and what the draft makes of a proposed question; nil where
// there is none. Like ShowChanges it is for what waits.
func (c *proposedChange) effect(ctx context.Context, e *Env) (*GoldenReport, error) {
	if c.rec.State != models.Pending {
		return nil, nil
	}
	var card models.TopicCard
	var qs []models.GoldenQuestion
	switch c.rec.Operation {
	case SaveCard.Name:
		var in SaveCardIn
		if json.Unmarshal([]byte(c.rec.Input), &in) != nil {
			return nil, nil //nolint:nilerr // of another release: it says so when it is decided on
		}
		var err error
		if card, err = checkCard(in); err != nil {
			return nil, nil //nolint:nilerr // likewise
		}
		err = e.Store().InBrain(ctx, e.Call.Brain, func(tx *store.Tx) (err error) {
			qs, err = tx.GoldenQuestions()
			return err
		})
		if err != nil {
			return nil, err
		}
		qs = slices.DeleteFunc(qs, func(q models.GoldenQuestion) bool { return !slices.Contains(q.TopicIDs, card.ID) })
	case SaveGolden.Name:
		var in SaveGoldenIn
		if json.Unmarshal([]byte(c.rec.Input), &in) != nil {
			return nil, nil //nolint:nilerr // likewise
		}
		q, err := checkGolden(in)
		if err != nil {
			return nil, nil //nolint:nilerr // likewise
		}
		qs = []models.GoldenQuestion{q}
	}
	if len(qs) == 0 {
		return nil, nil
	}
	now, err := e.desk.draftEngine(ctx, e.Call.Brain)
	if err != nil {
		return nil, err
	}
	then := now
	if card.ID != "" {
		then = now.WithCard(card)
	}
	ask, err := e.question(ctx, advisor.Question{})
	if err != nil {
		return nil, err
	}
	r := &GoldenReport{Asked: len(qs), Questions: []GoldenResult{}}
	for _, q := range qs {
		ask.Text, ask.TopicIDs = q.Question, q.TopicIDs
		var before *models.Envelope
		if card.ID != "" {
			before = now.Answer(ctx, ask)
		}
		res := compareAnswers(q, before, then.Answer(ctx, ask))
		if len(res.Missing) > 0 {
			r.Failed++
		}
		if res.changed() {
			r.Changed++
		}
		r.Questions = append(r.Questions, res)
	}
	return r, nil
}
