package web

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/approvals"
	"polaris/views/layout"
	"polaris/views/sources"
)

// startImport takes files that were chosen at the page of the sources, and leads
// to the page of their import.
func (s *Server) startImport(p *page) error {
	in, err := filesOf(p, s.mostUploaded())
	if err == nil {
		var v ops.ImportView
		if v, err = ops.Do(p.ctx(), s.desk, p.call(), ops.StartImport, in); err == nil {
			return p.Redirect(http.StatusSeeOther, p.at(sources.ImportPath(v.ID)))
		}
	}
	r, ok := refused(err)
	if f := fault.Of(err); !ok && f.Kind == fault.TooLarge {
		r, ok = &refusal{f}, true
	}
	if ok {
		return s.sourcesPage(p, r, in.URLs)
	}
	return err
}

// filesOf reads the files of a form, with what is said of them in its fields.
func filesOf(p *page, most int64) (in ops.StartImportIn, err error) {
	if ops.Allowed(p.call(), ops.StartImport.Entry()) != nil {
		return in, nil // the gate refuses it, unread
	}
	rc := http.NewResponseController(p.Response())
	_ = rc.SetReadDeadline(time.Now().Add(uploadWithin)) // a test's connection may have none
	defer func() { _ = rc.SetReadDeadline(time.Time{}) }()
	_, params, err := mime.ParseMediaType(p.Request().Header.Get("Content-Type"))
	if err != nil {
		return in, fault.Field("files", "Choose the files to import.")
	}
	parts := multipart.NewReader(http.MaxBytesReader(p.Response(), p.Request().Body, most), params["boundary"])
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return in, nil
		}
		if err != nil {
			return in, tooMuch(unreadForm(err))
		}
		b, err := io.ReadAll(part)
		if err != nil {
			return in, tooMuch(unreadForm(err))
		}
		switch {
		case part.FormName() == documents && part.FileName() != "":
			in.Files = append(in.Files, ops.ImportFile{Name: part.FileName(), Data: b})
		case part.FormName() == "addresses":
			in.URLs = strings.Fields(string(b))
		}
	}
}

// tooMuch says of a form that is over the limit what to do about it.
func tooMuch(err error) error {
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return fault.New(fault.TooLarge, "The files together are over the limit (POLARIS_MAX_UPLOAD_BYTES). Import fewer at once.").Because(err)
	}
	return err
}

// showImport shows one import, or where the page asks for itself again the part
// of it that changes.
func (s *Server) showImport(p *page) error {
	id, err := param(p.Context, "id")
	if err != nil {
		return err
	}
	v, err := ops.Do(p.ctx(), s.desk, p.call(), ops.GetImport, ops.ImportIDIn{ID: id})
	if err != nil {
		return err
	}
	if p.Request().Header.Get("HX-Request") != "" {
		return render(p.Context, http.StatusOK, never, sources.Progress(p.frame(), importView(p, v)))
	}
	return render(p.Context, http.StatusOK, never, sources.ImportPage(p.frame(), importView(p, v)))
}

// cancelImport ends what of an import is not read yet.
func (s *Server) cancelImport(p *page) error {
	id, err := param(p.Context, "id")
	if err != nil {
		return err
	}
	if _, err := ops.Do(p.ctx(), s.desk, p.call(), ops.CancelImport, ops.ImportIDIn{ID: id}); err != nil {
		return err
	}
	return p.Redirect(http.StatusSeeOther, p.at(sources.ImportPath(id)))
}

func importView(p *page, v ops.ImportView) sources.Import {
	left := v.Counts[models.ItemQueued] + v.Counts[models.ItemReading]
	x := sources.Import{ID: v.ID, Running: v.Running(), By: v.Actor, Started: p.when(v.StartedAt), State: endedWords(v)}
	switch {
	case x.Running:
		x.State = layout.Number(v.Total-left) + " of " + layout.Plural(v.Total, "document is read.", "documents are read.")
	case v.CancelledAt != nil:
		x.State = "Cancelled by " + v.CancelledBy + ". What was read before stays in the draft."
	}
	for _, i := range v.Items {
		x.Items = append(x.Items, itemView(p, i))
	}
	return x
}

// endedWords counts what became of the documents of an import.
func endedWords(v ops.ImportView) string {
	var all []string
	for _, x := range []struct {
		state models.ItemState
		words string
	}{
		{models.ItemDone, "imported"},
		{models.ItemUnchanged, "unchanged"},
		{models.ItemHeld, "held for a curator"},
		{models.ItemWaits, "waiting for a second person"},
		{models.ItemFailed, "not imported"},
	} {
		if n := v.Counts[x.state]; n > 0 {
			all = append(all, layout.Number(n)+" "+x.words)
		}
	}
	if len(all) == 0 {
		return "All is read." // an archive in which there was nothing
	}
	return "All is read: " + strings.Join(all, ", ") + "."
}

func itemView(p *page, i models.ImportItem) sources.Item {
	x := sources.Item{Name: i.Name, State: string(i.State), Kind: layout.Neutral, Code: i.Code, Title: i.Title, Notes: append([]string{}, i.Warnings...)}
	if i.Code != "" {
		x.URL, x.Passages = p.at(sources.SourcePath(i.Code)), layout.Number(i.Passages)
	}
	switch i.State {
	case models.ItemDone:
		x.Kind, x.State = layout.Good, i.Status+", revision "+strconv.Itoa(i.Revision)
	case models.ItemHeld:
		x.Kind, x.State = layout.Caution, "held: "+layout.Plural(i.Flags, "flag", "flags")
	case models.ItemFailed:
		x.Kind = layout.Bad
		x.Notes = append(x.Notes, i.Reason)
	case models.ItemUnpacked:
		x.Notes = append(x.Notes, i.Reason)
	case models.ItemWaits:
		x.Kind, x.State = layout.Caution, "waits for a second person"
		x.Code, x.URL = "Review it", p.at(approvals.ReviewPath(i.Recommendation))
	}
	for _, a := range i.CardsAffected {
		x.Notes = append(x.Notes, "Topic card "+a.Label+": "+a.Anchor+" "+strings.TrimSpace(a.Status+" "+a.To))
	}
	return x
}
