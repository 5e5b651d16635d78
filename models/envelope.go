package models

import "crypto/sha256"

// An Envelope is what answer and retrieve return on every surface: the text,
// the citations it stands on, and how far it may be trusted.
type Envelope struct {
	Result       string     `json:"result" jsonschema:"the answer; every sentence stands on the citation that its [n] names; empty for retrieve"`
	Citations    []Citation `json:"citations"`
	Confidence   float64    `json:"confidence" jsonschema:"0 to 1: retrieval strength times verification, over the claims"`
	Guardrail    Guardrail  `json:"guardrail"`
	BrainVersion int        `json:"brain_version" jsonschema:"the published version that answered; 0 when none is published"`
	Rendered     string     `json:"rendered" jsonschema:"the text with its Sources block, complete on its own"`
	Notices      []string   `json:"notices,omitempty" jsonschema:"what was ignored, cut or assumed"`

	// The five that differ between two servings of one answer.
	AnswerID  string `json:"answer_id,omitempty"`
	RecordURL string `json:"record_url,omitempty" jsonschema:"the proof of this answer"`
	Query     string `json:"query"`
	AsOf      string `json:"as_of,omitempty" jsonschema:"when it was served, RFC 3339"`
	Engine    string `json:"engine" jsonschema:"analyser, weights and release that answered"`

	// What the audit row needs and no caller is shown.
	TopicsUsed    []string `json:"-"`
	TopicsIgnored []string `json:"-"`

	body            string // see Encode
	hash            [sha256.Size]byte
	textAt, textEnd int // of Rendered in body
}

// Text renders the envelope for clients that show text only.
func (e *Envelope) Text() string { return e.Rendered }

// A Citation is a verbatim span of a published source.
type Citation struct {
	N            int          `json:"n" jsonschema:"its number in the text and in the Sources block; equal spans share one"`
	SourceID     string       `json:"source_id" jsonschema:"the cited source's title, or the entity's name"`
	Kind         string       `json:"kind" jsonschema:"passage: verbatim text of a source; entity: a summary"`
	Key          string       `json:"key,omitempty" jsonschema:"canonical citation key"`
	Quote        string       `json:"quote" jsonschema:"verbatim; byte-equal to the source's text at provenance.start and end"`
	Locator      string       `json:"locator,omitempty"`
	Score        float64      `json:"score" jsonschema:"relevance to the question, 0 to 1"`
	Verified     bool         `json:"verified"`
	Verification Verification `json:"verification"`
	Provenance   Provenance   `json:"provenance"`
	Wiki         []WikiLink   `json:"wiki,omitempty"`
	ConceptRefs  []string     `json:"concept_refs,omitempty" jsonschema:"entity names to pass to read_wiki"`
	Why          string       `json:"why,omitempty" jsonschema:"what brought it: key in the question, anchor of a topic card, or words"`
}

// CitesPassage is the kind of citations whose quote is a source's own text.
const CitesPassage = "passage"

// A Verification says how a claim was held against its quote.
type Verification struct {
	Method string  `json:"method" jsonschema:"entailment, lexical, lexical_fallback or unverified"`
	Score  float64 `json:"score"`
}

// Provenance leads from a citation to the text that it was taken from.
type Provenance struct {
	SourceDocPK  string `json:"source_doc_pk"`
	DocTitle     string `json:"doc_title"`
	OriginURL    string `json:"origin_url,omitempty"`
	Jurisdiction string `json:"jurisdiction,omitempty"`
	Revision     int    `json:"revision"`
	Start        int    `json:"start" jsonschema:"byte offset of the quote in the revision's UTF-8 text"`
	End          int    `json:"end"`
}

// A WikiLink leads from a citation into the published wiki.
type WikiLink struct {
	Entity string `json:"entity"`
	Ref    string `json:"ref"`
}

// A Guardrail says whether an answer is grounded.
type Guardrail struct {
	Status  string   `json:"status" jsonschema:"pass, disclaim or block"`
	Reasons []string `json:"reasons"`
}

// The states of a guardrail.
const (
	GuardrailPass     = "pass"
	GuardrailDisclaim = "disclaim"
	GuardrailBlock    = "block"
)

// Verification methods.
const (
	VerifiedEntailment = "entailment"
	VerifiedLexical    = "lexical"
	VerifiedFallback   = "lexical_fallback"
	Unverified         = "unverified"
)

// An Article is one page of the published wiki.
type Article struct {
	Title    string   `json:"title"`
	Category string   `json:"category"`
	Markdown string   `json:"markdown"`
	Sources  []string `json:"sources"`
	Related  []string `json:"related"`

	Quotes []ArticleQuote `json:"-"` // the block quotes of Markdown, in their order, for the page
}

// An ArticleQuote is what an article quotes, and from where.
type ArticleQuote struct {
	Source  string // its title
	Key     string
	Locator string
	Text    string
}

// A WikiCategory lists the titles of one kind of articles.
type WikiCategory struct {
	Name   string   `json:"name"`
	Titles []string `json:"titles"`
}
