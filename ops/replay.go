package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"polaris/advisor"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// A Replay says whether a served answer can still be proved, and whether asking
// again brings it again.
type Replay struct {
	AnswerID   string   `json:"answer_id"`
	Version    int      `json:"version"`     // that answered
	Intact     bool     `json:"intact"`      // quotes, revisions, manifest and chain still match, as far as they are kept
	Reproduced bool     `json:"reproduced"`  // the same engine gave the same answer
	EngineThen string   `json:"engine_then"` // that served it
	EngineNow  string   `json:"engine_now"`  // that was asked again
	Findings   []string `json:"findings"`    // what does not match, in words

	// Body says what there is to hold against the log: full; or hash, expired or
	// purged, where nothing of it is kept, and nothing can be said but that its row
	// is what was sealed.
	Body string `json:"body"`
}

// ReplayAnswer asks a served answer's question again of the version that
// answered it, and holds the record against all that it stands on.
var ReplayAnswer = &Op[AnswerIDIn, *Replay]{
	Name: "answers.replay", Title: "Replay an answer", Route: "GET /v1/brains/{brain_id}/answers/{id}/replay",
	Summary: "Ask a served answer's question again of the version that answered it. intact: its quotes, revisions and place in the audit chain still match; reproduced: the same engine gives the same answer.",
	Class:   Read, Needs: models.MayReadRecords, Offered: Web | CLI | REST,
	Stage: func(ctx context.Context, e *Env, in AnswerIDIn) (any, error) {
		return stageReplay(ctx, e, ProveIn{ID: in.ID})
	},
	Run: func(_ context.Context, e *Env, _ AnswerIDIn) (*Replay, error) {
		r := e.Staged.(*replay)
		return r.report(e.Tx)
	},
}

// A replay is a record, and what the engine says now.
type replay struct {
	answer  *models.Answer
	off     []models.Withheld // what was suspended then
	policy  models.Policy     // as it bore on it then
	then    *models.Envelope  // nil where the body cannot be read any more
	now     *models.Envelope  // nil where there is nothing to ask
	brought bool              // the body is whoever's who asks
	purged  []string          // codes of the version's sources that were purged since
}

// ProveIn brings the answer along, where the brain does not keep it.
type ProveIn struct {
	ID   string `json:"id"`
	Body string `json:"body"` // the answer as it was served: the JSON of its envelope
}

// ProveAnswer replays an answer whose body somebody else kept. Its hash is in the
// audit log whatever the brain records, so that nothing but what was served is
// taken for it.
var ProveAnswer = &Op[ProveIn, *Replay]{
	Name: "answers.prove", Title: "Prove an answer", Route: "POST /v1/brains/{brain_id}/answers/{id}/proof",
	Summary: "Hold an answer that you kept against the audit log, and replay it: for brains that record only hashes, and for bodies that have expired. Send the JSON of its envelope as it was served.",
	Class:   Read, Needs: models.MayReadRecords, Offered: Web | CLI | REST,
	HTTP:  HTTP{Example: `{"body":"{\"result\":\"The late fee is 12 euros.\"}"}`},
	Stage: func(ctx context.Context, e *Env, in ProveIn) (any, error) { return stageReplay(ctx, e, in) },
	Run: func(_ context.Context, e *Env, _ ProveIn) (*Replay, error) {
		return e.Staged.(*replay).report(e.Tx)
	},
}

// bring takes the body that somebody sent for the one that was served, if it has
// the hash of that: by its bytes, or by what they say.
func (r *replay) bring(body, hash string) error {
	env := &models.Envelope{}
	if err := json.Unmarshal([]byte(body), env); err != nil {
		return fault.Field("body", "This is not the JSON of an answer.")
	}
	if given := (&models.Answer{Body: body}); given.BodyHash() != hash {
		env.Encode()
		if env.BodyHash() != hash {
			return fault.Field("body", "This is not what was served as %s: the audit log has another hash.", r.answer.ID).WithCode("other_body")
		}
	}
	r.then, r.brought = env, true
	r.answer.Query, r.answer.Topics = env.Query, env.TopicsUsed
	return nil
}

func stageReplay(ctx context.Context, e *Env, in ProveIn) (*replay, error) {
	r := &replay{}
	how := (*advisor.Engine).Answer
	err := e.Store().InBrain(ctx, e.Call.Brain, func(tx *store.Tx) (err error) {
		if r.answer, err = tx.Answer(in.ID); err != nil {
			return err
		}
		row, err := tx.AuditRow(r.answer.AuditID)
		if err == nil {
			r.off = row.Detail.Suspended
			if p := row.Detail.Policy; p != nil {
				r.policy = *p
			}
			if in.Body != "" {
				err = r.bring(in.Body, row.Detail.BodyHash)
			}
		}
		if err == nil && row.Operation == Retrieve.Name {
			how = (*advisor.Engine).Retrieve
		}
		if fault.Is(err, fault.NotFound) {
			return nil // retention took it, or somebody else; the report says so
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	switch {
	case r.brought:
	case in.Body != "":
		return nil, fault.New(fault.Conflict, "The audit row of this answer is gone, and with it the hash that a body could be held against.").WithCode("no_audit_row")
	case r.answer.Kept != models.KeptFull:
		return r, nil
	default:
		if r.then, err = r.answer.Envelope(); err != nil {
			r.then = nil
		}
	}
	// The record has the question as it was read, with the earlier one that it led
	// back to.
	q := advisor.Question{Text: r.answer.Query, TopicIDs: r.answer.Topics, Suspended: r.off, Threshold: r.policy.VerifyThreshold, Blocked: r.policy.RefusedTopics}
	if r.answer.Version == 0 {
		r.now = advisor.NoVersion(q)
		return r, nil
	}
	engine, err := e.Shelf().Exactly(ctx, e.Call.Brain, r.answer.Version)
	if err != nil {
		return nil, err
	}
	r.now = how(engine, ctx, q)
	return r, nil
}

func (r *replay) report(tx *store.Tx) (*Replay, error) {
	out := &Replay{AnswerID: r.answer.ID, Version: r.answer.Version, Findings: []string{}, Body: r.answer.Kept}
	found := func(format string, args ...any) { out.Findings = append(out.Findings, fmt.Sprintf(format, args...)) }
	if err := r.checkRow(tx, found); err != nil {
		return nil, err
	}
	if r.now == nil {
		out.Intact = len(out.Findings) == 0
		found("%s", gone(r.answer))
		return out, nil
	}
	out.EngineNow = r.now.Engine
	if r.then == nil {
		found("the record's body cannot be read")
		return out, nil
	}
	if err := r.checkSources(tx, found); err != nil {
		return nil, err
	}
	out.Intact = len(out.Findings) == 0
	out.EngineThen = r.then.Engine
	same, err := sameAnswer(r.then, r.now)
	if err != nil {
		return nil, err
	}
	switch {
	case advisor.Written(out.EngineThen):
		found("a model wrote the sentences of this answer (%s), so they are not made again: what the engine quotes instead is %s", out.EngineThen, map[bool]string{true: "the same", false: "other text"}[same])
	case out.EngineThen != out.EngineNow:
		found("another engine answers now; its answer is %s", map[bool]string{true: "the same", false: "another"}[same])
	case !same:
		found("the same engine gives another answer now")
	}
	if !same && len(r.purged) > 0 {
		found("version %d held %s, which was purged since: what answered then cannot be made again", r.answer.Version, strings.Join(r.purged, ", "))
	}
	out.Reproduced = same && out.EngineThen == out.EngineNow
	return out, nil
}

// gone says why there is nothing to show of an answer.
func gone(a *models.Answer) string {
	when := ""
	if a.GoneAt != nil {
		when = " on " + a.GoneAt.UTC().Format("2 January 2006")
	}
	switch a.Kept {
	case models.KeptHash:
		return "the brain records no question and no answer, only the hash of what was served: whoever kept it can prove it"
	case models.KeptExpired:
		return "the question and the answer expired" + when + "; the audit log keeps the hash"
	}
	return "the answer quoted a source that was purged" + when + ", and its body went with it; the audit log keeps the hash"
}

// checkRow holds the body against its audit row, and the row against the chain.
func (r *replay) checkRow(tx *store.Tx, found func(string, ...any)) error {
	row, err := tx.AuditRow(r.answer.AuditID)
	if fault.Is(err, fault.NotFound) {
		found("its audit row is gone: retention removed it, or somebody did; verify the log")
		return nil
	}
	if err != nil {
		return err
	}
	kept := r.answer.Kept == models.KeptFull
	if row.Target != r.answer.ID || row.Detail.BodyHash == "" || kept && row.Detail.BodyHash != r.answer.BodyHash() {
		found("the record's body is not what its audit row says")
	}
	link, holds, err := tx.LinkHolds(r.answer.AuditID)
	if err == nil && !holds {
		found("its audit row is not what was sealed as link %d", link.Seq)
	}
	return err
}

// checkSources holds the quotes against their revisions, those against the bytes
// that were imported, and the version against its manifest.
func (r *replay) checkSources(tx *store.Tx, found func(string, ...any)) error {
	if r.answer.Version == 0 {
		return nil
	}
	v, err := tx.Version(r.answer.Version)
	if err != nil {
		return err
	}
	if !bytes.Equal(v.Hash, models.HashManifest(v.Manifest)) {
		found("the manifest of version %d is not what was published", v.N)
	}
	gone, err := tx.PurgedSources()
	if err != nil {
		return err
	}
	r.purged = purgedIn(v, gone)
	checked := map[string]bool{}
	for _, c := range r.then.Citations {
		if _, was := gone[c.Provenance.SourceDocPK]; was {
			continue // a body that was brought: there is nothing to hold it against
		}
		_, same, err := contextOf(tx, c)
		if err != nil {
			return err
		}
		if !same {
			found("citation %d is not what its source says there", c.N)
		}
		id := c.Provenance.SourceDocPK
		if checked[id] || c.Kind != models.CitesPassage {
			continue
		}
		checked[id] = true
		i := slices.IndexFunc(v.Manifest.Sources, func(s models.ManifestSource) bool {
			return s.Source.ID == id && s.Revision == c.Provenance.Revision
		})
		if i < 0 {
			found("version %d does not hold revision %d of the source of citation %d", v.N, c.Provenance.Revision, c.N)
			continue
		}
		held, err := tx.RevisionHolds(id, c.Provenance.Revision, v.Manifest.Sources[i].SHA256)
		if err != nil {
			return err
		}
		if !held {
			found("revision %d of %s is not made from the bytes that were imported", c.Provenance.Revision, v.Manifest.Sources[i].Source.Code)
		}
	}
	return nil
}

// sameAnswer compares what two envelopes say: not when and to whom it was said,
// not under which address the wiki is read, and not the notices, which speak of
// the request.
func sameAnswer(a, b *models.Envelope) (bool, error) {
	x, err := essence(a)
	if err != nil {
		return false, err
	}
	y, err := essence(b)
	return bytes.Equal(x, y), err
}

func essence(e *models.Envelope) ([]byte, error) {
	cs := slices.Clone(e.Citations)
	for i := range cs {
		cs[i].Wiki = slices.Clone(cs[i].Wiki)
		for j := range cs[i].Wiki {
			cs[i].Wiki[j].Ref = ""
		}
	}
	return json.Marshal([]any{e.Result, cs, e.Confidence, e.Guardrail, e.BrainVersion, e.Query})
}
