package store

import (
	"bytes"

	"polaris/models"
)

// ManifestOfDraft returns what a publish of the draft would freeze now. Of a
// source that is held it is the revision which answers now, if there is one.
func (tx *Tx) ManifestOfDraft() (models.Manifest, error) {
	m, _, err := tx.DraftAndHeld()
	return m, err
}

// DraftAndHeld returns what a publish of the draft would freeze now, and the
// sources whose draft revision is held back: what was found in them waits for a
// curator's word.
func (tx *Tx) DraftAndHeld() (models.Manifest, []models.HeldSource, error) {
	m := models.Manifest{Sources: []models.ManifestSource{}}
	ss, err := tx.Sources()
	if err != nil {
		return m, nil, err
	}
	heads, err := tx.Heads()
	if err != nil {
		return m, nil, err
	}
	var held []models.HeldSource
	var served map[string]models.ManifestSource // read when it is first needed
	for _, s := range ss {
		s.CreatedAt = s.CreatedAt.UTC()
		h := heads[s.ID]
		if !h.Held {
			m.Sources = append(m.Sources, models.ManifestSource{Source: s, Revision: s.Head, SHA256: h.SHA256})
			continue
		}
		if served == nil {
			if served, err = tx.served(); err != nil {
				return m, nil, err
			}
		}
		x := models.HeldSource{SourceID: s.ID, Code: s.Code, Title: s.Title, Revision: s.Head, Flags: h.Flags}
		if was, ok := served[s.ID]; ok {
			x.Stays = was.Revision
			m.Sources = append(m.Sources, was)
		}
		held = append(held, x)
	}
	m.Cards, err = tx.TopicCards()
	return m, held, err
}

// A Head is the draft's revision of a source, as far as publishing goes.
type Head struct {
	SourceID string
	SHA256   []byte `gorm:"column:sha256"`
	Flags    int
	Warnings int
	Language string
	Held     bool // it has flags, and nobody has certified it
}

// Heads returns the draft's revisions by their sources.
func (tx *Tx) Heads() (map[string]Head, error) {
	var all []Head
	err := tx.db.Model(&models.Revision{}).Select(`revisions.source_id, revisions.sha256, revisions.language, jsonb_array_length(revisions.flags) AS flags, jsonb_array_length(revisions.warnings) AS warnings,
		revisions.flags <> '[]' AND NOT EXISTS (SELECT FROM certifications c WHERE c.brain_id = revisions.brain_id AND c.source_id = revisions.source_id AND c.revision = revisions.n) AS held`).
		Joins("JOIN sources s ON s.brain_id = revisions.brain_id AND s.id = revisions.source_id AND s.head = revisions.n").
		Where("revisions.brain_id = ?", tx.Brain).Scan(&all).Error
	by := make(map[string]Head, len(all))
	for _, h := range all {
		h.SHA256 = bytes.Clone(h.SHA256)
		by[h.SourceID] = h
	}
	return by, err
}

// served returns what the version that answers now has of each source.
func (tx *Tx) served() (map[string]models.ManifestSource, error) {
	by := map[string]models.ManifestSource{}
	b, err := tx.ThisBrain(false)
	if err != nil || b.Published == 0 {
		return by, err
	}
	v, err := tx.Version(b.Published)
	if err != nil {
		return by, err
	}
	for _, s := range v.Manifest.Sources {
		by[s.Source.ID] = s
	}
	return by, nil
}
