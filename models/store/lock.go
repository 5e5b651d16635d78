package store

import "polaris/models"

// LockCode lets imports under one code follow one another, until the
// transaction ends. The source's own row cannot do this while there is none.
func (tx *Tx) LockCode(code string) error {
	return tx.db.Exec(`SELECT pg_advisory_xact_lock(hashtextextended('import:' || ? || ':' || ?, 0))`, tx.Brain, code).Error
}

// LockSay lets those who take a say in what is decided from somebody, in whatever
// brain, follow one another until the transaction ends. It comes after the locks
// of a brain's and of a person's row.
func (tx *Tx) LockSay() error {
	return tx.db.Exec("SELECT pg_advisory_xact_lock(hashtextextended('say', 0))").Error
}

// LockPerson keeps a person's row from others who would change it or count on it,
// until the transaction ends.
func (tx *Tx) LockPerson(id string) error {
	return tx.db.Exec("SELECT FROM persons WHERE id = ? FOR NO KEY UPDATE", id).Error
}

// In runs fn in the same transaction in another brain.
func (tx *Tx) In(brain models.BrainID, fn func(tx *Tx) error) error {
	if err := tx.turn(brain); err != nil {
		return err
	}
	if err := fn(&Tx{Brain: brain, db: tx.db}); err != nil {
		return err // and nothing of the transaction stays
	}
	return tx.turn(tx.Brain)
}

func (tx *Tx) turn(to models.BrainID) error {
	return tx.db.Exec("SELECT set_config('app.brain_id', ?, true)", string(to)).Error
}
