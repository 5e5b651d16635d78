package ops

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"polaris/advisor"
	"polaris/advisor/research"
	"polaris/models"
	"polaris/models/store"
)

// jobLife is how long a job that has ended can be fetched, where nothing else is
// set.
const jobLife = 24 * time.Hour

// stepResearch does the next step of a job: the plan, one part of it, or the
// report. What it came to and the step after it are put down in one transaction,
// so a process that dies leaves a job between two steps, and another one goes on.
func (d *Desk) stepResearch(ctx context.Context, s store.ResearchStep, try store.Try) error {
	err := d.advance(ctx, s)
	switch {
	case err == nil, errors.Is(err, store.ErrResearchEnded):
		return nil
	case errors.Is(ctx.Err(), context.Canceled): // this process stops
		return store.ErrHandBack
	case !try.Last && try.N < mostTries:
		return err
	}
	d.Log.Error("a research job failed", "ref", s.Ref, "brain", string(s.Brain), "error", err)
	return d.Store.InBrain(context.WithoutCancel(ctx), s.Brain, func(tx *store.Tx) error {
		j, err := tx.LockResearch(s.Ref)
		if err != nil || !j.State.Open() {
			return err
		}
		j.State, j.Error, j.FinishedAt = models.ResearchFailed, failedWhy, new(d.Now().UTC())
		return tx.SaveResearch(j)
	})
}

func (d *Desk) advance(ctx context.Context, s store.ResearchStep) error {
	var j *models.ResearchJob
	var off []models.Withheld
	err := d.Store.InBrain(ctx, s.Brain, func(tx *store.Tx) (err error) {
		if j, err = tx.Research(s.Ref); err != nil {
			return err
		}
		off, err = withheld(tx)
		return err
	})
	if err != nil || !j.State.Open() {
		return err
	}
	plan, findings := j.Plan, j.Findings
	if err := d.next(ctx, j, off); err != nil {
		return err
	}
	return d.Store.InBrain(ctx, s.Brain, func(tx *store.Tx) error {
		now, err := tx.LockResearch(s.Ref)
		if err != nil {
			return err
		}
		if !now.State.Open() || now.Plan != plan || now.Findings != findings {
			return store.ErrResearchEnded // cancelled, or somebody else has done this step
		}
		if j.StartedAt == nil {
			j.StartedAt = new(d.Now().UTC())
		}
		if err := tx.SaveResearch(j); err != nil || !j.State.Open() {
			return err
		}
		open, err := tx.OpenResearch()
		if err != nil {
			return err
		}
		return tx.EnqueueResearch(s, open-1) // a brain that has much to do steps back with each step
	})
}

// next does one step of a job, and leaves in it what that came to.
func (d *Desk) next(ctx context.Context, j *models.ResearchJob, off []models.Withheld) error {
	j.State = models.ResearchRunning
	if j.Version == 0 {
		return d.finish(j, "This brain has no published version yet, so there is nothing to answer from.", nil, []string{j.Question})
	}
	engine, err := d.Shelf.Exactly(ctx, j.BrainID, j.Version)
	if err != nil {
		return err
	}
	if j.Depth == string(research.Shallow) {
		env := engine.Answer(ctx, advisor.Question{Text: j.Question, TopicIDs: j.Topics, Suspended: off})
		var gaps []string
		if env.Guardrail.Status != models.GuardrailPass {
			gaps = []string{j.Question}
		}
		return d.finish(j, env.Rendered, env.Citations, gaps)
	}
	var p research.Plan
	if err := models.Unpack(j.Plan, &p); err != nil {
		return err
	}
	if len(p.Parts) == 0 {
		p = research.MakePlan(j.Question, j.Topics)
		p.Off = off
		return pack(p, &j.Plan)
	}
	if !slices.Equal(p.Off, off) { // what was read may quote what must not be shown any more
		p.Off, j.Findings = off, "[]"
		return pack(p, &j.Plan)
	}
	fs := []research.Finding{}
	if err := models.Unpack(j.Findings, &fs); err != nil {
		return err
	}
	if len(fs) < len(p.Parts) {
		return pack(append(fs, research.Read(ctx, engine, p, len(fs), off)), &j.Findings)
	}
	r := research.Write(p, fs)
	if err := research.Check(r); err != nil {
		return err
	}
	return d.finish(j, r.Markdown, r.Citations, r.Gaps)
}

// finish completes a job.
func (d *Desk) finish(j *models.ResearchJob, text string, cs []models.Citation, gaps []string) error {
	j.State, j.Result, j.Gaps, j.FinishedAt = models.ResearchComplete, text, gaps, new(d.Now().UTC())
	if cs == nil {
		cs = []models.Citation{}
	}
	if j.Gaps == nil {
		j.Gaps = []string{}
	}
	return pack(cs, &j.Citations)
}

func pack(v any, column *string) error {
	b, err := json.Marshal(v)
	*column = string(b)
	return err
}

// tendResearch takes up again the jobs of a brain that nothing is queued for, and
// removes those whose time is over.
func (d *Desk) tendResearch(tx *store.Tx) error {
	lost, err := tx.LostResearch()
	if err != nil {
		return err
	}
	for i, s := range lost {
		if err := tx.EnqueueResearch(s, i); err != nil {
			return err
		}
	}
	life := d.Settings.JobLife
	if life <= 0 {
		life = jobLife
	}
	_, err = tx.SweepResearch(d.Now().UTC().Add(-life))
	return err
}
