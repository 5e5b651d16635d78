package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/models/store/localpg"
	"polaris/ops"
)

type restoreCmd struct {
	File   string   `arg:"" help:"What bb backup wrote."`
	Purged []string `help:"What bb source purged --json printed since: sources of the backup that are purged again." placeholder:"FILE"`
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
	if m.Purged, err = r.tombstones(); err != nil {
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
	if len(m.Again) > 0 {
		c.notice("Purged again: %s.", strings.Join(m.Again, ", "))
	}
	c.notice("This is the instance as of %s. What was purged, forgotten or deleted after that a backup cannot know: purge again with --purged FILE (from bb source purged --json), forget people and delete brains again.",
		m.At.UTC().Format("2006-01-02 15:04:05 UTC"))
	return c.printMoved(m, "Restored and verified")
}

// tombstones reads the lists of what was purged.
func (r *restoreCmd) tombstones() (all []models.Purge, err error) {
	for _, name := range r.Purged {
		b, err := readDocument(name, 64<<20)
		if err != nil {
			return nil, err
		}
		var l ops.PurgeList
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil || l.Purges == nil {
			return nil, fault.New(fault.Invalid, "%s is no list of purged sources, as `bb source purged --json` prints it. Nothing was restored.", name)
		}
		for _, p := range l.Purges {
			if !p.BrainID.Valid() || p.SourceID == "" || p.Reason == "" {
				return nil, fault.New(fault.Invalid, "%s names no source in one of its lines. Nothing was restored.", name)
			}
		}
		all = append(all, l.Purges...)
	}
	return all, nil
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
