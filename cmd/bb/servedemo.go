package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"polaris/cmd/bb/demo"
	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
)

// makeDemo makes the demo brain where it is not there yet, and returns the ways
// in: sign-in links, an API key that answers at once, and the line that adds
// the endpoint to a client.
func (c *checked) makeDemo(ctx context.Context, d *opened) ([]string, error) {
	call := ops.Call{By: models.System(demo.Brain), Brain: demo.Brain, Via: ops.CLI}
	_, err := d.Store.Brain(ctx, demo.Brain)
	switch {
	case fault.Is(err, fault.NotFound):
		if err := fillDemo(ctx, d.Desk, call); err != nil {
			return nil, fmt.Errorf("making the demo brain: %w", err)
		}
	case err != nil:
		return nil, err
	}
	ways := []string{fmt.Sprintf("Demo brain %s. One-time sign-in links, 7 days:", demo.Brain)}
	for _, u := range []ops.CreateUserIn{
		{Email: demo.Curator, Name: "Cora Curator", Roles: []models.Role{models.RoleOwner, models.RoleCurator}},
		{Email: demo.Approver, Name: "Abe Approver", Roles: []models.Role{models.RoleApprover}},
		{Email: demo.Reader, Name: "Rita Reader", Roles: []models.Role{models.RoleReader}},
	} {
		out, err := ops.Do(ctx, d.Desk, call, ops.CreateUser, u)
		if err != nil {
			return nil, err
		}
		if out.Link != "" {
			ways = append(ways, fmt.Sprintf("  %-8s %s", strings.ToLower(strings.Fields(u.Name)[1]), linkURL(c.PublicURL, out.Link)))
		}
	}
	if len(ways) == 1 {
		ways = []string{fmt.Sprintf("Demo brain %s. Its people have set their passwords: %s/session/new", demo.Brain, c.PublicURL)}
	}
	key, err := c.demoKey(ctx, d.Desk, call)
	if err != nil {
		return nil, err
	}
	url := c.PublicURL + c.MCPPath
	return append(ways,
		"API key (also in "+filepath.Join(c.DataDir, demoKeyFile)+"):", "  "+key,
		"Add it to an agent, for example:", fmt.Sprintf("  claude mcp add --transport http polaris %s --header \"Authorization: Bearer %s\"", url, key),
	), nil
}

// fillDemo makes the brain from our own texts, publishes its first version, and
// leaves in it what some days of use would. Nobody approved it, and the audit row says so: four_eyes "bootstrap".
func fillDemo(ctx context.Context, d *ops.Desk, call ops.Call) error {
	_, err := ops.Do(ctx, d, call, ops.CreateBrain, ops.CreateBrainIn{ID: demo.Brain, Name: demo.BrainName, OwnerEmail: demo.Curator, FourEyes: true})
	if err != nil {
		return err
	}
	if err := demo.Publish(ctx, d, call); err != nil {
		return err
	}
	return demo.Furnish(ctx, d, call)
}

// demoKeyFile keeps the demo's key, so that a client that was set up once goes
// on working after a restart. The file is for its owner alone.
const demoKeyFile = "demo-key"

func (c *checked) demoKey(ctx context.Context, d *ops.Desk, call ops.Call) (string, error) {
	path := filepath.Join(c.DataDir, demoKeyFile)
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if key := strings.TrimSpace(string(b)); key != "" {
		if p, err := d.KeyPrincipal(ctx, key); err == nil && p.Brain == demo.Brain {
			return key, nil
		}
		if err := os.Remove(path); err != nil {
			return "", err
		}
	}
	out, err := ops.Do(ctx, d, call, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "demo", Actor: demo.Curator, Scopes: []models.Scope{models.ScopeAdvisorRead}})
	if err != nil {
		return "", err
	}
	return out.Secret, writeNew(path, []byte(out.Secret+"\n"))
}
