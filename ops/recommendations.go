package ops

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// RecommendationsIn asks for a stretch of the queue.
type RecommendationsIn struct {
	State models.RecommendationState `json:"state,omitempty" schema:"enum=pending|applied|rejected|withdrawn|expired|stale|superseded"` // default: all
	Mine  bool                       `json:"mine,omitempty" jsonschema:"only what you proposed, by whatever key or program"`
	Class string                     `json:"class,omitempty" schema:"enum=A2|A3|A4"`                                              // default: all
	By    string                     `json:"by,omitempty" jsonschema:"a part of the name of who proposed" schema:"maxLength=200"` // default: anybody
	Order string                     `json:"order,omitempty" schema:"enum=newest|oldest"`                                         // default: newest
	Page
}

// RecommendationList is some of what was proposed, the newest first.
type RecommendationList struct {
	Recommendations []models.Recommendation `json:"recommendations"`
	Deciders        int                     `json:"could_decide"` // people who could decide on a publish now
	Warning         string                  `json:"warning,omitempty"`
	More
}

// ListRecommendations lists what waits for a decision, and what was decided.
var ListRecommendations = &Op[RecommendationsIn, RecommendationList]{
	Name: "recommendations.list", Title: "List recommendations", Route: "GET /v1/brains/{brain_id}/recommendations",
	Summary: "List the changes that wait for another person's decision, and those that were decided, the newest first.",
	Class:   Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in RecommendationsIn) (RecommendationList, error) {
		if !knownState(in.State) {
			return RecommendationList{}, fault.Field("state", "%q is no state of a recommendation.", in.State)
		}
		switch {
		case in.Class != "" && in.Class != string(Reversible) && in.Class != string(Judgement) && in.Class != string(Irreversible):
			return RecommendationList{}, fault.Field("class", "What waits is of class A2, A3 or A4.")
		case in.Order != "" && in.Order != "newest" && in.Order != "oldest":
			return RecommendationList{}, fault.Field("order", "The order is newest or oldest.")
		case len(in.By) > 200:
			return RecommendationList{}, fault.Field("by", "Name who proposed in at most 200 bytes.")
		}
		proposer := ""
		if in.Mine {
			if proposer = e.Call.By.Person; proposer == "" {
				return RecommendationList{}, fault.Field("mine", "Nobody in particular asks, so nothing is theirs.")
			}
		}
		rs, more, err := stretch(e, in.Page, func(s store.Stretch) ([]models.Recommendation, error) {
			return e.Tx.RecommendationPage(s, store.RecommendationFilter{State: in.State, Proposer: proposer, Class: in.Class, By: in.By, Oldest: in.Order == "oldest"})
		},
			func(r models.Recommendation) store.Mark { return store.Mark{At: r.CreatedAt, ID: r.ID} })
		if err != nil {
			return RecommendationList{}, err
		}
		list := RecommendationList{Recommendations: rs, More: more}
		if list.Deciders, err = e.Tx.Deciders(string(Irreversible)); err == nil {
			list.Warning, err = warning(e, list.Deciders)
		}
		return list, err
	},
}

func knownState(s models.RecommendationState) bool {
	switch s {
	case "", models.Pending, models.Applied, models.Rejected, models.Withdrawn, models.Expired, models.Stale, models.Superseded:
		return true
	}
	return false
}

// RecommendationIDIn names a recommendation.
type RecommendationIDIn struct {
	ID string `json:"id"`
}

// A RecommendationView is a recommendation as it is decided on.
type RecommendationView struct {
	models.Recommendation
	Hash   string          `json:"hash"` // send it with the decision
	Input  json.RawMessage `json:"input"`
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
	Parts  []models.Part   `json:"parts"`
	Moved  bool            `json:"moved"`           // what it would change has changed since: approving makes it stale
	Yours  bool            `json:"yours,omitempty"` // you had a part in it, so you do not decide
	Newer  string          `json:"newer,omitempty"` // the next of what waits, by when it was proposed
	Older  string          `json:"older,omitempty"`
}

// GetRecommendation shows a change with what it was and what it would be.
var GetRecommendation = &Op[RecommendationIDIn, RecommendationView]{
	Name: "recommendations.get", Title: "Show a recommendation", Route: "GET /v1/brains/{brain_id}/recommendations/{id}",
	Summary: "Show a proposed change: before and after, why, who had a part in it, and the hash to decide by.",
	Class:   Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: func(ctx context.Context, e *Env, in RecommendationIDIn) (RecommendationView, error) {
		var v RecommendationView
		r, err := e.Tx.Recommendation(in.ID)
		if err != nil {
			return v, err
		}
		v = RecommendationView{Recommendation: *r, Hash: r.Hash(), Input: json.RawMessage(r.Input), Before: rawOrNil(r.Before), After: rawOrNil(r.After)}
		if v.Parts, err = e.Tx.Parts(r.ID); err != nil {
			return v, err
		}
		if v.Yours, err = e.Tx.TookPart(r.ID, e.Call.By.Person); err != nil {
			return v, err
		}
		if v.Newer, v.Older, err = e.Tx.Beside(r, e.Now); err != nil {
			return v, err
		}
		v.Moved, err = moved(ctx, e, r)
		return v, err
	},
}

func rawOrNil(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

// moved reports whether what a pending recommendation would change is another
// revision now than the proposer saw, or cannot be changed any more.
func moved(ctx context.Context, e *Env, r *models.Recommendation) (bool, error) {
	o := e.desk.Catalog.Find(r.Operation)
	if r.State != models.Pending || o == nil || o.base == nil {
		return false, nil
	}
	in, err := o.DecodeInput(r.InputVersion, json.RawMessage(r.Input))
	if err != nil {
		return false, nil //nolint:nilerr // of another release: it says so when it is decided on
	}
	base, err := o.base(ctx, e, in)
	if f := fault.Of(err); err != nil && f.Kind != fault.Internal && f.Kind != fault.Unavailable {
		return true, nil
	}
	return base != r.Base, err
}

// WithdrawRecommendation takes back what one proposed oneself, at once.
var WithdrawRecommendation = &Op[RecommendationIDIn, Decided]{
	Name: "recommendations.withdraw", Title: "Withdraw a recommendation", Route: "POST /v1/brains/{brain_id}/recommendations/{id}/withdrawal",
	Summary: "Take back a change that you proposed. It is done at once; what others proposed is theirs to withdraw.",
	Class:   Reversible, Needs: models.MayReadDraft, Offered: Web | CLI | REST, Alone: true,
	Final: "a withdrawal is final; propose it again",
	Run: func(_ context.Context, e *Env, in RecommendationIDIn) (Decided, error) {
		e.Audit.Target = in.ID
		r, err := e.Tx.Recommendation(in.ID)
		if err != nil {
			return Decided{}, err
		}
		own, err := e.Tx.SameHuman(r.Proposer, e.Call.By.Person)
		if err != nil {
			return Decided{}, err
		}
		if !own {
			return Decided{}, fault.New(fault.Forbidden, "Another person proposed this, so it is theirs to withdraw. You can reject it.").WithCode("not_yours")
		}
		e.Audit.Detail.State, e.Audit.Detail.Applies, e.Audit.Detail.Subject = string(models.Withdrawn), r.Operation, r.Target
		return Decided{ID: r.ID, State: models.Withdrawn}, e.Tx.Settle(r.ID, models.Withdrawn, "")
	},
}

// ExpireForever ends what has a time: recommendations that nobody decided on, and
// that four eyes are off. It looks once a minute until ctx ends.
func (d *Desk) ExpireForever(ctx context.Context) {
	for tick := time.NewTicker(time.Minute); ; {
		d.expire(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			tick.Stop()
			return
		}
	}
}

func (d *Desk) expire(ctx context.Context) {
	bs, err := d.Store.Brains(ctx)
	if err != nil {
		return // the next minute will do
	}
	for i, b := range bs {
		if err := errors.Join(d.fourEyesBack(ctx, &bs[i]), d.ExpireIn(ctx, b.ID)); err != nil && ctx.Err() == nil {
			d.Log.Warn("ending overdue recommendations failed", "error_type", fault.TypeOf(err))
		}
	}
}

// ExpireIn ends the brain's recommendations whose time is over, each by itself:
// one that somebody ends in the same moment holds up no other.
func (d *Desk) ExpireIn(ctx context.Context, brain models.BrainID) error {
	var ids []string
	err := d.Store.InBrain(ctx, brain, func(tx *store.Tx) (err error) {
		ids, err = tx.Overdue()
		return err
	})
	for _, id := range ids {
		err = d.Store.InBrain(ctx, brain, func(tx *store.Tx) error { return d.expireOne(tx, id) })
		if err != nil && !fault.Is(err, fault.Conflict) {
			return err
		}
		d.sealer.Wrote(brain)
	}
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

func (d *Desk) expireOne(tx *store.Tx, id string) error {
	if err := tx.Settle(id, models.Expired, ""); err != nil {
		return err
	}
	return tx.AppendAudit(&models.AuditRow{
		BrainID: tx.Brain, At: d.Now().UTC(), Kind: models.KindSystem, Actor: "system", Authenticated: true, Surface: "system", Operation: "recommendations.expire",
		Class: string(Reversible), Outcome: "ok", Target: id, Detail: models.Detail{State: string(models.Expired)},
	})
}
