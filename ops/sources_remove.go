package ops

import (
	"context"
	"net/http"
	"strconv"

	"polaris/models"
	"polaris/models/fault"
)

// RemoveSource takes a source out of the draft. Versions that hold it, and what
// was answered from them, stay as they are; its code stays its own.
var RemoveSource = &Op[GetSourceIn, None]{
	Name: "sources.remove", Title: "Remove a source", Summary: "Take a source out of the draft. Published versions keep it, and it can be restored.",
	Route: "DELETE /v1/brains/{brain_id}/sources/{source}",
	Class: Reversible, Needs: models.MayEditDraft, Offered: Web | CLI | REST,
	HTTP: HTTP{Status: http.StatusNoContent},
	Propose: func(_ context.Context, e *Env, in GetSourceIn) (Subject, error) {
		s, err := sourceToChange(e, in, false)
		if err != nil {
			return Subject{}, err
		}
		return Subject{Name: "source " + s.Code, Before: s}, nil
	},
	Base: func(_ context.Context, e *Env, in GetSourceIn) (string, error) { return sourceTag(e, in) },
	Undo: func(_ context.Context, _ *Env, in GetSourceIn) (*Inverse, error) {
		return &Inverse{"sources.restore", in}, nil
	},
	Run: func(_ context.Context, e *Env, in GetSourceIn) (None, error) {
		s, err := sourceToChange(e, in, false)
		if err != nil {
			return None{}, err
		}
		return None{}, e.Tx.MarkRemoved(s, &e.Now)
	},
}

// RestoreSource puts a source back that was removed.
var RestoreSource = &Op[GetSourceIn, models.Source]{
	Name: "sources.restore", Title: "Restore a source", Summary: "Put a source back into the draft that was removed from it.",
	Route: "POST /v1/brains/{brain_id}/sources/{source}/restore",
	Class: Reversible, Needs: models.MayEditDraft, Offered: Web | CLI | REST,
	Propose: func(_ context.Context, e *Env, in GetSourceIn) (Subject, error) {
		s, err := sourceToChange(e, in, true)
		if err != nil {
			return Subject{}, err
		}
		back := *s
		back.RemovedAt = nil
		return Subject{Name: "source " + s.Code, Before: s, After: back}, nil
	},
	Base: func(_ context.Context, e *Env, in GetSourceIn) (string, error) { return sourceTag(e, in) },
	Undo: func(_ context.Context, _ *Env, in GetSourceIn) (*Inverse, error) {
		return &Inverse{"sources.remove", in}, nil
	},
	Run: func(_ context.Context, e *Env, in GetSourceIn) (models.Source, error) {
		s, err := sourceToChange(e, in, true)
		if err != nil {
			return models.Source{}, err
		}
		return *s, e.Tx.MarkRemoved(s, nil)
	},
}

// sourceToChange returns a source, locked, that has been removed, or has not.
func sourceToChange(e *Env, in GetSourceIn, removed bool) (*models.Source, error) {
	s, err := e.Tx.LockedSource(in.Source)
	if err != nil {
		return nil, err
	}
	e.Audit.Target = s.Code
	gone, err := e.Tx.PurgedSources()
	if err != nil {
		return nil, err
	}
	if _, was := gone[s.ID]; was {
		return nil, purgedAlready(s.Code)
	}
	switch {
	case removed && s.RemovedAt == nil:
		return nil, fault.New(fault.Conflict, "%s is in the draft.", s.Code).WithCode("not_removed")
	case !removed && s.RemovedAt != nil:
		return nil, fault.New(fault.Conflict, "%s is not in the draft any more.", s.Code).WithCode("already_removed")
	}
	return s, nil
}

// sourceTag names the state of a source that a removal would end.
func sourceTag(e *Env, in GetSourceIn) (string, error) {
	s, err := e.Tx.LockedSource(in.Source)
	if err != nil {
		return "", err
	}
	tag := "revision " + strconv.Itoa(s.Head)
	if s.RemovedAt != nil {
		tag += " removed"
	}
	return tag, nil
}
