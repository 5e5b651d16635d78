package ops

import (
	"context"
	"encoding/json"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// An Inverse is what takes a change back: another operation and its input. It is
// told by name, because two operations that undo each other cannot name each
// other otherwise.
type Inverse struct {
	Operation string
	Input     any
}

// UndoIn names a change by its audit row or by the recommendation that was
// applied.
type UndoIn struct {
	ID string `json:"id"`
}

// Undone says what took the change back.
type Undone struct {
	ID        string `json:"id"`
	Operation string `json:"operation"` // that was done
	Target    string `json:"target"`
}

// UndoChange takes one change of the draft back, by the operation that does the
// opposite: through the same gate, so that it waits where that one would wait.
// What was changed again since is left alone.
var UndoChange = &Op[UndoIn, Undone]{
	Name: "changes.undo", Tool: "undo_change", Title: "Undo a change", Route: "POST /v1/brains/{brain_id}/changes/{id}/undo",
	Summary: "Take back one change of the draft, named by its audit row or by the recommendation that was applied. It is done by the opposite operation and waits for a second person where that one does. What was changed again since is left as it is.",
	Class:   Reversible, Needs: models.MayEditDraft, Offered: Web | CLI | REST,
	Instead: func(_ context.Context, e *Env, in UndoIn) (Inverse, error) { return takenBack(e, in.ID) },
	Final:   "what it does is a change itself, which is undone by its own audit row",
	Run: func(_ context.Context, e *Env, in UndoIn) (Undone, error) {
		return Undone{ID: in.ID, Operation: e.Audit.Detail.Applies, Target: e.Audit.Target}, nil
	},
}

// takenBack finds the change and what takes it back.
func takenBack(e *Env, id string) (Inverse, error) {
	c, err := e.Tx.ChangeMade(id)
	if err != nil {
		return Inverse{}, err
	}
	o := e.desk.Catalog.Find(c.Inverse)
	if o == nil || o.inputVersion != c.InputVersion {
		return Inverse{}, fault.New(fault.Conflict, "An earlier release made this change, and this one takes it back no more. Make the opposite change.").WithCode("input_version")
	}
	e.undoes = c
	in, err := o.decode(json.RawMessage(c.Input))
	return Inverse{o.Name, in}, err
}

// instead runs what an operation names in its place, as if the caller had asked
// for that, and records it under the operation's own name.
func (d *Desk) instead(ctx context.Context, e *Env, o *Entry, in any) (any, error) {
	var inv Inverse
	err := d.Store.InBrain(ctx, e.Call.Brain, func(tx *store.Tx) (err error) {
		e.Tx = tx
		inv, err = o.instead(ctx, e, in)
		return err
	})
	e.Tx = nil
	if err != nil {
		return nil, err
	}
	does := d.Catalog.Find(inv.Operation)
	e.Audit.Class, e.Audit.Detail.Applies, e.Audit.Detail.Undoes = string(does.Class), does.Name, e.undoes.AuditID
	if err := Allowed(e.Call, does); err != nil {
		return nil, err
	}
	if does.stage != nil {
		if e.Staged, err = does.stage(ctx, e, inv.Input); err != nil {
			return nil, err
		}
	}
	if _, err = d.change(ctx, e, does, inv.Input); err != nil {
		return nil, err
	}
	return o.run(ctx, e, in)
}

// untouched refuses to take back what was changed again since.
func (e *Env) untouched(base string) error {
	if e.undoes == nil || base == e.undoes.Remains {
		return nil
	}
	return fault.New(fault.Conflict, "What it changed has changed again since, and undoing it would take that back, too. Look at it and change it by hand.").WithCode("stale")
}

// A taking is what is noted of a change as it is made.
type taking struct {
	inverse *Inverse
	change  models.ReversibleChange
}

// undoable asks what will take a change back, before it is made and while nobody
// else changes the same. Where nothing will it returns nil.
func (e *Env) undoable(ctx context.Context, o *Entry, in any) (*taking, error) {
	if o.undo == nil {
		return nil, nil //nolint:nilnil // nothing will
	}
	inv, err := o.undo(ctx, e, in)
	if err != nil || inv == nil {
		return nil, err
	}
	return &taking{inverse: inv, change: models.ReversibleChange{Operation: o.Name}}, nil
}

// made notes the revision that the change left.
func (t *taking) made(ctx context.Context, e *Env) error {
	if t == nil {
		return nil
	}
	o := e.desk.Catalog.Find(t.inverse.Operation)
	b, err := json.Marshal(t.inverse.Input)
	if err != nil {
		return err
	}
	t.change.Inverse, t.change.Input, t.change.InputVersion, t.change.Target = o.Name, string(b), o.inputVersion, e.Audit.Target
	if t.change.Remains, err = o.base(ctx, e, t.inverse.Input); err != nil {
		return err
	}
	e.taking = t
	return nil
}

// noted keeps what takes the change back, beside the row that records it.
func (t *taking) noted(tx *store.Tx, row *models.AuditRow) error {
	if t == nil {
		return nil
	}
	t.change.AuditID = row.ID
	return tx.NoteChange(&t.change)
}
