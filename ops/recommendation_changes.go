package ops

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"polaris/advisor/ingest"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// ProposedChanges is what a recommendation comes to: the passages of an import,
// the things and the golden questions of a publish.
type ProposedChanges struct {
	Source *SourceDiff   `json:"source,omitempty"` // of an import, by citation key
	Gone   bool          `json:"document_gone"`    // the document that was put aside is not kept any more
	Items  []ChangedItem `json:"items"`            // of a publish or a restore: what it changes
	Golden *GoldenReport `json:"golden,omitempty"` // of a publish as it was when this was proposed; of a card or a question as the draft is now
}

// A ChangedItem is one thing that a publish changes, and who changed it.
type ChangedItem struct {
	Kind         string  `json:"kind"` // source or topic_card
	ID           string  `json:"id"`   // a source's code, a card's id
	Title        string  `json:"title"`
	Status       string  `json:"status"` // gained, lost or changed
	FromRevision int     `json:"from_revision,omitempty"`
	ToRevision   int     `json:"to_revision,omitempty"`
	By           []Maker `json:"by"` // the newest first
}

// A Maker made one change of the draft.
type Maker struct {
	Actor         string    `json:"actor"`
	At            time.Time `json:"at"`
	Surface       string    `json:"surface"`
	Operation     string    `json:"operation"`
	Authenticated bool      `json:"authenticated"`
	ApprovedBy    string    `json:"approved_by,omitempty"` // where a second person decided on it
}

// ShowChanges shows what a proposed import or publish comes to.
var ShowChanges = &Op[RecommendationIDIn, ProposedChanges]{
	Name: "recommendations.changes", Title: "Show what a recommendation changes", Route: "GET /v1/brains/{brain_id}/recommendations/{id}/changes",
	Summary: "Show what a proposed change comes to: for an import its passages by citation key, before and after, from the document as it was put aside; for a publish each changed source and topic card with who changed it, and what becomes of the golden questions.",
	Class:   Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Stage: func(ctx context.Context, e *Env, in RecommendationIDIn) (any, error) {
		return stageChanges(ctx, e, in.ID)
	},
	Run: func(_ context.Context, e *Env, _ RecommendationIDIn) (ProposedChanges, error) {
		return e.Staged.(*proposedChange).changes(e.Tx)
	},
}

// A proposedChange is a recommendation with the document that was put aside for
// it, read; nil where there is none.
type proposedChange struct {
	rec    *models.Recommendation
	doc    *models.Doc
	golden *GoldenReport // of a card or a question: what becomes of the golden questions
}

// stageChanges reads the document outside the transaction: it takes long.
func stageChanges(ctx context.Context, e *Env, id string) (*proposedChange, error) {
	c := &proposedChange{}
	var data []byte
	err := e.Store().InBrain(ctx, e.Call.Brain, func(tx *store.Tx) (err error) {
		if c.rec, err = tx.Recommendation(id); err != nil || c.rec.Operation != ImportSource.Name {
			return err
		}
		data, err = tx.Aside(id)
		if fault.Is(err, fault.Conflict) {
			return nil // it was decided on, and what came in is a revision
		}
		return err
	})
	if err == nil {
		c.golden, err = c.effect(ctx, e)
	}
	if err != nil || data == nil {
		return c, err
	}
	var in ImportSourceIn
	if err := json.Unmarshal([]byte(c.rec.Input), &in); err != nil {
		return c, nil //nolint:nilerr // of another release: it says so when it is decided on
	}
	doc, err := e.desk.Settings.Parse(ctx, data, ingest.Options{Name: in.Name, Title: clean(in.Title), Code: in.Code, Cites: in.Cites})
	if err != nil {
		return c, nil //nolint:nilerr // another release reads it otherwise, and says so when it is decided on
	}
	c.doc = &models.Doc{Revision: models.Revision{Text: doc.Text, Title: doc.Title}, Passages: doc.Passages}
	return c, nil
}

func (c *proposedChange) changes(tx *store.Tx) (ProposedChanges, error) {
	out := ProposedChanges{Items: []ChangedItem{}, Golden: c.golden}
	var err error
	switch c.rec.Operation {
	case ImportSource.Name:
		out.Source, err = c.passages(tx)
		out.Gone = out.Source == nil
	case PublishVersion.Name, RestoreVersion.Name:
		err = c.published(tx, &out)
	}
	return out, err
}

// passages compares the document with what the proposer saw in the draft. Where
// it is not aside any more it is looked for among the revisions.
func (c *proposedChange) passages(tx *store.Tx) (*SourceDiff, error) {
	var before, after SourceState
	if err := json.Unmarshal([]byte(c.rec.After), &after); err != nil {
		return nil, nil //nolint:nilerr,nilnil // not as this release writes it
	}
	if c.rec.Before != "" {
		if err := json.Unmarshal([]byte(c.rec.Before), &before); err != nil {
			return nil, nil //nolint:nilerr,nilnil // likewise
		}
	}
	d := &SourceDiff{Code: after.Code, Title: after.Title, FromRevision: before.Revision, ToRevision: after.Revision, Status: status(c.rec.Before != "", true), Passages: []PassageChange{}}
	d.Fields = fieldChanges(
		models.Source{Code: cmp.Or(before.Code, after.Code), Title: before.Title, OriginURL: before.OriginURL, Jurisdiction: before.Jurisdiction},
		models.Source{Code: after.Code, Title: after.Title, OriginURL: after.OriginURL, Jurisdiction: after.Jurisdiction})
	var was *models.Doc
	s, err := tx.Source(after.Code)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	if s != nil && before.Revision > 0 {
		if was, err = tx.Doc(*s, before.Revision); err != nil {
			return nil, err
		}
	}
	is := c.doc
	if is == nil {
		if s == nil {
			return nil, nil //nolint:nilnil // it never came in
		}
		sum, _ := hex.DecodeString(after.SHA256)
		rev, err := tx.RevisionByHash(s.ID, sum)
		if fault.Is(err, fault.NotFound) {
			return nil, nil //nolint:nilnil // it never came in
		}
		if err != nil {
			return nil, err
		}
		if is, err = tx.Doc(*s, rev.N); err != nil {
			return nil, err
		}
	}
	d.compare(was, is)
	return d, nil
}

// published compares the frozen manifest with the one that it takes the place of.
func (c *proposedChange) published(tx *store.Tx, out *ProposedChanges) error {
	var before, after models.Manifest
	var f frozen
	if err := json.Unmarshal([]byte(c.rec.After), &f); err != nil {
		return nil //nolint:nilerr // not as this release writes it
	}
	if out.Golden = f.Golden; f.Manifest != nil {
		after = *f.Manifest
	} else if err := json.Unmarshal([]byte(c.rec.After), &after); err != nil {
		return nil //nolint:nilerr // likewise
	}
	since := ""
	if c.rec.Before != "" {
		if err := json.Unmarshal([]byte(c.rec.Before), &before); err != nil {
			return nil //nolint:nilerr // likewise
		}
	}
	if n := versionIn(c.rec.Base); n > 0 {
		v, _, err := releasedBy(tx, n)
		if err != nil {
			return err
		}
		since = v.Recommendation
	}
	out.Items = changedItems(before, after)
	if c.rec.Operation == RestoreVersion.Name {
		return nil // what an earlier version held was made by whoever made that
	}
	made, err := tx.DraftChanges(draftChanging, since, c.rec.ID, mostMade)
	for i := range out.Items {
		out.Items[i].By = makers(made, out.Items[i])
	}
	return err
}

// mostMade bounds how many changes of the draft are looked through for who made
// what a publish changes.
const mostMade = 10_000

// draftChanging are the operations that change what a publish freezes.
var draftChanging = []string{"sources.import", "sources.update", "sources.revert", "sources.remove", "sources.restore", "topic_cards.save", "topic_cards.delete"}

// versionIn reads the number from a base such as "version 14"; 0 of none.
func versionIn(base string) (n int) {
	digits, ok := strings.CutPrefix(base, "version ")
	if !ok {
		return 0
	}
	for _, r := range digits {
		if r < '0' || r > '9' || n > 1<<30 {
			return 0
		}
		n = n*10 + int(r-'0')
	}
	return n
}

func changedItems(from, to models.Manifest) []ChangedItem {
	was, is := byID(from), byID(to)
	out := []ChangedItem{}
	for _, id := range ids(was, is) {
		a, before := was[id]
		b, after := is[id]
		if before && after && a.Revision == b.Revision && len(fieldChanges(a.Source, b.Source)) == 0 {
			continue
		}
		out = append(out, ChangedItem{Kind: "source", ID: cmp.Or(b.Source.Code, a.Source.Code), Title: cmp.Or(b.Source.Title, a.Source.Title), Status: status(before, after), FromRevision: a.Revision, ToRevision: b.Revision, By: []Maker{}})
	}
	slices.SortStableFunc(out, func(a, b ChangedItem) int { return strings.Compare(a.ID, b.ID) })
	for _, d := range cardDiffs(from.Cards, to.Cards) {
		item := ChangedItem{Kind: "topic_card", ID: d.ID, Status: d.Status, By: []Maker{}}
		if c := cmp.Or(d.After, d.Before); c != nil {
			item.Title = c.Label
		}
		out = append(out, item)
	}
	return out
}

// mostMakers bounds how many changes of one thing are told.
const mostMakers = 20

// makers returns who changed a thing, the newest first, each way of somebody's
// once.
func makers(made []store.DraftChange, item ChangedItem) []Maker {
	by := []Maker{}
	for _, d := range made {
		ofCard := strings.HasPrefix(d.Operation, "topic_cards.")
		if d.Target != item.ID || ofCard != (item.Kind == "topic_card") {
			continue
		}
		m := Maker{d.Actor, d.At.UTC(), d.Surface, d.Operation, d.Authenticated, d.DecidedBy}
		same := func(o Maker) bool { o.At = m.At; return reflect.DeepEqual(o, m) }
		if !slices.ContainsFunc(by, same) && len(by) < mostMakers {
			by = append(by, m)
		}
	}
	return by
}
