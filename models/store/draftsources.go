package store

import (
	"time"

	"gorm.io/gorm"

	"polaris/models"
)

// A SourceState is what a list of sources can be narrowed to.
type SourceState string

// The states of sources of the draft, and of those that were taken out of it.
const (
	SourceSuspended SourceState = "suspended" // all of it, or a passage
	SourceHeld      SourceState = "held"      // its draft revision waits for a curator
	SourceReviewDue SourceState = "review_due"
	SourceWarned    SourceState = "warnings" // came of reading it
	SourceRemoved   SourceState = "removed"
)

// A SourceOrder is what a list of sources is sorted by.
type SourceOrder string

// The orders. Each goes on by the code where it says nothing.
const (
	ByCode   SourceOrder = "code"
	ByTitle  SourceOrder = "title"
	ByAdded  SourceOrder = "added"  // the newest first
	ByReview SourceOrder = "review" // what is due first; without a date last
)

// A SourceFilter says which sources are wanted. What is zero is not asked for.
type SourceFilter struct {
	State  SourceState
	Format string // media type of the draft's revision
	Text   string // in code, title, owner or origin, whatever its case
	Import string // id of the import that they came with
	Today  models.Date
}

// A SourceRow is a source with what a list tells of its draft revision.
type SourceRow struct {
	models.Source
	MediaType   string
	Language    string
	Passages    int
	Warnings    int
	Flags       int
	Held        bool
	Suspended   bool // all of it
	OffPassages int  // passages that are suspended
	Purged      bool
}

// wanted narrows a query of sources, joined with their draft revisions as r.
func (f SourceFilter) wanted(q *gorm.DB) *gorm.DB {
	if f.State == SourceRemoved {
		q = q.Where("s.removed_at IS NOT NULL")
	} else {
		q = q.Where("s.removed_at IS NULL")
	}
	switch f.State {
	case SourceSuspended:
		q = q.Where("EXISTS (SELECT FROM suspensions x WHERE x.brain_id = s.brain_id AND x.source_id = s.id)")
	case SourceHeld:
		q = q.Where("r.flags <> '[]' AND " + uncertified)
	case SourceReviewDue:
		q = q.Where("s.review_by <= ?", f.Today)
	case SourceWarned:
		q = q.Where("r.warnings <> '[]'")
	}
	if f.Format != "" {
		q = q.Where("r.media_type = ?", f.Format)
	}
	if f.Text != "" {
		q = q.Where("strpos(lower(s.code || E'\\n' || s.title || E'\\n' || s.owner || E'\\n' || s.origin_url), lower(?)) > 0", f.Text)
	}
	if f.Import != "" {
		q = q.Where("s.id IN (SELECT i.source_id FROM import_items i WHERE i.brain_id = s.brain_id AND i.import_id = ?)", f.Import)
	}
	return q
}

// uncertified says that nobody vouches for a source's draft revision.
const uncertified = "NOT EXISTS (SELECT FROM certifications c WHERE c.brain_id = r.brain_id AND c.source_id = r.source_id AND c.revision = r.n)"

// orders are what each order sorts by; "" is by the code alone. All but one go
// up.
var orders = map[SourceOrder]struct {
	by   string
	down bool
}{
	ByTitle:  {by: "lower(s.title)"},
	ByAdded:  {by: "s.created_at", down: true},
	ByReview: {by: "coalesce(s.review_by, 'infinity')"},
}

// FindSources returns some of the sources that a filter wants. A stretch goes on
// behind the source whose code its mark names, wherever that stands now.
func (tx *Tx) FindSources(f SourceFilter, by SourceOrder, s Stretch) ([]SourceRow, error) {
	rows := []SourceRow{}
	q := f.wanted(tx.draftSources()).Select(`s.*, r.media_type, r.language, jsonb_array_length(r.warnings) AS warnings, jsonb_array_length(r.flags) AS flags, r.flags <> '[]' AND ` + uncertified + ` AS held,
		(SELECT coalesce(max(p.ordinal), -1) + 1 FROM passages p WHERE p.brain_id = s.brain_id AND p.source_id = s.id AND p.revision = s.head) AS passages,
		EXISTS (SELECT FROM suspensions x WHERE x.brain_id = s.brain_id AND x.source_id = s.id AND x.key = '') AS suspended,
		(SELECT count(*) FROM suspensions x WHERE x.brain_id = s.brain_id AND x.source_id = s.id AND x.key <> '') AS off_passages,
		EXISTS (SELECT FROM purges u WHERE u.brain_id = s.brain_id AND u.source_id = s.id) AS purged`)
	o := orders[by]
	way, beyond := "", ">"
	if o.down {
		way, beyond = " DESC", "<"
	}
	if o.by == "" {
		return rows, s.named(q, "s.code").Scan(&rows).Error
	}
	if s.After != (Mark{}) {
		q = q.Where("("+o.by+", s.code) "+beyond+" (SELECT "+o.by+", s.code FROM sources s WHERE s.brain_id = ? AND s.code = ?)", tx.Brain, s.After.ID)
	}
	return rows, q.Order(o.by + way + ", s.code" + way).Limit(s.N).Scan(&rows).Error
}

// CountSources returns how many sources a filter wants.
func (tx *Tx) CountSources(f SourceFilter) (int, error) {
	var n int64
	return int(n), f.wanted(tx.draftSources()).Count(&n).Error
}

// Formats returns the media types of the draft's sources.
func (tx *Tx) Formats() ([]string, error) {
	all := []string{}
	return all, SourceFilter{}.wanted(tx.draftSources()).Distinct("r.media_type").Order("r.media_type").Pluck("r.media_type", &all).Error
}

func (tx *Tx) draftSources() *gorm.DB {
	return tx.db.Table("sources s").Joins("JOIN revisions r ON r.brain_id = s.brain_id AND r.source_id = s.id AND r.n = s.head").Where("s.brain_id = ?", tx.Brain)
}

// A RevisionRow is a revision as a source's history tells it.
type RevisionRow struct {
	N           int       `json:"n"`
	Name        string    `json:"file"`
	MediaType   string    `json:"media_type"`
	SHA256      []byte    `json:"-" gorm:"column:sha256"`
	Passages    int       `json:"passages"`
	Warnings    int       `json:"warnings,omitempty"`
	Flags       int       `json:"flags,omitempty"`
	CertifiedBy string    `json:"certified_by,omitempty"`
	CreatedAt   time.Time `json:"created_at"`
	CreatedBy   string    `json:"created_by"`
}

// mostRevisions bounds the history of a source.
const mostRevisions = 100

// RevisionRows returns the newest revisions of a source, the newest first.
func (tx *Tx) RevisionRows(sourceID string) ([]RevisionRow, error) {
	rows := []RevisionRow{}
	return rows, tx.db.Table("revisions r").Select(`r.n, r.name, r.media_type, r.sha256, r.created_at, r.created_by, jsonb_array_length(r.warnings) AS warnings, jsonb_array_length(r.flags) AS flags,
			(SELECT coalesce(max(p.ordinal), -1) + 1 FROM passages p WHERE p.brain_id = r.brain_id AND p.source_id = r.source_id AND p.revision = r.n) AS passages,
			coalesce((SELECT h.email FROM certifications c JOIN persons h ON h.id = c.person_id WHERE c.brain_id = r.brain_id AND c.source_id = r.source_id AND c.revision = r.n LIMIT 1), '') AS certified_by`).
		Where("r.brain_id = ? AND r.source_id = ?", tx.Brain, sourceID).Order("r.n DESC").Limit(mostRevisions).Scan(&rows).Error
}
