package ops

import (
	"context"
	"slices"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// longestReason bounds why something is suspended, in bytes.
const longestReason = 1000

// SuspendIn names a source, or a passage of it, and says why it is not to be
// served.
type SuspendIn struct {
	Source string `json:"source"`        // id or code
	Key    string `json:"key,omitempty"` // citation key of a passage; empty: the whole source
	Reason string `json:"reason"`
}

// SuspendSource stops a source or a passage from being served, from the next
// request on, in every version and every process. One curator does it; it takes
// two to lift it.
var SuspendSource = &Op[SuspendIn, models.Suspension]{
	Name: "sources.suspend", Title: "Suspend a source", Route: "POST /v1/brains/{brain_id}/sources/{source}/suspend",
	Summary: "Stop a source, or one passage of it by its citation key, from being served at once, with a reason. Answers that would need it disclaim. Lifting it takes another person's decision.",
	Class:   Reversible, Needs: models.MayEditDraft, Offered: Web | CLI | REST,
	HTTP: HTTP{Example: `{"key":"HB 4.2(a)","reason":"The lender has withdrawn this page."}`},
	Propose: func(_ context.Context, e *Env, in SuspendIn) (Subject, error) {
		s, name, err := toSuspend(e, in)
		return Subject{Name: name, After: s}, err
	},
	Base: func(_ context.Context, e *Env, in SuspendIn) (string, error) {
		return suspensionTag(e, in.Source, in.Key)
	},
	Undo: func(_ context.Context, _ *Env, in SuspendIn) (*Inverse, error) {
		return &Inverse{"sources.lift", LiftIn{in.Source, in.Key}}, nil
	},
	Run: func(_ context.Context, e *Env, in SuspendIn) (models.Suspension, error) {
		s, _, err := toSuspend(e, in)
		if err != nil {
			return s, err
		}
		e.changed("suspended", "", s.Reason)
		return s, e.Tx.Suspend(&s)
	},
}

// toSuspend returns the suspension and the name of what it is of.
func toSuspend(e *Env, in SuspendIn) (s models.Suspension, name string, err error) {
	src, name, err := e.suspendable(in.Source, in.Key)
	if err != nil {
		return s, name, err
	}
	s = models.Suspension{SourceID: src.ID, Key: in.Key, Reason: clean(in.Reason), At: e.Now.Truncate(time.Microsecond), By: e.Call.By.Actor}
	switch {
	case s.Reason == "" || len(s.Reason) > longestReason:
		return s, name, fault.Field("reason", "Say why, in at most %d bytes.", longestReason)
	case in.Key == "":
		return s, name, nil
	}
	// A version may hold what the draft no longer does.
	cited, err := e.Tx.EverCited(src.ID, in.Key)
	if err == nil && !cited {
		err = &fault.Error{Kind: fault.NotFound, Code: "no_such_passage", Field: "key", Message: "No revision of " + src.Code + " has a passage with this citation key. Write it in full, as the source's page has it."}
	}
	return s, name, err
}

// suspendable finds a source, whether or not it is in the draft, and names it or
// its passage in the audit row.
func (e *Env) suspendable(source, key string) (*models.Source, string, error) {
	src, err := e.Tx.LockedSource(source)
	if err != nil {
		return nil, "", err
	}
	if gone, err := e.Tx.PurgedSources(); err != nil {
		return nil, "", err
	} else if _, was := gone[src.ID]; was {
		return nil, "", purgedAlready(src.Code)
	}
	e.Audit.Target = strings.TrimSpace(src.Code + " " + key)
	if key != "" {
		return src, "passage " + key + " of " + src.Code, nil
	}
	return src, "source " + src.Code, nil
}

// LiftIn names what is to be served again.
type LiftIn struct {
	Source string `json:"source"`        // id or code
	Key    string `json:"key,omitempty"` // as it was suspended by
}

// A Lifted is what was suspended, and is served again.
type Lifted struct {
	SourceID string `json:"source_id"`
	Key      string `json:"key"`
	Lifted   bool   `json:"lifted"`
}

// LiftSuspension lets a source or a passage be served again, by the decision of
// another person than who asks for it. The database holds that, too.
var LiftSuspension = &Op[LiftIn, Lifted]{
	Name: "sources.lift", Title: "Lift a suspension", Route: "POST /v1/brains/{brain_id}/sources/{source}/lift",
	Summary: "Let a suspended source or passage be served again. Another person decides on it.",
	Class:   Irreversible, Needs: models.MayEditDraft, Offered: Web | CLI | REST,
	HTTP: HTTP{Example: `{"key":"HB 4.2(a)"}`},
	Propose: func(_ context.Context, e *Env, in LiftIn) (Subject, error) {
		s, name, err := e.suspension(in.Source, in.Key)
		if err != nil {
			return Subject{}, err
		}
		return Subject{Name: name, Before: s, After: Lifted{s.SourceID, s.Key, true}}, nil
	},
	Base: func(_ context.Context, e *Env, in LiftIn) (string, error) {
		return suspensionTag(e, in.Source, in.Key)
	},
	Undo: func(_ context.Context, e *Env, in LiftIn) (*Inverse, error) {
		s, _, err := e.suspension(in.Source, in.Key)
		if err != nil {
			return nil, err
		}
		return &Inverse{"sources.suspend", SuspendIn{in.Source, in.Key, s.Reason}}, nil
	},
	Run: func(_ context.Context, e *Env, in LiftIn) (Lifted, error) {
		s, _, err := e.suspension(in.Source, in.Key)
		if err != nil {
			return Lifted{}, err
		}
		e.changed("suspended", s.Reason, "")
		return Lifted{s.SourceID, s.Key, true}, e.Tx.Lift(s.SourceID, s.Key)
	},
}

// suspension returns the suspension of a source or passage, which must be there.
func (e *Env) suspension(source, key string) (*models.Suspension, string, error) {
	src, name, err := e.suspendable(source, key)
	if err != nil {
		return nil, "", err
	}
	all, err := e.Tx.Suspensions()
	if err != nil {
		return nil, "", err
	}
	i := slices.IndexFunc(all, func(s models.Suspension) bool { return s.SourceID == src.ID && s.Key == key })
	if i < 0 {
		return nil, "", fault.New(fault.Conflict, "It is not suspended.").WithCode("not_suspended")
	}
	return &all[i], name, nil
}

// suspensionTag says since when something is suspended and by whom, "" where it
// is not.
func suspensionTag(e *Env, source, key string) (string, error) {
	s, _, err := e.suspension(source, key)
	if err != nil {
		if fault.Of(err).Code == "not_suspended" {
			return "", nil
		}
		return "", err
	}
	return s.At.UTC().Format(time.RFC3339Nano) + " " + s.By, nil
}

// withheld names what is suspended now.
func withheld(tx *store.Tx) ([]models.Withheld, error) {
	all, err := tx.Suspensions()
	var off []models.Withheld
	for _, s := range all {
		off = append(off, models.Withheld{SourceID: s.SourceID, Key: s.Key})
	}
	return off, err
}

// suspendedOf returns the suspensions of one source.
func suspendedOf(tx *store.Tx, source string) ([]models.Suspension, error) {
	all, err := tx.Suspensions()
	return slices.DeleteFunc(all, func(s models.Suspension) bool { return s.SourceID != source }), err
}
