// Package problem draws errors: what happened in plain words, and what to do.
package problem

import "polaris/views/layout"

// A Problem is an error as its reader needs it. It never holds the text of an
// internal error.
type Problem struct {
	Status    string // "404"
	Title     string // "There is no such page"
	Text      string // one sentence more
	Do        []layout.Link
	RequestID string // to be named to an operator
	SignedIn  bool   // draw it inside the frame
}
