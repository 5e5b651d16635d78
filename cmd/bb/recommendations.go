package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"polaris/models"
	"polaris/ops"
)

type recCmd struct {
	List     recListCmd     `cmd:"" help:"List what waits for a second person, or what became of it. Example: bb recommendation list --brain-id calliope"`
	Show     recShowCmd     `cmd:"" help:"Show one in full: before, after, why, and who had a part. Example: bb recommendation show rec_k7QdXm2PzR4a --brain-id calliope"`
	Withdraw recWithdrawCmd `cmd:"" help:"Take back what you proposed; --actor says who you are. Example: bb recommendation withdraw rec_k7QdXm2PzR4a --brain-id calliope"`
}

type recListCmd struct {
	brainFlag
	State string `default:"pending" enum:"pending,applied,rejected,withdrawn,expired,stale,superseded,all" help:"pending, applied, rejected, withdrawn, expired, stale, superseded or all."`
}

// Run lists the recommendations, the newest first.
func (l *recListCmd) Run(ctx context.Context, c *console) error {
	in := ops.RecommendationsIn{State: models.RecommendationState(l.State), Page: ops.Page{Limit: 200}}
	if l.State == "all" {
		in.State = ""
	}
	out, err := do(ctx, c, l.BrainID, ops.ListRecommendations, in)
	if err != nil {
		return err
	}
	for next := out.NextCursor; next != ""; {
		in.Cursor = next
		more, err := do(ctx, c, l.BrainID, ops.ListRecommendations, in)
		if err != nil {
			return err
		}
		out.Recommendations = append(out.Recommendations, more.Recommendations...)
		out.More, next = more.More, more.NextCursor
	}
	return c.print(out, func(w io.Writer) {
		t := table(w, "ID", "OPERATION", "CLASS", "TARGET", "PROPOSED BY", "THROUGH", "AT", "STATE", "EXPIRES")
		for _, r := range out.Recommendations {
			t.row(r.ID, r.Operation, r.Class, r.Target, r.Actor, r.Surface, minute(r.CreatedAt), r.State, minute(r.ExpiresAt))
		}
		t.Flush()
		if out.Warning != "" {
			fmt.Fprintln(w, out.Warning)
		}
	})
}

type recArg struct {
	brainFlag
	ID string `arg:"" help:"The recommendation's id, as bb recommendation list shows it."`
}

type recShowCmd struct{ recArg }

// Run shows the recommendation.
func (s *recShowCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, s.BrainID, ops.GetRecommendation, ops.RecommendationIDIn{ID: s.ID})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "%s, %s of %s, class %s, %s\n", out.ID, out.Operation, out.Target, out.Class, out.State)
		fmt.Fprintf(w, "proposed by %s through %s on %s, expires %s\n", out.Actor, out.Surface, minute(out.CreatedAt), minute(out.ExpiresAt))
		if !out.Authenticated {
			fmt.Fprintln(w, "who proposed it was not signed in: the name was given at a terminal")
		}
		if out.Moved {
			fmt.Fprintln(w, "what it would change has changed since: approving makes it stale")
		}
		if out.Note != "" {
			fmt.Fprintln(w, "note: "+out.Note)
		}
		fmt.Fprintf(w, "needs %d approval(s) by %s\ncontent %s\n", out.Needed, join(out.Roles), out.Hash)
		for _, p := range out.Parts {
			fmt.Fprintf(w, "%s: %s, %s %s\n", p.Part, p.Email, minute(p.At), p.Comment)
		}
		printPart(w, "why", out.Rationale)
		printPart(w, "evidence", strings.Join(out.Evidence, "\n"))
		printPart(w, "input", indented(out.Input))
		printPart(w, "before", indented(out.Before))
		printPart(w, "after", indented(out.After))
	})
}

// indented is JSON for reading. What would not be seen is escaped in JSON, or
// by the console.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) == 0 || json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

func printPart(w io.Writer, name, text string) {
	if text != "" {
		fmt.Fprintf(w, "\n%s\n  %s\n", name, strings.ReplaceAll(text, "\n", "\n  "))
	}
}

type recWithdrawCmd struct {
	recArg
	dryFlag
}

// Run withdraws the recommendation.
func (x *recWithdrawCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, x.BrainID, ops.WithdrawRecommendation, ops.RecommendationIDIn{ID: x.ID})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) { fmt.Fprintf(w, "Recommendation %s is withdrawn. Nothing was changed.\n", out.ID) })
}

// printQueued says what happens next with a change that has to wait.
func printQueued(w io.Writer, q models.Queued) {
	if q.ID == "" {
		fmt.Fprintln(w, "This would wait for another person's decision.")
		return
	}
	fmt.Fprintf(w, "This waits for another person until %s. Recommendation %s is decided on at\n  %s\n", q.ExpiresAt.Format("2 January 2006"), q.ID, q.ReviewURL)
}
