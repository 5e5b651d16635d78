package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"polaris/migrations"
	"polaris/models/fault"
)

// schemaLock is the advisory lock that one migrating process holds.
const schemaLock = 0x706f6c61726973 // "polaris"

// grantsLock is the one that a process holds while it gives the serving login
// its rights.
const grantsLock = schemaLock + 1

// Migrate brings the schema at url up to date, as the owner's login, and gives
// app, the serving login, its rights. A database with tables that are not ours
// is refused untouched. It returns how many migrations were applied.
func Migrate(ctx context.Context, url, app string) (int, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return 0, fault.New(fault.Invalid, "POLARIS_MIGRATE_URL is not a PostgreSQL address.")
	}
	cfg.RuntimeParams["polaris.app_role"] = app
	db := stdlib.OpenDB(*cfg)
	defer db.Close()
	if err := db.PingContext(ctx); err != nil {
		return 0, notConnected(cfg, err)
	}
	if err := foreign(ctx, db); err != nil {
		return 0, err
	}
	p, err := provider(db)
	if err != nil {
		return 0, err
	}
	current, target, err := p.GetVersions(ctx)
	if notAllowed(err) {
		return 0, fault.New(fault.NotReady, "The login %q of POLARIS_MIGRATE_URL does not own the tables in the database %q. Use the login that made them.", cfg.User, cfg.Database).WithCode("migration_failed")
	}
	if err != nil {
		return 0, fmt.Errorf("reading the schema's version: %w", err)
	}
	if current > target {
		return 0, newer(current, target)
	}
	done, err := p.Up(ctx)
	if notAllowed(err) {
		return len(done), fault.New(fault.NotReady, "The login %q of POLARIS_MIGRATE_URL may not do what a migration needs: it must own the database %q and have CREATEROLE. Nothing of the failed step was kept.", cfg.User, cfg.Database).WithCode("migration_failed").Because(err)
	}
	if err != nil {
		return len(done), fault.New(fault.NotReady, "The database could not be migrated; nothing of the failed step was kept.").WithCode("migration_failed").Because(err)
	}
	err = grant(ctx, db)
	if err != nil && !notAllowed(err) {
		return len(done), fault.New(fault.NotReady, "The serving login %q could not be given its rights.", app).WithCode("grants_failed").Because(err)
	}
	if err != nil {
		return len(done), fault.New(fault.NotReady, "The serving login %q could not be given its rights: the owner's login needs CREATEROLE.", app).WithCode("grants_failed").Because(err)
	}
	return len(done), nil
}

// grant gives the serving login its rights. One process at a time does, since
// rights that two give at once are refused to one of them.
func grant(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, grantsLock); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, migrations.Grants); err != nil {
		return err
	}
	return tx.Commit()
}

func provider(db *sql.DB) (*goose.Provider, error) {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(schemaLock))
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, migrations.FS, goose.WithSessionLocker(locker), goose.WithGoMigrations(queueTables()))
}

// foreign refuses a database that holds tables but no schema of ours.
func foreign(ctx context.Context, db *sql.DB) error {
	var ours bool
	var other sql.NullString
	err := db.QueryRowContext(ctx, `SELECT to_regclass('public.goose_db_version') IS NOT NULL AND
		(to_regclass('public.brains') IS NOT NULL OR NOT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'goose_db_version')),
		(SELECT min(tablename) FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'goose_db_version')`).Scan(&ours, &other)
	if err != nil {
		return mapped(fmt.Errorf("looking at what the database holds: %w", err))
	}
	if !ours && other.Valid {
		return fault.New(fault.Conflict, "The database holds tables that are not Polaris's (%s, for one). Give Polaris a database of its own; this one was left as it is.", other.String).WithCode("foreign_database")
	}
	return nil
}

func newer(current, target int64) *fault.Error {
	return fault.New(fault.Conflict, "The database is of a newer Polaris (schema %d, this release knows %d). Start the newer release.", current, target).WithCode("schema_newer")
}

// CheckSchema reports why the database cannot be served by this release, or
// nil when its schema is exactly the one that this release knows.
func (s *Store) CheckSchema(ctx context.Context) error {
	p, err := goose.NewProvider(goose.DialectPostgres, s.sql, migrations.FS, goose.WithGoMigrations(queueTables()))
	if err != nil {
		return err
	}
	target := p.ListSources()[len(p.ListSources())-1].Version
	var current sql.NullInt64
	err = s.sql.QueryRowContext(ctx, `SELECT max(version_id) FROM goose_db_version WHERE is_applied`).Scan(&current)
	if notAllowed(err) {
		return fault.New(fault.NotReady, "The login of POLARIS_DATABASE_URL may not read the schema's tables: they are another login's, or were never granted to this one. `bb migrate` with POLARIS_MIGRATE_URL grants them.").WithCode("schema_missing")
	}
	if err != nil && !undefinedTable(err) {
		return mapped(err)
	}
	switch {
	case err != nil || current.Int64 == 0:
		return fault.New(fault.NotReady, "The database is empty. `bb serve` or `bb migrate` sets it up.").WithCode("schema_missing")
	case current.Int64 > target:
		return newer(current.Int64, target)
	case current.Int64 < target:
		return fault.New(fault.NotReady, "The database is of an older Polaris (schema %d, this release needs %d). Run `bb migrate`.", current.Int64, target).WithCode("schema_older")
	}
	return nil
}

func undefinedTable(err error) bool {
	var s interface{ SQLState() string }
	return errors.As(err, &s) && s.SQLState() == "42P01"
}
