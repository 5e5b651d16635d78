package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"polaris/models"
	"polaris/models/fault"
)

const (
	servedQueue   = 1024            // answers that may wait for their rows
	servedBatch   = 256             // rows of one commit at most
	servedTimeout = 5 * time.Second // then the answer is not given
)

// A served is one answer whose audit row and record wait for their commit.
type served struct {
	row    *models.AuditRow
	answer *models.Answer // nil: the row alone
	done   chan error     // buffered: the committer never waits
}

// auditDown is what a caller gets whose row could not be made durable.
var auditDown = fault.New(fault.Unavailable, "The audit log cannot be written, so nothing is answered. Try again in a moment.").WithCode("audit_unavailable")

// AppendServed makes the audit row of a served answer durable, and its record
// with it, and returns only then. Rows of many callers share one commit: while
// one is being written to disk the next ones gather.
func (s *Store) AppendServed(ctx context.Context, row *models.AuditRow, answer *models.Answer) error {
	row.Redact()
	row.At = row.At.UTC().Truncate(time.Microsecond)
	e := &served{row: row, answer: answer, done: make(chan error, 1)}
	limit := time.NewTimer(servedTimeout)
	defer limit.Stop()
	select {
	case s.served <- e:
	case <-ctx.Done():
		return ctx.Err()
	case <-limit.C:
		return auditDown
	}
	select {
	case err := <-e.done:
		if err != nil {
			return auditDown.Because(err)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-limit.C:
		return auditDown
	}
}

// commitServed writes what gathers in the queue until the queue is closed.
func (s *Store) commitServed() {
	defer close(s.done)
	for first := range s.served {
		es := []*served{first}
		for more := true; more && len(es) < servedBatch; {
			select {
			case e, ok := <-s.served:
				if ok {
					es = append(es, e)
				}
				more = ok
			default:
				more = false
			}
		}
		err := s.writeServed(es)
		if err != nil && len(es) > 1 && !pgconn.Timeout(err) {
			// One bad row must not take the others with it. But where it was time that
			// ran out, each alone would let it run out again, and all who come next
			// would wait behind them.
			for _, e := range es {
				e.done <- s.writeServed([]*served{e})
			}
			continue
		}
		for _, e := range es {
			e.done <- err
		}
	}
}

const insertServedAudit = `INSERT INTO audit (brain_id, at, kind, person, actor, authenticated, key_id, surface, operation, class, outcome, target, request_id, latency_micros, detail)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) RETURNING id`

// insertServedBoth adds the row and the answer's record that names it.
const insertServedBoth = `WITH a AS (` + insertServedAudit + `)
INSERT INTO answers (brain_id, id, at, query, topics, version, surface, actor, person, key_id, audit_id, guardrail, envelope)
SELECT $1, $16, $2, $17, $18, $19, $8, $5, $4, $7, a.id, $20, $21 FROM a`

// writeServed commits the rows in one round trip.
func (s *Store) writeServed(es []*served) (err error) {
	began := time.Now()
	defer func() { s.tallies.committed(len(es), time.Since(began), err) }()
	ctx, cancel := context.WithTimeout(context.Background(), servedTimeout)
	defer cancel()
	b := &pgx.Batch{}
	b.Queue("BEGIN")
	var brain models.BrainID
	for _, e := range es {
		if e.row.BrainID != brain {
			brain = e.row.BrainID
			b.Queue("SELECT set_config('app.brain_id', $1, true)", string(brain))
		}
		if err := queueServed(b, e); err != nil {
			return err
		}
	}
	b.Queue("COMMIT")
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // a connection left in a failed transaction is closed by the pool
	return conn.SendBatch(ctx, b).Close()
}

func queueServed(b *pgx.Batch, e *served) error {
	r := e.row
	detail, err := json.Marshal(r.Detail)
	if err != nil {
		return err
	}
	args := []any{string(r.BrainID), r.At, string(r.Kind), r.Person, r.Actor, r.Authenticated, r.KeyID, r.Surface, r.Operation, r.Class, r.Outcome, r.Target, r.RequestID, r.LatencyMicros, detail}
	a := e.answer
	if a == nil {
		b.Queue(insertServedAudit, args...)
		return nil
	}
	topics, err := json.Marshal(a.Topics)
	if err != nil {
		return err
	}
	b.Queue(insertServedBoth, append(args, a.ID, a.Query, topics, a.Version, a.Guardrail, a.Body)...)
	return nil
}

// NoAnswer is the answer for a record that is not there and for one that the
// caller may not read.
var NoAnswer = fault.New(fault.NotFound, "No such answer.").WithCode("no_such_answer")

// Answer returns the record of a served answer.
func (tx *Tx) Answer(id string) (*models.Answer, error) {
	return one[models.Answer](tx.db.Where("brain_id = ? AND id = ?", tx.Brain, id), NoAnswer)
}

// TextAround returns the bytes of a revision's text from start to end, both cut
// to the text. Only that piece leaves the database.
func (tx *Tx) TextAround(sourceID string, revision, start, end int) (string, error) {
	start = max(0, start)
	var text []byte
	err := tx.db.Raw(`SELECT substring(convert_to(text, 'UTF8') FROM ? FOR ?) FROM revisions WHERE brain_id = ? AND source_id = ? AND n = ?`,
		start+1, max(0, end-start), tx.Brain, sourceID, revision).Row().Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return "", fault.New(fault.NotFound, "No such revision.")
	}
	return string(text), err
}

// AuditRow returns one row of the brain's audit log.
func (tx *Tx) AuditRow(id int64) (*models.AuditRow, error) {
	return one[models.AuditRow](tx.db.Table("audit").Where("brain_id = ? AND id = ?", tx.Brain, id), fault.New(fault.NotFound, "No such audit row."))
}
