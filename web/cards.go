package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/cards"
	"polaris/views/form"
	"polaris/views/layout"
	"polaris/views/sources"
)

// keyURL leads to the passage with a citation key, in the source of a code.
func keyURL(p *page, code, key string) string {
	return p.at(sources.SourcePath(url.PathEscape(code))) + "?" + url.Values{"key": {key}}.Encode()
}

func (s *Server) listCards(p *page) error {
	cursor := p.QueryParam("cursor")
	l, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ListCards, ops.Page{Cursor: cursor})
	if err != nil {
		return err
	}
	x, lost := cards.Index{Save: "bb card save card.json --brain-id " + string(p.brain), May: p.by.May(models.MayEditDraft)}, 0
	for _, c := range l.Cards {
		v := cards.Card{ID: c.ID, Label: c.Label, Covers: c.Covers, Updated: p.when(c.UpdatedAt), By: c.UpdatedBy, URL: p.at(cards.CardPath(c.ID))}
		for _, a := range c.Anchors {
			held := !slices.Contains(l.Unsupportable, a)
			v.Anchors = append(v.Anchors, cards.Anchor{Key: a, Supported: held})
			if !held {
				lost++
			}
		}
		for _, id := range l.Shared[c.ID] {
			v.Shared = append(v.Shared, layout.Link{Text: id, URL: p.at(cards.CardPath(id))})
		}
		x.Cards = append(x.Cards, v)
	}
	here := " in the draft"
	if cursor != "" || l.NextCursor != "" {
		here = " on this page"
	}
	x.State = layout.Plural(len(l.Cards), "topic card", "topic cards") + here + "."
	if lost > 0 {
		x.State = layout.Plural(len(l.Cards), "topic card", "topic cards") + here + ", " + layout.Plural(lost, "anchor", "anchors") + " without text."
	}
	x.Pages.Words = [2]string{"From the beginning", "Next cards"}
	if cursor != "" {
		x.Pages.Newer = p.at(cards.Path)
	}
	if l.NextCursor != "" {
		x.Pages.Older = withQuery(p.at(cards.Path), url.Values{"cursor": {l.NextCursor}})
	}
	f := p.frame()
	if id := p.QueryParam("card"); p.QueryParam("done") == "card-deleted" && x.May && models.Slug(id) == id {
		if f.Flash.Undo, err = s.undoOfCard(p, id, "topic_cards.delete"); err != nil {
			return err
		}
	}
	return p.show(cards.IndexPage(f, x))
}

// undoOfCard is the form that takes back the last change of a card, where that
// was by the operation.
func (s *Server) undoOfCard(p *page, id, operation string) (layout.Undo, error) {
	h, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ShowHistory, ops.HistoryIn{Card: id})
	if err != nil || len(h.Entries) == 0 || h.Entries[0].Operation != operation || h.Entries[0].Undo {
		return layout.Undo{}, err
	}
	_, change := historyOf(p, h)
	return layout.Undo{URL: p.at(cards.UndoPath(id)), Fields: []layout.Hidden{{Name: "change", Value: change}}}, nil
}

func (s *Server) newCard(p *page) error {
	if err := ops.Allowed(p.call(), ops.SaveCard.Entry()); err != nil {
		return err
	}
	// An unanswered question, or a passage, leads here with what it is about.
	x := cards.Editor{Question: form.Entry{Value: p.QueryParam("question")}, Anchors: form.Entry{Value: p.QueryParam("anchor")}, Covers: form.Entry{Value: p.QueryParam("question")}}
	return s.cardPage(p, http.StatusOK, x)
}

func (s *Server) showCard(p *page) error {
	c, err := ops.Do(p.ctx(), s.desk, p.call(), ops.GetCard, ops.CardIDIn{ID: p.Param("id")})
	if err != nil {
		return err
	}
	x := cards.Editor{
		ID: c.ID, Tag: c.ETag(), Label: form.Entry{Value: c.Label}, Covers: form.Entry{Value: c.Covers}, Anchors: form.Entry{Value: strings.Join(c.Anchors, "\n")},
		Question: form.Entry{Value: p.QueryParam("question")}, Updated: p.when(c.UpdatedAt), By: c.UpdatedBy,
	}
	return s.cardPage(p, http.StatusOK, x)
}

// cardPage shows a card as it is written, with what it leads to and what changed
// it.
func (s *Server) cardPage(p *page, status int, x cards.Editor) error {
	var err error
	x.May, x.Find = p.by.May(models.MayEditDraft), "/v1"+p.at("/draft/passages")
	if x.Check, err = s.checkOf(p, x); err != nil {
		return err
	}
	if x.ID != "" {
		h, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ShowHistory, ops.HistoryIn{Card: x.ID})
		if err != nil {
			return err
		}
		x.History, x.Undo = historyOf(p, h)
		if x.By == "" { // it was sent, not read
			c, err := ops.Do(p.ctx(), s.desk, p.call(), ops.GetCard, ops.CardIDIn{ID: x.ID})
			if err != nil {
				return err
			}
			x.Updated, x.By = p.when(c.UpdatedAt), c.UpdatedBy
		}
	}
	f := p.frame()
	if p.QueryParam("done") == "card-saved" && x.Undo != "" {
		f.Flash.Undo = layout.Undo{URL: p.at(cards.UndoPath(x.ID)), Fields: []layout.Hidden{{Name: "change", Value: x.Undo}}}
	}
	return render(p.Context, status, privately, cards.EditorPage(f, x))
}

// checkOf says what the anchors lead to, as they are typed.
func (s *Server) checkOf(p *page, x cards.Editor) (v cards.Check, err error) {
	anchors := typedLines(x.Anchors.Value)
	over := len(anchors) > 20
	if over {
		anchors = anchors[:20]
	}
	covers := x.Covers.Value
	if len(covers) > 2000 {
		covers = ""
	}
	c, err := ops.Do(p.ctx(), s.desk, p.call(), ops.CheckCard, ops.CheckCardIn{ID: x.ID, Covers: covers, Anchors: anchors})
	if err != nil {
		return v, err
	}
	texts := func(all []ops.AnchorText) (out []cards.AnchorText) {
		for _, t := range all {
			out = append(out, cards.AnchorText{Key: t.Key, Title: t.Title, URL: keyURL(p, t.Code, t.Key), Text: t.Text})
		}
		return out
	}
	for _, a := range c.Anchors {
		v.Anchors = append(v.Anchors, cards.AnchorCheck{Key: a.Anchor, Problem: a.Problem, Suspended: a.Suspended, Passages: texts(a.Passages), Instead: texts(a.Instead), Moved: a.Moved})
	}
	for _, o := range c.Overlaps {
		var why []string
		if len(o.Anchors) > 0 {
			why = append(why, "also anchored on "+strings.Join(o.Anchors, ", "))
		}
		if len(o.Words) > 0 {
			why = append(why, "also covers: "+strings.Join(o.Words, ", "))
		}
		v.Overlaps = append(v.Overlaps, cards.Overlap{Label: o.Label, URL: p.at(cards.CardPath(o.ID)), Why: strings.Join(why, "; ")})
	}
	return v, nil
}

// saveCard saves a card; or shows what it leads to, how a question fares with it,
// or the card with one anchor replaced, as the button says.
func (s *Server) saveCard(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	if err := ops.Allowed(p.call(), ops.SaveCard.Entry()); err != nil {
		return err
	}
	x := cards.Editor{
		ID: p.Param("id"), Tag: sent.Get("tag"), Label: form.Entry{Value: sent.Get("label")}, Covers: form.Entry{Value: sent.Get("covers")},
		Anchors: form.Entry{Value: sent.Get("anchors")}, Question: form.Entry{Value: sent.Get("question")},
	}
	do := sent.Get("do")
	if p.QueryParam("do") != "" {
		do = p.QueryParam("do")
	}
	part := p.Request().Header.Get("HX-Request") != ""
	switch {
	case sent.Get("replace") != "":
		x.Anchors.Value = replaced(x.Anchors.Value, sent.Get("replace"))
		return s.cardPage(p, http.StatusOK, x)
	case do == "check" && part:
		v, err := s.checkOf(p, x)
		if err != nil {
			return err
		}
		return render(p.Context, http.StatusOK, never, cards.CheckPart(p.frame(), v))
	case do == "check":
		return s.cardPage(p, http.StatusOK, x)
	case do == "try":
		return s.tryCard(p, x, part)
	}
	in := cardIn(x)
	call := p.call()
	call.IfNew = x.ID == ""
	if x.Tag != "" {
		call.IfMatch = []string{x.Tag}
	}
	saved, err := ops.Do(p.ctx(), s.desk, call, ops.SaveCard, in)
	return p.ended(outdated(err), p.at(cards.CardPath(saved.Card.ID))+"?done=card-saved", func(r *refusal) error {
		x.Label.Problem, x.Covers.Problem, x.Anchors.Problem, x.Problem = r.about("label"), r.about("covers"), r.about("anchors"), r.rest("label", "covers", "anchors")
		return s.cardPage(p, r.status(), x)
	})
}

func cardIn(x cards.Editor) ops.SaveCardIn {
	return ops.SaveCardIn{ID: x.ID, Label: x.Label.Value, Covers: x.Covers.Value, Anchors: typedLines(x.Anchors.Value)}
}

// replaced puts one anchor in the place of another, as a button sent it.
func replaced(anchors, swap string) string {
	lines := typedLines(anchors)
	for i, old := range lines {
		if by, ok := strings.CutPrefix(swap, cards.Replacement(old, "")); ok && by != "" {
			lines[i] = by
		}
	}
	return strings.Join(lines, "\n")
}

// tryCard asks the draft a question with the card as it is written, and without.
func (s *Server) tryCard(p *page, x cards.Editor, part bool) error {
	in := cardIn(x)
	a, err := ops.Do(p.ctx(), s.desk, p.call(), ops.AskDraft, ops.AskDraftIn{Query: x.Question.Value, Card: &in})
	r, again := refused(err)
	status := http.StatusOK
	switch {
	case again:
		x.Trial.Problem, status = r.Message, r.status()
	case err != nil:
		return err
	default:
		x.Trial = trialOf(p, a)
	}
	if part {
		return render(p.Context, status, never, cards.TrialPart(x.Trial))
	}
	return s.cardPage(p, status, x)
}

func trialOf(p *page, a *ops.DraftAnswer) cards.Trial {
	t := cards.Trial{Asked: true, Without: triedAnswer(p, a.Without), With: triedAnswer(p, a.With)}
	more, less := onlyIn(t.With.Cites, t.Without.Cites), onlyIn(t.Without.Cites, t.With.Cites)
	t.Summary = "The card changes nothing here: both cite the same passages."
	if more+less > 0 {
		t.Summary = "Only with the card: " + layout.Plural(more, "passage is", "passages are") + " cited. Only without it: " + layout.Plural(less, "passage is.", "passages are.")
	}
	return t
}

// onlyIn marks what is cited here and not there, and counts it.
func onlyIn(here, there []cards.Cite) (n int) {
	for i := range here {
		here[i].Only = !slices.ContainsFunc(there, func(c cards.Cite) bool { return c.URL == here[i].URL })
		if here[i].Only {
			n++
		}
	}
	return n
}

func triedAnswer(p *page, env *models.Envelope) cards.Answer {
	a := cards.Answer{Kind: layout.Good, State: "grounded", Notices: env.Notices}
	switch env.Guardrail.Status {
	case models.GuardrailDisclaim:
		a.Kind, a.State = layout.Caution, "disclaimed"
	case models.GuardrailBlock:
		a.Kind, a.State = layout.Bad, "refused"
	}
	for part := range strings.SplitSeq(env.Result, "\n\n") {
		if part = strings.TrimSpace(part); part != "" {
			a.Text = append(a.Text, part)
		}
	}
	for _, c := range env.Citations {
		a.Cites = append(a.Cites, cards.Cite{
			N: fmt.Sprint(c.N), Key: c.Key, Title: c.SourceID, Quote: c.Quote,
			URL: p.at(sources.SourcePath(c.Provenance.SourceDocPK)) + fmt.Sprintf("?revision=%d&span=%d-%d#quote", c.Provenance.Revision, c.Provenance.Start, c.Provenance.End),
		})
	}
	return a
}

func (s *Server) newCardRemoval(p *page) error { return s.cardRemoval(p, nil) }

func (s *Server) cardRemoval(p *page, r *refusal) error {
	if err := ops.Allowed(p.call(), ops.DeleteCard.Entry()); err != nil {
		return err
	}
	c, err := ops.Do(p.ctx(), s.desk, p.call(), ops.GetCard, ops.CardIDIn{ID: p.Param("id")})
	if err != nil {
		return err
	}
	return render(p.Context, r.status(), privately, cards.RemovalPage(p.frame(), cards.Removal{ID: c.ID, Label: c.Label, Tag: c.ETag(), Problem: r.rest()}))
}

func (s *Server) deleteCard(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	call := p.call()
	if tag := sent.Get("tag"); tag != "" {
		call.IfMatch = []string{tag}
	}
	id := p.Param("id")
	_, err = ops.Do(p.ctx(), s.desk, call, ops.DeleteCard, ops.CardIDIn{ID: id})
	return p.ended(outdated(err), withQuery(p.at(cards.Path), url.Values{"done": {"card-deleted"}, "card": {id}}), func(r *refusal) error { return s.cardRemoval(p, r) })
}

// undoCard takes back the change of a card that its page named.
func (s *Server) undoCard(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	id := p.Param("id")
	if models.Slug(id) != id {
		return fault.New(fault.NotFound, "No such topic card.")
	}
	_, err = ops.Do(p.ctx(), s.desk, p.call(), ops.UndoChange, ops.UndoIn{ID: sent.Get("change")})
	return p.ended(err, p.at(cards.Path)+"?done=undone#card-"+id, func(r *refusal) error { return r.Error })
}
