// Package answers draws answers: the list of those served, one answer's record
// with everything it stands on, and the body that the Ask page shows as well.
//
// What a source said is in serif with its quote marked; what Polaris says about
// it is in sans. The markers [n] of an answer's text lead to the citations of
// the same number; a marker without one stays plain text.
package answers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"polaris/views/form"
	"polaris/views/layout"
	"polaris/views/quote"
)

// Path is where the list is, below the brain. A record is below it.
const Path = "/answers"

// RecordPath returns the page of one answer.
func RecordPath(id string) string { return Path + "/" + id }

// ReplayPath returns where one answer is replayed.
func ReplayPath(id string) string { return RecordPath(id) + "/replay" }

// A Body is an answer as it was given.
type Body struct {
	Text       string // with markers [1]; empty where there is none
	Rendered   string // Markdown with its sources, to be copied; empty: Text
	Guardrail  Guardrail
	Confidence float64 // 0 to 1
	Cites      []Cite
	Notices    []string
	Steps      []Step
}

// A Step is one thing that was done to answer, and what it brought.
type Step struct {
	Did     string // "Looked up the keys that the question names"
	Brought string // "1 passage: HB 4.2(a)"
}

// Acts are what a reader does with an answer. Each is an address; empty for who
// may not.
type Acts struct {
	Golden string // it becomes a golden question
	Gap    string // what it lacks is told
}

// A Gap is what is offered where a question was not answered.
type Gap struct {
	Sought []string // what was looked for, in sentences
	Draft  string   // that the draft answers it; empty: it does not, or nobody looked
	Cites  []layout.Link
	Acts   []layout.Link // what fills the gap; the first does it best
	Note   string        // for who may do none of it
}

// A Guardrail says how far an answer may be trusted.
type Guardrail struct {
	Status  string   // pass, disclaim or block
	Reasons []string // codes, such as "no_published_version"
}

// A Cite is one citation with the text around it.
type Cite struct {
	N        int
	Key      string // "HB 4.2(a)"
	Title    string // of the source
	Locator  string
	Before   string // of the passage, up to the quote
	Quote    string
	After    string
	Method   string // entailment, lexical, lexical_fallback or unverified
	Verified bool
	Why      string // what brought the passage
	URL      string // of the passage where it stands, with the quote marked; empty where there is none
	Revision int
	Span     string // "bytes 2 310 to 2 384"
	Origin   string // where the source was taken from
	Off      bool   // its source, or the passage, is suspended now
}

// A Record is an answer with its proof.
type Record struct {
	ID       string
	Question string
	At       layout.When
	Intact   bool        // the record and its quotes are what they were when served
	Version  string      // "version 14"
	VerURL   string      // empty where the reader may not open it
	Released string      // who published it and when; empty where nobody did
	Decided  []string    // who proposed and who approved the version, each in words
	Review   layout.Link // where that was decided; zero where the reader may not open it
	Stamp    string      // that nobody else was asked; empty where somebody was
	Gone     string      // why question and answer are not kept; empty: they are
	Replay   string      // where it is replayed; empty where the reader may not
	Replayed *Replay     // what came of it; nil: it was not
	Body     Body
	Acts     Acts
	Gap      *Gap // nil where it was answered

	Actor, Key, Owner, Surface string
	Engine                     string
	Topics, Ignored            []string // labels of the topic cards used, ids ignored
	Latency                    string
	RecordURL                  string // absolute, as the answer carried it
	JSONURL                    string
	Chain                      Chain
}

// A Replay is what asking again, and holding the record against all that it
// stands on, brought.
type Replay struct {
	Intact, Reproduced bool
	Then, Now          string // engines
	Findings           []string
}

func (r Replay) engines() string {
	if r.Then == r.Now {
		return "Engine then and now: " + r.Now + "."
	}
	return "Engine then: " + r.Then + ". Engine now: " + r.Now + "."
}

func (r Replay) says() string {
	switch {
	case r.Intact && r.Reproduced:
		return "Its quotes, revisions and place in the chain still match, and the same engine gives the same answer again."
	case r.Intact:
		return "Its quotes, revisions and place in the chain still match. The answer did not come again as it was; below is why."
	}
	return "Something that this answer stands on is not what it was."
}

// A Chain is the answer's place in the brain's audit chain.
type Chain struct {
	Seq    string // "1 042"
	Hash   string // hexadecimal
	Sealed bool   // false for the second or so until the sealer has come by
}

// An Index is the list of answers, the newest first.
type Index struct {
	Rows  []Row
	State string // "1 284 answers in all."
	Older string // URL of the next page; empty on the last
	Newer string
	Ask   bool // the reader may ask

	Filter   Filter
	Filtered bool // some of the filter is set
}

// A Filter is what the list was narrowed to, as it was typed.
type Filter struct {
	Text, From, To, Key, Source form.Entry

	Guardrails []form.Choice
	Sources    []string // codes that there are
	Problem    string
}

// A Row is one answer in a list.
type Row struct {
	URL       string // of its record
	Question  string
	Guardrail Guardrail
	Who       string
	Surface   string
	At        layout.When
}

// A paragraph of an answer's text.
type paragraph []piece

// A piece of a paragraph: words, or a marker.
type piece struct {
	text string
	cite *Cite // of the marker; nil for words
}

// paragraphs splits an answer's text into paragraphs of words and markers. Only
// numbers that a citation has count as markers.
func (b Body) paragraphs() []paragraph {
	known := map[int]*Cite{}
	for i := range b.Cites {
		known[b.Cites[i].N] = &b.Cites[i]
	}
	var all []paragraph
	for p := range strings.SplitSeq(b.Text, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			all = append(all, pieces(p, known))
		}
	}
	return all
}

// table reports whether the paragraph quotes a table.
func (p paragraph) table() bool {
	return slices.ContainsFunc(p, func(x piece) bool { return quote.Table(x.text) })
}

func pieces(text string, known map[int]*Cite) paragraph {
	var out paragraph
	from := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '[' {
			continue
		}
		end := strings.IndexByte(text[i:], ']')
		if end < 0 {
			break
		}
		n, err := strconv.Atoi(text[i+1 : i+end])
		if err != nil || known[n] == nil {
			continue
		}
		if words := strings.TrimRight(text[from:i], " "); words != "" {
			out = append(out, piece{text: words})
		}
		out = append(out, piece{cite: known[n]})
		i += end
		from = i + 1
	}
	if from < len(text) {
		out = append(out, piece{text: text[from:]})
	}
	return out
}

// word and kind name a guardrail for the reader.
func (g Guardrail) word() string {
	switch g.Status {
	case "pass":
		return "grounded"
	case "block":
		return "refused"
	}
	return "disclaimed"
}

func (g Guardrail) kind() layout.Kind {
	switch g.Status {
	case "pass":
		return layout.Good
	case "block":
		return layout.Bad
	}
	return layout.Caution
}

var reasonWords = map[string]string{
	"no_evidence":          "Nothing in the published version bears on the question.",
	"weak_evidence":        "What was found bears on the question too weakly to stand on.",
	"no_published_version": "This brain has no published version yet.",
	"refused_topic":        "The policy of this brain refuses the subject.",
	"source_suspended":     "A source that the answer needs is suspended.",
	"unverified":           "A sentence could not be held against its quote.",
	"policy":               "The policy of this brain refuses the question.",
}

// words returns the reasons as sentences, for answers that do not say so
// themselves. A code that has none is shown as it is.
func (g Guardrail) words() []string {
	var all []string
	for _, r := range g.Reasons {
		if w, ok := reasonWords[r]; ok {
			r = w
		}
		all = append(all, r)
	}
	return all
}

// markdown is what the copy button takes.
func (b Body) markdown() string {
	if b.Rendered != "" {
		return b.Rendered
	}
	return b.Text
}

// verified counts the citations that hold.
func (b Body) verified() string {
	n := 0
	for _, c := range b.Cites {
		if c.Verified {
			n++
		}
	}
	return fmt.Sprintf("%d of %d quotes verified", n, len(b.Cites))
}

func (c Cite) check() string {
	if !c.Verified {
		return "not verified"
	}
	switch c.Method {
	case "entailment":
		return "entailed"
	case "lexical":
		return "verbatim"
	}
	return "verified"
}

func (c Cite) checkKind() layout.Kind {
	if c.Verified {
		return layout.Good
	}
	return layout.Caution
}

// source is the line beside a citation's key. A locator that the key repeats
// ("4.2(a)" in "HB 4.2(a)") is left out.
func (c Cite) source() string {
	if c.Locator == "" || strings.HasSuffix(c.Key, c.Locator) {
		return c.Title
	}
	return c.Title + " · " + c.Locator
}

func (c Cite) provenance() string {
	s := "revision " + strconv.Itoa(c.Revision) + ", " + c.Span
	if c.Origin != "" {
		s += ", from " + c.Origin
	}
	return s
}

func (r Record) served() string {
	if r.Latency == "" {
		return r.At.Full
	}
	return r.At.Full + ", in " + r.Latency
}

func citeID(n int) string { return "cite-" + strconv.Itoa(n) }

// ratio writes a share as the meter and the text beside it need it.
func ratio(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

// badge says at the sentence whether it holds.
func (c Cite) badge() string {
	if c.Verified {
		return "✓"
	}
	return "?"
}

func (c Cite) label() string {
	return "Source " + strconv.Itoa(c.N) + ", " + c.Key + ": " + c.check()
}
