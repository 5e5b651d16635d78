package wiki

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"polaris/models"
)

// Bounds of an article; what is beyond them is a page of the sources themselves.
const (
	maxOutline = 200
	maxUses    = 20
	maxQuote   = 8 << 10 // bytes of one definition or opening
)

// sourceArticle shows where a source is from, how it opens, and its outline.
func (w *Wiki) sourceArticle(e entry) *models.Article {
	doc := &w.corpus.Docs[e.doc]
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", e.title)
	about := []string{"Code " + doc.Source.Code, fmt.Sprintf("revision %d", doc.Revision.N)}
	if doc.Source.Jurisdiction != "" {
		about = append(about, line(doc.Source.Jurisdiction))
	}
	if doc.Source.OriginURL != "" {
		about = append(about, "<"+line(doc.Source.OriginURL)+">")
	}
	fmt.Fprintf(&b, "\n%s\n", strings.Join(about, " · "))
	var quotes []models.ArticleQuote
	for i, p := range doc.Passages {
		if p.Kind != models.Section && p.End > p.Start {
			b.WriteString("\n## Opening\n")
			quotes = append(quotes, w.quote(&b, Place{e.doc, i}, p.End))
			break
		}
	}
	outline(&b, doc)
	var terms []string
	for _, t := range doc.Terms {
		if name := line(t.Name); !slices.Contains(terms, name) {
			terms = append(terms, name)
		}
	}
	return &models.Article{Title: e.title, Category: Sources, Markdown: b.String(), Sources: []string{e.title}, Related: list(terms), Quotes: quotes}
}

// outline lists the headings of a document, indented as they nest.
func outline(b *strings.Builder, doc *models.Doc) {
	depth := make([]int, len(doc.Passages))
	n := 0
	for i, p := range doc.Passages {
		if p.Parent >= 0 && p.Parent < i {
			depth[i] = depth[p.Parent]
		}
		if p.Kind != models.Section {
			continue
		}
		if n == 0 {
			b.WriteString("\n## Outline\n\n")
		}
		if n++; n > maxOutline {
			b.WriteString("- …\n")
			return
		}
		fmt.Fprintf(b, "%s- %s\n", strings.Repeat("  ", depth[i]), line(doc.Revision.Text[p.Start:p.End]))
		depth[i]++
	}
}

// termArticle quotes every definition of a term, what it refers to, and where
// the term is used.
func (w *Wiki) termArticle(e entry) *models.Article {
	a := &models.Article{Title: e.title, Category: Terms}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", e.title)
	for _, at := range e.places {
		p := w.passage(at)
		fmt.Fprintf(&b, "\n**%s**, %s\n", w.sources[at.Doc], p.Locator)
		a.Quotes = append(a.Quotes, w.quote(&b, at, p.SpanEnd))
		text := w.text(at, p.SpanEnd)
		w.references(&b, at, p)
		a.Related = append(a.Related, w.Mentioned(text, 12)...)
		a.Sources = append(a.Sources, w.sources[at.Doc])
	}
	if uses := w.uses(e); len(uses) > 0 {
		fmt.Fprintf(&b, "\n## Used in\n\n%s\n", strings.Join(uses, ", "))
	}
	a.Markdown, a.Sources = b.String(), list(unique(a.Sources))
	a.Related = list(slices.DeleteFunc(unique(a.Related), func(t string) bool { return t == e.title }))
	return a
}

// references lists the provisions of this version that a passage, with those
// below it, cites.
func (w *Wiki) references(b *strings.Builder, at Place, p *models.Passage) {
	var keys []string
	refs := w.corpus.Docs[at.Doc].Refs
	for i, _ := slices.BinarySearchFunc(refs, at.Passage, func(x models.Reference, n int) int { return cmp.Compare(x.From, n) }); i < len(refs) && refs[i].Start < p.SpanEnd; i++ {
		for _, to := range w.follow(at.Doc, &refs[i]) {
			if k := w.passage(to).Key; k != p.Key && !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	if len(keys) > 0 {
		fmt.Fprintf(b, "\nRefers to %s.\n", strings.Join(keys, ", "))
	}
}

// uses returns the locators of passages, in the documents that define a term,
// that use it.
func (w *Wiki) uses(e entry) (out []string) {
	for _, at := range e.places {
		doc := &w.corpus.Docs[at.Doc]
		for i, p := range doc.Passages {
			if i == at.Passage || len(out) >= maxUses {
				continue
			}
			if slices.Contains(w.Mentioned(doc.Revision.Text[p.Start:p.End], 0), e.title) {
				out = append(out, line(p.Locator))
			}
		}
	}
	return unique(out)
}

// topicArticle shows a topic card, and quotes what it is anchored on.
func (w *Wiki) topicArticle(e entry) *models.Article {
	c := &w.corpus.Cards[e.card]
	a := &models.Article{Title: e.title, Category: Topics}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", e.title, line(c.Covers))
	for _, key := range c.Anchors {
		places := w.resolve(key)
		if len(places) == 0 {
			fmt.Fprintf(&b, "\n**%s** is not in this version.\n", line(key))
		}
		for _, at := range places {
			p := w.passage(at)
			fmt.Fprintf(&b, "\n**%s**, %s\n", w.sources[at.Doc], p.Locator)
			a.Quotes = append(a.Quotes, w.quote(&b, at, p.SpanEnd))
			a.Sources = append(a.Sources, w.sources[at.Doc])
			a.Related = append(a.Related, w.Mentioned(w.text(at, p.SpanEnd), 12)...)
		}
	}
	a.Markdown, a.Sources, a.Related = b.String(), list(unique(a.Sources)), list(unique(a.Related))
	return a
}

func (w *Wiki) passage(at Place) *models.Passage { return &w.corpus.Docs[at.Doc].Passages[at.Passage] }

func (w *Wiki) text(at Place, end int) string {
	return w.corpus.Docs[at.Doc].Revision.Text[w.passage(at).Start:end]
}

// quote writes the passage from its start to end as a block quote, up to the
// passage that would make it too long, and returns what it quoted.
func (w *Wiki) quote(b *strings.Builder, at Place, end int) models.ArticleQuote {
	start, cut := w.passage(at).Start, end
	if end-start > maxQuote {
		cut = w.passage(at).End
		doc := &w.corpus.Docs[at.Doc]
		for i := at.Passage + 1; i < len(doc.Passages) && doc.Passages[i].End-start <= maxQuote && doc.Passages[i].End <= end; i++ {
			cut = max(cut, doc.Passages[i].End)
		}
	}
	b.WriteByte('\n')
	for l := range strings.Lines(w.text(at, cut)) {
		b.WriteString("> " + strings.TrimRight(l, "\r\n") + "\n")
	}
	if cut < end {
		fmt.Fprintf(b, "\nIt goes on for %d bytes: ask for %s.\n", end-cut, w.passage(at).Key)
	}
	return models.ArticleQuote{Source: w.sources[at.Doc], Key: w.passage(at).Key, Locator: w.passage(at).Locator, Text: w.text(at, cut)}
}

func unique(in []string) []string {
	var out []string
	for _, s := range in {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// list makes nil an empty list, which is what JSON readers expect.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
