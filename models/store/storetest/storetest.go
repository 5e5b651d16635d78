// Package storetest gives each test a fresh, migrated database: one private
// PostgreSQL cluster for each test process, and in it one clone of a migrated
// template for each test, so tests run side by side. The cluster does not wait
// for its disk, unless POLARIS_TEST_FSYNC is set: benchmarks should.
//
// When a test ends its database is looked through: it may hold no secret.
//
// A package that uses it must let [Main] run its tests, since the cluster is
// kept by a child process of the test binary:
//
//	func TestMain(m *testing.M) { storetest.Main(m) }
package storetest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/internal/leaks"
	"polaris/models/store"
	"polaris/models/store/localpg"
)

const template = "polaris_template"

var (
	start   sync.Once
	cluster *localpg.Cluster
	folder  string
	failed  error
	clones  atomic.Int64
)

// Main runs the tests, does what is to be done after them, and takes the
// cluster down. What fails after them fails the run.
func Main(m *testing.M, after ...func() error) {
	localpg.SuperviseIfAsked()
	code := m.Run()
	for _, f := range after {
		if err := f(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	if cluster != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		_ = cluster.Stop(ctx) // the process ends anyway, and the cluster with it
		cancel()
	}
	if folder != "" {
		_ = os.RemoveAll(folder)
	}
	os.Exit(code)
}

// A Database is one test's own.
type Database struct {
	Name string
	URL  string // as the serving login
	Own  string // as the owner's login
}

// New returns a fresh migrated database. Where the machine has no PostgreSQL
// the test is skipped, and fails under CI.
func New(tb testing.TB) Database {
	tb.Helper()
	start.Do(prepare)
	if failed != nil {
		if os.Getenv("CI") != "" {
			tb.Fatal(failed)
		}
		tb.Skip(failed)
	}
	name := fmt.Sprintf("t%d", clones.Add(1))
	admin(tb, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s OWNER polaris_owner", name, template))
	tb.Cleanup(func() {
		if _, ok := tb.(*testing.T); ok {
			leaks.Database(tb, cluster.DSN("polaris_admin", name))
		}
		admin(tb, fmt.Sprintf("DROP DATABASE %s WITH (FORCE)", name))
	})
	return Database{Name: name, URL: cluster.DSN("polaris_app", name), Own: cluster.DSN("polaris_owner", name)}
}

// Open returns a store on a fresh database, closed when the test ends.
func Open(tb testing.TB, o store.Options) (*store.Store, Database) {
	tb.Helper()
	db := New(tb)
	s, err := store.Open(tb.Context(), db.URL, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s, db
}

// prepare starts the cluster and migrates the template.
func prepare() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	folder, err = os.MkdirTemp("", "polaris-test-")
	if err == nil {
		err = os.Chmod(folder, 0o711) // as root the server runs as another user
	}
	if err == nil {
		cluster, err = localpg.Attach(ctx, localpg.Config{Dir: folder, Fast: os.Getenv("POLARIS_TEST_FSYNC") == ""})
	}
	if err == nil {
		err = run(ctx, "CREATE DATABASE "+template+" OWNER polaris_owner")
	}
	if err == nil {
		_, err = store.Migrate(ctx, cluster.DSN("polaris_owner", template), "polaris_app")
	}
	if err != nil {
		failed = fmt.Errorf("no PostgreSQL for tests: %w", err)
	}
}

func admin(tb testing.TB, sql string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := run(ctx, sql); err != nil {
		tb.Fatalf("%s: %v", sql, err)
	}
}

// run executes one statement as the cluster's superuser.
func run(ctx context.Context, sql string) error {
	c, err := pgx.Connect(ctx, cluster.DSN("polaris_admin", "postgres"))
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	_, err = c.Exec(ctx, sql)
	return err
}
