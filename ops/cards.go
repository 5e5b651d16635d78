package ops

import (
	"context"
	"maps"
	"net/http"
	"strings"

	"polaris/advisor/cite"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// SaveCardIn is a topic card to make, or to replace where the id is there.
type SaveCardIn struct {
	ID      string   `json:"id,omitempty"` // default: from the label
	Label   string   `json:"label"`
	Covers  string   `json:"covers"`
	Anchors []string `json:"anchors" schema:"minItems=1,maxItems=20"`
}

// SavedCard is a saved card, and which anchors the draft cannot supply.
type SavedCard struct {
	Card          models.TopicCard `json:"card"`
	New           bool             `json:"new"`
	Unsupportable []string         `json:"unsupportable_anchors"`
}

// Made reports whether the card was not there before.
func (s SavedCard) Made() bool { return s.New }

// ETag is the card's.
func (s SavedCard) ETag() string { return s.Card.ETag() }

// SaveCard makes or replaces a topic card of the draft. An anchor that the
// draft lacks is kept and counted: the text may come later.
var SaveCard = &Op[SaveCardIn, SavedCard]{
	Name: "topic_cards.save", Title: "Save a topic card", Summary: "Make or replace a topic card of the draft.",
	Route: "PUT /v1/brains/{brain_id}/draft/topic-cards/{id}",
	Class: Judgement, Needs: models.MayEditDraft, Offered: Web | CLI | REST,
	HTTP: HTTP{IfMatch: true, Example: `{"id":"complaints","label":"Complaints","covers":"how long complaints are kept, and who sees them","anchors":["HB 4.2(a)"]}`},
	Propose: func(_ context.Context, e *Env, in SaveCardIn) (Subject, error) {
		c, err := checkCard(in)
		if err != nil {
			return Subject{}, err
		}
		s, err := cardNow(e, c.ID)
		s.After = c
		return s, err
	},
	Base: func(_ context.Context, e *Env, in SaveCardIn) (string, error) {
		c, err := checkCard(in)
		if err != nil {
			return "", err
		}
		return cardBase(e, c.ID)
	},
	Undo: func(_ context.Context, e *Env, in SaveCardIn) (*Inverse, error) {
		c, err := checkCard(in)
		if err != nil {
			return nil, err
		}
		back, err := cardBack(e, c.ID)
		if back == nil && err == nil {
			back = &Inverse{"topic_cards.delete", CardIDIn{ID: c.ID}}
		}
		return back, err
	},
	Run: saveCard,
}

// cardBack is what brings a card back as it is now, nil where there is none.
func cardBack(e *Env, id string) (*Inverse, error) {
	// A card that is not there cannot be locked, but its name can.
	if err := e.Tx.LockTarget("topic card " + id); err != nil {
		return nil, err
	}
	c, err := e.Tx.TopicCard(id)
	if fault.Is(err, fault.NotFound) {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil {
		return nil, err
	}
	return &Inverse{"topic_cards.save", SaveCardIn{ID: c.ID, Label: c.Label, Covers: c.Covers, Anchors: c.Anchors}}, nil
}

// cardNow is a card of the draft as it is now, for whoever decides on a change
// of it.
func cardNow(e *Env, id string) (Subject, error) {
	s := Subject{Name: "topic card " + id}
	c, err := e.Tx.TopicCard(id)
	if fault.Is(err, fault.NotFound) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	s.Before = c
	return s, nil
}

// cardBase returns the revision of a card now.
func cardBase(e *Env, id string) (string, error) {
	c, err := e.Tx.TopicCard(id)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return c.ETag(), nil
}

func saveCard(_ context.Context, e *Env, in SaveCardIn) (SavedCard, error) {
	c, err := checkCard(in)
	if err != nil {
		return SavedCard{}, err
	}
	e.Audit.Target = c.ID
	// A card that is not there cannot be locked, but its name can.
	if err := e.Tx.LockTarget("topic card " + c.ID); err != nil {
		return SavedCard{}, err
	}
	old, err := e.Tx.TopicCard(c.ID)
	out := SavedCard{New: fault.Is(err, fault.NotFound), Unsupportable: []string{}}
	if err != nil && !out.New {
		return out, err
	}
	seen := ""
	if old != nil {
		c.Rev, seen = old.Rev, old.ETag()
	}
	if err := e.Match(seen); err != nil {
		return out, err
	}
	c.Rev++
	c.UpdatedAt, c.UpdatedBy = e.Now, e.Call.By.Actor
	before := models.TopicCard{}
	if old != nil {
		before = *old
	}
	for _, x := range cardChanges(before, c) {
		e.changed(x.Field, x.From, x.To)
	}
	if err := e.Tx.SaveTopicCard(&c); err != nil {
		return out, err
	}
	out.Card = c
	out.Unsupportable, err = lackingAnchors(e.Tx, c.Anchors)
	return out, err
}

// cardChanges says what differs between two states of a card; a card that was not
// there differs in all it has.
func cardChanges(a, b models.TopicCard) (cs []models.Change) {
	for _, f := range []models.Change{
		{Field: "label", From: a.Label, To: b.Label},
		{Field: "covers", From: a.Covers, To: b.Covers},
		{Field: "anchors", From: strings.Join(a.Anchors, "; "), To: strings.Join(b.Anchors, "; ")},
	} {
		if f.From != f.To {
			cs = append(cs, f)
		}
	}
	return cs
}

// checkCard returns the card that the input describes.
func checkCard(in SaveCardIn) (models.TopicCard, error) {
	c := models.TopicCard{ID: in.ID, Label: clean(in.Label), Covers: clean(in.Covers), Anchors: []string{}}
	if c.ID == "" {
		c.ID = models.Slug(c.Label)
	}
	switch {
	case c.Label == "" || len(c.Label) > 200:
		return c, fault.Field("label", "Give the card a label of at most 200 bytes.")
	case c.ID == "" || c.ID != models.Slug(c.ID):
		return c, fault.Field("id", "A card's id is lower-case letters, digits and single hyphens, at most 64.")
	case c.Covers == "" || len(c.Covers) > 2000:
		return c, fault.Field("covers", "Say in at most 2,000 bytes which situations the card covers, in the words people ask in.")
	case len(in.Anchors) == 0 || len(in.Anchors) > 20:
		return c, fault.Field("anchors", "Name between 1 and 20 citation keys that answers turn on.")
	}
	for _, a := range in.Anchors {
		ref, err := cite.Parse(a)
		if err != nil {
			return c, fault.Field("anchors", "%q is no citation key. Write it as in `12 CFR 1002.9(a)` or `HB 4.2`.", a)
		}
		c.Anchors = append(c.Anchors, ref.String())
	}
	return c, nil
}

// CardList is topic cards of the draft, by id, those of their anchors that the
// draft cannot supply, and the other cards that are anchored on the same.
type CardList struct {
	Cards         []models.TopicCard  `json:"cards"`
	Unsupportable []string            `json:"unsupportable_anchors"`
	Shared        map[string][]string `json:"shared,omitzero"` // ids of cards with an anchor of a card, by its id
	More
}

func (l CardList) with(m CardList) CardList {
	maps.Copy(l.Shared, m.Shared)
	return CardList{append(l.Cards, m.Cards...), append(l.Unsupportable, m.Unsupportable...), l.Shared, m.More}
}

// ListCards lists the draft's topic cards.
var ListCards = &Op[Page, CardList]{
	Name: "topic_cards.list", Title: "List the draft's topic cards", Route: "GET /v1/brains/{brain_id}/draft/topic-cards", Summary: "List the draft's topic cards, by id.",
	Class: Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in Page) (CardList, error) {
		cs, more, err := stretch(e, in, e.Tx.TopicCardPage, func(c models.TopicCard) store.Mark { return store.Mark{ID: c.ID} })
		if err != nil {
			return CardList{}, err
		}
		var anchors []string
		for _, c := range cs {
			anchors = append(anchors, c.Anchors...)
		}
		off, err := lackingAnchors(e.Tx, anchors)
		if err != nil {
			return CardList{}, err
		}
		shared, err := sharedAnchors(e.Tx, cs)
		return CardList{cs, off, shared, more}, err
	},
}

// GetCard shows one topic card of the draft.
var GetCard = &Op[CardIDIn, models.TopicCard]{
	Name: "topic_cards.get", Title: "Show a topic card", Route: "GET /v1/brains/{brain_id}/draft/topic-cards/{id}", Summary: "Show a topic card of the draft.",
	Class: Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in CardIDIn) (models.TopicCard, error) {
		c, err := e.Tx.TopicCard(in.ID)
		if err != nil {
			return models.TopicCard{}, err
		}
		return *c, nil
	},
}

// CardIDIn names a card.
type CardIDIn struct {
	ID string `json:"id"`
}

// DeleteCard removes a topic card from the draft.
var DeleteCard = &Op[CardIDIn, None]{
	Name: "topic_cards.delete", Title: "Delete a topic card", Summary: "Remove a topic card from the draft.",
	Route: "DELETE /v1/brains/{brain_id}/draft/topic-cards/{id}",
	Class: Judgement, Needs: models.MayEditDraft, Offered: Web | CLI | REST,
	HTTP: HTTP{Status: http.StatusNoContent, IfMatch: true},
	Propose: func(_ context.Context, e *Env, in CardIDIn) (Subject, error) {
		s, err := cardNow(e, in.ID)
		if err == nil && s.Before == nil {
			_, err = e.Tx.TopicCard(in.ID) // says that there is none
		}
		return s, err
	},
	Base: func(_ context.Context, e *Env, in CardIDIn) (string, error) { return cardBase(e, in.ID) },
	Undo: func(_ context.Context, e *Env, in CardIDIn) (*Inverse, error) { return cardBack(e, in.ID) },
	Run: func(_ context.Context, e *Env, in CardIDIn) (None, error) {
		e.Audit.Target = in.ID
		c, err := e.Tx.TopicCard(in.ID)
		if err != nil {
			return None{}, err
		}
		if err := e.Match(c.ETag()); err != nil {
			return None{}, err
		}
		return None{}, e.Tx.DeleteTopicCard(in.ID)
	},
}
