package web

import (
	"polaris/models"
	"polaris/ops"
	"polaris/views/answers"
	"polaris/views/approvals"
	"polaris/views/cards"
	"polaris/views/home"
	"polaris/views/keys"
	"polaris/views/layout"
	"polaris/views/sources"
	"polaris/views/versions"
)

func (s *Server) home(p *page) error {
	o, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ShowBrain, ops.None{})
	if err != nil {
		return err
	}
	return p.show(home.HomePage(p.frame(), homePage(p, o)))
}

// homePage shows the steps of setting a brain up until it has answered
// somebody, and figures from then on.
func homePage(p *page, o ops.Overview) home.Page {
	v := home.Page{Name: o.Brain.Name, State: "Nothing is published yet, so agents get no answers."}
	if o.Brain.Published > 0 {
		v.State = "Version " + layout.Number(o.Brain.Published) + " answers."
		if o.Version != nil {
			v.State = "Version " + layout.Number(o.Version.N) + " answers, published " + p.when(o.Version.PublishedAt).Text + " by " + o.Version.PublishedBy + "."
		}
		v.Action = layout.Link{Text: "Ask a question", URL: p.at("/ask")}
	}
	if o.Draft == nil {
		return v // a reader is shown no draft, so there is nothing to set up either
	}
	if n := p.waits(); n > 0 {
		v.Figures = []home.Figure{{Number: layout.Number(n), Text: "waiting for a decision", URL: p.at(approvals.Path)}}
	}
	if len(o.Answers) == 0 {
		v.Steps = steps(p, o)
		return v
	}
	v.Figures = append(v.Figures,
		home.Figure{Number: layout.Number(o.Draft.Sources), Text: "sources in the draft", URL: p.at(sources.Path)},
		home.Figure{Number: layout.Number(o.Draft.Cards), Text: "topic cards", URL: p.at(cards.Path)},
	)
	if o.Keys != nil {
		v.Figures = append(v.Figures, home.Figure{Number: layout.Number(*o.Keys), Text: "active keys", URL: p.at(keys.Path)})
	}
	v.Recent = answerRows(p, o.Answers)
	return v
}

func steps(p *page, o ops.Overview) []home.Step {
	brain := " --brain-id " + string(p.brain)
	all := []home.Step{
		{Title: "Import documents", Text: "A brain answers from its documents alone.", Command: "bb import handbook.md" + brain, Done: o.Draft.Sources > 0},
		{Title: "Save a topic card", Text: "It names the passages that a kind of question turns on. Optional.", Command: "bb card save card.json" + brain, Done: o.Draft.Cards > 0},
		{Title: "Publish", Text: "A version is frozen, and agents read only that.", Command: "bb publish" + brain, Link: publishLink(p), Done: o.Brain.Published > 0},
	}
	if p.by.May(models.MayKeys) {
		all = append(all, home.Step{
			Title: "Give an agent a key", Text: "It is shown once, with the configuration for the usual clients.",
			Link: layout.Link{Text: "Create a key", URL: p.at(keys.NewPath)}, Done: o.Keys != nil && *o.Keys > 0,
		})
	}
	return append(all, home.Step{Title: "Ask", Text: "Each answer is recorded here with its proof.", Link: layout.Link{Text: "Ask a question", URL: p.at("/ask")}})
}

// publishLink leads to the form that publishes, for who may.
func publishLink(p *page) layout.Link {
	if !p.by.May(models.MayPublish) {
		return layout.Link{}
	}
	return layout.Link{Text: "Publish at the page", URL: p.at(versions.Path)}
}

// asked is the question of an answer, or why it is not kept.
func asked(query, kept string) string {
	switch kept {
	case models.KeptHash:
		return "Question not recorded"
	case models.KeptExpired:
		return "Question expired"
	case models.KeptPurged:
		return "Question gone with a purged source"
	}
	return query
}

func answerRows(p *page, lines []ops.AnswerLine) []answers.Row {
	rows := make([]answers.Row, len(lines))
	for i, l := range lines {
		rows[i] = answers.Row{URL: p.at(answers.RecordPath(l.ID)), Question: asked(l.Query, l.Body), Guardrail: answers.Guardrail{Status: l.Guardrail}, Who: l.Actor, Surface: l.Surface, At: p.when(l.At)}
	}
	return rows
}
