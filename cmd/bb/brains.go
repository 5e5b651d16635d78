package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

type brainCmd struct {
	Create brainCreateCmd `cmd:"" help:"Make a brain and its owner. Example: bb brain create calliope --name Calliope --owner ada@example.org"`
	List   brainListCmd   `cmd:"" help:"List the brains of this instance. Example: bb brain list"`
	Export brainExportCmd `cmd:"" help:"Write all of a brain to one archive, as it is at one moment. Example: bb brain export calliope calliope.tar.gz"`
	Delete brainDeleteCmd `cmd:"" help:"Ask that a brain is deleted with all that it has. Another owner decides. Example: bb brain delete calliope --confirm calliope"`
}

type brainCreateCmd struct {
	dryFlag
	ID       models.BrainID `arg:"" help:"Slug: lower-case letters, digits and hyphens."`
	Name     string         `required:"" help:"Name for people."`
	Owner    string         `required:"" help:"The owner's e-mail address; the person is made if there is none."`
	FourEyes string         `enum:"on,off" default:"on" help:"off: publishing needs no second person; every version says so."`

	KeysMayNeverExpire bool `name:"keys-may-never-expire" help:"Allow API keys without an end."`
}

// Run makes the brain.
func (b *brainCreateCmd) Run(ctx context.Context, c *console) error {
	d, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer d.Close()
	by, err := d.Terminal(ctx, store.Instance, cmp.Or(c.root.Actor, b.Owner))
	if err != nil {
		return err
	}
	out, err := perform(ctx, c, d, ops.Call{By: by, Brain: b.ID, Via: ops.CLI}, ops.CreateBrain,
		ops.CreateBrainIn{ID: b.ID, Name: b.Name, OwnerEmail: b.Owner, FourEyes: b.FourEyes == "on", KeysMayNeverExpire: b.KeysMayNeverExpire})
	if err != nil {
		return err
	}
	d.sealQuietly(ctx, b.ID)
	return c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "Brain %s made; %s owns it.\n", out.Brain.ID, out.Owner.Email)
		if !out.Brain.FourEyes {
			fmt.Fprintf(w, "Four eyes are off until %s: one person publishes alone, and every version says so.\n", date(out.Brain.FourEyesUntil))
		}
		printLink(w, d.Settings.PublicURL, out.Owner)
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
	d, err := c.open(ctx)
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

type userCmd struct {
	Create  userCreateCmd  `cmd:"" help:"Add a person to a brain. Example: bb user create eve@example.org --role reader --brain-id calliope"`
	List    userListCmd    `cmd:"" help:"List the people of this instance. Example: bb user list"`
	Disable userDisableCmd `cmd:"" help:"Keep a person out: sessions end, and sign-ins and keys are refused from then on. Example: bb user disable eve@example.org"`
	Forget  userForgetCmd  `cmd:"" help:"Ask that a person's name and address are replaced by a pseudonym, and the account ended. Another person decides. Example: bb user forget eve@example.org --brain-id calliope"`
	Enable  userEnableCmd  `cmd:"" help:"Let a disabled person in again. Example: bb user enable eve@example.org"`
}

type userCreateCmd struct {
	brainFlag
	dryFlag
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

type userListCmd struct{}

// Run lists the people.
func (userListCmd) Run(ctx context.Context, c *console) error {
	out, err := whole(ctx, c, store.Instance, ops.ListUsers)
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		t := table(w, "EMAIL", "NAME", "INSTANCE ADMIN", "STATE")
		for _, u := range out.Users {
			state := "active"
			if u.DisabledAt != nil {
				state = "disabled since " + date(u.DisabledAt)
			}
			t.row(u.Email, u.Name, map[bool]string{true: "yes", false: "no"}[u.InstanceAdmin], state)
		}
		t.Flush()
	})
}

type userDisableCmd struct {
	dryFlag
	Email string `arg:"" help:"E-mail address."`

	LeavesTooFew bool `name:"leaves-too-few" help:"Do it though fewer than two people can decide in a brain then."`
}

// Run disables the person.
func (u *userDisableCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, store.Instance, ops.DisableUser, ops.UserIn{Email: u.Email, LeavesTooFew: u.LeavesTooFew})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "%s is disabled: signed out everywhere, and every key of theirs is refused. `bb user enable` undoes it.\n", out.Email)
	})
}

type userEnableCmd struct {
	dryFlag
	Email string `arg:"" help:"E-mail address."`
}

// Run enables the person.
func (u *userEnableCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, store.Instance, ops.EnableUser, ops.UserIn{Email: u.Email})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "%s may sign in again. Keys that did not end meanwhile hold again.\n", out.Email)
	})
}
