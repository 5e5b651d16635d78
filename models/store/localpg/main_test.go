package localpg

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// The test binary is three programs: the tests, the supervisor that Attach
// starts, and a holder for the tests to kill.
func TestMain(m *testing.M) {
	SuperviseIfAsked()
	if len(os.Args) > 2 && os.Args[1] == "holder" {
		if err := holder(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		f.Value.Set("8") // they wait more than they work
	}
	code := m.Run()
	if left := processes(filepath.Base(prefix)); len(left) > 0 {
		fmt.Fprintf(os.Stderr, "processes left behind: %q\n", left)
		code = 1
	}
	os.Exit(code)
}

// testLinger is long enough to see it work, and short enough to wait for.
const testLinger = 300 * time.Millisecond

// A report is what a holder prints when it has attached.
type report struct {
	Holder, Postgres, Supervisor int
	DSN                          string
}

// holder attaches, commits a row, prints its report, and then holds the cluster
// until SIGTERM or worse.
func holder(dir string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	c, err := Attach(ctx, Config{Dir: dir, Log: slog.New(slog.DiscardHandler), Linger: testLinger})
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, c.DSN(Owner, Database))
	if err != nil {
		return err
	}
	// The lock: two that create the same table at once may both fail.
	if _, err := conn.Exec(ctx, `select pg_advisory_xact_lock(1);
		create table if not exists kept (id bigserial primary key); insert into kept default values`); err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(report{os.Getpid(), c.PID(), c.Supervisor(), c.DSN(Owner, Database)}); err != nil {
		return err
	}
	<-ctx.Done()
	return c.Detach()
}
