// Package wiki draws the published wiki: its index by category, and one
// article.
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
}

// A Category is one kind of articles.
type Category struct {
	Name   string
	Titles []string
}

// An Article is one page of the wiki. Body is HTML that has been made safe
// before it came here.
type Article struct {
	Title    string
	Category string
	Version  string // "version 14"
	Body     templ.Component
	Sources  []layout.Link // passages that it was taken from
	Related  []string      // titles
	Notice   string        // that parts of it are left out
}

// A Missing is a title that the wiki does not have, with the nearest it has.
type Missing struct {
	Title   string
	Nearest []string
}
