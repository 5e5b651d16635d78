package web

import (
	"net/http"
	"net/url"
	"strings"

	"polaris/models"
	"polaris/ops"
	"polaris/views/answers"
	"polaris/views/approvals"
	"polaris/views/ask"
	"polaris/views/brains"
	"polaris/views/cards"
	"polaris/views/golden"
	"polaris/views/keys"
	"polaris/views/layout"
	"polaris/views/members"
	"polaris/views/search"
	"polaris/views/sources"
	"polaris/views/versions"
	"polaris/views/wiki"
)

// search finds pages, acts and things by name: as a page, and for the dialog as
// the part that it swaps in.
func (s *Server) search(p *page) error {
	in := ops.SearchIn{Text: p.QueryParam("q")}
	hits, err := ops.Do(p.ctx(), s.desk, p.call(), ops.Search, in)
	r, wrong := refused(err)
	if err != nil && !wrong {
		return err
	}
	f := p.frame()
	v := search.Page{Text: strings.TrimSpace(in.Text), Problem: r.rest(), Groups: append(commands(p, f, in.Text), hitGroups(p, hits.Hits)...)}
	if p.Request().Header.Get("HX-Request") == "true" {
		return render(p.Context, http.StatusOK, never, search.Found(v)) // a refusal, too, is what was found
	}
	return render(p.Context, r.status(), privately, search.SearchPage(f, v))
}

// hitGroups puts what was found under the names of its kinds.
func hitGroups(p *page, hits []ops.Hit) (groups []search.Group) {
	titles := map[ops.HitKind]string{ops.HitSource: "Sources", ops.HitCard: "Topic cards", ops.HitPassage: "Passages", ops.HitArticle: "Wiki", ops.HitRecommendation: "Changes"}
	for _, h := range hits {
		title := titles[h.Kind]
		if n := len(groups); n == 0 || groups[n-1].Title != title {
			groups = append(groups, search.Group{Title: title})
		}
		g := &groups[len(groups)-1]
		g.Hits = append(g.Hits, hitOf(p, h))
	}
	return groups
}

func hitOf(p *page, h ops.Hit) search.Hit {
	x := search.Hit{Name: h.Name, Note: h.Note}
	switch h.Kind {
	case ops.HitSource:
		x.URL = p.at(sources.Path + "/" + url.PathEscape(h.ID))
	case ops.HitCard:
		x.URL = p.at(cards.Path + "/" + url.PathEscape(h.ID))
	case ops.HitPassage:
		x.URL, x.Quoted = p.at(sources.Path+"/"+url.PathEscape(h.In)+"?"+url.Values{"key": {h.ID}}.Encode()), true
	case ops.HitArticle:
		x.URL = p.at(wiki.Path + "/" + url.PathEscape(h.ID))
	case ops.HitRecommendation:
		x.URL, x.Name = p.at(approvals.ReviewPath(h.ID)), operationTitle(h.Name)
	}
	return x
}

// commands are the pages that this reader may open and the acts that they may
// do, those with the text in their name.
func commands(p *page, f layout.Frame, text string) (groups []search.Group) {
	text = strings.ToLower(strings.TrimSpace(text))
	fits := func(name string) bool { return strings.Contains(strings.ToLower(name), text) }
	var pages, acts search.Group
	pages.Title, acts.Title = "Pages", "Acts"
	for _, section := range f.Nav {
		for _, it := range section.Items {
			if fits(it.Label) {
				pages.Hits = append(pages.Hits, search.Hit{Name: it.Label, URL: it.URL})
			}
		}
	}
	for _, b := range f.Brains {
		if text != "" && fits(b.ID) {
			pages.Hits = append(pages.Hits, search.Hit{Name: b.ID, Note: "another brain, " + b.Version, URL: b.URL})
		}
	}
	for _, a := range actsOf(p) {
		if p.by.May(a.needs) && fits(a.name) {
			acts.Hits = append(acts.Hits, search.Hit{Name: a.name, URL: a.url})
		}
	}
	for _, g := range []search.Group{pages, acts} {
		if len(g.Hits) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

// An act is something to do, at the page where it is done.
type act struct {
	name, url string
	needs     models.Right
}

func actsOf(p *page) []act {
	return []act{
		{"Ask a question", p.at(ask.Path), models.MayAsk},
		{"Import documents", p.at(sources.Path), models.MayEditDraft},
		{"Write a topic card", p.at(cards.Path + "/new"), models.MayEditDraft},
		{"Publish the draft", p.at(versions.Path), models.MayPublish},
		{"Compare the draft with what is published", p.at(versions.DiffPath), models.MayReadDraft},
		{"Save a golden question", p.at(golden.NewPath), models.MayEditDraft},
		{"Run the golden questions on the draft", p.at(golden.ReportPath), models.MayReadDraft},
		{"Decide on what waits", p.at(approvals.Path), models.MayReadDraft},
		{"See what you proposed", p.at(approvals.Path + "?mine=yes&state=all"), models.MayReadDraft},
		{"Find an answer", p.at(answers.Path), models.MayReadRecords},
		{"Create an API key", p.at(keys.NewPath), models.MayKeys},
		{"Add a member or change roles", p.at(members.Path), models.MayMembers},
		{"Create a brain", brains.NewPath, models.MayAdminister},
	}
}
