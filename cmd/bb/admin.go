package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"polaris/models/fault"
	"polaris/ops"
)

type migrateCmd struct{}

// Run brings the database's schema up to date.
func (migrateCmd) Run(ctx context.Context, c *console) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	d, err := s.open(ctx, s.logger(c.err, isTerminal(c.err)), true)
	if err != nil {
		return err
	}
	d.Close()
	return c.print(map[string]string{"status": "up to date"}, func(w io.Writer) { fmt.Fprintln(w, "The database is up to date.") })
}

type auditCmd struct {
	Export auditExportCmd `cmd:"" help:"Write the audit log to standard output, with the head of its chain. Example: bb audit export --brain-id calliope --format csv > audit.csv"`
	Verify auditVerifyCmd `cmd:"" help:"Recompute the audit chain. Exits 1 if anything was changed. Example: bb audit verify --brain-id calliope"`
}

type auditExportCmd struct {
	brainFlag
	Format    string `help:"jsonl or csv." enum:"jsonl,csv" default:"jsonl"`
	From      string `help:"Rows from this date or time on." placeholder:"TIME"`
	To        string `help:"Rows before this date or time." placeholder:"TIME"`
	Person    string `help:"Rows of this person." placeholder:"EMAIL"`
	Operation string `help:"Rows of this operation." placeholder:"NAME"`
	Outcome   string `help:"Rows with this outcome: ok, queued, or a refusal's code." placeholder:"CODE"`
}

// Run writes the export to standard output, and the head beside it.
func (a *auditExportCmd) Run(ctx context.Context, c *console) error {
	d, call, err := c.at(ctx, a.BrainID)
	if err != nil {
		return err
	}
	defer d.Close()
	defer d.sealQuietly(ctx, a.BrainID)
	d.sealQuietly(ctx, a.BrainID) // so that the head covers what is there
	out, err := ops.Do(ctx, d.Desk, call, ops.ExportAudit, ops.ExportAuditIn{
		Format: a.Format, AuditFilterIn: ops.AuditFilterIn{From: a.From, To: a.To, Person: a.Person, Operation: a.Operation, Outcome: a.Outcome},
	})
	if err != nil {
		return err
	}
	if err := out.Stream(ctx, c.out); err != nil {
		return err
	}
	c.notice("head %d:%s", out.HeadSeq, out.HeadHash)
	return nil
}

type auditVerifyCmd struct {
	brainFlag
	Head string `help:"A head that was printed before: finds what was cut off at the end since." placeholder:"SEQ:HASH"`
}

// Run verifies the chain.
func (a *auditVerifyCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, a.BrainID, ops.VerifyAudit, ops.VerifyAuditIn{Head: a.Head})
	if err != nil {
		return err
	}
	err = c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "%d rows sealed, %d not sealed yet. Head %d:%s\n", out.Sealed, out.Unsealed, out.HeadSeq, out.HeadHash)
		if out.Removed > 0 {
			fmt.Fprintf(w, "Retention removed what was linked up to %d.\n", out.Removed)
		}
		for _, p := range out.Problems {
			fmt.Fprintln(w, "  "+p)
		}
	})
	if err == nil && len(out.Problems) > 0 {
		err = fault.New(fault.Conflict, "The audit log does not verify: %d problems.", len(out.Problems))
	}
	return err
}

type opCmd struct {
	brainFlag
	dryFlag
	Name string `arg:"" help:"The operation's name. Any other word prints all names."`
}

// Run runs any operation that the command line is offered.
func (o *opCmd) Run(ctx context.Context, c *console) error {
	entry := ops.All().Find(o.Name)
	if entry == nil {
		var names []string
		for _, e := range ops.All().On(ops.CLI) {
			names = append(names, e.Name)
		}
		return fault.Field("name", "There is no operation %q. Operations are %s.", o.Name, strings.Join(names, ", "))
	}
	raw, err := c.readAll(128 << 20)
	if err != nil {
		return fault.New(fault.Invalid, "The input could not be read: %v.", err)
	}
	d, call, err := c.at(ctx, o.BrainID)
	if err != nil {
		return err
	}
	defer d.Close()
	defer d.sealQuietly(ctx, o.BrainID)
	c.root.JSON = true
	if o.DryRun {
		r, err := d.Rehearse(ctx, call, entry, raw)
		if err != nil {
			return err
		}
		return c.print(r, nil)
	}
	out, err := d.Invoke(ctx, call, entry, raw)
	if err != nil {
		return err
	}
	return c.print(out, nil)
}
