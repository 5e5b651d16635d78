package store

import (
	"time"

	"polaris/models"
)

// An AnswerDay counts the answers of one day by their guardrail.
type AnswerDay struct {
	Day        models.Date `json:"day"` // UTC
	Passed     int         `json:"passed"`
	Disclaimed int         `json:"disclaimed"`
	Blocked    int         `json:"blocked"`
}

// AnswerDays counts the brain's answers from a time on by days, the oldest first.
// Days without an answer are left out.
func (tx *Tx) AnswerDays(since time.Time) ([]AnswerDay, error) {
	days := []AnswerDay{}
	return days, tx.db.Raw(`SELECT (at AT TIME ZONE 'UTC')::date AS day,
			count(*) FILTER (WHERE guardrail = ?) AS passed, count(*) FILTER (WHERE guardrail = ?) AS disclaimed, count(*) FILTER (WHERE guardrail = ?) AS blocked
		FROM answers WHERE brain_id = ? AND at >= ? GROUP BY 1 ORDER BY 1`,
		models.GuardrailPass, models.GuardrailDisclaim, models.GuardrailBlock, tx.Brain, since).Scan(&days).Error
}

// A Gap is a question that was disclaimed, and not answered since.
type Gap struct {
	Question string    `json:"question"` // as it was last asked
	AnswerID string    `json:"answer_id"`
	Asked    int       `json:"asked"` // how often
	At       time.Time `json:"last_asked_at"`
}

// gapsLooked is how many questions are looked through for those that were
// answered meanwhile.
const gapsLooked = 50

// Gaps returns the questions disclaimed since a time that nobody was given an
// answer to after that, those asked most often first. Questions are the same
// where they differ in case and in space around them alone. Only those that are
// recorded in full are known.
func (tx *Tx) Gaps(since time.Time, most int) ([]Gap, error) {
	gaps := []Gap{}
	return gaps, tx.db.Raw(`WITH asked AS MATERIALIZED (
			SELECT lower(btrim(query)) AS q, count(*) AS asked, max(at) AS at, (array_agg(query ORDER BY at DESC, id DESC))[1] AS question, (array_agg(id ORDER BY at DESC, id DESC))[1] AS answer_id
			FROM answers WHERE brain_id = ? AND guardrail = ? AND kept = ? AND at >= ?
			GROUP BY 1 ORDER BY 2 DESC, 3 DESC LIMIT ?
		), since AS MATERIALIZED (
			SELECT lower(btrim(a.query)) AS q, max(a.at) AS at FROM answers a
			WHERE a.brain_id = ? AND a.guardrail = ? AND a.at >= (SELECT min(at) FROM asked) AND lower(btrim(a.query)) IN (SELECT q FROM asked) GROUP BY 1
		)
		SELECT question, answer_id, asked, asked.at FROM asked LEFT JOIN since USING (q)
		WHERE since.at IS NULL OR since.at < asked.at ORDER BY asked DESC, asked.at DESC LIMIT ?`,
		tx.Brain, models.GuardrailDisclaim, models.KeptFull, since, gapsLooked, tx.Brain, models.GuardrailPass, most).Scan(&gaps).Error
}

// FailedItems counts the documents that could not be read since a time, and
// names the newest import that has one; "" for none.
func (tx *Tx) FailedItems(since time.Time) (n int, imported string, err error) {
	err = tx.db.Raw(`SELECT count(*), coalesce((array_agg(m.id ORDER BY m.started_at DESC, m.id DESC))[1], '')
		FROM imports m JOIN import_items i ON i.brain_id = m.brain_id AND i.import_id = m.id AND i.state = 'failed'
		WHERE m.brain_id = ? AND m.started_at >= ?`, tx.Brain, since).Row().Scan(&n, &imported)
	return n, imported, err
}

// Queue says how many recommendations wait for a decision, since when the oldest
// does, and how many of them run out before a time.
type Queue struct {
	Waiting  int        `json:"waiting"`
	Oldest   *time.Time `json:"oldest_at,omitempty"`
	RunOut   int        `json:"expire_soon,omitempty"`
	Proposed int        `json:"own,omitempty"` // of them, by the person who asks
}

// QueueFor reads the queue as a person finds it.
func (tx *Tx) QueueFor(person string, now, soon time.Time) (q Queue, err error) {
	err = tx.db.Raw(`SELECT count(*), min(created_at), count(*) FILTER (WHERE expires_at < ?), count(*) FILTER (WHERE proposer = ?)
		FROM recommendations WHERE brain_id = ? AND state = 'pending' AND expires_at > ?`, soon, person, tx.Brain, now).Row().Scan(&q.Waiting, &q.Oldest, &q.RunOut, &q.Proposed)
	return q, err
}
