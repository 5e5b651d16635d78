package localpg

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// What is killed when a holder has committed a row, and what becomes of a
// second holder, the test, that stays. A committed row survives everything.
func TestKill(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		victim func(p *process) []int
		stays  bool // PostgreSQL must not even notice
	}{
		{"holder", func(p *process) []int { return []int{p.Holder} }, true},
		{"postgres", func(p *process) []int { return []int{p.Postgres} }, false},
		{"holder and postgres", func(p *process) []int { return []int{p.Holder, p.Postgres} }, false},
		{"supervisor", func(p *process) []int { return []int{p.Supervisor} }, false},
		{"supervisor and postgres", func(p *process) []int { return []int{p.Supervisor, p.Postgres} }, false},
		{"holder, supervisor and postgres", func(p *process) []int { return []int{p.Holder, p.Supervisor, p.Postgres} }, false},
	} {
		t.Run(row.name+", another holds on", func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			p := hold(t, dir)
			c := attach(t, dir)
			kill(t, row.victim(p)...)
			if n := rows(t, c.DSN(Owner, Database)); n != 1 {
				t.Errorf("got %d committed rows, want 1", n)
			}
			eventually(t, "the holder knows the new postmaster", func() bool { return c.PID() != 0 && (c.PID() == p.Postgres) == row.stays })
			// Both kinds of holder come and go as before.
			if q := hold(t, dir); q.Postgres != c.PID() || q.Supervisor != c.Supervisor() {
				t.Errorf("a later holder got PostgreSQL %d of supervisor %d, want %d of %d", q.Postgres, q.Supervisor, c.PID(), c.Supervisor())
			}
			if n := rows(t, c.DSN(Owner, Database)); n != 2 {
				t.Errorf("got %d committed rows, want 2", n)
			}
		})
		t.Run(row.name+", nobody else", func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			p := hold(t, dir)
			kill(t, row.victim(p)...)
			p.cmd.Process.Kill() // if it was not a victim: then it may not start anything any more
			p.cmd.Wait()
			c := attach(t, dir)
			if n := rows(t, c.DSN(Owner, Database)); n != 1 {
				t.Errorf("got %d committed rows, want 1", n)
			}
		})
	}
}

// A back end that computes does not notice that its postmaster is dead, and
// holds the shared memory until it has finished.
func TestKillWithBusyBackend(t *testing.T) {
	t.Parallel()
	for _, victim := range []string{"postgres", "supervisor and postgres"} {
		t.Run(victim, func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			p := hold(t, dir)
			c := attach(t, dir)
			conn := connect(t, c.DSN(Admin, Database))
			release := filepath.Join(dir, "postgres", "release")
			busy := make(chan error, 1)
			go func() {
				_, err := conn.Exec(context.Background(), `do $$ begin
					while (pg_stat_file('`+release+`', true)).size is null loop end loop; end $$`)
				busy <- err
			}()
			watch := connect(t, c.DSN(Admin, Database)) // others do not see its state
			eventually(t, "the back end is at it", func() bool {
				var n int
				err := watch.QueryRow(soon(t), `select count(*) from pg_stat_activity where pid = $1 and state = 'active'`, conn.PgConn().PID()).Scan(&n)
				return err == nil && n == 1
			})
			if victim == "postgres" {
				kill(t, p.Postgres)
			} else {
				kill(t, p.Postgres, p.Supervisor) // in this order, or PostgreSQL ends the back end first
			}
			eventually(t, "PostgreSQL finds its shared memory in use", func() bool {
				return strings.Contains(readFile(dir+"/postgres/log/supervisor.log"), "still in use")
			})
			if err := os.WriteFile(release, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			<-busy
			if n := rows(t, c.DSN(Owner, Database)); n != 1 {
				t.Errorf("got %d committed rows, want 1", n)
			}
		})
	}
}

// With nobody left, supervisor and PostgreSQL end by themselves, and shut down
// in good order.
func TestLastHolderKilled(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	p := hold(t, dir)
	kill(t, p.Holder)
	gone(t, dir)
	if log := readFile(dir + "/postgres/log/postgres.log"); !strings.Contains(log, "database system is shut down") {
		t.Errorf("PostgreSQL did not shut down in good order:\n%s", log)
	}
	if _, err := os.Stat(dir + "/postgres/data/postmaster.pid"); err == nil {
		t.Error("postmaster.pid is left behind")
	}
}

// Without a holder that could start another one, PostgreSQL must follow its
// killed supervisor: a cluster that nobody owns cannot be trusted to anybody.
func TestSupervisorKilledTakesPostgresAlong(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	p := hold(t, dir)
	if err := syscall.Kill(p.Holder, syscall.SIGSTOP); err != nil { // it holds, and does nothing about it
		t.Fatal(err)
	}
	kill(t, p.Supervisor)
	eventually(t, "PostgreSQL ends", func() bool { return syscall.Kill(p.Postgres, 0) != nil })
	kill(t, p.Holder)
}

// A command line starts the cluster, a server comes, the command line is
// killed, others come and go: no request of the server fails.
func TestClientFirstServerSecond(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	client := hold(t, dir)
	server := attach(t, dir)

	ctx, cancel := context.WithCancel(context.Background())
	finished := make(chan struct{})
	var asked int
	go func() {
		defer close(finished)
		kept, err := pgx.Connect(ctx, server.DSN(Owner, Database))
		if err != nil {
			t.Error(err)
			return
		}
		defer kept.Close(context.Background())
		for ; ctx.Err() == nil; asked++ {
			if _, err := kept.Exec(context.Background(), `insert into kept default values`); err != nil {
				t.Errorf("request %d on the kept connection: %v", asked, err)
				return
			}
			fresh, err := pgx.Connect(context.Background(), server.DSN(Owner, Database))
			if err != nil {
				t.Errorf("request %d on a new connection: %v", asked, err)
				return
			}
			fresh.Close(context.Background())
		}
	}()
	time.Sleep(100 * time.Millisecond)
	kill(t, client.Holder)
	time.Sleep(3 * testLinger) // more than enough for a supervisor that has counted wrongly
	for range 2 {
		other := hold(t, dir)
		other.cmd.Process.Signal(syscall.SIGTERM)
		if err := other.cmd.Wait(); err != nil {
			t.Errorf("a client that detaches: %v", err)
		}
	}
	time.Sleep(2 * testLinger)
	cancel()
	<-finished
	if asked < 50 {
		t.Errorf("got only %d requests through", asked)
	}
	if server.PID() != client.Postgres {
		t.Errorf("got PostgreSQL %d, want %d all along", server.PID(), client.Postgres)
	}
	t.Logf("%d requests", asked)
}

// Ctrl-C and the end of a terminal reach everything that was started from it,
// and are meant for the command line that started the cluster, not for others.
func TestTerminalSignal(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "holder", dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as a shell does
	client := launch(t, cmd)
	client.wait(t)
	server := attach(t, dir)
	conn := connect(t, server.DSN(App, Database))
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP} {
		syscall.Kill(-cmd.Process.Pid, sig) // the second finds nobody, if the first did its work
	}
	cmd.Wait()
	time.Sleep(2 * testLinger)
	if err := conn.Ping(soon(t)); err != nil || server.PID() != client.Postgres {
		t.Errorf("got PostgreSQL %d, %v, want %d", server.PID(), err, client.Postgres)
	}
}

// Several processes find a folder that has nothing yet.
func TestAttachAtOnce(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var ps []*process
	for range 5 {
		ps = append(ps, launch(t, exec.Command(self, "holder", dir)))
	}
	for _, p := range ps {
		p.wait(t)
		if p.Postgres != ps[0].Postgres || p.Supervisor != ps[0].Supervisor {
			t.Errorf("got PostgreSQL %d of supervisor %d, want %d of %d", p.Postgres, p.Supervisor, ps[0].Postgres, ps[0].Supervisor)
		}
	}
	if n := rows(t, ps[0].DSN); n != len(ps) {
		t.Errorf("got %d committed rows, want %d", n, len(ps))
	}
	eventually(t, "there is one supervisor", func() bool { return len(processes("postgres-supervisor "+dir)) == 1 })
}

// A new holder that comes at the very moment when the last one goes is served,
// by the old supervisor or by the next.
func TestComeAndGo(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	for i := range 12 {
		c, err := Attach(soon(t), Config{Dir: dir, Log: quiet(), Linger: -1})
		if err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		conn, err := pgx.Connect(soon(t), c.DSN(App, Database))
		if err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		conn.Close(context.Background())
		c.Detach()
		time.Sleep(time.Duration(i) * 2 * time.Millisecond)
	}
}

// postmaster.pid names a process that is no postmaster of ours.
func TestStalePidFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"dead", "foreign and alive", "zombie", "garbage"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			p := hold(t, dir)
			file := filepath.Join(dir, "postgres", "data", "postmaster.pid")
			text := readFile(file)
			kill(t, p.Holder, p.Supervisor, p.Postgres)
			p.cmd.Wait()

			other := exec.Command("sleep", "60")
			other.SysProcAttr = as(t, dir+"/postgres")
			if err := other.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { other.Process.Kill(); other.Wait() }()
			pid := []byte(itoa(other.Process.Pid))
			switch name {
			case "dead":
				other.Process.Kill()
				other.Wait()
			case "zombie":
				kill(t, other.Process.Pid)
			case "garbage":
				pid = []byte("x")
			}
			_, rest, _ := strings.Cut(text, "\n")
			if err := os.WriteFile(file, append(append(pid, '\n'), rest...), 0o600); err != nil {
				t.Fatal(err)
			}
			if name == "garbage" { // PostgreSQL refuses it, and so must we, without touching it
				if _, err := Attach(soon(t), Config{Dir: dir, Log: quiet(), Linger: -1}); err == nil || !strings.Contains(err.Error(), "postmaster.pid") {
					t.Errorf("got error %v, want one about postmaster.pid", err)
				}
				if got := readFile(file); got != string(pid)+"\n"+rest {
					t.Errorf("postmaster.pid was changed to %q", got)
				}
				return
			}
			c := attach(t, dir)
			if n := rows(t, c.DSN(Owner, Database)); n != 1 {
				t.Errorf("got %d committed rows, want 1", n)
			}
			if name == "foreign and alive" && syscall.Kill(other.Process.Pid, 0) != nil {
				t.Error("the foreign process was harmed")
			}
		})
	}
}

// The machine goes down in the middle of the first start.
func TestInterruptedInitdb(t *testing.T) {
	t.Parallel()
	for _, victim := range []string{"supervisor", "initdb", "holder"} {
		t.Run(victim, func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(self, "holder", dir)
			p := launch(t, cmd)
			eventually(t, "initdb is at work", func() bool {
				m, _ := filepath.Glob(filepath.Join(dir, "postgres", "new-*", "base"))
				return len(m) > 0
			})
			if victim == "holder" {
				kill(t, p.cmd.Process.Pid)
			} else {
				syscall.Kill(p.cmd.Process.Pid, syscall.SIGSTOP)
				word := map[string]string{"supervisor": "postgres-supervisor " + dir, "initdb": "initdb -D " + dir}[victim]
				for _, l := range processes(word) {
					pid, _, _ := strings.Cut(l, " ")
					syscall.Kill(atoi(pid), syscall.SIGKILL)
				}
				kill(t, p.cmd.Process.Pid)
			}
			c := attach(t, dir)
			conn := connect(t, c.DSN(App, Database))
			if err := conn.Ping(soon(t)); err != nil {
				t.Error(err)
			}
			if m, _ := filepath.Glob(filepath.Join(dir, "postgres", "new-*")); victim != "initdb" && len(m) > 0 {
				t.Errorf("left behind: %q", m)
			}
		})
	}
}
