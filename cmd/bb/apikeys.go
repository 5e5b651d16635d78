package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
)

type apikeyCmd struct {
	Mint   mintCmd      `cmd:"" help:"Make a key and print it alone on standard output. Example: bb apikey mint --brain-id calliope --label 'support agent'"`
	List   keyListCmd   `cmd:"" help:"List a brain's keys, without secrets. Example: bb apikey list --brain-id calliope"`
	Revoke keyRevokeCmd `cmd:"" help:"Revoke a key; its next request is refused. Example: bb apikey revoke BbHE5WN82380 --reason 'agent retired' --brain-id calliope"`
}

type mintCmd struct {
	brainFlag
	Label    string         `required:"" help:"The agent or machine that will hold it."`
	Scope    []models.Scope `help:"Scopes. Default: advisor:read."`
	Expires  string         `default:"90d" help:"Lifetime in days, such as 90d; at most 366d."`
	Rate     string         `help:"Its own rate, such as 600/60s."`
	Operator bool           `help:"Scopes mcp:invoke and mcp:write, for an agent that operates the brain."`
	ReadOnly bool           `name:"read-only" help:"With --operator: without mcp:write."`
	Hosted   bool           `help:"With --operator: with advisor:read, which /v1/mcp requires."`
}

// Run mints the key. --actor names the member who owns it; where it names
// nobody, the brain's only owner owns the key and the name stands in audit rows.
func (m *mintCmd) Run(ctx context.Context, c *console) error {
	in := ops.CreateAPIKeyIn{Label: m.Label, Actor: c.root.Actor, Scopes: m.scopes()}
	var err error
	if in.ExpiresDays, err = days(m.Expires); err != nil {
		return err
	}
	if m.Rate != "" {
		r, err := parseRate(m.Rate)
		if err != nil {
			return err
		}
		in.RateN, in.RateSeconds = r.N, int(r.Window/time.Second)
	}
	out, err := do(ctx, c, m.BrainID, ops.CreateAPIKey, in)
	if err != nil {
		return err
	}
	if c.root.JSON {
		return c.print(struct {
			models.APIKey
			Key string `json:"key"`
		}{out.Key, out.Secret}, nil)
	}
	fmt.Fprintln(c.out, out.Secret)
	c.notice("Key %s for %s, owned by %s, scopes %s, expires %s. It is shown this once.", out.Key.ID, m.BrainID, out.Key.Owner, join(out.Key.Scopes), date(out.Key.ExpiresAt))
	return nil
}

func (m *mintCmd) scopes() []models.Scope {
	s := m.Scope
	if m.Operator {
		s = append(s, models.ScopeInvoke)
		if !m.ReadOnly {
			s = append(s, models.ScopeWrite)
		}
		if m.Hosted {
			s = append(s, models.ScopeAdvisorRead)
		}
	}
	return s
}

// days reads "90d".
func days(s string) (int, error) {
	var n int
	if _, err := fmt.Sscanf(s, "%dd", &n); err != nil || fmt.Sprintf("%dd", n) != s || n < 1 {
		return 0, fault.Field("expires", "A lifetime is a number of days, such as 90d.")
	}
	return n, nil
}

type keyListCmd struct{ brainFlag }

// Run lists the keys.
func (k *keyListCmd) Run(ctx context.Context, c *console) error {
	out, err := whole(ctx, c, k.BrainID, ops.ListAPIKeys)
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		t := table(w, "ID", "LABEL", "OWNER", "SCOPES", "EXPIRES", "LAST USED", "STATE")
		for _, k := range out.Keys {
			t.row(k.ID, k.Label, k.Owner, join(k.Scopes), date(k.ExpiresAt), date(k.LastUsedAt), k.State)
		}
		t.Flush()
	})
}

type keyRevokeCmd struct {
	brainFlag
	ID     string `arg:"" help:"The key's public id, as bb apikey list shows it."`
	Reason string `help:"Why, for the audit log."`
}

// Run revokes the key.
func (k *keyRevokeCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, k.BrainID, ops.RevokeAPIKey, ops.RevokeAPIKeyIn{ID: k.ID, Reason: k.Reason})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) { fmt.Fprintf(w, "Key %s is revoked.\n", out.ID) })
}
