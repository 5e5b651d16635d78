package store

import (
	"strings"

	"polaris/models"
)

// A KeyedText is a passage with the code and title of its source and the
// beginning of its text, that of the passages below it included.
type KeyedText struct {
	models.Passage
	Code      string
	Title     string
	Text      string
	Suspended bool
}

// keyedTexts finds passages of the draft, step by step so that each is done by the
// right index whatever is known of the tables: those of any revision that meet a
// condition, of them those of the draft, the first of them, and then the first
// bytes of their text, for which each revision's is unpacked once.
func (tx *Tx) keyedTexts(most, shown int, order, where string, args ...any) ([]KeyedText, error) {
	var rows []struct {
		KeyedText
		Bytes []byte
	}
	all := append([]any{tx.Brain}, args...)
	all = append(all, most, tx.Brain, shown)
	err := tx.db.Raw(`WITH c AS MATERIALIZED (SELECT p.* FROM passages p WHERE p.brain_id = ? AND `+where+`),
		hit AS MATERIALIZED (
			SELECT c.*, s.code, s.title FROM c JOIN sources s ON s.brain_id = c.brain_id AND s.id = c.source_id AND s.head = c.revision AND s.removed_at IS NULL
			ORDER BY `+order+` LIMIT ?),
		texts AS MATERIALIZED (
			SELECT r.source_id, r.n, convert_to(r.text, 'UTF8') AS text FROM revisions r
			WHERE r.brain_id = ? AND (r.source_id, r.n) IN (SELECT DISTINCT source_id, revision FROM hit))
		SELECT c.*, substring(t.text FROM c.start + 1 FOR least(c.span_end - c.start, ?)) AS bytes,
			EXISTS (SELECT FROM suspensions x WHERE x.brain_id = c.brain_id AND x.source_id = c.source_id AND (x.key = '' OR x.key = c.key)) AS suspended
		FROM hit c JOIN texts t ON t.source_id = c.source_id AND t.n = c.revision ORDER BY `+order, all...).Scan(&rows).Error
	out := make([]KeyedText, len(rows))
	for i, r := range rows {
		out[i] = r.KeyedText
		out[i].Text = strings.ToValidUTF8(string(r.Bytes), "")
	}
	return out, err
}

// The orders of passages that were found.
const (
	asTheyStand   = "code, ordinal"
	shortestFirst = "length(key), key, code"
)

// mostByKeys bounds the passages that several keys name.
const mostByKeys = 1000

// KeysThere returns those of the keys that a passage of the draft has.
func (tx *Tx) KeysThere(keys []string) ([]string, error) {
	there := []string{}
	if len(keys) == 0 {
		return there, nil
	}
	return there, tx.db.Raw(`WITH c AS MATERIALIZED (SELECT p.source_id, p.revision, p.key FROM passages p WHERE p.brain_id = ? AND p.key IN ?)
		SELECT DISTINCT c.key FROM c JOIN sources s ON s.brain_id = ? AND s.id = c.source_id AND s.head = c.revision AND s.removed_at IS NULL`, tx.Brain, keys, tx.Brain).Scan(&there).Error
}

// PassagesByKeys returns the passages of the draft that have one of the keys,
// each with the first bytes of its text.
func (tx *Tx) PassagesByKeys(keys []string, shown int) ([]KeyedText, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	return tx.keyedTexts(mostByKeys, shown, asTheyStand, "p.key IN ?", keys)
}

// PassagesByBeginning returns passages of the draft whose keys begin with a text,
// the shortest keys first. Its first word, the code of a source, is taken in
// capitals, too.
func (tx *Tx) PassagesByBeginning(text string, most, shown int) ([]KeyedText, error) {
	code, rest, _ := strings.Cut(text, " ")
	code = strings.ToUpper(code)
	if len(code) < len(text) {
		code += " " + rest
	}
	// Bytes in their order, by operators that row security lets an index use.
	const begins = "p.key ~>=~ ? AND p.key ~<~ ?"
	const beyond = "\U0010FFFF"
	where, args := begins, []any{text, text + beyond}
	if code != text {
		where, args = "("+begins+" OR "+begins+")", append(args, code, code+beyond)
	}
	return tx.keyedTexts(most, shown, shortestFirst, where, args...)
}

// PassagesNamed returns passages of the draft with a text anywhere in their key,
// heading or locator, whatever its case.
func (tx *Tx) PassagesNamed(text string, most, shown int) ([]KeyedText, error) {
	return tx.keyedTexts(most, shown, shortestFirst, "strpos(lower(p.key || E'\\n' || p.locator || E'\\n' || p.heading::text), lower(?)) > 0", text)
}

// KeysWith returns the draft as far as the citation keys need it that have one of
// the texts in them, whatever its case: all that a reference with one of these
// tails can name.
func (tx *Tx) KeysWith(texts []string) (*models.Corpus, error) {
	c := &models.Corpus{Brain: tx.Brain}
	if len(texts) == 0 {
		return c, nil
	}
	args := []any{tx.Brain}
	for _, t := range texts {
		args = append(args, strings.ToLower(t))
	}
	var rows []struct{ SourceID, Code, Title, Key string }
	err := tx.db.Raw(`SELECT s.id AS source_id, s.code, s.title, p.key FROM passages p
		JOIN sources s ON s.brain_id = p.brain_id AND s.id = p.source_id AND s.head = p.revision AND s.removed_at IS NULL
		WHERE p.brain_id = ? AND (strpos(lower(p.key), ?) > 0`+strings.Repeat(" OR strpos(lower(p.key), ?) > 0", len(texts)-1)+`) ORDER BY s.code, p.ordinal`, args...).Scan(&rows).Error
	for _, r := range rows {
		if n := len(c.Docs); n == 0 || c.Docs[n-1].Source.ID != r.SourceID {
			c.Docs = append(c.Docs, models.Doc{Source: models.Source{ID: r.SourceID, Code: r.Code, Title: r.Title}})
		}
		d := &c.Docs[len(c.Docs)-1]
		d.Passages = append(d.Passages, models.Passage{Key: r.Key})
	}
	return c, err
}

// CountPassages returns how many passages a revision has: they are numbered from
// 0, so the last one tells, and none is counted.
func (tx *Tx) CountPassages(sourceID string, revision int) (int, error) {
	var n int
	return n, tx.db.Model(&models.Passage{}).Select("coalesce(max(ordinal), -1) + 1").Where("brain_id = ? AND source_id = ? AND revision = ?", tx.Brain, sourceID, revision).Row().Scan(&n)
}

// PlaceOf returns the ordinal of the passage of a revision that has a key or, where
// the key is "", of the last that begins at a byte or before; -1 for none.
func (tx *Tx) PlaceOf(sourceID string, revision int, key string, start int) (int, error) {
	q := tx.db.Model(&models.Passage{}).Select("coalesce(max(ordinal), -1)").Where("brain_id = ? AND source_id = ? AND revision = ?", tx.Brain, sourceID, revision)
	if key != "" {
		q = q.Where("key = ?", key)
	} else {
		q = q.Where("start <= ?", start)
	}
	var n int
	return n, q.Row().Scan(&n)
}

// PassageStretch returns n passages of a revision from an ordinal on.
func (tx *Tx) PassageStretch(sourceID string, revision, from, n int) ([]models.Passage, error) {
	ps := []models.Passage{}
	return ps, tx.db.Where("brain_id = ? AND source_id = ? AND revision = ? AND ordinal >= ?", tx.Brain, sourceID, revision, from).Order("ordinal").Limit(n).Find(&ps).Error
}

// Above returns the passages above some of a revision, up to the top, by ordinal,
// as far as their places go.
func (tx *Tx) Above(sourceID string, revision int, of []int) (map[int]models.Passage, error) {
	above := map[int]models.Passage{}
	if len(of) == 0 {
		return above, nil
	}
	var ps []models.Passage
	err := tx.db.Raw(`WITH RECURSIVE up AS (
			SELECT ordinal, parent, kind FROM passages WHERE brain_id = ? AND source_id = ? AND revision = ? AND ordinal IN ?
			UNION SELECT p.ordinal, p.parent, p.kind FROM passages p JOIN up ON p.ordinal = up.parent WHERE p.brain_id = ? AND p.source_id = ? AND p.revision = ?)
		SELECT * FROM up`, tx.Brain, sourceID, revision, of, tx.Brain, sourceID, revision).Scan(&ps).Error
	for _, p := range ps {
		above[p.Ordinal] = p
	}
	return above, err
}

// LastWithKey returns the newest text that any revision of a source of the draft
// has had under a key, and the source; nil where none ever had it.
func (tx *Tx) LastWithKey(key string) (*models.Source, string, error) {
	var rows []models.Passage
	err := tx.db.Raw(`SELECT p.* FROM passages p JOIN sources s ON s.brain_id = p.brain_id AND s.id = p.source_id AND s.removed_at IS NULL
		WHERE p.brain_id = ? AND p.key = ? ORDER BY p.revision DESC LIMIT 1`, tx.Brain, key).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, "", err
	}
	p := rows[0]
	s, err := tx.Source(p.SourceID)
	if err != nil {
		return nil, "", err
	}
	text, err := tx.TextAround(p.SourceID, p.Revision, p.Start, p.SpanEnd)
	return s, text, err
}

// CardsWithAnchors returns the cards of the draft that have one of the anchors.
func (tx *Tx) CardsWithAnchors(anchors []string) ([]models.TopicCard, error) {
	cs := []models.TopicCard{}
	if len(anchors) == 0 {
		return cs, nil
	}
	return cs, tx.db.Where("brain_id = ? AND EXISTS (SELECT FROM jsonb_array_elements_text(anchors) a WHERE a IN ?)", tx.Brain, anchors).Order("id").Find(&cs).Error
}
