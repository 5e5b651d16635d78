package ops

import (
	"context"
	"slices"

	"polaris/advisor"
	"polaris/advisor/cite"
	"polaris/models"
	"polaris/models/store"
)

// A GoldenReport is what a candidate makes of the golden questions, beside what
// the version does that answers now.
type GoldenReport struct {
	Published int            `json:"published"` // that it is compared with; 0: nothing
	Asked     int            `json:"asked"`
	Failed    int            `json:"failed"`  // answers that lack a citation which they must have
	Changed   int            `json:"changed"` // questions with other citations, or another guardrail
	Questions []GoldenResult `json:"questions"`
}

// A GoldenResult is what became of one question.
type GoldenResult struct {
	ID       string        `json:"id"`
	Question string        `json:"question"`
	Before   string        `json:"before,omitempty"` // status of the guardrail now; absent where nothing is published
	After    string        `json:"after"`            // and of the candidate's
	Cites    []string      `json:"cites"`            // keys that the candidate cites, in its order
	Appeared []string      `json:"appeared"`         // cited by the candidate alone
	Vanished []string      `json:"vanished"`         // cited now, and not by the candidate
	Moved    []GoldenMoved `json:"moved"`            // the same words under another key
	Reworded []string      `json:"reworded"`         // the same key with other words
	Missing  []string      `json:"missing"`          // that it must cite, and does not
}

// A GoldenMoved is a quote that is cited under another key than before.
type GoldenMoved struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// changed reports whether anything but the numbering differs.
func (r *GoldenResult) changed() bool {
	return r.Before != "" && r.Before != r.After || len(r.Appeared)+len(r.Vanished)+len(r.Moved)+len(r.Reworded) > 0
}

// askGolden asks the brain's golden questions of a candidate and of the version
// that answers now. It returns nil where there are none.
func askGolden(ctx context.Context, e *Env, candidate *advisor.Engine) (*GoldenReport, error) {
	var qs []models.GoldenQuestion
	var policy models.Policy
	r := &GoldenReport{Questions: []GoldenResult{}}
	err := e.Store().InBrain(ctx, e.Call.Brain, func(tx *store.Tx) (err error) {
		if qs, err = tx.GoldenQuestions(); err != nil {
			return err
		}
		b, err := tx.ThisBrain(false)
		if err == nil {
			r.Published, policy = b.Published, b.Policy
		}
		return err
	})
	if err != nil || len(qs) == 0 {
		return nil, err
	}
	var now *advisor.Engine
	if r.Published > 0 {
		if now, err = e.Shelf().Exactly(ctx, e.Call.Brain, r.Published); err != nil {
			return nil, err
		}
	}
	for _, q := range qs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ask := advisor.Question{Text: q.Question, TopicIDs: q.TopicIDs, Threshold: policy.VerifyThreshold, Blocked: policy.RefusedTopics}
		var before *models.Envelope
		if now != nil {
			before = now.Answer(ctx, ask)
		}
		res := compareAnswers(q, before, candidate.Answer(ctx, ask))
		if len(res.Missing) > 0 {
			r.Failed++
		}
		if res.changed() {
			r.Changed++
		}
		r.Questions = append(r.Questions, res)
	}
	r.Asked = len(qs)
	return r, nil
}

// compareAnswers says which citations appeared, vanished or moved.
func compareAnswers(q models.GoldenQuestion, before, after *models.Envelope) GoldenResult {
	r := GoldenResult{
		ID: q.ID, Question: q.Question, After: after.Guardrail.Status, Cites: []string{},
		Appeared: []string{}, Vanished: []string{}, Moved: []GoldenMoved{}, Reworded: []string{}, Missing: []string{},
	}
	was, is := map[string]string{}, map[string]string{}
	if before != nil {
		r.Before = before.Guardrail.Status
		for _, c := range before.Citations {
			was[c.Key] = c.Quote
		}
	}
	for _, c := range after.Citations {
		is[c.Key] = c.Quote
		if !slices.Contains(r.Cites, c.Key) {
			r.Cites = append(r.Cites, c.Key)
		}
	}
	if before != nil {
		r.compare(was, is)
	}
	for _, k := range q.Expects {
		if !slices.ContainsFunc(r.Cites, func(c string) bool { return meets(c, k) }) {
			r.Missing = append(r.Missing, k)
		}
	}
	return r
}

func (r *GoldenResult) compare(was, is map[string]string) {
	gone := map[string]string{} // quote -> the key that it had
	for _, k := range ids(was, is) {
		quote, y := is[k]
		switch old, x := was[k]; {
		case x && y && old != quote:
			r.Reworded = append(r.Reworded, k)
		case x && !y:
			gone[unnumbered(old)] = k
		}
	}
	moved := map[string]bool{}
	for _, k := range ids(was, is) {
		quote, y := is[k]
		if _, x := was[k]; x || !y {
			continue
		}
		if from := gone[unnumbered(quote)]; from != "" && !moved[from] {
			moved[from] = true
			r.Moved = append(r.Moved, GoldenMoved{from, k})
			continue
		}
		r.Appeared = append(r.Appeared, k)
	}
	for _, k := range ids(was, is) {
		if _, y := is[k]; !y && !moved[k] {
			r.Vanished = append(r.Vanished, k)
		}
	}
}

// meets reports whether a citation is of what is expected, or of a part of it.
func meets(cited, expected string) bool {
	c, err1 := cite.Parse(cited)
	x, err2 := cite.Parse(expected)
	return cited == expected || err1 == nil && err2 == nil && x.Contains(c)
}

// RunGolden asks the golden questions of the draft, as a publish of it would.
var RunGolden = &Op[None, *GoldenReport]{
	Name: "golden_questions.run", Title: "Run the golden questions", Summary: "Ask the golden questions of the draft as it is now, and of the published version: which citations appeared, vanished or moved, and which are missing.",
	Route: "GET /v1/brains/{brain_id}/golden-report",
	Class: Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Stage: func(ctx context.Context, e *Env, _ None) (any, error) {
		var corpus *models.Corpus
		err := e.Store().InBrain(ctx, e.Call.Brain, func(tx *store.Tx) error {
			m, err := tx.ManifestOfDraft()
			if err == nil {
				corpus, err = tx.CorpusOf(m)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		engine, err := advisor.Build(corpus, e.desk.advisorConfig())
		if err != nil {
			return nil, err
		}
		return askGolden(ctx, e, engine)
	},
	Run: func(_ context.Context, e *Env, _ None) (*GoldenReport, error) {
		r, _ := e.Staged.(*GoldenReport)
		if r == nil {
			r = &GoldenReport{Questions: []GoldenResult{}}
		}
		return r, nil
	},
}
