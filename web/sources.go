package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/layout"
	"polaris/views/sources"
)

func (s *Server) listSources(p *page) error {
	l, err := ops.Whole(p.ctx(), s.desk, p.call(), ops.ListSources)
	if err != nil {
		return err
	}
	x := sources.Index{State: layout.Plural(len(l.Sources), "source", "sources") + " in the draft.", Import: "bb import handbook.md --brain-id " + string(p.brain)}
	for _, src := range l.Sources {
		r := sourceRow(p, src)
		r.Passages = layout.Number(l.Passages[src.ID])
		r.Suspended = suspendedWords(l.Suspended, src.ID)
		x.Rows = append(x.Rows, r)
	}
	x.May = p.by.May(models.MayEditDraft)
	for _, src := range l.Removed {
		r := sourceRow(p, src)
		r.Added = p.whenever(src.RemovedAt)
		x.Gone = append(x.Gone, r)
	}
	return p.show(sources.IndexPage(p.frame(), x))
}

// suspendedWords says in the list what of a source is not served.
func suspendedWords(all []models.Suspension, source string) string {
	passages := 0
	for _, s := range all {
		switch {
		case s.SourceID != source:
		case s.Key == "":
			return "suspended"
		default:
			passages++
		}
	}
	if passages == 0 {
		return ""
	}
	return layout.Plural(passages, "passage", "passages") + " suspended"
}

func sourceRow(p *page, src models.Source) sources.Row {
	return sources.Row{Code: src.Code, Title: src.Title, Revision: strconv.Itoa(src.Head), Origin: src.OriginURL, Added: p.when(src.CreatedAt), By: src.CreatedBy}
}

// passagesShown is how many passages a page of a source holds.
const passagesShown = 200

func (s *Server) showSource(p *page) error {
	code, err := param(p.Context, "code")
	if err != nil {
		return err
	}
	v, err := ops.Do(p.ctx(), s.desk, p.call(), ops.GetSource, ops.GetSourceIn{Source: code})
	if err != nil {
		return err
	}
	if key := p.QueryParam("key"); key != "" || code != v.Source.Code {
		return p.Redirect(http.StatusSeeOther, passageURL(p, v, key))
	}
	from, err := place(p.QueryParam("from"), len(v.Passages))
	if err != nil {
		return err
	}
	return p.show(sources.SourcePage(p.frame(), sourceView(p, v, from)))
}

// passageURL leads to the passage with a citation key, or to the source where
// it has none: citations know the key, and a page has room for some passages.
func passageURL(p *page, v ops.SourceView, key string) string {
	at := p.at(sources.SourcePath(v.Source.Code))
	i := slices.IndexFunc(v.Passages, func(ps ops.SourcePassage) bool { return ps.Key == key })
	if i < 0 {
		return at
	}
	if from := i / passagesShown * passagesShown; from > 0 {
		at += "?from=" + strconv.Itoa(from)
	}
	return at + "#p" + strconv.Itoa(v.Passages[i].Ordinal)
}

// place reads where in n passages a page begins.
func place(sent string, n int) (int, error) {
	if sent == "" {
		return 0, nil
	}
	from, err := strconv.Atoi(sent)
	if err != nil || from < 0 || from >= n {
		return 0, fault.New(fault.NotFound, "The source has no passage there.")
	}
	return from, nil
}

func sourceView(p *page, v ops.SourceView, from int) sources.Source {
	to := min(from+passagesShown, len(v.Passages))
	row := sourceRow(p, v.Source)
	row.Passages, row.Language = layout.Number(len(v.Passages)), v.Revision.Language
	view := sources.Source{Row: row, Name: v.Revision.Name, Media: v.Revision.MediaType, SHA256: fmt.Sprintf("%x", v.Revision.SHA256), Problems: v.Revision.Warnings}
	if v.Purged != nil {
		view.Purged = layout.Date(v.Purged.At) + ": " + v.Purged.Reason
	}
	view.May, view.FourEyes = p.by.May(models.MayEditDraft), p.fourEyes()
	if v.Source.RemovedAt != nil {
		view.IsRemoved, view.Removed = true, p.when(*v.Source.RemovedAt)
	}
	whole := false
	off := map[string]bool{}
	for _, x := range v.Suspended {
		view.Suspensions = append(view.Suspensions, sources.Suspension{Key: x.Key, Reason: x.Reason, By: x.By, At: p.when(x.At)})
		off[x.Key] = true
		whole = whole || x.Key == ""
	}
	if c := v.Certified; c != nil {
		view.Certified = "by " + c.By + " on " + c.At.UTC().Format("2 January 2006")
		if !c.Authenticated {
			view.Certified += ", named at a terminal"
		}
		if c.Note != "" {
			view.Certified += ": " + c.Note
		}
	}
	depth := depths(v.Passages)
	for i, ps := range v.Passages[from:to] {
		shown := sources.Passage{
			Ordinal: strconv.Itoa(ps.Ordinal), Key: ps.Key, Locator: ps.Locator, Heading: ps.Kind == models.Section, Depth: depth[from+i], Text: ps.Text, Off: whole || off[ps.Key],
		}
		if view.May && !shown.Off && ps.Key != "" {
			shown.Suspend = sources.SuspensionPath(v.Source.Code, ps.Key)
		}
		view.Passages = append(view.Passages, shown)
	}
	at := p.at(sources.SourcePath(v.Source.Code)) + "?"
	if from > 0 {
		view.Older = at + url.Values{"from": {strconv.Itoa(max(0, from-passagesShown))}}.Encode()
	}
	if to < len(v.Passages) {
		view.Newer = at + url.Values{"from": {strconv.Itoa(to)}}.Encode()
	}
	return view
}

// depths returns how deep each passage is below its section's first level, in
// one pass: a parent comes before its children.
func depths(ps []ops.SourcePassage) []int {
	depth := make([]int, len(ps))
	for i, x := range ps {
		if x.Parent >= 0 && x.Parent < i && ps[x.Parent].Kind != models.Section {
			depth[i] = depth[x.Parent] + 1
		}
	}
	return depth
}
