package main

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"polaris/models/fault"
	"polaris/models/store"
	"polaris/models/store/localpg"
)

type restoreCmd struct {
	File string `arg:"" help:"What bb backup wrote."`
}

// Run restores the backup. The file is read to its end before anything is made.
func (r *restoreCmd) Run(ctx context.Context, c *console) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	m, err := store.ReadBackup(r.File)
	if err != nil {
		return err
	}
	if s.DatabaseURL == "" {
		if err := cleanFolder(s.DataDir); err != nil {
			return err
		}
	}
	a, cluster, err := s.attach(ctx, s.quiet(c), true)
	if err != nil {
		return err
	}
	if cluster != nil {
		defer func() { _ = cluster.Detach() }() // the supervisor sees that we left even if this fails
	}
	m.Actor = c.root.Actor
	if err := store.Restore(ctx, a.owner, a.appRole, r.File, m); err != nil {
		return err
	}
	return c.printMoved(m, "Restored and verified")
}

// cleanFolder refuses a data folder that holds more than settings, the secret
// and a database, which may be what a restore left that was cut off: whether
// that is empty the database says.
func cleanFolder(dir string) error {
	if localpg.Exists(dir) {
		return nil
	}
	names, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Invalid, "The data folder cannot be read: %v.", err)
	}
	for _, n := range names {
		if n.Name() != "polaris.env" && n.Name() != secretFile && n.Name() != "postgres" {
			return fault.New(fault.Conflict, "The data folder %s is not empty (%s, for one), and a backup is restored into a clean one only. It was left as it is.", dir, n.Name()).WithCode("not_empty")
		}
	}
	return nil
}
