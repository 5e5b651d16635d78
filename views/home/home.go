// Package home draws a brain's first page: its state in one sentence, figures
// that lead to the lists behind them, and the next step. While the brain has
// not yet answered anybody, the steps of setting it up take the place of the
// figures.
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
	Steps   []Step        // while there is something left to set up
	Recent  []answers.Row // the latest answers
	Gaps    []Gap         // questions nobody could answer
}

// A Figure is a number that leads to the list behind it.
type Figure struct {
	Number string
	Text   string
	URL    string
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
	Asked    string // how often
	URL      string // of the answers to it
}
