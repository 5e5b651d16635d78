package store

import (
	"math"

	"gorm.io/gorm/clause"

	"polaris/models"
	"polaris/models/fault"
)

// TopicCards returns the draft's cards, by id.
func (tx *Tx) TopicCards() ([]models.TopicCard, error) {
	cs := []models.TopicCard{}
	return cs, tx.db.Where("brain_id = ?", tx.Brain).Order("id").Find(&cs).Error
}

var noCard = fault.New(fault.NotFound, "No such topic card.").WithCode("no_such_card")

// TopicCard returns a card of the draft, locked until the transaction ends.
func (tx *Tx) TopicCard(id string) (*models.TopicCard, error) {
	return one[models.TopicCard](tx.db.Clauses(clause.Locking{Strength: "UPDATE"}).Where("brain_id = ? AND id = ?", tx.Brain, id), noCard)
}

// SaveTopicCard inserts the card or replaces the one with its id.
func (tx *Tx) SaveTopicCard(c *models.TopicCard) error {
	c.BrainID = tx.Brain
	return tx.db.Save(c).Error
}

// DeleteTopicCard removes a card from the draft.
func (tx *Tx) DeleteTopicCard(id string) error {
	res := tx.db.Where("brain_id = ? AND id = ?", tx.Brain, id).Delete(&models.TopicCard{})
	if res.Error == nil && res.RowsAffected == 0 {
		return noCard
	}
	return res.Error
}

// InsertVersion saves a version and makes it the published one. The brain's
// row must be locked ([Tx.ThisBrain]).
func (tx *Tx) InsertVersion(v *models.Version) error {
	v.BrainID = tx.Brain
	if err := tx.db.Create(v).Error; err != nil {
		return duplicate(err, fault.New(fault.Conflict, "Somebody else published meanwhile. Look at the draft again.").WithCode("published_meanwhile"))
	}
	type row struct {
		BrainID  models.BrainID
		Version  int
		SourceID string
		Revision int
	}
	rows := make([]row, len(v.Manifest.Sources))
	for i, s := range v.Manifest.Sources {
		rows[i] = row{tx.Brain, v.N, s.Source.ID, s.Revision}
	}
	if len(rows) > 0 {
		if err := tx.db.Table("version_sources").CreateInBatches(rows, batch).Error; err != nil {
			return err
		}
	}
	return tx.db.Model(&models.Brain{}).Where("id = ?", tx.Brain).Update("published", v.N).Error
}

// LastVersion returns the number of the newest version, 0 for none.
func (tx *Tx) LastVersion() (int, error) {
	var n int
	return n, tx.db.Model(&models.Version{}).Select("coalesce(max(n), 0)").Where("brain_id = ?", tx.Brain).Scan(&n).Error
}

// Version returns one version.
func (tx *Tx) Version(n int) (*models.Version, error) {
	none := fault.New(fault.NotFound, "No such version.").WithCode("no_such_version")
	if n < 1 || n > math.MaxInt32 {
		return nil, none // the column could not even hold it
	}
	return one[models.Version](tx.db.Where("brain_id = ? AND n = ?", tx.Brain, n), none)
}
