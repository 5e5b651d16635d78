package store

import (
	"time"

	"gorm.io/gorm"

	"polaris/models"
	"polaris/models/fault"
)

// InsertAPIKey saves a new key.
func (tx *Tx) InsertAPIKey(k *models.APIKey) error {
	k.BrainID = tx.Brain
	return tx.db.Omit("Owner").Create(k).Error
}

func (tx *Tx) keys() *gorm.DB {
	return tx.db.Model(&models.APIKey{}).Select("api_keys.*, p.email AS owner").
		Joins("JOIN persons p ON p.id = api_keys.owner_id").Where("api_keys.brain_id = ?", tx.Brain)
}

// APIKeys returns the brain's keys, newest first, with their state at now.
func (tx *Tx) APIKeys(now time.Time) ([]models.APIKey, error) {
	var ks []models.APIKey
	if err := tx.keys().Order("api_keys.created_at DESC, api_keys.id").Scan(&ks).Error; err != nil {
		return nil, err
	}
	for i := range ks {
		ks[i].State = ks[i].StateAt(now)
	}
	return ks, nil
}

// RevokeAPIKey marks a key revoked and returns it. A key that is revoked
// already stays as it is.
func (tx *Tx) RevokeAPIKey(id, by, cause string, now time.Time) (*models.APIKey, error) {
	err := tx.db.Model(&models.APIKey{}).Where("brain_id = ? AND id = ? AND revoked_at IS NULL", tx.Brain, id).
		Updates(map[string]any{"revoked_at": now, "revoked_by": by, "revoke_cause": cause}).Error
	if err != nil {
		return nil, err
	}
	k, err := one[models.APIKey](tx.keys().Where("api_keys.id = ?", id), fault.New(fault.NotFound, "No such key.").WithCode("no_such_key"))
	if err != nil {
		return nil, err
	}
	k.State = k.StateAt(now)
	return k, nil
}
