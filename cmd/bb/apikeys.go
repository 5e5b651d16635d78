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
	Revoke keyRevokeCmd `cmd:"" help:"Revoke a key; its next request is refused. Example: bb apikey revoke BbHE5WN82380 --reason 'agent retired'"`
	Rotate keyRotateCmd `cmd:"" help:"Give a key a new secret and print it alone on standard output; the old one holds on for the overlap. Example: bb apikey rotate BbHE5WN82380 --overlap 24h"`
}

type mintCmd struct {
	brainFlag
	dryFlag
	Label    string         `required:"" help:"The agent or machine that will hold it."`
	Scope    []models.Scope `help:"Scopes. Default: advisor:read."`
	Expires  string         `default:"90d" help:"Lifetime in days, such as 90d; at most 366d. Or never, where the brain allows it."`
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
	if in.ExpiresDays, in.NeverExpires, err = lifetime(m.Expires); err != nil {
		return err
	}
	if m.Rate != "" {
		r, err := models.ParseRate(m.Rate)
		if err == nil && r.Off {
			err = fault.Field("rate", "A key's own rate is requests/window, such as 600/60s. Only the server's can be off.")
		}
		if err != nil {
			return err
		}
		in.RateN, in.RateSeconds = r.N, int(r.Window/time.Second)
	}
	out, err := do(ctx, c, m.BrainID, ops.CreateAPIKey, in)
	if err != nil {
		return err
	}
	return c.printKey(out, "Key %s for %s, owned by %s, scopes %s, expires %s. It is shown this once.", out.ID, m.BrainID, out.Owner, join(out.Scopes), date(out.ExpiresAt))
}

// printKey prints a new secret alone, and all else beside it.
func (c *console) printKey(k ops.CreatedAPIKey, format string, args ...any) error {
	if c.root.JSON {
		return c.print(k, nil)
	}
	fmt.Fprintln(c.out, k.Secret)
	c.notice(format, args...)
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

// lifetime reads "90d" or "never".
func lifetime(s string) (days int, never bool, err error) {
	if s == "never" {
		return 0, true, nil
	}
	if _, err := fmt.Sscanf(s, "%dd", &days); err != nil || fmt.Sprintf("%dd", days) != s || days < 1 {
		return 0, false, fault.Field("expires", "A lifetime is a number of days, such as 90d, or never.")
	}
	return days, false, nil
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
			t.row(k.ID, k.Label, k.Owner, join(k.Scopes), date(k.ExpiresAt), date(k.LastUsedAt), keyState(k))
		}
		t.Flush()
	})
}

// keyState is a key's state, and until when its secret of before holds on.
func keyState(k models.APIKey) string {
	if k.PrevUntil == nil {
		return k.State
	}
	return k.State + ", rotating until " + minute(*k.PrevUntil)
}

// A keyArg names a key. Its id is enough to know the brain by.
type keyArg struct {
	ID      string         `arg:"" help:"The key's public id, as bb apikey list shows it."`
	BrainID models.BrainID `name:"brain-id" help:"The brain. Default: the key's." placeholder:"ID"`
}

// doKey runs one operation on a key.
func doKey[In, Out any](ctx context.Context, c *console, k keyArg, o *ops.Op[In, Out], in In) (out Out, err error) {
	brain := k.BrainID
	if brain == "" {
		if brain, err = c.brainOf(ctx, k.ID); err != nil {
			return out, err
		}
	}
	return do(ctx, c, brain, o, in)
}

// brainOf returns the brain of a key that is named by its id, or by all of it.
func (c *console) brainOf(ctx context.Context, id string) (models.BrainID, error) {
	d, err := c.open(ctx)
	if err != nil {
		return "", err
	}
	defer d.Close()
	if whole, ok := models.KeyID(id); ok {
		id = whole
	}
	h, err := d.Store.KeyByID(ctx, id)
	if err != nil {
		return "", err
	}
	return h.Key.BrainID, nil
}

type keyRevokeCmd struct {
	keyArg
	dryFlag
	Reason string `help:"Why, for the audit log."`
}

// Run revokes the key.
func (k *keyRevokeCmd) Run(ctx context.Context, c *console) error {
	out, err := doKey(ctx, c, k.keyArg, ops.RevokeAPIKey, ops.RevokeAPIKeyIn{ID: k.ID, Reason: k.Reason})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) { fmt.Fprintf(w, "Key %s is revoked.\n", out.ID) })
}

type keyRotateCmd struct {
	keyArg
	dryFlag
	Overlap string `default:"24h" help:"How long the old secret holds on, such as 24h or 7d, which is the most; 0 ends it at once."`
	Expires string `help:"A new lifetime in days, such as 90d, or never, where the brain allows it. Default: the key ends when it would have."`
}

// Run rotates the key.
func (k *keyRotateCmd) Run(ctx context.Context, c *console) error {
	overlap, err := span(k.Overlap)
	if err != nil {
		return err
	}
	in := ops.RotateAPIKeyIn{ID: k.ID, OverlapSeconds: &overlap}
	if k.Expires != "" {
		if in.ExpiresDays, in.NeverExpires, err = lifetime(k.Expires); err != nil {
			return err
		}
	}
	out, err := doKey(ctx, c, k.keyArg, ops.RotateAPIKey, in)
	if err != nil {
		return err
	}
	old := "is refused from now on"
	if out.PrevUntil != nil {
		old = "holds on until " + minute(*out.PrevUntil) + " UTC"
	}
	return c.printKey(out, "Key %s has a new secret, expires %s. It is shown this once; the old one %s.", out.ID, date(out.ExpiresAt), old)
}

// span reads "24h" or "7d", in whole seconds.
func span(s string) (int, error) {
	if days, never, err := lifetime(s); err == nil && !never && days < 1000 {
		return days * 24 * 3600, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d%time.Second != 0 {
		return 0, fault.Field("overlap", "An overlap is a time such as 24h, 30m or 7d, or 0.")
	}
	return int(d / time.Second), nil
}
