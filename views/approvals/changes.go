package approvals

import (
	"strings"
	"unicode"

	"polaris/views/layout"
)

// Passages are what an import does to a source, by citation key.
type Passages struct {
	Summary string   // "2 changed, 1 gained, 14 as they were"
	Fields  []string // "title: Old → New"
	Rows    []Change
	More    string // "and 1 204 more"; empty: all are listed
	MoreURL string // where all of them are; empty: nowhere
}

// A Change is what becomes of one citation key.
type Change struct {
	Key    string
	Status string // gained, lost, changed or moved
	To     string // key that the words of a moved passage have then
	Before []Word
	After  []Word
}

// A Word is a word with the space behind it.
type Word struct {
	Text    string
	Differs bool
}

// An Item is one thing that a publish changes.
type Item struct {
	What, Title, Status string
	URL                 string
	By                  []Maker
}

// A Maker changed it.
type Maker struct {
	Who, Through  string
	At            layout.When
	Authenticated bool
	ApprovedBy    string
}

func (w Word) letters() string { return strings.TrimRightFunc(w.Text, unicode.IsSpace) }

// space is what stands behind the letters, which is not marked.
func (w Word) space() string { return w.Text[len(w.letters()):] }

func (c Change) kind() layout.Kind {
	switch c.Status {
	case "gained":
		return layout.Good
	case "lost":
		return layout.Bad
	case "changed":
		return layout.Caution
	}
	return layout.Neutral
}

func statusKind(status string) layout.Kind { return Change{Status: status}.kind() }

// Compare returns both texts word by word, with those marked that differ.
func Compare(before, after string) (was, is []Word) {
	for _, l := range Diff(words(before), words(after)) {
		switch l.Sign {
		case '-':
			was = append(was, Word{l.Text, true})
		case '+':
			is = append(is, Word{l.Text, true})
		default:
			was, is = append(was, Word{l.Text, false}), append(is, Word{l.Text, false})
		}
	}
	return merged(was), merged(is)
}

// Plain returns a text as one word that differs in nothing.
func Plain(text string) []Word {
	if text == "" {
		return nil
	}
	return []Word{{Text: text}}
}

// words cuts a text behind each stretch of white space.
func words(s string) (all []string) {
	start, blank := 0, false
	for i, r := range s {
		space := unicode.IsSpace(r)
		if blank && !space {
			all = append(all, s[start:i])
			start = i
		}
		blank = space
	}
	if start < len(s) {
		all = append(all, s[start:])
	}
	return all
}

// merged joins neighbours that are alike, so that a page has fewer elements.
func merged(ws []Word) (all []Word) {
	for _, w := range ws {
		if n := len(all); n > 0 && all[n-1].Differs == w.Differs {
			all[n-1].Text += w.Text
			continue
		}
		all = append(all, w)
	}
	return all
}

// says names who, and by which way.
func (m Maker) says() string {
	s := m.Who + " " + m.Through
	if m.ApprovedBy != "" {
		s += ", approved by " + m.ApprovedBy
	}
	return strings.TrimSpace(s)
}
