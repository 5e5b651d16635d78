package store

import (
	"context"
	"database/sql"
	"fmt"
	"io"

	"gorm.io/gorm"

	"polaris/models"
)

// InSnapshot runs fn in a transaction that only reads and sees the brain as it is
// at one moment, however long it takes.
func (s *Store) InSnapshot(ctx context.Context, brain models.BrainID, fn func(tx *Tx) error) error {
	return mapped(s.db.WithContext(ctx).Transaction(func(db *gorm.DB) error {
		if err := db.Exec("SELECT set_config('app.brain_id', ?, true)", string(brain)).Error; err != nil {
			return err
		}
		return fn(&Tx{Brain: brain, db: db})
	}, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}))
}

// An Extract is what of a brain's rows leaves with an export of it: one member,
// as JSON lines.
type Extract struct {
	Name  string
	query string // of one column of JSON, with the brain as its parameter
}

// Extracts returns what an export holds beside documents and the audit log. Each
// names its columns or what it leaves out, so that no secret leaves: of keys not
// their hashes, of people not their passwords.
func Extracts() []Extract {
	rows := func(name, columns, from, order string) Extract {
		return Extract{name, "SELECT to_jsonb(x) FROM (SELECT " + columns + " FROM " + from + " WHERE t.brain_id = ? ORDER BY " + order + ") x"}
	}
	return []Extract{
		{"brain", "SELECT to_jsonb(b) FROM brains b WHERE b.id = ?"},
		rows("members", "t.person_id, p.email, p.name, t.roles, p.disabled_at", "memberships t JOIN persons p ON p.id = t.person_id", "t.person_id"),
		rows("api_keys", "t.id, t.label, t.scopes, t.actor, t.owner_id, t.rev, t.created_by, t.created_via, t.created_at, t.expires_at, t.last_used_at, t.rotated_at, t.rotated_by, t.revoked_at, t.revoked_by, t.revoke_cause, t.rate_n, t.rate_seconds", "api_keys t", "t.id"),
		rows("decision_rules", "t.*", "decision_rules t", "t.class"),
		rows("recommendations", "t.*", "recommendations t", "t.id"),
		rows("participation", "t.*", "participation t", "t.recommendation_id, t.person_id"),
		rows("sources", "t.*", "sources t", "t.id"),
		rows("revisions", "t.*", "revisions t", "t.source_id, t.n"),
		rows("passages", "t.*", "passages t", "t.source_id, t.revision, t.ordinal"),
		rows("terms", "t.*", "terms t", "t.source_id, t.revision, t.name, t.ordinal"),
		rows("cross_references", "t.*", "cross_references t", "t.source_id, t.revision, t.n"),
		rows("suspensions", "t.*", "suspensions t", "t.source_id, t.key"),
		rows("certifications", "t.*", "certifications t", "t.source_id, t.revision"),
		rows("purges", "t.*", "purges t", "t.source_id"),
		rows("topic_cards", "t.*", "topic_cards t", "t.id"),
		rows("versions", "t.*", "versions t", "t.n"),
		rows("version_sources", "t.*", "version_sources t", "t.version, t.source_id"),
		rows("golden_questions", "t.*", "golden_questions t", "t.id"),
		rows("answers", "t.*", "answers t", "t.id"),
		rows("audit_tombstones", "t.*", "audit_tombstones t", "t.seq"),
	}
}

// Extract writes a member's lines and returns how many they are.
func (tx *Tx) Extract(x Extract, w io.Writer) (n int, err error) {
	rows, err := tx.db.Raw(x.query, tx.Brain).Rows()
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var line []byte
		if err := rows.Scan(&line); err != nil {
			return n, err
		}
		if _, err := fmt.Fprintf(w, "%s\n", line); err != nil {
			return n, err
		}
		n++
	}
	return n, rows.Err()
}

// Documents calls fn with every document of the brain, one at a time.
func (tx *Tx) Documents(fn func(sha256, bytes []byte) error) error {
	var sums [][]byte
	if err := tx.db.Raw("SELECT sha256 FROM blobs WHERE brain_id = ? ORDER BY sha256", tx.Brain).Scan(&sums).Error; err != nil {
		return err
	}
	for _, sum := range sums {
		var b []byte
		if err := tx.db.Raw("SELECT bytes FROM blobs WHERE brain_id = ? AND sha256 = ?", tx.Brain, sum).Row().Scan(&b); err != nil {
			return err
		}
		if err := fn(sum, b); err != nil {
			return err
		}
	}
	return nil
}
