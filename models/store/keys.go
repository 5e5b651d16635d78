package store

import (
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"polaris/models"
	"polaris/models/fault"
)

// noKey is the answer for a key that is not there and for another brain's.
var noKey = fault.New(fault.NotFound, "No such key.").WithCode("no_such_key")

// InsertAPIKey saves a new key.
func (tx *Tx) InsertAPIKey(k *models.APIKey) error {
	k.BrainID, k.Rev = tx.Brain, 1
	return tx.db.Omit("Owner").Create(k).Error
}

func (tx *Tx) keys() *gorm.DB {
	return tx.db.Model(&models.APIKey{}).Select("api_keys.*, p.email AS owner, p.disabled_at IS NOT NULL OR m.roles = '[]' AS owner_gone").
		Joins("JOIN persons p ON p.id = api_keys.owner_id").
		Joins("JOIN memberships m ON m.brain_id = api_keys.brain_id AND m.person_id = api_keys.owner_id").
		Where("api_keys.brain_id = ?", tx.Brain)
}

// APIKeys returns all of the brain's keys, newest first, with their state at
// now.
func (tx *Tx) APIKeys(now time.Time) ([]models.APIKey, error) {
	ks := []models.APIKey{}
	if err := tx.keys().Order("api_keys.created_at DESC, api_keys.id").Scan(&ks).Error; err != nil {
		return nil, err
	}
	for i := range ks {
		ks[i].Shown(now)
	}
	return ks, nil
}

// APIKey returns one key with its state at now.
func (tx *Tx) APIKey(id string, now time.Time) (*models.APIKey, error) {
	k, err := one[models.APIKey](tx.keys().Where("api_keys.id = ?", id), noKey)
	if err != nil {
		return nil, err
	}
	k.Shown(now)
	return k, nil
}

// LockAPIKey returns one key as it is stored, and keeps every other change of
// it waiting until the transaction ends. Read committed means that what is read
// after the wait is what the one before left.
func (tx *Tx) LockAPIKey(id string) (*models.APIKey, error) {
	q := tx.keys().Where("api_keys.id = ?", id)
	return one[models.APIKey](q.Clauses(clause.Locking{Strength: "NO KEY UPDATE", Table: clause.Table{Name: "api_keys"}}), noKey)
}

// changeable are the columns of a key that an operation may change.
var changeable = []string{
	"label", "scopes", "actor", "owner_id", "hash", "prev_hash", "prev_until", "rotated_at", "rotated_by",
	"expires_at", "revoked_at", "revoked_by", "revoke_cause", "rate_n", "rate_seconds",
}

// SaveAPIKey saves a key that LockAPIKey returned, as the next revision of it.
func (tx *Tx) SaveAPIKey(k *models.APIKey) error {
	k.Rev++
	return tx.db.Model(k).Select(slices.Concat([]string{"rev"}, changeable)).Updates(k).Error
}
