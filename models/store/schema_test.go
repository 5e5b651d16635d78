package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/models/store"
	"polaris/models/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// withoutBrain are the tables that belong to no brain. Every other table has a
// brain_id, and row-level security that is forced. rate_hits counts callers by
// hash: keys, people, and addresses that somebody tried to sign in with.
var withoutBrain = []string{"brains", "persons", "sessions", "links", "goose_db_version", "rate_hits", "signing_keys", "ended_brains"}

func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

func strs(t testing.TB, c *pgx.Conn, sql string, args ...any) []string {
	t.Helper()
	rows, err := c.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEveryTenantTableIsIsolated(t *testing.T) {
	t.Parallel()
	c := connect(t, storetest.New(t).Own)
	tables := strs(t, c, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
	if len(tables) < 15 {
		t.Fatalf("only %d tables: %v", len(tables), tables)
	}
	isolated := strs(t, c, `SELECT c.relname::text FROM pg_class c
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'brain_id' AND a.attnotnull
		JOIN pg_policy p ON p.polrelid = c.oid AND p.polname = 'brain_only' AND p.polcmd = '*' AND p.polpermissive
		WHERE c.relrowsecurity AND c.relforcerowsecurity AND c.relnamespace = 'public'::regnamespace
		AND pg_get_expr(p.polqual, p.polrelid) = '(brain_id = ( SELECT app_brain() AS app_brain))'
		AND pg_get_expr(p.polwithcheck, p.polrelid) = '(brain_id = ( SELECT app_brain() AS app_brain))'`)
	for _, table := range tables {
		if free := slices.Contains(withoutBrain, table); free == slices.Contains(isolated, table) {
			t.Errorf("table %s: belongs to no brain %v, isolated %v; exactly one must hold", table, free, !free)
		}
	}
	// Whatever names another tenant's row must name its brain as well, or a key
	// of one brain could point into another.
	loose := strs(t, c, `SELECT conrelid::regclass || ': ' || pg_get_constraintdef(oid) FROM pg_constraint
		WHERE contype IN ('p', 'u', 'f') AND connamespace = 'public'::regnamespace
		AND conrelid IN (SELECT attrelid FROM pg_attribute WHERE attname = 'brain_id')
		AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = conrelid AND a.attname = 'brain_id' AND a.attnum = ANY (conkey))`)
	slices.Sort(loose)
	want := []string{
		"api_keys: UNIQUE (id)", // a random id that credentials are found by
		"certifications: FOREIGN KEY (person_id) REFERENCES persons(id)",
		"key_holders: FOREIGN KEY (person_id) REFERENCES persons(id)",
		"memberships: FOREIGN KEY (person_id) REFERENCES persons(id)", // people belong to the instance
		"participation: FOREIGN KEY (account_id) REFERENCES persons(id)",
		"participation: FOREIGN KEY (person_id) REFERENCES persons(id)",
		"recommendations: FOREIGN KEY (proposer) REFERENCES persons(id)",
		"token_grants: UNIQUE (id)", // likewise
	}
	if !slices.Equal(loose, want) {
		t.Errorf("constraints without the brain: %q, want %q", loose, want)
	}
	policies := strs(t, c, `SELECT tablename || ' ' || policyname || ' ' || array_to_string(roles, ',') || ' ' || cmd FROM pg_policies WHERE policyname <> 'brain_only' ORDER BY 1`)
	if want := []string{"api_keys auth_reads polaris_auth SELECT", "memberships auth_reads polaris_auth SELECT", "suspensions auth_reads polaris_auth SELECT", "token_grants auth_reads polaris_auth SELECT"}; !slices.Equal(policies, want) {
		t.Errorf("policies across brains: %q, want %q", policies, want)
	}
}

func TestLoginsAreWhatTheySay(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	c := connect(t, db.Own)
	if got := strs(t, c, `SELECT rolname::text FROM pg_roles WHERE rolname IN ('polaris_app', 'polaris_owner', 'polaris_auth', 'polaris_decide', 'polaris_retain', 'polaris_erase') AND (rolsuper OR rolbypassrls)`); len(got) > 0 {
		t.Errorf("superusers or above row security: %v", got)
	}
	if got := strs(t, c, `SELECT r.rolname::text FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid JOIN pg_roles u ON u.oid = m.member WHERE u.rolname = 'polaris_app'`); len(got) > 0 {
		t.Errorf("the serving login is a member of %v", got)
	}
	if got := strs(t, c, `SELECT tableowner || ' ' || tablename FROM pg_tables WHERE schemaname = 'public' AND tableowner <> 'polaris_owner'`); len(got) > 0 {
		t.Errorf("tables of others: %v", got)
	}
	if got := strs(t, c, `SELECT p.proname || ' ' || r.rolname FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner WHERE p.prosecdef AND p.pronamespace = 'public'::regnamespace
		AND (r.rolname NOT IN ('polaris_auth', 'polaris_decide', 'polaris_retain', 'polaris_erase') OR p.proconfig IS NULL OR has_function_privilege('public', p.oid, 'EXECUTE'))`); len(got) > 0 {
		t.Errorf("definer functions that others own or that PUBLIC may call: %v", got)
	}
}

// twoBrains fills two brains with a source each, and returns the store.
func twoBrains(t *testing.T) (*store.Store, storetest.Database) {
	t.Helper()
	s, db := storetest.Open(t, store.Options{})
	for _, b := range []models.BrainID{"alpha", "beta"} {
		err := s.InBrain(t.Context(), b, func(tx *store.Tx) error {
			if err := tx.InsertBrain(&models.Brain{ID: b, Name: string(b)}); err != nil {
				return err
			}
			return tx.SaveSource(&models.Source{ID: "src_" + string(b), Code: "A", Title: string(b), Head: 1})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return s, db
}

// As the serving login, nothing that can be said to PostgreSQL opens another
// brain.
func TestTheServingLoginCannotGetOut(t *testing.T) {
	t.Parallel()
	_, db := twoBrains(t)
	c := connect(t, db.URL)
	for _, attempt := range []string{
		"RESET ROLE", "SET ROLE polaris_owner", "SET ROLE polaris_auth", "SET SESSION AUTHORIZATION polaris_owner",
		"SET row_security = off", "ALTER TABLE sources DISABLE ROW LEVEL SECURITY", "ALTER TABLE sources NO FORCE ROW LEVEL SECURITY",
		"DROP POLICY brain_only ON sources", "CREATE POLICY open ON sources USING (true)", "ALTER ROLE polaris_app BYPASSRLS",
		"CREATE FUNCTION app_brain2() RETURNS text LANGUAGE sql AS 'SELECT 1'", "CREATE OR REPLACE FUNCTION app_brain() RETURNS text LANGUAGE sql AS $$ SELECT 'beta' $$",
		"GRANT polaris_owner TO polaris_app", "TRUNCATE sources", "DELETE FROM revisions", "UPDATE audit SET actor = 'x'", "DELETE FROM audit", "UPDATE versions SET n = 2",
		"COPY sources TO STDOUT", "SELECT * FROM auth_key('x'), pg_authid",
	} {
		_, err := c.Exec(t.Context(), "SELECT set_config('app.brain_id', 'alpha', false)")
		if err != nil {
			t.Fatal(err)
		}
		_, aerr := c.Exec(t.Context(), attempt)
		var titles []string
		rows, err := c.Query(t.Context(), "SELECT title FROM sources")
		if err == nil {
			titles, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		// row_security = off makes a query that would be filtered fail: as good.
		if err == nil && !slices.Equal(titles, []string{"alpha"}) {
			t.Errorf("after %q (%v): sees %v", attempt, aerr, titles)
		}
		if _, err := c.Exec(t.Context(), "RESET ALL"); err != nil {
			t.Fatal(err)
		}
	}
	if got := strs(t, c, "SELECT title FROM sources"); len(got) != 0 {
		t.Errorf("without a brain: sees %v", got)
	}
	for _, sql := range []string{
		"INSERT INTO sources (brain_id, id, code, title, head, created_at, created_by) VALUES ('beta', 'x', 'X', 'x', 1, now(), 'x')",
		"UPDATE sources SET brain_id = 'beta'",
	} {
		if _, err := c.Exec(t.Context(), "SELECT set_config('app.brain_id', 'alpha', false)"); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "row-level security") {
			t.Errorf("%s: %v, want refused by row-level security", sql, err)
		}
	}
}

func TestPublishedRowsStandStill(t *testing.T) {
	t.Parallel()
	s, db := twoBrains(t)
	err := s.InBrain(t.Context(), "alpha", func(tx *store.Tx) error {
		rev := models.Revision{SourceID: "src_alpha", N: 1, SHA256: make([]byte, 32), Text: "Some text.", Warnings: []string{}}
		p := models.Passage{Ordinal: 0, Parent: -1, Kind: models.Paragraph, Key: "A ¶1", End: 10, SpanEnd: 10, Heading: []string{}}
		if err := tx.InsertRevision(&models.Doc{Revision: rev, Passages: []models.Passage{p}, Terms: []models.Term{{Name: "text", Ordinal: 0}}, Refs: []models.Reference{{Key: "9.9", End: 1}}}, []byte("x")); err != nil {
			return err
		}
		m, err := tx.ManifestOfDraft()
		if err != nil {
			return err
		}
		if err := tx.AppendAudit(&models.AuditRow{Operation: "x"}); err != nil {
			return err
		}
		return tx.InsertVersion(&models.Version{N: 1, Manifest: m, Hash: models.HashManifest(m)})
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Seal(t.Context(), "alpha"); err != nil {
		t.Fatal(err)
	}
	// Even the tables' owner does not change them by accident.
	c := connect(t, db.Own)
	if _, err := c.Exec(t.Context(), "SELECT set_config('app.brain_id', 'alpha', false)"); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"revisions", "blobs", "passages", "terms", "cross_references", "versions", "version_sources", "audit", "audit_chain"} {
		for _, sql := range []string{"UPDATE %s SET brain_id = brain_id", "DELETE FROM %s", "TRUNCATE %s CASCADE"} {
			tag, err := c.Exec(t.Context(), fmt.Sprintf(sql, table))
			if err == nil || !strings.Contains(err.Error(), "never changed or removed") {
				t.Errorf("%s: %v %v, want refused", fmt.Sprintf(sql, table), tag, err)
			}
		}
	}
	if _, err := c.Exec(t.Context(), "UPDATE brains SET published = 7 WHERE id = 'alpha'"); err == nil {
		t.Error("the published pointer went to a version that is not there")
	}
}

// Servers of one database that start together each give the serving login its
// rights.
func TestMigrateSideBySide(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	const servers = 6
	done := make(chan error, servers)
	for range servers {
		go func() {
			var err error
			for range 3 {
				_, e := store.Migrate(t.Context(), db.Own, "polaris_app")
				err = errors.Join(err, e)
			}
			done <- err
		}()
	}
	for range servers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestMigrateTwiceAndForeignDatabase(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	if n, err := store.Migrate(t.Context(), db.Own, "polaris_app"); err != nil || n != 0 {
		t.Errorf("migrating again: %d steps, %v; want 0 and no error", n, err)
	}
	c := connect(t, db.Own)
	if _, err := c.Exec(t.Context(), "UPDATE goose_db_version SET version_id = 99999 WHERE version_id = (SELECT max(version_id) FROM goose_db_version)"); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Migrate(t.Context(), db.Own, "polaris_app"); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("a newer schema: %v, want refused", err)
	}
	s, err := store.Open(t.Context(), db.URL, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.CheckSchema(t.Context()); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("serving a newer schema: %v, want refused", err)
	}
	if _, err := c.Exec(t.Context(), "DROP TABLE goose_db_version; CREATE TABLE theirs (id int)"); err != nil {
		t.Fatal(err)
	}
	before := strs(t, c, "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
	if _, err := store.Migrate(t.Context(), db.Own, "polaris_app"); err == nil || !strings.Contains(err.Error(), "not Polaris's") {
		t.Errorf("a foreign database: %v, want refused", err)
	}
	if after := strs(t, c, "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"); !slices.Equal(before, after) {
		t.Errorf("the foreign database was touched: %v", after)
	}
}

// TestWhatDecidesIsWrittenOnce: the serving login changes neither who is an
// instance admin nor a brain's name, nor what is said of a key's
// making.
func TestWhatDecidesIsWrittenOnce(t *testing.T) {
	t.Parallel()
	c := connect(t, storetest.New(t).URL)
	for _, sql := range []string{
		"UPDATE brains SET id = 'x'", "UPDATE persons SET instance_admin = true", "UPDATE persons SET email = 'x@y.z'",
		"UPDATE brains SET keys_may_never_expire = true", "UPDATE api_keys SET id = 'x'", "UPDATE api_keys SET created_by = 'x'", "UPDATE api_keys SET created_via = 'x'", "UPDATE api_keys SET created_at = now()",
		"UPDATE token_grants SET person_id = 'x'", "UPDATE token_grants SET scopes = '[]'", "UPDATE token_grants SET token_version = 9", "UPDATE token_grants SET expires_at = now()", "UPDATE token_grants SET family_hash = ''",
		"UPDATE signing_keys SET public_key = ''", "UPDATE signing_keys SET sealed = ''", "UPDATE sessions SET person_id = 'x'", "UPDATE sessions SET expires_at = now()", "UPDATE links SET expires_at = now()", "DELETE FROM persons", "DELETE FROM api_keys", "DELETE FROM answers", "UPDATE answers SET envelope = ''",
	} {
		if _, err := c.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: %v, want permission denied", sql, err)
		}
	}
}
