package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"polaris/models/fault"
)

// initdb makes the cluster. It works in a folder of a new name and renames it
// when it is complete, so that an interrupted one is never taken for a cluster,
// and an initdb that has outlived its supervisor cannot harm the next.
func (s *supervisor) initdb(ctx context.Context) error {
	old, _ := filepath.Glob(filepath.Join(s.place.home, "new-*"))
	for _, d := range old {
		os.RemoveAll(d) // what cannot go now goes next time
	}
	var said []byte
	var err error
	for _, locale := range locales() {
		var dir string
		if dir, err = os.MkdirTemp(s.place.home, "new-"); err != nil {
			return refused(err, "%s cannot be written to", s.place.home)
		}
		args := append([]string{"-D", dir, "-U", Admin, "-E", "UTF8", "--auth-local=peer", "--auth-host=reject", "--data-checksums", "--no-instructions"}, locale...)
		if s.set.fast {
			args = append(args, "--no-sync")
		}
		cmd := exec.CommandContext(ctx, filepath.Join(s.bin, "initdb"), args...)
		cmd.Dir = s.place.home
		cmd.SysProcAttr = diesWithUs(syscall.SIGTERM)
		// The thread is held for the death signal, as in server.run.
		runtime.LockOSThread()
		said, err = cmd.CombinedOutput()
		runtime.UnlockOSThread()
		if err == nil {
			return s.moveIn(dir)
		}
		os.RemoveAll(dir)
		if ctx.Err() != nil {
			break
		}
		s.log.Warn("initdb failed", "locale", locale, "err", err, "said", string(said))
	}
	return fault.New(fault.Unavailable, "initdb failed: %s", initdbError(string(said))).Because(err)
}

// locales are tried in order: Unicode character classes in byte order if the
// machine has them, else plain bytes. No query of ours sorts by language.
func locales() [][]string {
	ctype := "C.UTF-8"
	if runtime.GOOS == "darwin" {
		ctype = "UTF-8"
	}
	return [][]string{{"--locale=C", "--lc-ctype=" + ctype}, {"--locale=C"}}
}

func initdbError(said string) string {
	for l := range strings.Lines(said) {
		if _, m, ok := strings.Cut(l, "error: "); ok {
			return strings.TrimSpace(m)
		}
	}
	return lastLine(said)
}

func (s *supervisor) moveIn(dir string) error {
	if err := os.Rename(dir, s.place.data()); err != nil {
		return refused(err, "%s cannot be put in place", s.place.data())
	}
	home, err := os.Open(s.place.home)
	if err != nil {
		return err
	}
	defer home.Close()
	s.fresh = true
	return home.Sync() // the new name must survive a power cut
}

// writeAuth says who may log in: over the socket, as whoever the kernel says
// they are, the user of the cluster and root as any of our three roles. It is
// written at each start, since a folder may be moved to another user.
func (s *supervisor) writeAuth() error {
	var ident strings.Builder
	for _, u := range []string{s.place.user, "root"} {
		for _, r := range []string{Admin, Owner, App} {
			fmt.Fprintf(&ident, "polaris \"%s\" %s\n", u, r)
		}
		if s.place.user == "root" {
			break
		}
	}
	for name, text := range map[string]string{
		"pg_hba.conf":   "local all all peer map=polaris\n",
		"pg_ident.conf": ident.String(),
	} {
		f := filepath.Join(s.place.data(), name)
		if b, err := os.ReadFile(f); err == nil && string(b) == text {
			continue
		}
		if err := os.WriteFile(f+".new", []byte(text), 0o600); err != nil {
			return refused(err, "%s cannot be written", f)
		}
		if err := os.Rename(f+".new", f); err != nil {
			return refused(err, "%s cannot be written", f)
		}
	}
	return nil
}

// bootstrap logs in as the owner, and makes the roles and the database if that
// shows that they are not there yet. Each step may have been done before: a
// first start can be interrupted anywhere.
func (s *supervisor) bootstrap(ctx context.Context) error {
	if !s.fresh { // or the log of every new cluster would begin with a FATAL
		c, err := pgx.Connect(ctx, s.place.dsn(Owner, Database))
		if err == nil {
			return c.Close(ctx)
		}
		pe, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || (pe.Code != "28000" && pe.Code != "3D000") { // no such role, no such database
			return fault.New(fault.Unavailable, "PostgreSQL in %s does not let %s in", s.place.home, Owner).Because(err)
		}
	}
	// The database gets its name last: what has the name is complete.
	next := Database + "_new"
	for _, step := range []struct{ db, sql string }{
		{"postgres", `DO $$ BEGIN
			CREATE ROLE ` + Owner + ` LOGIN NOSUPERUSER CREATEROLE NOBYPASSRLS;
		EXCEPTION WHEN duplicate_object THEN NULL; END $$`},
		{"postgres", `DO $$ BEGIN
			CREATE ROLE ` + App + ` LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB NOBYPASSRLS NOINHERIT;
		EXCEPTION WHEN duplicate_object THEN NULL; END $$`},
		// Every database is a copy of template1. PostgreSQL 14 still lets everybody
		// create in public, later versions do not.
		{"template1", `ALTER SCHEMA public OWNER TO pg_database_owner; REVOKE CREATE ON SCHEMA public FROM PUBLIC`},
		{"postgres", `DROP DATABASE IF EXISTS ` + next},
		{"postgres", `CREATE DATABASE ` + next + ` OWNER ` + Owner},
		{"postgres", `REVOKE ALL ON DATABASE ` + next + ` FROM PUBLIC; GRANT CONNECT ON DATABASE ` + next + ` TO ` + App + `;
			ALTER DATABASE ` + next + ` RENAME TO ` + Database},
	} {
		if err := s.asAdmin(ctx, step.db, step.sql); err != nil {
			return fault.New(fault.Unavailable, "the database in %s cannot be set up", s.place.home).Because(err)
		}
	}
	s.fresh = false
	return nil
}

func (s *supervisor) asAdmin(ctx context.Context, db, sql string) error {
	c, err := pgx.Connect(ctx, s.place.dsn(Admin, db))
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	_, err = c.Exec(ctx, sql)
	return err
}
