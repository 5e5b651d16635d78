package ops

import (
	"maps"
	"slices"

	"polaris/models"
)

// follows says what a new revision changed beside the one that the draft had:
// how many passages, and which topic cards turn on one that lost its text or has
// another one now.
func (st *stagedImport) follows(e *Env, s *models.Source, was models.Source, out ImportedSource) (ImportedSource, error) {
	if was.Head == 0 || was.Head == s.Head {
		return out, nil
	}
	before, err := e.Tx.Doc(was, was.Head)
	if err != nil {
		return out, err
	}
	after := &models.Doc{Source: *s, Revision: models.Revision{Text: st.doc.Text}, Passages: st.doc.Passages}
	d := SourceDiff{Passages: []PassageChange{}}
	d.compare(before, after)
	out.Counts = &d.Counts
	out.CardsAffected, err = affected(e, before, after)
	return out, err
}

// affected returns the topic cards that have an anchor in one revision of a source
// which the other has not, or has with other words. What is below an anchor
// counts: an answer would be made of it as well.
func affected(e *Env, before, after *models.Doc) ([]models.AffectedCard, error) {
	cards, err := e.Tx.TopicCards()
	if err != nil {
		return nil, err
	}
	var out []models.AffectedCard
	was, is := spans(before), spans(after)
	var keyOf map[string]string // by their words; made when it is first needed
	for _, c := range cards {
		for _, a := range c.Anchors {
			text, had := was[a]
			now, has := is[a]
			if !had || has && text == now {
				continue
			}
			x := models.AffectedCard{Card: c.ID, Label: c.Label, Anchor: a, Status: Altered}
			if !has {
				if keyOf == nil {
					keyOf = byWords(is)
				}
				x.Status, x.To = Lost, keyOf[unnumbered(text)]
			}
			if x.To != "" {
				x.Status = Moved
			}
			out = append(out, x)
		}
	}
	return out, nil
}

// spans returns the text of each key with what is below it.
func spans(d *models.Doc) map[string]string {
	by := make(map[string]string, len(d.Passages))
	for _, p := range d.Passages {
		by[p.Key] = d.Revision.Text[p.Start:p.SpanEnd]
	}
	return by
}

// byWords returns the first key of each text.
func byWords(spans map[string]string) map[string]string {
	by := make(map[string]string, len(spans))
	for _, key := range slices.Sorted(maps.Keys(spans)) {
		if words := unnumbered(spans[key]); words != "" && by[words] == "" {
			by[words] = key
		}
	}
	return by
}
