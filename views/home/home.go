// Package home draws a brain's first page: its state in one sentence, figures
// that lead to the lists behind them, what somebody should look at, what was
// asked and what nobody could answer. While the brain has not yet answered
// anybody, the steps of setting it up come first.
package home

import (
	"polaris/views/answers"
	"polaris/views/layout"
)

// A Page is a brain at a glance.
type Page struct {
	Name    string
	State   string // "Version 14 has been live for 6 days. The draft would change 3 sources."
	Action  layout.Link
	Figures []Figure
	Steps   []Step // while there is something left to set up

	Records  bool // what was asked is shown to this reader
	Chart    Chart
	Gaps     []Gap  // questions nobody could answer
	GapNote  string // why none can be listed; empty where they can
	Recent   []answers.Row
	Health   bool // the findings are shown to this reader
	Findings []Finding
	Clear    []string // what was looked for and not found, in words
	Reviews  []Review
}

// A Figure is a number that leads to the list behind it.
type Figure struct {
	Number string
	Text   string
	URL    string
	Hot    bool // it waits for the reader
}

// A Step is one part of setting a brain up.
type Step struct {
	Title   string
	Text    string
	Command string // for a terminal; empty where a link does it
	Link    layout.Link
	Done    bool
}

// A Gap is a question without a grounded answer.
type Gap struct {
	Question string
	Asked    string // "14 times"
	Last     layout.When
	URL      string // of the newest answer to it
	Fill     string // where one sets about it
}

// A Finding is something that somebody should look at.
type Finding struct {
	Kind layout.Kind
	N    string
	Text string // what of it there is, after the number
	URL  string
}

// A Review is a source that is to be looked at again.
type Review struct {
	Code, Title string
	Owner       string
	Due         string // "30 November 2026"
	Past        bool
	URL         string
}
