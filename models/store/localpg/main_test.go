package localpg

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// The test binary is also the supervisor, and a holder that tests can kill.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		var err error
		switch os.Args[1] {
		case "postgres-supervisor":
			err = Supervise(context.Background(), os.Args[2:]...)
		case "holder":
			err = holder(os.Args[2])
		default:
			os.Exit(testMain(m))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(testMain(m))
}

// A holderReport is what the holder process prints when it has attached.
type holderReport struct {
	Postgres, Supervisor, UID int
	DSN                       string
	Took                      time.Duration
}

// holder attaches, inserts a row, says so, and holds until it is killed or gets SIGTERM.
func holder(dir string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	start := time.Now()
	c, err := Attach(ctx, Config{Dir: dir, Log: slog.New(slog.DiscardHandler), Linger: testLinger})
	if err != nil {
		return err
	}
	took := time.Since(start)
	conn, err := pgx.Connect(ctx, c.DSN(Owner, Database))
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, addRow); err != nil {
		return err
	}
	json.NewEncoder(os.Stdout).Encode(holderReport{c.PID(), c.Supervisor(), os.Getuid(), c.DSN(Owner, Database), took})
	<-ctx.Done()
	return c.Detach()
}
