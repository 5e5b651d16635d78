package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/layout"
	"polaris/views/sources"
)

func (s *Server) listSources(p *page) error { return s.sourcesPage(p, nil, nil) }

// sourcesPage shows the sources, with why files and addresses were not taken.
func (s *Server) sourcesPage(p *page, refused *refusal, addresses []string) error {
	l, err := ops.Whole(p.ctx(), s.desk, p.call(), ops.ListSources)
	if err != nil {
		return err
	}
	x := sources.Index{State: layout.Plural(len(l.Sources), "source", "sources") + " in the draft.", Import: "bb import handbook.md --brain-id " + string(p.brain)}
	for _, src := range l.Sources {
		r := sourceRow(p, src)
		r.Passages, r.Language = layout.Number(l.Passages[src.ID]), languageWords(l.Languages[src.ID])
		r.Suspended, r.Warnings = suspendedWords(l.Suspended, src.ID), l.Warnings[src.ID]
		if n := l.Held[src.ID]; n > 0 {
			r.Held = "held: " + layout.Plural(n, "flag", "flags")
		}
		x.Rows = append(x.Rows, r)
	}
	x.May, x.Broken = p.by.May(models.MayEditDraft), len(x.Rows) > 0
	for _, src := range l.Removed {
		r := sourceRow(p, src)
		r.Added, r.Purged = p.whenever(src.RemovedAt), slices.Contains(l.Purged, src.ID)
		x.Gone = append(x.Gone, r)
	}
	if ops.Allowed(p.call(), ops.StartImport.Entry()) == nil {
		x.Upload = &sources.Upload{Most: strconv.FormatInt(s.mostUploaded()*3/4>>20, 10) + " MB"}
		if refused != nil {
			x.Upload.Problem, x.Upload.Addresses = refused.Message, strings.Join(addresses, "\n")
		}
	}
	return render(p.Context, refused.status(), privately, sources.IndexPage(p.frame(), x))
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
	return sources.Row{
		Owner: src.Owner, ReviewBy: day(src.ReviewBy), Holds: daysOf(src), Replaces: src.Supersedes,
		Code: src.Code, Title: src.Title, Revision: strconv.Itoa(src.Head), Origin: src.OriginURL, Added: p.when(src.CreatedAt), By: src.CreatedBy,
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
	row.Passages, row.Language = layout.Number(len(v.Passages)), languageWords(v.Revision.Language)
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
		if c.ImportedBy != "" {
			view.Certified += ", imported by " + c.ImportedBy
		}
		if c.Note != "" {
			view.Certified += ": " + c.Note
		}
	}
	for _, f := range v.Revision.Flags {
		view.Flags = append(view.Flags, flagWords(f))
	}
	if v.Certified == nil && v.Revision.Held() {
		view.Row.Held = "Brought in by " + v.Revision.CreatedBy + " on " + v.Revision.CreatedAt.UTC().Format("2 January 2006") + ". "
		if view.FourEyes {
			view.Row.Held += "It is not published until another curator has looked at what was found and certified it."
		} else {
			view.Row.Held += "It is not published until a curator has looked at what was found and certified it."
		}
	}
	view.Report = reportFacts(v.Revision.Report)
	if v.References.Found > 0 {
		view.Report = append(view.Report, sources.Fact{Name: "References", Text: referenceWords(v.References)})
	}
	depth := depths(v.Passages)
	for i, ps := range v.Passages[from:to] {
		shown := sources.Passage{
			Ordinal: strconv.Itoa(ps.Ordinal), Key: ps.Key, Locator: ps.Locator, Heading: ps.Kind == models.Section, Depth: depth[from+i], Text: ps.Text, Off: whole || off[ps.Key],
		}
		if view.May && !shown.Off && ps.Key != "" {
			shown.Suspend = sources.SuspensionPath(v.Source.Code, ps.Key)
		}
		shown.Cites = citesOf(ps.Refs)
		shown.CitedBy, shown.Citing = citedBy(ps.ReferredBy)
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

// reportFacts says how a document was read.
func reportFacts(r *models.ReadReport) (fs []sources.Fact) {
	if r == nil {
		return nil
	}
	add := func(name, text string) { fs = append(fs, sources.Fact{Name: name, Text: text}) }
	if r.Pages > 0 {
		add("Pages", layout.Number(r.Pages))
	}
	if r.Kept > 0 {
		kept := layout.Number(r.Kept) + " characters"
		if r.Found > r.Kept { // a table's text repeats the names of its columns, and may be longer than the file's
			kept += " of " + layout.Number(r.Found) + " in the file"
		}
		add("Kept", kept)
	}
	for _, m := range r.Margins {
		add("Repeated on its pages", m)
	}
	for _, c := range r.Comments {
		add("Comment", strings.TrimPrefix(c.By+": ", ": ")+c.Text)
	}
	stages := make([]string, len(r.Stages))
	for i, s := range r.Stages {
		stages[i] = s.Name + " " + (time.Duration(s.Micros) * time.Microsecond).Round(10*time.Microsecond).String()
	}
	if len(stages) > 0 {
		add("Read in", strings.Join(stages, ", "))
	}
	return fs
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
