package store

import (
	"errors"
	"time"

	"gorm.io/gorm"

	"polaris/models"
)

// A Tombstone stands for the links that retention removed: all up to one, whose
// hash the chain goes on from.
type Tombstone struct {
	BrainID models.BrainID `json:"-"`
	Seq     int64          `json:"seq"`  // the last link that was removed
	Hash    []byte         `json:"hash"` // of that link
	Rows    int64          `json:"rows"` // removed at that time
	Before  time.Time      `json:"before"`
	At      time.Time      `json:"at"`
}

// Tombstones returns the brain's, oldest first.
func (tx *Tx) Tombstones() ([]Tombstone, error) {
	ts := []Tombstone{}
	return ts, tx.db.Table("audit_tombstones").Where("brain_id = ?", tx.Brain).Order("seq").Find(&ts).Error
}

// buried returns the last link that retention removed, the zero link where it
// removed none.
func (tx *Tx) buried() (models.Link, error) {
	var l models.Link
	err := tx.db.Table("audit_tombstones").Select("seq, hash").Where("brain_id = ?", tx.Brain).Order("seq DESC").Take(&l).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return models.Link{}, nil
	}
	return l, err
}
