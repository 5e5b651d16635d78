package ops

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"

	"polaris/advisor/cite"
	"polaris/advisor/ingest"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// A SourceFacts is what a curator says of a document that the document does not
// say itself. What is empty stays as it is, but for the dates between which the
// document holds: they are of this revision.
type SourceFacts struct {
	Jurisdiction  string      `json:"jurisdiction,omitempty"`
	OriginURL     string      `json:"origin_url,omitempty"`
	Cites         string      `json:"cites,omitempty"`          // what its section numbers belong to, "15 U.S.C.", where the text does not say
	Owner         string      `json:"owner,omitempty"`          // who answers for it
	ReviewBy      models.Date `json:"review_by,omitempty"`      // a day, such as 2027-01-31
	EffectiveFrom models.Date `json:"effective_from,omitempty"` // the first day on which it holds
	EffectiveTo   models.Date `json:"effective_to,omitempty"`   // the last
	Supersedes    string      `json:"supersedes,omitempty"`     // code of the source that it takes the place of
}

// ImportSourceIn is a document's bytes and what a curator says about it.
type ImportSourceIn struct {
	Name  string `json:"name"`            // file name; a hint, never a path that is opened
	Title string `json:"title,omitempty"` // default: the document's own
	Code  string `json:"code,omitempty"`  // default: proposed from the title
	SourceFacts
	Data []byte `json:"data"` // base64 in JSON
}

// ImportedSource says what an import did.
type ImportedSource struct {
	Status   string   `json:"status"` // new, revised, restored or unchanged
	SourceID string   `json:"source_id"`
	Code     string   `json:"code"`
	Title    string   `json:"title"`
	Revision int      `json:"revision"`
	Passages int      `json:"passages"`
	Warnings []string `json:"warnings"`

	Flags         []models.Flag         `json:"flags,omitempty"`          // why it waits for a curator before it is published
	Counts        *PassageCounts        `json:"counts,omitempty"`         // of its passages beside those of the revision before
	CardsAffected []models.AffectedCard `json:"cards_affected,omitempty"` // whose anchors lost or changed their text
}

// Made reports whether the source was not there before.
func (s ImportedSource) Made() bool { return s.Status == ImportNew }

// Statuses of an import.
const (
	ImportNew       = "new"
	ImportRevised   = "revised"
	ImportRestored  = "restored" // it had been removed
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
	Undo:    func(_ context.Context, e *Env, _ ImportSourceIn) (*Inverse, error) { return importBack(e) },
	Run:     importSource,

	InputVersion: 1, // 0 had no owner, dates or supersedes
	Older:        map[int]func(raw json.RawMessage) (ImportSourceIn, error){0: decode[ImportSourceIn]},
}

// DefaultMaxUpload is the largest document, in bytes, where no other size is
// set. A larger one would not be read.
const DefaultMaxUpload = ingest.MaxBytes

// LargestDocument returns how many bytes a document may have.
func (s Settings) LargestDocument() int64 { return cmp.Or(s.MaxUpload, DefaultMaxUpload) }

// A stagedImport is a document that was read before the transaction opened.
type stagedImport struct {
	sum  []byte
	data []byte
	doc  *ingest.Document
	code string
	free bool           // no source had the code, and it was proposed rather than asked for
	same *models.Source // the source that has these very bytes; doc is nil then
}

// check refuses facts that no source can have.
func (f SourceFacts) check() error {
	if err := checkOrigin(f.OriginURL); err != nil {
		return err
	}
	if len(f.Jurisdiction) > 100 {
		return fault.Field("jurisdiction", "A jurisdiction is at most 100 bytes long.")
	}
	if len(f.Owner) > 200 {
		return fault.Field("owner", "An owner is at most 200 bytes long.")
	}
	if f.Supersedes != "" && !cite.ValidCode(f.Supersedes) {
		return fault.Field("supersedes", "Name the source that it supersedes by its code.")
	}
	for _, d := range []struct {
		field string
		day   models.Date
	}{{"review_by", f.ReviewBy}, {"effective_from", f.EffectiveFrom}, {"effective_to", f.EffectiveTo}} {
		if _, ok := models.ParseDate(string(d.day)); !ok {
			return fault.Field(d.field, "A day is written as 2027-01-31.")
		}
	}
	if f.EffectiveFrom != "" && f.EffectiveTo != "" && f.EffectiveTo < f.EffectiveFrom {
		return fault.Field("effective_to", "The last day is before the first.")
	}
	return nil
}

// checkOrigin refuses what is no address of a document; none is fine.
func checkOrigin(address string) error {
	if u, err := url.Parse(address); address != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return fault.Field("origin_url", "An origin is an http or https address.")
	}
	return nil
}

// stageImport reads the document. No transaction is open while it is read: that
// may take minutes.
func stageImport(ctx context.Context, e *Env, in ImportSourceIn) (*stagedImport, error) {
	if most := e.desk.Settings.LargestDocument(); int64(len(in.Data)) > most {
		return nil, fault.New(fault.TooLarge, "A document is at most %d bytes (POLARIS_MAX_UPLOAD_BYTES).", most)
	}
	if len(in.Title) > 500 {
		return nil, fault.Field("title", "A title is at most 500 bytes long.")
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	st := &stagedImport{}
	var taken map[string]string
	err := e.Store().InBrain(ctx, e.Call.Brain, func(tx *store.Tx) (err error) {
		if e.Queued != nil {
			if in.Data, err = tx.Aside(e.Queued.ID); err != nil {
				return err
			}
		}
		sum := sha256.Sum256(in.Data)
		st.sum, st.data = sum[:], in.Data
		if err := tx.NotPurged(hex.EncodeToString(st.sum), in.Code); err != nil {
			return err
		}
		same, err := tx.SourceOfBytes(st.sum)
		if err == nil && (in.Code == "" || in.Code == same.Code) {
			st.same = same
			return nil
		}
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		taken, err = tx.TakenCodes()
		return err
	})
	if err != nil || st.same != nil {
		return st, err
	}
	return st, st.read(ctx, e, in, taken)
}

// read parses the document under the code that it will have. The code is part
// of its passages' keys, so it must be settled first.
func (st *stagedImport) read(ctx context.Context, e *Env, in ImportSourceIn, taken map[string]string) error {
	opts := ingest.Options{Name: in.Name, Title: clean(in.Title), Code: in.Code, Cites: in.Cites}
	doc, err := e.desk.Settings.Parse(ctx, in.Data, opts)
	if err != nil {
		return err
	}
	st.doc, st.code = doc, doc.Code
	if in.Code != "" {
		return nil
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
	if err := e.Tx.NotPurged(hex.EncodeToString(st.sum), st.code); err != nil {
		return out, err // meanwhile
	}
	s, err := e.Tx.SourceByCode(st.code)
	if err == nil && st.free && s.Title != st.doc.Title {
		// Proposed for both while neither was there: this is no revision of that.
		return out, codeTaken(st.code)
	}
	switch {
	case fault.Is(err, fault.NotFound):
		out.Status = ImportNew
		s, err = &models.Source{ID: models.NewID("src"), Code: st.code, CreatedAt: e.Now, CreatedBy: e.Call.By.Actor}, nil
	case err == nil && s.RemovedAt != nil:
		out.Status = ImportRestored
	}
	if err != nil {
		return out, err
	}
	was := *s
	if err := describe(e, s, in, st.doc); err != nil {
		return out, err
	}
	return st.save(e, s, was, in, out)
}

func codeTaken(code string) error {
	return fault.New(fault.Conflict, "Another document was imported under the code %s meanwhile. Import this one again.", code).WithCode("code_taken")
}

// describe carries over what the curator and the document say of the source.
func describe(e *Env, s *models.Source, in ImportSourceIn, d *ingest.Document) error {
	s.Title = d.Title
	s.Jurisdiction = cmp.Or(clean(in.Jurisdiction), s.Jurisdiction)
	s.OriginURL = cmp.Or(in.OriginURL, s.OriginURL)
	s.Owner = cmp.Or(clean(in.Owner), s.Owner)
	s.ReviewBy = cmp.Or(in.ReviewBy, s.ReviewBy)
	s.Supersedes = cmp.Or(in.Supersedes, s.Supersedes)
	s.EffectiveFrom, s.EffectiveTo = in.EffectiveFrom, in.EffectiveTo
	return supersedable(e, s)
}

// supersedable refuses a source that takes the place of itself, or of none.
func supersedable(e *Env, s *models.Source) error {
	if s.Supersedes == "" {
		return nil
	}
	if s.Supersedes == s.Code {
		return fault.Field("supersedes", "A source does not supersede itself: import it under its code again, as its next revision.")
	}
	_, err := e.Tx.Source(s.Supersedes)
	if fault.Is(err, fault.NotFound) {
		return fault.Field("supersedes", "There is no source %s to supersede.", s.Supersedes)
	}
	return err
}

// save makes the document the source's newest revision, or goes back to the one
// that was made from the same bytes before.
func (st *stagedImport) save(e *Env, s *models.Source, was models.Source, in ImportSourceIn, out ImportedSource) (ImportedSource, error) {
	d := st.doc
	out.SourceID, out.Code, out.Title, out.Passages, out.Warnings, out.Flags = s.ID, s.Code, s.Title, len(d.Passages), d.Warnings, d.Flags
	if out.Warnings == nil {
		out.Warnings = []string{}
	}
	old, err := e.Tx.RevisionByHash(s.ID, st.sum)
	if err == nil && old.N == s.Head && was.RemovedAt == nil {
		out.Status, out.Revision = ImportUnchanged, old.N // somebody imported the same bytes meanwhile
		return out, nil
	}
	if err == nil {
		s.Head, out.Revision = old.N, old.N
		if err := e.Tx.SaveSource(s); err != nil {
			return out, err
		}
		if out.Flags, err = heldFor(e, old); err != nil {
			return out, err
		}
		return st.follows(e, s, was, out)
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
	by, err := broughtBy(e)
	if err != nil {
		return out, err
	}
	rev := models.Revision{
		SourceID: s.ID, N: s.Head, SHA256: st.sum, MediaType: d.MediaType, Language: d.Language, Title: d.Title,
		Name: clean(in.Name), Text: d.Text, Warnings: out.Warnings, Flags: d.Flags, Report: reportOf(d), CreatedAt: e.Now, CreatedBy: e.Call.By.Actor, BroughtBy: by,
	}
	if err := e.Tx.InsertRevision(&models.Doc{Source: *s, Revision: rev, Passages: d.Passages, Terms: d.Terms, Refs: d.Refs}, st.data); err != nil {
		return out, err
	}
	return st.follows(e, s, was, out)
}

// heldFor returns why a revision that was there before waits for a curator: what
// was found when it was read first, unless somebody has certified it.
func heldFor(e *Env, r *models.Revision) ([]models.Flag, error) {
	if !r.Held() {
		return nil, nil
	}
	_, err := e.Tx.Certification(r.SourceID, r.N)
	switch {
	case fault.Is(err, fault.NotFound):
		return r.Flags, nil
	case err != nil:
		return nil, err
	}
	return nil, nil
}

// reportOf is what is kept of how a document was read.
func reportOf(d *ingest.Document) *models.ReadReport {
	r := &models.ReadReport{Pages: d.Pages, Found: d.Report.Found, Kept: d.Report.Kept, Margins: d.Margins}
	for _, s := range d.Report.Stages {
		r.Stages = append(r.Stages, models.ReadStage{Name: s.Name, Micros: s.Micros})
	}
	for _, c := range d.Comments {
		r.Comments = append(r.Comments, models.ReadComment{By: c.By, On: c.On, Text: c.Text})
	}
	return r
}
