package ops

import (
	"context"
	"encoding/json"
	"net/http"

	"polaris/advisor/cite"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// Bounds of an import.
const (
	mostItems = 10_000 // documents, with those of archives
	mostFiles = 1000   // of one request
)

// An ImportFile is a document to be read.
type ImportFile struct {
	Name string `json:"name"`           // a hint, never a path that is opened
	Code string `json:"code,omitempty"` // of the source that it is to be a revision of; default: proposed from the title
	Data []byte `json:"data"`           // base64 in JSON
}

// StartImportIn is documents to be read, and what is said of each.
type StartImportIn struct {
	Import string       `json:"import,omitempty"` // an import of one's own that these are added to
	Files  []ImportFile `json:"files,omitempty" schema:"maxItems=1000"`
	URLs   []string     `json:"urls,omitempty" schema:"maxItems=1000"` // http and https addresses, each fetched as a document
	Crawl  *CrawlIn     `json:"crawl,omitempty"`
	Title  string       `json:"title,omitempty"`                         // of a single document
	Code   string       `json:"code,omitempty"`                          // likewise
	Folder string       `json:"folder,omitempty" schema:"maxLength=500"` // that they are of, by the name it is compared under
	SourceFacts
}

// A CrawlIn is a site to be read from one address on.
type CrawlIn struct {
	URL string `json:"url"`
	models.Crawl
}

// An ImportView is an import with what became of its documents.
type ImportView struct {
	models.Import
	State  string                   `json:"state"` // running, finished or cancelled
	Total  int                      `json:"total"`
	Counts map[models.ItemState]int `json:"counts"`
	Items  []models.ImportItem      `json:"items,omitempty"` // not in lists
}

// Running reports whether documents are still to be read.
func (v ImportView) Running() bool { return v.State == importRunning }

// States of an import.
const (
	importRunning   = "running"
	importFinished  = "finished"
	importCancelled = "cancelled"
)

// StartImport stages documents and has each read by a job of its own: what
// follows is what `sources.import` does with each, as who started it. That they
// are staged changes nothing of the draft, so it is done at once everywhere.
var StartImport = &Op[StartImportIn, ImportView]{
	Name: "imports.start", Title: "Import documents", Route: "POST /v1/brains/{brain_id}/imports",
	Summary: "Stage documents, archives of documents and addresses of documents to be read into the draft one by one; addresses are fetched first, and a bounded part of one site can be. A document that fails does not stop the others; what would need a second person waits in the queue.",
	Class:   Reversible, Needs: models.MayEditDraft, Offered: Web | CLI | REST, Alone: true,
	Final: "each document that was read is taken back by itself",
	HTTP:  HTTP{Status: http.StatusCreated, Upload: true, Example: `{"files":[{"name":"handbook.md","data":"IyBIYW5kYm9vawoKV2UgYW5zd2VyIHdpdGhpbiB0d28gZGF5cy4K"}],"owner":"Legal"}`},
	Run:   startImport,
}

func startImport(_ context.Context, e *Env, in StartImportIn) (ImportView, error) {
	if err := in.fits(e); err != nil {
		return ImportView{}, err
	}
	imp, err := in.into(e)
	if err != nil {
		return ImportView{}, err
	}
	e.Audit.Target = imp.ID
	st, err := e.Tx.Stage(imp.ID, e.Now)
	if err != nil {
		return ImportView{}, err
	}
	if st.Items()+len(in.Files)+len(in.URLs) > mostItems {
		return ImportView{}, fault.New(fault.TooLarge, "An import is at most %d documents.", mostItems)
	}
	for _, f := range in.Files {
		if err := st.Add(clean(f.Name), f.Code, f.Data, 0); err != nil {
			return ImportView{}, err
		}
	}
	for _, item := range in.addresses() {
		if err := st.AddItem(item, nil); err != nil {
			return ImportView{}, err
		}
	}
	if err := st.Enqueue(); err != nil {
		return ImportView{}, err
	}
	return viewImport(e.Tx, *imp)
}

// importOptions are what is said of all documents of an import.
type importOptions struct {
	ImportSourceIn
	Folder string `json:"folder,omitempty"`
}

// fits refuses what no document would come of.
func (in StartImportIn) fits(e *Env) error {
	n := len(in.Files) + len(in.URLs)
	if in.Crawl != nil {
		n++
	}
	switch {
	case n == 0 || n > mostFiles:
		return fault.Field("files", "Send between 1 and %d files or addresses at once.", mostFiles)
	case (in.Title != "" || in.Code != "") && (n > 1 || in.Crawl != nil || in.Import != ""):
		return fault.Field("code", "A title and a code are for one document.")
	case len(in.Title) > 500:
		return fault.Field("title", "A title is at most 500 bytes long.")
	}
	most := e.desk.Settings.LargestDocument()
	for _, f := range in.Files {
		switch {
		case clean(f.Name) == "" || len(f.Name) > 1000:
			return fault.Field("files", "Each file has a name of at most 1,000 bytes.")
		case f.Code != "" && !cite.ValidCode(f.Code):
			return fault.Field("files", "%s: a code is an upper-case letter, then up to 11 upper-case letters, digits and hyphens.", clean(f.Name))
		case int64(len(f.Data)) > most:
			return fault.New(fault.TooLarge, "%s: a document is at most %d bytes (POLARIS_MAX_UPLOAD_BYTES).", clean(f.Name), most)
		}
	}
	if err := in.fetchable(e); err != nil {
		return err
	}
	return in.check()
}

// into returns the import that the documents are of: a new one, or one that the
// same person started and that has not been cancelled.
func (in StartImportIn) into(e *Env) (*models.Import, error) {
	c := e.Call
	if in.Import != "" {
		imp, err := e.Tx.LockImport(in.Import)
		switch {
		case err != nil:
			return nil, err
		case imp.Person != c.By.Person || imp.Actor != c.By.Actor || imp.TokenID != c.By.TokenID || imp.Surface != c.Via.String():
			return nil, fault.New(fault.Conflict, "This import is somebody else's. Start one of your own.").WithCode("not_yours")
		case imp.CancelledAt != nil:
			return nil, fault.New(fault.Conflict, "This import was cancelled. Start another one.").WithCode("import_ended")
		}
		return imp, nil
	}
	options, err := json.Marshal(importOptions{ImportSourceIn{Title: in.Title, Code: in.Code, SourceFacts: in.SourceFacts}, in.Folder})
	if err != nil {
		return nil, err
	}
	imp := &models.Import{
		ID: models.NewID("imp"), Kind: c.By.Kind, Person: c.By.Person, Actor: c.By.Actor, TokenID: c.By.TokenID, Scopes: c.By.Scopes,
		Authenticated: c.By.Authenticated, Surface: c.Via.String(), Rationale: c.Rationale, RequestID: c.RequestID, Options: string(options), StartedAt: e.Now,
	}
	return imp, e.Tx.InsertImport(imp)
}

// becomes says what followed from reading the item.
func becomes(i *models.ImportItem, out any) {
	switch out := out.(type) {
	case models.Queued:
		i.State, i.Recommendation = models.ItemWaits, out.ID
	case ImportedSource:
		i.State, i.Status = models.ItemDone, out.Status
		switch {
		case out.Status == ImportUnchanged:
			i.State, i.Status = models.ItemUnchanged, ""
		case len(out.Flags) > 0:
			i.State = models.ItemHeld
		}
		i.SourceID, i.Code, i.Title, i.Revision, i.Passages, i.Flags = out.SourceID, out.Code, out.Title, out.Revision, out.Passages, len(out.Flags)
		i.Warnings = append(i.Warnings, out.Warnings...)
		i.CardsAffected = append(i.CardsAffected, out.CardsAffected...)
	}
}

// viewImport returns an import with its items.
func viewImport(tx *store.Tx, i models.Import) (ImportView, error) {
	v := ImportView{Import: i, Counts: map[models.ItemState]int{}}
	var err error
	if v.Items, err = tx.ImportItems(i.ID); err != nil {
		return v, err
	}
	for _, it := range v.Items {
		v.Counts[it.State]++
	}
	v.sum()
	return v, nil
}

// sum fills in what follows from the counts.
func (v *ImportView) sum() {
	v.Total = 0
	for _, n := range v.Counts {
		v.Total += n
	}
	switch {
	case v.Counts[models.ItemQueued]+v.Counts[models.ItemReading] > 0:
		v.State = importRunning
	case v.CancelledAt != nil || v.Counts[models.ItemCancelled] > 0: // the items may have been read later than the import
		v.State = importCancelled
	default:
		v.State = importFinished
	}
}

// ImportIDIn names an import.
type ImportIDIn struct {
	ID string `json:"id"`
}

// GetImport shows an import with what became of each document.
var GetImport = &Op[ImportIDIn, ImportView]{
	Name: "imports.get", Title: "Show an import", Route: "GET /v1/brains/{brain_id}/imports/{id}",
	Summary: "Show an import: what became of each document, with the reason where one failed and the topic cards that feel a new revision.",
	Class:   Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in ImportIDIn) (ImportView, error) {
		i, err := e.Tx.Import(in.ID)
		if err != nil {
			return ImportView{}, err
		}
		return viewImport(e.Tx, *i)
	},
}

// ImportList is imports, newest first.
type ImportList struct {
	Imports []ImportView `json:"imports"`
	More
}

// ListImports lists imports with how many documents are in which state.
var ListImports = &Op[Page, ImportList]{
	Name: "imports.list", Title: "List imports", Route: "GET /v1/brains/{brain_id}/imports", Summary: "List imports, newest first, with how many of their documents are in which state.",
	Class: Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in Page) (ImportList, error) {
		is, more, err := stretch(e, in, e.Tx.ImportPage, func(i models.Import) store.Mark { return store.Mark{At: i.StartedAt, ID: i.ID} })
		if err != nil {
			return ImportList{}, err
		}
		names := make([]string, len(is))
		for i := range is {
			names[i] = is[i].ID
		}
		counts, err := e.Tx.ItemCounts(names)
		l := ImportList{[]ImportView{}, more}
		for _, i := range is {
			v := ImportView{Import: i, Counts: counts[i.ID]}
			if v.Counts == nil {
				v.Counts = map[models.ItemState]int{}
			}
			v.sum()
			l.Imports = append(l.Imports, v)
		}
		return l, err
	},
}

// CancelImport ends what of an import has not ended. What is in the draft stays.
var CancelImport = &Op[ImportIDIn, ImportView]{
	Name: "imports.cancel", Title: "Cancel an import", Route: "POST /v1/brains/{brain_id}/imports/{id}/cancellation",
	Summary: "Cancel what of an import has not been read yet. What is in the draft already stays there.",
	Class:   Reversible, Needs: models.MayEditDraft, Offered: Web | CLI | REST, Alone: true,
	Final: "what was cancelled is imported anew",
	Run: func(_ context.Context, e *Env, in ImportIDIn) (ImportView, error) {
		i, err := e.Tx.LockImport(in.ID)
		if err != nil {
			return ImportView{}, err
		}
		e.Audit.Target = i.ID
		if e.Call.Via&atHome == 0 && i.Person != e.Call.By.Person {
			return ImportView{}, fault.New(fault.Forbidden, "A program cancels the imports of its own person alone.").WithCode("not_yours")
		}
		if i.CancelledAt == nil {
			v, err := viewImport(e.Tx, *i)
			switch {
			case err != nil:
				return v, err
			case !v.Running():
				return v, fault.New(fault.Conflict, "This import has ended, so there is nothing left to cancel. What it brought in is taken out source by source.").WithCode("import_ended")
			}
			if _, err := e.Tx.CancelImport(i, e.Call.By.Actor, e.Now); err != nil {
				return ImportView{}, err
			}
		}
		return viewImport(e.Tx, *i)
	},
}
