package web

import (
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/approvals"
	"polaris/views/form"
	"polaris/views/layout"
	"polaris/views/sources"
)

func (s *Server) listSources(p *page) error {
	return s.sourcesPage(p, http.StatusOK, "", nil, layout.Undo{})
}

// sourceStates are what the list can be narrowed to.
var sourceStates = []string{"suspended", "suspended", "held", "held", "review_due", "review due", "warnings", "with warnings", "removed", "taken out"}

// sourceSorts are what the list can be sorted by.
var sourceSorts = []string{"title", "title", "added", "newest", "review", "review date"}

// offered reports whether a value is one of the pairs of value and word, or none.
func offered(pairs []string, value string) bool {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] == value {
			return true
		}
	}
	return value == ""
}

// formats are the words for media types.
var formats = map[string]string{
	"text/markdown": "Markdown", "text/plain": "Text", "text/html": "HTML", "application/pdf": "PDF", "application/xml": "XML", "text/xml": "XML", "text/csv": "CSV",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   "Word",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         "Excel",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint",
}

func formatWord(media string) string {
	if w := formats[media]; w != "" {
		return w
	}
	return media
}

// sourcesPage shows a stretch of the sources, with what became of several.
func (s *Server) sourcesPage(p *page, status int, problem string, results []sources.Result, back layout.Undo) error {
	set := url.Values{}
	for _, name := range []string{"state", "format", "text", "import", "sort"} {
		if v := p.QueryParam(name); v != "" {
			set.Set(name, v)
		}
	}
	in := ops.FindSourcesIn{State: set.Get("state"), Format: set.Get("format"), Text: set.Get("text"), Import: set.Get("import"), Sort: set.Get("sort"), Page: ops.Page{Cursor: p.QueryParam("cursor")}}
	if !offered(sourceStates, in.State) || !offered(sourceSorts, in.Sort) {
		return fault.New(fault.NotFound, "There is no such list of sources.")
	}
	l, err := ops.Do(p.ctx(), s.desk, p.call(), ops.FindSources, in)
	if err != nil {
		return err
	}
	x := sources.Index{
		All: l.All, Problem: problem, Results: results, Followed: back, OfGone: in.State == sources.Removed, Import: "bb import handbook.md --brain-id " + string(p.brain),
		State: layout.Plural(l.All, "source", "sources") + " in the draft.",
		May:   p.by.May(models.MayEditDraft), MayAdd: ops.Allowed(p.call(), ops.StartImport.Entry()) == nil,
		Filter: sources.Filter{
			Set: len(set) > 0, Text: form.Entry{Value: in.Text}, Import: in.Import, States: choices(in.State, "any", sourceStates...), Sorts: choices(in.Sort, "code", sourceSorts...),
			Formats: []form.Choice{{Label: "any", Chosen: in.Format == ""}},
		},
	}
	if len(set) > 0 && (len(set) > 1 || in.Sort == "") {
		x.State = layout.Plural(l.Total, "source is", "sources are") + " like that, of " + layout.Plural(l.All, "source", "sources") + " in the draft."
	}
	for _, m := range l.Formats {
		x.Filter.Formats = append(x.Filter.Formats, form.Choice{Value: m, Label: formatWord(m), Chosen: m == in.Format})
	}
	if l.Removed > 0 {
		x.Gone = layout.Plural(l.Removed, "source was", "sources were") + " taken out of the draft"
	}
	for _, src := range l.Sources {
		x.Rows = append(x.Rows, foundRow(p, src))
	}
	if in.Cursor != "" {
		x.Pages.Newer, x.Pages.Words = withQuery(p.at(sources.Path), set), [2]string{"From the beginning", "Next sources"}
	}
	if l.NextCursor != "" {
		on := maps.Clone(set)
		on.Set("cursor", l.NextCursor)
		x.Pages.Older, x.Pages.Words = withQuery(p.at(sources.Path), on), [2]string{"From the beginning", "Next sources"}
	}
	return render(p.Context, status, privately, sources.IndexPage(p.frame(), x))
}

func foundRow(p *page, src ops.FoundSource) sources.Row {
	r := sourceRow(p, src.Source)
	r.Passages, r.Format, r.Language, r.Warnings, r.Purged = layout.Number(src.Passages), formatWord(src.MediaType), languageWords(src.Language), src.Warnings, src.Purged
	switch {
	case src.Suspended:
		r.Suspended = "suspended"
	case src.SuspendedPassages > 0:
		r.Suspended = layout.Plural(src.SuspendedPassages, "passage", "passages") + " suspended"
	}
	if src.Held {
		r.Held = "held: " + layout.Plural(src.Flags, "flag", "flags")
	}
	if src.RemovedAt != nil {
		r.Added = p.whenever(src.RemovedAt)
	}
	return r
}

// changesAtOnce bounds what is done to several sources: each is a transaction.
const changesAtOnce = 200

// changeSources does something to the sources that were chosen in the list, one
// by one, each as if it had been asked for alone. It first asks.
func (s *Server) changeSources(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	chosen, do := sent["source"], sent.Get("do")
	entry := map[string]*ops.Entry{
		sources.DoSuspend: ops.SuspendSource.Entry(), sources.DoRemove: ops.RemoveSource.Entry(), sources.DoRestore: ops.RestoreSource.Entry(), sources.DoFacts: ops.UpdateSource.Entry(),
	}[do]
	if entry == nil {
		return fault.New(fault.Invalid, "Say what is to be done with them.")
	}
	if err := ops.Allowed(p.call(), entry); err != nil {
		return err
	}
	switch {
	case len(chosen) == 0:
		return s.sourcesPage(p, http.StatusUnprocessableEntity, "Choose the sources first.", nil, layout.Undo{})
	case len(chosen) > changesAtOnce:
		return s.sourcesPage(p, http.StatusUnprocessableEntity, "Choose at most "+strconv.Itoa(changesAtOnce)+" sources at once.", nil, layout.Undo{})
	}
	b := sources.Bulk{Do: do, FourEyes: p.fourEyes(), Reason: form.Entry{Value: sent.Get("reason")}, Owner: form.Entry{Value: sent.Get("owner")}, ReviewBy: form.Entry{Value: sent.Get("review_by")}}
	for _, code := range chosen {
		b.Rows = append(b.Rows, sources.Row{Code: code, Title: code})
	}
	again := func(field, why string) error {
		for name, e := range map[string]*form.Entry{"reason": &b.Reason, "owner": &b.Owner, "review_by": &b.ReviewBy} {
			if name == field {
				e.Problem = why
			}
		}
		return render(p.Context, http.StatusUnprocessableEntity, privately, sources.BulkPage(p.frame(), b))
	}
	switch {
	case sent.Get("confirmed") == "":
		return render(p.Context, http.StatusOK, privately, sources.BulkPage(p.frame(), b))
	case do == sources.DoFacts && b.Owner.Value == "" && b.ReviewBy.Value == "":
		return again("owner", "Name an owner or a review date.")
	case do == sources.DoSuspend && b.Reason.Value == "":
		return again("reason", "Say why, in at most 1,000 bytes.")
	}
	results, done := s.changeEach(p, chosen, b)
	return s.sourcesPage(p, http.StatusOK, "", results, undoOfAll(p, do, done))
}

// changeEach does to each what was asked for, and says what became of it; done
// are those to which it was done at once.
func (s *Server) changeEach(p *page, chosen []string, b sources.Bulk) (results []sources.Result, done []string) {
	for _, code := range chosen {
		r := sources.Result{Code: code, Kind: layout.Good, Text: "done", URL: p.at(sources.SourcePath(url.PathEscape(code)))}
		err := s.changeOne(p, code, b)
		f := fault.Of(err)
		q, waits := ops.AsWaiting(err)
		switch {
		case waits:
			r.Kind, r.Text, r.URL = layout.Caution, "waits for a second person", p.at(approvals.ReviewPath(q.ID))
		case err != nil && f.Kind == fault.Internal:
			r.Kind, r.Text = layout.Bad, "not done: something went wrong on our side"
		case err != nil:
			r.Kind, r.Text = layout.Bad, f.Message
		default:
			done = append(done, code)
		}
		results = append(results, r)
	}
	return results, done
}

func (s *Server) changeOne(p *page, code string, b sources.Bulk) error {
	var err error
	switch b.Do {
	case sources.DoSuspend:
		_, err = ops.Do(p.ctx(), s.desk, p.call(), ops.SuspendSource, ops.SuspendIn{Source: code, Reason: b.Reason.Value})
	case sources.DoRemove:
		_, err = ops.Do(p.ctx(), s.desk, p.call(), ops.RemoveSource, ops.GetSourceIn{Source: code})
	case sources.DoRestore:
		_, err = ops.Do(p.ctx(), s.desk, p.call(), ops.RestoreSource, ops.GetSourceIn{Source: code})
	case sources.DoFacts:
		in := ops.UpdateSourceIn{Source: code}
		if b.Owner.Value != "" {
			in.Owner = &b.Owner.Value
		}
		if b.ReviewBy.Value != "" {
			in.ReviewBy = new(models.Date(b.ReviewBy.Value))
		}
		_, err = ops.Do(p.ctx(), s.desk, p.call(), ops.UpdateSource, in)
	}
	return err
}

// undoOfAll is the form that takes back what was done to all of them, where the
// opposite is done in the same way.
func undoOfAll(p *page, do string, done []string) layout.Undo {
	opposite := map[string]string{sources.DoRemove: sources.DoRestore, sources.DoRestore: sources.DoRemove}[do]
	if opposite == "" || len(done) == 0 {
		return layout.Undo{}
	}
	u := layout.Undo{Text: "Undo", URL: p.at(sources.Path), Fields: []layout.Hidden{{Name: "do", Value: opposite}, {Name: "confirmed", Value: "yes"}}}
	for _, code := range done {
		u.Fields = append(u.Fields, layout.Hidden{Name: "source", Value: code})
	}
	return u
}
