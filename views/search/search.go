// Package search draws what was found by name: pages and acts, then the things
// of the brain. The dialog that every page has shows the same part.
package search

import "polaris/views/layout"

// A Page is what was found by a text.
type Page struct {
	Text    string
	Problem string // why nothing was looked for
	Groups  []Group
}

// A Group is what was found of one kind.
type Group struct {
	Title string
	Hits  []Hit
}

// A Hit is one thing.
type Hit struct {
	Name   string
	Note   string // what tells it from others of the name
	Quoted bool   // the note is a source's own text
	URL    string
}

func (p Page) state() string {
	if p.Text == "" {
		return "Pages, acts and the things of this brain, by name."
	}
	n := 0
	for _, g := range p.Groups {
		n += len(g.Hits)
	}
	return layout.Plural(n, "thing has", "things have") + " “" + p.Text + "” in their name."
}
