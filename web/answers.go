package web

import (
	"net/url"
	"strconv"

	"polaris/models"
	"polaris/ops"
	"polaris/views/answers"
	"polaris/views/layout"
	"polaris/views/sources"
	"polaris/views/versions"
)

func (s *Server) listAnswers(p *page) error {
	l, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ListAnswers, ops.AnswersIn{Page: ops.Page{Limit: 100}})
	if err != nil {
		return err
	}
	x := answers.Index{Rows: answerRows(p, l.Answers), Ask: p.by.May(models.MayAsk), State: "The newest " + layout.Plural(len(l.Answers), "answer", "answers") + ", each with its proof."}
	return p.show(answers.IndexPage(p.frame(), x))
}

func (s *Server) showAnswer(p *page) error {
	id, err := param(p.Context, "id")
	if err != nil {
		return err
	}
	r, err := ops.Do(p.ctx(), s.desk, p.call(), ops.GetAnswer, ops.AnswerIDIn{ID: id})
	if err != nil {
		return err
	}
	return p.show(answers.RecordPage(p.frame(), record(p, r)))
}

// record shows an answer with its proof.
func record(p *page, r *ops.AnswerRecord) answers.Record {
	v := answers.Record{
		ID: r.AnswerID, Question: r.Envelope.Query, At: p.when(r.At), Version: "no version", Body: body(p, &r.Envelope, r.Contexts), Intact: r.Intact,
		Actor: r.Actor, Owner: r.Owner, Surface: r.Surface, Topics: r.Topics, Ignored: r.Ignored, Latency: layout.Took(r.Latency), Engine: r.Envelope.Engine, RecordURL: r.Envelope.RecordURL,
		JSONURL: "/v1" + p.at(answers.RecordPath(r.AnswerID)),
		Chain:   answers.Chain{Seq: layout.Number(int(r.ChainSeq)), Hash: r.ChainHash, Sealed: r.ChainSeq > 0},
	}
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
		if r.Published.FourEyes != "" {
			v.Released += " (four eyes: " + r.Published.FourEyes + ")"
		}
	}
	return v
}

// body shows what was answered. Without contexts each quote stands alone.
func body(p *page, env *models.Envelope, around []ops.Context) answers.Body {
	b := answers.Body{Text: env.Result, Rendered: env.Rendered, Guardrail: answers.Guardrail{Status: env.Guardrail.Status, Reasons: env.Guardrail.Reasons}, Confidence: env.Confidence, Notices: env.Notices}
	for i, c := range env.Citations {
		v := answers.Cite{
			N: c.N, Key: c.Key, Title: c.SourceID, Locator: c.Locator, Quote: c.Quote,
			Method: c.Verification.Method, Verified: c.Verified, Why: c.Why,
			Revision: c.Provenance.Revision, Origin: c.Provenance.OriginURL,
			Span: "bytes " + layout.Number(c.Provenance.Start) + " to " + layout.Number(c.Provenance.End),
		}
		if i < len(around) {
			v.Before, v.Quote, v.After = around[i].Before, around[i].Quote, around[i].After
		}
		if p.by.May(models.MayReadDraft) && c.Kind == models.CitesPassage {
			v.URL = p.at(sources.SourcePath(c.Provenance.SourceDocPK)) + "?key=" + url.QueryEscape(c.Key)
		}
		b.Cites = append(b.Cites, v)
	}
	return b
}
