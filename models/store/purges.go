package store

import (
	"database/sql"
	"encoding/json"
	"errors"

	"polaris/models"
	"polaris/models/fault"
)

// A Purged is what went with a source, and what can no longer be decided on.
type Purged struct {
	Went    []models.PurgedRevision
	Answers int64
	Ended   []string // recommendations that are stale now
}

// Purge takes every text of a source out of the brain. The database does so only
// by a decision in this transaction, or where four eyes are off; who says who was
// at the terminal then.
func (tx *Tx) Purge(sourceID, reason, who string) (*Purged, error) {
	var went, ended []byte
	p := &Purged{}
	err := tx.db.Raw("SELECT went, answers_gone, to_json(ended) FROM purge(?, ?, ?)", sourceID, reason, who).Row().Scan(&went, &p.Answers, &ended)
	if err != nil {
		return nil, refused(err)
	}
	if err := json.Unmarshal(went, &p.Went); err != nil {
		return nil, err
	}
	return p, json.Unmarshal(ended, &p.Ended)
}

// Purges returns the brain's tombstones of sources, the oldest first.
func (tx *Tx) Purges() ([]models.Purge, error) {
	ps := []models.Purge{}
	return ps, tx.db.Select("*, recommendation_id AS recommendation").Where("brain_id = ?", tx.Brain).Order("at, source_id").Find(&ps).Error
}

// PurgedSources returns the tombstones of a brain's sources by their ids.
func (tx *Tx) PurgedSources() (map[string]models.Purge, error) {
	ps, err := tx.Purges()
	by := make(map[string]models.Purge, len(ps))
	for _, p := range ps {
		by[p.SourceID] = p
	}
	return by, err
}

// NotPurged refuses bytes that were purged, and the code of a source that was.
func (tx *Tx) NotPurged(hexSum, code string) error {
	var was string
	err := tx.db.Raw("SELECT code FROM purges WHERE brain_id = ? AND (code = ? OR went @> jsonb_build_array(jsonb_build_object('sha256', CAST(? AS text)))) LIMIT 1", tx.Brain, code, hexSum).Row().Scan(&was)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	case was == code:
		return fault.New(fault.Conflict, "The source %s was purged, and its code stays with its tombstone. Import this one under another code.", code).WithCode("purged")
	}
	return fault.New(fault.Conflict, "This very document was purged, as %s: it is not taken in again.", was).WithCode("purged")
}

// A Purging is what a purge of a source would take.
type Purging struct {
	Revisions []models.PurgedRevision
	Versions  []int
	Answers   int64
	AlsoIn    []string // codes of other sources that have one of its documents
}

// Purging says what a purge of a source would take now.
func (tx *Tx) Purging(sourceID string) (*Purging, error) {
	p := &Purging{}
	of := map[string]any{"brain": tx.Brain, "source": sourceID}
	err := tx.db.Raw(`SELECT v.n AS revision, encode(v.sha256, 'hex') AS sha256,
		(SELECT count(*) FROM passages p WHERE p.brain_id = v.brain_id AND p.source_id = v.source_id AND p.revision = v.n) AS passages
		FROM revisions v WHERE v.brain_id = @brain AND v.source_id = @source ORDER BY v.n`, of).Scan(&p.Revisions).Error
	if err != nil {
		return nil, err
	}
	if err := tx.db.Raw("SELECT version FROM version_sources WHERE brain_id = @brain AND source_id = @source ORDER BY version", of).Scan(&p.Versions).Error; err != nil {
		return nil, err
	}
	err = tx.db.Raw(`SELECT DISTINCT s.code FROM revisions v JOIN revisions o ON o.brain_id = v.brain_id AND o.sha256 = v.sha256 AND o.source_id <> v.source_id
		JOIN sources s ON s.brain_id = o.brain_id AND s.id = o.source_id WHERE v.brain_id = @brain AND v.source_id = @source ORDER BY 1`, of).Scan(&p.AlsoIn).Error
	if err != nil {
		return nil, err
	}
	return p, tx.db.Raw(`SELECT count(*) FROM answers WHERE brain_id = @brain AND kept = 'full' AND position('"source_doc_pk":"' || @source || '"' IN envelope) > 0`, of).Row().Scan(&p.Answers)
}

// ExpireAnswers lets some thousands of bodies go that are older than the brain
// keeps them, and returns how many.
func (tx *Tx) ExpireAnswers() (int64, error) {
	var n int64
	return n, tx.db.Raw("SELECT expire_answers()").Row().Scan(&n)
}

// SetPolicy says what is asked of the brain's answers.
func (tx *Tx) SetPolicy(p models.Policy) error {
	refused, err := json.Marshal(append([]models.RefusedTopic{}, p.RefusedTopics...))
	if err != nil {
		return err
	}
	return tx.db.Exec("UPDATE brains SET verify_threshold = ?, refused_topics = ? WHERE id = ?", p.VerifyThreshold, string(refused), tx.Brain).Error
}

// SetRecording says what is kept of the brain's answers, and for how many days;
// with 0 for ever.
func (tx *Tx) SetRecording(how string, days int) error {
	return tx.db.Exec("UPDATE brains SET record_answers = ?, answer_days = nullif(?, 0) WHERE id = ?", how, days, tx.Brain).Error
}
