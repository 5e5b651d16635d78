// Package ask draws the page on which a person asks the published version a
// question. The answer is a part of its own, swapped in by htmx and drawn with
// the page where there is no script.
package ask

import (
	"polaris/views/answers"
	"polaris/views/form"
)

// Path is where the page is, below the brain (GET: question to fill the box) and where the form
// is sent (POST: question, topic up to twice). A POST by htmx gets Answer
// alone.
const Path = "/ask"

// A Page is the form with its answer, if there is one.
type Page struct {
	State       string // "Answers from version 14, every sentence backed by a quote."
	Question    form.Entry
	MaxQuestion string // longest question, in characters
	Topics      []form.Choice
	Examples    []string // questions to begin with, shown while nothing was asked
	Panel       Panel
}

// A Panel is the answer beside its sources. The zero Panel is an empty place
// for the first one.
type Panel struct {
	Answered  bool
	Problem   string // what kept the question from being answered, in one sentence
	Body      answers.Body
	RecordURL string
	Acts      answers.Acts
	Gap       *answers.Gap // nil where it was answered
	Note      string       // "answered in 3 ms · no model"
}

func chosen(topics []form.Choice) bool {
	for _, t := range topics {
		if t.Chosen {
			return true
		}
	}
	return false
}
