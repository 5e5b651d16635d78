package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"polaris/models/fault"
	"polaris/models/store"
)

type backupCmd struct {
	File string `arg:"" help:"Where to; one that is there is replaced when the new one is whole."`
}

// Run writes the backup beside its name, and gives it the name when it is whole.
func (b *backupCmd) Run(ctx context.Context, c *console) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	if st, err := os.Stat(b.File); err == nil && !st.Mode().IsRegular() {
		return fault.Field("file", "%s is no file.", b.File)
	}
	a, cluster, err := s.attach(ctx, s.quiet(c), false)
	if err != nil {
		return err
	}
	if cluster != nil {
		defer func() { _ = cluster.Detach() }() // the supervisor sees that we left even if this fails
	}
	dir := filepath.Dir(b.File)
	f, err := os.CreateTemp(dir, ".bb-backup-*") // 0600
	if err != nil {
		return fault.New(fault.Invalid, "The backup cannot be written: %v.", err)
	}
	defer os.Remove(f.Name()) // where it has its own name by then, nothing is there
	m, err := store.WriteBackup(ctx, a.owner, release(), f, dir)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	m.Actor = c.root.Actor
	if err := recordBackup(ctx, a.app, m); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), b.File); err != nil {
		return fault.New(fault.Invalid, "The backup cannot be written: %v.", err)
	}
	if err := syncFolder(dir); err != nil {
		return err
	}
	return c.printMoved(m, "Backed up to "+b.File)
}

// recordBackup says in the log that all there is leaves, before it does.
func recordBackup(ctx context.Context, url string, m *store.Manifest) error {
	s, err := store.Open(ctx, url, store.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.RecordBackup(ctx, m)
}

// syncFolder lets a new name survive a power cut.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// printMoved says what a backup holds, and the heads by which its logs can be
// told later.
func (c *console) printMoved(m *store.Manifest, done string) error {
	for _, p := range m.Problems() {
		c.notice("The audit log did not verify when the backup was made. %s", p)
	}
	return c.print(m, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %s as of %s.\n", done, counted(int(m.Rows()), "row"), m.At.UTC().Format("2006-01-02 15:04:05 UTC"))
		for _, x := range m.Chains {
			if x.HeadSeq == 0 {
				continue // no row is linked yet
			}
			fmt.Fprintf(w, "  %s: audit head %d:%s\n", x.Brain, x.HeadSeq, x.HeadHash)
		}
	})
}
