package web

import (
	"net/url"
	"strings"

	"polaris/models"
	"polaris/ops"
	"polaris/views/answers"
	"polaris/views/cards"
	"polaris/views/golden"
	"polaris/views/layout"
	"polaris/views/sources"
	"polaris/views/versions"
)

const goldenNew = golden.NewPath

// gap says of a question that was not answered what was looked for, whether the
// draft would answer it, and what fills the gap; nil of one that was answered.
func (s *Server) gap(p *page, env *models.Envelope, topics []string) (*answers.Gap, error) {
	if env.Guardrail.Status == models.GuardrailPass || env.BrainVersion == 0 || env.Query == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	g := &answers.Gap{Sought: []string{"Looked in version " + layout.Number(env.BrainVersion) + " for sentences that answer these words and are close enough to be quoted."}}
	if len(topics) > 0 {
		g.Sought = append(g.Sought, "Looked first at what these topic cards are anchored on: "+strings.Join(topics, ", ")+".")
	}
	if !p.by.May(models.MayReadDraft) {
		g.Note = "The question is on record as " + env.AnswerID + ", where the curators of this brain find it."
		return g, nil
	}
	draft, err := ops.Do(p.ctx(), s.desk, p.call(), ops.AskDraft, ops.AskDraftIn{Query: env.Query})
	if _, wrong := refused(err); wrong {
		draft, err = nil, nil // of a question that cannot be asked now, nothing is said
	}
	if err != nil {
		return nil, err
	}
	answered := draft != nil && draft.Without.Guardrail.Status == models.GuardrailPass
	if answered {
		g.Draft = "The draft answers it. It is not published yet:"
		for i, c := range draft.Without.Citations {
			if i < 3 {
				g.Cites = append(g.Cites, layout.Link{Text: c.Key + ", " + c.SourceID, URL: p.at(sources.SourcePath(c.Provenance.SourceDocPK)) + "?key=" + url.QueryEscape(c.Key)})
			}
		}
		g.Acts = append(g.Acts, layout.Link{Text: "See what a publish would change", URL: p.at(versions.Path)})
	}
	if p.by.May(models.MayEditDraft) {
		asked := "?" + url.Values{"question": {env.Query}}.Encode()
		if !answered {
			g.Acts = append(g.Acts, layout.Link{Text: "Add a document", URL: p.at("/imports/new")})
		}
		g.Acts = append(g.Acts, layout.Link{Text: "Write a topic card", URL: p.at(cards.NewPath) + asked}, layout.Link{Text: "Keep it as a golden question", URL: acts(p, env, topics).Gap})
	}
	return g, nil
}

// stepsTaken says how an answer came about, from what it carries itself.
func stepsTaken(env *models.Envelope) (all []answers.Step) {
	if env.BrainVersion == 0 || len(env.Citations) == 0 {
		return nil
	}
	by := map[string][]string{}
	verified := 0
	for _, c := range env.Citations {
		how := c.Why
		if strings.HasPrefix(how, "anchor of ") {
			how = "anchor"
		}
		by[how] = append(by[how], c.Key)
		if c.Verified {
			verified++
		}
	}
	brought := func(did string, keys []string) {
		if len(keys) > 0 {
			all = append(all, answers.Step{Did: did, Brought: layout.Plural(len(keys), "passage", "passages") + ": " + strings.Join(keys, ", ")})
		}
	}
	brought("Looked up the citation keys that the question names", by["key"])
	brought("Took what the topic cards are anchored on", by["anchor"])
	brought("Searched by the question’s words, and chose the sentences that answer it", by["words"])
	all = append(all, answers.Step{Did: "Held each sentence against its quote, byte by byte", Brought: layout.Number(verified) + " of " + layout.Plural(len(env.Citations), "quote", "quotes") + " verified"})
	return all
}

// whyWords say what brought a passage.
func whyWords(c models.Citation) string {
	switch {
	case c.Why == "key":
		return "the question names it"
	case c.Why == "words":
		return "its words answer the question"
	case strings.HasPrefix(c.Why, "anchor of "):
		return "anchor of the topic card “" + strings.TrimPrefix(c.Why, "anchor of ") + "”"
	}
	return c.Why
}
