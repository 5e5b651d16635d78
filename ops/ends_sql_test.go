package ops_test

import (
	"strings"
	"testing"

	"polaris/models"
	"polaris/ops"
)

// With the serving login's own connection nothing ends, and nothing of what was
// said or done becomes something else.
func TestSQLEndsNothing(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	src := x.strings(t, "SELECT id FROM sources")[0]
	must(t, x.d, x.di, ops.CertifySource, ops.CertifyIn{Source: "HR"})
	must(t, x.d, x.di, ops.SuspendSource, ops.SuspendIn{Source: "HR", Reason: "It is looked at."})
	imp := must(t, x.d, x.di, ops.StartImport, ops.StartImportIn{Files: []ops.ImportFile{manual(1)}})
	eve := signIn(t, x.d, "acme", "eve@example.org", models.RoleReader)
	purge := proposed(t, x.d, x.ann, ops.PurgeSource, ops.PurgeIn{Source: "HR", Reason: "order"}).ID
	end := proposed(t, x.d, x.ann, ops.DeleteBrain, ops.DeleteBrainIn{Confirm: "acme"}).ID
	app := connected(t, x.db.URL)
	in := strings.NewReplacer("$src", src, "$imp", imp.ID, "$eve", eve.By.Person, "$cleo", x.cleo.By.Person, "$ann", x.ann.By.Person, "$di", x.di.By.Person,
		"$purge", purge, "$end", end, "$hers", hexOf(x.cleo.Visit.Hash))
	before := dump(t, x.db.URL, "acme")
	for _, sql := range []string{
		"SELECT purge('$src', 'order', 'x')", "SELECT purge(NULL, NULL, NULL)", "SELECT purge('$src', NULL, NULL)", "SELECT purge('', '', '')",
		"SELECT purge_rows('acme', '$src')",
		// Approved, and then something else is done than what was approved.
		"SELECT decide('$hers', '$purge', (SELECT payload FROM recommendations WHERE id = '$purge'), 'approve', ''); SELECT purge('$src', 'another order', 'x')",
		"SELECT decide('$hers', '$purge', (SELECT payload FROM recommendations WHERE id = '$purge'), 'approve', ''); SELECT purge('src_other', 'order', 'x')",
		"SELECT decide('$hers', '$purge', (SELECT payload FROM recommendations WHERE id = '$purge'), 'approve', ''); SELECT purge('$src', 'order', 'x')",
		"SELECT decide('$hers', '$purge', (SELECT payload FROM recommendations WHERE id = '$purge'), 'approve', ''); UPDATE brains SET ended_at = now() WHERE id = 'acme'",
		"SELECT decide('$hers', '$end', (SELECT payload FROM recommendations WHERE id = '$end'), 'approve', '')",
		"SELECT end_brain()", "UPDATE brains SET ended_at = now() WHERE id = 'acme'", "UPDATE brains SET ended_at = now() WHERE id = 'acme'; SELECT end_brain()",
		"SELECT set_config('app.brain_id', '', true); SELECT end_brain()",
		"UPDATE brains SET purged = 0", "UPDATE brains SET record_answers = 'off' WHERE id = 'acme'", "UPDATE brains SET answer_days = 1 WHERE id = 'acme'",
		"SELECT forget('$cleo')", "SELECT forget(NULL)", "SELECT retain(now() - interval '31 days')", "SELECT retain(NULL)", "SELECT retain('-infinity')",
		"INSERT INTO purges VALUES ('acme', '$src', 'HR', 'x', '[]', 0, '', 'x', '[]', now())", "DELETE FROM purges", "INSERT INTO ended_brains VALUES ('later', now(), 0, '', 0)",
		"UPDATE certifications SET person_id = '$cleo'", "DELETE FROM certifications", "INSERT INTO certifications VALUES ('acme', '$src', 1, '$cleo', '', now(), true)", "INSERT INTO certifications VALUES ('acme', '$src', 2, '$cleo', '', now(), true)",
		"UPDATE changes SET input = '{}'", "DELETE FROM changes", "TRUNCATE changes", "INSERT INTO changes SELECT * FROM changes",
		"INSERT INTO changes SELECT 'other', audit_id, '', operation, inverse, input, input_version, target, remains FROM changes",
		"DELETE FROM suspensions", "UPDATE suspensions SET key = 'HR 1'",
		"UPDATE imports SET person = '$ann'", "UPDATE imports SET surface = 'cli'", "UPDATE imports SET kind = 'terminal'", "UPDATE imports SET scopes = '[]'", "UPDATE imports SET options = '{}'", "DELETE FROM imports",
		"UPDATE import_items SET wanted = 'HR'", "UPDATE import_items SET sha256 = ''", "DELETE FROM import_items", "INSERT INTO import_items SELECT * FROM import_items", "UPDATE import_files SET bytes = ''",
		"INSERT INTO imports SELECT 'other', id, kind, person, actor, token_id, scopes, authenticated, surface, rationale, request_id, options, started_at FROM imports",
		// Somebody's say becomes another's.
		"UPDATE memberships SET person_id = '$eve' WHERE person_id = '$cleo'",
		"DELETE FROM memberships",
		"UPDATE memberships SET roles = '[\"owner\"]' WHERE person_id = '$eve'; INSERT INTO persons (id, email, name, created_at, created_by) VALUES ('per_x', 'x@example.org', 'x', now(), 'x'); UPDATE memberships SET person_id = 'per_x' WHERE person_id = '$eve'",
		"INSERT INTO persons (id, email, name, created_at, created_by) VALUES ('per_x', 'x@example.org', 'x', now(), 'x'); UPDATE memberships SET person_id = 'per_x' WHERE person_id = '$cleo'",
		"UPDATE memberships SET brain_id = 'other' WHERE person_id = '$cleo'",
	} {
		sql = in.Replace(sql)
		_, err := app.PgConn().Exec(t.Context(), "BEGIN; SELECT set_config('app.brain_id', 'acme', true); "+sql+"; COMMIT").ReadAll()
		if err == nil || strings.Contains(err.Error(), "syntax error") || strings.Contains(err.Error(), "does not exist") || strings.Contains(err.Error(), "expressions") {
			t.Errorf("%s: %v, want it refused", sql, err)
		}
		if _, err := app.Exec(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
	}
	if after := dump(t, x.db.URL, "acme"); after != before {
		t.Errorf("something changed:\n%s\nbefore:\n%s", after, before)
	}
}
