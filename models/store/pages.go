package store

import (
	"time"

	"gorm.io/gorm"

	"polaris/models"
)

// A Mark is the place of a row in its list's order, by the columns that the
// list is ordered by. The zero Mark is before the first row.
type Mark struct {
	At time.Time `json:"at,omitzero"`
	N  int       `json:"n,omitempty"`
	ID string    `json:"id,omitempty"`
}

// A Stretch is a part of a list: at most N rows that follow After. Rows that
// come or go in front of it do not move it, as they would move an offset.
type Stretch struct {
	N     int
	After Mark
}

// newest returns the stretch of a list that is ordered by a time and an id, the
// newest first.
func (s Stretch) newest(q *gorm.DB, at, id string) *gorm.DB {
	if s.After != (Mark{}) {
		q = q.Where("("+at+", "+id+") < (?, ?)", s.After.At, s.After.ID)
	}
	return q.Order(at + " DESC, " + id + " DESC").Limit(s.N)
}

// oldest returns the stretch of a list that begins with the oldest.
func (s Stretch) oldest(q *gorm.DB, at, id string) *gorm.DB {
	if s.After != (Mark{}) {
		q = q.Where("("+at+", "+id+") > (?, ?)", s.After.At, s.After.ID)
	}
	return q.Order(at + ", " + id).Limit(s.N)
}

// named returns the stretch of a list that is ordered by a unique name.
func (s Stretch) named(q *gorm.DB, column string) *gorm.DB {
	if s.After != (Mark{}) {
		q = q.Where(column+" > ?", s.After.ID)
	}
	return q.Order(column).Limit(s.N)
}

// APIKeyPage returns some of the brain's keys, newest first, with their state at
// now.
func (tx *Tx) APIKeyPage(s Stretch, now time.Time) ([]models.APIKey, error) {
	ks := []models.APIKey{}
	if err := s.newest(tx.keys(), "api_keys.created_at", "api_keys.id").Scan(&ks).Error; err != nil {
		return nil, err
	}
	for i := range ks {
		ks[i].Shown(now)
	}
	return ks, nil
}

// An AnswerFilter says which answers are wanted. What is zero is not asked for.
type AnswerFilter struct {
	Text     string // in the question, whatever its case
	From, To time.Time
	KeyID    string
	Source   string // id of a source that was cited

	Guardrail string // its status
}

// AnswerPage returns some of the brain's answers without their bodies, newest
// first.
func (tx *Tx) AnswerPage(f AnswerFilter, s Stretch) ([]models.Answer, error) {
	as := []models.Answer{}
	q := tx.db.Omit("envelope").Where("brain_id = ?", tx.Brain)
	if f.Text != "" {
		q = q.Where("strpos(lower(query), lower(?)) > 0", f.Text)
	}
	if !f.From.IsZero() {
		q = q.Where("at >= ?", f.From)
	}
	if !f.To.IsZero() {
		q = q.Where("at < ?", f.To)
	}
	if f.KeyID != "" {
		q = q.Where("key_id = ?", f.KeyID)
	}
	if f.Guardrail != "" {
		q = q.Where("guardrail = ?", f.Guardrail)
	}
	if f.Source != "" { // the row names each span that was cited
		q = q.Where("EXISTS (SELECT FROM audit a, jsonb_array_elements_text(a.detail->'spans') span WHERE a.brain_id = answers.brain_id AND a.id = answers.audit_id AND starts_with(span, ?))", f.Source+"@")
	}
	return as, s.newest(q, "at", "id").Find(&as).Error
}

// SourcePage returns some of the draft's sources, by code.
func (tx *Tx) SourcePage(s Stretch) ([]models.Source, error) {
	ss := []models.Source{}
	return ss, s.named(tx.db.Where("brain_id = ? AND removed_at IS NULL", tx.Brain), "code").Find(&ss).Error
}

// TopicCardPage returns some of the draft's cards, by id.
func (tx *Tx) TopicCardPage(s Stretch) ([]models.TopicCard, error) {
	cs := []models.TopicCard{}
	return cs, s.named(tx.db.Where("brain_id = ?", tx.Brain), "id").Find(&cs).Error
}

// VersionPage returns some of the brain's versions, the newest first.
func (tx *Tx) VersionPage(s Stretch) ([]models.Version, error) {
	vs := []models.Version{}
	q := tx.db.Where("brain_id = ?", tx.Brain)
	if s.After != (Mark{}) {
		q = q.Where("n < ?", s.After.N)
	}
	return vs, q.Order("n DESC").Limit(s.N).Find(&vs).Error
}
