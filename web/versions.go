package web

import (
	"fmt"
	"strconv"

	"polaris/ops"
	"polaris/views/layout"
	"polaris/views/versions"
)

func (s *Server) listVersions(p *page) error {
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
	return p.show(versions.IndexPage(p.frame(), x))
}
