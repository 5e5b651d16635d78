package web

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/approvals"
	"polaris/views/form"
	"polaris/views/layout"
	"polaris/views/sources"
)

// newImport shows the page on which documents are chosen.
func (s *Server) newImport(p *page) error {
	if err := ops.Allowed(p.call(), ops.StartImport.Entry()); err != nil {
		return err
	}
	return s.importForm(p, chosen{}, nil, nil)
}

// startImport takes what was chosen, and leads to the page of its import; or it
// says what a site would send.
func (s *Server) startImport(p *page) error {
	in, err := filesOf(p, s.mostUploaded())
	if err == nil {
		in.StartImportIn, err = in.toImport()
	}
	if err == nil && in.sent.Get("do") == "look" {
		return s.surveySite(p, in)
	}
	if err == nil {
		var v ops.ImportView
		if v, err = ops.Do(p.ctx(), s.desk, p.call(), ops.StartImport, in.StartImportIn); err == nil {
			return p.Redirect(http.StatusSeeOther, p.at(sources.ImportPath(v.ID)))
		}
	}
	r, ok := refused(err)
	if f := fault.Of(err); !ok && f.Kind == fault.TooLarge {
		r, ok = &refusal{f}, true
	}
	if ok {
		return s.importForm(p, in, r, nil)
	}
	return err
}

// surveySite says what a site would send.
func (s *Server) surveySite(p *page, in chosen) error {
	if in.Crawl == nil {
		return s.importForm(p, in, &refusal{fault.Field("crawl", "Say where to begin.")}, nil)
	}
	v, err := ops.Do(p.ctx(), s.desk, p.call(), ops.SurveySite, *in.Crawl)
	if r, ok := refused(err); ok {
		if r.Field == "url" {
			r = &refusal{fault.Field("crawl", "%s", r.Message)}
		}
		return s.importForm(p, in, r, nil)
	}
	if err != nil {
		return err
	}
	return s.importForm(p, in, nil, &v)
}

// chosen is what was sent with the form.
type chosen struct {
	ops.StartImportIn
	sent url.Values // its fields but the files
}

// toImport reads the fields of the form.
func (c chosen) toImport() (ops.StartImportIn, error) {
	in := c.StartImportIn
	in.URLs = strings.Fields(c.sent.Get("addresses"))
	in.Owner, in.ReviewBy = c.sent.Get("owner"), models.Date(c.sent.Get("review_by"))
	at := strings.TrimSpace(c.sent.Get("crawl_url"))
	if at == "" {
		return in, nil
	}
	crawl := ops.CrawlIn{URL: at, Crawl: models.Crawl{MaxPages: 50, Below: strings.TrimSpace(c.sent.Get("below")), Sitemap: c.sent.Get("sitemap") != ""}}
	if n := c.sent.Get("max_pages"); n != "" {
		pages, err := strconv.Atoi(n)
		if err != nil {
			return in, fault.Field("max_pages", "This is no number.")
		}
		crawl.MaxPages = pages
	}
	if n := c.sent.Get("max_mb"); n != "" {
		mb, err := strconv.Atoi(n)
		if err != nil || mb < 1 || mb > 1000 {
			return in, fault.Field("max_mb", "A number from 1 on.")
		}
		crawl.MaxBytes = int64(mb) << 20
	}
	in.Crawl = &crawl
	return in, nil
}

// importForm shows the form as it was sent, with why nothing was taken, or what a
// site would send.
func (s *Server) importForm(p *page, c chosen, r *refusal, v *ops.SiteSurvey) error {
	field := func(name, fallback string) form.Entry {
		e := form.Entry{Value: c.sent.Get(name)}
		if c.sent == nil {
			e.Value = fallback
		}
		return e
	}
	u := sources.Upload{
		Most: strconv.FormatInt(s.mostUploaded()*3/4>>20, 10) + " MB", API: "/v1" + p.at(sources.ImportsPath), Fetches: s.desk.Settings.Fetch != nil,
		Addresses: field("addresses", ""), Owner: field("owner", ""), ReviewBy: field("review_by", ""),
		Crawl: sources.Crawl{URL: field("crawl_url", ""), MaxPages: field("max_pages", "50"), MaxMB: field("max_mb", "64"), Below: field("below", ""), Sitemap: c.sent.Get("sitemap") != ""},
	}
	if r != nil {
		at := map[string]*form.Entry{"urls": &u.Addresses, "owner": &u.Owner, "review_by": &u.ReviewBy, "crawl": &u.Crawl.URL, "max_pages": &u.Crawl.MaxPages, "max_mb": &u.Crawl.MaxMB}[r.Field]
		if at != nil && u.Fetches {
			at.Problem = r.Message
		} else {
			u.Problem = r.Message
		}
	}
	if v != nil {
		u.Survey = surveyView(*v)
	}
	l, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ListImports, ops.Page{Limit: 5})
	if err != nil {
		return err
	}
	for _, i := range l.Imports {
		u.Recent = append(u.Recent, sources.ImportRow{URL: p.at(sources.ImportPath(i.ID)), State: importState(i), By: i.Actor, Started: p.when(i.StartedAt)})
	}
	return render(p.Context, r.status(), privately, sources.NewImport(p.frame(), u))
}

// surveyView says what a site would send.
func surveyView(v ops.SiteSurvey) *sources.Survey {
	x := &sources.Survey{Summary: layout.Plural(len(v.Found), "document", "documents")}
	if v.Bytes > 0 {
		x.Summary += ", " + size(v.Bytes)
	}
	x.Summary += map[string]string{
		"max_pages": ". There are more than your bound.", "max_bytes": ". There is more than your bound.", "time": " within 20 seconds. There may be more.",
		"survey": ". There are more, of which this look sees no further.", "": ". That is all of it.",
	}[v.Stopped]
	for _, f := range v.Found {
		s := sources.Seen{URL: f.URL, Text: f.MediaType}
		if f.Bytes > 0 {
			s.Text = strings.TrimSpace(f.MediaType + " " + size(int64(f.Bytes)))
		}
		x.Found = append(x.Found, s)
	}
	for _, at := range slices.Sorted(maps.Keys(v.Skipped)) {
		x.Skipped = append(x.Skipped, sources.Seen{URL: at, Text: v.Skipped[at]})
	}
	return x
}

// size writes how many bytes something has.
func size(n int64) string {
	switch {
	case n < 1000:
		return layout.Number(int(n)) + " bytes"
	case n < 1_000_000:
		return layout.Number(int(n/1000)) + " KB"
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// filesOf reads the files of a form, with what is said of them in its fields.
func filesOf(p *page, most int64) (in chosen, err error) {
	in.sent = url.Values{}
	if ops.Allowed(p.call(), ops.StartImport.Entry()) != nil {
		return in, nil // the gate refuses it, unread
	}
	rc := http.NewResponseController(p.Response())
	_ = rc.SetReadDeadline(time.Now().Add(uploadWithin)) // a test's connection may have none
	defer func() { _ = rc.SetReadDeadline(time.Time{}) }()
	_, params, err := mime.ParseMediaType(p.Request().Header.Get("Content-Type"))
	if err != nil {
		return in, fault.Field("files", "Choose the files to import.")
	}
	parts := multipart.NewReader(http.MaxBytesReader(p.Response(), p.Request().Body, most), params["boundary"])
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return in, nil
		}
		if err != nil {
			return in, tooMuch(unreadForm(err))
		}
		b, err := io.ReadAll(part)
		if err != nil {
			return in, tooMuch(unreadForm(err))
		}
		switch {
		case part.FormName() == documents && part.FileName() != "":
			in.Files = append(in.Files, ops.ImportFile{Name: part.FileName(), Data: b})
		case part.FormName() != documents:
			in.sent.Add(part.FormName(), string(b))
		}
	}
}

// tooMuch says of a form that is over the limit what to do about it.
func tooMuch(err error) error {
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return fault.New(fault.TooLarge, "The files together are over the limit (POLARIS_MAX_UPLOAD_BYTES). Import fewer at once.").Because(err)
	}
	return err
}

// showImport shows one import, or where the page asks for itself again the part
// of it that changes.
func (s *Server) showImport(p *page) error {
	id, err := param(p.Context, "id")
	if err != nil {
		return err
	}
	v, err := ops.Do(p.ctx(), s.desk, p.call(), ops.GetImport, ops.ImportIDIn{ID: id})
	if err != nil {
		return err
	}
	if p.Request().Header.Get("HX-Request") != "" {
		return render(p.Context, http.StatusOK, never, sources.Progress(p.frame(), importView(p, v)))
	}
	return render(p.Context, http.StatusOK, never, sources.ImportPage(p.frame(), importView(p, v)))
}

// cancelImport ends what of an import is not read yet.
func (s *Server) cancelImport(p *page) error {
	id, err := param(p.Context, "id")
	if err != nil {
		return err
	}
	if _, err := ops.Do(p.ctx(), s.desk, p.call(), ops.CancelImport, ops.ImportIDIn{ID: id}); err != nil {
		return err
	}
	return p.Redirect(http.StatusSeeOther, p.at(sources.ImportPath(id)))
}

func importView(p *page, v ops.ImportView) sources.Import {
	left := v.Counts[models.ItemQueued] + v.Counts[models.ItemReading]
	x := sources.Import{
		ID: v.ID, Running: v.Running(), By: v.Actor, Started: p.when(v.StartedAt), State: importState(v),
		Total: v.Total, Ended: v.Total - left, Events: "/v1" + p.at(sources.ImportPath(v.ID)) + "/events",
	}
	if v.Counts[models.ItemDone]+v.Counts[models.ItemHeld]+v.Counts[models.ItemUnchanged] > 0 {
		x.Sources = withQuery(p.at(sources.Path), url.Values{"import": {v.ID}})
	}
	for _, i := range v.Items {
		x.Items = append(x.Items, itemView(p, i))
	}
	return x
}

// importState says how an import goes, or how it went.
func importState(v ops.ImportView) string {
	left := v.Counts[models.ItemQueued] + v.Counts[models.ItemReading]
	switch {
	case v.Running():
		return layout.Number(v.Total-left) + " of " + layout.Plural(v.Total, "document is read.", "documents are read.")
	case v.CancelledAt != nil:
		return "Cancelled by " + v.CancelledBy + ". What was read before stays in the draft."
	}
	return endedWords(v)
}

// endedWords counts what became of the documents of an import.
func endedWords(v ops.ImportView) string {
	var all []string
	for _, x := range []struct {
		state models.ItemState
		words string
	}{
		{models.ItemDone, "imported"},
		{models.ItemUnchanged, "unchanged"},
		{models.ItemHeld, "held for a curator"},
		{models.ItemWaits, "waiting for a second person"},
		{models.ItemFailed, "not imported"},
	} {
		if n := v.Counts[x.state]; n > 0 {
			all = append(all, layout.Number(n)+" "+x.words)
		}
	}
	if len(all) == 0 {
		return "All is read." // an archive in which there was nothing
	}
	return "All is read: " + strings.Join(all, ", ") + "."
}

func itemView(p *page, i models.ImportItem) sources.Item {
	x := sources.Item{N: strconv.Itoa(i.N), Name: i.Name, State: string(i.State), Kind: layout.Neutral, Code: i.Code, Title: i.Title, Notes: append([]string{}, i.Warnings...)}
	if i.Code != "" {
		x.URL, x.Passages = p.at(sources.SourcePath(i.Code)), layout.Number(i.Passages)
	}
	switch i.State {
	case models.ItemDone:
		x.Kind, x.State = layout.Good, i.Status+", revision "+strconv.Itoa(i.Revision)
	case models.ItemHeld:
		x.Kind, x.State = layout.Caution, "held: "+layout.Plural(i.Flags, "flag", "flags")
	case models.ItemFailed:
		x.Kind = layout.Bad
		x.Notes = append(x.Notes, i.Reason)
	case models.ItemUnpacked:
		x.Notes = append(x.Notes, i.Reason)
	case models.ItemWaits:
		x.Kind, x.State = layout.Caution, "waits for a second person"
		x.Code, x.URL = "Review it", p.at(approvals.ReviewPath(i.Recommendation))
	}
	for _, a := range i.CardsAffected {
		x.Notes = append(x.Notes, "Topic card "+a.Label+": "+a.Anchor+" "+strings.TrimSpace(a.Status+" "+a.To))
	}
	return x
}
