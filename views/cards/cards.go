// Package cards draws the topic cards: what kind of question each covers, and
// the passages that its answers turn on. A card is written beside what its
// anchors lead to, and tried before it is saved.
package cards

import (
	"polaris/views/form"
	"polaris/views/layout"
	"polaris/views/sources"
)

// Path is where the list is, below the brain. A card is below it, by id.
const Path = "/topic-cards"

// NewPath is where a card is written.
const NewPath = Path + "/new"

// CardPath returns the page of one card.
func CardPath(id string) string { return Path + "/" + id }

// RemovalPath returns where it is asked whether a card is to go.
func RemovalPath(id string) string { return CardPath(id) + "/removal" }

// UndoPath returns where the last change of a card is taken back.
func UndoPath(id string) string { return CardPath(id) + "/undo" }

// An Index is the list of cards.
type Index struct {
	Cards []Card
	State string // "2 topic cards, 1 anchor without text."
	Save  string // the command that saves one, for the empty list
	May   bool   // the reader writes cards
	Pages layout.Pages
}

// A Card is one topic card.
type Card struct {
	ID      string
	Label   string
	Covers  string
	Anchors []Anchor
	Updated layout.When
	By      string
	URL     string
	Shared  []layout.Link // other cards with one of its anchors
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

// support says in words whether the anchors have text.
func (c Card) support() (layout.Kind, string) {
	switch lost := c.lost(); {
	case lost == 0:
		return layout.Good, "supported"
	case lost == len(c.Anchors):
		return layout.Bad, "unsupported"
	default:
		return layout.Caution, "partly: " + layout.Plural(lost, "anchor without text", "anchors without text")
	}
}

// An Editor is one card as it is written, beside what it leads to.
type Editor struct {
	ID       string // empty: it is new
	May      bool   // the reader saves it; others read it
	Tag      string // of the revision that was opened
	Label    form.Entry
	Name     form.Entry // the id of a new card
	Covers   form.Entry
	Anchors  form.Entry // one on each line
	Problem  string
	Find     string // where a script completes keys
	Check    Check
	Question form.Entry
	Trial    Trial
	History  []sources.Change
	Undo     string // the last change, where the reader can take it back
	Updated  layout.When
	By       string
}

func (x Editor) to() string {
	if x.ID == "" {
		return Path
	}
	return CardPath(x.ID)
}

func (x Editor) title() string {
	switch {
	case x.ID == "":
		return "Write a topic card"
	case x.Label.Value == "":
		return x.ID
	}
	return x.Label.Value
}

// A Check is what the card's anchors lead to, and what it overlaps with.
type Check struct {
	Anchors  []AnchorCheck
	Overlaps []Overlap
}

func (c Check) state() (layout.Kind, string) {
	with := 0
	for _, a := range c.Anchors {
		if len(a.Passages) > 0 {
			with++
		}
	}
	switch {
	case len(c.Anchors) == 0:
		return layout.Neutral, "no anchors yet"
	case with == len(c.Anchors):
		return layout.Good, "supported: all anchors have text"
	case with == 0:
		return layout.Bad, "unsupported: no anchor has text"
	}
	return layout.Caution, "partly: " + layout.Plural(len(c.Anchors)-with, "anchor without text", "anchors without text")
}

// An AnchorCheck is what one anchor leads to.
type AnchorCheck struct {
	Key       string
	Problem   string
	Suspended bool
	Passages  []AnchorText
	Instead   []AnchorText // that could replace it
	Moved     bool         // the first of them has the words that it had
}

func (a AnchorCheck) says() string {
	switch {
	case a.Moved:
		return "The draft has no text under this key. Its words are under another one now:"
	case len(a.Instead) > 0:
		return "The draft has no text under this key. These passages could replace it:"
	}
	return "The draft has no text under this key, and nothing near it."
}

// An AnchorText is a passage as an anchor leads to it.
type AnchorText struct {
	Key   string
	Title string // of its source
	URL   string
	Text  string
}

// An Overlap is another card that would compete with this one.
type Overlap struct {
	Label string
	URL   string
	Why   string // "also anchored on HB 4.2(a)", "also covers: late, fee, charge"
}

// A Trial is a question with and without the card.
type Trial struct {
	Asked   bool
	Problem string
	Summary string // "With the card 1 more passage is cited, and none is lost."
	Without Answer
	With    Answer
}

// An Answer is what the draft made of a question.
type Answer struct {
	Kind    layout.Kind
	State   string // "grounded", "disclaimed"
	Text    []string
	Cites   []Cite
	Notices []string
}

// A Cite is one citation of a tried answer.
type Cite struct {
	N     string
	Key   string
	Title string
	URL   string
	Quote string
	Only  bool // the other answer does not have it
}

// A Removal asks whether a card is to go.
type Removal struct {
	ID, Label, Tag, Problem string
}

// arrow stands between an anchor and its replacement in what a form sends.
const arrow = " → "

// Replacement is what a form sends to put one anchor in the place of another.
func Replacement(old, by string) string { return old + arrow + by }
