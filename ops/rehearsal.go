package ops

import (
	"context"
	"encoding/json"
	"time"

	"polaris/models"
	"polaris/models/fault"
)

// A Rehearsal says what a change would do. Nothing is changed by it, nothing is
// queued, and there is no row of it in the log; a refusal leaves one as always.
type Rehearsal struct {
	Status    string          `json:"status"` // would_apply: at once; would_queue: another person would decide
	Operation string          `json:"operation"`
	Class     Class           `json:"class"`
	Target    string          `json:"target,omitempty"`
	Base      string          `json:"base,omitempty"`   // the revision that it would change
	Before    json.RawMessage `json:"before,omitempty"` // what is there now; absent where nothing is
	After     json.RawMessage `json:"after,omitempty"`  // what would be there; absent where nothing would
	Changes   []models.Change `json:"changes,omitempty"`
	Result    any             `json:"result,omitempty"` // what would come back, where it would be done at once
	ExpiresAt *time.Time      `json:"expires_at,omitempty"`
}

// Statuses of a rehearsal.
const (
	WouldApply = "would_apply"
	WouldQueue = "would_queue"
)

// A Rehearsed is not a failure: a rehearsal was asked for in place of a change.
// The terminal hands it up as it hands up what waits.
type Rehearsed struct{ *Rehearsal }

// Error says that nothing was changed.
func (r *Rehearsed) Error() string { return "This was a rehearsal: nothing was changed." }

// Rehearsable reports whether the operation has a dry run.
func (o *Entry) Rehearsable() bool { return o.Class.writes() && o.Unrehearsed == "" }

// Rehearse takes a change past the gate, all but its end: it says what would be
// done or queued, and does neither.
func (d *Desk) Rehearse(ctx context.Context, c Call, o *Entry, raw []byte) (*Rehearsal, error) {
	r := &Rehearsal{Status: WouldApply, Operation: o.Name, Class: o.Class}
	c.DryRun, c.rehearsal = true, r
	out, err := d.Invoke(ctx, c, o, raw)
	if q, waits := AsWaiting(err); waits {
		r.Status, r.ExpiresAt = WouldQueue, &q.ExpiresAt
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	if _, nothing := out.(None); !nothing && (o.Queues() || o.instead != nil) {
		r.Result = out // of others it may be a secret, which would hold for nothing
	}
	return r, nil
}

// errUnrehearsed refuses a dry run of what has none.
func errUnrehearsed(o *Entry) error {
	why := o.Unrehearsed
	if !o.Class.writes() {
		why = "it changes nothing"
	}
	return fault.Field("dry_run", "%s has no dry run: %s.", o.Name, why).WithCode("no_dry_run")
}

// shows fills in what the operation would change, while it can be compared with
// what is there.
func (r *Rehearsal) shows(ctx context.Context, e *Env, o *Entry, in any) error {
	if r == nil || o.propose == nil {
		return nil
	}
	s, err := o.propose(ctx, e, in)
	if f := fault.Of(err); f != nil && f.Code == "unchanged" {
		return nil // done at once it is no refusal, and there is no difference to show
	}
	if err != nil {
		return err
	}
	base, err := o.base(ctx, e, in)
	if err != nil {
		return err
	}
	rec := &models.Recommendation{Base: base}
	if err := content(rec, in, s); err != nil {
		return err
	}
	r.fill(rec)
	return nil
}

func (r *Rehearsal) fill(rec *models.Recommendation) {
	if r != nil {
		r.Target, r.Base, r.Before, r.After = rec.Target, rec.Base, rawOrNil(rec.Before), rawOrNil(rec.After)
	}
}

// done takes over what the audit row would have said.
func (r *Rehearsal) done(row *models.AuditRow) {
	if r == nil {
		return
	}
	if r.Target == "" {
		r.Target = row.Target
	}
	r.Changes, r.Class = row.Detail.Changes, Class(row.Class)
}
