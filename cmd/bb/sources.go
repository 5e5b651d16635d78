package main

import (
	"context"
	"fmt"
	"io"

	"polaris/models"
	"polaris/ops"
)

// staying says what answers in place of a revision that is held.
func staying(h models.HeldSource) string {
	if h.Stays > 0 {
		return fmt.Sprintf("revision %d goes on answering until a curator has certified it", h.Stays)
	}
	return "it does not answer until a curator has certified it"
}

type sourceUpdateCmd struct {
	brainFlag
	dryFlag
	Source        string  `arg:"" help:"Its code or id."`
	Title         *string `help:"What it is called."`
	Jurisdiction  *string `help:"Where it applies."`
	OriginURL     *string `name:"origin-url" help:"Where it was taken from."`
	Owner         *string `help:"Who answers for it."`
	ReviewBy      *string `help:"When somebody is to look at it again; empty: no date." placeholder:"YYYY-MM-DD"`
	EffectiveFrom *string `help:"The first day on which the draft's revision holds." placeholder:"YYYY-MM-DD"`
	EffectiveTo   *string `help:"The last day." placeholder:"YYYY-MM-DD"`
	Supersedes    *string `help:"Code of the source that it takes the place of." placeholder:"CODE"`
}

// Run changes what is said of the source.
func (s *sourceUpdateCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, s.BrainID, ops.UpdateSource, ops.UpdateSourceIn{
		Source: s.Source, Title: s.Title, Jurisdiction: s.Jurisdiction, OriginURL: s.OriginURL, Owner: s.Owner, Supersedes: s.Supersedes,
		ReviewBy: dayOf(s.ReviewBy), EffectiveFrom: dayOf(s.EffectiveFrom), EffectiveTo: dayOf(s.EffectiveTo),
	})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) { fmt.Fprintf(w, "Source %s (%s) is changed in the draft.\n", out.Code, out.Title) })
}

func dayOf(s *string) *models.Date {
	if s == nil {
		return nil
	}
	return new(models.Date(*s))
}

type sourceDiffCmd struct {
	brainFlag
	Source string `arg:"" help:"Its code or id."`
	From   int    `arg:"" optional:"" help:"The earlier revision. Default: the one before."`
	To     int    `arg:"" optional:"" help:"The later revision. Default: the draft's."`
}

// Run shows what differs.
func (s *sourceDiffCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, s.BrainID, ops.DiffSource, ops.DiffSourceIn{Source: s.Source, From: s.From, To: s.To})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "%s (%s), revision %d → %d: %d gained, %d lost, %d changed, %d moved\n", out.Code, out.Title, out.FromRevision, out.ToRevision, out.Counts.Gained, out.Counts.Lost, out.Counts.Changed, out.Counts.Moved)
		for _, p := range out.Passages {
			printPassageChange(w, p)
		}
		if out.More > 0 {
			fmt.Fprintf(w, "  and %d passages more\n", out.More)
		}
		for _, a := range out.CardsAffected {
			fmt.Fprintf(w, "card %s: its anchor %s %s\n", a.Card, a.Anchor, affectedWords(a))
		}
	})
}
