package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

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
	case <-s.closing: // a request that the grace period cut off is still on its way
		return auditDown
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
	case <-s.done: // it came into the queue after the last look at it
		return auditDown
	case <-ctx.Done():
		return ctx.Err()
	case <-limit.C:
		return auditDown
	}
}

// commitServed writes what gathers in the queue until the store is closed, and
// then what is still in it. The queue itself is never closed: who comes late
// would panic.
func (s *Store) commitServed() {
	defer close(s.done)
	for {
		select {
		case first := <-s.served:
			s.commitBatch(first)
			continue
		case <-s.closing:
		}
		select {
		case first := <-s.served:
			s.commitBatch(first)
		default:
			return
		}
	}
}

// commitBatch writes one answer's rows, and those of all that wait behind it.
func (s *Store) commitBatch(first *served) {
	es := []*served{first}
	for more := true; more && len(es) < servedBatch; {
		select {
		case e := <-s.served:
			es = append(es, e)
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
		return
	}
	for _, e := range es {
		e.done <- err
	}
}

const insertServedAudit = `INSERT INTO audit (brain_id, at, kind, person, actor, authenticated, key_id, surface, operation, class, outcome, target, request_id, latency_micros, detail)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) RETURNING id`

// insertServedBoth adds the row and the answer's record that names it.
const insertServedBoth = `WITH a AS (` + insertServedAudit + `)
INSERT INTO answers (brain_id, id, at, query, topics, version, surface, actor, person, key_id, audit_id, guardrail, envelope)
SELECT $1, $16, $2, $17, $18, $19, $8, $5, $4, $7, a.id, $20, $21 FROM a`

// insertServedMany adds many rows of one brain, and the records of those that
// are answers. A record finds its row by the answer's id, which is the row's
// target. It costs more to start and less for each row: see [manyServed].
const insertServedMany = `WITH a AS (
INSERT INTO audit (brain_id, at, kind, person, actor, authenticated, key_id, surface, operation, class, outcome, target, request_id, latency_micros, detail)
SELECT $1, u.at, u.kind, u.person, u.actor, u.authenticated, u.key_id, u.surface, u.operation, u.class, u.outcome, u.target, u.request_id, u.latency_micros, u.detail::jsonb
FROM unnest($2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::text[])
  AS u(at, kind, person, actor, authenticated, key_id, surface, operation, class, outcome, target, request_id, latency_micros, detail)
RETURNING id, at, person, actor, key_id, surface, target)
INSERT INTO answers (brain_id, id, at, query, topics, version, surface, actor, person, key_id, audit_id, guardrail, envelope)
SELECT $1, n.id, a.at, n.query, n.topics::jsonb, n.version, a.surface, a.actor, a.person, a.key_id, a.id, n.guardrail, n.envelope
FROM unnest($16::text[], $17::text[], $18::text[], $19::bigint[], $20::text[], $21::text[]) AS n(id, query, topics, version, guardrail, envelope)
JOIN a ON a.target = n.id`

// writeServed commits the rows in one round trip. What is sent in one batch is
// one transaction, which ends with it: there is no BEGIN and no COMMIT to pay
// for.
func (s *Store) writeServed(es []*served) (err error) {
	began, n := time.Now(), len(es)
	defer func() { s.tallies.committed(n, time.Since(began), err) }()
	ctx, cancel := context.WithTimeout(context.Background(), servedTimeout)
	defer cancel()
	b := &pgx.Batch{}
	// Brain after brain: row-level security knows one at a time.
	slices.SortStableFunc(es, func(a, b *served) int { return cmp.Compare(a.row.BrainID, b.row.BrainID) })
	for len(es) > 0 {
		brain, n := es[0].row.BrainID, 1
		for n < len(es) && es[n].row.BrainID == brain {
			n++
		}
		b.Queue("SELECT set_config('app.brain_id', $1, true)", string(brain))
		if err := queueServed(b, es[:n]); err != nil {
			return err
		}
		es = es[n:]
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // a connection left in a failed transaction is closed by the pool
	return bounded(conn.Conn(), servedTimeout, func(ctx context.Context, c *pgx.Conn) error { return c.SendBatch(ctx, b).Close() })
}

// manyServed is from how many rows of one brain on one statement for all is
// quicker than one for each: measured, at one row it takes 1.4 times as long, at
// sixteen .8 times.
const manyServed = 4

// queueServed queues what adds the rows of one brain.
func queueServed(b *pgx.Batch, es []*served) error {
	if len(es) >= manyServed {
		c := &columns{}
		for _, e := range es {
			if err := c.add(e); err != nil {
				return err
			}
		}
		c.queue(b, es[0].row.BrainID)
		return nil
	}
	for _, e := range es {
		if err := queueOne(b, e); err != nil {
			return err
		}
	}
	return nil
}

func queueOne(b *pgx.Batch, e *served) error {
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

// columns are rows of one brain and their records, column by column.
type columns struct {
	at                                             []time.Time
	kind, person, actor, key, surface              []string
	operation, class, outcome, target, req, detail []string
	authenticated                                  []bool
	latency                                        []int64

	id, query, topics, guardrail []string
	envelope                     bodies
	version                      []int64
}

func (c *columns) queue(b *pgx.Batch, brain models.BrainID) {
	b.Queue(insertServedMany, string(brain), c.at, c.kind, c.person, c.actor, c.authenticated, c.key, c.surface, c.operation, c.class, c.outcome,
		c.target, c.req, c.latency, c.detail, c.id, c.query, c.topics, c.version, c.guardrail, c.envelope)
}

func (c *columns) add(e *served) error {
	r, a := e.row, e.answer
	detail, err := json.Marshal(r.Detail)
	if err != nil {
		return err
	}
	c.at, c.authenticated, c.latency = append(c.at, r.At), append(c.authenticated, r.Authenticated), append(c.latency, r.LatencyMicros)
	for _, f := range []struct {
		to    *[]string
		value string
	}{
		{&c.kind, string(r.Kind)},
		{&c.person, r.Person},
		{&c.actor, r.Actor},
		{&c.key, r.KeyID},
		{&c.surface, r.Surface},
		{&c.operation, r.Operation},
		{&c.class, r.Class},
		{&c.outcome, r.Outcome},
		{&c.target, r.Target},
		{&c.req, r.RequestID},
		{&c.detail, string(detail)},
	} {
		*f.to = append(*f.to, f.value)
	}
	if a == nil {
		return nil
	}
	topics, err := json.Marshal(a.Topics)
	if err != nil {
		return err
	}
	c.id, c.query, c.topics = append(c.id, a.ID), append(c.query, a.Query), append(c.topics, string(topics))
	c.version, c.guardrail, c.envelope = append(c.version, int64(a.Version)), append(c.guardrail, a.Guardrail), append(c.envelope, a.Body)
	return nil
}

// bodies are texts of many kilobytes, as a parameter. pgx appends one text after
// another to a buffer that grows as it goes; of these it was a fifth of all that
// an answer allocates.
type bodies []string

// A growing is the plan by which bodies are encoded: as any texts are, into a
// buffer that has room for all of them.
type growing struct{ next pgtype.EncodePlan }

func planBodies(value any) (pgtype.WrappedEncodePlanNextSetter, any, bool) {
	b, ok := value.(bodies)
	return &growing{}, []string(b), ok
}

// SetNext is told the plan for any texts.
func (g *growing) SetNext(next pgtype.EncodePlan) { g.next = next }

// Encode appends the bodies to buf.
func (g *growing) Encode(value any, buf []byte) ([]byte, error) {
	b := value.(bodies)
	n := 64 // of the list's own
	for _, s := range b {
		n += len(s) + 4
	}
	return g.next.Encode([]string(b), slices.Grow(buf, n))
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
