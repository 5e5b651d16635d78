package store

import (
	"gorm.io/gorm/clause"

	"polaris/models"
	"polaris/models/fault"
)

var noGolden = fault.New(fault.NotFound, "No such golden question.").WithCode("no_such_golden_question")

// GoldenQuestions returns the brain's, by id.
func (tx *Tx) GoldenQuestions() ([]models.GoldenQuestion, error) {
	gs := []models.GoldenQuestion{}
	return gs, tx.db.Where("brain_id = ?", tx.Brain).Order("id").Find(&gs).Error
}

// GoldenQuestionPage returns some of them, by id.
func (tx *Tx) GoldenQuestionPage(s Stretch) ([]models.GoldenQuestion, error) {
	gs := []models.GoldenQuestion{}
	return gs, s.named(tx.db.Where("brain_id = ?", tx.Brain), "id").Find(&gs).Error
}

// GoldenQuestion returns one, locked until the transaction ends.
func (tx *Tx) GoldenQuestion(id string) (*models.GoldenQuestion, error) {
	return one[models.GoldenQuestion](tx.db.Clauses(clause.Locking{Strength: "UPDATE"}).Where("brain_id = ? AND id = ?", tx.Brain, id), noGolden)
}

// CountGoldenQuestions returns how many the brain has.
func (tx *Tx) CountGoldenQuestions() (int, error) {
	var n int64
	return int(n), tx.db.Model(&models.GoldenQuestion{}).Where("brain_id = ?", tx.Brain).Count(&n).Error
}

// SaveGoldenQuestion inserts the question or replaces the one with its id.
func (tx *Tx) SaveGoldenQuestion(g *models.GoldenQuestion) error {
	g.BrainID = tx.Brain
	return tx.db.Save(g).Error
}

// DeleteGoldenQuestion removes one.
func (tx *Tx) DeleteGoldenQuestion(id string) error {
	res := tx.db.Where("brain_id = ? AND id = ?", tx.Brain, id).Delete(&models.GoldenQuestion{})
	if res.Error == nil && res.RowsAffected == 0 {
		return noGolden
	}
	return res.Error
}
