// Package wiki makes the articles of one published version out of its
// documents: one for each source and each defined term, and one for each topic
// card.
//
// The articles quote; what they say in words of ours is where a quote stands
// and what it is connected with. Building a [Wiki] only names the articles,
// each is written when it is read. A Wiki is immutable.
package wiki

import (
	"fmt"
	"slices"
	"strings"

	"polaris/models"
	"polaris/models/fault"
)

// The categories, in the order of the index.
const (
	Sources = "Sources"
	Terms   = "Defined terms"
	Topics  = "Topics"
)

// A Wiki is the articles of one version.
type Wiki struct {
	corpus   *models.Corpus
	resolve  func(key string) []Place
	follow   func(doc int, x *models.Reference) []Place
	entries  []entry
	byTitle  map[string]int // folded title -> its place in entries
	sources  []string       // by document: the title of its article
	mentions mentions
}

// A Place is a passage, by its places in a corpus.
type Place struct{ Doc, Passage int }

// An entry is what an article is written from.
type entry struct {
	title    string
	category string
	doc      int     // of a source
	places   []Place // of a term: where it is defined
	card     int     // of a topic
}

// New names the articles of a corpus. Resolve leads from a citation key to its
// passages, follow from a reference of a document to what it cites.
func New(c *models.Corpus, resolve func(key string) []Place, follow func(doc int, x *models.Reference) []Place) *Wiki {
	w := &Wiki{corpus: c, resolve: resolve, follow: follow, byTitle: map[string]int{}}
	for d := range c.Docs {
		s := c.Docs[d].Source
		title := line(s.Title)
		if _, taken := w.byTitle[fold(title)]; taken || title == "" {
			title = strings.TrimSpace(fmt.Sprintf("%s (%s)", title, s.Code))
		}
		w.sources = append(w.sources, title)
		w.add(entry{title: title, category: Sources, doc: d})
	}
	for d := range c.Docs {
		for _, t := range c.Docs[d].Terms {
			w.addTerm(line(t.Name), Place{d, t.Ordinal})
		}
	}
	for i, t := range c.Cards {
		title := line(t.Label)
		if _, taken := w.byTitle[fold(title)]; taken {
			title += " (topic)"
		}
		w.add(entry{title: title, category: Topics, card: i})
	}
	w.mentions = newMentions(w.entries)
	return w
}

func (w *Wiki) add(e entry) {
	if _, taken := w.byTitle[fold(e.title)]; taken || e.title == "" {
		return
	}
	w.byTitle[fold(e.title)] = len(w.entries)
	w.entries = append(w.entries, e)
}

// addTerm adds a definition; a term that several documents define has one
// article with all of them.
func (w *Wiki) addTerm(name string, at Place) {
	if at.Passage < 0 || at.Passage >= len(w.corpus.Docs[at.Doc].Passages) {
		return
	}
	if i, ok := w.byTitle[fold(name)]; ok {
		if e := &w.entries[i]; e.category == Terms && !slices.Contains(e.places, at) {
			e.places = append(e.places, at)
		}
		return
	}
	w.add(entry{title: name, category: Terms, places: []Place{at}})
}

// Index returns the titles by category: sources in the order of the version,
// the others sorted. Categories without articles are left out.
func (w *Wiki) Index() []models.WikiCategory {
	out := []models.WikiCategory{}
	for _, name := range []string{Sources, Terms, Topics} {
		var titles []string
		for _, e := range w.entries {
			if e.category == name {
				titles = append(titles, e.title)
			}
		}
		if name != Sources {
			slices.SortFunc(titles, func(a, b string) int { return strings.Compare(fold(a), fold(b)) })
		}
		if titles != nil {
			out = append(out, models.WikiCategory{Name: name, Titles: titles})
		}
	}
	return out
}

// Article returns the article of that title, whatever its case. Where there is
// none it returns the nearest titles and a NotFound fault that names them.
func (w *Wiki) Article(title string) (*models.Article, []string, error) {
	i, ok := w.byTitle[fold(line(title))]
	if !ok {
		near := w.nearest(title)
		msg := "There is no article of that title."
		if len(near) > 0 {
			msg += " The nearest are: " + strings.Join(near, "; ") + "."
		}
		return nil, near, fault.New(fault.NotFound, "%s", msg)
	}
	e := w.entries[i]
	switch e.category {
	case Sources:
		return w.sourceArticle(e), nil, nil
	case Terms:
		return w.termArticle(e), nil, nil
	}
	return w.topicArticle(e), nil, nil
}

// Has reports whether there is an article of that title.
func (w *Wiki) Has(title string) bool { _, ok := w.byTitle[fold(title)]; return ok }

// Source returns the title of a document's article.
func (w *Wiki) Source(doc int) string { return w.sources[doc] }

func fold(s string) string { return strings.ToLower(s) }

// line makes s one line without control characters.
func line(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 }), " ")
}
