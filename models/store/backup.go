package store

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"

	"polaris/models"
	"polaris/models/fault"
)

// backupFormat is the version of what a backup's members are and mean.
const backupFormat = 1

// manifestName is the last member of a backup. One without it was cut off.
const manifestName = "manifest.json"

// kept are the tables of a backup, each after those that its foreign keys point
// to. What is not among them ends with a restore: sessions, one-time links, the
// grants and the keys of access tokens, the count of requests, and research jobs,
// whose reports live for a day.
var kept = []string{
	"ended_brains", "brains", "persons", "memberships", "api_keys", "key_holders", "decision_rules", "recommendations", "participation", "quarantine",
	"sources", "revisions", "blobs", "passages", "terms", "cross_references", "suspensions", "certifications", "purges", "topic_cards", "versions", "version_sources", "golden_questions", "answers",
	"changes", "audit", "audit_chain", "audit_unsealed", "audit_tombstones", "imports", "import_items", "import_files",
}

// acrossBrains are those of them that belong to no brain.
var acrossBrains = map[string]bool{"ended_brains": true, "brains": true, "persons": true}

// leftBehind are columns that mean nothing elsewhere: they name a transaction of
// this database, and in another one a transaction that decided nothing would
// one day have that number.
var leftBehind = map[string]string{"recommendations": "approved_in", "audit_unsealed": "by"}

// A Manifest says what a backup holds.
type Manifest struct {
	Format  int            `json:"format"`
	Release string         `json:"release"` // that wrote it
	Schema  int64          `json:"schema"`
	At      time.Time      `json:"at"` // the moment that all of it shows
	Members []BackupMember `json:"members"`
	Chains  []BackupChain  `json:"chains"` // of every brain and of the instance
	Actor   string         `json:"-"`      // who makes or restores it, for the log
	Purged  []models.Purge `json:"-"`      // what a restore purges again; the codes of what there was are Again then
	Again   []string       `json:"purged_again,omitempty"`
}

// A BackupMember is the rows of one table, of one brain where the table has brains.
type BackupMember struct {
	Name    string         `json:"name"`
	Table   string         `json:"table"`
	Brain   models.BrainID `json:"brain,omitempty"`
	Columns []string       `json:"columns"`
	Rows    int64          `json:"rows"`
	SHA256  string         `json:"sha256"` // hex, of the rows as COPY writes them
}

// A BackupChain is what walking a brain's audit chain found.
type BackupChain struct {
	Brain models.BrainID `json:"brain"`
	ChainReport
}

// Rows is how many rows a backup has.
func (m *Manifest) Rows() (n int64) {
	for _, x := range m.Members {
		n += x.Rows
	}
	return n
}

// Problems are what the audit chains did not prove when the backup was made.
func (m *Manifest) Problems() (all []string) {
	for _, c := range m.Chains {
		for _, p := range c.Problems {
			all = append(all, fmt.Sprintf("%s: %s", c.Brain, p))
		}
	}
	return all
}

// members lists what a backup of these brains holds, in its order.
func members(chains []BackupChain) (ms []BackupMember) {
	for _, t := range kept {
		if acrossBrains[t] {
			ms = append(ms, BackupMember{Name: "tables/" + t, Table: t})
			continue
		}
		for _, c := range chains {
			ms = append(ms, BackupMember{Name: "tables/" + t + "/" + string(c.Brain), Table: t, Brain: c.Brain})
		}
	}
	return ms
}

// A moved is one connection in one transaction, through which a whole instance
// goes out or comes in.
type moved struct {
	conn *sql.Conn
	gorm *gorm.DB
}

// inOne runs fn on one connection of the login at url, in one transaction.
func inOne(ctx context.Context, url, begin string, fn func(m *moved) error) error {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return fault.New(fault.Invalid, "POLARIS_MIGRATE_URL is not a PostgreSQL address.")
	}
	// Rows are written as text, the same text on every server.
	for name, v := range map[string]string{"application_name": "polaris-backup", "timezone": "UTC", "datestyle": "ISO, YMD", "intervalstyle": "postgres", "extra_float_digits": "1", "bytea_output": "hex", "client_encoding": "UTF8"} {
		cfg.RuntimeParams[name] = v
	}
	db := stdlib.OpenDB(*cfg)
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return notConnected(cfg, err)
	}
	defer conn.Close()
	g, err := gorm.Open(postgres.New(postgres.Config{Conn: conn}), &gorm.Config{SkipDefaultTransaction: true, Logger: slow{discard}})
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, begin); err != nil {
		return mapped(err)
	}
	// What is not committed ends with the connection.
	if err := fn(&moved{conn, g.WithContext(ctx)}); err != nil {
		return mapped(err)
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return mapped(err)
}

// WriteBackup writes all that the instance keeps to w, as it is at one moment,
// while others go on writing. url is a login that may read every table. Members
// are put together in a file in the folder spool, which no name leads to.
func WriteBackup(ctx context.Context, url, release string, w io.Writer, spool string) (*Manifest, error) {
	m := &Manifest{Format: backupFormat, Release: release}
	return m, inOne(ctx, url, "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", func(t *moved) error {
		if err := t.begin(ctx, m); err != nil {
			return err
		}
		z := gzip.NewWriter(w)
		out := tar.NewWriter(z)
		if err := t.pack(ctx, m, out, spool); err != nil {
			return err
		}
		b, err := json.MarshalIndent(m, "", "  ")
		if err != nil {
			return err
		}
		if err := out.WriteHeader(&tar.Header{Name: manifestName, Mode: 0o600, Size: int64(len(b)), ModTime: m.At}); err != nil {
			return err
		}
		if _, err := out.Write(b); err != nil {
			return err
		}
		if err := out.Close(); err != nil {
			return err
		}
		return z.Close()
	})
}

// begin notes what the snapshot shows: the schema, the brains and their chains.
func (t *moved) begin(ctx context.Context, m *Manifest) error {
	known, err := knownSchema()
	if err != nil {
		return err
	}
	err = t.conn.QueryRowContext(ctx, `SELECT max(version_id), now() FROM goose_db_version WHERE is_applied`).Scan(&m.Schema, &m.At)
	if undefinedTable(err) {
		return fault.New(fault.NotReady, "The database is empty: there is nothing to back up.").WithCode("schema_missing")
	}
	if err != nil {
		return err
	}
	if m.Schema != known {
		return fault.New(fault.NotReady, "The database has schema %d, and this release knows %d. Back it up with the release that serves it.", m.Schema, known)
	}
	brains, err := t.strings(ctx, `SELECT id FROM brains ORDER BY id COLLATE "C"`)
	if err != nil {
		return err
	}
	for _, b := range append([]string{string(Instance)}, brains...) {
		r, err := t.chain(ctx, models.BrainID(b), models.Link{})
		if err != nil {
			return err
		}
		m.Chains = append(m.Chains, BackupChain{models.BrainID(b), *r})
	}
	return nil
}

// chain walks a brain's audit chain as the transaction sees it.
func (t *moved) chain(ctx context.Context, b models.BrainID, known models.Link) (*ChainReport, error) {
	if err := t.enter(ctx, b); err != nil {
		return nil, err
	}
	return (&Tx{Brain: b, db: t.gorm}).VerifyChain(known)
}

func (t *moved) enter(ctx context.Context, b models.BrainID) error {
	_, err := t.conn.ExecContext(ctx, "SELECT set_config('app.brain_id', $1, true)", string(b))
	return err
}

func (t *moved) strings(ctx context.Context, query string, args ...any) (all []string, err error) {
	rows, err := t.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

// pack writes the members. An archive says how long a member is before it comes,
// so each is put into a file first.
func (t *moved) pack(ctx context.Context, m *Manifest, out *tar.Writer, spool string) error {
	f, err := os.CreateTemp(spool, ".bb-backup-*") // 0600
	if err != nil {
		return err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return err
	}
	for _, x := range members(m.Chains) {
		if err := f.Truncate(0); err != nil {
			return err
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if x.Columns, err = t.columns(ctx, x.Table); err != nil {
			return err
		}
		if err := t.copyOut(ctx, &x, f); err != nil {
			return err
		}
		size, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := out.WriteHeader(&tar.Header{Name: x.Name, Mode: 0o600, Size: size, ModTime: m.At}); err != nil {
			return err
		}
		if _, err := io.Copy(out, f); err != nil {
			return err
		}
		m.Members = append(m.Members, x)
	}
	return nil
}

// columns are the table's, in their order, but for the one that is left behind.
func (t *moved) columns(ctx context.Context, table string) ([]string, error) {
	return t.strings(ctx, `SELECT attname::text FROM pg_attribute WHERE attrelid = to_regclass('public.' || $1) AND attnum > 0 AND NOT attisdropped AND attname <> $2 ORDER BY attnum`, table, leftBehind[table])
}

// copyOut writes a member's rows in the order of their key, and notes how many
// they are and their hash. Of one brain the brain is no part of the order: with it
// no index would do, and a million rows would be sorted.
func (t *moved) copyOut(ctx context.Context, x *BackupMember, w io.Writer) error {
	key, err := t.strings(ctx, `SELECT quote_ident(a.attname) || CASE WHEN a.atttypid = 'text'::regtype THEN ' COLLATE "C"' ELSE '' END
		FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
		WHERE i.indrelid = to_regclass('public.' || $1) AND i.indisprimary AND (a.attname <> 'brain_id' OR $2) ORDER BY array_position(i.indkey::int2[], a.attnum)`, x.Table, x.Brain == "")
	if err != nil {
		return err
	}
	where := ""
	if x.Brain != "" {
		if err := t.enter(ctx, x.Brain); err != nil {
			return err
		}
		where = " WHERE brain_id = '" + strings.ReplaceAll(string(x.Brain), "'", "''") + "'"
	}
	query := "COPY (SELECT " + quoted(x.Columns) + " FROM public." + x.Table + where + " ORDER BY " + strings.Join(key, ", ") + ") TO STDOUT"
	sum := sha256.New()
	err = t.conn.Raw(func(c any) error {
		tag, err := c.(*stdlib.Conn).Conn().PgConn().CopyTo(ctx, io.MultiWriter(w, sum), query)
		x.Rows = tag.RowsAffected()
		return err
	})
	x.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return err
}

// quoted are names of columns as SQL has them.
func quoted(columns []string) string {
	q := make([]string, len(columns))
	for i, c := range columns {
		q[i] = pgx.Identifier{c}.Sanitize()
	}
	return strings.Join(q, ", ")
}
