package store

import (
	"encoding/json"

	"polaris/models"
)

// atOnce is how many rows of a column go to the database in one statement: a
// statute has tens of thousands, and each statement's arrays are held in memory
// at both ends.
const atOnce = 20_000

// insertPassages writes the passages as columns, each an array: a statement for
// thousands of rows, where one with a parameter for each value takes a dozen
// times as long.
func (tx *Tx) insertPassages(r *models.Revision, ps []models.Passage) error {
	for len(ps) > 0 {
		n := min(len(ps), atOnce)
		c := passageColumns{}
		for i := range ps[:n] {
			if err := c.add(&ps[i]); err != nil {
				return err
			}
		}
		err := tx.exec(`INSERT INTO passages (brain_id, source_id, revision, ordinal, parent, kind, key, locator, heading, start, "end", span_end, page)
			SELECT $1::text, $2::text, $3::integer, t.ordinal, t.parent, t.kind, t.key, t.locator, t.heading::jsonb, t.start, t."end", t.span_end, t.page
			FROM unnest($4::integer[], $5::integer[], $6::text[], $7::text[], $8::text[], $9::text[], $10::integer[], $11::integer[], $12::integer[], $13::integer[])
			AS t (ordinal, parent, kind, key, locator, heading, start, "end", span_end, page)`,
			string(tx.Brain), r.SourceID, r.N, c.ordinal, c.parent, c.kind, c.key, c.locator, c.heading, c.start, c.end, c.spanEnd, c.page)
		if err != nil {
			return err
		}
		ps = ps[n:]
	}
	return nil
}

// passageColumns are passages as the database is sent them.
type passageColumns struct {
	ordinal, parent, start, end, spanEnd, page []int32
	kind, key, locator, heading                []string
}

func (c *passageColumns) add(p *models.Passage) error {
	heading, err := json.Marshal(p.Heading)
	if err != nil {
		return err
	}
	c.ordinal, c.parent = append(c.ordinal, int32(p.Ordinal)), append(c.parent, int32(p.Parent))
	c.kind, c.key, c.locator = append(c.kind, string(p.Kind)), append(c.key, p.Key), append(c.locator, p.Locator)
	c.heading = append(c.heading, string(heading))
	c.start, c.end, c.spanEnd = append(c.start, int32(p.Start)), append(c.end, int32(p.End)), append(c.spanEnd, int32(p.SpanEnd))
	c.page = append(c.page, int32(p.Page))
	return nil
}

// insertTerms writes the terms in the same way.
func (tx *Tx) insertTerms(r *models.Revision, ts []models.Term) error {
	if len(ts) == 0 {
		return nil
	}
	names, ordinals := make([]string, len(ts)), make([]int32, len(ts))
	for i, t := range ts {
		names[i], ordinals[i] = t.Name, int32(t.Ordinal)
	}
	return tx.exec(`INSERT INTO terms (brain_id, source_id, revision, name, ordinal)
		SELECT $1::text, $2::text, $3::integer, t.name, t.ordinal FROM unnest($4::text[], $5::integer[]) AS t (name, ordinal) ON CONFLICT DO NOTHING`,
		string(tx.Brain), r.SourceID, r.N, names, ordinals)
}

// insertRefs writes the references in the same way as the passages.
func (tx *Tx) insertRefs(r *models.Revision, refs []models.Reference) error {
	for first := 0; first < len(refs); first += atOnce {
		some := refs[first:min(first+atOnce, len(refs))]
		var n, ordinal, start, end []int32
		var key, of []string
		for i, x := range some {
			n, ordinal = append(n, int32(first+i)), append(ordinal, int32(x.From))
			key, of = append(key, x.Key), append(of, x.Of)
			start, end = append(start, int32(x.Start)), append(end, int32(x.End))
		}
		err := tx.exec(`INSERT INTO cross_references (brain_id, source_id, revision, n, ordinal, key, of, start, "end")
			SELECT $1::text, $2::text, $3::integer, t.* FROM unnest($4::integer[], $5::integer[], $6::text[], $7::text[], $8::integer[], $9::integer[]) AS t`,
			string(tx.Brain), r.SourceID, r.N, n, ordinal, key, of, start, end)
		if err != nil {
			return err
		}
	}
	return nil
}

// exec runs a statement as it stands: GORM would take an array apart into as many
// parameters.
func (tx *Tx) exec(sql string, args ...any) error {
	_, err := tx.db.Statement.ConnPool.ExecContext(tx.db.Statement.Context, sql, args...)
	return err
}
