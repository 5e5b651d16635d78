// Package localpg is the embedded default database: a private PostgreSQL
// cluster in the data folder, for an installation that names no database of its
// own.
//
// A process calls [Attach] and holds the cluster until [Cluster.Detach] or its
// death, whichever comes first. The cluster belongs to none of them but to a
// small supervisor, a child of the first that came, in a session of its own. It
// runs PostgreSQL, restarts it when it dies, and ends it when the last holder
// has gone. Holding is an open connection to the supervisor's control socket:
// the kernel closes it however the holder ends, so servers and command lines
// may come and go in any order, by kill -9 too, and never take the cluster from
// each other. Who loses the supervisor starts another one and keeps the same
// address, so a connection pool needs to do nothing but reconnect.
//
// PostgreSQL listens on a unix socket only and knows its users by their uid
// (peer authentication): there is no password and no port. Started by root it
// runs as the owner of the folder, else as postgres or nobody. The package
// never deletes postmaster.pid, never touches a data folder of another major
// version and never installs anything: what stands in its way is a fault whose
// message says what to do.
//
// Everything lies in the folder postgres below the data folder:
//
//	data/                the cluster, made in new-*/ and renamed when complete
//	run/                 the two sockets (in /tmp if the path would be too long)
//	log/postgres.log     what PostgreSQL says; log/supervisor.log likewise
//	lock                 flock of the one supervisor, with its pid
package localpg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"polaris/models/fault"
)

// The roles and the database that a cluster has from its first start.
const (
	Admin    = "polaris_admin" // the bootstrap superuser; for restores and tests, never for serving
	Owner    = "polaris_owner" // owns the database and migrates it; may create roles, is no superuser
	App      = "polaris_app"   // serves: row-level security holds for it, it is a member of nothing
	Database = "polaris"
)

// command is the argument by which a program knows that it is to be a supervisor.
const command = "postgres-supervisor"

// DefaultLinger is how long a cluster outlives its last holder, so that one
// command line after another does not pay for a start each.
const DefaultLinger = 2 * time.Second

// Config says which cluster to hold and how to run it. What concerns
// PostgreSQL itself counts only for the process that happens to start the
// supervisor; whoever attaches later gets the cluster as it runs.
type Config struct {
	Dir        string        // the data folder; made if missing
	BinDir     string        // folder of initdb and postgres; "" searches, see [Find]
	Log        *slog.Logger  // nil: slog.Default
	Supervisor []string      // command that calls [Supervise] with the arguments after it; nil: this program with "postgres-supervisor", see [SuperviseIfAsked]
	Extra      []string      // more PostgreSQL settings, "name=value"
	Fast       bool          // no fsync: for tests, whose data may die with the machine
	Linger     time.Duration // 0: DefaultLinger; negative: none
}

// A Cluster is one process's hold on the private cluster. It is safe for
// concurrent use.
type Cluster struct {
	set   settings
	argv  []string
	place place
	log   *slog.Logger

	ctx    context.Context // ends with Detach
	cancel context.CancelFunc
	done   chan struct{}

	mu   sync.Mutex
	line *line // nil while the supervisor is lost
	last status
}

// Attach makes sure that the cluster in cfg.Dir runs, making it first if it is
// not there, and holds it for this process. It returns when PostgreSQL answers.
// Errors are faults: NotReady when the machine lacks a fitting PostgreSQL,
// Invalid when the folder cannot be used, Unavailable when PostgreSQL does not
// start or ctx ends before it has.
func Attach(ctx context.Context, cfg Config) (*Cluster, error) {
	c := &Cluster{
		set:  settings{bin: cfg.BinDir, linger: cfg.Linger, fast: cfg.Fast, extra: cfg.Extra},
		argv: cfg.Supervisor,
		log:  cfg.Log,
		done: make(chan struct{}),
	}
	if c.log == nil {
		c.log = slog.Default()
	}
	if c.set.linger == 0 {
		c.set.linger = DefaultLinger
	}
	if len(c.argv) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("finding this program: %w", err)
		}
		c.argv = []string{self, command}
	}
	if os.Getenv(mark) != "" {
		return nil, errors.New("localpg: this process was started as a supervisor and does not call Supervise")
	}
	var err error
	if c.place, err = settle(cfg.Dir); err != nil {
		return nil, err
	}
	c.set.dir = c.place.root
	if c.line, c.last, err = c.join(ctx); err != nil {
		return nil, err
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	go c.hold()
	return c, nil
}

// Exists reports whether dir already has a cluster. It starts nothing.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "postgres", "data", "PG_VERSION"))
	return err == nil
}

// DSN returns the connection string of role for the database db. It stays
// valid over restarts of PostgreSQL and of the supervisor.
func (c *Cluster) DSN(role, db string) string { return c.place.dsn(role, db) }

func (p place) dsn(role, db string) string {
	q := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	return fmt.Sprintf("host='%s' port=%d user='%s' dbname='%s' sslmode=disable", q.Replace(p.sock), port, q.Replace(role), q.Replace(db))
}

// Major returns the major version of the PostgreSQL that runs.
func (c *Cluster) Major() int { c.mu.Lock(); defer c.mu.Unlock(); return c.last.Major }

// PID returns the process id of the postmaster, 0 while there is none.
func (c *Cluster) PID() int { c.mu.Lock(); defer c.mu.Unlock(); return c.last.PID }

// Supervisor returns the process id of the supervisor that was last seen.
func (c *Cluster) Supervisor() int { c.mu.Lock(); defer c.mu.Unlock(); return c.last.Supervisor }

// Done is closed when the cluster is no longer held: after [Cluster.Detach] or
// [Cluster.Stop], and for no other reason, since a lost cluster is started
// again for as long as somebody holds it.
func (c *Cluster) Done() <-chan struct{} { return c.done }

// Detach gives the cluster up and returns at once. It ends some seconds later
// unless somebody else holds it. Detaching twice does nothing.
func (c *Cluster) Detach() error {
	c.cancel()
	c.mu.Lock()
	if c.line != nil {
		c.line.Close()
	}
	c.mu.Unlock()
	<-c.done
	return nil
}

// Stop gives the cluster up like [Cluster.Detach] but lets it end at once, and
// waits until it has, unless somebody else holds it. It is for whoever wants to
// move or remove the folder next.
func (c *Cluster) Stop(ctx context.Context) error {
	c.cancel()
	c.mu.Lock()
	l := c.line
	c.mu.Unlock()
	if l != nil {
		l.stop()
	}
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
		_ = c.Detach() // we leave either way
		return fault.New(fault.Unavailable, "PostgreSQL did not stop in time").Because(ctx.Err())
	}
}
