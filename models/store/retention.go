package store

import (
	"encoding/json"
	"errors"
	"fmt"
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

// TombstoneField is the change by which the row of a removal names its
// tombstone, as "SEQ:HASH".
const TombstoneField = "tombstone"

// named reports whether a row of the log says that retention removed all up to a
// link. Without it the beginning was cut off by somebody else.
func (tx *Tx) named(l models.Link) (bool, error) {
	change, err := json.Marshal([]models.Change{{Field: TombstoneField, To: fmt.Sprintf("%d:%x", l.Seq, l.Hash)}})
	if err != nil {
		return false, err
	}
	var n int64
	err = tx.db.Table("audit").Where("brain_id = ? AND outcome = 'ok' AND operation IN ('audit.retain', 'recommendations.decide') AND detail->'changes' @> CAST(? AS jsonb)", tx.Brain, string(change)).Count(&n).Error
	return n > 0, err
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
