package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"polaris/advisor/research"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// Hints to whoever polls, in seconds, where no model works.
const (
	estimateSeconds = 10
	pollSeconds     = 5
	shallowCadence  = 3
	mostOpen        = 500 // jobs of one brain that have not ended
)

// States that a result has and no job.
const (
	notFound = "not_found"
	notReady = "not_ready"
)

// failedWhy is all that is said of why a job failed: the log has more.
const failedWhy = "research_failed"

// SubmitIn is a question of any size.
type SubmitIn struct {
	Query string `json:"query" jsonschema:"the question or task, in full sentences; it may ask for a comparison, an overview or a report"`
}

// JobIn names a job as whoever submitted it was told.
type JobIn struct {
	JobID string `json:"job_id" jsonschema:"the job_id that submit_query returned"`
}

// A Todo is one step of a job.
type Todo struct {
	Content string `json:"content"`
	Status  string `json:"status" jsonschema:"pending, in_progress or completed"`
}

// A ResearchResult is what the three research tools return: which fields it has
// depends on the state.
type ResearchResult struct {
	JobID     string             `json:"job_id,omitempty"`
	Depth     string             `json:"depth,omitempty" jsonschema:"meta, shallow or deep"`
	State     string             `json:"state" jsonschema:"queued, running, complete, failed, cancelled, not_ready or not_found"`
	Result    string             `json:"result,omitempty" jsonschema:"the answer or report, as Markdown; each sentence of the sources has its citation's number"`
	Citations []models.Citation  `json:"citations,omitzero"`
	Todos     []Todo             `json:"todos,omitzero"`
	Estimated *int               `json:"estimated_duration_seconds,omitempty"`
	FirstPoll *int               `json:"first_poll_after_seconds,omitempty"`
	NextPoll  *int               `json:"next_poll_after_seconds,omitempty"`
	Error     string             `json:"error,omitempty"`
	Spend     map[string]float64 `json:"spend,omitempty" jsonschema:"what it cost; nothing where no model and no search works"`
}

// Text renders a result for clients that show text only.
func (r *ResearchResult) Text() string {
	if r.Result != "" {
		return r.Result
	}
	b, err := json.Marshal(r)
	if err != nil {
		return r.State
	}
	return string(b)
}

var noJob = &ResearchResult{State: notFound, Error: "job_not_found"}

// SubmitQuery classifies a question and starts the work on it.
var SubmitQuery = &Op[SubmitIn, *ResearchResult]{
	Name: "research.submit", Tool: "submit_query", Title: "Start research",
	Summary: "Start work on a question that may need several lookups: a comparison, an overview, a report. Small questions are answered at once or within seconds; for large ones take `job_id` to `poll_query` after `first_poll_after_seconds`, then to `get_final_report`. Everything in the result is quoted from the published brain, with citations.",
	Class:   Read, Needs: models.MayResearch, Offered: Hosted, Serves: true,
	Run: func(ctx context.Context, e *Env, in SubmitIn) (*ResearchResult, error) {
		id, j, err := e.submit(ctx, in.Query)
		if err != nil {
			return nil, err
		}
		e.Audit.Target = j.Ref
		out := &ResearchResult{JobID: id, Depth: j.Depth, State: string(j.State)}
		switch research.Depth(j.Depth) {
		case research.Meta:
			out.Result = j.Result
			return out, nil
		case research.Deep:
			out.Estimated, out.FirstPoll = new(estimateSeconds), new(pollSeconds)
			return out, nil
		}
		wait := e.desk.inlineWait()
		out.Estimated, out.FirstPoll = new(estimateSeconds), new(pollSeconds)
		done, err := e.awaitResearch(ctx, j.Ref, wait)
		switch {
		case err != nil: // it is queued all the same, and the caller keeps its id
			return out, nil // what went wrong was the waiting
		case done.State.Open():
			left := max(0, estimateSeconds-int(wait/time.Second))
			out.Estimated, out.FirstPoll = new(left), new(min(left, pollSeconds))
			return out, nil
		}
		return ended(id, done)
	},
}

// PollQuery says how far a job is.
var PollQuery = &Op[JobIn, *ResearchResult]{
	Name: "research.poll", Tool: "poll_query", Title: "Poll research",
	Summary: "Say how far a job of `submit_query` is, with its steps. It never returns the report: when `state` is `complete`, stop polling and call `get_final_report`. While it is queued or running, wait `next_poll_after_seconds` before the next call.",
	Class:   Read, Needs: models.MayResearch, Offered: Hosted,
	Run: func(_ context.Context, e *Env, in JobIn) (*ResearchResult, error) {
		j, err := e.jobByID(in.JobID)
		if err != nil || j == nil {
			return noJob, err
		}
		todos, err := todosOf(j)
		out := &ResearchResult{JobID: in.JobID, Depth: j.Depth, State: string(j.State), Todos: todos, Error: j.Error}
		if j.State.Open() {
			out.NextPoll = new(pollSeconds)
			if j.Depth == string(research.Shallow) {
				out.NextPoll = new(shallowCadence)
			}
		}
		return out, err
	},
}

// GetReport returns what came of a job.
var GetReport = &Op[JobIn, *ResearchResult]{
	Name: "research.report", Tool: "get_final_report", Title: "Get the report",
	Summary: "Return the answer or report of a job whose `state` is `complete`, with its citations. Reproduce its numbers and sources when you pass it on.",
	Class:   Read, Needs: models.MayResearch, Offered: Hosted,
	Run: func(_ context.Context, e *Env, in JobIn) (*ResearchResult, error) {
		j, err := e.jobByID(in.JobID)
		switch {
		case err != nil || j == nil:
			return noJob, err
		case j.State.Open():
			return &ResearchResult{JobID: in.JobID, Depth: j.Depth, State: notReady, Error: "job_not_ready"}, nil
		}
		return ended(in.JobID, j)
	},
}

// ended is the result of a job that has ended.
func ended(id string, j *models.ResearchJob) (*ResearchResult, error) {
	out := &ResearchResult{JobID: id, Depth: j.Depth, State: string(j.State), Result: j.Result, Error: j.Error}
	if j.State != models.ResearchComplete || j.Depth == string(research.Meta) {
		return out, nil
	}
	out.Citations = []models.Citation{}
	return out, models.Unpack(j.Citations, &out.Citations)
}

// jobByID returns a job of the caller's brain, nil where no id of it is so.
func (e *Env) jobByID(id string) (*models.ResearchJob, error) {
	hash, ok := models.ResearchIDHash(id)
	if !ok {
		return nil, nil //nolint:nilnil // an id that can be none is one that is none
	}
	j, err := e.Tx.ResearchByID(hash)
	if fault.Is(err, fault.NotFound) {
		return nil, nil //nolint:nilnil // likewise
	}
	if err == nil {
		e.Audit.Target = j.Ref
	}
	return j, err
}

// submit saves a job and puts its first step in, or answers it.
func (e *Env) submit(ctx context.Context, query string) (string, *models.ResearchJob, error) {
	if err := e.desk.checkQuery(AskIn{Query: query}); err != nil {
		return "", nil, err
	}
	id := uuid.NewString()
	hash, _ := models.ResearchIDHash(id)
	j := &models.ResearchJob{
		Ref: models.NewID("res"), IDHash: hash, Depth: string(research.Classify(query)), State: models.ResearchQueued, Question: query,
		Kind: e.Call.By.Kind, Person: e.Call.By.Person, Actor: e.Call.By.Actor, KeyID: e.Call.By.KeyID, Surface: e.Call.Via.String(), CreatedAt: e.Now,
	}
	shown, err := e.shown(ctx)
	if err != nil {
		return "", nil, err
	}
	if shown != nil {
		j.Version = e.Call.By.Published
		if j.Topics = research.Cards(query, shown.Topics()); e.Call.By.Kind == models.KindSystem || e.Call.By.Kind == models.KindTerminal {
			b, err := e.Store().Brain(ctx, e.Call.Brain)
			if err != nil {
				return "", nil, err
			}
			j.Version = b.Published
		}
	}
	if j.Depth == string(research.Meta) {
		j.State, j.FinishedAt = models.ResearchComplete, new(e.Now)
		var topics []models.Topic
		if shown != nil {
			topics = shown.Topics()
		}
		j.Result = introduce(e.Call.Brain, j.Version, topics)
	}
	if e.Call.DryRun {
		return id, j, nil
	}
	return id, j, e.Store().InBrain(ctx, e.Call.Brain, func(tx *store.Tx) error {
		open, err := tx.OpenResearch()
		if err != nil {
			return err
		}
		if open >= mostOpen {
			return fault.New(fault.Limited, "%d research jobs of this brain are not done yet. Submit this one when some are.", open).WithCode("too_many_jobs")
		}
		if err := tx.InsertResearch(j); err != nil || !j.State.Open() {
			return err
		}
		return tx.EnqueueResearch(store.ResearchStep{Brain: e.Call.Brain, Ref: j.Ref}, open)
	})
}

// introduce answers what Polaris itself is asked.
func introduce(brain models.BrainID, version int, topics []models.Topic) string {
	var b strings.Builder
	fmt.Fprintf(&b, "I answer from the published documents of the brain %s and from nothing else. Each sentence of an answer is quoted from a source, with a citation that can be opened; where the sources do not answer a question, I say so.\n\n", brain)
	if version == 0 {
		b.WriteString("Nothing is published in it yet, so there is nothing to answer from.")
		return b.String()
	}
	fmt.Fprintf(&b, "Version %d is published.", version)
	if len(topics) > 0 {
		b.WriteString(" Its topics:\n")
		for _, t := range topics {
			fmt.Fprintf(&b, "\n- %s", clean(t.Label))
		}
	}
	b.WriteString("\n\nAsk a single question for a short answer. Ask for a comparison, an overview or a report, and I take the question apart, look up each part, and return one report with the evidence, the limits, and what the sources leave open.")
	return b.String()
}

// todosOf returns the steps of a job and how far it is.
func todosOf(j *models.ResearchJob) ([]Todo, error) {
	out := []Todo{}
	if j.Depth != string(research.Deep) {
		return out, nil
	}
	var p research.Plan
	var fs []json.RawMessage
	if err := models.Unpack(j.Plan, &p); err != nil {
		return out, err
	}
	if err := models.Unpack(j.Findings, &fs); err != nil {
		return out, err
	}
	status := func(n, done int) string {
		switch {
		case n < done:
			return "completed"
		case n == done && j.State == models.ResearchRunning:
			return "in_progress"
		}
		return "pending"
	}
	done := 0 // the plan is the first step
	if len(p.Parts) > 0 {
		done = 1 + len(fs)
	}
	if j.State == models.ResearchComplete {
		done = len(p.Parts) + 2
	}
	out = append(out, Todo{"Take the question apart", status(0, done)})
	for i, part := range p.Parts {
		out = append(out, Todo{"Look up: " + part.Title, status(i+1, done)})
	}
	return append(out, Todo{"Write and check the report", status(len(p.Parts)+1, done)}), nil
}

// inlineWait is how long a small question is waited for.
func (d *Desk) inlineWait() time.Duration {
	if d.Settings.InlineWait > 0 {
		return d.Settings.InlineWait
	}
	return 30 * time.Second
}

// awaitResearch waits for the end of a job, for a while.
func (e *Env) awaitResearch(ctx context.Context, ref string, most time.Duration) (j *models.ResearchJob, err error) {
	end := time.Now().Add(most)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		err = e.Store().InBrain(ctx, e.Call.Brain, func(tx *store.Tx) (err error) {
			j, err = tx.Research(ref)
			return err
		})
		if err != nil || !j.State.Open() || time.Now().After(end) {
			return j, err
		}
		select {
		case <-ctx.Done():
			return j, ctx.Err()
		case <-time.After(pause):
		}
	}
}
