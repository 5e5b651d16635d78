package ops

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"polaris/advisor"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// PublishIn says what changed, for the version list.
type PublishIn struct {
	Notes string `json:"notes,omitempty" schema:"maxLength=2000"`
}

// Published is a new version.
type Published struct {
	Version  int    `json:"version"`
	Sources  int    `json:"sources"`
	Passages int    `json:"passages"`
	Cards    int    `json:"cards"`
	Engine   string `json:"engine"`
	FourEyes string `json:"four_eyes"`

	Golden *GoldenReport       `json:"golden,omitempty"` // where the brain has golden questions
	Held   []models.HeldSource `json:"held,omitempty"`   // left out, or as they were, until a curator has certified them
}

// PublishVersion freezes the draft as the next version and serves it. Its
// engine is built before the transaction opens and on the shelf before the flip
// can be seen, so no answer ever waits for a publish.
var PublishVersion = &Op[PublishIn, Published]{
	Name: "versions.publish", Title: "Publish", Summary: "Freeze the draft as the next version and answer from it.",
	Route: "POST /v1/brains/{brain_id}/versions",
	Class: Irreversible, Needs: models.MayPublish, Offered: Web | CLI | REST,
	Final:   "a version stays; versions.restore publishes the one before it",
	HTTP:    HTTP{Status: http.StatusCreated, Example: `{"notes":"The handbook of March"}`},
	Stage:   func(ctx context.Context, e *Env, in PublishIn) (any, error) { return stagePublish(ctx, e, in) },
	Propose: func(_ context.Context, e *Env, _ PublishIn) (Subject, error) { return proposePublish(e) },
	Base:    func(_ context.Context, e *Env, _ PublishIn) (string, error) { return publishedNow(e) },
	Run:     publish,
}

// A candidate is a version that is ready and not published.
type candidate struct {
	n        int
	manifest models.Manifest
	engine   *advisor.Engine
	passages int
	purged   int           // how many sources of the brain were when it was built
	golden   *GoldenReport // nil: no golden questions, or asked when it was proposed
	held     []models.HeldSource
}

// A frozen candidate is what is decided on: the manifest, what it makes of
// the golden questions, and what is held back. Where there are none the manifest
// stands alone.
type frozen struct {
	Manifest *models.Manifest `json:"manifest,omitempty"`
	Golden   *GoldenReport    `json:"golden,omitempty"`

	Held []models.HeldSource `json:"held,omitempty"`
}

func stagePublish(ctx context.Context, e *Env, in PublishIn) (*candidate, error) {
	if len(in.Notes) > 2000 {
		return nil, fault.Field("notes", "Notes are at most 2,000 bytes long.")
	}
	var held []models.HeldSource
	c, err := build(ctx, e, func(tx *store.Tx, last int) (m models.Manifest, err error) {
		m, held, err = manifestOf(e, tx, last)
		return m, err
	})
	if err == nil {
		c.held = held
	}
	return c, err
}

// build makes the engine of what would be the next version. The manifest is
// what is told, given the number of the last version.
func build(ctx context.Context, e *Env, manifest func(tx *store.Tx, last int) (models.Manifest, error)) (*candidate, error) {
	c := &candidate{}
	var corpus *models.Corpus
	err := e.Store().InBrain(ctx, e.Call.Brain, func(tx *store.Tx) error {
		last, err := tx.LastVersion()
		if err != nil {
			return err
		}
		c.n = last + 1
		b, err := tx.ThisBrain(false)
		if err != nil {
			return err
		}
		c.purged = b.Purged
		if c.manifest, err = manifest(tx, last); err != nil {
			return err
		}
		corpus, err = tx.CorpusOf(c.manifest)
		return err
	})
	if err != nil {
		return nil, err
	}
	corpus.Version = c.n
	for _, d := range corpus.Docs {
		c.passages += len(d.Passages)
	}
	if c.engine, err = advisor.Build(corpus, e.desk.advisorConfig()); err != nil || e.Queued != nil {
		return c, err
	}
	c.golden, err = askGolden(ctx, e, c.engine)
	return c, err
}

// manifestOf returns what is to be published: what the proposal froze or, where
// nobody is asked, the draft.
func manifestOf(e *Env, tx *store.Tx, last int) (m models.Manifest, held []models.HeldSource, err error) {
	if e.Queued != nil {
		var f frozen
		if err := json.Unmarshal([]byte(e.Queued.After), &f); err != nil || f.Manifest != nil {
			return *cmp.Or(f.Manifest, &m), f.Held, err
		}
		return m, nil, json.Unmarshal([]byte(e.Queued.After), &m)
	}
	m, held, err = tx.DraftAndHeld()
	if err == nil {
		err = worthPublishing(tx, m, held, last)
	}
	return m, held, err
}

// proposePublish freezes the manifest. A later edit of the draft leaves the
// proposal as it is; only another version makes it stale.
func proposePublish(e *Env) (Subject, error) {
	c := e.Staged.(*candidate)
	s := Subject{Name: "published version", After: c.manifest}
	if c.golden != nil || len(c.held) > 0 {
		s.After = frozen{&c.manifest, c.golden, c.held}
	}
	b, err := e.Tx.ThisBrain(false)
	if err != nil || b.Published == 0 {
		return s, err
	}
	v, err := e.Tx.Version(b.Published)
	if err == nil {
		s.Before = v.Manifest
	}
	return s, err
}

// publishedNow names the version that answers, which a publish would replace.
func publishedNow(e *Env) (string, error) {
	b, err := e.Tx.ThisBrain(false)
	if err != nil || b.Published == 0 {
		return "", err
	}
	return fmt.Sprintf("version %d", b.Published), nil
}

// worthPublishing refuses an empty draft, and one that is what is served now.
func worthPublishing(tx *store.Tx, m models.Manifest, held []models.HeldSource, last int) error {
	if len(m.Sources) == 0 && len(held) > 0 {
		return fault.New(fault.Conflict, "Every source of the draft is held for what was found in it (%s, for one). A curator looks at it and certifies it, or removes it.", held[0].Code).WithCode("sources_held")
	}
	if len(m.Sources) == 0 {
		return fault.New(fault.Conflict, "The draft has no sources. Import one first.").WithCode("nothing_to_publish")
	}
	if last == 0 {
		return nil
	}
	v, err := tx.Version(last)
	if err != nil {
		return err
	}
	if bytes.Equal(v.Hash, models.HashManifest(m)) && len(held) > 0 {
		return fault.New(fault.Conflict, "All that differs from version %d is held for what was found in it (%s, for one), until a curator has certified it.", last, held[0].Code).WithCode("sources_held")
	}
	if bytes.Equal(v.Hash, models.HashManifest(m)) {
		return fault.New(fault.Conflict, "The draft is what version %d holds already.", last).WithCode("nothing_to_publish")
	}
	return nil
}

func publish(_ context.Context, e *Env, in PublishIn) (Published, error) {
	c := e.Staged.(*candidate)
	m := c.manifest
	if e.Queued == nil {
		draft, err := e.Tx.ManifestOfDraft() // the brain's row is locked: no other publish is on its way
		if err != nil {
			return Published{}, err
		}
		m = draft
	}
	if !bytes.Equal(models.HashManifest(m), models.HashManifest(c.manifest)) {
		return Published{}, fault.New(fault.Conflict, "The draft changed while it was being published. Look at it again, and publish again.").WithCode("draft_changed")
	}
	return flip(e, c, m, in.Notes)
}

// flip makes the candidate the version that answers.
func flip(e *Env, c *candidate, m models.Manifest, notes string) (Published, error) {
	// An engine that was built before a purge holds what is gone.
	b, err := e.Tx.ThisBrain(true)
	if err != nil {
		return Published{}, err
	}
	if b.Purged != c.purged {
		return Published{}, fault.New(fault.Conflict, "A source was purged while this was being published. Publish again.").WithCode("draft_changed")
	}
	v := models.Version{
		N: c.n, Manifest: m, Hash: models.HashManifest(m), Engine: c.engine.Name(), Notes: notes,
		FourEyes: e.Audit.Detail.FourEyes, PublishedAt: e.Now, PublishedBy: e.Call.By.Actor,
	}
	if err := e.Tx.InsertVersion(&v); err != nil {
		return Published{}, err
	}
	e.Audit.Target, e.Audit.Detail.Version = fmt.Sprintf("version %d", v.N), v.N
	e.Shelf().Put(e.Call.Brain, c.engine)
	e.undo = append(e.undo, func() { e.Shelf().Drop(e.Call.Brain, c.engine) })
	return Published{v.N, len(m.Sources), c.passages, len(m.Cards), v.Engine, v.FourEyes, c.golden, c.held}, nil
}

func (d *Desk) advisorConfig() advisor.Config {
	return advisor.Config{PublicURL: d.Settings.PublicURL, Indexes: d.Settings.Indexes}
}

// loadEngine builds the engine of a published version from the database.
func (d *Desk) loadEngine(ctx context.Context, brain models.BrainID, version int) (*advisor.Engine, error) {
	var corpus *models.Corpus
	err := d.Store.InBrain(ctx, brain, func(tx *store.Tx) error {
		v, err := tx.Version(version)
		if err != nil {
			return err
		}
		if corpus, err = tx.CorpusOf(v.Manifest); err == nil {
			corpus.Version = v.N
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return advisor.Build(corpus, d.advisorConfig())
}

// Warm loads the published version of every brain, so that the first question
// does not wait. A brain that does not load is logged and does not stop others.
func (d *Desk) Warm(ctx context.Context) error {
	bs, err := d.Store.Brains(ctx)
	if err != nil {
		return err
	}
	for _, b := range bs {
		if b.Published == 0 {
			continue
		}
		if _, err := d.Shelf.Engine(ctx, b.ID, b.Published); err != nil {
			d.Log.Error("loading a published version failed", "brain", b.ID, "version", b.Published, "error", err)
		}
	}
	return nil
}

// VersionList is versions of a brain, the newest first, and the number of the
// one that answers.
type VersionList struct {
	Published int              `json:"published"`
	Versions  []models.Version `json:"versions"`
	More
}

func (l VersionList) with(m VersionList) VersionList {
	return VersionList{m.Published, append(l.Versions, m.Versions...), m.More}
}

// ListVersions lists a brain's versions.
var ListVersions = &Op[Page, VersionList]{
	Name: "versions.list", Title: "List versions", Route: "GET /v1/brains/{brain_id}/versions", Summary: "List the brain's published versions, the newest first.",
	Class: Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in Page) (VersionList, error) {
		b, err := e.Tx.ThisBrain(false)
		if err != nil {
			return VersionList{}, err
		}
		vs, more, err := stretch(e, in, e.Tx.VersionPage, func(v models.Version) store.Mark { return store.Mark{N: v.N} })
		if err == nil {
			err = errors.Join(e.Tx.Decisions(vs), markPurged(e.Tx, vs))
		}
		return VersionList{b.Published, vs, more}, err
	},
}

// GetVersionIn names a version.
type GetVersionIn struct {
	N int `json:"n"`
}

// GetVersion shows what one version froze.
var GetVersion = &Op[GetVersionIn, models.Version]{
	Name: "versions.get", Title: "Show a version", Summary: "Show the manifest of a published version.",
	Route: "GET /v1/brains/{brain_id}/versions/{n}",
	Class: Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in GetVersionIn) (models.Version, error) {
		v, err := e.Tx.Version(in.N)
		if err != nil {
			return models.Version{}, err
		}
		vs := []models.Version{*v}
		err = errors.Join(e.Tx.Decisions(vs), markPurged(e.Tx, vs))
		return vs[0], err
	},
}
