package store

import (
	"context"

	"polaris/models"
	"polaris/models/fault"
)

// EndBrain notes that the brain's deletion was decided on, revokes what programs
// hold, and keeps the id. [Store.FinishEnding] does the rest.
func (tx *Tx) EndBrain(by string) error {
	if err := tx.db.Exec("UPDATE brains SET ended_at = clock_timestamp() WHERE id = ?", tx.Brain).Error; err != nil {
		return err
	}
	err := tx.db.Exec("UPDATE api_keys SET revoked_at = clock_timestamp(), revoked_by = ?, revoke_cause = 'brain_deleted' WHERE brain_id = ? AND revoked_at IS NULL", by, tx.Brain).Error
	if err != nil {
		return err
	}
	return tx.db.Exec("UPDATE token_grants SET revoked_at = clock_timestamp(), revoke_cause = 'brain_deleted' WHERE brain_id = ? AND revoked_at IS NULL", tx.Brain).Error
}

// FinishEnding removes all that a brain has, once its end was decided on and its
// log is sealed, and leaves a tombstone and a row in the instance's log, in one
// transaction. It reports a NotFound fault where it is done already.
func (s *Store) FinishEnding(ctx context.Context, brain models.BrainID, row *models.AuditRow) (*models.EndedBrain, error) {
	e := &models.EndedBrain{ID: brain}
	err := s.InBrain(ctx, brain, func(tx *Tx) error {
		if _, err := tx.ThisBrain(true); err != nil {
			return err
		}
		if err := refused(tx.db.Raw("SELECT head_seq, head_hash, gone FROM end_brain()").Row().Scan(&e.HeadSeq, &e.HeadHash, &e.Rows)); err != nil {
			return err
		}
		if err := tx.db.Exec("SELECT set_config('app.brain_id', ?, true)", string(Instance)).Error; err != nil {
			return err
		}
		row.Detail.Changes = append(row.Detail.Changes, e.Change())
		return (&Tx{Brain: Instance, db: tx.db}).AppendAudit(row)
	})
	return e, err
}

// EndedBrains returns the tombstones of brains, the oldest first.
func (s *Store) EndedBrains(ctx context.Context) ([]models.EndedBrain, error) {
	es := []models.EndedBrain{}
	return es, mapped(s.db.WithContext(ctx).Order("ended_at, id").Find(&es).Error)
}

// Forget takes a person's name and address out of everything but what is hashed,
// and returns the pseudonym in their place. The database does so only by a
// decision in this transaction.
func (tx *Tx) Forget(person string) (string, error) {
	var alias string
	return alias, refused(tx.db.Raw("SELECT forget(?)", person).Row().Scan(&alias))
}

// Holdings counts what the brain has: sources, versions, and keys that hold.
func (tx *Tx) Holdings() (sources, versions, keys int, err error) {
	err = tx.db.Raw(`SELECT (SELECT count(*) FROM sources WHERE brain_id = @brain), (SELECT count(*) FROM versions WHERE brain_id = @brain),
		(SELECT count(*) FROM api_keys WHERE brain_id = @brain AND revoked_at IS NULL)`, map[string]any{"brain": tx.Brain}).Row().Scan(&sources, &versions, &keys)
	return sources, versions, keys, err
}

// KeysOf counts the keys of a person in the brain that hold.
func (tx *Tx) KeysOf(person string) (int, error) {
	var n int
	return n, tx.db.Raw("SELECT count(*) FROM api_keys WHERE brain_id = ? AND owner_id = ? AND revoked_at IS NULL", tx.Brain, person).Row().Scan(&n)
}

// DecidersWithout returns how many human beings could decide on changes of a
// class now, and how many without one account.
func (tx *Tx) DecidersWithout(class, person string) (now, without int, err error) {
	err = tx.db.Raw(`SELECT deciders(@class), (SELECT count(DISTINCT human(p.id)) FROM memberships m JOIN persons p ON p.id = m.person_id
		WHERE m.brain_id = @brain AND p.id <> @person AND p.disabled_at IS NULL AND jsonb_exists_any(m.roles, ARRAY(SELECT jsonb_array_elements_text(coalesce(
			(SELECT d.roles FROM decision_rules d WHERE d.brain_id = @brain AND d.class = @class), '["admin", "approver", "curator", "owner"]'::jsonb)))))`,
		map[string]any{"brain": tx.Brain, "class": class, "person": person}).Row().Scan(&now, &without)
	return now, without, err
}

// FormerMember returns somebody who is a member of the brain no more, by e-mail
// address or id.
func (tx *Tx) FormerMember(name string) (MemberPerson, error) {
	m, err := one[MemberPerson](tx.db.Table("memberships AS m").Select("m.person_id, p.email, p.name, m.roles, p.disabled_at").
		Joins("JOIN persons p ON p.id = m.person_id").Where("m.brain_id = ? AND m.roles = '[]' AND (p.email = ? OR p.id = ?)", tx.Brain, name, name),
		fault.New(fault.NotFound, "Nobody in this brain goes by that name.").WithCode("no_such_member"))
	if err != nil {
		return MemberPerson{}, err
	}
	return *m, nil
}
