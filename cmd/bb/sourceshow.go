package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"polaris/ops"
)

type sourceShowCmd struct {
	brainFlag
	Source string `arg:"" help:"Its code or id."`
}

// Run shows the source. With --json its passages are there, too, each with what
// it cites and what cites it.
func (s *sourceShowCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, s.BrainID, ops.GetSource, ops.GetSourceIn{Source: s.Source})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) { printSource(w, &out) })
}

func printSource(w io.Writer, v *ops.SourceView) {
	s, r := &v.Source, &v.Revision
	fmt.Fprintf(w, "%s (%s), revision %d, %s\n", s.Code, oneLine(s.Title), r.N, counted(len(v.Passages), "passage"))
	for _, f := range []struct{ name, text string }{
		{"File", oneLine(r.Name)},
		{"Type", r.MediaType},
		{"Language", r.Language},
		{"Taken from", s.OriginURL},
		{"Jurisdiction", oneLine(s.Jurisdiction)},
		{"Owner", oneLine(s.Owner)},
		{"Review by", string(s.ReviewBy)},
		{"Holds from", string(s.EffectiveFrom)},
		{"Holds until", string(s.EffectiveTo)},
		{"Supersedes", s.Supersedes},
	} {
		if f.text != "" {
			fmt.Fprintf(w, "%s: %s\n", f.name, f.text)
		}
	}
	n := v.References
	fmt.Fprintf(w, "Cross-references: %d found, %d lead to a passage, %d broken, %d to documents that are not in this brain\n", n.Found, n.Resolved, n.Broken, n.Outside)
	for _, x := range r.Warnings {
		fmt.Fprintf(w, "Warning: %s\n", oneLine(x))
	}
	if n := len(r.Flags); n > 0 {
		fmt.Fprintf(w, "Flags: %d\n", n)
	}
}

type sourceRefsCmd struct {
	brainFlag
	Source  string `arg:"" optional:"" help:"Code or id of one source. Default: all."`
	Outside bool   `help:"List those instead that cite documents which are no sources of the draft."`
	Limit   int    `help:"How many to show." default:"50"`
	Cursor  string `help:"Where the list goes on: next_cursor of the page before." placeholder:"CURSOR"`
}

// Run lists the references that lead nowhere.
func (s *sourceRefsCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, s.BrainID, ops.ListBrokenRefs, ops.BrokenRefsIn{Source: s.Source, Outside: s.Outside, Page: ops.Page{Limit: s.Limit, Cursor: s.Cursor}})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		if len(out.References) == 0 && s.Cursor == "" {
			fmt.Fprintln(w, "None.")
			return
		}
		t := table(w, "SOURCE", "PASSAGE", "CITES", "OF")
		for _, r := range out.References {
			t.row(r.Code, r.From, r.Key, cmp.Or(oneLine(r.Of), "-"))
		}
		t.Flush()
		if out.NextCursor != "" {
			fmt.Fprintf(w, "\nMore with --cursor %s\n", out.NextCursor)
		}
	})
}
