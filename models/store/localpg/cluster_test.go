package localpg

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/models/fault"
)

// Who may log in, and what the logins may do.
func TestRoles(t *testing.T) {
	t.Parallel()
	c := attach(t, folder(t))
	if c.Major() < Oldest || c.PID() <= 1 || c.Supervisor() <= 1 {
		t.Errorf("got major %d, pid %d, supervisor %d", c.Major(), c.PID(), c.Supervisor())
	}
	owner, app, admin := connect(t, c.DSN(Owner, Database)), connect(t, c.DSN(App, Database)), connect(t, c.DSN(Admin, Database))

	found, err := admin.Query(soon(t), `select rolname, rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolcanlogin,
		(select count(*) from pg_auth_members m where m.member = r.oid) from pg_roles r where rolname like 'polaris%' order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(found, func(r pgx.CollectableRow) (string, error) {
		v, err := r.Values()
		return fmt.Sprintln(v...), err
	})
	want := []string{"polaris_admin true true true true true 0", "polaris_app false false false false true 0", "polaris_owner false true false false true 0"}
	for i := range got {
		got[i] = strings.TrimSpace(got[i])
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got roles %q, %v, want %q", got, err, want)
	}

	for _, row := range []struct {
		name string
		conn *pgx.Conn
		sql  string
		ok   bool
	}{
		{"the owner creates", owner, `create table t (id int)`, true},
		{"the owner makes a role", owner, `create role polaris_test_reader nologin`, true},
		{"the owner is no superuser", owner, `alter system set fsync = off`, false},
		{"the app does not create", app, `create table u (id int)`, false},
		{"the app cannot become the owner", app, `set role polaris_owner`, false},
		{"the app makes no role", app, `create role x`, false},
	} {
		if _, err := row.conn.Exec(soon(t), row.sql); (err == nil) != row.ok {
			t.Errorf("%s: got %v", row.name, err)
		}
	}
	if conn, err := pgx.Connect(soon(t), c.DSN("postgres", Database)); err == nil {
		conn.Close(context.Background())
		t.Error("an unknown role may log in")
	}
	for name, want := range map[string]string{"fsync": "on", "listen_addresses": "", "jit": "off", "data_checksums": "on", "server_encoding": "UTF8", "unix_socket_permissions": "0700"} {
		var got string
		if err := admin.QueryRow(soon(t), `select current_setting($1)`, name).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", name, got, err, want)
		}
	}
}

// A start that was interrupted between initdb and the database.
func TestInterruptedBootstrap(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	c := attach(t, dir)
	admin := connect(t, c.DSN(Admin, "postgres"))
	for _, sql := range []string{`drop database polaris`, `create database polaris_new`, `drop role polaris_app`} {
		if _, err := admin.Exec(soon(t), sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Stop(soon(t)); err != nil {
		t.Fatal(err)
	}
	c = attach(t, dir)
	if err := connect(t, c.DSN(App, Database)).Ping(soon(t)); err != nil {
		t.Error(err)
	}
}

// Stop waits for the end, but not for the end of others.
func TestStop(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	if Exists(dir) {
		t.Error("an empty folder has a cluster")
	}
	a, b := attach(t, dir), attach(t, dir)
	if !Exists(dir) {
		t.Error("the cluster is not seen")
	}
	if err := a.Stop(soon(t)); err != nil {
		t.Error(err)
	}
	<-a.Done()
	if err := connect(t, b.DSN(App, Database)).Ping(soon(t)); err != nil {
		t.Errorf("one holder's end is the other's: %v", err)
	}
	select {
	case <-b.Done():
		t.Error("a held cluster is done")
	default:
	}
	if err := b.Stop(soon(t)); err != nil {
		t.Error(err)
	}
	if p := b.last.PID; syscall.Kill(p, 0) == nil && p != 0 {
		t.Errorf("PostgreSQL %d is still there", p)
	}
	if err := b.Detach(); err != nil { // again, after the end
		t.Error(err)
	}
}

// SIGTERM, as at the machine's shutdown, lets the holders finish.
func TestTerminatedSupervisorDrains(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	c, err := Attach(soon(t), Config{Dir: dir, Log: quiet(), Linger: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	pid := c.PID()
	if err := syscall.Kill(c.Supervisor(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
	if err := connect(t, c.DSN(App, Database)).Ping(soon(t)); err != nil || c.PID() != pid {
		t.Errorf("got PostgreSQL %d, %v, want %d", c.PID(), err, pid)
	}
	c.Detach()
	gone(t, dir) // without waiting for an hour
}

// What is wrong with the settings is said at once, and by name.
func TestBadSetting(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	start := time.Now()
	_, err := Attach(soon(t), Config{Dir: dir, Log: quiet(), Linger: -1, Extra: []string{"work_mem=green"}})
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "work_mem") {
		t.Errorf("got error %v, want one about work_mem", err)
	}
	if took := time.Since(start); took > retryLimit {
		t.Errorf("it took %v to say so", took)
	}
	c, err := Attach(soon(t), Config{Dir: dir, Log: quiet(), Linger: -1, Fast: true, Extra: []string{"work_mem=5MB"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop(soon(t))
	var got string
	if err := connect(t, c.DSN(App, Database)).QueryRow(soon(t), `select current_setting('work_mem') || current_setting('fsync')`).Scan(&got); err != nil || got != "5MBoff" {
		t.Errorf("got %q, %v, want 5MBoff", got, err)
	}
}

func TestBadSupervisor(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	for _, argv := range [][]string{{"/nonexistent/bb"}, {"false"}, {"sh", "-c", "echo no such command >&2; exit 2"}} {
		if _, err := Attach(soon(t), Config{Dir: dir, Log: quiet(), Supervisor: argv}); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%q: got error %v, want Unavailable", argv, err)
		}
	}
	for _, args := range [][]string{{}, {dir, "linger=x"}, {dir, "colour=green"}} {
		if _, err := parseSettings(args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}

// Who does not want to wait is told so; the start goes on.
func TestImpatient(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := Attach(ctx, Config{Dir: dir, Log: quiet(), Linger: testLinger}); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "not ready yet") {
		t.Errorf("got error %v, want Unavailable", err)
	}
	attach(t, dir)
}

func TestSettings(t *testing.T) {
	t.Parallel()
	s := settings{dir: "/a b", bin: "/c=d", linger: -time.Second, fast: true, extra: []string{"x=y z", "v=w"}}
	got, err := parseSettings(s.args())
	if fmt.Sprint(got) != fmt.Sprint(s) || err != nil {
		t.Errorf("got %v, %v, want %v", got, err, s)
	}
}

func TestRotate(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "log")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, row := range []struct{ add, want, old string }{
		{"0123456789", "0123456789", ""},
		{"x", "", "0123456789x"},
		{"y", "y", "0123456789x"},
	} {
		fmt.Fprint(f, row.add)
		rotate(name, 10)
		if got, old := readFile(name), readFile(name+".1"); got != row.want || old != row.old {
			t.Errorf("after %q: got %q and %q, want %q and %q", row.add, got, old, row.want, row.old)
		}
	}
}

// BenchmarkCold is the first start on an empty folder, BenchmarkWarm a start on
// an existing cluster, BenchmarkHeld attaching to one that runs.
func BenchmarkCold(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		dir := folder(b)
		b.StartTimer()
		c, err := Attach(soon(b), Config{Dir: dir, Log: quiet()})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		c.Stop(soon(b))
		b.StartTimer()
	}
}

func BenchmarkWarm(b *testing.B) {
	dir := folder(b)
	attach(b, dir).Stop(soon(b))
	for b.Loop() {
		c, err := Attach(soon(b), Config{Dir: dir, Log: quiet()})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		c.Stop(soon(b))
		b.StartTimer()
	}
}

func BenchmarkHeld(b *testing.B) {
	dir := folder(b)
	defer attach(b, dir).Stop(soon(b))
	for b.Loop() {
		c, err := Attach(soon(b), Config{Dir: dir, Log: quiet()})
		if err != nil {
			b.Fatal(err)
		}
		c.Detach()
	}
}
