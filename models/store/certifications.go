package store

import (
	"gorm.io/gorm"

	"polaris/models"
	"polaris/models/fault"
)

// Certify keeps that a person vouches for a revision of a source. Of two who do
// so at once one is refused.
func (tx *Tx) Certify(c *models.Certification) error {
	c.BrainID = tx.Brain
	return duplicate(tx.db.Create(c).Error, fault.New(fault.Conflict, "Somebody vouches for this revision already.").WithCode("already_certified"))
}

func (tx *Tx) certifications() *gorm.DB {
	return tx.db.Model(&models.Certification{}).Select("certifications.*, p.email AS by, r.created_by AS imported_by").Joins("JOIN persons p ON p.id = certifications.person_id").
		Joins("JOIN revisions r ON r.brain_id = certifications.brain_id AND r.source_id = certifications.source_id AND r.n = certifications.revision").
		Where("certifications.brain_id = ?", tx.Brain)
}

// Certification returns who vouches for a revision of a source, or a NotFound
// fault where nobody does.
func (tx *Tx) Certification(sourceID string, revision int) (*models.Certification, error) {
	return one[models.Certification](tx.certifications().Where("certifications.source_id = ? AND certifications.revision = ?", sourceID, revision),
		fault.New(fault.NotFound, "Nobody vouches for this revision.").WithCode("not_certified"))
}
