package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/internal/leaks"
	"polaris/models"
	"polaris/models/store"
	"polaris/models/store/localpg"
	"polaris/ops"
)

// manualParts is how many numbered paragraphs each document of these tests has.
const manualParts = 120

// manualText is one of many documents, no two alike.
func manualText(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Manual number %d\n\n## 1 Fees\n", n)
	for p := range manualParts {
		fmt.Fprintf(&b, "\n(%d) The fee for step %d of manual %d is %d euros, and is paid within a week.\n", p+1, p, n, n+p)
	}
	return b.String()
}

// An importSite is a database that outlives the processes which work on it.
type importSite struct {
	pg   *localpg.Cluster
	desk *ops.Desk
	dir  string // of the documents
	data string // folder with the one secret of all processes
	own  *pgx.Conn
}

func newImportSite(t *testing.T) *importSite {
	t.Helper()
	needsPostgres(t)
	pg, err := localpg.Attach(t.Context(), localpg.Config{Dir: dataFolder(t)}) // not Fast: what is killed must not forget
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Detach() })
	if _, err := store.Migrate(t.Context(), pg.DSN(localOwner, localDB), localApp); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), pg.DSN(localApp, localDB), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	own, err := pgx.Connect(t.Context(), pg.DSN(localOwner, localDB))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { own.Close(context.Background()) })
	x := &importSite{pg: pg, desk: ops.NewDesk(s, ops.Settings{PublicURL: "http://polaris.test", RateLimit: models.Rate{Off: true}}, leaks.Log(t)), dir: t.TempDir(), data: dataFolder(t), own: own}
	for n := range 30 {
		if err := os.WriteFile(filepath.Join(x.dir, fmt.Sprintf("manual-%02d.md", n)), []byte(manualText(n)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// brain makes a brain and returns who works on it.
func (x *importSite) brain(t *testing.T, id models.BrainID) ops.Call {
	t.Helper()
	c := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: "ada@example.org", Brain: id}, Brain: id, Via: ops.CLI}
	if _, err := ops.Do(t.Context(), x.desk, c, ops.CreateBrain, ops.CreateBrainIn{ID: id, Name: string(id), OwnerEmail: "ada@example.org"}); err != nil {
		t.Fatal(err)
	}
	return c
}

// bb starts the command line on the database, in a group of processes of its own.
func (x *importSite) bb(t *testing.T, args ...string) (*exec.Cmd, *syncBuffer) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Args = append([]string{"bb"}, args...)
	cmd.Env = append(os.Environ(), "POLARIS_DATABASE_URL="+x.pg.DSN(localApp, localDB), "POLARIS_MIGRATE_URL="+x.pg.DSN(localOwner, localDB), "POLARIS_DATA_DIR="+x.data, "POLARIS_ACTOR=ada@example.org")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out := &syncBuffer{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			_ = cmd.Wait()
		}
	})
	return cmd, out
}

// halfImported names what is half there, or there twice: a source without all of
// its passages, with a second revision, or without the item that says so.
const halfImported = `SELECT s.code || ' head ' || s.head || ', revisions ' || count(DISTINCT r.n) || ', passages ' || count(p.ordinal) || ', items ' ||
	(SELECT count(*) FROM import_items i WHERE i.source_id = s.id AND i.state = 'done')
	FROM sources s LEFT JOIN revisions r ON r.source_id = s.id LEFT JOIN passages p ON p.source_id = s.id AND p.revision = r.n GROUP BY s.id, s.code, s.head
	HAVING s.head <> 1 OR count(DISTINCT r.n) <> 1 OR count(p.ordinal) <> $1 OR (SELECT count(*) FROM import_items i WHERE i.source_id = s.id AND i.state = 'done') <> 1
	UNION ALL SELECT 'title twice: ' || title FROM sources GROUP BY title HAVING count(*) > 1
	UNION ALL SELECT 'item ' || n || ' done without a source' FROM import_items i WHERE state = 'done' AND NOT EXISTS (SELECT FROM sources s WHERE s.id = i.source_id)
	UNION ALL SELECT 'item ' || n || ' ' || state || ', bytes there: ' || EXISTS (SELECT FROM import_files f WHERE f.import_id = i.import_id AND f.n = i.n) FROM import_items i
	  WHERE (state IN ('queued', 'reading')) <> EXISTS (SELECT FROM import_files f WHERE f.import_id = i.import_id AND f.n = i.n)`

// whole fails the test where something is half done, and returns how many
// sources and unfinished items there are.
func (x *importSite) whole(t *testing.T, brain models.BrainID) (sources, open int) {
	t.Helper()
	if _, err := x.own.Exec(t.Context(), "SELECT set_config('app.brain_id', $1, false)", string(brain)); err != nil {
		t.Fatal(err)
	}
	rows, err := x.own.Query(t.Context(), halfImported, manualParts+1)
	if err != nil {
		t.Fatal(err)
	}
	bad, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(bad) > 0 {
		t.Fatalf("%s: half done: %q, %v", brain, bad, err)
	}
	err = x.own.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM sources), (SELECT count(*) FROM import_items WHERE state IN ('queued', 'reading'))").Scan(&sources, &open)
	if err != nil {
		t.Fatal(err)
	}
	return sources, open
}

// A process that imports thirty documents is killed at moments that nobody
// chose: `bb import` as often as `bb serve`. Whatever is in the draft is whole,
// nothing is there twice, and another process finishes the rest within a minute.
func TestKilledWhileImporting(t *testing.T) {
	t.Parallel()
	x := newImportSite(t)
	kills := 6
	if os.Getenv("POLARIS_TEST_LONG") != "" {
		kills = 50
	}
	var within, slowest time.Duration
	midway := 0
	for k := range kills {
		brain := models.BrainID(fmt.Sprintf("crash-%d", k))
		c := x.brain(t, brain)
		var p *exec.Cmd
		var said *syncBuffer
		if k%2 == 0 {
			p, said = x.bb(t, "import", x.dir, "--brain-id", string(brain))
		} else {
			x.stage(t, c)
			p, said = x.bb(t, "serve", "--listen", freeAddress(t))
		}
		x.reading(t, brain, p, said)
		time.Sleep(time.Duration(rand.IntN(1500)) * time.Millisecond)
		_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
		_ = p.Wait() // it was killed, or had ended
		killed := time.Now()

		had, open := x.whole(t, brain)
		if open > 0 {
			midway++
		}
		w, err := x.desk.Work(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		for first := true; ; time.Sleep(20 * time.Millisecond) {
			n, left := x.whole(t, brain)
			if first && (n > had || left == 0) {
				within, first = max(within, time.Since(killed)), false
			}
			if left == 0 {
				if n != 30 {
					t.Fatalf("%s: %d sources at the end, want 30", brain, n)
				}
				break
			}
			if time.Since(killed) > time.Minute {
				t.Fatalf("%s: a minute after the kill %d are still to be read", brain, left)
			}
		}
		slowest = max(slowest, time.Since(killed))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		if err := w.Stop(ctx); err != nil {
			t.Error(err)
		}
		cancel()
	}
	t.Logf("killed %d times, %d of them midway; taken up again within %v, finished within %v", kills, midway, within.Round(time.Millisecond), slowest.Round(time.Millisecond))
	if midway == 0 {
		t.Error("no kill met an import that was under way")
	}
}

// stage stages the documents without reading them.
func (x *importSite) stage(t *testing.T, c ops.Call) {
	t.Helper()
	in := ops.StartImportIn{}
	for n := range 30 {
		in.Files = append(in.Files, ops.ImportFile{Name: fmt.Sprintf("manual-%02d.md", n), Data: []byte(manualText(n))})
	}
	if _, err := ops.Do(t.Context(), x.desk, c, ops.StartImport, in); err != nil {
		t.Fatal(err)
	}
}

// reading waits until a process has begun to read.
func (x *importSite) reading(t *testing.T, brain models.BrainID, p *exec.Cmd, said *syncBuffer) {
	t.Helper()
	if _, err := x.own.Exec(t.Context(), "SELECT set_config('app.brain_id', $1, false)", string(brain)); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		var n int
		if err := x.own.QueryRow(t.Context(), "SELECT count(*) FROM import_items WHERE state <> 'queued'").Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			return
		}
	}
	t.Fatalf("%v reads nothing: %s", p.Args, said)
}

// A bad file among thirty stops nothing, a server beside the command shares the
// work, and the command says of each what became of it.
func TestImportBesideAServer(t *testing.T) {
	t.Parallel()
	x := newImportSite(t)
	x.brain(t, "acme")
	if err := os.WriteFile(filepath.Join(x.dir, "bad.md"), []byte("GIF89a"), 0o600); err != nil {
		t.Fatal(err)
	}
	served, _ := x.bb(t, "serve", "--listen", freeAddress(t))
	cmd, out := x.bb(t, "import", x.dir, "--brain-id", "acme", "--owner", "Legal")
	err := cmd.Wait()
	if err == nil || !strings.Contains(out.String(), "1 of 31 files were not imported") || !strings.Contains(out.String(), "bad.md: ") || strings.Count(out.String(), ": new, revision 1 of ") != 30 {
		t.Errorf("%v\n%s", err, out)
	}
	if n, open := x.whole(t, "acme"); n != 30 || open != 0 {
		t.Errorf("%d sources, %d items open", n, open)
	}
	var attempts, done int
	if err := x.own.QueryRow(t.Context(), "SELECT count(DISTINCT attempted_by[1]), count(*) FROM river.river_job WHERE state = 'completed'").Scan(&attempts, &done); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d processes did %d jobs", attempts, done)
	if err := served.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := served.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}
