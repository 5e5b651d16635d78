package ops_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"polaris/advisor/fetch"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// curator is a call of somebody who is signed in and edits the draft of a brain
// without four eyes.
func curator(t *testing.T, d *ops.Desk, brain models.BrainID) (ops.Call, ops.Call) {
	c := newBrain(t, d, brain, false)
	return c, signIn(t, d, brain, "ada@example.org", models.RoleOwner)
}

// The list is narrowed by each state, sorted each way, and paged through without
// losing or repeating a source.
func TestFindSources(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c, w := curator(t, d, "calliope")
	for i := range 7 {
		in := ops.ImportSourceIn{Name: "a.md", Code: fmt.Sprintf("S%d", i), Title: fmt.Sprintf("%c handbook", 'G'-rune(i)), Data: fmt.Appendf(nil, "# Handbook\n\nRule number %d holds.\n", i)}
		if i < 3 {
			in.ReviewBy = models.Date(fmt.Sprintf("202%d-01-01", 9-i*4)) // S2 is due, S1 is due, S0 is not
		}
		must(t, d, c, ops.ImportSource, in)
	}
	must(t, d, c, ops.SuspendSource, ops.SuspendIn{Source: "S4", Reason: "x"})
	must(t, d, c, ops.RemoveSource, ops.GetSourceIn{Source: "S5"})
	codes := func(in ops.FindSourcesIn) string {
		t.Helper()
		var all []string
		in.Limit = 2
		for {
			l := must(t, d, w, ops.FindSources, in)
			for _, s := range l.Sources {
				all = append(all, s.Code)
				if s.Passages == 0 || s.MediaType != "text/markdown" {
					t.Errorf("%s has %d passages and is %s", s.Code, s.Passages, s.MediaType)
				}
			}
			if in.Cursor = l.NextCursor; in.Cursor == "" {
				if len(all) != l.Total || l.All != 6 || l.Removed != 1 {
					t.Errorf("%+v: %d are listed, counted are %d of %d, %d removed", in, len(all), l.Total, l.All, l.Removed)
				}
				return strings.Join(all, " ")
			}
		}
	}
	for _, x := range []struct {
		in   ops.FindSourcesIn
		want string
	}{
		{ops.FindSourcesIn{}, "S0 S1 S2 S3 S4 S6"},
		{ops.FindSourcesIn{Sort: "title"}, "S6 S4 S3 S2 S1 S0"},
		{ops.FindSourcesIn{Sort: "added"}, "S6 S4 S3 S2 S1 S0"},
		{ops.FindSourcesIn{Sort: "review"}, "S2 S1 S0 S3 S4 S6"},
		{ops.FindSourcesIn{State: "suspended"}, "S4"},
		{ops.FindSourcesIn{State: "removed"}, "S5"},
		{ops.FindSourcesIn{State: "held"}, ""},
		{ops.FindSourcesIn{State: "review_due"}, "S1 S2"},
		{ops.FindSourcesIn{Text: "D HAND"}, "S3"},
		{ops.FindSourcesIn{Format: "application/pdf"}, ""},
		{ops.FindSourcesIn{Import: "imp_000000000000"}, ""},
	} {
		if got := codes(x.in); got != x.want {
			t.Errorf("%+v: %q, want %q", x.in, got, x.want)
		}
	}
}

// A stretch of a source reads the same as the whole, wherever it begins, and is
// found by key and by byte.
func TestReadSource(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c, w := curator(t, d, "calliope")
	text := "# Rules\n\n## 1 Fees\n\n"
	for i := range 12 {
		text += fmt.Sprintf("(%c) Fee number %d, höchstens €%d.\n\n(1) Nested below %d.\n\n", 'a'+i, i, i, i)
	}
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(text)})
	whole := must(t, d, c, ops.GetSource, ops.GetSourceIn{Source: "HR"})
	full := must(t, d, w, ops.ReadSource, ops.ReadSourceIn{Source: "HR"})
	var got []ops.SourcePassage
	for from := 0; from < len(whole.Passages); from += 5 {
		s := must(t, d, w, ops.ReadSource, ops.ReadSourceIn{Source: "HR", From: from, Limit: 5})
		if s.Total != len(whole.Passages) || !slices.Equal(s.Depth, full.Depth[from:min(from+5, len(full.Depth))]) {
			t.Errorf("from %d: %d in all, depths %v, want %v", from, s.Total, s.Depth, full.Depth[from:])
		}
		got = append(got, s.Passages...)
	}
	for i, p := range whole.Passages {
		if i >= len(got) || got[i].Text != p.Text || got[i].Key != p.Key {
			t.Fatalf("passage %d differs", i)
		}
	}
	last := whole.Passages[len(whole.Passages)-1]
	for _, in := range []ops.ReadSourceIn{{Source: "HR", Limit: 5, Key: last.Key}, {Source: "HR", Limit: 5, At: last.Start + 2}} {
		s := must(t, d, w, ops.ReadSource, in)
		if s.Found != last.Ordinal || s.Passages[s.Found-s.From].Key != last.Key {
			t.Errorf("%+v: found %d from %d", in, s.Found, s.From)
		}
	}
	if _, err := ops.Do(t.Context(), d, w, ops.ReadSource, ops.ReadSourceIn{Source: "HR", From: 999}); !fault.Is(err, fault.NotFound) {
		t.Errorf("beyond the end: %v", err)
	}
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	old := must(t, d, w, ops.ReadSource, ops.ReadSourceIn{Source: "HR", Revision: 1})
	if old.Total != len(whole.Passages) || len(old.Revisions) != 2 || old.Revisions[0].N != 2 || old.Revisions[1].Passages != old.Total {
		t.Errorf("revision 1: %d passages, history %+v", old.Total, old.Revisions)
	}
}

// What is typed of a key is completed by its beginning, by a heading, and by what
// the published version finds for words.
func TestFindPassages(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c, w := curator(t, d, "calliope")
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rulesLater)})
	find := func(q string) (all []string) {
		t.Helper()
		for _, p := range must(t, d, w, ops.FindPassages, ops.FindPassagesIn{Query: q}).Passages {
			all = append(all, p.How+" "+p.Key)
			if p.Text == "" || p.Code != "HR" {
				t.Errorf("%q: %+v", q, p)
			}
		}
		return all
	}
	if got := find("hr 1("); !slices.Equal(got, []string{"key HR 1(a)"}) {
		t.Errorf("by its beginning: %q", got)
	}
	if got := find("%"); len(got) != 0 {
		t.Errorf("a sign is itself: %q", got)
	}
	if got := find("grace"); len(got) == 0 || !strings.HasPrefix(got[0], "name ") {
		t.Errorf("by its heading: %q", got)
	}
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	w = signIn(t, d, "calliope", "ben@example.org", models.RoleCurator)
	if got := find("complaints answered"); !slices.Contains(got, "words HR 2(b)") {
		t.Errorf("by words: %q", got)
	}
}

// A check says what each anchor leads to, what could replace one that is lost or
// was moved, and which cards overlap.
func TestCheckCard(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c, w := curator(t, d, "calliope")
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	must(t, d, c, ops.SaveCard, ops.SaveCardIn{ID: "fees", Label: "Fees", Covers: "what late fees we charge somebody who pays late", Anchors: []string{"HR 1"}})
	check := func(in ops.CheckCardIn) ops.CardCheck { t.Helper(); return must(t, d, w, ops.CheckCard, in) }
	x := check(ops.CheckCardIn{Anchors: []string{"HR 1(a)", "hr 1(b)", "???"}})
	if x.Support != "partly" || len(x.Anchors[0].Passages) != 1 || x.Anchors[0].Passages[0].Text != "(a) The late fee is 12 euros." || x.Anchors[2].Problem == "" {
		t.Errorf("anchors: %+v", x)
	}
	if len(x.Overlaps) != 1 || x.Overlaps[0].ID != "fees" || !slices.Equal(x.Overlaps[0].Anchors, []string{"HR 1"}) {
		t.Errorf("a part of the other's anchor: %+v", x.Overlaps)
	}
	if x := check(ops.CheckCardIn{Covers: "somebody pays late: which late fees to charge"}); len(x.Overlaps) != 1 || len(x.Overlaps[0].Words) == 0 || x.Support != "unsupported" {
		t.Errorf("the same is covered: %+v", x)
	}
	if x := check(ops.CheckCardIn{ID: "fees", Covers: "what late fees we charge somebody who pays late", Anchors: []string{"HR 1"}}); len(x.Overlaps) != 0 || x.Support != "supported" {
		t.Errorf("a card overlaps with itself: %+v", x)
	}
	// "No fee …" moves from 1(b) to 2(a); 1(a) stays with other words.
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rulesLater)})
	x = check(ops.CheckCardIn{Anchors: []string{"HR 1(b)", "HR 1(z)", "HR 1(a)"}})
	if a := x.Anchors[0]; len(a.Passages) != 0 || !a.Moved || len(a.Instead) == 0 || a.Instead[0].Key != "HR 2(a)" {
		t.Errorf("a moved anchor: %+v", a)
	}
	if a := x.Anchors[1]; a.Moved || len(a.Instead) == 0 || !strings.HasPrefix(a.Instead[0].Key, "HR 1") {
		t.Errorf("an anchor that never was: %+v", a)
	}
	if len(x.Anchors[2].Passages) != 1 || x.Support != "partly" {
		t.Errorf("one that stayed: %+v", x.Anchors[2])
	}
	if l := must(t, d, c, ops.ListCards, ops.Page{}); len(l.Shared) != 0 {
		t.Errorf("one card shares %v", l.Shared)
	}
	must(t, d, c, ops.SaveCard, ops.SaveCardIn{ID: "more", Label: "More", Covers: "x", Anchors: []string{"HR 1", "HR 2(b)"}})
	if l := must(t, d, c, ops.ListCards, ops.Page{}); !slices.Equal(l.Shared["fees"], []string{"more"}) || !slices.Equal(l.Shared["more"], []string{"fees"}) {
		t.Errorf("two cards share %v", l.Shared)
	}
}

// A card is tried as it is written, saved or not, and a source is asked alone; no
// answer is recorded of either.
func TestAskDraft(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c, w := curator(t, d, "calliope")
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rulesLater)})
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "other.md", Code: "OT", Data: []byte("# Other\n\n(a) The late fee for boats is 99 euros.\n")})
	cites := func(e *models.Envelope) (all []string) {
		for _, x := range e.Citations {
			all = append(all, x.Key)
		}
		return all
	}
	card := &ops.SaveCardIn{Label: "Complaints", Covers: "complaints", Anchors: []string{"HR 2(b)"}}
	got := must(t, d, w, ops.AskDraft, ops.AskDraftIn{Query: "How much is the late fee?", Card: card})
	if slices.Contains(cites(got.Without), "HR 2(b)") || !slices.Equal(got.With.TopicsUsed, []string{"complaints"}) || got.Found != nil {
		t.Errorf("with the card %q (%v), without %q", cites(got.With), got.With.TopicsUsed, cites(got.Without))
	}
	got = must(t, d, w, ops.AskDraft, ops.AskDraftIn{Query: "How much is the late fee?", Source: "OT"})
	if len(got.Alone.Citations) == 0 || got.LeftOut || len(got.Found.Citations) < 2 {
		t.Errorf("alone %q, of all %q", cites(got.Alone), cites(got.Found))
	}
	for _, x := range got.Alone.Citations {
		if x.Provenance.DocTitle != "Other" || x.Score <= 0 || x.Why == "" {
			t.Errorf("alone: %+v", x)
		}
	}
	// What changes in the draft is asked at once.
	must(t, d, c, ops.RemoveSource, ops.GetSourceIn{Source: "OT"})
	if got = must(t, d, w, ops.AskDraft, ops.AskDraftIn{Query: "late fee for boats", Source: "OT"}); !got.LeftOut || slices.ContainsFunc(got.Found.Citations, func(x models.Citation) bool { return x.Provenance.DocTitle == "Other" }) {
		t.Errorf("a removed source is in the draft: %q", cites(got.Found))
	}
	if l := must(t, d, c, ops.ListAnswers, ops.AnswersIn{}); len(l.Answers) != 0 {
		t.Errorf("%d answers are recorded", len(l.Answers))
	}
	if _, err := ops.Do(t.Context(), d, w, ops.AskDraft, ops.AskDraftIn{Query: "x", Card: &ops.SaveCardIn{Label: "x", Covers: "y"}}); fault.Of(err).Field != "anchors" {
		t.Errorf("a card without anchors: %v", err)
	}
}

// A history tells who changed what, and what took it back.
func TestShowHistory(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c, w := curator(t, d, "calliope")
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	must(t, d, w, ops.SaveCard, ops.SaveCardIn{ID: "fees", Label: "Fees", Covers: "x", Anchors: []string{"HR 1(a)"}})
	must(t, d, w, ops.SaveCard, ops.SaveCardIn{ID: "fees", Label: "Late fees", Covers: "x", Anchors: []string{"HR 1(a)"}})
	h := must(t, d, w, ops.ShowHistory, ops.HistoryIn{Card: "fees"}).Entries
	if len(h) != 2 || h[0].Operation != "topic_cards.save" || len(h[0].Changes) != 1 || h[0].Changes[0] != (models.Change{Field: "label", From: "Fees", To: "Late fees"}) || len(h[1].Changes) != 3 {
		t.Fatalf("the card's: %+v", h)
	}
	must(t, d, w, ops.UndoChange, ops.UndoIn{ID: fmt.Sprint(h[0].ID)})
	if h = must(t, d, w, ops.ShowHistory, ops.HistoryIn{Card: "fees"}).Entries; len(h) != 3 || !h[0].Undo || h[0].Operation != "topic_cards.save" {
		t.Errorf("after it was undone: %+v", h)
	}
	must(t, d, w, ops.UpdateSource, ops.UpdateSourceIn{Source: "HR", Owner: new("Legal")})
	if h = must(t, d, w, ops.ShowHistory, ops.HistoryIn{Source: "HR"}).Entries; len(h) != 2 || h[0].Operation != "sources.update" || h[1].Operation != "sources.import" {
		t.Errorf("the source's: %+v", h)
	}
	if _, err := ops.Do(t.Context(), d, w, ops.ShowHistory, ops.HistoryIn{}); fault.Of(err).Field != "card" {
		t.Errorf("of nothing: %v", err)
	}
}

// Many ask the draft while it is changed: each is answered from a draft as it was
// at one moment, and from the new one afterwards.
func TestManyAskTheDraft(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c, w := curator(t, d, "calliope")
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	card := &ops.SaveCardIn{ID: "fees", Label: "Fees", Covers: "fees", Anchors: []string{"HR 1(b)"}}
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			for range 5 {
				out, err := ops.Do(t.Context(), d, w, ops.AskDraft, ops.AskDraftIn{Query: "How much is the late fee?", Card: card, Source: "HR"})
				if err != nil {
					t.Error(err)
				} else if r := out.Without.Result; !strings.Contains(r, "12 euros") && !strings.Contains(r, "15 euros") {
					t.Errorf("answered %q", r)
				}
			}
		})
	}
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rulesLater)})
	all.Wait()
	if out := must(t, d, w, ops.AskDraft, ops.AskDraftIn{Query: "How much is the late fee?"}); !strings.Contains(out.Without.Result, "15 euros") {
		t.Errorf("afterwards: %q", out.Without.Result)
	}
}

// A site is looked at within the bounds that were given, and nothing is kept.
func TestSurveySite(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	_, w := curator(t, d, "calliope")
	origin := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a/":
			fmt.Fprint(rw, `<html><body><p>One.</p><a href="b">b</a> <a href="/elsewhere">x</a></body></html>`)
		case "/a/b":
			fmt.Fprint(rw, `<html><body><p>Two.</p></body></html>`)
		default:
			http.NotFound(rw, r)
		}
	}))
	t.Cleanup(origin.Close)
	look := func(at string, n int, sitemap bool) (ops.SiteSurvey, error) {
		return ops.Do(t.Context(), d, w, ops.SurveySite, ops.CrawlIn{URL: at, Crawl: models.Crawl{MaxPages: n, Sitemap: sitemap}})
	}
	if _, err := look(origin.URL+"/a/", 9, false); fault.Of(err).Code != "fetching_off" {
		t.Errorf("where nothing is fetched: %v", err)
	}
	d.Settings.Fetch = fetch.New(fetch.Settings{Reach: fetch.Reach{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}})
	got, err := look(origin.URL+"/a/", 9, false)
	if err != nil || len(got.Found) != 2 || got.Stopped != "" || got.Found[1].Bytes == 0 || got.Bytes == 0 {
		t.Errorf("all of it: %+v, %v", got, err)
	}
	if got, err = look(origin.URL+"/a/", 1, false); err != nil || len(got.Found) != 1 || got.Stopped != "max_pages" {
		t.Errorf("one page: %+v, %v", got, err)
	}
	for what, x := range map[string]struct {
		at      string
		n       int
		sitemap bool
		field   string
	}{
		"no page":        {origin.URL + "/a/", 0, false, "crawl"},
		"no site":        {origin.URL + "/none/", 3, false, "url"},
		"no sitemap":     {origin.URL + "/a/", 3, true, ""},
		"another scheme": {"file:///etc/passwd", 3, false, "crawl"},
		"an inner host":  {"http://10.0.0.1/", 3, false, "url"},
	} {
		if _, err := look(x.at, x.n, x.sitemap); err == nil || fault.Of(err).Kind == fault.Internal || x.field != "" && fault.Of(err).Field != x.field {
			t.Errorf("%s: %v (%s)", what, err, fault.Of(err).Field)
		}
	}
	if l := must(t, d, w, ops.ListImports, ops.Page{}); len(l.Imports) != 0 {
		t.Errorf("%d imports began", len(l.Imports))
	}
}
