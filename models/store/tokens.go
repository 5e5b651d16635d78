package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm/clause"

	"polaris/models"
	"polaris/models/fault"
)

// A TokenHolder is what one look-up tells of an access token: the key that may
// have signed it, its grant, and its person and brain as they are now. It is
// read anew on each request: there is no cache that could be stale.
type TokenHolder struct {
	PublicKey     []byte
	VerifiesUntil time.Time
	Grant         models.TokenGrant
	Email         string
	Disabled      bool
	TokenVersion  int           // the person's, now
	Roles         []models.Role // the person's, in the grant's brain; none once membership is lost
	Published     int           // the brain's published version
	Suspended     []models.Withheld
	Policy        models.Policy
}

// TokenByID finds a signing key and a grant before the brain is known. It
// returns a NotFound fault where one of them is not there.
func (s *Store) TokenByID(ctx context.Context, kid, grant string) (*TokenHolder, error) {
	var h TokenHolder
	var scopes, roles, suspended, policy []byte
	g := &h.Grant
	g.ID = grant
	err := s.look(ctx, `SELECT public_key, verifies_until, brain_id, person_id, email, disabled, token_version, roles, grant_version, scopes, expires_at, revoked_at, published, suspended, policy FROM auth_token($1, $2)`, func(r pgx.Row) error {
		return r.Scan(&h.PublicKey, &h.VerifiesUntil, &g.BrainID, &g.PersonID, &h.Email, &h.Disabled, &h.TokenVersion, &roles, &g.TokenVersion, &scopes, &g.ExpiresAt, &g.RevokedAt, &h.Published, &suspended, &policy)
	}, kid, grant)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, noGrant
	}
	if err != nil {
		return nil, credentialsDown(err)
	}
	if err := errors.Join(json.Unmarshal(scopes, &g.Scopes), json.Unmarshal(roles, &h.Roles), told(suspended, &h.Suspended), told(policy, &h.Policy)); err != nil {
		return nil, err
	}
	return &h, nil
}

var noGrant = fault.New(fault.NotFound, "No such grant.").WithCode("no_such_grant")

// A GrantHolder is whose a refresh token is.
type GrantHolder struct {
	BrainID         models.BrainID
	PersonID, Email string
	FamilyHash      []byte
}

// GrantByID finds a grant before the brain is known. It returns a NotFound fault
// for an id that none has.
func (s *Store) GrantByID(ctx context.Context, id string) (*GrantHolder, error) {
	var h GrantHolder
	err := s.pool.QueryRow(ctx, `SELECT brain_id, person_id, email, family_hash FROM auth_grant($1)`, id).
		Scan(&h.BrainID, &h.PersonID, &h.Email, &h.FamilyHash)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, noGrant
	}
	if err != nil {
		return nil, credentialsDown(err)
	}
	return &h, nil
}

// InsertGrant saves a new grant, and forgets those of the person that have run
// out: what happened with them is in the audit log.
func (tx *Tx) InsertGrant(g *models.TokenGrant) error {
	g.BrainID = tx.Brain
	if err := tx.db.Where("brain_id = ? AND person_id = ? AND expires_at <= ?", tx.Brain, g.PersonID, g.CreatedAt).Delete(&models.TokenGrant{}).Error; err != nil {
		return err
	}
	return tx.db.Create(g).Error
}

// Grant returns a grant of the brain, locked until the transaction ends, so that
// of any number of simultaneous uses of a refresh token one is the first.
func (tx *Tx) Grant(id string) (*models.TokenGrant, error) {
	return one[models.TokenGrant](tx.db.Clauses(clause.Locking{Strength: "UPDATE"}).Where("brain_id = ? AND id = ?", tx.Brain, id), noGrant)
}

// Refreshed replaces the grant's newest refresh token.
func (tx *Tx) Refreshed(id string, hash []byte, at time.Time) error {
	return tx.db.Model(&models.TokenGrant{}).Where("brain_id = ? AND id = ?", tx.Brain, id).
		Updates(map[string]any{"refresh_hash": hash, "refreshed_at": at}).Error
}

// RevokeGrant ends a grant. One that is revoked already stays as it is.
func (tx *Tx) RevokeGrant(id, cause string, at time.Time) error {
	return tx.db.Model(&models.TokenGrant{}).Where("brain_id = ? AND id = ? AND revoked_at IS NULL", tx.Brain, id).
		Updates(map[string]any{"revoked_at": at, "revoke_cause": cause}).Error
}

// A MemberNow is a member of the brain, as the transaction sees them.
type MemberNow struct {
	Roles        []models.Role `gorm:"serializer:json"`
	TokenVersion int
}

// Member returns what a person is in the brain, or a NotFound fault where they
// are nothing there or are disabled.
func (tx *Tx) Member(person string) (*MemberNow, error) {
	return one[MemberNow](tx.db.Table("memberships AS m").Select("m.roles, p.token_version").Joins("JOIN persons p ON p.id = m.person_id").
		Where("m.brain_id = ? AND m.person_id = ? AND m.roles <> '[]' AND p.disabled_at IS NULL", tx.Brain, person), NoBrain)
}

// keyMaking is the advisory lock under which signing keys are made.
const keyMaking = "signing_keys"

// LockSigningKeys lets one transaction at a time make signing keys.
func (tx *Tx) LockSigningKeys() error {
	return tx.db.Exec(`SELECT pg_advisory_xact_lock(hashtextextended(?, 0))`, keyMaking).Error
}

// SigningKey returns the key that signs now, the newest one if there are
// several, or nil.
func (tx *Tx) SigningKey(now time.Time) (*models.SigningKey, error) {
	var ks []models.SigningKey
	err := tx.db.Where("signs_until > ?", now).Order("created_at DESC, kid").Limit(1).Find(&ks).Error
	if err != nil || len(ks) == 0 {
		return nil, err
	}
	return &ks[0], nil
}

// InsertSigningKey saves a new key, and removes those that verify nothing any
// more.
func (tx *Tx) InsertSigningKey(k *models.SigningKey) error {
	if err := tx.db.Where("verifies_until <= ?", k.CreatedAt).Delete(&models.SigningKey{}).Error; err != nil {
		return err
	}
	return tx.db.Create(k).Error
}

// RetireSigningKeys lets every key that there is sign no more. They verify until
// then, or until they would have anyway, whichever is sooner.
func (tx *Tx) RetireSigningKeys(now, until time.Time) (int64, error) {
	res := tx.db.Exec(`UPDATE signing_keys SET signs_until = least(signs_until, ?), verifies_until = least(verifies_until, ?)`, now, until)
	return res.RowsAffected, res.Error
}

// DropSigningKeys removes every key: what they signed is dead at once.
func (tx *Tx) DropSigningKeys() (int64, error) {
	res := tx.db.Where("true").Delete(&models.SigningKey{})
	return res.RowsAffected, res.Error
}
