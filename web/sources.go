package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/approvals"
	"polaris/views/form"
	"polaris/views/layout"
	"polaris/views/sources"
)

func sourceRow(p *page, src models.Source) sources.Row {
	return sources.Row{
		Owner: src.Owner, ReviewBy: day(src.ReviewBy), Holds: daysOf(src), Replaces: src.Supersedes,
		ReviewDue: src.ReviewBy != "" && string(src.ReviewBy) <= p.now.UTC().Format(time.DateOnly),
		Code:      src.Code, Title: src.Title, Revision: strconv.Itoa(src.Head), Origin: src.OriginURL, Added: p.when(src.CreatedAt), By: src.CreatedBy,
	}
}

// day writes a date for readers.
func day(d models.Date) string {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return ""
	}
	return layout.Date(t)
}

// daysOf says between which days a source holds.
func daysOf(s models.Source) string {
	from, to := day(s.EffectiveFrom), day(s.EffectiveTo)
	if from != "" {
		from = "from " + from
	}
	if to != "" {
		to = "until " + to
	}
	return strings.TrimSpace(from + " " + to)
}

// passagesShown is how many passages a page of a source holds.
const passagesShown = 200

// showSource shows a stretch of a source. In its address, key is a citation key
// and leads to its passage; span, as in ?revision=2&span=120-260#quote, marks
// these bytes of a revision.
func (s *Server) showSource(p *page) error {
	code, err := param(p.Context, "code")
	if err != nil {
		return err
	}
	in, span, err := stretchAsked(p, code)
	if err != nil {
		return err
	}
	v, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ReadSource, in)
	if err != nil {
		return err
	}
	switch {
	case in.Key != "":
		return p.Redirect(http.StatusSeeOther, passageURL(p, v))
	case code != v.Source.Code:
		return p.Redirect(http.StatusSeeOther, withQuery(p.at(sources.SourcePath(v.Source.Code)), p.QueryParams()))
	}
	h, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ShowHistory, ops.HistoryIn{Source: v.Source.ID})
	if err != nil {
		return err
	}
	view := sourceView(p, v, span)
	view.History, view.Undo = historyOf(p, h)
	f := p.frame()
	if p.QueryParam("done") == "source-removed" && view.IsRemoved && view.May {
		f.Flash.Undo = layout.Undo{URL: p.at(sources.RestorationPath(v.Source.Code))}
	}
	return p.show(sources.SourcePage(f, view))
}

// stretchAsked reads from the address which part of a source is wanted.
func stretchAsked(p *page, code string) (in ops.ReadSourceIn, span [2]int, err error) {
	nowhere := fault.New(fault.NotFound, "The source has no passage there.")
	in = ops.ReadSourceIn{Source: code, Key: p.QueryParam("key"), Limit: passagesShown}
	for name, to := range map[string]*int{"from": &in.From, "revision": &in.Revision} {
		if sent := p.QueryParam(name); sent != "" {
			if *to, err = strconv.Atoi(sent); err != nil || *to < 0 {
				return in, span, nowhere
			}
		}
	}
	if sent := p.QueryParam("span"); sent != "" {
		a, b, _ := strings.Cut(sent, "-")
		start, err1 := strconv.Atoi(a)
		end, err2 := strconv.Atoi(b)
		if err1 != nil || err2 != nil || start < 0 || end < start {
			return in, span, nowhere
		}
		span = [2]int{start, end}
		if p.QueryParam("from") == "" {
			in.At = start
		}
	}
	return in, span, nil
}

// passageURL leads to the passage that was found by its key, or to the source
// where there is none: citations know the key, and a page has room for some
// passages.
func passageURL(p *page, v *ops.SourceStretch) string {
	q := url.Values{}
	if v.Revision.N != v.Source.Head {
		q.Set("revision", strconv.Itoa(v.Revision.N))
	}
	at := p.at(sources.SourcePath(v.Source.Code))
	if v.Found < 0 {
		return withQuery(at, q)
	}
	if v.From > 0 {
		q.Set("from", strconv.Itoa(v.From))
	}
	return withQuery(at, q) + "#p" + strconv.Itoa(v.Found)
}

func sourceView(p *page, v *ops.SourceStretch, span [2]int) sources.Source {
	row := sourceRow(p, v.Source)
	row.Language, row.Format = languageWords(v.Revision.Language), formatWord(v.Revision.MediaType)
	view := sources.Source{
		Row: row, Name: v.Revision.Name, Media: v.Revision.MediaType, SHA256: v.SHA256, Problems: v.Revision.Warnings, Total: layout.Plural(v.Total, "passage", "passages"), Question: form.Entry{},
		May: p.by.May(models.MayEditDraft), FourEyes: p.fourEyes(),
	}
	if v.Purged != nil {
		view.Purged = layout.Date(v.Purged.At) + ": " + v.Purged.Reason
	}
	if v.Source.RemovedAt != nil {
		view.IsRemoved, view.Removed = true, p.when(*v.Source.RemovedAt)
	}
	view.Certified = certifiedWords(v.Certified)
	for _, f := range v.Revision.Flags {
		view.Flags = append(view.Flags, flagWords(f))
	}
	if v.Certified == nil && v.Revision.Held() && v.Revision.N == v.Source.Head {
		view.Row.Held = "held"
		view.Brought = "Brought in by " + v.Revision.CreatedBy + " on " + v.Revision.CreatedAt.UTC().Format("2 January 2006") + "."
	}
	view.Reading = readingOf(v.Revision.Report)
	if v.References != nil && v.References.Found > 0 {
		view.Reading.Facts = append(view.Reading.Facts, sources.Fact{Name: "References", Text: referenceWords(*v.References)})
	}
	view.Revisions, view.Shown = revisionsOf(p, v, view.May && !view.IsRemoved && v.Purged == nil)
	fillPassages(&view, v, span)
	q := url.Values{}
	if v.Revision.N != v.Source.Head {
		q.Set("revision", strconv.Itoa(v.Revision.N))
	}
	to := func(from int) string {
		q.Set("from", strconv.Itoa(from))
		return withQuery(p.at(sources.SourcePath(v.Source.Code)), q)
	}
	if v.From > 0 {
		view.Older = to(max(0, v.From-passagesShown))
	}
	if end := v.From + len(v.Passages); end < v.Total {
		view.Newer = to(end)
	}
	return view
}

// fillPassages fills in the passages and what is suspended, and marks the span.
func fillPassages(view *sources.Source, v *ops.SourceStretch, span [2]int) {
	whole, off := false, map[string]bool{}
	for _, x := range v.Suspended {
		view.Suspensions = append(view.Suspensions, sources.Suspension{Key: x.Key, Reason: x.Reason, By: x.By, At: layout.At(x.At, time.Now())})
		off[x.Key] = true
		whole = whole || x.Key == ""
	}
	first := true
	for i, ps := range v.Passages {
		shown := sources.Passage{
			Ordinal: strconv.Itoa(ps.Ordinal), Key: ps.Key, Locator: ps.Locator, Heading: ps.Kind == models.Section, Depth: v.Depth[i], Text: ps.Text, Off: whole || off[ps.Key],
		}
		if ps.Page > 0 {
			shown.Page = strconv.Itoa(ps.Page)
		}
		if view.May && !shown.Off && ps.Key != "" && v.Purged == nil && v.Revision.N == v.Source.Head {
			shown.Suspend = sources.SuspensionPath(v.Source.Code, ps.Key)
		}
		shown.Cites = citesOf(ps.Refs)
		shown.CitedBy, shown.Citing = citedBy(ps.ReferredBy)
		if start, end := inText(ps.Text, span[0]-ps.Start), inText(ps.Text, span[1]-ps.Start); end > start {
			shown.MarkStart, shown.MarkEnd, shown.First = start, end, first
			first = false
		}
		view.Passages = append(view.Passages, shown)
	}
}

// inText returns the place in a text that is nearest to i and where a character
// begins.
func inText(text string, i int) int {
	i = min(max(i, 0), len(text))
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

func certifiedWords(c *models.Certification) string {
	if c == nil {
		return ""
	}
	words := "by " + c.By + " on " + c.At.UTC().Format("2 January 2006")
	if !c.Authenticated {
		words += ", named at a terminal"
	}
	if c.ImportedBy != "" {
		words += ", imported by " + c.ImportedBy
	}
	if c.Note != "" {
		words += ": " + c.Note
	}
	return words
}

// revisionsOf lists the revisions, and says which one is shown.
func revisionsOf(p *page, v *ops.SourceStretch, may bool) (all []sources.Revision, shown sources.Revision) {
	at := p.at(sources.SourcePath(v.Source.Code))
	for _, r := range v.Revisions {
		n := strconv.Itoa(r.N)
		x := sources.Revision{N: n, File: r.Name, At: p.when(r.CreatedAt), By: r.CreatedBy, Passages: layout.Plural(r.Passages, "passage", "passages"), Certified: r.CertifiedBy, Flags: r.Flags, Draft: r.N == v.Source.Head, Shown: r.N == v.Revision.N, URL: at + "?revision=" + n}
		if r.N > 1 && v.Purged == nil {
			x.Diff = at + "/diff?" + url.Values{"from": {strconv.Itoa(r.N - 1)}, "to": {n}}.Encode()
		}
		if may && !x.Draft {
			x.Revert = p.at(sources.ReversionPath(v.Source.Code)) + "?revision=" + n
		}
		if x.Shown {
			shown = x
		}
		all = append(all, x)
	}
	if shown.N == "" { // an old one of many
		shown = sources.Revision{N: strconv.Itoa(v.Revision.N), Draft: v.Revision.N == v.Source.Head}
	}
	return all, shown
}

// historyOf writes what changed a thing, and the change that the reader can take
// back: the last, where there is something that does it.
func historyOf(p *page, h ops.History) (all []sources.Change, undo string) {
	catalog := ops.All()
	for i, e := range h.Entries {
		c := sources.Change{What: operationTitle(e.Operation), At: p.when(e.At), By: e.Actor, Approved: e.ApprovedBy, Why: e.Rationale, Undid: e.Undo}
		if !e.Authenticated {
			c.By += ", not signed in"
		}
		if e.Recommendation != "" {
			c.URL = p.at(approvals.ReviewPath(e.Recommendation))
		}
		for _, x := range e.Changes {
			c.Fields = append(c.Fields, sources.FieldChange{Field: strings.ReplaceAll(x.Field, "_", " "), From: x.From, To: x.To})
		}
		all = append(all, c)
		if o := catalog.Find(e.Operation); i == 0 && p.by.May(models.MayEditDraft) && o != nil && o.Undoable() {
			undo = cmp.Or(e.Recommendation, strconv.FormatInt(e.ID, 10))
		}
	}
	return all, undo
}

// flagWords says what was found in a document, and where.
func flagWords(f models.Flag) string {
	what := map[models.FlagKind]string{
		models.HiddenText: "Text that its readers do not see", models.Instruction: "Words that address a language model",
		models.Invisible: "Invisible characters", models.Direction: "Characters that turn the reading direction",
	}[f.Kind]
	if f.Page > 0 {
		what += " (p. " + strconv.Itoa(f.Page) + ")"
	}
	return cmp.Or(what, string(f.Kind)) + ": " + f.Text
}

// readingOf says how a document was read.
func readingOf(r *models.ReadReport) (v sources.Reading) {
	if r == nil {
		return v
	}
	add := func(name, text string) { v.Facts = append(v.Facts, sources.Fact{Name: name, Text: text}) }
	if r.Pages > 0 {
		add("Pages", layout.Number(r.Pages))
	}
	if r.Kept > 0 {
		v.Kept = layout.Number(r.Kept) + " characters"
		if r.Found > r.Kept { // a table's text repeats the names of its columns, and may be longer than the file's
			v.Kept += " of " + layout.Number(r.Found) + " in the file"
			v.Share = fmt.Sprintf("%.3f", float64(r.Kept)/float64(r.Found))
		}
	}
	for _, m := range r.Margins {
		add("Repeated on its pages", m)
	}
	for _, c := range r.Comments {
		add("Comment", strings.TrimPrefix(c.By+": ", ": ")+c.Text)
	}
	var all int64
	for _, s := range r.Stages {
		all += s.Micros
	}
	for _, s := range r.Stages {
		x := sources.Stage{Name: s.Name, Took: took(s.Micros), Share: "0"}
		if all > 0 {
			x.Share = fmt.Sprintf("%.3f", float64(s.Micros)/float64(all))
		}
		v.Stages = append(v.Stages, x)
	}
	v.Took = took(all)
	return v
}

func took(micros int64) string {
	return (time.Duration(micros) * time.Microsecond).Round(10 * time.Microsecond).String()
}
