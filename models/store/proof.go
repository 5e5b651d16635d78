package store

import (
	"bytes"
	"errors"

	"gorm.io/gorm"

	"polaris/models"
)

// LinkHolds returns a row's place in the chain, the zero link while it is
// unsealed, and whether the row still is what was linked there.
func (tx *Tx) LinkHolds(auditID int64) (models.Link, bool, error) {
	l, err := tx.LinkOf(auditID)
	if err != nil || l.Seq == 0 {
		return l, err == nil, err
	}
	var before models.Link
	err = tx.db.Table("audit_chain").Select("seq, hash").Where("brain_id = ? AND seq = ?", tx.Brain, l.Seq-1).Take(&before).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		before, err = tx.buried()
	}
	if err != nil {
		return l, false, err
	}
	rows, err := tx.auditByID([]chained{{tx.Brain, l.Seq, auditID, l.Hash}})
	if err != nil {
		return l, false, err
	}
	row := rows[auditID]
	return l, before.Seq == l.Seq-1 && row != nil && bytes.Equal(models.ChainHash(before.Hash, l.Seq, row.Bytes()), l.Hash), nil
}

// RevisionHolds reports whether the bytes that a revision was made from are kept
// and have the hash that the revision and sum say.
func (tx *Tx) RevisionHolds(sourceID string, n int, sum []byte) (bool, error) {
	var held int
	err := tx.db.Raw(`SELECT count(*) FROM revisions r JOIN blobs b ON b.brain_id = r.brain_id AND b.sha256 = r.sha256
		WHERE r.brain_id = @brain AND r.source_id = @source AND r.n = @n AND r.sha256 = @sum AND sha256(b.bytes) = r.sha256`,
		map[string]any{"brain": tx.Brain, "source": sourceID, "n": n, "sum": sum}).Row().Scan(&held)
	return held == 1, err
}
