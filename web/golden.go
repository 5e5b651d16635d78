package web

import (
	"net/url"
	"slices"
	"strings"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/answers"
	"polaris/views/golden"
	"polaris/views/layout"
)

func (s *Server) listGolden(p *page) error {
	l, err := ops.Whole(p.ctx(), s.desk, p.call(), ops.ListGolden)
	if err != nil {
		return err
	}
	x := golden.Index{May: p.by.May(models.MayEditDraft)}
	for _, g := range l.Questions {
		x.Rows = append(x.Rows, golden.Row{ID: g.ID, Question: g.Question, Topics: g.TopicIDs, Expects: g.Expects, Updated: p.when(g.UpdatedAt), By: g.UpdatedBy})
	}
	return p.show(golden.IndexPage(p.frame(), x))
}

func (s *Server) newGolden(p *page) error {
	if err := ops.Allowed(p.call(), ops.SaveGolden.Entry()); err != nil {
		return err
	}
	q := p.QueryParams()
	return s.goldenForm(p, ops.SaveGoldenIn{Question: q.Get("question"), TopicIDs: q["topic"], Expects: q["expects"]}, "", nil, false)
}

// goldenWith finds the question in the path, for whoever may change it.
func (s *Server) goldenWith(p *page) (models.GoldenQuestion, error) {
	if err := ops.Allowed(p.call(), ops.SaveGolden.Entry()); err != nil {
		return models.GoldenQuestion{}, err
	}
	l, err := ops.Whole(p.ctx(), s.desk, p.call(), ops.ListGolden)
	if err != nil {
		return models.GoldenQuestion{}, err
	}
	i := slices.IndexFunc(l.Questions, func(g models.GoldenQuestion) bool { return g.ID == p.Param("id") })
	if i < 0 {
		return models.GoldenQuestion{}, fault.New(fault.NotFound, "No such golden question.")
	}
	return l.Questions[i], nil
}

func (s *Server) showGolden(p *page) error { return s.goldenPage(p, nil, false) }

func (s *Server) newGoldenRemoval(p *page) error { return s.goldenPage(p, nil, true) }

func (s *Server) goldenPage(p *page, r *refusal, removing bool) error {
	g, err := s.goldenWith(p)
	if err != nil {
		return err
	}
	return s.goldenForm(p, ops.SaveGoldenIn{ID: g.ID, Question: g.Question, TopicIDs: g.TopicIDs, Expects: g.Expects}, g.ETag(), r, removing)
}

// goldenForm shows the form with what it was sent.
func (s *Server) goldenForm(p *page, in ops.SaveGoldenIn, tag string, r *refusal, removing bool) error {
	cards, err := ops.Whole(p.ctx(), s.desk, p.call(), ops.ListCards)
	if err != nil {
		return err
	}
	x := golden.Form{
		ID: p.Param("id"), Tag: tag, Question: r.entry("question", in.Question), Expects: r.entry("expects", strings.Join(in.Expects, "\n")), Topics: r.entry("topic_ids", strings.Join(in.TopicIDs, "\n")),
		Problem: r.rest("question", "expects", "topic_ids"), Removing: removing, Answer: answerID(p.FormValue("answer")), Gap: p.FormValue("gap") != "",
	}
	if x.Answer != "" {
		x.Record = p.at(answers.RecordPath(url.PathEscape(x.Answer)))
	}
	for _, c := range cards.Cards {
		if len(x.Known) < 12 {
			x.Known = append(x.Known, c.ID)
		}
	}
	return render(p.Context, r.status(), privately, golden.FormPage(p.frame(), x))
}

// typedLines are the lines of a field that are not empty.
func typedLines(s string) (all []string) {
	for l := range strings.Lines(s) {
		if l = strings.TrimSpace(l); l != "" {
			all = append(all, l)
		}
	}
	return all
}

func (s *Server) saveGolden(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	in := ops.SaveGoldenIn{ID: p.Param("id"), Question: sent.Get("question"), Expects: typedLines(sent.Get("expects")), TopicIDs: typedLines(sent.Get("topics"))}
	call := p.call()
	call.IfNew, call.Rationale = in.ID == "", reason(sent.Get("lacks"))
	if id := answerID(sent.Get("answer")); id != "" {
		call.Evidence = []string{id}
		call.Rationale = strings.TrimSpace("From answer " + id + ". " + call.Rationale)
	}
	if tag := sent.Get("tag"); tag != "" {
		call.IfMatch = []string{tag}
	}
	_, err = ops.Do(p.ctx(), s.desk, call, ops.SaveGolden, in)
	return p.ended(outdated(err), p.at(golden.Path)+"?done=question-saved", func(r *refusal) error { return s.goldenForm(p, in, sent.Get("tag"), r, false) })
}

// reason is what somebody typed to say why, fit to be recorded.
func reason(typed string) string {
	const most = 1000
	typed = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(typed, ""), "\x00", ""))
	if len(typed) > most {
		typed = strings.ToValidUTF8(typed[:most], "") + "…"
	}
	return typed
}

// answerID is an answer's id, or "" where it is none.
func answerID(sent string) string {
	if len(sent) != len("ans_")+12 || !strings.HasPrefix(sent, "ans_") || strings.ContainsFunc(sent[4:], func(r rune) bool { return r > 'z' || r < '0' }) {
		return ""
	}
	return sent
}

// outdated turns that somebody else was faster into a refusal that the form is
// shown again with.
func outdated(err error) error {
	if fault.Is(err, fault.Outdated) {
		return fault.New(fault.Conflict, "Somebody else changed this meanwhile, or it is there already. Open it anew, and look at what they wrote.")
	}
	return err
}

func (s *Server) deleteGolden(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	call := p.call()
	if tag := sent.Get("tag"); tag != "" {
		call.IfMatch = []string{tag}
	}
	_, err = ops.Do(p.ctx(), s.desk, call, ops.DeleteGolden, ops.GoldenIDIn{ID: p.Param("id")})
	return p.ended(outdated(err), p.at(golden.Path)+"?done=question-deleted", func(r *refusal) error { return s.goldenPage(p, r, true) })
}

func (s *Server) runGolden(p *page) error {
	r, err := ops.Do(p.ctx(), s.desk, p.call(), ops.RunGolden, ops.None{})
	if err != nil {
		return err
	}
	return p.show(golden.ReportPage(p.frame(), goldenReport(p, r)))
}

// goldenReport shows what became of the questions; nil of none.
func goldenReport(p *page, r *ops.GoldenReport) golden.Report {
	if r == nil {
		return golden.Report{}
	}
	v := golden.Report{Asked: r.Asked, Failed: r.Failed, Changed: r.Changed}
	if r.Published > 0 {
		v.Against = "version " + layout.Number(r.Published)
	}
	for _, q := range r.Questions {
		out := golden.Result{ID: q.ID, Question: q.Question, Before: q.Before, After: q.After, Cites: q.Cites, Appeared: q.Appeared, Vanished: q.Vanished, Reworded: q.Reworded, Missing: q.Missing}
		if p.by.May(models.MayEditDraft) {
			out.URL = p.at(golden.QuestionPath(q.ID))
		}
		for _, m := range q.Moved {
			out.Moved = append(out.Moved, m.From+" → "+m.To)
		}
		v.Results = append(v.Results, out)
	}
	return v
}
