package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

type brainCmd struct {
	Create brainCreateCmd `cmd:"" help:"Make a brain and its owner. Example: bb brain create calliope --name Calliope --owner ada@example.org"`
	List   brainListCmd   `cmd:"" help:"List the brains of this instance. Example: bb brain list"`
}

type brainCreateCmd struct {
	ID       models.BrainID `arg:"" help:"Slug: lower-case letters, digits and hyphens."`
	Name     string         `required:"" help:"Name for people."`
	Owner    string         `required:"" help:"The owner's e-mail address; the person is made if there is none."`
	FourEyes string         `enum:"on,off" default:"on" help:"off: publishing needs no second person; every version says so."`
}

// Run makes the brain.
func (b *brainCreateCmd) Run(ctx context.Context, c *console) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	d, err := s.open(ctx, s.quiet(c), false)
	if err != nil {
		return err
	}
	defer d.Close()
	by, err := d.Terminal(ctx, store.Instance, cmp.Or(c.root.Actor, b.Owner))
	if err != nil {
		return err
	}
	out, err := ops.Do(ctx, d.Desk, ops.Call{By: by, Brain: b.ID, Via: ops.CLI}, ops.CreateBrain,
		ops.CreateBrainIn{ID: b.ID, Name: b.Name, OwnerEmail: b.Owner, FourEyes: b.FourEyes == "on"})
	if err != nil {
		return err
	}
	d.sealQuietly(ctx, b.ID)
	return c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "Brain %s made; %s owns it.\n", out.Brain.ID, out.Owner.Email)
		if !out.Brain.FourEyes {
			fmt.Fprintln(w, "Four eyes are off: one person publishes alone, and every version says so.")
		}
		printLink(w, s.PublicURL, out.Owner)
		fmt.Fprintf(w, "Next: bb import FILE --brain-id %s, then bb publish --brain-id %s\n", out.Brain.ID, out.Brain.ID)
	})
}

// printLink shows the one-time link of a person who has no password yet.
func printLink(w io.Writer, publicURL string, u ops.CreatedUser) {
	if u.Link != "" {
		fmt.Fprintf(w, "One-time sign-in link for %s (7 days): %s\n", u.Email, linkURL(publicURL, u.Link))
	}
}

func linkURL(publicURL, token string) string { return publicURL + "/link?token=" + token }

type brainListCmd struct{}

// Run lists the brains.
func (brainListCmd) Run(ctx context.Context, c *console) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	d, err := s.open(ctx, s.quiet(c), false)
	if err != nil {
		return err
	}
	defer d.Close()
	bs, err := d.Store.Brains(ctx)
	if err != nil {
		return err
	}
	return c.print(bs, func(w io.Writer) {
		if len(bs) == 0 {
			fmt.Fprintln(w, "No brains yet. `bb brain create ID --name NAME --owner EMAIL` makes one.")
			return
		}
		t := table(w, "ID", "NAME", "PUBLISHED", "FOUR EYES")
		for _, b := range bs {
			t.row(b.ID, b.Name, versionName(b.Published), map[bool]string{true: "on", false: "off"}[b.FourEyes])
		}
		t.Flush()
	})
}

func versionName(n int) string {
	if n == 0 {
		return "nothing yet"
	}
	return fmt.Sprintf("version %d", n)
}

// A tabular writes aligned columns.
type tabular struct{ *tabwriter.Writer }

func table(w io.Writer, head ...string) tabular {
	t := tabular{tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)}
	fmt.Fprintln(t, strings.Join(head, "\t"))
	return t
}

func (t tabular) row(cells ...any) {
	for i, c := range cells {
		if i > 0 {
			fmt.Fprint(t, "\t")
		}
		fmt.Fprint(t, c)
	}
	fmt.Fprintln(t)
}

type userCmd struct {
	Create userCreateCmd `cmd:"" help:"Add a person to a brain. Example: bb user create eve@example.org --role reader --brain-id calliope"`
}

type userCreateCmd struct {
	brainFlag
	Email         string        `arg:"" help:"E-mail address."`
	Name          string        `help:"Name for people. Default: the address."`
	Role          []models.Role `required:"" help:"Roles: owner, admin, curator, approver, auditor, reader."`
	PasswordStdin bool          `name:"password-stdin" help:"Read the password from standard input, instead of printing a one-time link."`
}

// Run adds the person.
func (u *userCreateCmd) Run(ctx context.Context, c *console) error {
	in := ops.CreateUserIn{Email: u.Email, Name: u.Name, Roles: u.Role}
	if u.PasswordStdin {
		b, err := c.readAll(4096)
		if err != nil {
			return fault.New(fault.Invalid, "The password could not be read: %v.", err)
		}
		if in.Password = strings.TrimRight(string(b), "\r\n"); in.Password == "" {
			return fault.Field("password", "Standard input held no password.")
		}
	}
	out, err := do(ctx, c, u.BrainID, ops.CreateUser, in)
	if err != nil {
		return err
	}
	s, err := c.settings()
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "%s is now %s of %s.\n", out.Email, join(out.Roles), u.BrainID)
		printLink(w, s.PublicURL, out)
	})
}

func join[T ~string](xs []T) string {
	ss := make([]string, len(xs))
	for i, x := range xs {
		ss[i] = string(x)
	}
	return strings.Join(ss, ", ")
}

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
	c.notice("Key %s for %s, owned by %s, scopes %s, expires %s. It is shown this once.", out.Key.ID, m.BrainID, out.Key.Owner, join(out.Key.Scopes), out.Key.ExpiresAt.Format(time.DateOnly))
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
	out, err := do(ctx, c, k.BrainID, ops.ListAPIKeys, ops.None{})
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

func date(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.Format(time.DateOnly)
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
	Verify auditVerifyCmd `cmd:"" help:"Recompute the audit chain. Exits 1 if anything was changed. Example: bb audit verify --brain-id calliope"`
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
	Name   string `arg:"" help:"The operation's name."`
	DryRun bool   `help:"Rehearse: everything but the change."`
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
	call.DryRun = o.DryRun
	out, err := d.Invoke(ctx, call, entry, raw)
	if err != nil {
		return err
	}
	c.root.JSON = true
	return c.print(out, nil)
}
