package store

// LockCode lets imports under one code follow one another, until the
// transaction ends. The source's own row cannot do this while there is none.
func (tx *Tx) LockCode(code string) error {
	return tx.db.Exec(`SELECT pg_advisory_xact_lock(hashtextextended('import:' || ? || ':' || ?, 0))`, tx.Brain, code).Error
}

// LockCard lets changes of the topic card with an id follow one another, for the
// same reason: of several who make it at once, one is the first.
func (tx *Tx) LockCard(id string) error {
	return tx.db.Exec(`SELECT pg_advisory_xact_lock(hashtextextended('card:' || ? || ':' || ?, 0))`, tx.Brain, id).Error
}
