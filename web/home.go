package web

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/store"
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
	g, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ShowGlance, ops.None{})
	if err != nil {
		return err
	}
	return p.show(home.HomePage(p.frame(), homePage(p, g)))
}

// homePage shows the steps of setting a brain up until it has answered
// somebody, and how it is doing from then on.
func homePage(p *page, g ops.Glance) home.Page {
	v := home.Page{Name: g.Brain.Name, State: stateOf(p, g), Action: actionOf(p, g)}
	if g.Draft == nil {
		return v // a reader is shown no draft, so there is nothing to set up either
	}
	answered := len(g.Answers) > 0
	if !answered {
		v.Steps = steps(p, g)
	}
	v.Figures = homeFigures(p, g)
	if answered {
		v.Records, v.Chart, v.Recent = true, chartOf(p, g.Days), answerRows(p, g.Answers)
		v.Gaps, v.GapNote = gapsOf(p, g)
	}
	if g.Draft.Sources > 0 {
		v.Health = true
		v.Findings, v.Clear = findingsOf(p, g.Findings)
	}
	for _, r := range g.Reviews[:min(len(g.Reviews), mostReviews)] {
		v.Reviews = append(v.Reviews, home.Review{Code: r.Code, Title: r.Title, Owner: r.Owner, Due: day(r.ReviewBy), Past: r.Past, URL: p.at(sources.Path + "/" + url.PathEscape(r.Code))})
	}
	return v
}

const mostReviews = 5

// stateOf says in a sentence what answers, and in another what the draft would
// change.
func stateOf(p *page, g ops.Glance) string {
	if g.Brain.Published == 0 {
		return "Nothing is published yet, so agents get no answers."
	}
	says := "Version " + layout.Number(g.Brain.Published) + " answers."
	if g.Version != nil {
		says = "Version " + layout.Number(g.Version.N) + " answers, published " + p.when(g.Version.PublishedAt).Text + " by " + g.Version.PublishedBy + "."
	}
	if g.Changes == nil {
		return says
	}
	if !g.Changes.Any() {
		return says + " The draft is the same."
	}
	var parts []string
	if n := g.Changes.Sources; n > 0 {
		parts = append(parts, layout.Plural(n, "source", "sources"))
	}
	if n := g.Changes.Cards; n > 0 {
		parts = append(parts, layout.Plural(n, "topic card", "topic cards"))
	}
	return says + " The draft would change " + strings.Join(parts, " and ") + "."
}

// actionOf is what this reader does next.
func actionOf(p *page, g ops.Glance) layout.Link {
	switch {
	case g.Changes != nil && g.Changes.Any() && p.by.May(models.MayPublish):
		return layout.Link{Text: "Publish the draft", URL: p.at(versions.Path)}
	case g.Brain.Published > 0:
		return layout.Link{Text: "Ask a question", URL: p.at("/ask")}
	}
	return layout.Link{}
}

// homeFigures are the numbers of the first row. Each leads to the list behind it.
func homeFigures(p *page, g ops.Glance) (fs []home.Figure) {
	if n := g.Queue.Waiting; n > 0 {
		fs = append(fs, home.Figure{Number: layout.Number(n), Text: waitingWords(p, *g.Queue), URL: p.at(approvals.Path), Hot: true})
	}
	if len(g.Days) > 0 {
		n, passed := 0, 0
		week := models.Date(p.now.UTC().AddDate(0, 0, -6).Format(time.DateOnly))
		for _, d := range g.Days {
			if d.Day >= week {
				n, passed = n+d.Passed+d.Disclaimed+d.Blocked, passed+d.Passed
			}
		}
		text := "questions in 7 days"
		if n > 0 {
			text += " · " + strconv.Itoa(passed*100/n) + "\u00a0% grounded"
		}
		fs = append(fs, home.Figure{Number: layout.Number(n), Text: text, URL: p.at(answers.Path + "?from=" + string(week))})
	}
	if g.Draft.Sources > 0 {
		fs = append(fs,
			home.Figure{Number: layout.Number(g.Draft.Sources), Text: "sources in the draft", URL: p.at(sources.Path)},
			home.Figure{Number: layout.Number(g.Draft.Cards), Text: "topic cards in the draft", URL: p.at(cards.Path)})
	}
	if g.Keys != nil && *g.Keys > 0 {
		fs = append(fs, home.Figure{Number: layout.Number(*g.Keys), Text: "active keys", URL: p.at(keys.Path)})
	}
	return fs
}

func waitingWords(p *page, q store.Queue) string {
	says := "waiting for a decision"
	if q.Oldest != nil && p.now.Sub(*q.Oldest) >= time.Minute {
		says += ", the oldest from " + p.when(*q.Oldest).Text
	}
	if q.Proposed == q.Waiting {
		says += " · all proposed by you"
	}
	return says
}

func steps(p *page, g ops.Glance) []home.Step {
	brain := " --brain-id " + string(p.brain)
	all := []home.Step{{Title: "Import a document", Text: "A brain answers from its documents alone: Markdown, HTML, DOCX or PDF.", Command: "bb import handbook.md" + brain, Done: g.Draft.Sources > 0}}
	if p.by.May(models.MayEditDraft) {
		all[0].Link = layout.Link{Text: "Choose files", URL: p.at(sources.Path)}
	}
	all = append(all, home.Step{Title: "Publish", Text: "A version is frozen, and agents read only that. What you import later changes nothing for them until the next one.", Command: "bb publish" + brain, Link: publishLink(p), Done: g.Brain.Published > 0})
	if p.by.May(models.MayKeys) {
		all = append(all,
			home.Step{Title: "Give an agent a key", Text: "It is shown once, with the configuration for the usual clients.", Link: layout.Link{Text: "Create a key", URL: p.at(keys.NewPath)}, Done: g.Keys != nil && *g.Keys > 0},
			home.Step{Title: "Connect a client", Text: "Add the configuration that came with the key to your MCP client, and have it ask something. This step is done when the key was used.", Done: g.Connects})
	}
	ask := home.Step{Title: "Ask", Text: "Each answer is recorded here with its proof."}
	if g.Brain.Published > 0 {
		ask.Link = layout.Link{Text: "Ask a question", URL: p.at("/ask")}
	}
	return append(all, ask)
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
