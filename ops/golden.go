package ops

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"polaris/advisor/cite"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// mostGolden bounds how many questions a publish asks.
const mostGolden = 500

// SaveGoldenIn is a golden question to make, or to replace where the id is
// there.
type SaveGoldenIn struct {
	ID       string   `json:"id,omitempty"` // default: from the question
	Question string   `json:"question"`
	TopicIDs []string `json:"topic_ids,omitempty" schema:"maxItems=2"`
	Expects  []string `json:"expects,omitempty" schema:"maxItems=20"` // citation keys that the answer must cite
}

// SavedGolden is a saved golden question.
type SavedGolden struct {
	Question models.GoldenQuestion `json:"golden_question"`
	New      bool                  `json:"new"`
}

// Made reports whether the question was not there before.
func (s SavedGolden) Made() bool { return s.New }

// ETag is the question's.
func (s SavedGolden) ETag() string { return s.Question.ETag() }

// SaveGolden makes or replaces a golden question.
var SaveGolden = &Op[SaveGoldenIn, SavedGolden]{
	Name: "golden_questions.save", Title: "Save a golden question", Summary: "Make or replace a question that is asked before every publish, with the citations that its answer must have.",
	Route: "PUT /v1/brains/{brain_id}/golden-questions/{id}",
	Class: Reversible, Needs: models.MayEditDraft, Offered: Web | CLI | REST,
	HTTP: HTTP{IfMatch: true, Example: `{"id":"late-fee","question":"How much is the late fee?","expects":["HB 4.2(a)"]}`},
	Propose: func(_ context.Context, e *Env, in SaveGoldenIn) (Subject, error) {
		g, err := checkGolden(in)
		if err != nil {
			return Subject{}, err
		}
		s, err := goldenNow(e, g.ID)
		s.After = g
		return s, err
	},
	Base: func(_ context.Context, e *Env, in SaveGoldenIn) (string, error) {
		g, err := checkGolden(in)
		if err != nil {
			return "", err
		}
		return goldenBase(e, g.ID)
	},
	Undo: func(_ context.Context, e *Env, in SaveGoldenIn) (*Inverse, error) {
		g, err := checkGolden(in)
		if err != nil {
			return nil, err
		}
		back, err := goldenBack(e, g.ID)
		if back == nil && err == nil {
			back = &Inverse{"golden_questions.delete", GoldenIDIn{ID: g.ID}}
		}
		return back, err
	},
	Run: saveGolden,
}

// goldenBack is what brings a golden question back as it is now, nil where there
// is none.
func goldenBack(e *Env, id string) (*Inverse, error) {
	if err := e.Tx.LockTarget("golden question " + id); err != nil {
		return nil, err
	}
	g, err := e.Tx.GoldenQuestion(id)
	if fault.Is(err, fault.NotFound) {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil {
		return nil, err
	}
	return &Inverse{"golden_questions.save", SaveGoldenIn{ID: g.ID, Question: g.Question, TopicIDs: g.TopicIDs, Expects: g.Expects}}, nil
}

func saveGolden(_ context.Context, e *Env, in SaveGoldenIn) (SavedGolden, error) {
	g, err := checkGolden(in)
	if err != nil {
		return SavedGolden{}, err
	}
	e.Audit.Target = g.ID
	old, err := e.Tx.GoldenQuestion(g.ID)
	out := SavedGolden{New: fault.Is(err, fault.NotFound)}
	if err != nil && !out.New {
		return out, err
	}
	seen := ""
	if old != nil {
		g.Rev, seen = old.Rev, old.ETag()
	}
	if err := e.Match(seen); err != nil {
		return out, err
	}
	if out.New {
		n, err := e.Tx.CountGoldenQuestions()
		if err != nil {
			return out, err
		}
		if n >= mostGolden {
			return out, fault.New(fault.Conflict, "A brain has at most %d golden questions: all of them are asked before each publish.", mostGolden).WithCode("too_many_golden_questions")
		}
	}
	g.Rev++
	g.UpdatedAt, g.UpdatedBy = e.Now.Truncate(time.Microsecond), e.Call.By.Actor
	out.Question = g
	return out, e.Tx.SaveGoldenQuestion(&out.Question)
}

// checkGolden returns the question that the input describes.
func checkGolden(in SaveGoldenIn) (models.GoldenQuestion, error) {
	g := models.GoldenQuestion{ID: in.ID, Question: strings.TrimSpace(in.Question), TopicIDs: append([]string{}, in.TopicIDs...), Expects: []string{}}
	if g.ID == "" {
		g.ID = models.Slug(g.Question)
	}
	switch {
	case g.Question == "" || utf8.RuneCountInString(g.Question) > 2000:
		return g, fault.Field("question", "Write a question of at most 2,000 characters.")
	case g.ID == "" || g.ID != models.Slug(g.ID):
		return g, fault.Field("id", "A golden question's id is lower-case letters, digits and single hyphens, at most 64.")
	case len(g.TopicIDs) > 2:
		return g, fault.Field("topic_ids", "At most two topic cards scope a question.")
	case len(in.Expects) > 20:
		return g, fault.Field("expects", "Name at most 20 citation keys.")
	}
	for _, id := range g.TopicIDs {
		if id == "" || id != models.Slug(id) {
			return g, fault.Field("topic_ids", "%q is no id of a topic card.", id)
		}
	}
	for _, k := range in.Expects {
		ref, err := cite.Parse(k)
		if err != nil {
			return g, fault.Field("expects", "%q is no citation key. Write it as in `12 CFR 1002.9(a)` or `HB 4.2`.", k)
		}
		g.Expects = append(g.Expects, ref.String())
	}
	return g, nil
}

func goldenNow(e *Env, id string) (Subject, error) {
	s := Subject{Name: "golden question " + id}
	g, err := e.Tx.GoldenQuestion(id)
	if fault.Is(err, fault.NotFound) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	s.Before = g
	return s, nil
}

func goldenBase(e *Env, id string) (string, error) {
	g, err := e.Tx.GoldenQuestion(id)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return g.ETag(), nil
}

// GoldenIDIn names a golden question.
type GoldenIDIn struct {
	ID string `json:"id"`
}

// DeleteGolden removes a golden question.
var DeleteGolden = &Op[GoldenIDIn, None]{
	Name: "golden_questions.delete", Title: "Delete a golden question", Summary: "Remove a golden question.",
	Route: "DELETE /v1/brains/{brain_id}/golden-questions/{id}",
	Class: Reversible, Needs: models.MayEditDraft, Offered: Web | CLI | REST,
	HTTP: HTTP{Status: http.StatusNoContent, IfMatch: true},
	Propose: func(_ context.Context, e *Env, in GoldenIDIn) (Subject, error) {
		s, err := goldenNow(e, in.ID)
		if err == nil && s.Before == nil {
			_, err = e.Tx.GoldenQuestion(in.ID) // says that there is none
		}
		return s, err
	},
	Base: func(_ context.Context, e *Env, in GoldenIDIn) (string, error) { return goldenBase(e, in.ID) },
	Undo: func(_ context.Context, e *Env, in GoldenIDIn) (*Inverse, error) { return goldenBack(e, in.ID) },
	Run: func(_ context.Context, e *Env, in GoldenIDIn) (None, error) {
		e.Audit.Target = in.ID
		g, err := e.Tx.GoldenQuestion(in.ID)
		if err != nil {
			return None{}, err
		}
		if err := e.Match(g.ETag()); err != nil {
			return None{}, err
		}
		return None{}, e.Tx.DeleteGoldenQuestion(in.ID)
	},
}

// GoldenList is golden questions, by id.
type GoldenList struct {
	Questions []models.GoldenQuestion `json:"golden_questions"`
	More
}

func (l GoldenList) with(m GoldenList) GoldenList {
	return GoldenList{append(l.Questions, m.Questions...), m.More}
}

// ListGolden lists the golden questions.
var ListGolden = &Op[Page, GoldenList]{
	Name: "golden_questions.list", Title: "List golden questions", Summary: "List the questions that are asked before every publish, by id.",
	Route: "GET /v1/brains/{brain_id}/golden-questions",
	Class: Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in Page) (GoldenList, error) {
		gs, more, err := stretch(e, in, e.Tx.GoldenQuestionPage, func(g models.GoldenQuestion) store.Mark { return store.Mark{ID: g.ID} })
		return GoldenList{gs, more}, err
	},
}
