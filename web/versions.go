package web

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/approvals"
	"polaris/views/form"
	"polaris/views/layout"
	"polaris/views/versions"
)

func (s *Server) listVersions(p *page) error { return s.versionsPage(p, "", nil) }

// askForPublish asks for a publish of the draft, which leads to the page where
// it is decided on; where four eyes are off it is published.
func (s *Server) askForPublish(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	call := p.call()
	call.Rationale = sent.Get("notes")
	_, err = ops.Do(p.ctx(), s.desk, call, ops.PublishVersion, ops.PublishIn{Notes: sent.Get("notes")})
	return p.ended(err, p.at(versions.Path)+"?done=published", func(r *refusal) error { return s.versionsPage(p, sent.Get("notes"), r) })
}

// versionsPage shows the versions, with the form as it was sent.
func (s *Server) versionsPage(p *page, notes string, r *refusal) error {
	l, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ListVersions, ops.Page{Cursor: p.QueryParam("cursor")})
	if err != nil {
		return err
	}
	x := versions.Index{Publish: "bb publish --brain-id " + string(p.brain)}
	restores := ops.Allowed(p.call(), ops.RestoreVersion.Entry()) == nil
	for _, v := range l.Versions {
		row := versionRow(p, v)
		if row.Live = v.N == l.Published; row.Live {
			x.State = "Version " + layout.Number(v.N) + " answers, published " + row.Published.Text + "."
		} else if restores {
			row.Restore = p.at(versions.RestorationPath(row.N))
		}
		x.Rows = append(x.Rows, row)
	}
	if len(l.Versions) > 0 {
		c := comparing(l, l.Published, 0)
		x.Compare = &c
	}
	if p.QueryParam("cursor") != "" {
		x.Pages.Newer, x.Pages.Words[0] = p.at(versions.Path), "To the newest"
	}
	if l.NextCursor != "" {
		x.Pages.Older = p.at(versions.Path) + "?" + url.Values{"cursor": {l.NextCursor}}.Encode()
	}
	if x.Draft, err = s.draftBeside(p, l.Published); err != nil {
		return err
	}
	if ops.Allowed(p.call(), ops.PublishVersion.Entry()) == nil {
		x.Form = &versions.Form{Notes: r.entry("notes", notes), Waits: p.fourEyes(), Problem: r.rest("notes")}
	}
	return render(p.Context, r.status(), privately, versions.IndexPage(p.frame(), x))
}

// draftBeside says what a publish would change, and whether one waits.
func (s *Server) draftBeside(p *page, published int) (*versions.Draft, error) {
	if published == 0 {
		return nil, nil //nolint:nilnil // there is nothing beside it
	}
	g, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ShowGlance, ops.None{})
	if err != nil || g.Changes == nil {
		return nil, err
	}
	d := &versions.Draft{URL: p.at(versions.DiffPath) + "?" + url.Values{"from": {strconv.Itoa(published)}}.Encode()}
	if g.Changes.Any() {
		var parts []string
		if n := g.Changes.Sources; n > 0 {
			parts = append(parts, layout.Plural(n, "source", "sources"))
		}
		if n := g.Changes.Cards; n > 0 {
			parts = append(parts, layout.Plural(n, "topic card", "topic cards"))
		}
		d.Differs = strings.Join(parts, " and ") + map[bool]string{true: " differs", false: " differ"}[g.Changes.Sources+g.Changes.Cards == 1]
	}
	if n := g.Changes.Held; n > 0 {
		d.Held = layout.Plural(n, "source is", "sources are") + " held until a curator has certified what was found in it, and would stay behind."
	}
	waiting, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ListRecommendations, ops.RecommendationsIn{State: models.Pending, Class: string(ops.Irreversible)})
	for _, r := range waiting.Recommendations {
		if r.Operation == ops.PublishVersion.Name {
			d.Waiting = layout.Link{Text: "A publish waits for a decision, asked for by " + r.Actor, URL: p.at(approvals.ReviewPath(r.ID))}
			break
		}
	}
	return d, err
}

func versionRow(p *page, v models.Version) versions.Row {
	row := versions.Row{
		N: strconv.Itoa(v.N), Published: p.when(v.PublishedAt), By: v.PublishedBy, FourEyes: v.FourEyes, Notes: v.Notes,
		Sources: layout.Plural(len(v.Manifest.Sources), "source", "sources"), Cards: layout.Plural(len(v.Manifest.Cards), "topic card", "topic cards"),
		Engine: v.Engine, Hash: fmt.Sprintf("%x", v.Hash), Suspended: suspendedIn(p, v.Manifest),
	}
	if len(v.Purged) > 0 {
		row.Purged = strings.Join(v.Purged, ", ") + " purged since"
	}
	if v.Recommendation != "" {
		row.Review = p.at(approvals.ReviewPath(v.Recommendation))
	}
	if v.N > 1 {
		row.Diff = p.at(versions.DiffPath) + "?" + url.Values{"from": {strconv.Itoa(v.N - 1)}, "to": {row.N}}.Encode()
	}
	return row
}

// comparing offers what can be compared; 0 at the end is the draft.
func comparing(l ops.VersionList, from, to int) (c versions.Compare) {
	c.To = append(c.To, form.Choice{Label: "the draft", Chosen: to == 0})
	for _, v := range l.Versions {
		n := strconv.Itoa(v.N)
		label := "version " + n
		if v.N == l.Published {
			label += ", which answers now"
		}
		c.From = append(c.From, form.Choice{Value: n, Label: label, Chosen: v.N == from})
		c.To = append(c.To, form.Choice{Value: n, Label: label, Chosen: v.N == to})
	}
	return c
}

// versionNumber reads a version's number from an address; 0 where it is left out.
func versionNumber(sent string) (int, error) {
	if sent == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(sent)
	if err != nil || n < 1 {
		return 0, fault.New(fault.NotFound, "No such version.")
	}
	return n, nil
}

func (s *Server) diffVersions(p *page) error {
	from, err := versionNumber(p.QueryParam("from"))
	if err != nil {
		return err
	}
	to, err := versionNumber(p.QueryParam("to"))
	if err != nil {
		return err
	}
	d, err := ops.Do(p.ctx(), s.desk, p.call(), ops.DiffVersions, ops.DiffIn{From: from, To: to})
	if err != nil {
		return err
	}
	l, err := ops.Whole(p.ctx(), s.desk, p.call(), ops.ListVersions)
	if err != nil {
		return err
	}
	v := versions.Diff{Title: versionName(d.From, true) + " → " + strings.ToLower(versionName(d.To, false)), Compare: comparing(l, d.From, d.To)}
	for _, src := range d.Sources {
		shown := versions.SourceDiff{Code: src.Code, Title: src.Title, Status: src.Status, Revisions: revisions(src.FromRevision, src.ToRevision), Passages: *passageChanges(src, p.QueryParam("passages") == "all")}
		if shown.Passages.More != "" && p.QueryParam("passages") == "" {
			shown.Passages.MoreURL = p.at(versions.DiffPath) + "?" + url.Values{"from": {p.QueryParam("from")}, "to": {p.QueryParam("to")}, "passages": {"all"}}.Encode()
		}
		v.Sources = append(v.Sources, shown)
	}
	for _, c := range d.Cards {
		v.Cards = append(v.Cards, versions.CardDiff{ID: c.ID, Status: c.Status, Lines: approvals.Diff(cardLines(c.Before), cardLines(c.After))})
	}
	for _, a := range d.Articles {
		v.Articles = append(v.Articles, versions.ArticleDiff{Title: a.Title, Status: a.Status})
	}
	return p.show(versions.DiffPage(p.frame(), v))
}

// versionName names a side of a difference; 0 is nothing at the beginning, and
// the draft at the end.
func versionName(n int, beginning bool) string {
	switch {
	case n > 0:
		return "Version " + strconv.Itoa(n)
	case beginning:
		return "Nothing published"
	}
	return "The draft"
}

func revisions(from, to int) string {
	switch {
	case from > 0 && to > 0 && from != to:
		return "revision " + strconv.Itoa(from) + " → " + strconv.Itoa(to)
	case to > 0:
		return "revision " + strconv.Itoa(to)
	}
	return "revision " + strconv.Itoa(from)
}

// cardLines write a card out as a review does; nil of none.
func cardLines(c *models.TopicCard) []string {
	if c == nil {
		return nil
	}
	lines := []string{"label: " + c.Label, "covers: " + c.Covers, "anchors:"}
	for _, a := range c.Anchors {
		lines = append(lines, "  • "+a)
	}
	return lines
}

func (s *Server) newRestoration(p *page) error { return s.restorationPage(p, "", nil) }

func (s *Server) restorationPage(p *page, notes string, r *refusal) error {
	if err := ops.Allowed(p.call(), ops.RestoreVersion.Entry()); err != nil {
		return err
	}
	n, err := versionNumber(p.Param("n"))
	if err != nil {
		return err
	}
	v, err := ops.Do(p.ctx(), s.desk, p.call(), ops.GetVersion, ops.GetVersionIn{N: n})
	if err != nil {
		return err
	}
	x := versions.Restoration{N: strconv.Itoa(v.N), Live: strconv.Itoa(p.by.Published), Notes: r.entry("notes", notes), Waits: p.fourEyes(), Problem: r.rest("notes")}
	return render(p.Context, r.status(), privately, versions.RestorationPage(p.frame(), x))
}

func (s *Server) restoreVersion(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	n, err := versionNumber(p.Param("n"))
	if err != nil {
		return err
	}
	call := p.call()
	call.Rationale = sent.Get("notes")
	_, err = ops.Do(p.ctx(), s.desk, call, ops.RestoreVersion, ops.RestoreIn{N: n, Notes: sent.Get("notes")})
	return p.ended(err, p.at(versions.Path)+"?done=restored", func(r *refusal) error { return s.restorationPage(p, sent.Get("notes"), r) })
}
