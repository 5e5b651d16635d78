// Package golden draws the questions that are asked before every publish: the
// list, the form that saves one, and what a candidate makes of them.
package golden

import (
	"strings"

	"polaris/views/form"
	"polaris/views/layout"
)

// Where the questions are, below the brain.
const (
	Path       = "/golden-questions"
	ReportPath = Path + "/report"
	NewPath    = Path + "/new"
)

// QuestionPath returns the page of one question.
func QuestionPath(id string) string { return Path + "/" + id }

// RemovalPath returns where one is deleted.
func RemovalPath(id string) string { return QuestionPath(id) + "/removal" }

// An Index is the golden questions of a brain.
type Index struct {
	Rows []Row
	May  bool // the reader changes them
}

// A Row is one golden question.
type Row struct {
	ID, Question string
	Topics       []string
	Expects      []string
	Updated      layout.When
	By           string
}

func (x Index) state() string {
	if len(x.Rows) == 0 {
		return "Questions that a version must answer well before it is published."
	}
	return layout.Plural(len(x.Rows), "question is", "questions are") + " asked of every candidate before it is published."
}

// A Form saves a question.
type Form struct {
	ID       string // empty: a new one
	Tag      string // of the revision that was seen
	Question form.Entry
	Expects  form.Entry // citation keys, one a line
	Topics   form.Entry // ids of topic cards, one a line
	Known    []string   // ids of topic cards that there are
	Problem  string
	Removing bool
	Answer   string // id of the answer that it comes from; empty for none
	Record   string // where that is
	Gap      bool   // the answer lacked something
}

// A Report is what a candidate makes of the questions.
type Report struct {
	Against string // "version 14"; empty: nothing is published
	Asked   int
	Failed  int
	Changed int
	Results []Result
}

// A Result is what became of one question.
type Result struct {
	ID, URL       string // URL: of the question; empty for none
	Question      string
	Before, After string // status of the guardrail
	Cites         []string
	Appeared      []string
	Vanished      []string
	Moved         []string // "HB 4.2(a) → HB 4.3(a)"
	Reworded      []string
	Missing       []string
}

// Summary says in a sentence what became of the questions.
func (r Report) Summary() string {
	if r.Asked == 0 {
		return "There are no golden questions."
	}
	s := layout.Plural(r.Asked, "question", "questions") + " asked"
	if r.Against != "" {
		s += ", against " + r.Against
	}
	parts := []string{}
	if r.Failed > 0 {
		parts = append(parts, layout.Number(r.Failed)+" without a citation that it must have")
	}
	if r.Changed > 0 {
		parts = append(parts, layout.Number(r.Changed)+" answered otherwise")
	}
	if len(parts) == 0 {
		return s + ". Each has what it must have, and nothing changed."
	}
	return s + ": " + strings.Join(parts, ", ") + "."
}

func (r Result) same() bool {
	return len(r.Appeared)+len(r.Vanished)+len(r.Moved)+len(r.Reworded) == 0 && (r.Before == "" || r.Before == r.After)
}

func word(status string) string {
	switch status {
	case "pass":
		return "grounded"
	case "block":
		return "refused"
	}
	return "disclaimed"
}

func kind(status string) layout.Kind {
	switch status {
	case "pass":
		return layout.Good
	case "block":
		return layout.Bad
	}
	return layout.Caution
}
