package ops

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"polaris/advisor/fetch"
	"polaris/models"
	"polaris/models/fault"
)

// How far a survey looks: somebody waits for it.
const (
	surveyedPages = 25
	surveyedFor   = 20 * time.Second
)

// A Surveyed is a document that a site would send.
type Surveyed struct {
	URL       string `json:"url"`
	Name      string `json:"name,omitempty"`
	MediaType string `json:"media_type,omitempty"`
	Bytes     int    `json:"bytes,omitempty"` // 0: it was only named by the sitemap
}

// A SiteSurvey is what an import of a part of a site would fetch.
type SiteSurvey struct {
	Found   []Surveyed        `json:"found"`
	Bytes   int64             `json:"bytes"`
	Skipped map[string]string `json:"skipped,omitzero"`  // address → why it would be left out
	Stopped string            `json:"stopped,omitempty"` // what ended it: max_pages, max_bytes, time or survey; "": everything was seen
}

// SurveySite follows a site's links as an import would, and keeps nothing.
var SurveySite = &Op[CrawlIn, SiteSurvey]{
	Name: "imports.survey", Title: "See what a site would send", Summary: "Follow the links of a part of a site, or read its sitemap, as an import would, for 20 seconds and 25 documents at most; and keep nothing.",
	Class: Read, Needs: models.MayEditDraft, Offered: Web,
	Stage: func(ctx context.Context, e *Env, in CrawlIn) (any, error) { return survey(ctx, e, in) },
	Run:   func(_ context.Context, e *Env, _ CrawlIn) (SiteSurvey, error) { return e.Staged.(SiteSurvey), nil },
}

func survey(ctx context.Context, e *Env, in CrawlIn) (SiteSurvey, error) {
	out := SiteSurvey{Found: []Surveyed{}, Skipped: map[string]string{}}
	if err := (StartImportIn{Crawl: &in}).fetchable(e); err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(ctx, surveyedFor)
	defer cancel()
	if in.Sitemap {
		urls, err := e.desk.Settings.Fetch.Sitemap(ctx, in.URL, in.MaxPages)
		if err == nil && len(urls) == 0 {
			err = fault.New(fault.Conflict, "The site has no sitemap that names pages of it.").WithCode("no_sitemap")
		}
		for _, u := range urls {
			out.Found = append(out.Found, Surveyed{URL: u})
		}
		return out, seenAsRefusal(err)
	}
	most := in.MaxBytes
	if most == 0 {
		most = mostCrawled
	}
	seen, err := e.desk.Settings.Fetch.Crawl(ctx, in.URL, fetch.Bounds{Pages: min(in.MaxPages, surveyedPages), Bytes: most, Below: in.Below}, func(r *fetch.Response) error {
		out.Found = append(out.Found, Surveyed{r.URL, clean(r.Name), r.MediaType, len(r.Data)})
		out.Bytes += int64(len(r.Data))
		return nil
	})
	out.Stopped = seen.Stopped
	maps.Copy(out.Skipped, seen.Skipped)
	switch {
	case context.Cause(ctx) == context.DeadlineExceeded: //nolint:errorlint // the cause is the very error
		out.Stopped = "time"
	case err != nil:
		return out, seenAsRefusal(err)
	case out.Stopped == "max_pages" && in.MaxPages > surveyedPages:
		out.Stopped = "survey"
	}
	if len(out.Found) == 0 && len(out.Skipped) > 0 {
		at := slices.Min(slices.Collect(maps.Keys(out.Skipped)))
		return out, fault.Field("url", "%s", fmt.Sprintf("%s: %s", clean(at), out.Skipped[at]))
	}
	return out, nil
}

// seenAsRefusal says of a site that cannot be had that it is the address to
// change, and not this server that is down.
func seenAsRefusal(err error) error {
	if f := fault.Of(err); err != nil && (f.Kind == fault.Unavailable || f.Kind == fault.NotFound) {
		return fault.Field("url", "%s", f.Message)
	}
	return err
}
