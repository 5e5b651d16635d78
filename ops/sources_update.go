package ops

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"polaris/models"
	"polaris/models/fault"
)

// UpdateSourceIn names a source and what is said of it that is to change; what is
// left out stays, and an empty text takes it away.
type UpdateSourceIn struct {
	Source        string       `json:"source"` // id or code
	Title         *string      `json:"title,omitempty"`
	Jurisdiction  *string      `json:"jurisdiction,omitempty"`
	OriginURL     *string      `json:"origin_url,omitempty"`
	Owner         *string      `json:"owner,omitempty"`
	ReviewBy      *models.Date `json:"review_by,omitempty"`
	EffectiveFrom *models.Date `json:"effective_from,omitempty"` // of the draft's revision, as effective_to
	EffectiveTo   *models.Date `json:"effective_to,omitempty"`
	Supersedes    *string      `json:"supersedes,omitempty"` // code of the source that it takes the place of
}

// UpdateSource changes what curators say of a source. Its code stays, since the
// citation keys begin with it; its text changes by an import.
var UpdateSource = &Op[UpdateSourceIn, models.Source]{
	Name: "sources.update", Title: "Change what is said of a source", Route: "PATCH /v1/brains/{brain_id}/sources/{source}",
	Summary: "Change a source's title, jurisdiction, origin, owner, review date, effective dates or the source that it supersedes. Its code and its text stay.",
	Class:   Reversible, Needs: models.MayEditDraft, Offered: Web | CLI | REST,
	HTTP: HTTP{Example: `{"owner":"Legal","review_by":"2027-06-30"}`},
	Propose: func(_ context.Context, e *Env, in UpdateSourceIn) (Subject, error) {
		s, err := e.Tx.Source(in.Source)
		if err != nil {
			return Subject{}, err
		}
		was := *s
		if err := in.apply(e, s); err != nil {
			return Subject{}, err
		}
		return Subject{Name: "source " + s.Code, Before: was, After: *s}, nil
	},
	Base: func(_ context.Context, e *Env, in UpdateSourceIn) (string, error) {
		s, err := e.Tx.LockedSource(in.Source)
		if err != nil {
			return "", err
		}
		return factsTag(s)
	},
	Undo: func(_ context.Context, e *Env, in UpdateSourceIn) (*Inverse, error) {
		s, err := e.Tx.LockedSource(in.Source)
		if err != nil {
			return nil, err
		}
		return &Inverse{"sources.update", factsBack(s)}, nil
	},
	Run: func(_ context.Context, e *Env, in UpdateSourceIn) (models.Source, error) {
		s, err := e.Tx.LockedSource(in.Source)
		if err != nil {
			return models.Source{}, err
		}
		e.Audit.Target = s.Code
		was := *s
		if err := in.apply(e, s); err != nil {
			return models.Source{}, err
		}
		for _, c := range fieldChanges(was, *s) {
			e.changed(c.Field, c.From, c.To)
		}
		return *s, e.Tx.SaveFacts(s)
	},
}

// apply changes s as the input says.
func (in UpdateSourceIn) apply(e *Env, s *models.Source) error {
	if in.Title != nil {
		s.Title = clean(*in.Title)
		if s.Title == "" || len(s.Title) > 500 {
			return fault.Field("title", "Give the source a title of at most 500 bytes.")
		}
	}
	in.say(s)
	facts := SourceFacts{
		Jurisdiction: s.Jurisdiction, OriginURL: s.OriginURL, Owner: s.Owner, ReviewBy: s.ReviewBy,
		EffectiveFrom: s.EffectiveFrom, EffectiveTo: s.EffectiveTo, Supersedes: s.Supersedes,
	}
	if err := facts.check(); err != nil {
		return err
	}
	return supersedable(e, s)
}

// factsBack is what says of a source again what is said of it now.
func factsBack(s *models.Source) UpdateSourceIn {
	was := *s
	return UpdateSourceIn{
		Source: s.ID, Title: &was.Title, Jurisdiction: &was.Jurisdiction, OriginURL: &was.OriginURL, Owner: &was.Owner, ReviewBy: &was.ReviewBy,
		EffectiveFrom: &was.EffectiveFrom, EffectiveTo: &was.EffectiveTo, Supersedes: &was.Supersedes,
	}
}

// say changes what is said of s beside its title.
func (in UpdateSourceIn) say(s *models.Source) {
	for _, f := range []struct {
		to   *string
		from *string
	}{{&s.Jurisdiction, in.Jurisdiction}, {&s.OriginURL, in.OriginURL}, {&s.Owner, in.Owner}, {&s.Supersedes, in.Supersedes}} {
		if f.from != nil {
			*f.to = clean(*f.from)
		}
	}
	for _, f := range []struct{ to, from *models.Date }{{&s.ReviewBy, in.ReviewBy}, {&s.EffectiveFrom, in.EffectiveFrom}, {&s.EffectiveTo, in.EffectiveTo}} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
}

// factsTag names what is said of a source now, with its revision.
func factsTag(s *models.Source) (string, error) {
	said := *s
	said.CreatedBy = "" // a name that can be forgotten
	b, err := json.Marshal(said)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8]), err
}
