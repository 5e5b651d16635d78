package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"polaris/advisor/fetch"
	"polaris/models"
	"polaris/ops"
)

// furnishedDraft is a brain without four eyes, with some sources, one of which
// has two revisions; its owner is at the browser.
func furnishedDraft(t *testing.T) (*site, *tab) {
	t.Helper()
	ctx := realBrowser(t)
	s, _ := started(t)
	s.desk.Settings.RateLimit = models.Rate{Off: true}
	for _, d := range []struct{ code, text string }{
		{"RU", rules},
		{"HB", "# Handbook\n\n## 1 Letters\n\n(a) We answer each letter within two days.\n\n(b) Complaints go to the complaints desk.\n"},
		{"BOAT", "# Boats\n\n(a) The late fee for boats is 99 dollars.\n"},
		{"RU", later},
	} {
		s.draft("calliope", d.code, d.text)
	}
	b := &tab{t: t, ctx: ctx, site: s}
	b.do(wide)
	return s, b
}

// A curator finds sources, by what they are called and by their state, and goes
// through the list and into a source without a mouse.
func TestFindSourcesInTheBrowser(t *testing.T) {
	_, b := furnishedDraft(t)
	b.enters(owner, "/brains/calliope/sources")
	b.sees("3\u00a0sources in the draft.")
	b.keep("sources")
	b.keys("f")
	b.until(`document.activeElement.id === "text"`)
	b.keys("letters" + kb.Enter)
	b.sees("0\u00a0sources are like that")
	b.sees("No source is like that")
	b.keep("sources-none")
	b.open("/brains/calliope/sources?sort=title")
	b.keys("j")
	b.keys("j")
	b.until(`document.activeElement.textContent === "Handbook"`)
	b.keys("k" + kb.Enter)
	b.sees("BOAT, revision 1")
	b.keep("source")
}

// Several sources get an owner at once, are taken out of the draft, and come back:
// with the mouse and by keys alone.
func TestChangeSourcesInTheBrowser(t *testing.T) {
	_, b := furnishedDraft(t)
	b.enters(owner, "/brains/calliope/sources")
	b.do(chromedp.Click(chromedp.CSS("[data-all]")))
	b.sees("With the 3 chosen:")
	b.press("Set owner or review date…")
	b.sees("Owner and review date of 3")
	b.press("Save for all of them")
	b.sees("Name an owner or a review date.")
	b.keep("sources-facts")
	b.fill("owner", "Legal")
	value[string](b, `document.getElementById("review_by").value = "2020-01-31"`)
	b.press("Save for all of them")
	b.sees("What was done")
	b.sees("review due")
	b.keep("sources-done")

	b.open("/brains/calliope/sources?state=review_due")
	b.keys("j")
	b.keys("x")
	b.sees("With the 1 chosen:")
	b.tabTo(`button[value=remove]`)
	b.keys(kb.Enter)
	b.sees("Take 1\u00a0source out of the draft?")
	b.keep("sources-remove")
	b.tabTo(`main button[data-variant=danger]`)
	b.keys(kb.Enter)
	b.sees("What was done")
	b.sees("2\u00a0sources in the draft")
	b.tabTo(`[aria-labelledby=results-title] button`)
	b.keys(kb.Enter)
	b.sees("3\u00a0sources in the draft")
	b.sees("done")
}

// Files are dropped, or chosen by keys, and each tells how far it is until its
// source is there.
func TestUploadInTheBrowser(t *testing.T) {
	s, b := furnishedDraft(t)
	s.reading(1)
	folder := t.TempDir()
	var paths []string
	for name, text := range map[string]string{"pets.md": "# Pets\n\nCats sleep sixteen hours a day.\n", "birds.md": "# Birds\n\nSwallows fly 24 miles an hour.\n", "bad.md": "GIF89a"} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	b.enters(owner, "/brains/calliope/imports/new")
	b.sees("Choose files, or drop them here")
	b.keep("import-new")
	// A drop, as the page is told of it.
	value[bool](b, `(() => {
		const data = new DataTransfer();
		data.items.add(new File(["# Dropped\n\nA dropped page.\n"], "dropped.md"));
		document.querySelector("main").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
		return true;
	})()`)
	b.sees("dropped.md")
	b.keep("import-chosen")
	b.tabTo(`button[value=import]`)
	b.keys(kb.Enter)
	b.sees("All is read: 1 imported.")
	b.sees("Dropped")

	b.open("/brains/calliope/imports/new")
	b.choose("#files", paths)
	b.sees("birds.md")
	b.tabTo(`button[value=import]`)
	b.keys(kb.Enter)
	b.sees("2 imported")
	b.sees("1 not imported")
	b.keep("import-ended")
	b.press("The sources that came of it")
	b.sees("2\u00a0sources are like that")
	b.sees("Birds")
}

// choose puts files into a field, as the file picker does.
func (b *tab) choose(selector string, paths []string) {
	b.t.Helper()
	b.do(chromedp.SetUploadFiles(chromedp.CSS(selector), paths))
}

// A part of a site is looked at before it is imported.
func TestCrawlInTheBrowser(t *testing.T) {
	s, b := furnishedDraft(t)
	origin := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/policies/":
			fmt.Fprint(rw, `<html><body><h1>Policies</h1><p>We answer within two days.</p><a href="fees">Fees</a> <a href="gone">Gone</a></body></html>`)
		case "/policies/fees":
			fmt.Fprint(rw, `<html><body><h1>Fees</h1><p>A stamp costs two dollars.</p></body></html>`)
		default:
			http.NotFound(rw, r)
		}
	}))
	t.Cleanup(origin.Close)
	s.desk.Settings.Fetch = fetch.New(fetch.Settings{Reach: fetch.Reach{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}})
	b.enters(owner, "/brains/calliope/imports/new")
	b.press("See what would come")
	b.sees("Say where to begin.")
	b.fill("crawl_url", origin.URL+"/policies/")
	b.tabTo(`button[value=look]`)
	b.keys(kb.Enter)
	b.sees("What would come")
	b.sees("2\u00a0documents")
	b.sees("/policies/fees")
	b.sees("Left out: 1")
	b.keep("import-survey")
	if l := run(s, terminalOf("calliope"), ops.ListImports, ops.Page{}); len(l.Imports) != 0 {
		t.Errorf("looking started %d imports", len(l.Imports))
	}
	s.reading(1)
	b.press("Import")
	b.sees("All is read")
	b.sees("2 imported")
}

// A revision is compared with the one before, the source goes back to it, and
// that is undone; what was said of it is changed and taken back.
func TestRevisionsInTheBrowser(t *testing.T) {
	_, b := furnishedDraft(t)
	b.enters(owner, "/brains/calliope/sources/RU")
	b.sees("revision 2")
	b.sees("How it was read")
	b.keep("source")
	b.tabTo(`a[aria-label="What revision 2 changed"]`)
	b.keys(kb.Enter)
	b.sees("Revision 1 → 2")
	b.sees("15")
	b.keep("source-diff")
	b.press("Go back to revision 1")
	b.sees("Go back to revision 1 of RU?")
	b.keep("source-reversion")
	b.tabTo(`main button[type=submit]`)
	b.keys(kb.Enter)
	b.sees("The draft has that revision again.")
	b.sees("10 dollars")
	b.press("Undo the last one")
	b.sees("Taken back.")
	b.sees("15 dollars")
	b.open("/brains/calliope/sources/RU")
	b.keys("e")
	b.sees("What is said of RU")
	b.fill("owner", "Legal")
	b.keep("source-facts")
	b.press("Save")
	b.sees("Saved.")
	b.sees("owner: Legal")
	b.open("/brains/calliope/sources/RU?revision=1")
	b.sees("The draft has revision 2.")
	b.keep("source-old")
}

// A question is tried on one source: which of its passages come, alone and among
// all, with score and reason; and each leads to the quote, marked and in sight.
func TestTrialInTheBrowser(t *testing.T) {
	_, b := furnishedDraft(t)
	b.enters(owner, "/brains/calliope/sources/RU")
	b.tabTo("#question")
	b.keys("How much is the late fee?" + kb.Enter)
	b.sees("In this source alone")
	b.sees("that the draft finds")
	b.sees("Score 0.")
	b.keep("source-trial")
	b.keys("j" + kb.Enter)
	b.sees("RU, revision 2")
	b.until(`location.hash === "#quote" && document.querySelector(".passage mark")?.textContent.includes("15 dollars")`)
	b.keep("source-quote")
	b.open("/brains/calliope/sources/HB/trial?question=zebra+crossing")
	b.sees("The draft finds nothing for it.")
	b.keep("source-trial-none")
}
