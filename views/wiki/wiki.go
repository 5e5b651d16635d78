// Package wiki draws what readers browse of the published version: the wiki's
// index by category, one article with its quotes, and a passage where it stands
// in its source.
package wiki

import (
	"net/url"

	"github.com/a-h/templ"

	"polaris/views/layout"
)

// Path is where the index is, below the brain. An article is below it, by its title.
const Path = "/wiki"

// ArticlePath returns the page of one article.
func ArticlePath(title string) string { return Path + "/" + url.PathEscape(title) }

// An Index lists the titles by category.
type Index struct {
	State      string // "84 articles of version 14."
	Categories []Category
	Notice     string // that parts of it are left out
	Query      string // what the titles were searched for; empty: all are shown
	All        int    // titles that there are
}

// A Category is one kind of articles.
type Category struct {
	Name   string
	Titles []string
}

// An Article is one page of the wiki.
type Article struct {
	Title    string
	Category string
	Version  string // "version 14"
	Parts    []Part
	Sources  []layout.Link // articles of the sources that it was taken from
	Related  []string      // titles
	Cards    []string      // titles of topic cards that are anchored on what it quotes
	Notice   string        // that parts of it are left out
	Ask      string        // where one asks about it
}

// A Part of an article is text of ours, or a quote. Body is HTML that has been
// made safe before it came here.
type Part struct {
	Body  templ.Component // nil for a quote
	Quote Quote
}

// A Quote is what an article quotes of a source.
type Quote struct {
	Source  string
	Key     string
	Locator string
	Text    string
	URL     string // where it is read in its source
}

// A Missing is a title that the wiki does not have, with the nearest it has.
type Missing struct {
	Title   string
	Nearest []string
}

// all is where the index is without a search; empty where there is none.
func all(f layout.Frame, query string) string {
	if query == "" {
		return ""
	}
	return f.At(Path)
}

func query(s string) string { return url.QueryEscape(s) }
