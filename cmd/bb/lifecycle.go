package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
)

type sourcePurgeCmd struct {
	brainFlag
	dryFlag
	Source string `arg:"" help:"Its code or id."`
	Reason string `required:"" help:"On whose order, or for what. It stays."`
}

// Run asks for the purge; where four eyes are off it is done.
func (s *sourcePurgeCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, s.BrainID, ops.PurgeSource, ops.PurgeIn{Source: s.Source, Reason: s.Reason})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "Source %s is purged: %s, %s. Backups from before hold it: they go by your rotation, and bb restore --purged purges again.\n",
			out.Code, counted(len(out.Went), "revision"), counted(int(out.Answers), "recorded answer"))
	})
}

type sourcePurgedCmd struct{ brainFlag }

// Run lists the tombstones.
func (s *sourcePurgedCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, s.BrainID, ops.ListPurges, ops.None{})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		t := table(w, "CODE", "PURGED", "REVISIONS", "ANSWERS", "REASON")
		for _, p := range out.Purges {
			t.row(p.Code, minute(p.At), len(p.Went), p.Answers, p.Reason)
		}
		t.Flush()
	})
}

type userForgetCmd struct {
	brainFlag
	dryFlag
	Email string `arg:"" help:"E-mail address, or id."`
}

// Run asks that the person is forgotten.
func (u *userForgetCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, u.BrainID, ops.ForgetPerson, ops.MemberIn{Member: u.Email})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) { fmt.Fprintf(w, "Forgotten: %s\n", out.Pseudonym) })
}

type brainExportCmd struct {
	ID   models.BrainID `arg:"" help:"The brain."`
	File string         `arg:"" help:"Where to; one that is there is replaced when the new one is whole."`
}

// Run writes the export beside its name, and gives it the name when it is whole.
func (b *brainExportCmd) Run(ctx context.Context, c *console) error {
	if st, err := os.Stat(b.File); err == nil && !st.Mode().IsRegular() {
		return fault.Field("file", "%s is no file.", b.File)
	}
	d, call, err := c.at(ctx, b.ID)
	if err != nil {
		return err
	}
	defer d.Close()
	d.sealQuietly(ctx, b.ID) // so that the head covers what is there
	out, err := ops.Do(ctx, d.Desk, call, ops.ExportBrain, ops.None{})
	if err != nil {
		return err
	}
	defer d.sealQuietly(ctx, b.ID)
	dir := filepath.Dir(b.File)
	f, err := os.CreateTemp(dir, ".bb-export-*") // 0600
	if err != nil {
		return fault.New(fault.Invalid, "The export cannot be written: %v.", err)
	}
	defer os.Remove(f.Name()) // where it has its own name by then, nothing is there
	if err = out.Stream(ctx, f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), b.File); err != nil {
		return fault.New(fault.Invalid, "The export cannot be written: %v.", err)
	}
	if err := syncFolder(dir); err != nil {
		return err
	}
	return c.print(map[string]any{"brain": b.ID, "file": b.File}, func(w io.Writer) { fmt.Fprintf(w, "Brain %s is exported to %s.\n", b.ID, b.File) })
}

type brainDeleteCmd struct {
	dryFlag
	ID      models.BrainID `arg:"" help:"The brain."`
	Confirm models.BrainID `required:"" help:"Its id once more."`
	Reason  string         `help:"Why. It stays with the request."`
}

// Run asks for the deletion; where four eyes are off the brain goes.
func (b *brainDeleteCmd) Run(ctx context.Context, c *console) error {
	d, call, err := c.at(ctx, b.ID)
	if err != nil {
		return err
	}
	defer d.Close()
	out, err := perform(ctx, c, d, call, ops.DeleteBrain, ops.DeleteBrainIn{Confirm: b.Confirm, Reason: strings.TrimSpace(b.Reason)})
	if err != nil {
		d.sealQuietly(ctx, b.ID)
		return err
	}
	if err := d.FinishEnding(ctx, b.ID); err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "Brain %s is deleted: %s, %s, %s. Its id is not given again.\n", b.ID, counted(out.Sources, "source"), counted(out.Versions, "version"), counted(out.Keys, "API key"))
	})
}
