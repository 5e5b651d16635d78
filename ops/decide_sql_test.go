package ops_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"polaris/models"
	"polaris/ops"
)

// With the serving login's own connection, whatever is said to the database: no
// decision is made but by decide(), with the session of somebody who may.
func TestSQLDecidesNothing(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	id := x.byToken(t, x.ann, "fees", "")
	publish := proposed(t, x.d, x.ann, ops.PublishVersion, ops.PublishIn{}).ID
	done := x.byToken(t, x.ann, "done", "")
	if _, err := decide(t, x.d, x.cleo, done, "approve"); err != nil {
		t.Fatal(err)
	}
	c, err := pgx.Connect(t.Context(), x.db.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	eve := signIn(t, x.d, "acme", "eve@example.org", models.RoleReader)
	x.link(t, eve, x.ann)
	x.exec(t, `INSERT INTO decision_rules VALUES ('acme', 'A2', 2, '["owner"]')`)
	before := dump(t, x.db.URL, "acme")
	mine, others := hexOf(x.ann.Visit.Hash), hexOf(x.cleo.Visit.Hash)
	in := strings.NewReplacer("$id", id, "$publish", publish, "$done", done, "$ann", x.ann.By.Person, "$cleo", x.cleo.By.Person, "$eve", eve.By.Person, "$mine", mine, "$others", others)
	const columns = `INSERT INTO recommendations (brain_id, id, operation, class, input, input_version, target, base, before, after, rationale, evidence, proposer, actor, key_id, surface, authenticated, needed, roles, payload, state, created_at, expires_at, decided_at, approved_in, supersedes)
		VALUES ('acme', 'rec_forged', 'versions.publish', 'A4', '{}', 0, 'published version', '', '', '{}', '', '[]', '$ann', 'x', '', 'web', true, 0, '[]', '', `
	for _, sql := range []string{
		"UPDATE recommendations SET state = 'applied', decided_at = now() WHERE id = '$id'",
		"UPDATE recommendations SET approved_in = pg_current_xact_id() WHERE id = '$publish'",
		"UPDATE recommendations SET needed = 0", "UPDATE recommendations SET roles = '[\"reader\"]'", "UPDATE recommendations SET input = '{}'", "UPDATE recommendations SET after = '{}'",
		"UPDATE recommendations SET proposer = '$cleo'", "UPDATE recommendations SET payload = ''", "UPDATE recommendations SET expires_at = now()", "UPDATE recommendations SET note = 'x'",
		"UPDATE recommendations SET state = 'pending', decided_at = NULL WHERE id = '$done'",
		"DELETE FROM recommendations", "TRUNCATE recommendations CASCADE", "TRUNCATE participation",
		"INSERT INTO participation VALUES ('acme', '$id', '$cleo', 'approve', '$cleo', 'x', '', now())",
		"INSERT INTO participation VALUES ('acme', '$id', '$cleo', 'contributor', '$cleo', NULL, '', now())",
		"UPDATE participation SET part = 'approve', seen = 'x'", "DELETE FROM participation", "UPDATE participation SET account_id = '$cleo'",
		"INSERT INTO decision_rules VALUES ('acme', 'A4', 1, '[\"reader\"]')", "DELETE FROM decision_rules", "UPDATE decision_rules SET needed = 1", "UPDATE decision_rules SET roles = '[\"owner\", \"reader\"]'", "UPDATE decision_rules SET class = 'A4'", "UPDATE decision_rules SET roles = '[]'", "INSERT INTO decision_rules VALUES ('acme', 'A4', 0, '[\"owner\"]')",
		"INSERT INTO decision_rules VALUES ('acme', 'A2', 1, '[\"owner\"]') ON CONFLICT (brain_id, class) DO UPDATE SET needed = 1",
		"INSERT INTO key_holders VALUES ('acme', 'x', '$cleo')", "DELETE FROM key_holders",
		"UPDATE persons SET same_as = NULL WHERE id = '$eve'", "UPDATE persons SET same_as = '$cleo' WHERE id = '$eve'", "UPDATE persons SET same_as = '$cleo' WHERE id = '$ann'",
		"UPDATE brains SET four_eyes = false", "UPDATE brains SET four_eyes = false WHERE id = 'acme'", "UPDATE brains SET four_eyes = false, four_eyes_until = now() + interval '1 day' WHERE id = 'acme'",
		"SET LOCAL app.brain_id = 'nobody'; UPDATE brains SET four_eyes = false, four_eyes_until = now() + interval '1 day' WHERE id = 'acme'",
		"INSERT INTO brains VALUES ('acme', 'x', false, 0, false, now(), 'x') ON CONFLICT (id) DO UPDATE SET four_eyes = false",
		"INSERT INTO brains VALUES ('born', 'x', true, 7, false, now(), 'x')",
		"UPDATE brains SET published = 1",
		"INSERT INTO versions (brain_id, n, manifest, hash, engine, notes, four_eyes, published_at, published_by) VALUES ('acme', 1, '{}', '', '', '', 'on', now(), 'x'); UPDATE brains SET published = 1 WHERE id = 'acme'",
		// Decided by oneself, by nobody, on something else, or without what follows.
		"SELECT decide('$mine', '$id', (SELECT payload FROM recommendations WHERE id = '$id'), 'approve', '')",
		"SELECT decide('$mine', '$id', (SELECT payload FROM recommendations WHERE id = '$id'), 'reject', '')",
		"SELECT decide('', '$id', (SELECT payload FROM recommendations WHERE id = '$id'), 'approve', '')",
		"SELECT decide(NULL, '$id', (SELECT payload FROM recommendations WHERE id = '$id'), 'approve', '')",
		"SELECT decide('$others', '$id', NULL, 'approve', '')",
		"SELECT decide('$others', '$id', '', 'approve', '')",
		"SELECT decide('$others', '$id', (SELECT payload FROM recommendations WHERE id = '$publish'), 'approve', '')",
		"SELECT decide('$others', '$id', (SELECT payload FROM recommendations WHERE id = '$id'), NULL, '')",
		"SELECT decide('$others', '$id', (SELECT payload FROM recommendations WHERE id = '$id'), 'contributor', '')",
		"SELECT decide('$others', '$id', (SELECT payload FROM recommendations WHERE id = '$id'), 'approve', '')",
		"SELECT decide('$others', '$id', (SELECT payload FROM recommendations WHERE id = '$id'), 'reject', '')",
		"SELECT decide('$others', '$id', (SELECT payload FROM recommendations WHERE id = '$id'), 'approve', ''), settle('$id', 'applied', '')",
		"SELECT settle('$id', 'applied', '')", "SELECT settle('$id', 'rejected', '')", "SELECT settle('$id', 'pending', '')", "SELECT settle('$id', NULL, '')", "SELECT settle('$id', 'withdrawn', '')",
		"SELECT settle('$id', 'expired', '')", "SELECT settle('$done', 'expired', '')", "SELECT noted('$done', 'x'), decide('$others', '$done', '', 'reject', '')",
		// Applied as it comes in: what is said of it is not kept, and this undoes the rest.
		columns + "'applied', now(), now(), now(), pg_current_xact_id(), ''); UPDATE brains SET published = 1",
		columns + "'pending', now(), now(), NULL, NULL, '$done')",
		columns + "'pending', now(), now(), NULL, NULL, '$id')",
		// Other names and other ways round.
		"SET ROLE polaris_decide; UPDATE recommendations SET state = 'applied'", "SET LOCAL ROLE polaris_owner", "SET SESSION AUTHORIZATION polaris_owner", "SET session_replication_role = replica",
		"SET CONSTRAINTS ALL DEFERRED; SELECT settle('$id', 'withdrawn', '')",
		"SET CONSTRAINTS ALL IMMEDIATE; SELECT settle('$id', 'withdrawn', '')",
		"ALTER TABLE recommendations DISABLE TRIGGER ALL", "DROP TRIGGER published_by_two ON brains", "ALTER FUNCTION decide(bytea, text, bytea, text, text) OWNER TO polaris_app",
		"CREATE OR REPLACE FUNCTION human(person text) RETURNS text LANGUAGE sql AS 'SELECT random()::text'", "SELECT contributors()", "SELECT published_by_two()",
		"CREATE TEMP TABLE persons (id text, disabled_at timestamptz, same_as text); CREATE TEMP TABLE sessions (hash bytea, person_id text, expires_at timestamptz, seen_at timestamptz); INSERT INTO sessions VALUES ('$mine', '$cleo', now() + interval '1 day', now()); INSERT INTO persons VALUES ('$cleo'); SELECT decide('$mine', '$id', (SELECT payload FROM recommendations WHERE id = '$id'), 'reject', '')",
		// In another brain's name.
		"SELECT set_config('app.brain_id', 'beta', true), decide('$others', '$id', (SELECT payload FROM recommendations WHERE id = '$id'), 'approve', '')",
		"SET LOCAL app.brain_id = 'beta'; UPDATE brains SET published = 0 WHERE id = 'acme'; SELECT settle('$id', 'withdrawn', '')",
		"SET LOCAL app.brain_id = ''; SELECT settle('$id', 'withdrawn', '')",
	} {
		sql = in.Replace(sql)
		err := pgx.BeginFunc(t.Context(), c, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), "SELECT set_config('app.brain_id', 'acme', true)"); err != nil {
				return err
			}
			_, err := tx.Conn().PgConn().Exec(t.Context(), sql).ReadAll() // several statements at once
			return err
		})
		var pg *pgconn.PgError
		if !errors.As(err, &pg) || slices.Contains([]string{"42601", "42703", "42P01", "42883", "42804"}, pg.Code) {
			t.Errorf("%s: %v; want it refused, and not for how it is written", sql, err)
		}
	}
	if after := dump(t, x.db.URL, "acme"); after != before {
		t.Errorf("something changed:\n%s\nbefore:\n%s", after, before)
	}
	// What comes in is pending under the rules of now, whatever is said of it.
	_, err = c.Exec(t.Context(), "SELECT set_config('app.brain_id', 'acme', false)")
	if err == nil {
		_, err = c.Exec(t.Context(), in.Replace(columns+"'applied', now(), now() + interval '1 day', now(), pg_current_xact_id(), '')"))
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := x.strings(t, `SELECT state || needed || coalesce(approved_in::text, '-') || coalesce(decided_at::text, '-') || roles::text FROM recommendations WHERE id = 'rec_forged'`); got[0] != `pending1--["admin", "approver", "curator", "owner"]` {
		t.Errorf("what came in: %q", got)
	}
	if s := x.state(t, "rec_forged"); s != models.Pending {
		t.Errorf("it is %s", s)
	}
}

func hexOf(b []byte) string {
	const digits = "0123456789abcdef"
	s := []byte(`\x`)
	for _, v := range b {
		s = append(s, digits[v>>4], digits[v&15])
	}
	return string(s)
}

// The check that a state has its audit row stays quick however long the log is:
// it goes by an index.
func TestBorneOutByAnIndex(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	c, err := pgx.Connect(t.Context(), x.db.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	if _, err := c.Exec(t.Context(), "SELECT set_config('app.brain_id', 'acme', false); SET enable_seqscan = off; SET enable_bitmapscan = off"); err != nil {
		t.Fatal(err)
	}
	rows, err := c.Query(t.Context(), "EXPLAIN SELECT FROM audit a WHERE a.brain_id = 'acme' AND a.target = 'rec_x' AND a.detail ? 'state' AND a.detail->>'state' = 'applied'")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(plan, "\n"); !strings.Contains(got, "audit_recommendations") || !strings.Contains(got, "target = 'rec_x'") {
		t.Errorf("the plan is\n%s", got)
	}
}
