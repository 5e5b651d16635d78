package store

import (
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"polaris/models"
	"polaris/models/fault"
)

// An AuditFilter says which rows of the log are wanted. What is zero is not
// asked for.
type AuditFilter struct {
	From, To  time.Time // To is excluded
	Person    string    // an id or an e-mail address
	Actor     string
	KeyID     string
	Operation string
	Target    string
	Outcome   string
	Surface   string
}

// rare is what the indexes of 00007 are of, word for word: all but answers that
// were served.
const rare = "(a.operation NOT IN ('answer', 'retrieve') OR a.outcome <> 'ok')"

// on adds the filter to a query, as the indexes can follow it.
func (f AuditFilter) on(q *gorm.DB, tx *Tx) (*gorm.DB, error) {
	if !f.From.IsZero() {
		q = q.Where("a.at >= ?", f.From)
	}
	if !f.To.IsZero() {
		q = q.Where("a.at < ?", f.To)
	}
	if f.Person != "" {
		id := f.Person
		if err := tx.db.Raw("SELECT id FROM persons WHERE email = lower(?)", f.Person).Scan(&id).Error; err != nil {
			return nil, err
		}
		q = q.Where("a.person = ?", id)
	}
	if f.Actor != "" {
		q = q.Where("a.actor = ?", f.Actor)
	}
	if f.KeyID != "" {
		q = q.Where("a.key_id = ?", f.KeyID)
	}
	switch f.Operation {
	case "":
	case "answer", "retrieve":
		q = q.Where("a.operation = ?", f.Operation)
	default:
		q = q.Where("a.operation = ? AND "+rare, f.Operation)
	}
	switch f.Outcome {
	case "":
	case "ok":
		q = q.Where("a.outcome = 'ok'")
	default:
		q = q.Where("a.outcome = ? AND a.outcome <> 'ok'", f.Outcome)
	}
	q, err := f.onSpan(q, tx)
	if err != nil {
		return nil, err
	}
	return f.onTarget(q, tx)
}

// shortSpan is how many rows a span of time has at most that is read by the time
// of its rows, and not from the newest row back to it.
const shortSpan = 10_000

// onSpan names the rows of a short span, because the planner hopes to find enough
// of them soon on the way from the newest.
func (f AuditFilter) onSpan(q *gorm.DB, tx *Tx) (*gorm.DB, error) {
	if f.From.IsZero() || f.To.IsZero() {
		return q, nil
	}
	var n int
	err := tx.db.Raw("SELECT count(*) FROM (SELECT FROM audit WHERE brain_id = ? AND at >= ? AND at < ? LIMIT ?) x", tx.Brain, f.From, f.To, shortSpan).Scan(&n).Error
	if err != nil || n == shortSpan {
		return q, err
	}
	return q.Where("a.id = ANY (ARRAY(SELECT id FROM audit WHERE brain_id = ? AND at >= ? AND at < ?))", tx.Brain, f.From, f.To), nil
}

// onTarget asks for what is about something. The rows of served answers are found
// by the answers.
func (f AuditFilter) onTarget(q *gorm.DB, tx *Tx) (*gorm.DB, error) {
	if f.Target == "" {
		return q, nil
	}
	var served int64
	if err := tx.db.Raw("SELECT audit_id FROM answers WHERE brain_id = ? AND id = ?", tx.Brain, f.Target).Scan(&served).Error; err != nil {
		return nil, err
	}
	if served == 0 && strings.HasPrefix(f.Target, "ans_") { // of a brain that records no answers: no index has it
		return q.Where("a.target = ?", f.Target), nil
	}
	if served == 0 {
		return q.Where("a.target = ? AND "+rare, f.Target), nil
	}
	return q.Where("(a.id = ? OR a.target = ? AND "+rare+")", served, f.Target), nil
}

// A SealedRow is a row of the log with its place in the chain, none while it is
// unsealed.
type SealedRow struct {
	models.AuditRow
	Seq  int64
	Hash []byte
}

// AuditPage returns some rows of the log, the newest first.
func (tx *Tx) AuditPage(f AuditFilter, s Stretch) ([]SealedRow, error) {
	rows := []SealedRow{}
	q, err := f.on(tx.db.Table("audit AS a").Select("a.*, coalesce(c.seq, 0) AS seq, c.hash").
		Joins("LEFT JOIN audit_chain c ON c.brain_id = a.brain_id AND c.audit_id = a.id").Where("a.brain_id = ?", tx.Brain), tx)
	if err != nil {
		return nil, err
	}
	if s.After != (Mark{}) {
		var id int64
		if id, err = strconv.ParseInt(s.After.ID, 10, 64); err != nil {
			return nil, fault.Field("cursor", "This cursor is none of this list's.").WithCode("invalid_cursor")
		}
		q = q.Where("a.id < ?", id)
	}
	return rows, q.Order("a.id DESC").Limit(s.N).Find(&rows).Error
}

// An AuditMoment is where a log ends, for whoever reads it whole: what comes
// later is not read.
type AuditMoment struct {
	Head  models.Link // of the chain
	Start models.Link // that retention left, the zero link where nothing was removed
	Last  int64       // id of the newest row
}

// AuditMoment returns where the log ends now.
func (tx *Tx) AuditMoment() (m AuditMoment, err error) {
	if err = tx.db.Raw(strings.ReplaceAll(sealHead, "$1", "@brain"), sql.Named("brain", string(tx.Brain))).Scan(&m.Head).Error; err != nil {
		return m, err
	}
	if m.Start, err = tx.buried(); err != nil {
		return m, err
	}
	return m, tx.db.Table("audit").Select("coalesce(max(id), 0)").Where("brain_id = ?", tx.Brain).Row().Scan(&m.Last)
}

// AuditHead returns the newest link of the chain, and how many rows wait to be
// sealed.
func (tx *Tx) AuditHead() (head models.Link, unsealed int64, err error) {
	if err = tx.db.Raw(strings.ReplaceAll(sealHead, "$1", "@brain"), sql.Named("brain", string(tx.Brain))).Scan(&head).Error; err != nil {
		return head, 0, err
	}
	return head, unsealed, tx.db.Table("audit_unsealed").Where("brain_id = ?", tx.Brain).Count(&unsealed).Error
}

// SealedAfter returns rows of the log up to a moment, in the order of the chain,
// that follow a link.
func (tx *Tx) SealedAfter(f AuditFilter, m AuditMoment, seq int64, n int) ([]SealedRow, error) {
	var rows []SealedRow
	q, err := f.on(tx.db.Table("audit_chain AS c").Select("a.*, c.seq, c.hash").Joins("JOIN audit a ON a.brain_id = c.brain_id AND a.id = c.audit_id").
		Where("c.brain_id = ? AND c.seq > ? AND c.seq <= ?", tx.Brain, seq, m.Head.Seq), tx)
	if err != nil {
		return nil, err
	}
	return rows, q.Order("c.seq").Limit(n).Find(&rows).Error
}

// UnsealedAfter returns rows that were not sealed at a moment, in the order of
// their ids.
func (tx *Tx) UnsealedAfter(f AuditFilter, m AuditMoment, id int64, n int) ([]SealedRow, error) {
	var rows []SealedRow
	q, err := f.on(tx.db.Table("audit AS a").Select("a.*").
		Where("a.brain_id = ? AND a.id > ? AND a.id <= ? AND NOT EXISTS (SELECT FROM audit_chain c WHERE c.brain_id = a.brain_id AND c.audit_id = a.id AND c.seq <= ?)",
			tx.Brain, id, m.Last, m.Head.Seq), tx)
	if err != nil {
		return nil, err
	}
	return rows, q.Order("a.id").Limit(n).Find(&rows).Error
}

// Retain removes the sealed days of the log that were over before a time, and
// leaves a tombstone.
func (tx *Tx) Retain(before time.Time) (last models.Link, rows int64, err error) {
	var seq *int64
	err = tx.db.Raw("SELECT last, last_hash, gone FROM retain(?)", before).Row().Scan(&seq, &last.Hash, &rows)
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Message == "too_young" {
		return last, 0, fault.Field("before", "The last thirty days of the log always stay.")
	}
	if seq != nil {
		last.Seq = *seq
	}
	return last, rows, err
}

// Removable returns the last link that Retain would remove, and how many rows.
func (tx *Tx) Removable(before time.Time) (last, rows int64, err error) {
	err = tx.db.Raw(`WITH kept AS (SELECT min(c.seq) AS seq FROM audit_chain c JOIN audit a ON a.brain_id = c.brain_id AND a.id = c.audit_id
		WHERE c.brain_id = @brain AND a.at >= date_trunc('day', CAST(@before AS timestamptz), 'UTC'))
		SELECT coalesce(max(c.seq), 0), count(*) FROM audit_chain c, kept WHERE c.brain_id = @brain AND (kept.seq IS NULL OR c.seq < kept.seq)`,
		map[string]any{"brain": tx.Brain, "before": before}).Row().Scan(&last, &rows)
	return last, rows, err
}
