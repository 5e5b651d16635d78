package store

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"polaris/migrations"
	"polaris/models"
	"polaris/models/fault"
)

// discard is the log of what is told by its error alone.
var discard = slog.New(slog.DiscardHandler)

// knownSchema is the schema that this release knows.
func knownSchema() (int64, error) {
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return 0, err
	}
	n, err := goose.NumericComponent(slices.Max(names))
	return max(n, queueTables().Version), err
}

func notWhole(why string, args ...any) *fault.Error {
	return fault.New(fault.Invalid, "This is no whole backup: %s. Nothing was restored.", fmt.Sprintf(why, args...)).WithCode("bad_backup")
}

// ReadBackup reads a backup to its end and returns what it holds, or a fault
// where anything was cut off or changed, or where this release cannot restore it.
func ReadBackup(path string) (*Manifest, error) {
	var sums []BackupMember
	var m *Manifest
	err := eachMember(path, func(name string, r io.Reader) error {
		if m != nil {
			return notWhole("something follows the manifest")
		}
		if name == manifestName {
			m = &Manifest{}
			d := json.NewDecoder(r)
			d.DisallowUnknownFields()
			if err := d.Decode(m); err != nil {
				return notWhole("its manifest cannot be read")
			}
			return nil
		}
		sum := sha256.New()
		if _, err := io.Copy(sum, r); err != nil {
			return err
		}
		sums = append(sums, BackupMember{Name: name, SHA256: hex.EncodeToString(sum.Sum(nil))})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, notWhole("it has no manifest")
	}
	return m, m.check(sums)
}

// check holds the manifest against the members that are there, and against what
// this release would have written.
func (m *Manifest) check(there []BackupMember) error {
	known, err := knownSchema()
	if err != nil {
		return err
	}
	if m.Format != backupFormat || m.Schema != known {
		return fault.New(fault.Conflict, "The backup is of Polaris %s (format %d, schema %d), and this release restores format %d, schema %d. Restore it with the release that wrote it. Nothing was restored.",
			m.Release, m.Format, m.Schema, backupFormat, known).WithCode("other_release")
	}
	want := members(m.Chains)
	if len(there) != len(want) || len(m.Members) != len(want) {
		return notWhole("it has %d members and its manifest names %d", len(there), len(m.Members))
	}
	for i, x := range m.Members {
		if x.Name != want[i].Name || x.Table != want[i].Table || x.Brain != want[i].Brain || there[i].Name != x.Name {
			return notWhole("its members are not those of its manifest")
		}
		if there[i].SHA256 != x.SHA256 {
			return notWhole("%s was changed", x.Name)
		}
	}
	return nil
}

// eachMember goes through a backup to its last byte.
func eachMember(path string, fn func(name string, r io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fault.New(fault.Invalid, "The backup cannot be read: %v.", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return notWhole("it is not what `bb backup` writes")
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = fn(h.Name, r)
		}
		if err != nil {
			return broken(err)
		}
	}
	if _, err := io.Copy(io.Discard, z); err != nil { // the checksum is behind the end of the archive
		return broken(err)
	}
	return nil
}

// broken says that an archive could not be read on. Faults stay as they are, and
// so does what the database says.
func broken(err error) error {
	var in *fault.Error
	switch {
	case errors.As(err, &in):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return notWhole("it was cut off")
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.Is(err, tar.ErrHeader), strings.HasPrefix(err.Error(), "flate:"):
		return notWhole("it was changed")
	}
	return err
}

// Vacant refuses a database that holds anything.
func Vacant(ctx context.Context, url string) error {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return fault.New(fault.Invalid, "POLARIS_MIGRATE_URL is not a PostgreSQL address.")
	}
	db := stdlib.OpenDB(*cfg)
	defer db.Close()
	if err := db.PingContext(ctx); err != nil {
		return notConnected(cfg, err)
	}
	if err := foreign(ctx, db); err != nil {
		return err
	}
	var made, used bool
	if err := db.QueryRowContext(ctx, `SELECT to_regclass('public.brains') IS NOT NULL`).Scan(&made); err != nil || !made {
		return mapped(err)
	}
	err = db.QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM brains) OR EXISTS (SELECT FROM persons) OR EXISTS (SELECT FROM sessions) OR EXISTS (SELECT FROM links)`).Scan(&used)
	if err == nil && used {
		err = notVacant
	}
	return mapped(err)
}

var notVacant = fault.New(fault.Conflict, "The database is not empty, and a backup is restored into an empty one only. It was left as it is.").WithCode("not_empty")

// Restore puts a backup into the empty database of the owner's login at url, all
// of it or nothing, and gives app, the serving login, its rights. m is what
// [ReadBackup] found in it.
func Restore(ctx context.Context, url, app, path string, m *Manifest) error {
	if err := Vacant(ctx, url); err != nil {
		return err
	}
	if _, err := Migrate(ctx, url, app); err != nil {
		return err
	}
	return inOne(ctx, url, "BEGIN", func(t *moved) error {
		forced, err := t.open(ctx)
		if err != nil {
			return err
		}
		indexes, err := t.dropIndexes(ctx)
		if err != nil {
			return err
		}
		if err := t.load(ctx, path, m); err != nil {
			return err
		}
		if err := t.all(ctx, indexes); err != nil {
			return err
		}
		// Nothing is known of the tables yet, and plans that were made of that would
		// read each of them again and again.
		if _, err := t.conn.ExecContext(ctx, "ANALYZE public."+strings.Join(kept, ", public.")); err != nil {
			return err
		}
		// New rows of the log come after those that were restored.
		if _, err := t.conn.ExecContext(ctx, `SELECT setval(pg_get_serial_sequence('public.audit', 'id'), greatest((SELECT max(id) FROM audit), 1))`); err != nil {
			return err
		}
		if err := t.compare(ctx, m); err != nil {
			return err
		}
		if err := t.purgeAgain(ctx, m); err != nil {
			return err
		}
		if err := t.shut(ctx, forced); err != nil {
			return err
		}
		return t.recordRestore(ctx, m)
	})
}

// dropIndexes takes down those that only make reading quick: to build one of what
// is all there takes a fraction of the time. It returns the statements that bring
// them back.
func (t *moved) dropIndexes(ctx context.Context) (again []string, err error) {
	const these = ` FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($1) AND NOT i.indisunique ORDER BY i.indexrelid`
	if again, err = t.strings(ctx, "SELECT pg_get_indexdef(i.indexrelid)"+these, kept); err != nil {
		return nil, err
	}
	drops, err := t.strings(ctx, "SELECT 'DROP INDEX ' || i.indexrelid::regclass::text"+these, kept)
	if err != nil {
		return nil, err
	}
	return again, t.all(ctx, drops)
}

// all runs statements one by one.
func (t *moved) all(ctx context.Context, statements []string) error {
	for _, s := range statements {
		if _, err := t.conn.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// recordRestore says in the log of the instance what was restored, in the
// transaction that restores it.
func (t *moved) recordRestore(ctx context.Context, m *Manifest) error {
	if err := t.enter(ctx, Instance); err != nil {
		return err
	}
	return (&Tx{Brain: Instance, db: t.gorm}).AppendAudit(m.record("instance.restore", "A4"))
}

// record is the row of the log that says that a backup was made or restored, with
// the heads by which the logs in it can be told.
func (m *Manifest) record(operation, class string) *models.AuditRow {
	row := &models.AuditRow{
		At: time.Now(), Kind: models.KindTerminal, Actor: cmp.Or(m.Actor, string(models.KindTerminal)), Surface: "cli", Operation: operation, Class: class, Outcome: "ok",
		Target: "backup of " + m.At.UTC().Format(time.RFC3339),
	}
	row.Detail.Changes = append(row.Detail.Changes, models.Change{Field: "rows", To: strconv.FormatInt(m.Rows(), 10)}, models.Change{Field: "schema", To: strconv.FormatInt(m.Schema, 10)})
	for _, c := range m.Chains {
		if c.HeadSeq > 0 {
			row.Detail.Changes = append(row.Detail.Changes, models.Change{Field: "head of " + string(c.Brain), To: fmt.Sprintf("%d:%s", c.HeadSeq, c.HeadHash)})
		}
	}
	return row
}

// RecordBackup says in the log of the instance that a backup was made: all there
// is leaves with it.
func (s *Store) RecordBackup(ctx context.Context, m *Manifest) error {
	row := m.record("instance.backup", "A0")
	row.BrainID = Instance
	if err := s.AppendServed(ctx, row, nil); err != nil {
		return err
	}
	_, err := s.Seal(ctx, Instance)
	return err
}

// open lets rows in as they were: the owner's login takes down, for this
// transaction, row security and the triggers that ask how a row comes about.
// Foreign keys and checks stay. Nobody else sees the tables meanwhile. It
// returns those whose row security was forced.
func (t *moved) open(ctx context.Context) (forced []string, err error) {
	forced, err = t.strings(ctx, `SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relforcerowsecurity`)
	if err != nil {
		return nil, err
	}
	for _, table := range kept {
		alter := "ALTER TABLE public." + table + " DISABLE TRIGGER USER"
		if slices.Contains(forced, table) {
			alter += ", NO FORCE ROW LEVEL SECURITY"
		}
		if _, err := t.conn.ExecContext(ctx, alter); err != nil {
			return nil, err
		}
		var used bool
		if err := t.conn.QueryRowContext(ctx, "SELECT EXISTS (SELECT FROM public."+table+")").Scan(&used); err != nil {
			return nil, err
		}
		if used {
			return nil, notVacant
		}
	}
	return forced, nil
}

// shut puts up again what open took down.
func (t *moved) shut(ctx context.Context, forced []string) error {
	for _, table := range kept {
		alter := "ALTER TABLE public." + table + " ENABLE TRIGGER USER"
		if slices.Contains(forced, table) {
			alter += ", FORCE ROW LEVEL SECURITY"
		}
		if _, err := t.conn.ExecContext(ctx, alter); err != nil {
			return err
		}
	}
	return nil
}

// load copies the members in.
func (t *moved) load(ctx context.Context, path string, m *Manifest) error {
	i := 0
	return eachMember(path, func(name string, r io.Reader) error {
		if name == manifestName {
			return nil
		}
		if i >= len(m.Members) || m.Members[i].Name != name {
			return notWhole("it was changed while it was read")
		}
		x := m.Members[i]
		i++
		columns, err := t.columns(ctx, x.Table)
		if err != nil {
			return err
		}
		if !slices.Equal(columns, x.Columns) {
			return notWhole("%s has other columns than this release", x.Name)
		}
		return t.conn.Raw(func(c any) error {
			_, err := c.(*stdlib.Conn).Conn().PgConn().CopyFrom(ctx, r, "COPY public."+x.Table+" ("+quoted(x.Columns)+") FROM STDIN")
			return err
		})
	})
}

// compare reads everything back: each member must have its rows and its hash,
// and each chain must be found as it was, to the same head.
func (t *moved) compare(ctx context.Context, m *Manifest) error {
	for _, x := range m.Members {
		now := x
		if err := t.copyOut(ctx, &now, io.Discard); err != nil {
			return err
		}
		if now.Rows != x.Rows || now.SHA256 != x.SHA256 {
			return notWhole("%s came in as %d rows, and not as the %d that were backed up", x.Name, now.Rows, x.Rows)
		}
	}
	for _, c := range m.Chains {
		hash, err := hex.DecodeString(c.HeadHash)
		if err != nil {
			return notWhole("the head of %s is no hash", c.Brain)
		}
		r, err := t.chain(ctx, c.Brain, models.Link{Seq: c.HeadSeq, Hash: hash})
		if err != nil {
			return err
		}
		if r.HeadSeq != c.HeadSeq || r.HeadHash != c.HeadHash || r.Sealed != c.Sealed || r.Unsealed != c.Unsealed || !slices.Equal(r.Problems, c.Problems) {
			return notWhole("the audit chain of %s is not the one that was backed up", c.Brain)
		}
	}
	return nil
}
