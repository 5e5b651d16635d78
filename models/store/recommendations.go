package store

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm/clause"

	"polaris/models"
	"polaris/models/fault"
)

// NoRecommendation is the answer for one that is not there, or not yours.
var NoRecommendation = fault.New(fault.NotFound, "No such recommendation.").WithCode("no_such_recommendation")

// refusals are what the database's guards say of a decision, by the code that
// they raise.
var refusals = map[string]*fault.Error{
	"no_such_recommendation": NoRecommendation,
	"session_required":       fault.New(fault.Forbidden, "Deciding needs a person who is signed in. Sign in and decide on the page."),
	"not_entitled":           fault.New(fault.Forbidden, "Your role in this brain does not decide on changes of this kind."),
	"already_decided":        fault.New(fault.Conflict, "This was decided already."),
	"expired":                fault.New(fault.Conflict, "This waited too long and has expired. It can be proposed again."),
	"content_changed":        fault.New(fault.Conflict, "What you saw is not what is to be decided on. Look at it again."),
	"own_proposal":           fault.New(fault.Forbidden, "You proposed this, or had a part in it. Another person decides on it."),
	"decided_before":         fault.New(fault.Conflict, "You have decided on this already."),
	"key_moved":              fault.New(fault.Conflict, "The API key was given to somebody else just now. Propose it again."),
	"not_superseded":         fault.Field("supersedes", "The recommendation that this one would take the place of is not pending, or changes something else."),
	"not_so":                 fault.New(fault.Conflict, "That cannot be said of this recommendation now."),

	// What ends.
	"not_sealed":          fault.New(fault.Conflict, "The log of the brain is not sealed to its end yet."),
	"no_such_source":      noSource,
	"already_forgotten":   fault.New(fault.Conflict, "This person is forgotten already."),
	"last_instance_admin": fault.New(fault.Conflict, "This is the last active admin of the instance. Make somebody else one first."),
	"last_owner":          fault.New(fault.Conflict, "This is the last active owner of the brain. Make somebody else an owner first."),
	"too_few_deciders":    fault.New(fault.Conflict, "Then fewer than two people could decide in this brain. Give somebody else a say first, as approver, curator, admin or owner."),
	"member_elsewhere":    fault.New(fault.Conflict, "Another brain of this instance still counts on this person. Their roles there end first, and then they can be forgotten."),
}

// refused turns what a guard raised into a fault.
func refused(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "PL001" {
		if f := refusals[pg.Message]; f != nil {
			return f.WithCode(pg.Message).Because(err)
		}
	}
	return err
}

// InsertRecommendation queues a change. The database sets its state, its hash
// and the rule that it will be decided by, and takes down who had a part in it.
func (tx *Tx) InsertRecommendation(r *models.Recommendation) error {
	r.BrainID = tx.Brain
	return refused(tx.db.Create(r).Error)
}

// Recommendation returns one of the brain's.
func (tx *Tx) Recommendation(id string) (*models.Recommendation, error) {
	return one[models.Recommendation](tx.db.Where("brain_id = ? AND id = ?", tx.Brain, id), NoRecommendation)
}

// A RecommendationFilter narrows the list of what was proposed; the zero one
// gives all, the newest first.
type RecommendationFilter struct {
	State    models.RecommendationState
	Proposer string // a person's id: what they proposed by whatever account
	Class    string
	By       string // a part of the name of who proposed
	Oldest   bool   // the oldest first
}

// RecommendationPage returns some of the brain's recommendations without their
// contents.
func (tx *Tx) RecommendationPage(s Stretch, f RecommendationFilter) ([]models.Recommendation, error) {
	rs := []models.Recommendation{}
	q := tx.db.Omit("input", "before", "after").Where("brain_id = ?", tx.Brain)
	if f.State != "" {
		q = q.Where("state = ?", string(f.State))
	}
	if f.Proposer != "" {
		q = q.Where("human(proposer) = human(?)", f.Proposer)
	}
	if f.Class != "" {
		q = q.Where("class = ?", f.Class)
	}
	if f.By != "" {
		q = q.Where("strpos(lower(actor), lower(?)) > 0", f.By)
	}
	if f.Oldest {
		return rs, s.oldest(q, "created_at", "id").Find(&rs).Error
	}
	return rs, s.newest(q, "created_at", "id").Find(&rs).Error
}

// Beside returns the ids of what waits before and after a recommendation, the
// newest being the first; "" where there is none.
func (tx *Tx) Beside(r *models.Recommendation, now time.Time) (newer, older string, err error) {
	const waits = "SELECT id FROM recommendations WHERE brain_id = ? AND state = 'pending' AND expires_at > ? AND "
	for _, side := range []struct {
		to  *string
		sql string
	}{
		{&newer, waits + "(created_at, id) > (?, ?) ORDER BY created_at, id LIMIT 1"},
		{&older, waits + "(created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT 1"},
	} {
		err := tx.db.Raw(side.sql, tx.Brain, now, r.CreatedAt, r.ID).Row().Scan(side.to)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return "", "", err
		}
	}
	return newer, older, nil
}

// Waiting counts the recommendations that wait for a decision.
func (tx *Tx) Waiting(now time.Time) (int, error) {
	var n int64
	err := tx.db.Model(&models.Recommendation{}).Where("brain_id = ? AND state = 'pending' AND expires_at > ?", tx.Brain, now).Count(&n).Error
	return int(n), err
}

// Deciders returns how many human beings could decide on changes of a class now:
// active members with one of its roles.
func (tx *Tx) Deciders(class string) (int, error) {
	var n int
	return n, tx.db.Raw("SELECT deciders(?)", class).Row().Scan(&n)
}

// DecisionRules returns the brain's rules that are not the default, by class.
func (tx *Tx) DecisionRules() ([]models.DecisionRule, error) {
	rs := []models.DecisionRule{}
	return rs, tx.db.Where("brain_id = ?", tx.Brain).Order("class").Find(&rs).Error
}

// SaveDecisionRule makes or replaces the rule of a class.
func (tx *Tx) SaveDecisionRule(r models.DecisionRule) error {
	r.BrainID = tx.Brain
	return refused(tx.db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&r).Error)
}

// SetFourEyes turns the brain's four eyes on, or off until a time.
func (tx *Tx) SetFourEyes(on bool, until *time.Time) error {
	return tx.db.Model(&models.Brain{}).Where("id = ?", tx.Brain).Updates(map[string]any{"four_eyes": on, "four_eyes_until": until}).Error
}

// LinkAccounts says that an account is a person's second one; with an empty
// person it is a person's own.
func (tx *Tx) LinkAccounts(account, person string) error {
	return tx.db.Exec("UPDATE persons SET same_as = nullif(?, '') WHERE id = ?", person, account).Error
}

// FirstAccount returns the id of the account that another is a second one of,
// "" where it is nobody's. The row stays as it is until the transaction ends.
func (tx *Tx) FirstAccount(account string) (string, error) {
	var first string
	return first, tx.db.Raw("SELECT coalesce(same_as, '') FROM persons WHERE id = ? FOR SHARE", account).Row().Scan(&first)
}

// HasSecondAccounts reports whether other accounts are an account's second ones.
func (tx *Tx) HasSecondAccounts(account string) (bool, error) {
	var has bool
	return has, tx.db.Raw("SELECT EXISTS (SELECT FROM persons WHERE same_as = ?)", account).Row().Scan(&has)
}

// SameHuman reports whether two accounts are one person's.
func (tx *Tx) SameHuman(a, b string) (bool, error) {
	var same bool
	return same, tx.db.Raw("SELECT human(?) = human(?)", a, b).Row().Scan(&same)
}

// TookPart reports whether a person had a part in a recommendation, by whatever
// account.
func (tx *Tx) TookPart(id, person string) (bool, error) {
	var part bool
	return part, tx.db.Raw(`SELECT EXISTS (SELECT FROM participation o WHERE o.brain_id = ? AND o.recommendation_id = ?
		AND (human(o.account_id) = human(?) OR o.person_id = human(?)))`, tx.Brain, id, person, person).Row().Scan(&part)
}

// LockTarget keeps two changes of one target apart until the transaction ends. A
// name that is locked already costs nothing.
func (tx *Tx) LockTarget(name string) error {
	if tx.holds[name] {
		return nil
	}
	err := tx.db.Exec("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", string(tx.Brain)+"/"+name).Error
	if err == nil {
		if tx.holds == nil {
			tx.holds = map[string]bool{}
		}
		tx.holds[name] = true
	}
	return err
}

// Parts returns who had a part in a recommendation, each account once, in order
// of time.
func (tx *Tx) Parts(id string) ([]models.Part, error) {
	var ps []models.Part
	return ps, tx.db.Raw(`SELECT DISTINCT ON (o.at, p.email) o.person_id, o.account_id, p.email, o.part, o.comment, o.at
		FROM participation o JOIN persons p ON p.id = o.account_id
		WHERE o.brain_id = ? AND o.recommendation_id = ? ORDER BY o.at, p.email, o.person_id`, tx.Brain, id).Scan(&ps).Error
}

// Decide writes a decision. Who decides is whoever the session belongs to. It
// returns the state that follows; "approved" means that this transaction is to
// apply the change, and to say how that went by Settle.
func (tx *Tx) Decide(session []byte, id string, seen []byte, verdict, comment string) (string, error) {
	var state string
	// By name: GORM takes a slice after a parenthesis for a list.
	err := tx.db.Raw("SELECT decide(session => ?, rec => ?, seen_payload => ?, verdict => ?, said => ?)", session, id, seen, verdict, comment).Row().Scan(&state)
	return state, refused(err)
}

// Settle ends a recommendation otherwise than by a decision.
func (tx *Tx) Settle(id string, state models.RecommendationState, why string) error {
	return refused(tx.db.Exec("SELECT settle(?, ?, ?)", id, string(state), why).Error)
}

// NoteFailure keeps why applying failed, on a recommendation that stays pending.
func (tx *Tx) NoteFailure(id, why string) error {
	return tx.db.Exec("SELECT noted(?, ?)", id, why).Error
}

// PutAside keeps the document of a recommendation until that ends, apart from
// what the brain holds.
func (tx *Tx) PutAside(id string, document []byte) error {
	sum := sha256.Sum256(document)
	return tx.db.Exec("INSERT INTO quarantine (brain_id, recommendation_id, sha256, bytes) VALUES (?, ?, ?, ?)", tx.Brain, id, sum[:], document).Error
}

// Aside returns the document that was put aside for a recommendation.
func (tx *Tx) Aside(id string) ([]byte, error) {
	var b []byte
	err := tx.db.Raw("SELECT bytes FROM quarantine WHERE brain_id = ? AND recommendation_id = ?", tx.Brain, id).Row().Scan(&b)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fault.New(fault.Conflict, "The document of this recommendation is not there any more: it was decided already.").WithCode("already_decided")
	}
	return b, err
}

// Overdue returns the ids of pending recommendations whose time is over, by the
// database's clock, which Settle goes by as well.
func (tx *Tx) Overdue() ([]string, error) {
	var ids []string
	return ids, tx.db.Model(&models.Recommendation{}).Where("brain_id = ? AND state = 'pending' AND expires_at <= clock_timestamp()", tx.Brain).Order("expires_at").Pluck("id", &ids).Error
}

// Attempt runs fn and undoes what it changed where it fails, so that the
// transaction can go on.
func (tx *Tx) Attempt(fn func() error) error {
	if err := tx.db.SavePoint("attempt").Error; err != nil {
		return err
	}
	err := fn()
	if err != nil {
		tx.holds = nil // what was locked since the savepoint is not any more
		if undo := tx.db.RollbackTo("attempt").Error; undo != nil {
			return errors.Join(err, undo)
		}
	}
	return err
}
