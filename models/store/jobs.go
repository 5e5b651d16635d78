package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/rivermigrate"

	"polaris/models"
)

// Jobs are what is done after the request that asked for it: River keeps them,
// hands each to one worker of all processes, and tries again what failed. A job
// is put in by the transaction of what it follows from ([Tx.Enqueue]), holds ids
// alone, and belongs to no brain as far as row-level security goes: whoever does
// it opens the brain that it names.
//
// A process that is killed leaves its jobs running, as River sees them. So each
// holds an advisory lock for as long as it lives, and the others put back what
// belongs to one that no longer does.

const (
	queueSchema  = "river"
	queueVersion = 8 // of River's tables, as this release knows them; a newer one takes another step of the migration
	importQueue  = "imports"

	researchQueue = "research"
	stepTimeout   = 45 * time.Second // a step of research takes milliseconds without a model

	// jobTimeout is far beyond what a document takes, which the parser's own
	// limits hold to. River's rescue after it is for a machine that vanished
	// with its connections open.
	jobTimeout   = 15 * time.Minute
	rescueAfter  = jobTimeout + time.Minute
	mostAttempts = 12 // a document that ends the process each time is given up some day
	sweepEvery   = 3 * time.Second
	lostEvery    = 20 // sweeps

	workerLock = 0x706f6c77 // first key of the advisory locks of working processes
)

// queueTables is the step of the migration that makes River's tables.
func queueTables() *goose.Migration {
	return goose.NewGoMigration(9, &goose.GoFunc{RunDB: func(ctx context.Context, db *sql.DB) error {
		m, err := rivermigrate.New(riverdatabasesql.New(db), &rivermigrate.Config{Schema: queueSchema, Logger: discard})
		if err != nil {
			return err
		}
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, &rivermigrate.MigrateOpts{TargetVersion: queueVersion})
		return err
	}}, nil)
}

// A Job is one document of an import that is to be read.
type Job struct {
	Brain  models.BrainID `json:"brain"`
	Import string         `json:"import"`
	N      int            `json:"n"`
}

// Kind names the job to River.
func (Job) Kind() string { return "import_item" }

// ErrHandBack is what work returns that is to be done by another process, since
// this one stops.
var ErrHandBack = errors.New("store: handed back")

// Enqueue puts jobs in, which are there if and when the transaction commits. Of
// a brain that has much to do already those that come first wait longer than
// another's: nobody's large import holds up a small one.
func (tx *Tx) Enqueue(jobs []Job, waiting int) error {
	if len(jobs) == 0 {
		return nil
	}
	t, ok := tx.db.Statement.ConnPool.(*sql.Tx)
	if !ok {
		return fmt.Errorf("store: no transaction but %T", tx.db.Statement.ConnPool)
	}
	c, err := river.NewClient(riverdatabasesql.New(nil), &river.Config{Schema: queueSchema, Logger: discard})
	if err != nil {
		return err
	}
	params := make([]river.InsertManyParams, len(jobs))
	for i, j := range jobs {
		params[i] = river.InsertManyParams{Args: j, InsertOpts: &river.InsertOpts{Queue: importQueue, MaxAttempts: mostAttempts, Priority: min(4, 1+(waiting+i)/16)}}
	}
	_, err = c.InsertManyTx(tx.db.Statement.Context, t, params)
	return err
}

// A ResearchStep is the next step of a research job: which one that is, the job
// itself says. So a step that is done twice does the next one, or nothing.
type ResearchStep struct {
	Brain models.BrainID `json:"brain"`
	Ref   string         `json:"ref"`
}

// Kind names the job to River.
func (ResearchStep) Kind() string { return "research_step" }

// EnqueueResearch puts in the next step of a job. A brain that has much to do
// waits longer than another: nobody's hundred questions hold up one.
func (tx *Tx) EnqueueResearch(j ResearchStep, waiting int) error {
	t, ok := tx.db.Statement.ConnPool.(*sql.Tx)
	if !ok {
		return fmt.Errorf("store: no transaction but %T", tx.db.Statement.ConnPool)
	}
	c, err := river.NewClient(riverdatabasesql.New(nil), &river.Config{Schema: queueSchema, Logger: discard})
	if err != nil {
		return err
	}
	_, err = c.InsertTx(tx.db.Statement.Context, t, j, &river.InsertOpts{Queue: researchQueue, MaxAttempts: mostAttempts, Priority: min(4, 1+waiting/4)})
	return err
}

// Workers do jobs in this process until they are stopped.
type Workers struct {
	client *river.Client[*sql.Tx]
	end    context.CancelFunc
	swept  sync.WaitGroup
}

// A Work is what workers do.
type Work struct {
	AtOnce int // jobs of this process at most

	// Do does one job, for the time that try says. Where it fails the job is tried
	// again later, unless that was the last time.
	Do func(ctx context.Context, j Job, try Try) error

	// Research does the next step of a research job. It goes with AtOnce, too.
	Research func(ctx context.Context, j ResearchStep, try Try) error

	// Lost looks for what no job is for. It is called at the start and now and
	// then.
	Lost func(ctx context.Context) error
}

// A Try is the how manieth time a job is done.
type Try struct {
	N    int // from 1
	Last bool
}

// Work begins to do jobs.
func (s *Store) Work(ctx context.Context, x Work) (*Workers, error) {
	known := river.NewWorkers()
	river.AddWorker(known, &worker[Job]{do: x.Do})
	queues := map[string]river.QueueConfig{importQueue: {MaxWorkers: x.AtOnce}}
	if x.Research != nil {
		river.AddWorker(known, &worker[ResearchStep]{do: x.Research, most: stepTimeout})
		queues[researchQueue] = river.QueueConfig{MaxWorkers: max(2, x.AtOnce)}
	}
	c, err := river.NewClient(riverdatabasesql.NewWithPgxListener(s.sql, s.pool), &river.Config{
		Schema: queueSchema, Logger: quieter(s.log), Workers: known, Queues: queues,
		FetchCooldown: 10 * time.Millisecond, JobTimeout: jobTimeout, RescueStuckJobsAfter: rescueAfter,
		ReindexerIndexNames: []string{}, // only the tables' owner may, and they stay small
	})
	if err != nil {
		return nil, err
	}
	w := &Workers{client: c}
	background := context.WithoutCancel(ctx)
	alive, err := s.holdAlive(ctx, c.ID())
	if err != nil {
		return nil, mapped(err)
	}
	if err := s.putBack(ctx); err != nil {
		_ = alive.Close(background) // it ends with the process otherwise
		return nil, mapped(err)
	}
	if err := x.Lost(ctx); err != nil {
		_ = alive.Close(background)
		return nil, err
	}
	background, w.end = context.WithCancel(background)
	if err := c.Start(background); err != nil {
		w.end()
		_ = alive.Close(background)
		return nil, mapped(err)
	}
	w.swept.Go(func() { s.sweep(background, c.ID(), alive, x.Lost) })
	return w, nil
}

// Stop hands back what is being worked on, and returns when that is done or ctx
// ends.
func (w *Workers) Stop(ctx context.Context) error {
	err := w.client.StopAndCancel(ctx)
	w.end()
	w.swept.Wait()
	return err
}

// holdAlive returns a connection that holds the process's lock for as long as it
// is open.
func (s *Store) holdAlive(ctx context.Context, id string) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1, hashtext($2))", workerLock, id); err != nil {
		_ = conn.Close(ctx)
		return nil, err
	}
	return conn, nil
}

// sweep looks after the jobs of processes that have died, and after this one's
// lock: a database that was restarted has forgotten it.
func (s *Store) sweep(ctx context.Context, id string, alive *pgx.Conn, lost func(ctx context.Context) error) {
	defer func() {
		if alive != nil {
			_ = alive.Close(context.WithoutCancel(ctx))
		}
	}()
	tick := time.NewTicker(sweepEvery)
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		if alive == nil || alive.Ping(ctx) != nil {
			if alive != nil {
				_ = alive.Close(ctx)
			}
			var err error
			if alive, err = s.holdAlive(ctx, id); err != nil {
				continue // the database is away; so is the work
			}
		}
		err := s.putBack(ctx)
		if err == nil && n%lostEvery == 0 {
			err = lost(ctx)
		}
		if err != nil && ctx.Err() == nil {
			s.log.Warn("looking after jobs of processes that died failed", "error", mapped(err))
		}
	}
}

// putBack makes available again what a process was working on that no longer
// holds its lock. What was tried too often ends.
func (s *Store) putBack(ctx context.Context) error {
	tag, err := s.pool.Exec(ctx, `WITH clients AS (SELECT DISTINCT attempted_by[array_length(attempted_by, 1)] AS id FROM river.river_job WHERE state = 'running'),
		dead AS MATERIALIZED (SELECT id FROM clients WHERE pg_try_advisory_xact_lock($1, hashtext(id)))
		UPDATE river.river_job j SET scheduled_at = now(),
		  state = CASE WHEN attempt >= max_attempts THEN 'discarded' ELSE 'available' END::river.river_job_state,
		  finalized_at = CASE WHEN attempt >= max_attempts THEN now() END
		FROM dead WHERE j.state = 'running' AND j.attempted_by[array_length(j.attempted_by, 1)] = dead.id`, workerLock)
	if err == nil && tag.RowsAffected() > 0 {
		s.log.Info("jobs of a process that died are taken up again", "jobs", tag.RowsAffected())
	}
	return err
}

// A worker is what River calls for one kind of job.
type worker[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	do   func(ctx context.Context, args T, try Try) error
	most time.Duration // for one try; 0: jobTimeout
}

// Work does one job.
func (w *worker[T]) Work(ctx context.Context, j *river.Job[T]) error {
	err := w.do(ctx, j.Args, Try{j.Attempt, j.Attempt >= j.MaxAttempts})
	if errors.Is(err, ErrHandBack) {
		return river.JobSnooze(0)
	}
	return err
}

// Timeout bounds one try.
func (w *worker[T]) Timeout(*river.Job[T]) time.Duration { return w.most }

// NextRetry is soon at first: what fails here is mostly two changes that met, or
// a database that was away for a moment.
func (w *worker[T]) NextRetry(j *river.Job[T]) time.Time {
	return time.Now().Add(time.Second << min(max(len(j.Errors), 0), 6))
}

// quieter is a log without River's own news: that a job failed is said by who
// did it.
func quieter(l *slog.Logger) *slog.Logger { return slog.New(errorsOnly{l.Handler()}) }

// errorsOnly passes on what is worth a look.
type errorsOnly struct{ slog.Handler }

// Enabled reports whether a line of the level is written.
func (h errorsOnly) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelError && h.Handler.Enabled(ctx, l)
}

// WithAttrs keeps the bound.
func (h errorsOnly) WithAttrs(as []slog.Attr) slog.Handler {
	return errorsOnly{h.Handler.WithAttrs(as)}
}

// WithGroup keeps the bound.
func (h errorsOnly) WithGroup(name string) slog.Handler { return errorsOnly{h.Handler.WithGroup(name)} }
