package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"polaris/advisor"
	"polaris/advisor/fetch"
	"polaris/advisor/ingest/guard"
	"polaris/advisor/model"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/models/store/localpg"
	"polaris/ops"
)

// Logins of the private cluster. With a database elsewhere the two addresses
// say who logs in.
const (
	localOwner = "polaris_owner"
	localApp   = "polaris_app"
	localDB    = "polaris"
)

// An opened is a database that can be worked with, and what must be closed
// after it.
type opened struct {
	*ops.Desk
	cluster *localpg.Cluster // nil with a database elsewhere
	workers int              // documents that this process reads at once
	reader  *guard.Extractor
}

// Close gives the database up.
func (o *opened) Close() {
	o.Store.Close()
	if o.cluster != nil {
		_ = o.cluster.Detach() // the supervisor sees that we left even if this fails
	}
}

// addresses are the two logins' addresses.
type addresses struct{ app, owner, appRole string }

// attach makes the database reachable: the one elsewhere as it is, the private
// one by holding its cluster. Only with create is a cluster made.
func (c *checked) attach(ctx context.Context, log *slog.Logger, create bool) (a addresses, cluster *localpg.Cluster, err error) {
	if create { // with a database elsewhere, too: secrets are kept there
		if err := makeDataDir(c.DataDir); err != nil {
			return a, nil, err
		}
	}
	if c.DatabaseURL != "" {
		cfg, err := pgx.ParseConfig(c.DatabaseURL)
		if err != nil {
			return a, nil, fault.New(fault.Invalid, "POLARIS_DATABASE_URL is not a PostgreSQL address.")
		}
		if c.MigrateURL == "" && create {
			log.Warn("POLARIS_MIGRATE_URL is empty: the serving login owns the tables, so isolation between brains rests on that one login")
		}
		return addresses{c.DatabaseURL, cmp.Or(c.MigrateURL, c.DatabaseURL), cfg.User}, nil, nil
	}
	if !create && !localpg.Exists(c.DataDir) {
		return a, nil, fault.New(fault.NotReady, "There is no database in %s. `bb serve` or `bb migrate` makes one, and --data-dir names another folder.", c.DataDir)
	}
	if cluster, err = localpg.Attach(ctx, localpg.Config{Dir: c.DataDir, Log: log}); err != nil {
		return a, nil, err
	}
	return addresses{cluster.DSN(localApp, localDB), cluster.DSN(localOwner, localDB), localApp}, cluster, nil
}

// makeDataDir makes the data folder for its owner alone. One that is there
// stays as it is.
func makeDataDir(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.New(fault.Invalid, "The data folder cannot be made: %v.", err)
	}
	return nil
}

// open attaches, migrates where asked to, and opens the desk.
func (c *checked) open(ctx context.Context, log *slog.Logger, migrate bool) (*opened, error) {
	a, cluster, err := c.attach(ctx, log, migrate)
	if err != nil {
		return nil, err
	}
	o := &opened{cluster: cluster, workers: c.Workers}
	fail := func(err error) (*opened, error) {
		if cluster != nil {
			_ = cluster.Detach()
		}
		return nil, err
	}
	if migrate {
		n, err := store.Migrate(ctx, a.owner, a.appRole)
		if err != nil {
			return fail(err)
		}
		if n > 0 {
			log.Info("database migrated", "steps", n)
		}
	}
	key, err := c.sealingKey(migrate)
	if err != nil {
		return fail(err)
	}
	s, err := store.Open(ctx, a.app, store.Options{Log: log})
	if err != nil {
		return fail(err)
	}
	if err := s.CheckSchema(ctx); err != nil {
		s.Close()
		return fail(err)
	}
	read := c.extractor(log)
	o.reader = read
	o.Desk = ops.NewDesk(s, ops.Settings{
		Parse: read.Parse, Expand: read.Expand,
		Indexes: filepath.Join(c.DataDir, "indexes"), IndexMemory: c.IndexMemory,
		PublicURL: c.PublicURL, MaxQueryChars: c.MaxQueryChars, MaxUpload: c.MaxUploadBytes, RateLimit: c.rate, InlineWait: c.inlineWait, JobLife: c.JobTTL, SealingKey: key, Fetch: c.fetcher(), Writer: c.writer(log),
	}, log)
	o.Limiter = c.limiter(s)
	return o, nil
}

// fetcher asks other servers for documents: those with a public address, and
// those of the networks that the settings name.
func (c *checked) fetcher() *fetch.Client {
	return fetch.New(fetch.Settings{Reach: fetch.Reach{Allow: c.fetchFrom}, MaxBytes: c.MaxUploadBytes})
}

// writer is the language model of the settings, nil where there is none.
func (c *checked) writer(log *slog.Logger) advisor.Writer {
	if c.LLMBaseURL == "" {
		return nil
	}
	return model.New(model.Config{BaseURL: c.LLMBaseURL, Key: c.LLMAPIKey, Model: c.LLMModel, Judge: c.LLMJudgeModel, Log: log})
}

// A brainFlag is the brain that a command works on.
type brainFlag struct {
	BrainID models.BrainID `name:"brain-id" required:"" help:"The brain." placeholder:"ID"`
}

// open opens the database for one command. Close must be called.
func (c *console) open(ctx context.Context) (*opened, error) {
	s, err := c.settings()
	if err != nil {
		return nil, err
	}
	return s.open(ctx, s.quiet(c), false)
}

// at opens the database for one command, and says who is calling from where.
// Close must be called.
func (c *console) at(ctx context.Context, brain models.BrainID) (*opened, ops.Call, error) {
	o, err := c.open(ctx)
	if err != nil {
		return nil, ops.Call{}, err
	}
	by, err := o.Terminal(ctx, brain, c.root.Actor)
	if err != nil {
		o.Close()
		return nil, ops.Call{}, err
	}
	return o, ops.Call{By: by, Brain: brain, Via: ops.CLI}, nil
}

// quiet is the log of a short command: its result is what it prints, so only
// what goes wrong is logged unless more was asked for.
func (c *checked) quiet(con *console) *slog.Logger {
	q := *c
	if q.LogLevel == "info" {
		q.LogLevel = "warn"
	}
	return q.logger(con.err, isTerminal(con.err))
}

// do opens the database, runs one operation on a brain and closes it again.
func do[In, Out any](ctx context.Context, c *console, brain models.BrainID, o *ops.Op[In, Out], in In) (out Out, err error) {
	d, call, err := c.at(ctx, brain)
	if err != nil {
		return out, err
	}
	defer d.Close()
	defer d.sealQuietly(ctx, brain)
	return perform(ctx, c, d, call, o, in)
}

// whole performs a list to its end.
func whole[L ops.Paged[L]](ctx context.Context, c *console, brain models.BrainID, o *ops.Op[ops.Page, L]) (list L, err error) {
	d, call, err := c.at(ctx, brain)
	if err != nil {
		return list, err
	}
	defer d.Close()
	return ops.Whole(ctx, d.Desk, call, o)
}

// sealQuietly links what the command wrote into the audit chain. Where it does
// not succeed the next server or command does it.
func (o *opened) sealQuietly(ctx context.Context, brain models.BrainID) {
	if err := o.SealNow(ctx, brain); err != nil {
		o.Log.Debug("sealing left to the next process", "error", err)
	}
}

// isTerminal reports whether w is a terminal that somebody looks at.
func isTerminal(w any) bool {
	if p, ok := w.(*printable); ok {
		w = p.w
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}
