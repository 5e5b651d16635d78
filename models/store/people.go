package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"polaris/models"
	"polaris/models/fault"
)

// Persons and links belong to the instance, not to a brain. The methods are on
// Tx where an operation writes them, so that they commit with its audit row.

// InsertPerson saves a new person. An address that is taken is a Conflict.
func (tx *Tx) InsertPerson(p *models.Person) error {
	return duplicate(tx.db.Create(p).Error, &fault.Error{Kind: fault.Conflict, Code: "email_taken", Field: "email", Message: "Somebody with this e-mail address is here already."})
}

// PersonByEmail returns the person with the address, in its clean form.
func (s *Store) PersonByEmail(ctx context.Context, email string) (*models.Person, error) {
	p, err := one[models.Person](s.db.WithContext(ctx).Where("email = ?", email), fault.New(fault.NotFound, "Nobody here has this e-mail address."))
	return p, mapped(err)
}

// PersonByEmail returns the person with the address, in its clean form.
func (tx *Tx) PersonByEmail(email string) (*models.Person, error) {
	return one[models.Person](tx.db.Where("email = ?", email), fault.New(fault.NotFound, "Nobody here has the e-mail address %s.", email))
}

// AnyPerson reports whether the instance has been set up.
func (s *Store) AnyPerson(ctx context.Context) (bool, error) {
	var n int64
	err := s.db.WithContext(ctx).Model(&models.Person{}).Limit(1).Count(&n).Error
	return n > 0, mapped(err)
}

// SetPassword replaces a person's password hash and ends all that they were
// signed in for.
func (tx *Tx) SetPassword(personID, hash string) error {
	if err := tx.db.Model(&models.Person{}).Where("id = ?", personID).Update("password_hash", hash).Error; err != nil {
		return err
	}
	_, err := tx.EndSignIns(personID)
	return err
}

// EndSignIns ends a person's sessions and, by the next token version, all their
// access and refresh tokens. It reports whether there is such a person.
func (tx *Tx) EndSignIns(personID string) (bool, error) {
	res := tx.db.Model(&models.Person{}).Where("id = ?", personID).Update("token_version", gorm.Expr("token_version + 1"))
	if res.Error != nil {
		return false, res.Error
	}
	return res.RowsAffected == 1, tx.db.Where("person_id = ?", personID).Delete(&models.Session{}).Error
}

// StillSignedIn reports whether nothing has ended a person's sign-ins since
// their token version was read, and keeps it so until the transaction ends.
func (tx *Tx) StillSignedIn(personID string, version int) (bool, error) {
	var now []int
	err := tx.db.Raw(`SELECT token_version FROM persons WHERE id = ? AND disabled_at IS NULL FOR SHARE`, personID).Scan(&now).Error
	return len(now) == 1 && now[0] == version, err
}

// Person returns a person by id.
func (tx *Tx) Person(id string) (*models.Person, error) {
	return one[models.Person](tx.db.Where("id = ?", id), fault.New(fault.NotFound, "No such person."))
}

// A link is a one-time secret, stored as its hash.
type link struct {
	Hash      []byte `gorm:"primaryKey"`
	Kind      string
	PersonID  *string
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    *time.Time
}

// Kinds of one-time links.
const (
	LinkSetup  = "setup"
	LinkSignIn = "signin"
)

// InsertLink saves a one-time link for a person, or for set-up where person is
// empty.
func (tx *Tx) InsertLink(hash []byte, kind, person string, now, expires time.Time) error {
	l := &link{Hash: hash, Kind: kind, CreatedAt: now, ExpiresAt: expires}
	if person != "" {
		l.PersonID = &person
	}
	return tx.db.Create(l).Error
}

// ReplaceSetupLink makes hash the only unused set-up link.
func (tx *Tx) ReplaceSetupLink(hash []byte, now, expires time.Time) error {
	if err := tx.db.Where("kind = ? AND used_at IS NULL", LinkSetup).Delete(&link{}).Error; err != nil {
		return err
	}
	return tx.InsertLink(hash, LinkSetup, "", now, expires)
}

var deadLink = fault.New(fault.Forbidden, "This link was used already or has run out. Ask for a new one.").WithCode("link_dead")

// UseLink takes a link out of use and returns whose it was. Of any number of
// simultaneous uses exactly one succeeds.
func (tx *Tx) UseLink(hash []byte, kind string, now time.Time) (person string, err error) {
	var l link
	res := tx.db.Model(&l).Clauses(clause.Returning{Columns: []clause.Column{{Name: "person_id"}}}).
		Where("hash = ? AND kind = ? AND used_at IS NULL AND expires_at > ?", hash, kind, now).Update("used_at", now)
	if res.Error != nil {
		return "", res.Error
	}
	if res.RowsAffected != 1 {
		return "", deadLink
	}
	if l.PersonID != nil {
		person = *l.PersonID
	}
	return person, nil
}

// LinkLives reports whether a link could still be used, and whose it is.
func (s *Store) LinkLives(ctx context.Context, hash []byte, kind string, now time.Time) (person string, err error) {
	l, err := one[link](s.db.WithContext(ctx).Where("hash = ? AND kind = ? AND used_at IS NULL AND expires_at > ?", hash, kind, now), deadLink)
	if err != nil {
		return "", mapped(err)
	}
	if l.PersonID != nil {
		person = *l.PersonID
	}
	return person, nil
}

// InsertBrain saves a new brain. An id that is taken is a Conflict.
func (tx *Tx) InsertBrain(b *models.Brain) error {
	return duplicate(tx.db.Create(b).Error, &fault.Error{Kind: fault.Conflict, Code: "brain_taken", Field: "id", Message: "A brain with this id exists already."})
}

// NoBrain is the answer for a brain that does not exist and for one that is
// not the caller's.
var NoBrain = fault.New(fault.NotFound, "No such brain.").WithCode("no_such_brain")

// Brain returns a brain by its id.
func (s *Store) Brain(ctx context.Context, id models.BrainID) (*models.Brain, error) {
	if !id.Valid() {
		return nil, NoBrain // it may not even be text that the database can read
	}
	b, err := one[models.Brain](s.db.WithContext(ctx).Where("id = ?", id), NoBrain)
	return b, mapped(err)
}

// ThisBrain returns the brain of the transaction, locked against a publish
// until the transaction ends where lock is set.
func (tx *Tx) ThisBrain(lock bool) (*models.Brain, error) {
	q := tx.db.Where("id = ?", tx.Brain)
	if lock {
		q = q.Clauses(clause.Locking{Strength: "NO KEY UPDATE"})
	}
	return one[models.Brain](q, NoBrain)
}

// Brains returns every brain, by id.
func (s *Store) Brains(ctx context.Context) ([]models.Brain, error) {
	var bs []models.Brain
	return bs, mapped(s.db.WithContext(ctx).Order("id").Find(&bs).Error)
}

// Brains returns every brain, by id.
func (tx *Tx) Brains() ([]models.Brain, error) {
	var bs []models.Brain
	return bs, tx.db.Order("id").Find(&bs).Error
}

// SetMembership gives a person these roles in the brain, in place of any that
// they had. With none they are a member no more; the row stays, because keys
// name their owner by it.
func (tx *Tx) SetMembership(person string, roles []models.Role) error {
	if roles == nil {
		roles = []models.Role{}
	}
	return tx.db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&models.Membership{BrainID: tx.Brain, PersonID: person, Roles: roles}).Error
}

// A MemberPerson is a member of the brain with the person's address.
type MemberPerson struct {
	PersonID, Email, Name string
	Roles                 []models.Role `gorm:"serializer:json"`
	DisabledAt            *time.Time
}

func (tx *Tx) members() *gorm.DB {
	return tx.db.Table("memberships AS m").Select("m.person_id, p.email, p.name, m.roles, p.disabled_at").
		Joins("JOIN persons p ON p.id = m.person_id").Where("m.brain_id = ? AND m.roles <> '[]'", tx.Brain)
}

// Members returns the brain's members by e-mail.
func (tx *Tx) Members() ([]MemberPerson, error) {
	var ms []MemberPerson
	return ms, tx.members().Order("p.email").Scan(&ms).Error
}

// MemberPage returns some of the brain's members, by e-mail.
func (tx *Tx) MemberPage(s Stretch) ([]MemberPerson, error) {
	var ms []MemberPerson
	return ms, s.named(tx.members(), "p.email").Scan(&ms).Error
}

// PersonPage returns some of the instance's people, by e-mail.
func (tx *Tx) PersonPage(s Stretch) ([]models.Person, error) {
	var ps []models.Person
	return ps, s.named(tx.db.Omit("password_hash"), "email").Find(&ps).Error
}

// DisablePerson keeps a person out from at on, and ends all their sign-ins;
// with nil they may come in again.
func (tx *Tx) DisablePerson(id string, at *time.Time) error {
	if err := tx.db.Model(&models.Person{}).Where("id = ?", id).Update("disabled_at", at).Error; err != nil {
		return err
	}
	_, err := tx.EndSignIns(id)
	return err
}
