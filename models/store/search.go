package store

import "polaris/models"

// Named are things of the draft whose names have a text in them.
type Named struct{ ID, Name string }

// CardsNamed returns topic cards of the draft with a text in their id, label or
// what they cover, whatever its case, by label.
func (tx *Tx) CardsNamed(text string, most int) ([]Named, error) {
	all := []Named{}
	return all, tx.db.Raw(`SELECT id, label AS name FROM topic_cards WHERE brain_id = ? AND strpos(lower(id || E'\n' || label || E'\n' || covers), lower(?)) > 0 ORDER BY lower(label), id LIMIT ?`, tx.Brain, text, most).Scan(&all).Error
}

// RecommendationsNamed returns the newest recommendations with an id, or a text
// in what they change, whatever its case; those that wait come first. Of many it
// looks through the newest alone.
func (tx *Tx) RecommendationsNamed(text string, most int) ([]models.Recommendation, error) {
	const looked = 2000
	rs := []models.Recommendation{}
	return rs, tx.db.Raw(`SELECT id, operation, target, state, created_at, expires_at, proposer FROM (
			SELECT * FROM recommendations WHERE brain_id = ? ORDER BY created_at DESC, id DESC LIMIT ?) newest
		WHERE id = ? OR strpos(lower(target), lower(?)) > 0 ORDER BY state <> 'pending', created_at DESC, id DESC LIMIT ?`, tx.Brain, looked, text, text, most).Scan(&rs).Error
}
