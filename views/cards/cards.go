// Package cards draws the topic cards: what kind of question each covers, and
// the passages that its answers turn on.
package cards

import "polaris/views/layout"

// Path is where the list is, below the brain.
const Path = "/topic-cards"

// An Index is the list of cards.
type Index struct {
	Cards []Card
	State string // "2 topic cards, 1 anchor without text."
	Save  string // the command that saves one, for the empty list
}

// A Card is one topic card.
type Card struct {
	ID      string
	Label   string
	Covers  string
	Anchors []Anchor
	Updated layout.When
	By      string
}

// An Anchor is a citation key that a card names.
type Anchor struct {
	Key       string
	URL       string // of the passage; empty where there is none
	Supported bool   // the corpus has text under this key
}

func (c Card) lost() int {
	n := 0
	for _, a := range c.Anchors {
		if !a.Supported {
			n++
		}
	}
	return n
}
