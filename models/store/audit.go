package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"polaris/models"
)

// AppendAudit adds a row in the transaction of what it records.
func (tx *Tx) AppendAudit(a *models.AuditRow) error {
	a.BrainID = tx.Brain
	a.Redact()
	a.At = a.At.UTC().Truncate(time.Microsecond)
	return tx.db.Table("audit").Create(a).Error
}

// AuditRows returns the newest n rows, newest first.
func (tx *Tx) AuditRows(n int) ([]models.AuditRow, error) {
	var as []models.AuditRow
	return as, tx.db.Table("audit").Where("brain_id = ?", tx.Brain).Order("id DESC").Limit(n).Find(&as).Error
}

// sealBatch bounds how many rows one sealing transaction links.
const sealBatch = 5000

// A chained is one row of audit_chain.
type chained struct {
	BrainID models.BrainID
	Seq     int64
	AuditID int64
	Hash    []byte
}

// Seal links the brain's committed, unsealed rows into its hash chain and
// returns how many it linked. One process seals a brain at a time; one that
// comes second returns at once. No other transaction waits for it.
func (s *Store) Seal(ctx context.Context, brain models.BrainID) (n int, err error) {
	n, _, err = s.seal(ctx, brain)
	return n, err
}

// What a sealing reads, all in one round trip: whether it is its turn, the head of
// the chain, and the rows. An array and no join: whatever the planner believes of
// the sizes, it looks the rows up by their key.
const (
	sealTurn = `SELECT pg_try_advisory_xact_lock(hashtextextended('seal:' || $1, 0))`
	sealHead = `SELECT seq, hash FROM (SELECT seq, hash FROM audit_chain WHERE brain_id = $1 UNION ALL SELECT seq, hash FROM audit_tombstones WHERE brain_id = $1) l ORDER BY seq DESC LIMIT 1`
	sealRows = `SELECT brain_id, id, at, kind, person, actor, authenticated, key_id, surface, operation, class, outcome, target, request_id, latency_micros, detail::text
FROM audit WHERE brain_id = $1 AND id = ANY (ARRAY(SELECT audit_id FROM audit_unsealed WHERE brain_id = $1 ORDER BY audit_id LIMIT $2)) ORDER BY id`
)

// What a sealing writes.
const (
	sealLinks = `INSERT INTO audit_chain (brain_id, seq, audit_id, hash) SELECT $1, u.seq, u.audit_id, u.hash FROM unnest($2::bigint[], $3::bigint[], $4::bytea[]) AS u(seq, audit_id, hash)`
	sealDone  = `DELETE FROM audit_unsealed WHERE brain_id = $1 AND audit_id = ANY ($2::bigint[])`
)

// seal also reports whether it was this process's turn. If not, another one
// seals, and may have begun before the newest rows were there.
func (s *Store) seal(ctx context.Context, brain models.BrainID) (n int, mine bool, err error) {
	err = mapped(pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		l := links{}
		if mine, err = l.read(ctx, tx, string(brain)); err != nil || !mine || len(l.ids) == 0 {
			return err
		}
		b := &pgx.Batch{}
		b.Queue(sealLinks, string(brain), l.seqs, l.ids, l.hashes)
		b.Queue(sealDone, string(brain), l.ids)
		n = len(l.ids)
		return tx.SendBatch(ctx, b).Close()
	}))
	if err != nil {
		n = 0
	}
	return n, mine, err
}

// links are new links of a brain's chain, column by column.
type links struct {
	seqs, ids []int64
	hashes    [][]byte
}

// read makes the links of the rows that have none, if it is this process's turn.
func (l *links) read(ctx context.Context, tx pgx.Tx, brain string) (mine bool, err error) {
	b := &pgx.Batch{}
	b.Queue("SELECT set_config('app.brain_id', $1, true)", brain)
	b.Queue(sealTurn, brain)
	b.Queue(sealHead, brain)
	b.Queue(sealRows, brain, sealBatch)
	res := tx.SendBatch(ctx, b)
	defer func() { err = errors.Join(err, res.Close()) }()
	if _, err := res.Exec(); err != nil {
		return false, err
	}
	if err := res.QueryRow().Scan(&mine); err != nil || !mine {
		return false, err
	}
	var head models.Link
	if err := res.QueryRow().Scan(&head.Seq, &head.Hash); err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return true, err
	}
	rows, err := res.Query()
	if err != nil {
		return true, err
	}
	return true, l.add(head, rows)
}

// add makes the links of rows, the first of which comes after head.
func (l *links) add(head models.Link, rows pgx.Rows) error {
	defer rows.Close()
	var a models.AuditRow
	var detail []byte
	into := []any{
		&a.BrainID, &a.ID, &a.At, &a.Kind, &a.Person, &a.Actor, &a.Authenticated, &a.KeyID, &a.Surface, &a.Operation, &a.Class, &a.Outcome,
		&a.Target, &a.RequestID, &a.LatencyMicros, &detail,
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		a.Detail = models.Detail{}
		if err := json.Unmarshal(detail, &a.Detail); err != nil {
			return err
		}
		head.Seq++
		head.Hash = models.ChainHash(head.Hash, head.Seq, a.Bytes())
		l.seqs, l.ids, l.hashes = append(l.seqs, head.Seq), append(l.ids, a.ID), append(l.hashes, head.Hash)
	}
	return rows.Err()
}

// LinkOf returns a row's place in the chain, the zero link while unsealed.
func (tx *Tx) LinkOf(auditID int64) (models.Link, error) {
	var l models.Link
	err := tx.db.Table("audit_chain").Select("seq, hash").Where("brain_id = ? AND audit_id = ?", tx.Brain, auditID).Take(&l).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return models.Link{}, nil
	}
	return l, err
}

// A ChainReport is what walking a brain's audit chain found.
type ChainReport struct {
	Sealed   int64    `json:"sealed"`
	Unsealed int64    `json:"unsealed"` // committed, not linked yet: seconds old, or the sealer is down
	HeadSeq  int64    `json:"head_seq"`
	HeadHash string   `json:"head_hash"`         // hex
	Removed  int64    `json:"removed,omitempty"` // so many links retention removed from the beginning
	Problems []string `json:"problems"`          // empty: nothing was changed, removed, reordered or inserted
}

// VerifyChain recomputes the brain's chain and names what does not fit. known
// is a link that somebody noted down, or the zero link: a chain that was cut off
// before it, or made anew, is consistent in itself and only so found.
func (tx *Tx) VerifyChain(known models.Link) (*ChainReport, error) {
	r := &ChainReport{Problems: []string{}}
	prev, err := tx.buried()
	if err != nil {
		return nil, err
	}
	if r.Removed = prev.Seq; r.Removed > 0 {
		switch named, err := tx.named(prev); {
		case err != nil:
			return nil, err
		case !named:
			r.Problems = append(r.Problems, fmt.Sprintf("the chain begins behind link %d, and no row says that retention removed what was before", prev.Seq))
		}
		if known.Seq == prev.Seq && !bytes.Equal(known.Hash, prev.Hash) {
			r.Problems = append(r.Problems, fmt.Sprintf("link %d is not the one that was noted down: the chain was made anew", prev.Seq))
		}
	}
	for {
		n, last, err := tx.walk(prev, known, r)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		prev = last
	}
	r.HeadSeq, r.HeadHash = prev.Seq, fmt.Sprintf("%x", prev.Hash)
	if known.Seq > prev.Seq {
		r.Problems = append(r.Problems, fmt.Sprintf("the chain ends at link %d: what came after it, up to link %d at least, was cut off", prev.Seq, known.Seq))
	}
	return r, tx.unlinked(r)
}

// mostInserted bounds how many rows are named that came in past the guards.
const mostInserted = 20

// unlinked counts the rows that no link names yet. Those that are not on their
// way to one came in past the guards, and no sealing would ever link them.
func (tx *Tx) unlinked(r *ChainReport) error {
	var rows []struct {
		ID    int64
		Waits bool
	}
	err := tx.db.Raw(`SELECT a.id, EXISTS (SELECT FROM audit_unsealed u WHERE u.brain_id = a.brain_id AND u.audit_id = a.id) AS waits FROM audit a
		WHERE a.brain_id = ? AND NOT EXISTS (SELECT FROM audit_chain c WHERE c.brain_id = a.brain_id AND c.audit_id = a.id) ORDER BY a.id`, tx.Brain).Scan(&rows).Error
	inserted := 0
	for _, row := range rows {
		if r.Unsealed++; row.Waits {
			continue
		}
		if inserted++; inserted <= mostInserted {
			r.Problems = append(r.Problems, fmt.Sprintf("audit row %d has no link and waits for none: it was inserted past the guards, or its link was removed", row.ID))
		}
	}
	if inserted > mostInserted {
		r.Problems = append(r.Problems, fmt.Sprintf("and %d rows more like it", inserted-mostInserted))
	}
	return err
}

// walkRows are the links after one, each with its row where that is there.
// Laterally and limited, so that an index leads to each row whatever the planner
// believes of the sizes: just after a restore it knows nothing.
const walkRows = `SELECT c.seq, c.audit_id, c.hash, a.id IS NOT NULL, coalesce(a.at, 'epoch'), coalesce(a.kind, ''), coalesce(a.person, ''), coalesce(a.actor, ''), coalesce(a.authenticated, false),
	coalesce(a.key_id, ''), coalesce(a.surface, ''), coalesce(a.operation, ''), coalesce(a.class, ''), coalesce(a.outcome, ''), coalesce(a.target, ''), coalesce(a.request_id, ''),
	coalesce(a.latency_micros, 0), coalesce(a.detail::text, '{}')
FROM (SELECT seq, audit_id, hash FROM audit_chain WHERE brain_id = ? AND seq > ? ORDER BY seq LIMIT ?) c
	LEFT JOIN LATERAL (SELECT * FROM audit WHERE brain_id = ? AND id = c.audit_id LIMIT 1) a ON true ORDER BY c.seq`

// walk holds the links after prev, so many that a batch has, against what was
// before each and against its row. It returns how many they were and the last.
func (tx *Tx) walk(prev, known models.Link, r *ChainReport) (n int, last models.Link, err error) {
	rows, err := tx.db.Raw(walkRows, tx.Brain, prev.Seq, sealBatch, tx.Brain).Rows()
	if err != nil {
		return 0, prev, err
	}
	defer rows.Close()
	for rows.Next() {
		l, a, there, detail := chained{}, models.AuditRow{BrainID: tx.Brain}, false, []byte(nil)
		if err := rows.Scan(&l.Seq, &l.AuditID, &l.Hash, &there, &a.At, &a.Kind, &a.Person, &a.Actor, &a.Authenticated, &a.KeyID, &a.Surface, &a.Operation, &a.Class, &a.Outcome,
			&a.Target, &a.RequestID, &a.LatencyMicros, &detail); err != nil {
			return n, prev, err
		}
		a.ID = l.AuditID
		r.check(prev, l, rowOf(&a, detail, there))
		if l.Seq == known.Seq && !bytes.Equal(l.Hash, known.Hash) {
			r.Problems = append(r.Problems, fmt.Sprintf("link %d is not the one that was noted down: the chain was made anew", l.Seq))
		}
		prev = models.Link{Seq: l.Seq, Hash: l.Hash}
		r.Sealed++
		n++
	}
	return n, prev, rows.Err()
}

// rowOf returns the row that a link names, nil where it is gone. One whose detail
// holds what none of ours would is as good as gone: the hash could not speak for
// it.
func rowOf(a *models.AuditRow, detail []byte, there bool) *models.AuditRow {
	if !there {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(detail))
	d.DisallowUnknownFields()
	if d.Decode(&a.Detail) != nil {
		return &models.AuditRow{} // fits no link
	}
	return a
}

// check holds one link against the one before it and against its row.
func (r *ChainReport) check(prev models.Link, l chained, row *models.AuditRow) {
	switch {
	case l.Seq != prev.Seq+1:
		r.Problems = append(r.Problems, fmt.Sprintf("link %d follows link %d: links between them were removed", l.Seq, prev.Seq))
	case row == nil:
		r.Problems = append(r.Problems, fmt.Sprintf("link %d: its audit row %d was removed", l.Seq, l.AuditID))
	case !bytes.Equal(models.ChainHash(prev.Hash, l.Seq, row.Bytes()), l.Hash):
		r.Problems = append(r.Problems, fmt.Sprintf("link %d: its audit row %d was changed, or the links were reordered", l.Seq, l.AuditID))
	}
}

// auditByID returns the rows that links name.
func (tx *Tx) auditByID(links []chained) (map[int64]*models.AuditRow, error) {
	ids := make([]int64, len(links))
	for i, l := range links {
		ids[i] = l.AuditID
	}
	var rows []struct {
		models.AuditRow
		Stored []byte
	}
	if err := tx.db.Table("audit").Select("*, detail AS stored").Where("brain_id = ? AND id IN ?", tx.Brain, ids).Find(&rows).Error; err != nil {
		return nil, err
	}
	by := make(map[int64]*models.AuditRow, len(rows))
	for i := range rows {
		rows[i].Detail = models.Detail{}
		by[rows[i].ID] = rowOf(&rows[i].AuditRow, rows[i].Stored, true)
	}
	return by, nil
}

// A Sealer seals what was written since it last looked, every second, and
// everything once a minute, for rows that other processes wrote.
type Sealer struct {
	store   *Store
	mu      sync.Mutex
	dirty   map[models.BrainID]mark // wrote since they were last sealed
	sealing map[models.BrainID]mark // taken from dirty, and not through yet
}

// NewSealer returns a sealer for s. Run drives it.
func NewSealer(s *Store) *Sealer {
	return &Sealer{store: s, dirty: map[models.BrainID]mark{}, sealing: map[models.BrainID]mark{}}
}

// Wrote tells the sealer that a brain has a new row.
func (z *Sealer) Wrote(brain models.BrainID) { z.mark(brain, mark{time.Now(), 1}) }

func (z *Sealer) mark(brain models.BrainID, m mark) {
	z.mu.Lock()
	z.dirty[brain] = z.dirty[brain].and(m)
	z.mu.Unlock()
}

// Run seals until ctx ends, and once more then.
func (z *Sealer) Run(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for i := 0; ; i++ {
		if i%60 == 0 {
			z.all(ctx)
		}
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			z.flush(last)
			return
		case <-tick.C:
			z.flush(ctx)
		}
	}
}

func (z *Sealer) all(ctx context.Context) {
	bs, err := z.store.Brains(ctx)
	if err != nil {
		return // the database is away; the next tick or minute tries again
	}
	z.mark(Instance, mark{})
	for _, b := range bs {
		z.mark(b.ID, mark{})
	}
}

func (z *Sealer) flush(ctx context.Context) {
	z.mu.Lock()
	z.sealing, z.dirty = z.dirty, map[models.BrainID]mark{}
	brains := slices.Collect(maps.Keys(z.sealing))
	z.mu.Unlock()
	for _, b := range brains {
		n, mine, err := z.store.seal(ctx, b)
		if err != nil && ctx.Err() == nil {
			z.store.log.Warn("sealing the audit log failed; trying again", "brain", b, "error", err)
		}
		z.sealed(b, err != nil || !mine || n == sealBatch)
	}
}

// sealed notes that a brain's rows are linked, or that some are still to do.
func (z *Sealer) sealed(brain models.BrainID, again bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if again {
		z.dirty[brain] = z.dirty[brain].and(z.sealing[brain])
	}
	delete(z.sealing, brain)
}
