package ops

import (
	"context"
	"fmt"
	"strconv"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// PurgeIn names a source that has to go, and says on whose order.
type PurgeIn struct {
	Source string `json:"source"` // id or code
	Reason string `json:"reason" schema:"maxLength=1000"`
}

// A Purging is what whoever decides on a purge is shown: what there is, and what
// will be there. It names the source by its code and hashes alone, because it
// stays when the source is gone.
type Purging struct {
	SourceID  string                  `json:"source_id"`
	Code      string                  `json:"code"`
	Reason    string                  `json:"reason,omitempty"`
	Revisions []models.PurgedRevision `json:"revisions,omitempty"`
	Versions  []int                   `json:"versions,omitempty"` // that hold it
	Answers   int64                   `json:"answers,omitempty"`  // recorded, that quote it
	AlsoIn    []string                `json:"also_in,omitempty"`  // codes of sources with the same bytes, which stay
	Purged    bool                    `json:"purged"`
}

// PurgeSource makes a source go for good, as a court's order or somebody's
// personal data may demand: its bytes, text, passages and terms leave every
// version, the recorded answers that quote it lose their bodies, and what waits
// and would bring it back is stale. A tombstone stays, manifests and hashes stay,
// and so does the audit log.
var PurgeSource = &Op[PurgeIn, models.Purge]{
	Name: "sources.purge", Tool: "purge_source", Title: "Purge a source", Route: "POST /v1/brains/{brain_id}/sources/{source}/purge",
	Summary: "Remove every text of a source for good, from all versions and recorded answers, on a court's order or for personal data. A tombstone with hashes stays. Another person decides on it, and nothing takes it back.",
	Class:   Irreversible, Needs: models.MayEditDraft, Offered: Web | CLI | REST,
	Final: "what was purged is gone; its tombstone stays",
	HTTP:  HTTP{Example: `{"reason":"Order 3 O 12/26 of the regional court"}`},
	Propose: func(_ context.Context, e *Env, in PurgeIn) (Subject, error) {
		s, err := toPurge(e, in)
		if err != nil {
			return Subject{}, err
		}
		before, err := e.Tx.Purging(s.ID)
		if err != nil {
			return Subject{}, err
		}
		now := Purging{s.ID, s.Code, "", before.Revisions, before.Versions, before.Answers, before.AlsoIn, false}
		return Subject{Name: "source " + s.Code, Before: now, After: Purging{SourceID: s.ID, Code: s.Code, Reason: clean(in.Reason), Purged: true}}, nil
	},
	Base: func(_ context.Context, e *Env, in PurgeIn) (string, error) {
		s, err := e.Tx.LockedSource(in.Source)
		if err != nil {
			return "", err
		}
		last, err := e.Tx.LastRevision(s.ID)
		if err != nil {
			return "", err
		}
		gone, err := e.Tx.PurgedSources()
		tag := fmt.Sprintf("%d revisions", last)
		if _, was := gone[s.ID]; was {
			tag += " purged"
		}
		return tag, err
	},
	Run: purgeSource,
}

// toPurge returns the source, locked, whether or not it is in the draft.
func toPurge(e *Env, in PurgeIn) (*models.Source, error) {
	s, err := e.Tx.LockedSource(in.Source)
	if err != nil {
		return nil, err
	}
	e.Audit.Target = s.Code
	if r := clean(in.Reason); r == "" || len(r) > longestReason {
		return nil, fault.Field("reason", "Say on whose order or for what reason, in at most %d bytes. It stays.", longestReason)
	}
	gone, err := e.Tx.PurgedSources()
	if err != nil {
		return nil, err
	}
	if _, was := gone[s.ID]; was {
		return nil, purgedAlready(s.Code)
	}
	return s, nil
}

func purgedAlready(code string) error {
	return fault.New(fault.Conflict, "%s was purged.", code).WithCode("purged")
}

func purgeSource(_ context.Context, e *Env, in PurgeIn) (models.Purge, error) {
	if _, err := e.Tx.ThisBrain(true); err != nil {
		return models.Purge{}, err // no publish meanwhile
	}
	s, err := toPurge(e, in)
	if err != nil {
		return models.Purge{}, err
	}
	p, err := e.Tx.Purge(s.ID, clean(in.Reason), e.Call.By.Actor)
	if err != nil {
		return models.Purge{}, err
	}
	passages := 0
	for _, r := range p.Went {
		passages += r.Passages
		e.changed("revision "+strconv.Itoa(r.Revision), "sha256 "+r.SHA256, "purged")
	}
	e.changed("purged", s.Code, fmt.Sprintf("%d revisions, %d passages, %d recorded answers: %s", len(p.Went), passages, p.Answers, clean(in.Reason)))
	for _, id := range p.Ended {
		row := models.AuditRow{
			At: e.Now, Kind: models.KindSystem, Actor: "system", Authenticated: true, Surface: "system", Operation: "recommendations.expire", Class: string(Reversible),
			Outcome: "ok", Target: id, RequestID: e.Call.RequestID, Detail: models.Detail{State: string(models.Stale), Subject: "source " + s.Code},
		}
		if err := e.Tx.AppendAudit(&row); err != nil {
			return models.Purge{}, err
		}
	}
	gone, err := e.Tx.PurgedSources()
	return gone[s.ID], err
}

// PurgeList is tombstones of sources, the oldest first.
type PurgeList struct {
	Purges []models.Purge `json:"purges"`
}

// ListPurges lists what was purged: what `bb restore --purged` must know of, when
// a backup from before is restored.
var ListPurges = &Op[None, PurgeList]{
	Name: "sources.purged", Title: "List purged sources", Route: "GET /v1/brains/{brain_id}/purges",
	Summary: "List the tombstones of sources that were purged: when, why, by whom, and the hashes of what went.",
	Class:   Read, Needs: models.MayReadRecords, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, _ None) (PurgeList, error) {
		ps, err := e.Tx.Purges()
		return PurgeList{ps}, err
	},
}

// purgedIn returns the codes of a version's sources that were purged since.
func purgedIn(v *models.Version, gone map[string]models.Purge) (codes []string) {
	for _, s := range v.Manifest.Sources {
		if _, was := gone[s.Source.ID]; was {
			codes = append(codes, s.Source.Code)
		}
	}
	return codes
}

// markPurged says of versions what of theirs was purged.
func markPurged(tx *store.Tx, vs []models.Version) error {
	gone, err := tx.PurgedSources()
	for i := range vs {
		vs[i].Purged = purgedIn(&vs[i], gone)
	}
	return err
}
