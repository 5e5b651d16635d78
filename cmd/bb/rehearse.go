package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"polaris/ops"
)

// A rehearsal is the flag by which a command that changes something only says
// what it would do.
type rehearsal bool

// AfterApply has every operation of this command rehearsed.
func (r rehearsal) AfterApply(cli *root) error { //nolint:unparam // as kong wants its hooks
	cli.rehearse = bool(r)
	return nil
}

// A dryFlag is for commands that change something.
type dryFlag struct {
	DryRun rehearsal `name:"dry-run" help:"Say what would be changed or queued, before and after, and do neither."`
}

// perform runs one operation, or rehearses it where that was asked for. What a
// rehearsal found comes back as the error, past all that would say it is done.
func perform[In, Out any](ctx context.Context, c *console, d *opened, call ops.Call, o *ops.Op[In, Out], in In) (out Out, err error) {
	if !c.root.rehearse {
		return ops.Do(ctx, d.Desk, call, o, in)
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	r, err := d.Rehearse(ctx, call, o.Entry(), raw)
	if err == nil {
		err = &ops.Rehearsed{Rehearsal: r}
	}
	return out, err
}

// asRehearsed returns what a rehearsal found, if err says so.
func asRehearsed(err error) (*ops.Rehearsal, bool) {
	r, ok := errors.AsType[*ops.Rehearsed](err)
	if !ok {
		return nil, false
	}
	return r.Rehearsal, true
}

func printRehearsal(w io.Writer, r *ops.Rehearsal) {
	how := "would be done at once"
	if r.Status == ops.WouldQueue {
		how = "would wait for another person's decision"
	}
	fmt.Fprintf(w, "Nothing was changed. %s of %s, class %s, %s.\n", r.Operation, r.Target, r.Class, how)
	for _, c := range r.Changes {
		fmt.Fprintf(w, "  %s: %s → %s\n", c.Field, oneLine(c.From), oneLine(c.To))
	}
	printPart(w, "before", indented(r.Before))
	printPart(w, "after", indented(r.After))
}

type undoCmd struct {
	brainFlag
	dryFlag
	ID string `arg:"" help:"The id of the change's audit row, as bb audit export shows it, or of the recommendation that was applied."`
}

// Run takes the change back.
func (u *undoCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, u.BrainID, ops.UndoChange, ops.UndoIn{ID: u.ID})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) { fmt.Fprintf(w, "Undone by %s of %s.\n", out.Operation, out.Target) })
}
