package ops

import (
	"context"
	"encoding/hex"
	"encoding/json"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// DecideIn is a verdict on a recommendation, with the hash of the content that
// was seen.
type DecideIn struct {
	ID      string `json:"id"`
	Hash    string `json:"hash"`    // of the recommendation, as its page or GET shows it
	Verdict string `json:"verdict"` // approve or reject
	Comment string `json:"comment,omitempty"`
}

// Decided is what followed from a verdict.
type Decided struct {
	ID    string                     `json:"id"`
	State models.RecommendationState `json:"state"`
	Note  string                     `json:"note,omitempty"`
}

// DecideRecommendation decides on what somebody else proposed, in a live browser
// session. The decision and the change are one transaction; what takes long, such
// as building an index, is done before it.
var DecideRecommendation = &Op[DecideIn, Decided]{
	Name: "recommendations.decide", Title: "Decide", Route: "POST /v1/brains/{brain_id}/recommendations/{id}/decision",
	Summary: "Approve or reject a change that another person proposed. Only a person who is signed in decides.",
	Class:   Reversible, Needs: models.MayReadDraft, Offered: Web | CLI | REST, Session: true,
	Final: "a decision is final; what it applied is undone by naming the recommendation",
	HTTP:  HTTP{Example: `{"hash":"9f2c","verdict":"approve"}`},
	Stage: func(ctx context.Context, e *Env, in DecideIn) (any, error) { return stageDecision(ctx, e, in) },
	Run:   decideNow,
}

// A decision is a recommendation with what its operation prepared.
type decision struct {
	rec   *models.Recommendation
	op    *Entry
	in    any
	inner *Env // in which the operation runs, as who proposed it
	seen  []byte
}

func stageDecision(ctx context.Context, e *Env, in DecideIn) (*decision, error) {
	e.Audit.Target = in.ID
	if in.Verdict != "approve" && in.Verdict != "reject" {
		return nil, fault.Field("verdict", "A verdict is approve or reject.")
	}
	if len(in.Comment) > longestRationale {
		return nil, fault.Field("comment", "A comment is at most %d bytes long.", longestRationale)
	}
	c := &decision{}
	var err error
	if c.seen, err = hex.DecodeString(in.Hash); err != nil || len(c.seen) != 32 {
		return nil, fault.Field("hash", "Send the hash of the recommendation that you saw.").WithCode("content_changed")
	}
	err = e.Store().InBrain(ctx, e.Call.Brain, func(tx *store.Tx) (err error) {
		c.rec, err = tx.Recommendation(in.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	e.Audit.Detail.Applies, e.Audit.Detail.Subject = c.rec.Operation, c.rec.Target
	if in.Verdict == "reject" || c.rec.State != models.Pending {
		return c, nil // nothing to prepare; the database says whether it can be
	}
	return c, c.prepare(ctx, e)
}

// prepare reads the frozen input and does what takes long.
func (c *decision) prepare(ctx context.Context, e *Env) (err error) {
	if c.op = e.desk.Catalog.Find(c.rec.Operation); c.op == nil || c.op.propose == nil {
		return fault.New(fault.Conflict, "This release does not know the operation %s any more, so it can only be rejected.", c.rec.Operation).WithCode("unknown_operation")
	}
	if c.in, err = c.op.DecodeInput(c.rec.InputVersion, json.RawMessage(c.rec.Input)); err != nil {
		return err
	}
	by := models.Principal{Kind: models.KindPerson, Person: c.rec.Proposer, Actor: c.rec.Actor, KeyID: c.rec.KeyID, Brain: e.Call.Brain, Authenticated: c.rec.Authenticated}
	call := e.Call
	call.By, call.Via, call.Rationale, call.IfMatch, call.DryRun, call.rehearsal = by, surfaceNamed(c.rec.Surface), c.rec.Rationale, nil, false, nil
	c.inner = &Env{Call: call, Now: e.Now, Audit: newRow(call, c.op, e.Now), Queued: c.rec, desk: e.desk}
	if c.op.stage == nil {
		return nil
	}
	c.inner.Staged, err = c.op.stage(ctx, c.inner, c.in)
	return err
}

func surfaceNamed(name string) Surface {
	for _, s := range Surfaces() {
		if s.String() == name {
			return s
		}
	}
	return Web
}

func decideNow(ctx context.Context, e *Env, in DecideIn) (Decided, error) {
	c := e.Staged.(*decision)
	if c.inner != nil {
		c.inner.Tx = e.Tx
		// The brain, the target, and then what decide() locks: in this order
		// everywhere, so that nobody waits for each other.
		if _, err := e.Tx.ThisBrain(true); err != nil {
			return Decided{}, err
		}
		if err := e.Tx.LockTarget(c.rec.Target); err != nil {
			return Decided{}, err
		}
	}
	state, err := e.Tx.Decide(e.Call.Visit.Hash, in.ID, c.seen, in.Verdict, in.Comment)
	if err != nil {
		return Decided{}, err
	}
	out := Decided{ID: in.ID, State: models.RecommendationState(state)}
	if state == "approved" {
		if out.State, out.Note, err = c.apply(ctx, e); err != nil {
			return Decided{}, err
		}
		if err := e.Tx.Settle(in.ID, out.State, out.Note); err != nil {
			return Decided{}, err
		}
	}
	e.Audit.Detail.State, e.Audit.Detail.Rationale, e.Audit.Detail.Verdict = string(out.State), in.Comment, in.Verdict
	return out, nil
}

// apply makes the change that was approved, on the transaction of the decision.
// A target that has moved makes the proposal stale. Where the change fails
// nothing of the decision stays, and the item says why it is still there.
func (c *decision) apply(ctx context.Context, e *Env) (models.RecommendationState, string, error) {
	base, err := c.op.base(ctx, c.inner, c.in)
	if err == nil && base != c.rec.Base {
		return models.Stale, "What it would change has changed since it was proposed.", nil
	}
	var back *taking
	if err == nil {
		back, err = c.inner.undoable(ctx, c.op, c.in)
	}
	if err == nil {
		_, err = c.op.run(ctx, c.inner, c.in)
	}
	if err == nil {
		err = back.made(ctx, c.inner)
	}
	if err == nil {
		if e.taking = back; back != nil {
			back.change.RecommendationID = c.rec.ID
		}
		e.undo = append(e.undo, c.inner.undo...)
		e.Audit.Detail.Version, e.Audit.Detail.Changes = c.inner.Audit.Detail.Version, c.inner.Audit.Detail.Changes
		return models.Applied, "", nil
	}
	return "", "", c.failed(ctx, e, err)
}

// failed sees to it that the item will say why it could not be applied. A
// rehearsal leaves it as it is.
func (c *decision) failed(ctx context.Context, e *Env, err error) error {
	e.undo = append(e.undo, c.inner.undo...)
	if f := fault.Of(err); f.Kind != fault.Internal && f.Kind != fault.Unavailable && !e.Call.DryRun {
		e.undo = append(e.undo, func() { e.desk.noteFailure(context.WithoutCancel(ctx), e.Call.Brain, c.rec.ID, f.Message) })
	}
	return err
}

func (d *Desk) noteFailure(ctx context.Context, brain models.BrainID, id, why string) {
	err := d.Store.InBrain(ctx, brain, func(tx *store.Tx) error { return tx.NoteFailure(id, why) })
	if err != nil {
		d.Log.Warn("noting why a recommendation was not applied failed", "recommendation", id, "error_type", fault.TypeOf(err))
	}
}
