package ops

import (
	"cmp"
	"context"
	"encoding/json"

	"polaris/models"
	"polaris/models/fault"
)

// RevertIn names a revision that a source is to have again.
type RevertIn struct {
	Source       string  `json:"source"` // id or code
	Revision     int     `json:"revision" schema:"minimum=1"`
	Title        string  `json:"title,omitempty"`        // default: the revision's
	Jurisdiction *string `json:"jurisdiction,omitempty"` // default: as it is, and so for what follows
	OriginURL    *string `json:"origin_url,omitempty"`

	Owner         *string      `json:"owner,omitempty"`
	ReviewBy      *models.Date `json:"review_by,omitempty"`
	EffectiveFrom *models.Date `json:"effective_from,omitempty"` // of that revision, as effective_to
	EffectiveTo   *models.Date `json:"effective_to,omitempty"`
	Supersedes    *string      `json:"supersedes,omitempty"`
}

// RevertSource makes an earlier revision of a source the draft's again. Revisions
// are kept, so nothing is read anew.
var RevertSource = &Op[RevertIn, models.Source]{
	Name: "sources.revert", Title: "Go back to a revision", Summary: "Make an earlier revision of a source the draft's again. Published versions stay as they are.",
	Route: "POST /v1/brains/{brain_id}/sources/{source}/revert",
	Class: Reversible, Needs: models.MayEditDraft, Offered: Web | CLI | REST,
	HTTP:         HTTP{Example: `{"revision":1}`},
	InputVersion: 1, // 0 had no owner, dates or supersedes
	Older:        map[int]func(raw json.RawMessage) (RevertIn, error){0: decode[RevertIn]},
	Propose: func(_ context.Context, e *Env, in RevertIn) (Subject, error) {
		s, rev, err := toRevert(e, in)
		if err != nil {
			return Subject{}, err
		}
		now, err := e.Tx.Doc(*s, s.Head)
		if err != nil {
			return Subject{}, err
		}
		then, err := e.Tx.Doc(in.on(*s, rev), rev.N)
		if err != nil {
			return Subject{}, err
		}
		after := stateOf(then)
		after.Gained, after.KeysGained = keysBeyond(then.Passages, now.Passages)
		after.Lost, after.KeysLost = keysBeyond(now.Passages, then.Passages)
		return Subject{Name: "source " + s.Code, Before: stateOf(now), After: after}, nil
	},
	Base: func(_ context.Context, e *Env, in RevertIn) (string, error) {
		tag, err := sourceTag(e, GetSourceIn{in.Source})
		if err != nil {
			return "", err
		}
		s, err := e.Tx.Source(in.Source)
		if err != nil {
			return "", err
		}
		facts, err := factsTag(s) // which go back with the revision
		return tag + ", " + facts, err
	},
	Undo: func(_ context.Context, e *Env, in RevertIn) (*Inverse, error) {
		s, err := e.Tx.LockedSource(in.Source)
		if err != nil {
			return nil, err
		}
		return revisionBack(s), nil
	},
	Run: func(_ context.Context, e *Env, in RevertIn) (models.Source, error) {
		s, rev, err := toRevert(e, in)
		if err != nil {
			return models.Source{}, err
		}
		back := in.on(*s, rev)
		return back, e.Tx.SaveSource(&back)
	},
}

// toRevert returns a source of the draft, locked, and the revision that it is to
// have.
func toRevert(e *Env, in RevertIn) (*models.Source, *models.Revision, error) {
	if len(in.Title) > 500 {
		return nil, nil, fault.Field("title", "A title is at most 500 bytes long.")
	}
	s, err := sourceToChange(e, GetSourceIn{in.Source}, false)
	if err == nil {
		was := *s // apply checks what is said of it
		err = in.facts().apply(e, &was)
	}
	if err != nil {
		return nil, nil, err
	}
	rev, err := e.Tx.Revision(s.ID, in.Revision)
	if err == nil && rev.N == s.Head {
		err = fault.New(fault.Conflict, "Revision %d of %s is the draft's already.", rev.N, s.Code).WithCode("unchanged")
	}
	return s, rev, err
}

// facts are what is said of the source besides.
func (in RevertIn) facts() UpdateSourceIn {
	return UpdateSourceIn{
		Source: in.Source, Jurisdiction: in.Jurisdiction, OriginURL: in.OriginURL, Owner: in.Owner, ReviewBy: in.ReviewBy,
		EffectiveFrom: in.EffectiveFrom, EffectiveTo: in.EffectiveTo, Supersedes: in.Supersedes,
	}
}

// on returns the source as it is with the revision.
func (in RevertIn) on(s models.Source, rev *models.Revision) models.Source {
	s.Head, s.Title = rev.N, cmp.Or(clean(in.Title), rev.Title)
	in.facts().say(&s)
	return s
}

// revisionBack is what brings a source back as it is now.
func revisionBack(s *models.Source) *Inverse {
	u := factsBack(s)
	return &Inverse{"sources.revert", RevertIn{
		Source: s.ID, Revision: s.Head, Title: s.Title, Jurisdiction: u.Jurisdiction, OriginURL: u.OriginURL, Owner: u.Owner,
		ReviewBy: u.ReviewBy, EffectiveFrom: u.EffectiveFrom, EffectiveTo: u.EffectiveTo, Supersedes: u.Supersedes,
	}}
}

// importBack is what takes an import back: a source that was not in the draft is
// removed, another one has its revision of before.
func importBack(e *Env) (*Inverse, error) {
	st := e.Staged.(*stagedImport)
	if st.same != nil {
		return nil, nil //nolint:nilnil // nothing is changed
	}
	if err := e.Tx.LockCode(st.code); err != nil {
		return nil, err
	}
	s, err := e.Tx.SourceByCode(st.code)
	if fault.Is(err, fault.NotFound) || err == nil && s.RemovedAt != nil {
		return &Inverse{"sources.remove", GetSourceIn{st.code}}, nil
	}
	if err != nil {
		return nil, err
	}
	return revisionBack(s), nil
}
