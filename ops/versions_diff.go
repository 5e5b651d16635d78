package ops

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"polaris/advisor"
	"polaris/advisor/cite"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// DiffIn names two versions.
type DiffIn struct {
	From int `json:"from,omitempty" jsonschema:"number of the earlier version; left out: the one that answers now" schema:"minimum=1"`
	To   int `json:"to,omitempty" jsonschema:"number of the later version; left out: the draft" schema:"minimum=1"`
}

// What a difference says of one thing.
const (
	Gained  = "gained"
	Lost    = "lost"
	Altered = "changed"
	Moved   = "moved" // the same words under another key
)

// A VersionDiff is what one version has that another has not. Of a number, 0 is
// the draft at the end, and nothing at all at the beginning.
type VersionDiff struct {
	From     int             `json:"from"`
	To       int             `json:"to"`
	Sources  []SourceDiff    `json:"sources"`  // by code; those that differ
	Cards    []CardDiff      `json:"cards"`    // by id; those that differ
	Articles []ArticleChange `json:"articles"` // by title; those that differ
}

// A SourceDiff is what became of one source.
type SourceDiff struct {
	Code         string          `json:"code"`
	Title        string          `json:"title"`
	Status       string          `json:"status"`                  // gained, lost or changed
	FromRevision int             `json:"from_revision,omitempty"` // absent where it was not there
	ToRevision   int             `json:"to_revision,omitempty"`   // absent where it is gone
	Fields       []models.Change `json:"fields,omitempty"`        // what is said of it: title, code, origin
	Counts       PassageCounts   `json:"counts"`
	Passages     []PassageChange `json:"passages"`       // in the order of the document, at most mostPassages
	More         int             `json:"more,omitempty"` // so many passages are counted and not listed
}

// PassageCounts counts the passages of one source.
type PassageCounts struct {
	Same    int `json:"same"`
	Gained  int `json:"gained"`
	Lost    int `json:"lost"`
	Changed int `json:"changed"`
	Moved   int `json:"moved"`
}

// A PassageChange is what became of one citation key.
type PassageChange struct {
	Key    string `json:"key"`
	Status string `json:"status"`
	To     string `json:"to,omitempty"` // the key that the words of a moved passage have now
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// A CardDiff is what became of one topic card.
type CardDiff struct {
	ID     string            `json:"id"`
	Status string            `json:"status"`
	Before *models.TopicCard `json:"before,omitempty"`
	After  *models.TopicCard `json:"after,omitempty"`
}

// An ArticleChange is what became of one article of the wiki.
type ArticleChange struct {
	Title  string `json:"title"`
	Status string `json:"status"`
}

// mostPassages bounds how many passages of one source a difference lists.
const mostPassages = 1000

// DiffVersions shows what differs between two versions, or between a version and
// the draft.
var DiffVersions = &Op[DiffIn, VersionDiff]{
	Name: "versions.diff", Title: "Compare versions", Route: "GET /v1/brains/{brain_id}/diff",
	Summary: "Show what differs between two versions, or between the published version and the draft: sources with their revisions, passages by citation key, topic cards and articles.",
	Class:   Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Stage: func(ctx context.Context, e *Env, in DiffIn) (any, error) { return stageDiff(ctx, e, in) },
	Run: func(_ context.Context, e *Env, _ DiffIn) (VersionDiff, error) {
		s := e.Staged.(*comparison)
		out := VersionDiff{From: s.from.n, To: s.to.n, Sources: []SourceDiff{}, Cards: cardDiffs(s.from.manifest.Cards, s.to.manifest.Cards)}
		var err error
		if out.Articles, err = articleChanges(s.from.engine, s.to.engine); err != nil {
			return out, err
		}
		out.Sources, err = sourceDiffs(e.Tx, s.from.manifest, s.to.manifest)
		return out, err
	},
}

// A comparison is two versions, or one and the draft.
type comparison struct{ from, to side }

// A side is one of them. Its engine is nil where there is nothing.
type side struct {
	n        int
	manifest models.Manifest
	engine   *advisor.Engine
}

func stageDiff(ctx context.Context, e *Env, in DiffIn) (*comparison, error) {
	c := &comparison{from: side{n: in.From}, to: side{n: in.To}}
	var draft *models.Corpus
	err := e.Store().InBrain(ctx, e.Call.Brain, func(tx *store.Tx) (err error) {
		if in.From == 0 {
			b, err := tx.ThisBrain(false)
			if err != nil {
				return err
			}
			c.from.n = b.Published
		}
		for _, s := range []*side{&c.from, &c.to} {
			if s.n == 0 {
				continue
			}
			v, err := tx.Version(s.n)
			if err != nil {
				return err
			}
			s.manifest = v.Manifest
		}
		if in.To > 0 {
			return nil
		}
		if c.to.manifest, err = tx.ManifestOfDraft(); err == nil {
			draft, err = tx.CorpusOf(c.to.manifest)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, s := range []*side{&c.from, &c.to} {
		if s.n > 0 {
			if s.engine, err = e.Shelf().Exactly(ctx, e.Call.Brain, s.n); err != nil {
				return nil, err
			}
		}
	}
	if draft != nil {
		c.to.engine, err = advisor.Build(draft, e.desk.advisorConfig())
	}
	return c, err
}

// sourceDiffs compares sources by their ids: a code can be given anew.
func sourceDiffs(tx *store.Tx, from, to models.Manifest) ([]SourceDiff, error) {
	was, is := byID(from), byID(to)
	out := []SourceDiff{}
	for _, id := range ids(was, is) {
		a, before := was[id]
		b, after := is[id]
		d := SourceDiff{Code: cmp.Or(b.Source.Code, a.Source.Code), Title: cmp.Or(b.Source.Title, a.Source.Title), FromRevision: a.Revision, ToRevision: b.Revision, Status: status(before, after), Passages: []PassageChange{}}
		if before && after {
			d.Fields = fieldChanges(a.Source, b.Source)
			if a.Revision == b.Revision && len(d.Fields) == 0 {
				continue
			}
		}
		var x, y *models.Doc
		var err error
		if before {
			if x, err = tx.Doc(a.Source, a.Revision); err != nil {
				return nil, err
			}
		}
		if after {
			if y, err = tx.Doc(b.Source, b.Revision); err != nil {
				return nil, err
			}
		}
		d.compare(x, y)
		out = append(out, d)
	}
	slices.SortStableFunc(out, func(a, b SourceDiff) int { return strings.Compare(a.Code, b.Code) })
	return out, nil
}

func byID(m models.Manifest) map[string]models.ManifestSource {
	by := make(map[string]models.ManifestSource, len(m.Sources))
	for _, s := range m.Sources {
		by[s.Source.ID] = s
	}
	return by
}

// ids returns the keys of both, sorted.
func ids[V any](a, b map[string]V) []string {
	all := make(map[string]V, len(a)+len(b))
	maps.Copy(all, a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

func status(before, after bool) string {
	switch {
	case !before:
		return Gained
	case !after:
		return Lost
	}
	return Altered
}

func fieldChanges(a, b models.Source) (cs []models.Change) {
	for _, f := range []models.Change{
		{Field: "code", From: a.Code, To: b.Code},
		{Field: "title", From: a.Title, To: b.Title},
		{Field: "origin_url", From: a.OriginURL, To: b.OriginURL},
		{Field: "jurisdiction", From: a.Jurisdiction, To: b.Jurisdiction},
		{Field: "owner", From: a.Owner, To: b.Owner},
		{Field: "review_by", From: string(a.ReviewBy), To: string(b.ReviewBy)},
		{Field: "effective_from", From: string(a.EffectiveFrom), To: string(b.EffectiveFrom)},
		{Field: "effective_to", From: string(a.EffectiveTo), To: string(b.EffectiveTo)},
		{Field: "supersedes", From: a.Supersedes, To: b.Supersedes},
	} {
		if f.From != f.To {
			cs = append(cs, f)
		}
	}
	return cs
}

// compare fills in what became of the passages. Either document may be nil.
func (d *SourceDiff) compare(a, b *models.Doc) {
	was, is := texts(a), texts(b)
	newKey := map[string]string{} // of words that have a key which was not there
	for key, text := range is {
		if _, there := was[key]; !there && unnumbered(text) != "" {
			newKey[unnumbered(text)] = max(newKey[unnumbered(text)], key) // of several the same one each time
		}
	}
	var changes []PassageChange
	arrived := map[string]bool{}
	for _, key := range ids(was, is) {
		before, x := was[key]
		after, y := is[key]
		switch {
		case x && y && before == after:
			d.Counts.Same++
		case x && y:
			d.Counts.Changed++
			changes = append(changes, PassageChange{Key: key, Status: Altered, Before: before, After: after})
		case x && newKey[unnumbered(before)] != "" && !arrived[newKey[unnumbered(before)]]:
			d.Counts.Moved++
			to := newKey[unnumbered(before)]
			arrived[to] = true
			changes = append(changes, PassageChange{Key: key, Status: Moved, To: to, Before: before})
		case x:
			d.Counts.Lost++
			changes = append(changes, PassageChange{Key: key, Status: Lost, Before: before})
		}
	}
	for key, text := range is {
		if _, there := was[key]; !there && !arrived[key] {
			d.Counts.Gained++
			changes = append(changes, PassageChange{Key: key, Status: Gained, After: text})
		}
	}
	inOrder(changes)
	d.More = max(0, len(changes)-mostPassages)
	d.Passages = append(d.Passages, changes[:len(changes)-d.More]...)
}

// enumerator is what a numbered passage begins with: "(a)", "(1)(ii)", "4.2".
var enumerator = regexp.MustCompile(`^(\([0-9A-Za-z]{1,6}\)|[0-9]+(\.[0-9]+)*\.?\s)+\s*`)

// unnumbered returns a text without its number, by which a passage is known again
// that was given another one.
func unnumbered(text string) string { return enumerator.ReplaceAllString(text, "") }

// texts returns the text of each key.
func texts(d *models.Doc) map[string]string {
	if d == nil {
		return nil
	}
	by := make(map[string]string, len(d.Passages))
	for _, p := range d.Passages {
		by[p.Key] = d.Revision.Text[p.Start:p.End]
	}
	return by
}

// inOrder sorts changes as their keys follow one another in the document.
func inOrder(cs []PassageChange) {
	refs := make(map[string]cite.Ref, len(cs))
	for _, c := range cs {
		if r, err := cite.Parse(c.Key); err == nil {
			refs[c.Key] = r
		}
	}
	slices.SortFunc(cs, func(a, b PassageChange) int {
		return cmp.Or(cite.Compare(refs[a.Key], refs[b.Key]), strings.Compare(a.Key, b.Key))
	})
}

// cardDiffs compares cards by their ids. Who saved one when is no difference.
func cardDiffs(from, to []models.TopicCard) []CardDiff {
	was, is := map[string]*models.TopicCard{}, map[string]*models.TopicCard{}
	for i := range from {
		was[from[i].ID] = &from[i]
	}
	for i := range to {
		is[to[i].ID] = &to[i]
	}
	out := []CardDiff{}
	for _, id := range ids(was, is) {
		a, b := was[id], is[id]
		if a != nil && b != nil && a.Label == b.Label && a.Covers == b.Covers && reflect.DeepEqual(a.Anchors, b.Anchors) {
			continue
		}
		out = append(out, CardDiff{id, status(a != nil, b != nil), a, b})
	}
	return out
}

// articleChanges compares the articles of two engines, as a reader reads them.
func articleChanges(from, to *advisor.Engine) ([]ArticleChange, error) {
	was, err := articles(from)
	if err != nil {
		return nil, err
	}
	is, err := articles(to)
	if err != nil {
		return nil, err
	}
	out := []ArticleChange{}
	for _, title := range ids(was, is) {
		a, before := was[title]
		b, after := is[title]
		if !before || !after || a != b {
			out = append(out, ArticleChange{title, status(before, after)})
		}
	}
	return out, nil
}

func articles(e *advisor.Engine) (map[string]string, error) {
	by := map[string]string{}
	if e == nil {
		return by, nil
	}
	for _, c := range e.Wiki() {
		for _, title := range c.Titles {
			a, _, err := e.Article(title)
			if fault.Is(err, fault.NotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			by[title] = c.Name + "\n" + a.Markdown
		}
	}
	return by, nil
}
