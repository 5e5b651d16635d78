package store

import (
	"polaris/models"
	"polaris/models/fault"
)

// Suspend keeps a source or a passage from being served from the next request
// on, in every process.
func (tx *Tx) Suspend(s *models.Suspension) error {
	s.BrainID = tx.Brain
	return duplicate(tx.db.Create(s).Error, fault.New(fault.Conflict, "It is suspended already.").WithCode("already_suspended"))
}

// Lift ends a suspension. The database lets it end only by a decision, or where
// four eyes are off.
func (tx *Tx) Lift(sourceID, key string) error {
	return tx.db.Where("brain_id = ? AND source_id = ? AND key = ?", tx.Brain, sourceID, key).Delete(&models.Suspension{}).Error
}

// Suspensions returns what is suspended now, by source and key.
func (tx *Tx) Suspensions() ([]models.Suspension, error) {
	all := []models.Suspension{}
	return all, tx.db.Where("brain_id = ?", tx.Brain).Order("source_id, key").Find(&all).Error
}

// EverCited reports whether any revision of a source has a passage with the
// citation key.
func (tx *Tx) EverCited(sourceID, key string) (bool, error) {
	var n int64
	err := tx.db.Model(&models.Passage{}).Where("brain_id = ? AND source_id = ? AND key = ?", tx.Brain, sourceID, key).Limit(1).Count(&n).Error
	return n > 0, err
}
