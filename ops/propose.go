package ops

import (
	"context"
	"encoding/json"
	"errors"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// Bounds of what a proposal says for itself.
const (
	longestRationale = 4000 // bytes
	mostEvidence     = 20
	longestEvidence  = 500
	largestContent   = 4 << 20 // bytes of input, before or after
)

// A Waiting is not a failure: the change that was asked for is in the queue,
// where another person decides on it. Surfaces tell it in their own ways.
type Waiting struct{ models.Queued }

// Error says that the change waits.
func (w *Waiting) Error() string {
	return "This waits for another person's decision: " + w.ReviewURL
}

// AsWaiting returns what is in the queue, if err says so.
func AsWaiting(err error) (models.Queued, bool) {
	w, ok := errors.AsType[*Waiting](err)
	if !ok {
		return models.Queued{}, false
	}
	return w.Queued, true
}

// errSession refuses what only a person does, and what does not wait in a queue.
var errSession = fault.New(fault.Forbidden, "This is done by a person who is signed in. Use the pages.").WithCode("session_required")

// propose puts a change into the queue in place of making it.
func (d *Desk) propose(ctx context.Context, e *Env, o *Entry, in any) error {
	if o.propose == nil {
		return errSession
	}
	if err := checkReasons(e.Call); err != nil {
		return err
	}
	r := &models.Recommendation{
		ID: models.NewID("rec"), Operation: o.Name, Class: string(o.Class), InputVersion: o.inputVersion,
		Rationale: e.Call.Rationale, Evidence: append([]string{}, e.Call.Evidence...), Supersedes: e.Call.Supersedes,
		Proposer: e.Call.By.Person, Actor: e.Call.By.Actor, KeyID: e.Call.By.KeyID, Surface: e.Call.Via.String(), Authenticated: e.Call.By.Authenticated,
		CreatedAt: e.Now, ExpiresAt: e.Now.Add(models.RecommendationLife),
	}
	if r.Proposer == "" {
		return fault.Field("actor", "A proposal is a person's: say whose with --actor EMAIL, a member of this brain.").WithCode("actor_required")
	}
	err := d.Store.InBrain(ctx, e.Call.Brain, func(tx *store.Tx) error {
		e.Tx = tx
		subject, err := o.propose(ctx, e, in)
		if err != nil {
			return err
		}
		if subject.Input != nil {
			in = subject.Input
		}
		if err := content(r, in, subject); err != nil {
			return err
		}
		if r.Base, err = o.base(ctx, e, in); err != nil {
			return err
		}
		if err := errors.Join(e.untouched(r.Base), e.Match(r.Base)); err != nil {
			return err
		}
		e.Call.rehearsal.fill(r)
		if e.Call.DryRun {
			return errDryRun
		}
		if err := tx.InsertRecommendation(r); err != nil {
			return err
		}
		if subject.Document != nil {
			if err := tx.PutAside(r.ID, subject.Document); err != nil {
				return err
			}
		}
		e.Audit.Target, e.Audit.Outcome = r.ID, "queued"
		e.Audit.Detail.State, e.Audit.Detail.Applies, e.Audit.Detail.Subject = string(models.Pending), o.Name, subject.Name
		if err := superseded(tx, e, r); err != nil {
			return err
		}
		if e.Call.also != nil {
			if err := e.Call.also(tx, models.Queued{ID: r.ID}); err != nil {
				return err
			}
		}
		return tx.AppendAudit(e.Audit)
	})
	for _, undo := range e.undo {
		undo() // what was prepared is prepared anew when it is decided on
	}
	if errors.Is(err, errDryRun) {
		return &Waiting{models.Queued{Status: "would_queue", ExpiresAt: r.ExpiresAt}}
	}
	if err != nil {
		return err
	}
	d.sealer.Wrote(e.Call.Brain)
	return &Waiting{models.Queued{Status: "queued", ID: r.ID, ReviewURL: d.reviewURL(e.Call.Brain, r.ID), ExpiresAt: r.ExpiresAt}}
}

// superseded records the end of what r takes the place of.
func superseded(tx *store.Tx, e *Env, r *models.Recommendation) error {
	if r.Supersedes == "" {
		return nil
	}
	row := *e.Audit
	row.Target, row.Outcome, row.Detail.State = r.Supersedes, "ok", string(models.Superseded)
	row.Detail.Changes = []models.Change{{Field: "superseded_by", To: r.ID}}
	return tx.AppendAudit(&row)
}

// content fills in what is decided on.
func content(r *models.Recommendation, in any, s Subject) error {
	r.Target = s.Name
	for _, part := range []struct {
		into *string
		v    any
	}{{&r.Input, in}, {&r.Before, s.Before}, {&r.After, s.After}} {
		if part.v == nil {
			continue
		}
		b, err := json.Marshal(part.v)
		if err != nil {
			return err
		}
		if len(b) > largestContent {
			return fault.New(fault.TooLarge, "This is too large to be put before another person: %d bytes, at most %d.", len(b), largestContent)
		}
		*part.into = string(b)
	}
	return nil
}

func checkReasons(c Call) error {
	switch {
	case len(c.Rationale) > longestRationale:
		return fault.Field("rationale", "A rationale is at most %d bytes long.", longestRationale)
	case !isText(c.Rationale):
		return fault.Field("rationale", "The rationale is not valid text: it must be UTF-8 without NUL characters.")
	case !isText(c.Supersedes):
		return fault.Field("supersedes", "This is no recommendation's id.")
	case len(c.Evidence) > mostEvidence:
		return fault.Field("evidence", "Name at most %d pieces of evidence.", mostEvidence)
	}
	for _, ev := range c.Evidence {
		if len(ev) > longestEvidence || !isText(ev) {
			return fault.Field("evidence", "A piece of evidence is an answer's id, a citation key or an address, of at most %d bytes.", longestEvidence)
		}
	}
	return nil
}

// reviewURL returns the address of the page where a recommendation is decided.
func (d *Desk) reviewURL(brain models.BrainID, id string) string {
	return d.Settings.PublicURL + "/brains/" + string(brain) + "/approvals/" + id
}
