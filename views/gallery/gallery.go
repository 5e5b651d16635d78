// Package gallery holds every page in every state, made from Go literals. Its
// tests hold each against the rules of package htmlcheck, and write them to a
// folder for whoever wants to look at them:
//
//	POLARIS_GALLERY=/tmp/gallery go test ./views/gallery
//
// The texts are those of the demo brain, so that what is looked at is what a
// reader will see.
package gallery

import (
	"slices"
	"time"

	"github.com/a-h/templ"

	"polaris/views/layout"
	"polaris/views/search"
)

// A Page is one page in one state.
type Page struct {
	Name      string // "keys-empty"
	Component templ.Component
}

// base is the address of the gallery's brain.
const base = "/brains/calliope"

// now is the moment at which the gallery is looked at.
var now = time.Date(2026, 11, 30, 16, 2, 11, 0, time.UTC)

func ago(d time.Duration) layout.When { return layout.At(now.Add(-d), now) }

const day = 24 * time.Hour

// Pages returns all pages, drawn with the given assets.
func Pages(assets layout.Assets) []Page {
	f := func(path string) layout.Frame { return frame(assets, path) }
	return slices.Concat(
		accountPages(layout.Frame{Assets: assets}), brainPages(assets),
		homePages(f), searchPages(f), askPages(f), answerPages(f), wikiPages(f), curatePages(f), approvalPages(f), goldenPages(f), keyPages(f), memberPages(f), auditPages(f), problemPages(f, assets),
	)
}

// frame is the curator's: all that exists is shown.
func frame(assets layout.Assets, path string) layout.Frame {
	return layout.Frame{
		Assets: assets,
		Path:   base + path,
		Brain:  layout.Brain{ID: "calliope", Version: "v14 live", URL: base},
		Brains: []layout.Brain{{ID: "urania", Version: "v3 live", URL: "/brains/urania"}, {ID: "melpomene", Version: "not live", URL: "/brains/melpomene"}},
		Nav: []layout.Section{
			{Items: []layout.Item{{Label: "Home", URL: base, Key: "h"}, {Label: "Ask", URL: base + "/ask", Key: "a"}, {Label: "Wiki", URL: base + "/wiki", Key: "w"}}},
			{Title: "Curate", Items: []layout.Item{
				{Label: "Sources", URL: base + "/sources", Count: "7"},
				{Label: "Topic cards", URL: base + "/topic-cards", Count: "2"},
				{Label: "Golden questions", URL: base + "/golden-questions"},
				{Label: "Approvals", URL: base + "/approvals", Count: "3", Hot: true},
				{Label: "Versions", URL: base + "/versions", Count: "v14"},
			}},
			{Title: "Administer", Items: []layout.Item{
				{Label: "Answers", URL: base + "/answers"},
				{Label: "API keys", URL: base + "/settings/api-keys", Count: "3"},
				{Label: "Members", URL: base + "/settings/members"},
				{Label: "Audit log", URL: base + "/audit"},
				{Label: "Settings", URL: base + "/settings"},
			}},
		},
		Account: layout.Account{Name: "Ada Marchetti", Email: "curator@calliope.example", Roles: "owner, curator", Proposed: base + "/approvals?mine=yes"},
	}
}

func searchPages(f func(string) layout.Frame) []Page {
	pages := search.Group{Title: "Pages", Hits: []search.Hit{{Name: "Sources", URL: base + "/sources"}, {Name: "API keys", URL: base + "/settings/api-keys"}}}
	things := []search.Group{
		{Title: "Sources", Hits: []search.Hit{{Name: "Lending Handbook", Note: "HB", URL: base + "/sources/HB"}}},
		{Title: "Passages", Hits: []search.Hit{{Name: "HB 4.1(a)", Note: "Decide on every application within 20 days of receiving a completed application, and tell the applicant.", Quoted: true, URL: base + "/sources/HB#p41"}}},
	}
	return []Page{
		{"search", search.SearchPage(f(layout.SearchPath), search.Page{Groups: []search.Group{pages}})},
		{"search-found", search.SearchPage(f(layout.SearchPath), search.Page{Text: "h", Groups: append([]search.Group{pages}, things...)})},
		{"search-nothing", search.SearchPage(f(layout.SearchPath), search.Page{Text: "zxq<b>"})},
		{"search-long", search.SearchPage(f(layout.SearchPath), search.Page{Text: "h", Problem: "Search for at most 200 characters."})},
	}
}

// bare is the frame of a brain with nothing in it.
func bare(f layout.Frame) layout.Frame {
	f.Brain.Version = "not live"
	for i := range f.Nav {
		f.Nav[i].Items = slices.Clone(f.Nav[i].Items)
		for j := range f.Nav[i].Items {
			f.Nav[i].Items[j].Count = ""
		}
	}
	return f
}
