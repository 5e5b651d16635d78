package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/form"
	"polaris/views/layout"
	"polaris/views/sources"
)

// diffSource shows what one revision of a source has that another has not.
func (s *Server) diffSource(p *page) error {
	code, err := param(p.Context, "code")
	if err != nil {
		return err
	}
	in := ops.DiffSourceIn{Source: code}
	for name, to := range map[string]*int{"from": &in.From, "to": &in.To} {
		if sent := p.QueryParam(name); sent != "" {
			if *to, err = strconv.Atoi(sent); err != nil || *to < 1 {
				return fault.New(fault.NotFound, "There is no such revision.")
			}
		}
	}
	v, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ReadSource, ops.ReadSourceIn{Source: code, Limit: 1})
	if err != nil {
		return err
	}
	d, err := ops.Do(p.ctx(), s.desk, p.call(), ops.DiffSource, in)
	r, again := refused(err)
	if err != nil && !again {
		return err
	}
	x := sources.Diff{Code: v.Source.Code, Title: v.Source.Title, From: strconv.Itoa(d.FromRevision), To: strconv.Itoa(d.ToRevision)}
	x.Revisions, _ = revisionsOf(p, v, false)
	if again {
		x.Problem, x.From, x.To = r.Message, "1", "1"
		return render(p.Context, http.StatusOK, privately, sources.DiffPage(p.frame(), x))
	}
	x.Passages = *passageChanges(d.SourceDiff, p.QueryParam("passages") == "all")
	if x.Passages.More != "" && p.QueryParam("passages") != "all" {
		x.Passages.MoreURL = p.Request().URL.Path + "?" + url.Values{"from": {x.From}, "to": {x.To}, "passages": {"all"}}.Encode()
	}
	for _, c := range d.CardsAffected {
		x.Cards = append(x.Cards, c.Label+": "+c.Anchor+" "+strings.TrimSpace(c.Status+" "+c.To))
	}
	if p.by.May(models.MayEditDraft) && d.FromRevision != v.Source.Head && v.Source.RemovedAt == nil {
		x.Revert = p.at(sources.ReversionPath(v.Source.Code)) + "?revision=" + x.From
	}
	return p.show(sources.DiffPage(p.frame(), x))
}

// trySource puts a question to a source alone and to the whole draft.
func (s *Server) trySource(p *page) error {
	code, err := param(p.Context, "code")
	if err != nil {
		return err
	}
	v, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ReadSource, ops.ReadSourceIn{Source: code, Limit: 1})
	if err != nil {
		return err
	}
	t := sources.Trial{Code: v.Source.Code, Title: v.Source.Title, Question: form.Entry{Value: p.QueryParam("question")}}
	if !p.QueryParams().Has("question") {
		return p.show(sources.TrialPage(p.frame(), t))
	}
	a, err := ops.Do(p.ctx(), s.desk, p.call(), ops.AskDraft, ops.AskDraftIn{Query: t.Question.Value, Source: v.Source.ID})
	if r, again := refused(err); again {
		t.Question, t.Problem = r.entry("query", t.Question.Value), r.rest("query")
		return render(p.Context, r.status(), privately, sources.TrialPage(p.frame(), t))
	}
	if err != nil {
		return err
	}
	t.Asked, t.Took = true, "Asked in "+layout.Took(time.Duration(a.Micros)*time.Microsecond)+", no model."
	t.Alone, t.Whole = hitsOf(p, a.Alone, v.Source.ID), hitsOf(p, a.Found, v.Source.ID)
	t.Summary = trialSummary(t)
	if a.LeftOut {
		t.LeftOut = "This revision is not among what would be published: the source is held for a curator or was taken out of the draft."
	}
	return p.show(sources.TrialPage(p.frame(), t))
}

func trialSummary(t sources.Trial) string {
	here, first := 0, ""
	for _, h := range t.Whole {
		if !h.Here {
			continue
		}
		if here++; first == "" {
			first = h.N
		}
	}
	switch {
	case len(t.Whole) == 0:
		return "The draft finds nothing for it."
	case here == 0:
		return "None of the " + layout.Plural(len(t.Whole), "passage", "passages") + " that the draft finds is of this source."
	}
	return strconv.Itoa(here) + " of " + layout.Plural(len(t.Whole), "passage", "passages") + " that the draft finds are of this source; the first is number " + first + "."
}

func hitsOf(p *page, env *models.Envelope, source string) (all []sources.Hit) {
	for _, c := range env.Citations {
		h := sources.Hit{N: strconv.Itoa(c.N), Key: c.Key, Title: c.SourceID, Here: c.Provenance.SourceDocPK == source, Score: fmt.Sprintf("%.2f", c.Score), Why: c.Why, Text: c.Quote}
		h.URL = p.at(sources.SourcePath(c.Provenance.SourceDocPK)) + fmt.Sprintf("?revision=%d&span=%d-%d#quote", c.Provenance.Revision, c.Provenance.Start, c.Provenance.End)
		all = append(all, h)
	}
	return all
}

func (s *Server) newFacts(p *page) error {
	code, err := param(p.Context, "code")
	if err != nil {
		return err
	}
	t, err := s.factsPage(p, code, nil, nil)
	if err != nil {
		return err
	}
	return p.show(t)
}

// factsPage shows the form with what is said of the source, or what was sent.
func (s *Server) factsPage(p *page, code string, sent url.Values, r *refusal) (templ.Component, error) {
	if err := ops.Allowed(p.call(), ops.UpdateSource.Entry()); err != nil {
		return nil, err
	}
	v, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ReadSource, ops.ReadSourceIn{Source: code, Limit: 1})
	if err != nil {
		return nil, err
	}
	src := v.Source
	now := map[string]string{
		"title": src.Title, "owner": src.Owner, "review_by": string(src.ReviewBy), "effective_from": string(src.EffectiveFrom), "effective_to": string(src.EffectiveTo),
		"origin_url": src.OriginURL, "jurisdiction": src.Jurisdiction, "supersedes": src.Supersedes,
	}
	entry := func(name string) form.Entry {
		if sent != nil {
			return r.entry(name, sent.Get(name))
		}
		return form.Entry{Value: now[name]}
	}
	x := sources.Facts{
		Code: src.Code, Title: src.Title, FourEyes: p.fourEyes(), Name: entry("title"), Owner: entry("owner"), ReviewBy: entry("review_by"), From: entry("effective_from"), Until: entry("effective_to"),
		Origin: entry("origin_url"), Law: entry("jurisdiction"), Replaces: entry("supersedes"),
		Problem: r.rest("title", "owner", "review_by", "effective_from", "effective_to", "origin_url", "jurisdiction", "supersedes"),
	}
	return sources.FactsPage(p.frame(), x), nil
}

func (s *Server) saveFacts(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	code, err := param(p.Context, "code")
	if err != nil {
		return err
	}
	text := func(name string) *string { return new(sent.Get(name)) }
	date := func(name string) *models.Date { return new(models.Date(sent.Get(name))) }
	in := ops.UpdateSourceIn{
		Source: code, Title: text("title"), Owner: text("owner"), ReviewBy: date("review_by"), EffectiveFrom: date("effective_from"), EffectiveTo: date("effective_to"),
		OriginURL: text("origin_url"), Jurisdiction: text("jurisdiction"), Supersedes: text("supersedes"),
	}
	_, err = ops.Do(p.ctx(), s.desk, p.call(), ops.UpdateSource, in)
	return s.acted(p, err, code, "saved", func(r *refusal) (templ.Component, error) { return s.factsPage(p, code, sent, r) })
}

func (s *Server) newReversion(p *page) error {
	_, a, err := s.actOn(p, ops.RevertSource.Entry())
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(p.QueryParam("revision"))
	if err != nil || n < 1 {
		return fault.New(fault.NotFound, "The source has no such revision.")
	}
	a.Revision = strconv.Itoa(n)
	return p.show(sources.ReversionPage(p.frame(), a))
}

func (s *Server) revertSource(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	code, err := param(p.Context, "code")
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(sent.Get("revision"))
	if err != nil || n < 1 {
		return fault.Field("revision", "Say to which revision.")
	}
	_, err = ops.Do(p.ctx(), s.desk, p.call(), ops.RevertSource, ops.RevertIn{Source: code, Revision: n})
	return s.acted(p, err, code, "reverted", func(r *refusal) (templ.Component, error) {
		_, a, err := s.actOn(p, ops.RevertSource.Entry())
		a.Revision, a.Problem = strconv.Itoa(n), r.Message
		return sources.ReversionPage(p.frame(), a), err
	})
}

// undoSource takes back the change of a source that its page named.
func (s *Server) undoSource(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	code, err := param(p.Context, "code")
	if err != nil {
		return err
	}
	_, err = ops.Do(p.ctx(), s.desk, p.call(), ops.UndoChange, ops.UndoIn{ID: sent.Get("change")})
	return s.acted(p, err, code, "undone", func(r *refusal) (templ.Component, error) { return nil, r.Error })
}
