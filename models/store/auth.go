package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/models/fault"
)

// A KeyHolder is what one look-up tells of an API key, its owner and its brain
// as they are now. It is read anew on each request: there is no cache that
// could be stale.
type KeyHolder struct {
	Key           models.APIKey
	OwnerDisabled bool
	Roles         []models.Role // the owner's, in the key's brain; none once membership is lost
	Published     int           // the brain's published version
	Suspended     []models.Withheld
	Policy        models.Policy
}

// KeyByID finds a key before the brain is known. It returns a NotFound fault
// for an id that no key has.
func (s *Store) KeyByID(ctx context.Context, id string) (*KeyHolder, error) {
	var h KeyHolder
	var scopes, roles, suspended, policy []byte
	k := &h.Key
	err := s.look(ctx, `SELECT brain_id, id, scopes, actor, owner_id, owner_disabled, roles, hash, prev_hash, prev_until, expires_at, last_used_at, revoked_at, rate_n, rate_seconds, published, suspended, policy FROM auth_key($1)`, func(r pgx.Row) error {
		return r.Scan(&k.BrainID, &k.ID, &scopes, &k.Actor, &k.OwnerID, &h.OwnerDisabled, &roles, &k.Hash, &k.PrevHash, &k.PrevUntil, &k.ExpiresAt, &k.LastUsedAt, &k.RevokedAt, &k.RateN, &k.RateSeconds, &h.Published, &suspended, &policy)
	}, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.NotFound, "No such key.")
	}
	if err != nil {
		return nil, credentialsDown(err)
	}
	if err := errors.Join(json.Unmarshal(scopes, &k.Scopes), json.Unmarshal(roles, &h.Roles), told(suspended, &h.Suspended), told(policy, &h.Policy)); err != nil {
		return nil, err
	}
	return &h, nil
}

// told reads what is suspended, or asked of answers; NULL is nothing.
func told(from []byte, into any) error {
	if from == nil {
		return nil
	}
	return json.Unmarshal(from, into)
}

// credentialsDown keeps an outage from looking like a wrong credential.
func credentialsDown(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fault.New(fault.Unavailable, "Credentials cannot be checked just now. Try again in a moment.").Because(err)
}

// A SignedIn is the person behind a live session, and the brains that the
// person is a member of.
type SignedIn struct {
	PersonID, Email, Name string
	InstanceAdmin         bool
	SeenAt, ExpiresAt     time.Time
	TokenVersion          int
	Memberships           []Member
}

// A Member is one brain as one of its members has it.
type Member struct {
	Brain     models.BrainID `json:"brain"`
	Name      string         `json:"name"`
	Published int            `json:"published"`
	FourEyes  bool           `json:"four_eyes"`
	Roles     []models.Role  `json:"roles"`

	FourEyesUntil *time.Time        `json:"four_eyes_until,omitempty"` // when four eyes that are off are on again
	Suspended     []models.Withheld `json:"suspended,omitempty"`
	Policy        models.Policy     `json:"policy"`
}

// SessionByHash finds a session whose person is not disabled. Whether it has
// run out is for the caller to judge, who knows the time.
func (s *Store) SessionByHash(ctx context.Context, hash []byte) (*SignedIn, error) {
	var in SignedIn
	var members []byte
	err := s.pool.QueryRow(ctx, `SELECT person_id, email, name, instance_admin, seen_at, expires_at, token_version, memberships FROM auth_session($1)`, hash).
		Scan(&in.PersonID, &in.Email, &in.Name, &in.InstanceAdmin, &in.SeenAt, &in.ExpiresAt, &in.TokenVersion, &members)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.Unauthenticated, "You are signed out. Sign in to go on.").WithCode("signed_out")
	}
	if err != nil {
		return nil, credentialsDown(err)
	}
	return &in, json.Unmarshal(members, &in.Memberships)
}

// InsertSession saves a new session.
func (tx *Tx) InsertSession(m *models.Session) error { return tx.db.Create(m).Error }

// TouchSession notes that a session was used.
func (s *Store) TouchSession(ctx context.Context, hash []byte, at time.Time) error {
	return mapped(s.db.WithContext(ctx).Model(&models.Session{}).Where("hash = ?", hash).Update("seen_at", at).Error)
}

// DeleteSession ends a session; that it is not there is no error.
func (s *Store) DeleteSession(ctx context.Context, hash []byte) error {
	return mapped(s.db.WithContext(ctx).Where("hash = ?", hash).Delete(&models.Session{}).Error)
}

// TouchKey notes that a key was used. It writes at most once in
// [models.KeyLastUsedLag], whoever else tries.
func (s *Store) TouchKey(ctx context.Context, brain models.BrainID, id string, at time.Time) error {
	return s.InBrain(ctx, brain, func(tx *Tx) error {
		return tx.db.Exec(`UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)`,
			at, id, at.Add(-models.KeyLastUsedLag)).Error
	})
}
