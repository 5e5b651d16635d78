package store

import (
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"polaris/models"
	"polaris/models/fault"
)

// batch bounds the rows of one INSERT: PostgreSQL takes 65,535 parameters, and
// a passage has twelve.
const batch = 1000

var noSource = fault.New(fault.NotFound, "No such source.").WithCode("no_such_source")

// SourceByCode returns a source by its code, locked until the transaction ends
// so that two imports of it follow one another.
func (tx *Tx) SourceByCode(code string) (*models.Source, error) {
	return one[models.Source](tx.db.Clauses(clause.Locking{Strength: "UPDATE"}).Where("brain_id = ? AND code = ?", tx.Brain, code), noSource)
}

// Source returns a source by its id or its code.
func (tx *Tx) Source(idOrCode string) (*models.Source, error) {
	return one[models.Source](tx.db.Where("brain_id = ? AND (id = ? OR code = ?)", tx.Brain, idOrCode, idOrCode), noSource)
}

// Sources returns the draft's sources, by code.
func (tx *Tx) Sources() ([]models.Source, error) {
	var ss []models.Source
	return ss, tx.db.Where("brain_id = ? AND removed_at IS NULL", tx.Brain).Order("code").Find(&ss).Error
}

// RemovedSources returns the sources that were taken out of the draft, by code.
func (tx *Tx) RemovedSources() ([]models.Source, error) {
	ss := []models.Source{}
	return ss, tx.db.Where("brain_id = ? AND removed_at IS NOT NULL", tx.Brain).Order("code").Find(&ss).Error
}

// TakenCodes returns the titles of all sources by their codes, with those that
// were removed from the draft: their codes stay theirs.
func (tx *Tx) TakenCodes() (map[string]string, error) {
	var ss []models.Source
	err := tx.db.Where("brain_id = ?", tx.Brain).Find(&ss).Error
	taken := make(map[string]string, len(ss))
	for _, s := range ss {
		taken[s.Code] = s.Title
	}
	return taken, err
}

// MarkRemoved takes a source out of the draft at a time, or puts it back with nil.
func (tx *Tx) MarkRemoved(s *models.Source, at *time.Time) error {
	s.RemovedAt = at
	return tx.db.Model(&models.Source{}).Where("brain_id = ? AND id = ?", tx.Brain, s.ID).Update("removed_at", at).Error
}

// LockedSource returns a source by its id or its code, locked until the
// transaction ends.
func (tx *Tx) LockedSource(idOrCode string) (*models.Source, error) {
	return one[models.Source](tx.db.Clauses(clause.Locking{Strength: "UPDATE"}).Where("brain_id = ? AND (id = ? OR code = ?)", tx.Brain, idOrCode, idOrCode), noSource)
}

// SaveSource inserts the source, or updates the one with its id. It is in the
// draft then, whether or not it had been removed.
func (tx *Tx) SaveSource(s *models.Source) error {
	s.BrainID, s.RemovedAt = tx.Brain, nil
	return duplicate(tx.db.Save(s).Error, &fault.Error{Kind: fault.Conflict, Code: "code_taken", Field: "code", Message: "Another source of this brain has the code " + s.Code + "."})
}

// SaveFacts saves what curators say of a source, in the draft or not.
func (tx *Tx) SaveFacts(s *models.Source) error {
	return tx.db.Model(&models.Source{}).Where("brain_id = ? AND id = ?", tx.Brain, s.ID).
		Select("title", "jurisdiction", "origin_url", "owner", "review_by", "effective_from", "effective_to", "supersedes").Updates(s).Error
}

// RevisionByHash returns the source's revision that was made from bytes with
// this SHA-256, or a NotFound fault.
func (tx *Tx) RevisionByHash(sourceID string, sum []byte) (*models.Revision, error) {
	return one[models.Revision](tx.db.Omit("text").Where("brain_id = ? AND source_id = ? AND sha256 = ?", tx.Brain, sourceID, sum), fault.New(fault.NotFound, "No such revision."))
}

// SourceOfBytes returns the source whose head was made from bytes with this
// SHA-256, or a NotFound fault.
func (tx *Tx) SourceOfBytes(sum []byte) (*models.Source, error) {
	return one[models.Source](tx.db.Joins("JOIN revisions r ON r.brain_id = sources.brain_id AND r.source_id = sources.id AND r.n = sources.head").
		Where("sources.brain_id = ? AND sources.removed_at IS NULL AND r.sha256 = ?", tx.Brain, sum).Order("sources.code"), noSource)
}

// LastRevision returns the number of the source's newest revision, 0 for none.
func (tx *Tx) LastRevision(sourceID string) (int, error) {
	var n int
	return n, tx.db.Model(&models.Revision{}).Select("coalesce(max(n), 0)").Where("brain_id = ? AND source_id = ?", tx.Brain, sourceID).Scan(&n).Error
}

// InsertRevision saves a document as an immutable revision with its passages,
// terms and references, and the bytes that it was made from.
func (tx *Tx) InsertRevision(d *models.Doc, raw []byte) error {
	r := &d.Revision
	r.BrainID = tx.Brain
	if r.Flags == nil {
		r.Flags = []models.Flag{}
	}
	if r.Report == nil {
		r.Report = &models.ReadReport{}
	}
	if err := tx.db.Exec(`INSERT INTO blobs (brain_id, sha256, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, tx.Brain, r.SHA256, raw).Error; err != nil {
		return err
	}
	if err := tx.db.Create(r).Error; err != nil {
		return err
	}
	for i := range d.Passages {
		p := &d.Passages[i]
		p.BrainID, p.SourceID, p.Revision = tx.Brain, r.SourceID, r.N
	}
	if err := tx.insertPassages(r, d.Passages); err != nil {
		return err
	}
	if err := tx.insertTerms(r, d.Terms); err != nil {
		return err
	}
	return tx.insertRefs(r, d.Refs)
}

// Doc returns one revision with its passages, terms and references.
func (tx *Tx) Doc(s models.Source, revision int) (*models.Doc, error) {
	d := &models.Doc{Source: s}
	of := func(n string) *gorm.DB {
		return tx.db.Where("brain_id = ? AND source_id = ? AND "+n+" = ?", tx.Brain, s.ID, revision)
	}
	r, err := one[models.Revision](of("n"), fault.New(fault.NotFound, "No such revision."))
	if err != nil {
		return nil, err
	}
	d.Revision = *r
	if err := of("revision").Order("ordinal").Find(&d.Passages).Error; err != nil {
		return nil, err
	}
	if err := of("revision").Table("terms").Order("ordinal, name").Find(&d.Terms).Error; err != nil {
		return nil, err
	}
	return d, of("revision").Table("cross_references").Order("n").Find(&d.Refs).Error
}

// CorpusOf loads all that a manifest names.
func (tx *Tx) CorpusOf(m models.Manifest) (*models.Corpus, error) {
	c := &models.Corpus{Brain: tx.Brain, Cards: m.Cards}
	for _, ms := range m.Sources {
		d, err := tx.Doc(ms.Source, ms.Revision)
		if err != nil {
			return nil, err
		}
		c.Docs = append(c.Docs, *d)
	}
	return c, nil
}

// DraftKeys returns the draft as far as citations need it: its sources, and of
// their passages the keys alone.
func (tx *Tx) DraftKeys() (*models.Corpus, error) {
	ss, err := tx.Sources()
	if err != nil {
		return nil, err
	}
	c := &models.Corpus{Brain: tx.Brain, Docs: make([]models.Doc, len(ss))}
	at := make(map[string]*models.Doc, len(ss))
	for i, s := range ss {
		c.Docs[i].Source = s
		at[s.ID] = &c.Docs[i]
	}
	var ps []models.Passage
	err = tx.db.Model(&models.Passage{}).Select("passages.source_id, passages.ordinal, passages.key").
		Joins("JOIN sources s ON s.brain_id = passages.brain_id AND s.id = passages.source_id AND s.head = passages.revision").
		Where("passages.brain_id = ?", tx.Brain).Order("passages.source_id, passages.ordinal").Scan(&ps).Error
	for _, p := range ps {
		if d := at[p.SourceID]; d != nil { // else it was imported since the sources were read
			d.Passages = append(d.Passages, p)
		}
	}
	return c, err
}

// DraftRefs returns what the passages of the draft cite, in the order of the
// text, by the source's id.
func (tx *Tx) DraftRefs() (map[string][]models.Reference, error) {
	var rows []struct {
		SourceID string
		models.Reference
	}
	err := tx.db.Table("cross_references x").Select("x.*").
		Joins("JOIN sources s ON s.brain_id = x.brain_id AND s.id = x.source_id AND s.head = x.revision").
		Where("x.brain_id = ? AND s.removed_at IS NULL", tx.Brain).Order("x.source_id, x.n").Scan(&rows).Error
	by := map[string][]models.Reference{}
	for _, r := range rows {
		by[r.SourceID] = append(by[r.SourceID], r.Reference)
	}
	return by, err
}

// DraftPassages returns how many passages the draft's revision of each of the
// sources has, by the source's id.
func (tx *Tx) DraftPassages(of []models.Source) (map[string]int, error) {
	ids := make([]string, len(of))
	for i, s := range of {
		ids[i] = s.ID
	}
	var rows []struct {
		SourceID string
		N        int
	}
	err := tx.db.Model(&models.Passage{}).Select("passages.source_id, count(*) AS n").
		Joins("JOIN sources s ON s.brain_id = passages.brain_id AND s.id = passages.source_id AND s.head = passages.revision").
		Where("passages.brain_id = ? AND passages.source_id IN ?", tx.Brain, ids).Group("passages.source_id").Scan(&rows).Error
	counts := make(map[string]int, len(rows))
	for _, r := range rows {
		counts[r.SourceID] = r.N
	}
	return counts, err
}

// DraftPassage returns the passage of a source's head that has the key, and its
// text with that of the passages below it.
func (tx *Tx) DraftPassage(s models.Source, key string) (*models.Passage, string, error) {
	p, err := one[models.Passage](tx.db.Where("brain_id = ? AND source_id = ? AND revision = ? AND key = ?", tx.Brain, s.ID, s.Head, key), fault.New(fault.NotFound, "No such passage."))
	if err != nil {
		return nil, "", err
	}
	text, err := tx.TextAround(s.ID, s.Head, p.Start, p.SpanEnd)
	return p, text, err
}
