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
		homePages(f), askPages(f), answerPages(f), wikiPages(f), curatePages(f), approvalPages(f), goldenPages(f), keyPages(f), memberPages(f), auditPages(f), problemPages(f, assets),
	)
}

// frame is the curator's: all that exists is shown.
func frame(assets layout.Assets, path string) layout.Frame {
	return layout.Frame{
		Assets: assets,
		Path:   base + path,
		Brain:  layout.Brain{ID: "calliope", Version: "v14 live", URL: base},
		Nav: []layout.Section{
			{Items: []layout.Item{{Label: "Home", URL: base}, {Label: "Ask", URL: base + "/ask"}, {Label: "Wiki", URL: base + "/wiki"}}},
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
