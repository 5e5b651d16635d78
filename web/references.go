package web

import (
	"net/url"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"polaris/ops"
	"polaris/views/layout"
	"polaris/views/sources"
)

// listBrokenRefs shows the references that lead nowhere.
func (s *Server) listBrokenRefs(p *page) error {
	in := ops.BrokenRefsIn{Source: p.QueryParam("source"), Outside: p.QueryParam("outside") == "true", Page: ops.Page{Cursor: p.QueryParam("cursor")}}
	l, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ListBrokenRefs, in)
	if err != nil {
		return err
	}
	n := sources.Nowhere{Source: in.Source, Outside: in.Outside}
	at := p.at(sources.NowherePath(in.Source, in.Outside))
	if in.Cursor != "" {
		n.First = at
	}
	if l.NextCursor != "" {
		join := "?"
		if strings.Contains(at, "?") {
			join = "&"
		}
		n.Next = at + join + url.Values{"cursor": {l.NextCursor}}.Encode()
	}
	for _, r := range l.References {
		n.Rows = append(n.Rows, sources.Dangling{Code: r.Code, From: r.From, URL: sources.KeyPath(r.Code, r.From), Key: r.Key, Of: r.Of})
	}
	return p.show(sources.NowherePage(p.frame(), n))
}

// citesOf draws what a passage cites: each place that a reference leads to, or
// why it leads nowhere.
func citesOf(refs []ops.PassageRef) (cs []sources.Cite) {
	for _, r := range refs {
		for _, to := range r.To {
			cs = append(cs, sources.Cite{Text: to.Key, URL: sources.KeyPath(to.Code, to.Key)})
		}
		what := r.Key
		if r.Of != "" {
			what += " of " + r.Of
		}
		switch r.State {
		case ops.RefBroken:
			cs = append(cs, sources.Cite{Text: what, Note: "broken: there is no such passage"})
		case ops.RefOutside:
			cs = append(cs, sources.Cite{Text: what, Note: "not in this brain"})
		}
	}
	return cs
}

// citedBy draws what cites a passage, and says how many do.
func citedBy(by *ops.ReferredBy) (cs []sources.Cite, lead string) {
	if by == nil {
		return nil, ""
	}
	for _, from := range by.From {
		cs = append(cs, sources.Cite{Text: from.Key, URL: sources.KeyPath(from.Code, from.Key)})
	}
	lead = "Cited by"
	if by.Count > len(by.From) {
		lead = "Cited by " + layout.Plural(by.Count, "passage", "passages") + ", first by"
	}
	return cs, lead
}

// referenceWords counts a source's cross-references by where they lead.
func referenceWords(n ops.RefCounts) string {
	return layout.Number(n.Found) + " found: " + layout.Number(n.Resolved) + " lead to a passage, " + layout.Number(n.Broken) + " broken, " +
		layout.Number(n.Outside) + " to documents that are not in this brain"
}

// languageWords names a language for readers: "English" for "en".
func languageWords(tag string) string {
	switch tag {
	case "":
		return ""
	case "und":
		return "Language not clear"
	}
	t, err := language.Parse(tag)
	if err != nil {
		return tag
	}
	if name := display.English.Tags().Name(t); name != "" {
		return name
	}
	return tag
}
