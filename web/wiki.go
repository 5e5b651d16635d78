package web

import (
	"errors"
	"net/http"
	"strings"

	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/layout"
	"polaris/views/wiki"
)

func (s *Server) wikiIndex(p *page) error {
	w, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ReadWiki, ops.ReadWikiIn{})
	if err != nil {
		return err
	}
	x, n := wiki.Index{Notice: wikiNotice(p, w.Notice)}, 0
	for _, c := range w.Categories {
		x.Categories = append(x.Categories, wiki.Category{Name: c.Name, Titles: c.Titles})
		n += len(c.Titles)
	}
	if n > 0 {
		x.State = layout.Plural(n, "article", "articles") + " of version " + layout.Number(p.by.Published) + "."
	}
	return p.show(wiki.IndexPage(p.frame(), x))
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
	a := wiki.Article{Title: w.Title, Category: w.Category, Version: "version " + layout.Number(p.by.Published), Body: markdown(strings.TrimPrefix(w.Markdown, "# "+w.Title)), Related: w.Related, Notice: wikiNotice(p, w.Notice)}
	for _, key := range w.Sources {
		a.Sources = append(a.Sources, layout.Link{Text: key})
	}
	return p.show(wiki.ArticlePage(p.frame(), a))
}

// wikiNotice says that parts of the wiki are left out. Where nothing is published
// the page says that itself.
func wikiNotice(p *page, notice string) string {
	if len(p.by.Suspended) == 0 {
		return ""
	}
	return notice
}
