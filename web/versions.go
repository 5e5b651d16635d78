package web

import (
	"fmt"
	"net/http"
	"strconv"

	"polaris/ops"
	"polaris/views/approvals"
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
	if q, waits := ops.AsWaiting(err); waits {
		return p.Redirect(http.StatusSeeOther, p.at(approvals.ReviewPath(q.ID))+"?done=queued")
	}
	if r, ok := refused(err); ok {
		return s.versionsPage(p, sent.Get("notes"), r)
	}
	if err != nil {
		return err
	}
	return p.Redirect(http.StatusSeeOther, p.at(versions.Path)+"?done=published")
}

// versionsPage shows the versions, with the form as it was sent.
func (s *Server) versionsPage(p *page, notes string, r *refusal) error {
	l, err := ops.Whole(p.ctx(), s.desk, p.call(), ops.ListVersions)
	if err != nil {
		return err
	}
	x := versions.Index{Publish: "bb publish --brain-id " + string(p.brain)}
	for _, v := range l.Versions {
		when := p.when(v.PublishedAt)
		if v.N == l.Published {
			x.State = "Version " + layout.Number(v.N) + " answers, published " + when.Text + "."
		}
		x.Rows = append(x.Rows, versions.Row{
			N: strconv.Itoa(v.N), Live: v.N == l.Published, Published: when, By: v.PublishedBy, FourEyes: v.FourEyes, Notes: v.Notes,
			Sources: layout.Plural(len(v.Manifest.Sources), "source", "sources"), Cards: layout.Plural(len(v.Manifest.Cards), "topic card", "topic cards"),
			Engine: v.Engine, Hash: fmt.Sprintf("%x", v.Hash),
		})
	}
	if ops.Allowed(p.call(), ops.PublishVersion.Entry()) == nil {
		x.Form = &versions.Form{Notes: r.entry("notes", notes), Waits: p.fourEyes(), Problem: r.rest("notes")}
	}
	return render(p.Context, r.status(), privately, versions.IndexPage(p.frame(), x))
}
