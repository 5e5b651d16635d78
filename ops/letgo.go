package ops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// How often a process looks for what it has to let go of. What was purged is
// served by none from the next request on, since it is suspended; a look later it
// is in no process's memory either.
const (
	letGoEvery  = 2 * time.Second
	expireEvery = time.Hour
)

// LetGoForever drops loaded engines of brains from which a source was purged,
// finishes brains whose end was decided on, and lets bodies of answers expire,
// until ctx ends.
func (d *Desk) LetGoForever(ctx context.Context) {
	seen := map[models.BrainID]int{}
	var expired time.Time
	for tick := time.NewTicker(letGoEvery); ; {
		if err := d.letGo(ctx, seen); err != nil && ctx.Err() == nil {
			d.Log.Warn("letting go failed; trying again", "error_type", fault.TypeOf(err))
		}
		if time.Since(expired) >= expireEvery {
			expired = time.Now()
			d.expireBodies(ctx)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			tick.Stop()
			return
		}
	}
}

// letGo takes one look. A brain of which it knows nothing yet may have been
// loaded before its last purge.
func (d *Desk) letGo(ctx context.Context, seen map[models.BrainID]int) error {
	bs, err := d.Store.Brains(ctx)
	if err != nil {
		return err
	}
	for _, b := range bs {
		if b.Purged != seen[b.ID] {
			d.forgetLoaded(b.ID)
			seen[b.ID] = b.Purged
			err = errors.Join(err, d.expireIn(ctx, b.ID)) // answers that were on their way
		}
		if b.EndedAt != nil {
			d.forgetLoaded(b.ID)
			err = errors.Join(err, d.FinishEnding(ctx, b.ID))
		}
	}
	return err
}

func (d *Desk) expireBodies(ctx context.Context) {
	bs, err := d.Store.Brains(ctx)
	if err != nil {
		return // the next hour will do
	}
	for _, b := range bs {
		if err := d.expireIn(ctx, b.ID); err != nil && ctx.Err() == nil {
			d.Log.Warn("expiring bodies of answers failed", "brain", b.ID, "error_type", fault.TypeOf(err))
		}
	}
}

// expireIn lets go of what is due in one brain, and says so in its log.
func (d *Desk) expireIn(ctx context.Context, brain models.BrainID) error {
	for more := true; more; {
		err := d.Store.InBrain(ctx, brain, func(tx *store.Tx) error {
			n, err := tx.ExpireAnswers()
			if more = n > 0; err != nil || !more {
				return err
			}
			return tx.AppendAudit(&models.AuditRow{
				At: d.Now().UTC(), Kind: models.KindSystem, Actor: "system", Authenticated: true, Surface: "system", Operation: "answers.expire", Class: string(Reversible),
				Outcome: "ok", Target: "answers", Detail: models.Detail{Changes: []models.Change{expiry(n)}},
			})
		})
		if err != nil {
			return err
		}
		if more {
			d.sealer.Wrote(brain)
		}
	}
	return nil
}

func expiry(n int64) models.Change {
	return models.Change{Field: "bodies", From: fmt.Sprintf("%d kept", n), To: "expired"}
}

// An Expiry is how many bodies of answers went.
type Expiry struct {
	Expired int64 `json:"expired"`
}

// ExpireAnswers lets bodies of answers go that are older than the brain keeps
// them. A server does it by itself once an hour; how long they are kept is a
// setting, which two people decide on, so this decides nothing.
var ExpireAnswers = &Op[None, Expiry]{
	Name: "answers.expire", Title: "Expire answers", Summary: "Let the questions and answers go that are older than the brain keeps them. Their hashes stay in the audit log.",
	Class: Reversible, Needs: models.MayMembers, Offered: CLI,
	Final: "what has expired is gone; its hash stays in the log",
	Run: func(_ context.Context, e *Env, _ None) (Expiry, error) {
		out := Expiry{}
		for {
			n, err := e.Tx.ExpireAnswers()
			if err != nil || n == 0 {
				if e.Audit.Target = "answers"; out.Expired > 0 {
					e.Audit.Detail.Changes = []models.Change{expiry(out.Expired)}
				}
				return out, err
			}
			out.Expired += n
		}
	},
}
