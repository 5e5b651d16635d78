package main

import (
	"context"
	"fmt"
	"io"

	"polaris/ops"
)

type sourceCertifyCmd struct {
	brainFlag
	Source     string `arg:"" help:"Its code or id."`
	Note       string `help:"What the person has to say of it."`
	ApprovedBy string `name:"approved-by" help:"Who vouches for it: a member of the brain." placeholder:"EMAIL"`
}

// Run certifies the source.
func (s *sourceCertifyCmd) Run(ctx context.Context, c *console) error {
	d, call, err := c.at(ctx, s.BrainID)
	if err != nil {
		return err
	}
	defer d.Close()
	defer d.sealQuietly(ctx, s.BrainID)
	call.ApprovedBy = s.ApprovedBy
	out, err := ops.Do(ctx, d.Desk, call, ops.CertifySource, ops.CertifyIn{Source: s.Source, Note: s.Note})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "Revision %d of %s is vouched for by %s, as named at this terminal. The next revision ends that.\n", out.Revision, s.Source, out.By)
	})
}
