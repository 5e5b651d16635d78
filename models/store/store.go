// Package store keeps the models in PostgreSQL. It is the only package that
// imports GORM; what others get are named questions, never a query builder.
//
// A [Store] reaches what belongs to no brain: brains, persons, sessions. What
// belongs to a brain is reached through a [Tx], and a Tx comes only from
// [Store.InBrain], which tells the database which brain the transaction is
// for; row-level security does the rest. So a forgotten condition shows
// nothing instead of another tenant's rows.
//
// Two paths leave GORM out, because they are taken on every request: the
// credential look-ups in auth.go, and the group commit of served answers in
// served.go.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"

	"polaris/models"
	"polaris/models/fault"
)

// Instance is the brain that audit rows carry when what happened belongs to no
// brain, such as a sign-in. It is no valid slug, so no brain can be called so.
const Instance models.BrainID = "_instance"

// poolSize is how many connections one process opens at most. The embedded
// cluster allows 60 to all processes together.
const poolSize = 16

// A Store is one process's connection pool.
type Store struct {
	pool *pgxpool.Pool
	sql  *sql.DB
	db   *gorm.DB
	log  *slog.Logger

	served  chan *served
	closing chan struct{} // closed when no more are taken
	done    chan struct{}
	tallies tallies
	lookups lookups
}

// Options are what [Open] may be told beside the address.
type Options struct {
	Log    *slog.Logger
	Tracer pgx.QueryTracer // sees every statement; for tests
}

// Open connects to the database at url as the serving login. It does not
// migrate; see [Store.CheckSchema].
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fault.New(fault.Invalid, "POLARIS_DATABASE_URL is not a PostgreSQL address.")
	}
	cfg.MaxConns = poolSize
	cfg.ConnConfig.ConnectTimeout = 5 * time.Second
	cfg.ConnConfig.RuntimeParams["application_name"] = "polaris"
	cfg.ConnConfig.RuntimeParams["timezone"] = "UTC"
	cfg.ConnConfig.Tracer = o.Tracer
	cfg.AfterConnect = func(_ context.Context, c *pgx.Conn) error {
		plans := &c.TypeMap().TryWrapEncodePlanFuncs
		*plans = slices.Insert(*plans, 0, pgtype.TryWrapEncodePlanFunc(planBodies))
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("opening the pool: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, notConnected(cfg.ConnConfig, err)
	}
	db := stdlib.OpenDBFromPool(pool)
	g, err := gorm.Open(postgres.New(postgres.Config{Conn: db}), &gorm.Config{
		TranslateError:         true,
		SkipDefaultTransaction: true, // every write is in a transaction of InBrain or InTx
		NowFunc:                func() time.Time { return time.Now().UTC() },
		Logger:                 slow{o.Log},
	})
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("opening gorm: %w", err)
	}
	s := &Store{pool: pool, sql: db, db: g, log: o.Log, served: make(chan *served, servedQueue), closing: make(chan struct{}), done: make(chan struct{}), lookups: lookups{stalled: lookupStalled}}
	go s.commitServed()
	return s, nil
}

// Close waits for the served answers in flight and closes the pool.
func (s *Store) Close() {
	close(s.closing)
	<-s.done
	_ = s.sql.Close() // returns its connections to the pool; nothing else can fail
	s.pool.Close()
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.pool.Ping(ctx) }

// A Tx is one transaction in one brain. All its methods see and change rows of
// that brain only.
type Tx struct {
	Brain models.BrainID
	db    *gorm.DB
	holds map[string]bool // the names that LockTarget has locked
}

// InBrain runs fn in a transaction for the brain, committed if fn returns nil.
func (s *Store) InBrain(ctx context.Context, brain models.BrainID, fn func(tx *Tx) error) error {
	if brain == "" {
		return errors.New("store: a transaction without a brain")
	}
	return mapped(s.db.WithContext(ctx).Transaction(func(db *gorm.DB) error {
		if err := db.Exec("SELECT set_config('app.brain_id', ?, true)", string(brain)).Error; err != nil {
			return err
		}
		return fn(&Tx{Brain: brain, db: db})
	}))
}

// mapped turns what the database says about an outage, or about its disk, into
// a fault.
func mapped(err error) error {
	if err == nil || fault.Is(err, fault.Unavailable) {
		return err
	}
	if unreachable(err) {
		return fault.New(fault.Unavailable, "The database does not answer. Try again in a moment.").Because(err)
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "40P01" {
		return fault.New(fault.Unavailable, "Two changes met, so this one was not made. Try it again.").WithCode("met_another").Because(err)
	}
	if errors.As(err, &pg) && pg.Code == "53100" {
		return fault.New(fault.Unavailable, "The database's disk is full, so nothing was changed. Make room, and try again.").WithCode("disk_full").Because(err)
	}
	return err
}

// unreachable reports whether err says that the database could not be talked
// to, as opposed to what it answered.
func unreachable(err error) bool {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) || pgconn.Timeout(err) && !errors.Is(err, context.Canceled) {
		return true
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		// 57P01–57P03: shutting down or starting up; 53300: too many connections.
		return pg.Code == "57P01" || pg.Code == "57P02" || pg.Code == "57P03" || pg.Code == "53300"
	}
	return errors.Is(err, sql.ErrConnDone) || errors.Is(err, pgx.ErrTxClosed) || pgconn.SafeToRetry(err)
}

// one loads a single row, or returns the fault given for its absence.
func one[T any](q *gorm.DB, missing *fault.Error) (*T, error) {
	var v T
	err := q.Take(&v).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// duplicate turns a unique violation into the fault given.
func duplicate(err error, f *fault.Error) error {
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return f.Because(err)
	}
	return err
}
