package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/layout"
	"polaris/views/sources"
	"polaris/views/wiki"
)

func (s *Server) wikiIndex(p *page) error {
	w, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ReadWiki, ops.ReadWikiIn{})
	if err != nil {
		return err
	}
	x, n := wiki.Index{Notice: wikiNotice(p, w.Notice), Query: strings.TrimSpace(p.QueryParam("q"))}, 0
	for _, c := range w.Categories {
		x.All += len(c.Titles)
		if c.Titles = titled(c.Titles, x.Query); len(c.Titles) > 0 {
			x.Categories = append(x.Categories, wiki.Category{Name: c.Name, Titles: c.Titles})
			n += len(c.Titles)
		}
	}
	switch version := "version " + layout.Number(p.by.Published); {
	case x.Query != "" && x.All > 0:
		x.State = layout.Plural(n, "title", "titles") + " of " + layout.Number(x.All) + " in " + version + "."
	case n > 0:
		x.State = layout.Plural(n, "article", "articles") + " of " + version + "."
	}
	return p.show(wiki.IndexPage(p.frame(), x))
}

// titled are the titles that have each word of a search.
func titled(titles []string, query string) (fit []string) {
	words := strings.Fields(strings.ToLower(query))
	for _, t := range titles {
		low := strings.ToLower(t)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(low, w) }) {
			fit = append(fit, t)
		}
	}
	return fit
}

func (s *Server) wikiArticle(p *page) error {
	title, err := param(p.Context, "title")
	if err != nil {
		return err
	}
	w, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ReadWiki, ops.ReadWikiIn{Entity: title})
	if none, ok := errors.AsType[*ops.NoArticleError](err); ok {
		return render(p.Context, http.StatusNotFound, privately, wiki.MissingPage(p.frame(), wiki.Missing{Title: title, Nearest: none.Nearest}))
	}
	if err != nil {
		return err
	}
	if w.Title == "" {
		return fault.New(fault.NotFound, "%s", w.Notice)
	}
	a := wiki.Article{
		Title: w.Title, Category: w.Category, Version: "version " + layout.Number(p.by.Published), Parts: articleParts(p, w), Related: w.Related, Notice: wikiNotice(p, w.Notice),
		Ask: p.at("/ask") + "?" + url.Values{"question": {"What does " + w.Title + " mean?"}}.Encode(),
	}
	for _, title := range w.Sources {
		src := layout.Link{Text: title}
		if title != w.Title {
			src.URL = p.at(wiki.ArticlePath(title))
		}
		a.Sources = append(a.Sources, src)
	}
	if a.Cards, err = s.cardsOn(p, w); err != nil {
		return err
	}
	a.Related = slices.DeleteFunc(slices.Clone(a.Related), func(t string) bool { return slices.Contains(a.Cards, t) })
	return p.show(wiki.ArticlePage(p.frame(), a))
}

// articleParts takes the block quotes out of an article's text, where they are
// Markdown, and puts what they quote in their place.
func articleParts(p *page, w ops.WikiPage) (parts []wiki.Part) {
	var ours []string
	flush := func() {
		if text := strings.TrimSpace(strings.Join(ours, "")); text != "" {
			parts = append(parts, wiki.Part{Body: markdown(text)})
		}
		ours = nil
	}
	lines, n := slices.Collect(strings.Lines(strings.TrimPrefix(w.Markdown, "# "+w.Title))), 0
	for i := 0; i < len(lines); i++ {
		if !strings.HasPrefix(lines[i], "> ") || n == len(w.Quotes) {
			ours = append(ours, lines[i])
			continue
		}
		q := w.Quotes[n]
		n++
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], ">") {
			i++
		}
		// The line that names the source is told below the quote.
		for k := len(ours) - 1; k >= 0 && k >= len(ours)-2; k-- {
			if strings.TrimSpace(ours[k]) == "**"+q.Source+"**, "+q.Locator {
				ours = ours[:k]
				break
			}
		}
		flush()
		parts = append(parts, wiki.Part{Quote: wiki.Quote{Source: q.Source, Key: q.Key, Locator: q.Locator, Text: q.Text, URL: p.at(wiki.ReadingURL(q.Key))}})
	}
	flush()
	return parts
}

// cardsOn are the topic cards with an anchor among what an article quotes.
func (s *Server) cardsOn(p *page, w ops.WikiPage) (titles []string, err error) {
	if len(w.Quotes) == 0 {
		return nil, nil
	}
	l, err := ops.Do(p.ctx(), s.desk, p.call(), ops.TopicCards, ops.None{})
	for _, t := range l.Topics {
		on := slices.ContainsFunc(w.Quotes, func(q models.ArticleQuote) bool { return slices.Contains(t.Anchors, q.Key) })
		if on && t.Label != w.Title {
			titles = append(titles, t.Label)
		}
	}
	return titles, err
}

// wikiNotice says that parts of the wiki are left out. Where nothing is published
// the page says that itself.
func wikiNotice(p *page, notice string) string {
	if len(p.by.Suspended) == 0 {
		return ""
	}
	return notice
}

// readPassage shows a passage of the published version in the text around it,
// with a quote of it marked.
func (s *Server) readPassage(p *page) error {
	in := ops.ReadPassageIn{Key: p.QueryParam("key")}
	v, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ReadPassage, in)
	if err != nil {
		return err
	}
	from, _ := strconv.Atoi(p.QueryParam("from"))
	to, _ := strconv.Atoi(p.QueryParam("to"))
	r := wiki.Reading{
		Key: v.Passages[v.At].Key, Title: v.Title, Origin: v.Origin, Notice: wikiNotice(p, v.Notice),
		State: "Revision " + strconv.Itoa(v.Revision) + ", as of version " + layout.Number(v.Version) + ".",
	}
	same := p.QueryParam("revision") == strconv.Itoa(v.Revision)
	marked := false
	for i, ps := range v.Passages {
		row := wiki.ReadingRow{Key: ps.Key, URL: p.at(wiki.ReadingURL(ps.Key)), Head: ps.Heading, Here: i == v.At, Before: ps.Text}
		if ps.Depth > 0 {
			row.Depth = "in" + strconv.Itoa(min(ps.Depth, 2))
		}
		if a, b := max(from, ps.Start)-ps.Start, min(to, ps.Start+len(ps.Text))-ps.Start; same && a < b && onRunes(ps.Text, a, b) {
			row.Before, row.Mark, row.After, marked = ps.Text[:a], ps.Text[a:b], ps.Text[b:], true
		}
		r.Rows = append(r.Rows, row)
	}
	r.Moved = to > from && !marked
	if v.Before {
		r.Before = p.at(wiki.ReadingURL(v.Passages[0].Key))
	}
	if v.After {
		r.After = p.at(wiki.ReadingURL(v.Passages[len(v.Passages)-1].Key))
	}
	if p.by.May(models.MayReadDraft) {
		r.Source = layout.Link{Text: "Open the whole source", URL: p.at(sources.SourcePath(v.Code)) + "?key=" + url.QueryEscape(v.Passages[v.At].Key)}
	}
	return p.show(wiki.ReadingPage(p.frame(), r))
}

// onRunes reports whether text can be cut at both places.
func onRunes(text string, places ...int) bool {
	return !slices.ContainsFunc(places, func(at int) bool { return at < len(text) && text[at]&0xC0 == 0x80 })
}
