package main

import (
	"context"
	"fmt"
	"io"

	"polaris/models"
	"polaris/ops"
)

type versionDiffCmd struct {
	brainFlag
	From int `arg:"" optional:"" help:"The earlier version. Default: the one that answers now."`
	To   int `arg:"" optional:"" help:"The later version. Default: the draft."`
}

// Run shows what differs.
func (v *versionDiffCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, v.BrainID, ops.DiffVersions, ops.DiffIn{From: v.From, To: v.To})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "From %s to %s: %d sources, %d cards, %d articles differ.\n", sideName(out.From, "nothing"), sideName(out.To, "the draft"), len(out.Sources), len(out.Cards), len(out.Articles))
		for _, s := range out.Sources {
			fmt.Fprintf(w, "\n%s  %s (%s), revision %d → %d: %d gained, %d lost, %d changed, %d moved\n", s.Status, s.Code, s.Title, s.FromRevision, s.ToRevision, s.Counts.Gained, s.Counts.Lost, s.Counts.Changed, s.Counts.Moved)
			for _, p := range s.Passages {
				printPassageChange(w, p)
			}
			if s.More > 0 {
				fmt.Fprintf(w, "  and %d passages more\n", s.More)
			}
		}
		for _, k := range out.Cards {
			fmt.Fprintf(w, "\n%s  card %s\n", k.Status, k.ID)
		}
		for _, a := range out.Articles {
			fmt.Fprintf(w, "%s  article %s\n", a.Status, a.Title)
		}
	})
}

func sideName(n int, none string) string {
	if n == 0 {
		return none
	}
	return fmt.Sprintf("version %d", n)
}

func printPassageChange(w io.Writer, p ops.PassageChange) {
	if p.Status == ops.Moved {
		fmt.Fprintf(w, "  %s  %s → %s\n", p.Status, p.Key, p.To)
		return
	}
	fmt.Fprintf(w, "  %s  %s\n", p.Status, p.Key)
	if p.Before != "" {
		fmt.Fprintf(w, "    - %s\n", oneLine(p.Before))
	}
	if p.After != "" {
		fmt.Fprintf(w, "    + %s\n", oneLine(p.After))
	}
}

type versionRestoreCmd struct {
	brainFlag
	dryFlag
	N     int    `arg:"" help:"The version whose manifest is to answer again."`
	Notes string `help:"Why."`
}

// Run publishes the manifest again.
func (v *versionRestoreCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, v.BrainID, ops.RestoreVersion, ops.RestoreIn{N: v.N, Notes: v.Notes})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "Version %d of %s is published: what version %d was. The draft stays as it is.\n", out.Version, v.BrainID, v.N)
		if out.FourEyes == models.FourEyesOff {
			fmt.Fprintln(w, "Four eyes are off: nobody else looked at it. The version and the audit log say so.")
		}
	})
}
