package store

import (
	"context"
	"encoding/json"
	"time"

	"polaris/models"
)

// purgeAgain takes what tombstones name out of what was restored just now, and
// puts the tombstones there. Each has its row in the brain's log.
func (t *moved) purgeAgain(ctx context.Context, m *Manifest) error {
	for _, p := range m.Purged {
		if err := t.enter(ctx, p.BrainID); err != nil {
			return err
		}
		var holds bool
		err := t.conn.QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM sources s WHERE s.brain_id = $1 AND s.id = $2)
			AND NOT EXISTS (SELECT FROM purges p WHERE p.brain_id = $1 AND p.source_id = $2)`, p.BrainID, p.SourceID).Scan(&holds)
		if err != nil {
			return err
		}
		if !holds {
			continue // younger than the backup, or purged in it already
		}
		if err := t.bury(ctx, p); err != nil {
			return err
		}
		m.Again = append(m.Again, p.Code)
	}
	return nil
}

func (t *moved) bury(ctx context.Context, p models.Purge) error {
	// A document that waits for a decision on it goes as well; what was asked for
	// with it can then only be rejected, or runs out.
	_, err := t.conn.ExecContext(ctx, `DELETE FROM quarantine q USING recommendations r WHERE q.brain_id = $1 AND r.brain_id = $1 AND r.id = q.recommendation_id
		AND (r.target = 'source ' || $3 OR EXISTS (SELECT FROM revisions v WHERE v.brain_id = $1 AND v.source_id = $2 AND v.sha256 = q.sha256))`, p.BrainID, p.SourceID, p.Code)
	if err != nil {
		return err
	}
	if _, err := t.conn.ExecContext(ctx, `SELECT purge_rows($1, $2)`, p.BrainID, p.SourceID); err != nil {
		return err
	}
	went, err := json.Marshal(p.Went)
	if err != nil {
		return err
	}
	by, err := json.Marshal(append([]string{}, p.ApprovedBy...))
	if err != nil {
		return err
	}
	_, err = t.conn.ExecContext(ctx, `INSERT INTO purges (brain_id, source_id, code, reason, went, answers, recommendation_id, proposed_by, approved_by, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, p.BrainID, p.SourceID, p.Code, p.Reason, string(went), p.Answers, p.Recommendation, p.ProposedBy, string(by), p.At)
	if err != nil {
		return err
	}
	row := models.AuditRow{
		At: time.Now(), Kind: models.KindTerminal, Actor: "terminal", Surface: "cli", Operation: "sources.purge", Class: "A4", Outcome: "ok", Target: p.Code,
		Detail: models.Detail{Rationale: p.Reason, Changes: []models.Change{{Field: "purged", From: p.Code, To: "again, by its tombstone, when a backup from before was restored"}}},
	}
	if err := (&Tx{Brain: p.BrainID, db: t.gorm}).AppendAudit(&row); err != nil {
		return err
	}
	// The trigger that does so is down.
	_, err = t.conn.ExecContext(ctx, `INSERT INTO audit_unsealed (brain_id, audit_id) VALUES ($1, $2)`, p.BrainID, row.ID)
	return err
}
