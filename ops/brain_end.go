package ops

import (
	"context"
	"slices"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// DeleteBrainIn says the brain's id once more, so that nobody deletes another
// one than they mean.
type DeleteBrainIn struct {
	Confirm models.BrainID `json:"confirm"`
	Reason  string         `json:"reason,omitempty" schema:"maxLength=1000"`
}

// A BrainEnd is what two owners decide on: all of a brain, and its end.
type BrainEnd struct {
	Brain    models.BrainID `json:"brain"`
	Name     string         `json:"name"`
	Sources  int            `json:"sources,omitempty"`
	Versions int            `json:"versions,omitempty"`
	Keys     int            `json:"api_keys,omitempty"`
	Members  int            `json:"members,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	Deleted  bool           `json:"deleted"`
}

// DeleteBrain ends a brain, by the decision of two of its owners. Keys and tokens
// stop in the transaction of the decision; what the brain has goes seconds later,
// once its log is sealed to the end, and a tombstone with the last head of that
// log stays with the instance.
var DeleteBrain = &Op[DeleteBrainIn, BrainEnd]{
	Name: "brains.delete", Title: "Delete a brain", Route: "POST /v1/brains/{brain_id}/deletion",
	Summary: "Delete a brain with all that it has: sources, versions, answers, keys, members and its audit log. One owner asks for it and another one decides on it; nothing brings it back. Export it first.",
	Class:   Irreversible, Needs: models.MayMembers, Offered: Web | CLI | REST,
	Final: "what was deleted is gone; a tombstone with the last head of its log stays",
	HTTP:  HTTP{Example: `{"confirm":"calliope","reason":"The project has ended."}`},
	Propose: func(_ context.Context, e *Env, in DeleteBrainIn) (Subject, error) {
		now, err := brainNow(e, in)
		return Subject{Name: "brain " + string(e.Call.Brain), Before: now, After: BrainEnd{Brain: now.Brain, Name: now.Name, Reason: clean(in.Reason), Deleted: true}}, err
	},
	Base: func(_ context.Context, e *Env, _ DeleteBrainIn) (string, error) { return publishedNow(e) },
	Run: func(_ context.Context, e *Env, in DeleteBrainIn) (BrainEnd, error) {
		now, err := brainNow(e, in)
		if err != nil {
			return now, err
		}
		now.Deleted = true
		e.changed("brain", now.Name, "deleted")
		return now, e.Tx.EndBrain(e.Call.By.Actor)
	},
}

// brainNow says what there is to delete, and refuses who may not ask for it.
func brainNow(e *Env, in DeleteBrainIn) (BrainEnd, error) {
	e.Audit.Target = string(e.Call.Brain)
	end := BrainEnd{Brain: e.Call.Brain}
	if in.Confirm != e.Call.Brain {
		return end, fault.Field("confirm", "Say the id of the brain that is to be deleted.")
	}
	if len(in.Reason) > longestReason {
		return end, fault.Field("reason", "A reason is at most %d bytes long.", longestReason)
	}
	b, err := e.Tx.ThisBrain(true)
	if err != nil {
		return end, err
	}
	ms, err := e.Tx.Members()
	if err != nil {
		return end, err
	}
	// Who asked for it is an owner still when it is decided on.
	if e.Call.By.Kind != models.KindTerminal || e.Call.By.Person != "" {
		_, owner := activeMember(ms, func(m store.MemberPerson) bool {
			return m.PersonID == e.Call.By.Person && slices.Contains(m.Roles, models.RoleOwner)
		})
		if !owner {
			return end, fault.New(fault.Forbidden, "A brain is deleted by its owners.").WithCode("owners_only")
		}
	}
	end.Name, end.Members = b.Name, len(ms)
	end.Sources, end.Versions, end.Keys, err = e.Tx.Holdings()
	return end, err
}

// FinishEnding removes what a brain has whose end was decided on. The log is
// sealed first, so that the tombstone has its last head.
func (d *Desk) FinishEnding(ctx context.Context, brain models.BrainID) error {
	d.forgetLoaded(brain)
	if err := d.SealNow(ctx, brain); err != nil {
		return err
	}
	_, err := d.Store.FinishEnding(ctx, brain, &models.AuditRow{
		At: d.Now().UTC(), Kind: models.KindSystem, Actor: "system", Authenticated: true, Surface: "system", Operation: "brains.delete", Class: string(Irreversible), Outcome: "ok", Target: string(brain),
	})
	if fault.Is(err, fault.NotFound) || fault.Of(err) != nil && fault.Of(err).Code == "not_sealed" {
		return nil // another process was quicker, or something was written just now: the next look does it
	}
	if err == nil {
		d.sealer.Wrote(store.Instance)
	}
	return err
}
