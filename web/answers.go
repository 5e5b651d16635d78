package web

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/answers"
	"polaris/views/approvals"
	"polaris/views/layout"
	"polaris/views/versions"
	"polaris/views/wiki"
)

func (s *Server) listAnswers(p *page) error {
	in := ops.AnswersIn{Text: p.QueryParam("text"), From: p.QueryParam("from"), To: p.QueryParam("to"), KeyID: keyID(p.QueryParam("key")), Source: p.QueryParam("source"), Guardrail: p.QueryParam("guardrail")}
	if id := strings.TrimSpace(in.Text); strings.HasPrefix(id, "ans_") && len(id) == len("ans_")+12 {
		return p.Redirect(http.StatusSeeOther, p.at(answers.RecordPath(url.PathEscape(id))))
	}
	set := url.Values{}
	for _, name := range []string{"text", "from", "to", "key", "source", "guardrail"} {
		if v := p.QueryParam(name); v != "" {
			set.Set(name, v)
		}
	}
	in.Cursor = p.QueryParam("cursor")
	l, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ListAnswers, in)
	if fault.Is(err, fault.NotFound) && in.Source != "" {
		err = fault.Field("source", "No source of this brain has this code.")
	}
	r, wrong := refused(err)
	if err != nil && !wrong {
		return err
	}
	x := answers.Index{Rows: answerRows(p, l.Answers), Ask: p.by.May(models.MayAsk), Filtered: len(set) > 0, State: "Each answer that left this brain, with its proof, the newest first."}
	x.Filter = answers.Filter{
		Text: r.entry("text", in.Text), From: r.entry("from", in.From), To: r.entry("to", in.To), Key: r.entry("key_id", p.QueryParam("key")), Source: r.entry("source", in.Source), Problem: r.rest("text", "from", "to", "key_id", "source"),
		Guardrails: choices(in.Guardrail, "any", "pass", "grounded", "disclaim", "disclaimed", "block", "refused"),
	}
	if x.Filter.Sources, err = s.sourceCodes(p); err != nil {
		return err
	}
	if in.Cursor != "" {
		x.Newer = withQuery(p.at(answers.Path), set)
	}
	if l.NextCursor != "" {
		older := maps.Clone(set)
		older.Set("cursor", l.NextCursor)
		x.Older = withQuery(p.at(answers.Path), older)
	}
	return render(p.Context, r.status(), privately, answers.IndexPage(p.frame(), x))
}

// keyID is the id of a key that was written with what stands before and behind it.
func keyID(typed string) string {
	id, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(typed), "sk-polaris-"), "_")
	return strings.TrimSuffix(id, "…")
}

// sourceCodes are the codes of the draft's sources, for who may read it.
func (s *Server) sourceCodes(p *page) (codes []string, err error) {
	if !p.by.May(models.MayReadDraft) {
		return nil, nil
	}
	l, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ListSources, ops.Page{Limit: 200})
	for _, src := range l.Sources {
		codes = append(codes, src.Code)
	}
	return codes, err
}

func (s *Server) showAnswer(p *page) error {
	v, err := s.recordOf(p)
	if err != nil {
		return err
	}
	return p.show(answers.RecordPage(p.frame(), v))
}

func (s *Server) recordOf(p *page) (answers.Record, error) {
	id, err := param(p.Context, "id")
	if err != nil {
		return answers.Record{}, err
	}
	r, err := ops.Do(p.ctx(), s.desk, p.call(), ops.GetAnswer, ops.AnswerIDIn{ID: id})
	if err != nil {
		return answers.Record{}, err
	}
	v := record(p, r)
	v.Acts = acts(p, &r.Envelope, r.Topics)
	if v.Gap, err = s.gap(p, &r.Envelope, r.Topics); err != nil {
		return answers.Record{}, err
	}
	if ops.Allowed(p.call(), ops.ReplayAnswer.Entry()) == nil {
		v.Replay = p.at(answers.ReplayPath(r.AnswerID))
	}
	return v, nil
}

// replayAnswer asks a served answer's question again, and shows what came of it
// above the record.
func (s *Server) replayAnswer(p *page) error {
	id, err := param(p.Context, "id")
	if err != nil {
		return err
	}
	out, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ReplayAnswer, ops.AnswerIDIn{ID: id})
	if err != nil {
		return err
	}
	v, err := s.recordOf(p)
	if err != nil {
		return err
	}
	v.Replayed = &answers.Replay{Intact: out.Intact, Reproduced: out.Reproduced, Then: cmp.Or(out.EngineThen, "none"), Now: cmp.Or(out.EngineNow, "none"), Findings: out.Findings}
	return render(p.Context, http.StatusOK, never, answers.RecordPage(p.frame(), v))
}

// record shows an answer with its proof.
func record(p *page, r *ops.AnswerRecord) answers.Record {
	v := answers.Record{
		ID: r.AnswerID, Question: asked(r.Envelope.Query, r.Body), At: p.when(r.At), Version: "no version", Body: body(p, &r.Envelope, r.Contexts), Intact: r.Intact,
		Actor: r.Actor, Owner: r.Owner, Surface: r.Surface, Topics: r.Topics, Ignored: r.Ignored, Latency: layout.Took(r.Latency), Engine: r.Envelope.Engine, RecordURL: r.Envelope.RecordURL,
		JSONURL: "/v1" + p.at(answers.RecordPath(r.AnswerID)),
		Chain:   answers.Chain{Seq: layout.Number(int(r.ChainSeq)), Hash: r.ChainHash, Sealed: r.ChainSeq > 0},
	}
	v.Gone = r.Gone
	if r.KeyID != "" {
		v.Key = models.KeyStart(r.KeyID) + "…"
	}
	if r.Envelope.BrainVersion > 0 {
		n := strconv.Itoa(r.Envelope.BrainVersion)
		v.Version = "version " + n
		if p.by.May(models.MayReadDraft) {
			v.VerURL = p.at(versions.Path) + "#v" + n
		}
	}
	if r.Published != nil {
		v.Released = "by " + r.Published.PublishedBy + ", " + layout.Date(r.Published.PublishedAt)
		switch r.Published.FourEyes {
		case "":
		case models.FourEyesBootstrap:
			v.Stamp = "four eyes: bootstrap"
		default:
			v.Stamp = "published while four eyes were " + r.Published.FourEyes
		}
		if r.Published.Recommendation != "" && p.by.May(models.MayReadDraft) {
			v.Review = layout.Link{Text: "How it was decided on", URL: p.at(approvals.ReviewPath(r.Published.Recommendation))}
		}
	}
	for _, part := range r.Decided {
		v.Decided = append(v.Decided, decidedWords[part.Part]+part.Email+", "+layout.Date(part.At))
	}
	return v
}

// decidedWords begin what each part of publishing a version was.
var decidedWords = map[string]string{"contributor": "proposed by ", "approve": "approved by ", "reject": "rejected by "}

// body shows what was answered. Without contexts each quote stands alone.
func body(p *page, env *models.Envelope, around []ops.Context) answers.Body {
	b := answers.Body{Text: env.Result, Rendered: env.Rendered, Guardrail: answers.Guardrail{Status: env.Guardrail.Status, Reasons: env.Guardrail.Reasons}, Confidence: env.Confidence, Notices: env.Notices, Steps: stepsTaken(env)}
	for i, c := range env.Citations {
		v := answers.Cite{
			N: c.N, Key: c.Key, Title: c.SourceID, Locator: c.Locator, Quote: c.Quote,
			Method: c.Verification.Method, Verified: c.Verified, Why: whyWords(c),
			Revision: c.Provenance.Revision, Origin: c.Provenance.OriginURL,
			Span: "bytes " + layout.Number(c.Provenance.Start) + " to " + layout.Number(c.Provenance.End),
		}
		if i < len(around) {
			v.Before, v.Quote, v.After = around[i].Before, around[i].Quote, around[i].After
		}
		v.Off = slices.ContainsFunc(p.by.Suspended, func(w models.Withheld) bool {
			return w.SourceID == c.Provenance.SourceDocPK && (w.Key == "" || w.Key == c.Key)
		})
		if c.Kind == models.CitesPassage && c.Key != "" && !v.Off {
			v.URL = p.at(wiki.MarkedURL(c.Key, c.Provenance.Revision, c.Provenance.Start, c.Provenance.End))
		}
		b.Cites = append(b.Cites, v)
	}
	return b
}
