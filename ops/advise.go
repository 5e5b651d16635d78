package ops

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"polaris/advisor"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// AskIn is a question put to the published brain.
type AskIn struct {
	Query    string   `json:"query" jsonschema:"the question, in full sentences; citation keys in it are looked up exactly"`
	TopicIDs []string `json:"topic_ids,omitempty" jsonschema:"ids of at most two topic cards to scope the question to, from topic_cards; unknown ids are ignored"`

	// Earlier is what was asked before in the same conversation, oldest first. It
	// helps only a question that names nothing by itself.
	Earlier []string `json:"-"`

	// Version is an older version to ask, 0 for the one that is published. Only an
	// operator's command line offers it, so it is in no agent's schema.
	Version int `json:"-"`
}

// everywhere is where the advisor's tools are offered.
const everywhere = Web | CLI | Stdio | Hosted | REST | OpenAI

// Answer answers a question with verified citations.
var Answer = &Op[AskIn, *models.Envelope]{
	Name: "answer", Tool: "answer", Title: "Answer a question", Route: "POST /v1/brains/{brain_id}/answers",
	Summary: "Answer a question from the published brain. Every sentence of `result` stands on the verbatim quote of a citation; `guardrail.status` other than `pass` means that the brain does not ground an answer: say so instead of guessing. Reproduce the `## Sources` block when you pass the answer on.",
	Class:   Read, Needs: models.MayAsk, Offered: everywhere, Serves: true,
	HTTP: HTTP{Keys: true, Example: `{"query":"How long do we keep complaint records?"}`},
	Run: func(ctx context.Context, e *Env, in AskIn) (*models.Envelope, error) {
		return e.ask(ctx, in, e.desk.answering())
	},
}

// answering is how questions are answered here: in the sources' words, or in a
// model's where one is set.
func (d *Desk) answering() func(*advisor.Engine, context.Context, advisor.Question) *models.Envelope {
	if d.Settings.Writer == nil {
		return (*advisor.Engine).Answer
	}
	return func(e *advisor.Engine, ctx context.Context, q advisor.Question) *models.Envelope {
		return e.Compose(ctx, q, d.Settings.Writer)
	}
}

// Retrieve returns the passages that would ground an answer.
var Retrieve = &Op[AskIn, *models.Envelope]{
	Name: "retrieve", Tool: "retrieve", Title: "Retrieve passages", Route: "POST /v1/brains/{brain_id}/retrieve",
	Summary: "Return the verbatim passages of the published brain that bear on a question, best first, without an answer. Name a citation (`12 CFR 1002.9(a)`) to get exactly that provision.",
	Class:   Read, Needs: models.MayAsk, Offered: everywhere &^ OpenAI, Serves: true,
	HTTP: HTTP{Keys: true, Example: `{"query":"HB 4.2(a)"}`},
	Run: func(ctx context.Context, e *Env, in AskIn) (*models.Envelope, error) {
		return e.ask(ctx, in, (*advisor.Engine).Retrieve)
	},
}

// ask puts the question to the engine of the published version, and fills in
// the audit row and the record that the answer will wait for.
func (e *Env) ask(ctx context.Context, in AskIn, how func(*advisor.Engine, context.Context, advisor.Question) *models.Envelope) (*models.Envelope, error) {
	if err := e.desk.checkQuery(in); err != nil {
		return nil, err
	}
	q, err := e.question(ctx, advisor.Question{Text: in.Query, TopicIDs: in.TopicIDs, Earlier: e.desk.readable(in)})
	if err != nil {
		return nil, err
	}
	engine, err := e.engineOf(ctx, in.Version)
	if err != nil {
		return nil, err
	}
	if q.Suspended, err = e.suspended(ctx); err != nil {
		return nil, err
	}
	e.Audit.Detail.Suspended, e.Audit.Detail.Policy = q.Suspended, borne(q)
	var env *models.Envelope
	if engine == nil {
		env = advisor.NoVersion(q)
	} else {
		env = how(engine, ctx, q)
	}
	id := models.NewID("ans")
	advisor.Finish(env, advisor.Serving{AnswerID: id, RecordURL: e.desk.RecordURL(e.Call.Brain, id), At: e.Now})
	env.Encode()
	e.record(id, env)
	return env, nil
}

// readable returns the earlier questions that are no longer than a question may
// be together with the one that is asked now.
func (d *Desk) readable(in AskIn) (fit []string) {
	for _, q := range in.Earlier {
		if utf8.RuneCountInString(in.Query)+1+utf8.RuneCountInString(q) <= d.Settings.MaxQueryChars {
			fit = append(fit, q)
		}
	}
	return fit
}

// engineOf returns the engine of a version, of the published one for 0. What is
// history is for those who may see how the brain was made.
func (e *Env) engineOf(ctx context.Context, version int) (*advisor.Engine, error) {
	if version == 0 {
		return e.engine(ctx)
	}
	if !e.Call.By.May(models.MayReadDraft) {
		return nil, fault.New(fault.Forbidden, "Your role in this brain does not cover reading older versions.").WithCode("insufficient_role")
	}
	return e.Shelf().Exactly(ctx, e.Call.Brain, version)
}

// engine returns the engine of the published version, nil where none is
// published.
func (e *Env) engine(ctx context.Context) (*advisor.Engine, error) {
	version := e.Call.By.Published
	if e.Call.By.Kind == models.KindSystem {
		b, err := e.Store().Brain(ctx, e.Call.Brain)
		if err != nil {
			return nil, err
		}
		version = b.Published
	}
	if version == 0 {
		return nil, nil
	}
	return e.Shelf().Engine(ctx, e.Call.Brain, version)
}

// suspended returns what may not be served, as it was when the credential was
// looked up, which was for this request.
func (e *Env) suspended(ctx context.Context) (off []models.Withheld, err error) {
	if e.Call.By.Kind != models.KindSystem && e.Call.By.Kind != models.KindTerminal {
		return e.Call.By.Suspended, nil
	}
	err = e.Store().InBrain(ctx, e.Call.Brain, func(tx *store.Tx) error { // a terminal's principal may be older
		off, err = withheld(tx)
		return err
	})
	return off, err
}

// shown returns what of the published version may be browsed, nil where none is.
func (e *Env) shown(ctx context.Context) (*advisor.Shown, error) {
	engine, err := e.engine(ctx)
	if err != nil || engine == nil {
		return nil, err
	}
	off, err := e.suspended(ctx)
	if err != nil {
		return nil, err
	}
	return engine.Without(off), nil
}

// partial is the notice on what is browsed while parts of it are suspended.
func partial(s *advisor.Shown) string {
	if !s.Partial() {
		return ""
	}
	return "Curators have suspended some of the sources: what is suspended is left out."
}

// RecordURL returns the address of an answer's record.
func (d *Desk) RecordURL(brain models.BrainID, answer string) string {
	return d.Settings.PublicURL + "/brains/" + string(brain) + "/answers/" + answer
}

func (d *Desk) checkQuery(in AskIn) error {
	n := utf8.RuneCountInString(in.Query)
	switch {
	case strings.TrimSpace(in.Query) == "":
		return fault.Field("query", "Ask a question: query is empty.")
	case !utf8.ValidString(in.Query) || strings.ContainsRune(in.Query, 0):
		return fault.Field("query", "The question is not valid UTF-8 text.")
	case n > d.Settings.MaxQueryChars:
		return fault.Field("query", "The question has %d characters; at most %d are read (POLARIS_MAX_QUERY_CHARS).", n, d.Settings.MaxQueryChars)
	case len(in.TopicIDs) > 100:
		return fault.Field("topic_ids", "At most two topic cards scope a question.")
	}
	return nil
}

// record fills in the row and the record of a served answer. The record keeps
// the bytes that are hashed, so that what is read back years later is held
// against what was served and not against what today's code makes of it.
func (e *Env) record(id string, env *models.Envelope) {
	a := e.Audit
	a.Target = id
	a.Detail.Version, a.Detail.Guardrail = env.BrainVersion, env.Guardrail.Status
	a.Detail.TopicsUsed, a.Detail.TopicsIgnored = env.TopicsUsed, bounded(env.TopicsIgnored)
	if len(env.Citations) > 0 {
		a.Detail.Spans = make([]string, 0, len(env.Citations))
	}
	for i := range env.Citations {
		p := &env.Citations[i].Provenance
		a.Detail.Spans = append(a.Detail.Spans, p.SourceDocPK+"@"+strconv.Itoa(p.Revision)+":"+strconv.Itoa(p.Start)+"-"+strconv.Itoa(p.End))
	}
	body, _ := env.Encoded()
	e.Record = &models.Answer{
		BrainID: e.Call.Brain, ID: id, At: e.Now, Query: env.Query, Topics: append([]string{}, env.TopicsUsed...), Version: env.BrainVersion,
		Surface: a.Surface, Actor: a.Actor, Person: a.Person, KeyID: a.KeyID, Guardrail: env.Guardrail.Status, Body: body,
	}
	a.Detail.BodyHash = env.BodyHash()
}

// bounded keeps what a caller made up from filling the audit log.
func bounded(ids []string) []string {
	const most, longest = 10, 100
	out := make([]string, 0, min(len(ids), most))
	for _, id := range ids[:min(len(ids), most)] {
		if len(id) > longest {
			id = strings.ToValidUTF8(id[:longest], "") + "…"
		}
		out = append(out, strings.ReplaceAll(id, "\x00", ""))
	}
	return out
}

// TopicList is the published topic cards.
type TopicList struct {
	Topics []models.Topic `json:"topics"`
	Notice string         `json:"notice,omitempty"`
}

// Text renders the list for clients that show text only.
func (l TopicList) Text() string {
	if len(l.Topics) == 0 {
		return cmp.Or(l.Notice, "No topic cards are published. Ask without topic_ids.")
	}
	var b strings.Builder
	for _, t := range l.Topics {
		fmt.Fprintf(&b, "- `%s` — %s\n  covers: %s\n  anchors: %s\n", t.ID, t.Label, t.Covers, strings.Join(t.Anchors, "; "))
		if t.UnsupportableAnchors > 0 {
			fmt.Fprintf(&b, "  %d of its anchors have no text in this version\n", t.UnsupportableAnchors)
		}
	}
	return withNotice(b.String(), l.Notice)
}

const nothingPublished = "No version of this brain is published yet."

// TopicCards lists the subjects that the published brain can be asked about.
var TopicCards = &Op[None, TopicList]{
	Name: "topic_cards", Tool: "topic_cards", Title: "List topic cards", Route: "GET /v1/brains/{brain_id}/topic-cards",
	Summary: "List the subjects this brain knows it can be asked about. Match a question against `covers`, then pass the card's `id` in `topic_ids` of answer or retrieve.",
	Class:   Read, Needs: models.MayAsk, Offered: everywhere &^ OpenAI, Loaded: true,
	HTTP: HTTP{Keys: true},
	Run: func(ctx context.Context, e *Env, _ None) (TopicList, error) {
		engine, err := e.shown(ctx)
		if err != nil || engine == nil {
			return TopicList{Topics: []models.Topic{}, Notice: nothingPublished}, err
		}
		l := TopicList{Topics: engine.Topics(), Notice: partial(engine)}
		if e.Call.forModels() {
			l = l.cut(e.desk.Settings.PublicURL + "/v1/brains/" + string(e.Call.Brain) + "/topic-cards")
		}
		return l, nil
	},
}

// ReadWikiIn names an article, or nothing for the index.
type ReadWikiIn struct {
	Entity string `json:"entity,omitempty" jsonschema:"title of the article to read; leave it out for the index"`
}

// WikiPage is the index of the wiki, or one article of it.
type WikiPage struct {
	Categories []models.WikiCategory `json:"categories,omitempty" jsonschema:"the index: categories with their titles"`
	Title      string                `json:"title,omitempty"`
	Category   string                `json:"category,omitempty"`
	Markdown   string                `json:"markdown,omitempty"`
	Sources    []string              `json:"sources,omitempty"`
	Related    []string              `json:"related,omitempty"`
	Notice     string                `json:"notice,omitempty"`

	Quotes []models.ArticleQuote `json:"-"` // the block quotes of Markdown, for the page
}

// Text renders the page for clients that show text only.
func (p WikiPage) Text() string {
	if p.Title != "" {
		return withNotice(p.Markdown, p.Notice)
	}
	if len(p.Categories) == 0 {
		return cmp.Or(p.Notice, "The wiki is empty.")
	}
	var b strings.Builder
	for _, c := range p.Categories {
		fmt.Fprintf(&b, "## %s\n", c.Name)
		for _, t := range c.Titles {
			fmt.Fprintf(&b, "- %s\n", t)
		}
	}
	return withNotice(b.String(), p.Notice)
}

// ReadWiki shows the published wiki: its index, or one article.
var ReadWiki = &Op[ReadWikiIn, WikiPage]{
	Name: "read_wiki", Tool: "read_wiki", Title: "Read the wiki", Route: "GET /v1/brains/{brain_id}/wiki/{entity}",
	Summary: "Browse the published brain as articles. Leave `entity` out for the index of titles; pass a title for that article.",
	Class:   Read, Needs: models.MayAsk, Offered: everywhere &^ OpenAI, Loaded: true,
	HTTP: HTTP{Keys: true},
	Run: func(ctx context.Context, e *Env, in ReadWikiIn) (WikiPage, error) {
		if len(in.Entity) > 500 {
			return WikiPage{}, fault.Field("entity", "A title is at most 500 bytes long.")
		}
		engine, err := e.shown(ctx)
		if err != nil || engine == nil {
			return WikiPage{Notice: nothingPublished}, err
		}
		if in.Entity == "" {
			p := WikiPage{Categories: engine.Wiki(), Notice: partial(engine)}
			if e.Call.forModels() {
				p = p.cutIndex(e.desk.wikiURL(e.Call.Brain, ""))
			}
			return p, nil
		}
		a, nearest, err := engine.Article(in.Entity)
		if fault.Is(err, fault.NotFound) {
			return WikiPage{}, noArticle(in.Entity, nearest)
		}
		if err != nil {
			return WikiPage{}, err
		}
		p := WikiPage{Title: a.Title, Category: a.Category, Markdown: a.Markdown, Sources: a.Sources, Related: a.Related, Notice: partial(engine), Quotes: a.Quotes}
		if e.Call.forModels() {
			p = p.cutArticle(e.desk.wikiURL(e.Call.Brain, p.Title))
		}
		return p, nil
	},
}

// A NoArticleError says that the wiki lacks a title, and names the nearest that it has.
type NoArticleError struct {
	Nearest []string
	fault   *fault.Error
}

// Error returns the sentence with the nearest titles in it.
func (n *NoArticleError) Error() string { return n.fault.Error() }

// Unwrap returns the fault.
func (n *NoArticleError) Unwrap() error { return n.fault }

func noArticle(entity string, nearest []string) error {
	f := &fault.Error{Kind: fault.NotFound, Code: "no_such_article", Field: "entity", Message: fmt.Sprintf("There is no article %q.", entity)}
	if len(nearest) > 0 {
		f.Message += " Nearest: " + strings.Join(nearest, "; ") + "."
	}
	return &NoArticleError{nearest, f}
}
