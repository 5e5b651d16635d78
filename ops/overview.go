package ops

import (
	"cmp"
	"context"
	"slices"

	"polaris/models"
	"polaris/models/store"
)

// Instance is the brain of a call that belongs to none: signing in, and the
// list of brains.
const Instance = store.Instance

// Membership is one brain of a visitor, with what they are in it.
type Membership = store.Member

// IsSetUp reports whether the first person has been made.
func (d *Desk) IsSetUp(ctx context.Context) (bool, error) { return d.Store.AnyPerson(ctx) }

// An Overview is a brain at a glance, as far as who asks may see it: what they
// may not is left out.
type Overview struct {
	Brain   models.Brain    `json:"brain"`
	Draft   *DraftFigures   `json:"draft,omitempty"`       // for who may read the draft
	Keys    *int            `json:"active_keys,omitempty"` // for who may make keys
	Answers []AnswerLine    `json:"answers,omitempty"`     // the newest, for who may read records
	Version *models.Version `json:"version,omitempty"`     // the published one, for who may read the draft
}

// DraftFigures count what the draft holds.
type DraftFigures struct {
	Sources int `json:"sources"`
	Cards   int `json:"topic_cards"`
}

// BrainList is brains that the caller is in, by id.
type BrainList struct {
	Brains []Membership `json:"brains"`
	More
}

// ListBrains lists the brains that the session's person is a member of; for an
// access token it is the one that it was made for.
var ListBrains = &Op[Page, BrainList]{
	Name: "brains.list", Title: "List brains", Route: "GET /v1/brains", Summary: "List the brains that you are a member of. An access token is for one.",
	Class: Read, Needs: models.MayIdentify, Offered: Web | REST,
	Run: listBrains,
}

func listBrains(_ context.Context, e *Env, in Page) (BrainList, error) {
	var all []Membership
	if v := e.Call.Visit; v != nil {
		all = slices.SortedFunc(slices.Values(v.Memberships), func(a, b Membership) int { return cmp.Compare(a.Brain, b.Brain) })
	} else {
		b, err := e.Tx.ThisBrain(false)
		if err != nil {
			return BrainList{}, err
		}
		all = []Membership{{Brain: b.ID, Name: b.Name, Published: b.Published, FourEyes: b.FourEyes, Roles: e.Call.By.Roles}}
	}
	behind := func(s store.Stretch) ([]Membership, error) {
		all = slices.DeleteFunc(all, func(m Membership) bool { return string(m.Brain) <= s.After.ID })
		return all[:min(len(all), s.N)], nil
	}
	bs, more, err := stretch(e, in, behind, func(m Membership) store.Mark { return store.Mark{ID: string(m.Brain)} })
	return BrainList{append([]Membership{}, bs...), more}, err
}

// ShowBrain shows a brain at a glance.
var ShowBrain = &Op[None, Overview]{
	Name: "brains.show", Title: "Show a brain", Summary: "Show a brain at a glance: what is published, what the draft holds, the newest answers.",
	Route: "GET /v1/brains/{brain_id}",
	Class: Read, Needs: models.MayAsk, Offered: Web | REST,
	Run: func(_ context.Context, e *Env, _ None) (Overview, error) { return overview(e) },
}

func overview(e *Env) (o Overview, err error) {
	b, err := e.Tx.ThisBrain(false)
	if err != nil {
		return o, err
	}
	o.Brain = *b
	if e.Call.By.May(models.MayReadDraft) {
		if err := o.readDraft(e.Tx); err != nil {
			return o, err
		}
	}
	if e.Call.By.May(models.MayKeys) {
		ks, err := e.Tx.APIKeys(e.Now)
		if err != nil {
			return o, err
		}
		n := 0
		for _, k := range ks {
			if k.State == "active" {
				n++
			}
		}
		o.Keys = &n
	}
	if e.Call.By.May(models.MayReadRecords) {
		const newest = 5
		as, err := e.Tx.AnswerPage(store.AnswerFilter{}, store.Stretch{N: newest})
		o.Answers = answerLines(as)
		return o, err
	}
	return o, nil
}

func (o *Overview) readDraft(tx *store.Tx) error {
	ss, err := tx.Sources()
	if err != nil {
		return err
	}
	cs, err := tx.TopicCards()
	if err != nil {
		return err
	}
	o.Draft = &DraftFigures{len(ss), len(cs)}
	if o.Brain.Published > 0 {
		o.Version, err = tx.Version(o.Brain.Published)
	}
	return err
}
