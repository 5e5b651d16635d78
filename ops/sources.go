package ops

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/url"

	"polaris/advisor/cite"
	"polaris/advisor/ingest"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// ImportSourceIn is a document's bytes and what a curator says about it.
type ImportSourceIn struct {
	Name         string `json:"name"`            // file name; a hint, never a path that is opened
	Title        string `json:"title,omitempty"` // default: the document's own
	Code         string `json:"code,omitempty"`  // default: proposed from the title
	Jurisdiction string `json:"jurisdiction,omitempty"`
	OriginURL    string `json:"origin_url,omitempty"`
	Cites        string `json:"cites,omitempty"` // what its section numbers belong to, "15 U.S.C.", where the text does not say
	Data         []byte `json:"data"`            // base64 in JSON
}

// ImportedSource says what an import did.
type ImportedSource struct {
	Status   string   `json:"status"` // new, revised or unchanged
	SourceID string   `json:"source_id"`
	Code     string   `json:"code"`
	Title    string   `json:"title"`
	Revision int      `json:"revision"`
	Passages int      `json:"passages"`
	Warnings []string `json:"warnings"`
}

// Made reports whether the source was not there before.
func (s ImportedSource) Made() bool { return s.Status == ImportNew }

// Statuses of an import.
const (
	ImportNew       = "new"
	ImportRevised   = "revised"
	ImportUnchanged = "unchanged"
)

// ImportSource reads a document into the draft: as a new source, or as the next
// revision of the one with its code. The same bytes again change nothing.
var ImportSource = &Op[ImportSourceIn, ImportedSource]{
	Name: "sources.import", Title: "Import a source", Summary: "Read a document into the draft; the same bytes again change nothing.",
	Route: "POST /v1/brains/{brain_id}/sources",
	Class: Reversible, Needs: models.MayEditDraft, Offered: Web | CLI | REST,
	HTTP:    HTTP{Upload: true, Example: `{"name":"handbook.md","code":"HB","data":"IyBIYW5kYm9vawoKV2UgYW5zd2VyIHdpdGhpbiB0d28gZGF5cy4K"}`},
	Stage:   func(ctx context.Context, e *Env, in ImportSourceIn) (any, error) { return stageImport(ctx, e, in) },
	Propose: func(_ context.Context, e *Env, in ImportSourceIn) (Subject, error) { return proposeImport(e, in) },
	Base:    func(_ context.Context, e *Env, in ImportSourceIn) (string, error) { return sourceBase(e, in.Code) },
	Run:     importSource,
}

// DefaultMaxUpload is the largest document, in bytes, where no other size is
// set. A larger one would not be read.
const DefaultMaxUpload = ingest.MaxBytes

// A stagedImport is a document that was read before the transaction opened.
type stagedImport struct {
	sum  []byte
	data []byte
	doc  *ingest.Document
	code string
	free bool           // no source had the code, and it was proposed rather than asked for
	same *models.Source // the source that has these very bytes; doc is nil then
}

func stageImport(ctx context.Context, e *Env, in ImportSourceIn) (*stagedImport, error) {
	if most := cmp.Or(e.desk.Settings.MaxUpload, DefaultMaxUpload); int64(len(in.Data)) > most {
		return nil, fault.New(fault.TooLarge, "A document is at most %d bytes (POLARIS_MAX_UPLOAD_BYTES).", most)
	}
	if in.OriginURL != "" {
		if u, err := url.Parse(in.OriginURL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, fault.Field("origin_url", "An origin is an http or https address.")
		}
	}
	if len(in.Title) > 500 || len(in.Jurisdiction) > 100 {
		return nil, fault.Field("title", "A title is at most 500 bytes long, a jurisdiction 100.")
	}
	st := &stagedImport{}
	err := e.Store().InBrain(ctx, e.Call.Brain, func(tx *store.Tx) (err error) {
		if e.Queued != nil {
			if in.Data, err = tx.Aside(e.Queued.ID); err != nil {
				return err
			}
		}
		sum := sha256.Sum256(in.Data)
		st.sum, st.data = sum[:], in.Data
		same, err := tx.SourceOfBytes(st.sum)
		if err == nil && (in.Code == "" || in.Code == same.Code) {
			st.same = same
			return nil
		}
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		return st.read(ctx, e, tx, in)
	})
	return st, err
}

// read parses the document under the code that it will have. The code is part
// of its passages' keys, so it must be settled first.
func (st *stagedImport) read(ctx context.Context, e *Env, tx *store.Tx, in ImportSourceIn) error {
	opts := ingest.Options{Name: in.Name, Title: clean(in.Title), Code: in.Code, Cites: in.Cites}
	doc, err := e.desk.Settings.Parse(ctx, in.Data, opts)
	if err != nil {
		return err
	}
	st.doc, st.code = doc, doc.Code
	if in.Code != "" {
		return nil
	}
	taken, err := tx.TakenCodes()
	if err != nil {
		return err
	}
	for n := 2; ; n++ {
		title, used := taken[st.code]
		st.free = !used
		if !used || title == doc.Title {
			break
		}
		suffix := fmt.Sprint(n) // another document has the code: HB, HB2, HB3
		st.code = doc.Code[:min(len(doc.Code), cite.MaxCode-len(suffix))] + suffix
	}
	if st.code != doc.Code {
		opts.Code = st.code
		st.doc, err = e.desk.Settings.Parse(ctx, in.Data, opts)
	}
	return err
}

func importSource(_ context.Context, e *Env, in ImportSourceIn) (ImportedSource, error) {
	st := e.Staged.(*stagedImport)
	if st.same != nil {
		e.Audit.Target = st.same.Code
		return ImportedSource{Status: ImportUnchanged, SourceID: st.same.ID, Code: st.same.Code, Title: st.same.Title, Revision: st.same.Head, Warnings: []string{}}, nil
	}
	e.Audit.Target = st.code
	out := ImportedSource{Status: ImportRevised}
	if err := e.Tx.LockCode(st.code); err != nil {
		return out, err
	}
	s, err := e.Tx.SourceByCode(st.code)
	if err == nil && st.free && s.Title != st.doc.Title {
		// Proposed for both while neither was there: this is no revision of that.
		return out, fault.New(fault.Conflict, "Another document was imported under the code %s meanwhile. Import this one again.", st.code).WithCode("code_taken")
	}
	if fault.Is(err, fault.NotFound) {
		out.Status = ImportNew
		s, err = &models.Source{ID: models.NewID("src"), Code: st.code, CreatedAt: e.Now, CreatedBy: e.Call.By.Actor}, nil
	}
	if err != nil {
		return out, err
	}
	describe(s, in, st.doc)
	return st.save(e, s, in, out)
}

// describe carries over what the curator and the document say of the source.
func describe(s *models.Source, in ImportSourceIn, d *ingest.Document) {
	s.Title = d.Title
	if in.Jurisdiction != "" {
		s.Jurisdiction = clean(in.Jurisdiction)
	}
	if in.OriginURL != "" {
		s.OriginURL = in.OriginURL
	}
}

// save makes the document the source's newest revision, or goes back to the one
// that was made from the same bytes before.
func (st *stagedImport) save(e *Env, s *models.Source, in ImportSourceIn, out ImportedSource) (ImportedSource, error) {
	d := st.doc
	out.SourceID, out.Code, out.Title, out.Passages, out.Warnings = s.ID, s.Code, s.Title, len(d.Passages), d.Warnings
	if out.Warnings == nil {
		out.Warnings = []string{}
	}
	old, err := e.Tx.RevisionByHash(s.ID, st.sum)
	if err == nil && old.N == s.Head && s.RemovedAt == nil {
		out.Status, out.Revision = ImportUnchanged, old.N // somebody imported the same bytes meanwhile
		return out, nil
	}
	if err == nil {
		s.Head, out.Revision = old.N, old.N
		return out, e.Tx.SaveSource(s)
	}
	if !fault.Is(err, fault.NotFound) {
		return out, err
	}
	last, err := e.Tx.LastRevision(s.ID)
	if err != nil {
		return out, err
	}
	s.Head, out.Revision = last+1, last+1
	if err := e.Tx.SaveSource(s); err != nil {
		return out, err
	}
	rev := models.Revision{
		SourceID: s.ID, N: s.Head, SHA256: st.sum, MediaType: d.MediaType, Language: d.Language, Title: d.Title,
		Name: clean(in.Name), Text: d.Text, Warnings: out.Warnings, CreatedAt: e.Now, CreatedBy: e.Call.By.Actor,
	}
	return out, e.Tx.InsertRevision(&models.Doc{Source: *s, Revision: rev, Passages: d.Passages, Terms: d.Terms}, st.data)
}

// SourceList is sources of the draft, by code, and how many passages each has,
// by its id.
type SourceList struct {
	Sources  []models.Source `json:"sources"`
	Passages map[string]int  `json:"passages"`

	Suspended []models.Suspension `json:"suspended"` // of any source
	More
}

func (l SourceList) with(m SourceList) SourceList {
	maps.Copy(l.Passages, m.Passages)
	return SourceList{append(l.Sources, m.Sources...), l.Passages, m.Suspended, m.More}
}

// ListSources lists the draft's sources.
var ListSources = &Op[Page, SourceList]{
	Name: "sources.list", Title: "List sources", Route: "GET /v1/brains/{brain_id}/sources", Summary: "List the draft's sources, by code.",
	Class: Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in Page) (SourceList, error) {
		ss, more, err := stretch(e, in, e.Tx.SourcePage, func(s models.Source) store.Mark { return store.Mark{ID: s.Code} })
		if err != nil {
			return SourceList{}, err
		}
		n, err := e.Tx.DraftPassages(ss)
		if err != nil {
			return SourceList{}, err
		}
		off, err := e.Tx.Suspensions()
		return SourceList{ss, n, off, more}, err
	},
}

// GetSourceIn names a source by its id or its code.
type GetSourceIn struct {
	Source string `json:"source"`
}

// A SourcePassage is a passage with its text.
type SourcePassage struct {
	models.Passage
	Text string `json:"text"`
}

// SourceView is a source with the passages of the draft's revision.
type SourceView struct {
	Source   models.Source   `json:"source"`
	Revision models.Revision `json:"revision"`
	Passages []SourcePassage `json:"passages"`

	Suspended []models.Suspension `json:"suspended"` // all of it, or passages
}

// GetSource shows one source of the draft.
var GetSource = &Op[GetSourceIn, SourceView]{
	Name: "sources.get", Title: "Show a source", Summary: "Show a source of the draft with its passages.",
	Route: "GET /v1/brains/{brain_id}/sources/{source}",
	Class: Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in GetSourceIn) (SourceView, error) {
		s, err := e.Tx.Source(in.Source)
		if err != nil {
			return SourceView{}, err
		}
		d, err := e.Tx.Doc(*s, s.Head)
		if err != nil {
			return SourceView{}, err
		}
		off, err := suspendedOf(e.Tx, s.ID)
		if err != nil {
			return SourceView{}, err
		}
		v := SourceView{Source: *s, Revision: d.Revision, Suspended: off}
		for _, p := range d.Passages {
			v.Passages = append(v.Passages, SourcePassage{p, d.Revision.Text[p.Start:p.End]})
		}
		return v, nil
	},
}
