package ops

import (
	"context"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// FindSourcesIn says which sources are wanted and in which order.
type FindSourcesIn struct {
	State  string `json:"state,omitempty" schema:"enum=suspended|held|review_due|warnings|removed"`
	Format string `json:"format,omitempty" schema:"maxLength=200"` // media type of the draft's revision
	Text   string `json:"text,omitempty" schema:"maxLength=200"`   // in code, title, owner or address
	Import string `json:"import,omitempty" schema:"maxLength=40"`  // id of the import that they came with
	Sort   string `json:"sort,omitempty" schema:"enum=code|title|added|review"`
	Page
}

// A FoundSource is a source with what a list tells of it.
type FoundSource struct {
	models.Source
	MediaType         string `json:"media_type"`
	Language          string `json:"language"`
	Passages          int    `json:"passages"`
	Warnings          int    `json:"warnings,omitempty"`
	Flags             int    `json:"flags,omitempty"`
	Held              bool   `json:"held,omitempty"`               // until a curator has certified it
	Suspended         bool   `json:"suspended,omitempty"`          // all of it
	SuspendedPassages int    `json:"suspended_passages,omitempty"` // by their keys
	Purged            bool   `json:"purged,omitempty"`
}

// FoundSources are some of the sources that were asked for.
type FoundSources struct {
	Sources []FoundSource `json:"sources"`
	Total   int           `json:"total"`   // that were asked for
	All     int           `json:"all"`     // in the draft
	Removed int           `json:"removed"` // that were taken out of it
	Formats []string      `json:"formats"` // media types that the draft has
	More
}

// FindSources lists sources of the draft by what matters of them. A list of ten
// thousand costs as many queries as one of ten.
var FindSources = &Op[FindSourcesIn, FoundSources]{
	Name: "sources.find", Title: "Find sources", Route: "GET /v1/brains/{brain_id}/draft/sources",
	Summary: "List sources of the draft by state, format, words or import, sorted by code, title, when they were added or when they are to be reviewed. State removed lists those that were taken out.",
	Class:   Read, Needs: models.MayReadDraft, Offered: Web | REST,
	Run: func(_ context.Context, e *Env, in FindSourcesIn) (FoundSources, error) {
		out := FoundSources{Sources: []FoundSource{}}
		if len(in.Text) > 200 {
			return out, fault.Field("text", "Look for at most 200 bytes.")
		}
		f := store.SourceFilter{State: store.SourceState(in.State), Format: in.Format, Text: clean(in.Text), Import: in.Import, Today: models.Date(e.Now.UTC().Format("2006-01-02"))}
		rows, more, err := stretch(e, in.Page, func(s store.Stretch) ([]store.SourceRow, error) {
			return e.Tx.FindSources(f, store.SourceOrder(in.Sort), s)
		},
			func(r store.SourceRow) store.Mark { return store.Mark{ID: r.Code} })
		if err != nil {
			return out, err
		}
		out.More = more
		for _, r := range rows {
			out.Sources = append(out.Sources, FoundSource{
				Source: r.Source, MediaType: r.MediaType, Language: r.Language, Passages: r.Passages, Warnings: r.Warnings, Flags: r.Flags, Held: r.Held,
				Suspended: r.Suspended, SuspendedPassages: r.OffPassages, Purged: r.Purged,
			})
		}
		if out.Total, err = e.Tx.CountSources(f); err != nil {
			return out, err
		}
		if out.All, err = e.Tx.CountSources(store.SourceFilter{}); err != nil {
			return out, err
		}
		if out.Removed, err = e.Tx.CountSources(store.SourceFilter{State: store.SourceRemoved}); err != nil {
			return out, err
		}
		out.Formats, err = e.Tx.Formats()
		return out, err
	},
}
