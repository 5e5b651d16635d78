package web

import (
	"net/http"
	"net/url"
	"strconv"

	"polaris/models"
	"polaris/ops"
	"polaris/views/answers"
	"polaris/views/ask"
	"polaris/views/form"
	"polaris/views/layout"
)

// newQuestion shows the form, filled in by its address.
func (s *Server) newQuestion(p *page) error {
	q := p.QueryParams()
	return s.askPage(p, http.StatusOK, ops.AskIn{Query: q.Get("question"), TopicIDs: q["topic"]}, nil)
}

func (s *Server) ask(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	in, start := ops.AskIn{Query: sent.Get("question"), TopicIDs: sent["topic"]}, p.now
	env, err := ops.Do(p.ctx(), s.desk, p.call(), ops.Answer, in)
	r, again := refused(err)
	switch swap := p.Request().Header.Get("HX-Request") == "true"; {
	case err != nil && !again:
		return err
	case again && swap:
		return render(p.Context, r.status(), never, ask.Answer(ask.Panel{Problem: r.Message}))
	case again:
		return s.askPage(p, r.status(), in, r)
	case swap:
		v := ask.Panel{
			Answered: true, Body: body(p, env, nil), RecordURL: p.at(answers.RecordPath(env.AnswerID)),
			Note: "answered in " + layout.Took(s.desk.Now().Sub(start)) + " · no model", Acts: acts(p, env, in.TopicIDs),
		}
		if v.Gap, err = s.gap(p, env, in.TopicIDs); err != nil {
			return err
		}
		return render(p.Context, http.StatusOK, never, ask.Answer(v))
	}
	// Without script the answer is read where it stays: on its record's page.
	return p.Redirect(http.StatusSeeOther, p.at(answers.RecordPath(env.AnswerID)))
}

// askPage shows the form, with the topic cards to choose from.
func (s *Server) askPage(p *page, status int, in ops.AskIn, r *refusal) error {
	l, err := ops.Do(p.ctx(), s.desk, p.call(), ops.TopicCards, ops.None{})
	if err != nil {
		return err
	}
	v := ask.Page{
		State: "Nothing is published yet, so there is nothing to answer from.", Question: r.entry("query", in.Query),
		MaxQuestion: strconv.Itoa(s.desk.Settings.MaxQueryChars), Topics: topicChoices(l.Topics, in.TopicIDs), Panel: ask.Panel{Problem: r.rest("query")},
	}
	if p.by.Published > 0 {
		v.State = "Answers from version " + layout.Number(p.by.Published) + ", every sentence backed by a quote."
		if in.Query == "" {
			if v.Examples, err = s.examples(p); err != nil {
				return err
			}
		}
	}
	return render(p.Context, status, privately, ask.AskPage(p.frame(), v))
}

// examples are golden questions to begin with, for who may read them.
func (s *Server) examples(p *page) (questions []string, err error) {
	if !p.by.May(models.MayReadDraft) {
		return nil, nil
	}
	l, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ListGolden, ops.Page{Limit: 5})
	for _, g := range l.Questions {
		questions = append(questions, g.Question)
	}
	return questions, err
}

func topicChoices(topics []models.Topic, chosen []string) []form.Choice {
	ticked := map[string]bool{}
	for _, id := range chosen {
		ticked[id] = true
	}
	choices := make([]form.Choice, len(topics))
	for i, t := range topics {
		choices[i] = form.Choice{Value: t.ID, Label: t.Label, Hint: t.Covers, Chosen: ticked[t.ID]}
	}
	return choices
}

// acts are what a reader who changes the draft does with an answer.
func acts(p *page, env *models.Envelope, topics []string) (a answers.Acts) {
	if env.Query == "" || ops.Allowed(p.call(), ops.SaveGolden.Entry()) != nil {
		return a
	}
	q := url.Values{"question": {env.Query}, "answer": {env.AnswerID}, "topic": topics}
	for i, c := range env.Citations {
		if c.Key != "" && i < 5 {
			q.Add("expects", c.Key)
		}
	}
	if len(env.Citations) > 0 {
		a.Golden = p.at(goldenNew) + "?" + q.Encode()
	}
	q.Del("expects")
	q.Set("gap", "yes")
	a.Gap = p.at(goldenNew) + "?" + q.Encode()
	return a
}
