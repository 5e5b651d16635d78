package store

import (
	"strconv"

	"polaris/models"
	"polaris/models/fault"
)

var noChange = fault.New(fault.NotFound, "Nothing that can be undone has this id. Name the audit row of a change, or the recommendation that was applied.").WithCode("no_such_change")

// NoteChange keeps what takes a change back.
func (tx *Tx) NoteChange(c *models.ReversibleChange) error {
	c.BrainID = tx.Brain
	return tx.db.Table("changes").Create(c).Error
}

// ChangeMade returns a change by the id of its audit row or of the recommendation
// that was applied.
func (tx *Tx) ChangeMade(id string) (*models.ReversibleChange, error) {
	q := tx.db.Table("changes").Where("brain_id = ? AND recommendation_id = ? AND recommendation_id <> ''", tx.Brain, id)
	if n, err := strconv.ParseInt(id, 10, 64); err == nil {
		q = tx.db.Table("changes").Where("brain_id = ? AND audit_id = ?", tx.Brain, n)
	}
	return one[models.ReversibleChange](q, noChange)
}

// Revision returns one revision of a source, without its text.
func (tx *Tx) Revision(sourceID string, n int) (*models.Revision, error) {
	return one[models.Revision](tx.db.Omit("text").Where("brain_id = ? AND source_id = ? AND n = ?", tx.Brain, sourceID, n), fault.New(fault.NotFound, "The source has no such revision.").WithCode("no_such_revision"))
}
