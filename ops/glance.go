package ops

import (
	"cmp"
	"context"
	"slices"
	"time"

	"polaris/models"
	"polaris/models/store"
)

// A Glance is the home of a brain: what is published and what the draft would
// change, what waits, what is wrong, what was asked. As far as who asks may see
// it: what they may not is left out.
type Glance struct {
	Overview
	Changes  *DraftChanges     `json:"draft_changes,omitempty"` // for who may read the draft, as the next four
	Queue    *store.Queue      `json:"queue,omitempty"`
	Findings []Finding         `json:"findings,omitempty"`
	Reviews  []ReviewDue       `json:"reviews,omitempty"` // past or within 30 days, the first due first
	Connects bool              `json:"connected"`         // a key was used
	Days     []store.AnswerDay `json:"days,omitempty"`    // the last 14, for who may read records; as the next two
	Gaps     []store.Gap       `json:"gaps,omitempty"`    // disclaimed within 30 days and not answered since
	Moment   time.Time         `json:"as_of"`
}

// DraftChanges count what a publish of the draft would change.
type DraftChanges struct {
	Sources int `json:"sources"`
	Cards   int `json:"topic_cards"`
	Held    int `json:"held,omitempty"` // sources that would stay behind
}

// Any reports whether there is anything to publish.
func (d DraftChanges) Any() bool { return d.Sources+d.Cards > 0 }

// A Finding is one kind of thing that somebody should look at, and how many there
// are. What there is none of is listed with 0, so that a reader sees that it was
// looked for.
type Finding struct {
	Kind FindingKind `json:"kind"`
	N    int         `json:"count"`
	At   string      `json:"at,omitempty"` // names the first of them, where the list behind it is of one thing
}

// A FindingKind says what was found.
type FindingKind string

// The kinds of findings, in the order in which they are listed.
const (
	AnchorsLost      FindingKind = "anchors_lost"      // of topic cards, that the draft has no text for
	SourcesHeld      FindingKind = "sources_held"      // that wait for a curator's word on what was found in them
	SourcesSuspended FindingKind = "sources_suspended" // or passages of them
	ReviewsPast      FindingKind = "reviews_past"      // sources past the day by which they were to be looked at
	SourcesEnded     FindingKind = "sources_ended"     // that are not in force any more, and still in the draft
	ImportsFailed    FindingKind = "imports_failed"    // documents of the last 14 days that could not be read
	SourcesWarned    FindingKind = "sources_warned"    // that were read with warnings
	KeysEnding       FindingKind = "keys_ending"       // active keys that expire within 14 days
	QueueEnding      FindingKind = "queue_ending"      // changes that nobody decided on and that expire within 3 days
)

// A ReviewDue is a source that somebody is to look at again.
type ReviewDue struct {
	SourceID string      `json:"source_id"`
	Code     string      `json:"code"`
	Title    string      `json:"title"`
	Owner    string      `json:"owner,omitempty"`
	ReviewBy models.Date `json:"review_by"`
	Past     bool        `json:"past"`
}

// GlanceDays is how many days of answers the home of a brain counts.
const GlanceDays = 14

// How far the home of a brain looks back, and ahead.
const (
	glanceGaps    = 30 * 24 * time.Hour
	glanceReviews = 30 * 24 * time.Hour
	glanceKeys    = 14 * 24 * time.Hour
	glanceQueue   = 3 * 24 * time.Hour
	glanceList    = 5
)

// ShowGlance shows the home of a brain.
var ShowGlance = &Op[None, Glance]{
	Name: "brains.overview", Title: "Show a brain's home", Route: "GET /v1/brains/{brain_id}/overview",
	Summary: "Show how a brain is doing: what is published and what the draft would change, what waits for a decision, what somebody should look at, answers by day, questions nobody could answer, reviews due.",
	Class:   Read, Needs: models.MayAsk, Offered: Web | REST,
	Run: func(_ context.Context, e *Env, _ None) (Glance, error) { return glance(e) },
}

func glance(e *Env) (g Glance, err error) {
	b, err := e.Tx.ThisBrain(false)
	if err != nil {
		return g, err
	}
	g.Brain, g.Moment = *b, e.Now
	if e.Call.By.May(models.MayReadDraft) {
		if err := g.readDraft(e); err != nil {
			return g, err
		}
	}
	if !e.Call.By.May(models.MayReadRecords) {
		return g, nil
	}
	as, err := e.Tx.AnswerPage(store.AnswerFilter{}, store.Stretch{N: glanceList})
	if err != nil {
		return g, err
	}
	g.Answers = answerLines(as)
	y, m, d := e.Now.UTC().AddDate(0, 0, 1-GlanceDays).Date()
	if g.Days, err = e.Tx.AnswerDays(time.Date(y, m, d, 0, 0, 0, 0, time.UTC)); err != nil {
		return g, err
	}
	g.Gaps, err = e.Tx.Gaps(e.Now.Add(-glanceGaps), glanceList)
	return g, err
}

// readDraft fills in what only those see who may read the draft.
func (g *Glance) readDraft(e *Env) error {
	draft, held, err := e.Tx.DraftAndHeld()
	if err != nil {
		return err
	}
	g.Draft = &DraftFigures{len(draft.Sources), len(draft.Cards)}
	for _, h := range held {
		if h.Stays == 0 {
			g.Draft.Sources++ // it is in the draft, and a publish would leave it out
		}
	}
	g.Changes = &DraftChanges{len(draft.Sources), len(draft.Cards), len(held)}
	if g.Brain.Published > 0 {
		if g.Version, err = e.Tx.Version(g.Brain.Published); err != nil {
			return err
		}
		g.Changes.Sources = changedSources(g.Version.Manifest, draft)
		g.Changes.Cards = len(cardDiffs(g.Version.Manifest.Cards, draft.Cards))
	}
	q, err := e.Tx.QueueFor(e.Call.By.Person, e.Now, e.Now.Add(glanceQueue))
	if err != nil {
		return err
	}
	g.Queue = &q
	g.reviews(draft, e.Now)
	return g.look(e, draft, held)
}

// changedSources counts the sources of which one manifest has another revision, or
// says something else, than the other.
func changedSources(from, to models.Manifest) (n int) {
	was, is := byID(from), byID(to)
	for _, id := range ids(was, is) {
		a, before := was[id]
		b, after := is[id]
		if before != after || a.Revision != b.Revision || len(fieldChanges(a.Source, b.Source)) > 0 {
			n++
		}
	}
	return n
}

func (g *Glance) reviews(draft models.Manifest, now time.Time) {
	today, soon := dateOf(now), dateOf(now.Add(glanceReviews))
	for _, s := range draft.Sources {
		if s := s.Source; s.ReviewBy != "" && s.ReviewBy <= soon {
			g.Reviews = append(g.Reviews, ReviewDue{s.ID, s.Code, s.Title, s.Owner, s.ReviewBy, s.ReviewBy <= today})
		}
	}
	slices.SortStableFunc(g.Reviews, func(a, b ReviewDue) int { return cmp.Compare(a.ReviewBy, b.ReviewBy) })
}

func dateOf(t time.Time) models.Date { return models.Date(t.UTC().Format(time.DateOnly)) }

// look counts what somebody should look at.
func (g *Glance) look(e *Env, draft models.Manifest, held []models.HeldSource) error {
	var anchors []string
	for _, c := range draft.Cards {
		anchors = append(anchors, c.Anchors...)
	}
	lost, err := lackingAnchors(e.Tx, anchors)
	if err != nil {
		return err
	}
	off, err := e.Tx.Suspensions()
	if err != nil {
		return err
	}
	heads, err := e.Tx.Heads()
	if err != nil {
		return err
	}
	failed, imported, err := e.Tx.FailedItems(e.Now.AddDate(0, 0, -GlanceDays))
	if err != nil {
		return err
	}
	past, ended, warned := 0, 0, 0
	today := dateOf(e.Now)
	for _, r := range g.Reviews {
		if r.Past {
			past++
		}
	}
	for _, s := range draft.Sources {
		if end := s.Source.EffectiveTo; end != "" && end < today {
			ended++
		}
		if heads[s.Source.ID].Warnings > 0 {
			warned++
		}
	}
	g.Findings = []Finding{{AnchorsLost, len(lost), ""}, {SourcesHeld, len(held), first(held)}, {SourcesSuspended, len(off), ""}, {ReviewsPast, past, ""}, {SourcesEnded, ended, ""}, {ImportsFailed, failed, imported}, {SourcesWarned, warned, ""}}
	if e.Call.By.May(models.MayKeys) {
		n, err := g.keys(e)
		if err != nil {
			return err
		}
		g.Findings = append(g.Findings, Finding{Kind: KeysEnding, N: n})
	}
	g.Findings = append(g.Findings, Finding{Kind: QueueEnding, N: g.Queue.RunOut})
	return nil
}

func first(held []models.HeldSource) string {
	if len(held) == 0 {
		return ""
	}
	return held[0].Code
}

// keys counts the active keys that expire soon, and notes whether any was used.
func (g *Glance) keys(e *Env) (soon int, err error) {
	ks, err := e.Tx.APIKeys(e.Now)
	if err != nil {
		return 0, err
	}
	active := 0
	g.Keys = &active
	for _, k := range ks {
		g.Connects = g.Connects || k.LastUsedAt != nil
		if k.State != "active" {
			continue
		}
		active++
		if k.ExpiresAt != nil && k.ExpiresAt.Before(e.Now.Add(glanceKeys)) {
			soon++
		}
	}
	return soon, nil
}
