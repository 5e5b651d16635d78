package store

import (
	"strconv"
	"time"

	"gorm.io/gorm"

	"polaris/models"
)

// A DraftChange is one change of the draft, as the log has it.
type DraftChange struct {
	At            time.Time
	Operation     string // that changed it: sources.import, topic_cards.save, …
	Target        string // a source's code, a card's id
	Actor         string // who made it, or proposed it
	Surface       string
	Authenticated bool
	DecidedBy     string // who approved it; empty where nobody was asked
}

// DraftChanges returns what the log has of changes of the draft between two
// recommendations to publish, the newest first: since the first one was
// proposed, and until the second one was. Empty ids leave an end open.
func (tx *Tx) DraftChanges(operations []string, since, until string, most int) ([]DraftChange, error) {
	from, err := tx.cameIn(since, 0)
	if err != nil {
		return nil, err
	}
	to, err := tx.cameIn(until, 1<<62)
	if err != nil {
		return nil, err
	}
	cs := []DraftChange{}
	// What took a change back is told as the change that it was itself.
	return cs, tx.db.Raw(`SELECT a.at, coalesce(r.operation, CASE a.operation WHEN 'changes.undo' THEN a.detail->>'applies' ELSE a.operation END) AS operation,
			CASE WHEN r.id IS NULL THEN a.target ELSE regexp_replace(r.target, '^(source|topic card) ', '') END AS target,
			coalesce(r.actor, a.actor) AS actor, coalesce(r.surface, a.surface) AS surface, coalesce(r.authenticated, a.authenticated) AS authenticated,
			CASE WHEN r.id IS NULL THEN '' ELSE a.actor END AS decided_by
		FROM audit a LEFT JOIN recommendations r ON a.operation = 'recommendations.decide' AND r.brain_id = a.brain_id AND r.id = a.target
		WHERE a.brain_id = ? AND a.id > ? AND a.id < ? AND a.outcome = 'ok'
			AND (a.operation IN ? OR a.operation = 'changes.undo' AND a.detail->>'applies' IN ? OR a.operation = 'recommendations.decide' AND a.detail->>'state' = 'applied' AND r.operation IN ?)
		ORDER BY a.id DESC LIMIT ?`, tx.Brain, from, to, operations, operations, operations, most).Scan(&cs).Error
}

// ofRecommendation is the predicate of the index by which the log's rows of a
// recommendation are found. Its question mark is an operator.
var ofRecommendation = gorm.Expr("a.detail ? 'state'")

// cameIn returns the id of the row by which a recommendation came in, none where
// there is no such row.
func (tx *Tx) cameIn(id string, none int64) (n int64, err error) {
	return n, tx.db.Raw("SELECT coalesce(min(a.id), ?::bigint) FROM audit a WHERE a.brain_id = ? AND a.target = ? AND ?", none, tx.Brain, id, ofRecommendation).Row().Scan(&n)
}

// Decisions fills in by which recommendation each version was decided on.
func (tx *Tx) Decisions(vs []models.Version) error {
	ns := make([]string, len(vs))
	for i, v := range vs {
		ns[i] = strconv.Itoa(v.N)
	}
	var rows []struct {
		N  int
		ID string
	}
	// By the recommendations, of which there are few: the log is found by them.
	err := tx.db.Raw(`SELECT (a.detail->>'version')::int AS n, r.id FROM recommendations r
		JOIN audit a ON a.brain_id = r.brain_id AND a.target = r.id AND ? AND a.operation = 'recommendations.decide' AND a.detail->>'state' = 'applied'
		WHERE r.brain_id = ? AND r.state = 'applied' AND r.operation IN ('versions.publish', 'versions.restore') AND a.detail->>'version' IN ?`, ofRecommendation, tx.Brain, ns).Scan(&rows).Error
	for _, row := range rows {
		for i := range vs {
			if vs[i].N == row.N {
				vs[i].Recommendation = row.ID
			}
		}
	}
	return err
}

// A ThingChange is one change of one thing of the draft.
type ThingChange struct {
	DraftChange
	AuditID        int64
	Undo           bool   // it took another change back
	Recommendation string // by which it was decided on; empty where nobody was asked
	Rationale      string
	Changes        []models.Change `gorm:"serializer:json"`
}

// ChangesOf returns what the log has of changes of one thing by some operations,
// the newest first. The names are those by which recommendations call it.
func (tx *Tx) ChangesOf(operations []string, target string, names []string, most int) ([]ThingChange, error) {
	cs := []ThingChange{}
	return cs, tx.db.Raw(`SELECT * FROM (
			SELECT a.id AS audit_id, a.at, CASE a.operation WHEN 'changes.undo' THEN a.detail->>'applies' ELSE a.operation END AS operation, a.target, a.actor, a.surface, a.authenticated,
				'' AS decided_by, '' AS recommendation, coalesce(a.detail->>'rationale', '') AS rationale, a.operation = 'changes.undo' AS undo, coalesce(a.detail->'changes', '[]') AS changes
			FROM audit a WHERE a.brain_id = ? AND a.target = ? AND a.outcome = 'ok' AND (a.operation NOT IN ('answer', 'retrieve') OR a.outcome <> 'ok')
				AND (a.operation IN ? OR a.operation = 'changes.undo' AND a.detail->>'applies' IN ?)
			UNION ALL
			SELECT a.id, a.at, r.operation, ?, r.actor, r.surface, r.authenticated, a.actor, r.id, r.rationale, false, coalesce(a.detail->'changes', '[]')
			FROM recommendations r JOIN audit a ON a.brain_id = r.brain_id AND a.target = r.id AND ? AND a.operation = 'recommendations.decide' AND a.detail->>'state' = 'applied' AND a.outcome = 'ok'
			WHERE r.brain_id = ? AND r.state = 'applied' AND r.operation IN ? AND r.target IN ?
		) c ORDER BY audit_id DESC LIMIT ?`, tx.Brain, target, operations, operations, target, ofRecommendation, tx.Brain, operations, names, most).Scan(&cs).Error
}
