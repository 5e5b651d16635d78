package web

import (
	"slices"

	"polaris/ops"
	"polaris/views/cards"
	"polaris/views/layout"
)

func (s *Server) listCards(p *page) error {
	l, err := ops.Whole(p.ctx(), s.desk, p.call(), ops.ListCards)
	if err != nil {
		return err
	}
	x, lost := cards.Index{Save: "bb card save card.json --brain-id " + string(p.brain)}, 0
	for _, c := range l.Cards {
		v := cards.Card{ID: c.ID, Label: c.Label, Covers: c.Covers, Updated: p.when(c.UpdatedAt), By: c.UpdatedBy}
		for _, a := range c.Anchors {
			held := !slices.Contains(l.Unsupportable, a)
			v.Anchors = append(v.Anchors, cards.Anchor{Key: a, Supported: held})
			if !held {
				lost++
			}
		}
		x.Cards = append(x.Cards, v)
	}
	x.State = layout.Plural(len(l.Cards), "topic card", "topic cards") + " in the draft."
	if lost > 0 {
		x.State = layout.Plural(len(l.Cards), "topic card", "topic cards") + " in the draft, " + layout.Plural(lost, "anchor", "anchors") + " without text."
	}
	return p.show(cards.IndexPage(p.frame(), x))
}
