// Package pdf reads PDF files: digital ones and scans.
//
// The parsing is PDFium's, compiled to WebAssembly: a damaged or hostile file
// works on a sandbox without files or network, and what goes wrong there is an
// error here. This package decides what PDFium does not: which glyphs are
// words, which words a line, in which order the lines are read, what is a
// heading, a list item, a row of a table or a note, what repeats from page to
// page, and what no reader of the page would see.
//
// What is taken out of the text is named in the Document: repeated headers and
// footers in Margins, hidden text in Flags, pages that could not be read in
// Warnings. Nothing else disappears.
package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium/enums"
	pdfium_errors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/requests"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// MediaType is what [Read] reads.
const MediaType = "application/pdf"

// Options are what reading depends on besides the file.
type Options struct {
	Context   context.Context // ends the reading, wherever it is; nil: nothing does
	Cache     string          // folder in which the compiled engine is kept; "": compiled anew by each process
	Tesseract string          // the program that reads scans; "": looked up in PATH; "-": scans are not read
	Languages string          // of scans, as Tesseract names them: "eng+deu"; "": "eng"
	PageTime  time.Duration   // that Tesseract may take for a page; 0: a minute
}

// Read reads a PDF. Its errors are faults: Unreadable, TooLarge or
// Unavailable, when the context ended before the file did.
func Read(data []byte, l form.Limits, o Options) (*form.Document, error) {
	ctx := o.Context
	if ctx == nil {
		ctx = context.Background()
	}
	if len(data) == 0 {
		return nil, fault.New(fault.Unreadable, "The PDF is empty: it has no bytes at all.")
	}
	e, err := start(ctx, o.Cache)
	if err != nil {
		return nil, ended(ctx, fault.New(fault.Unavailable, "The program that reads PDFs does not start: too little memory, or a broken cache folder. The log has the cause.").Because(err))
	}
	defer e.close()
	if err := e.open(data); err != nil {
		return nil, ended(ctx, refusal(data, err))
	}
	n, err := e.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: e.doc})
	if err != nil {
		return nil, ended(ctx, fault.New(fault.Unreadable, "The PDF is damaged: its pages cannot be counted.").Because(err))
	}
	if l.Pages > 0 && n.PageCount > l.Pages {
		return nil, fault.New(fault.TooLarge, "The PDF has %d pages, and the limit is %d. Split it and import the parts.", n.PageCount, l.Pages)
	}
	if n.PageCount == 0 {
		return nil, fault.New(fault.Unreadable, "The PDF has no pages.")
	}
	r := &reading{engine: e, options: o, doc: &form.Document{MediaType: MediaType, Pages: n.PageCount}}
	if t, err := e.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: e.doc}); err == nil {
		r.form = t.FormType != enums.FPDF_FORMTYPE_NONE
	}
	if err := r.run(ctx); err != nil {
		return nil, ended(ctx, err)
	}
	return r.doc, nil
}

// refusal says why PDFium does not open a file.
func refusal(data []byte, err error) error {
	switch {
	case errors.Is(err, pdfium_errors.ErrPassword):
		return fault.New(fault.Unreadable, "The PDF is protected by a password. Import a copy that opens without one.").Because(err)
	case errors.Is(err, pdfium_errors.ErrSecurity):
		return fault.New(fault.Unreadable, "The PDF is encrypted in a way that is not read. Import a copy without encryption.").Because(err)
	case !bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")):
		return fault.New(fault.Unreadable, "The file is no PDF: it does not begin as one.").Because(err)
	case !bytes.Contains(data[max(0, len(data)-2048):], []byte("%%EOF")):
		return fault.New(fault.Unreadable, "The PDF is damaged: its end is missing. Fetch it again.").Because(err)
	}
	return fault.New(fault.Unreadable, "The PDF is damaged: its structure cannot be read. Open it in a PDF program and save it anew.").Because(err)
}

// ended returns a fault for err: that of the context where it has ended, err
// itself where it is one, else that of a sandbox that broke.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fault.New(fault.Unreadable, "Reading the PDF took longer than it may.").Because(errors.Join(ctx.Err(), err))
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	return fault.New(fault.Unreadable, "The PDF is damaged: reading it broke off.").Because(err)
}

// A reading is one file on its way to a document.
type reading struct {
	*engine
	options Options
	doc     *form.Document
	pages   []*page
	form    bool   // it has fields to fill in
	failed  []int  // pages that could not be read, from 1
	layered []int  // scans that bring their text along
	read    []int  // scans that were read here
	unread  []int  // scans that were not
	packs   string // languages that scans are read in, once that is known
}

// run reads the pages one after the other, then lays them out together: what
// repeats and what the running text's size is only shows over all of them.
func (r *reading) run(ctx context.Context) error {
	var broken error
	for i := range r.doc.Pages {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := r.page(i)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			broken = err
			r.failed = append(r.failed, i+1)
			if err := r.restart(); err != nil {
				return err
			}
			continue
		}
		r.pages = append(r.pages, p)
		if err := r.renew(); err != nil {
			return err
		}
	}
	if len(r.pages) == 0 {
		return fault.New(fault.Unreadable, "The PDF is damaged: none of its %d pages can be read.", r.doc.Pages).Because(broken)
	}
	r.report()
	r.lay()
	return nil
}

// report warns of the pages whose text is not, or may not be, what they show.
func (r *reading) report() {
	if len(r.failed) > 0 {
		r.warn("%s: not read, the file is damaged there.", pageList(r.failed))
	}
	if len(r.layered) > 0 {
		r.warn("%s: a scan; its text comes from the OCR layer of the file.", pageList(r.layered))
	}
	if len(r.read) > 0 {
		r.warn("%s: read by OCR.", pageList(r.read))
	}
	if len(r.unread) > 0 && r.options.Tesseract == "-" {
		r.warn("%s: no text, only an image, and reading scans is off.", pageList(r.unread))
	} else if len(r.unread) > 0 {
		r.warn("%s: no text, only an image; install tesseract-ocr to have scans read.", pageList(r.unread))
	}
}

// restart replaces the engine's instance after an error: it may have trapped in
// the middle of its own data.
func (r *reading) restart() error {
	r.engine.pages = renewAfter
	return r.renew()
}

// warn adds a warning.
func (r *reading) warn(format string, args ...any) {
	if w := fmt.Sprintf(format, args...); !slices.Contains(r.doc.Warnings, w) {
		r.doc.Warnings = append(r.doc.Warnings, w)
	}
}

// pageList names pages, runs of them as ranges: "p. 3, 7–9".
func pageList(ns []int) string {
	var parts []string
	for i := 0; i < len(ns); {
		j := i
		for j+1 < len(ns) && ns[j+1] == ns[j]+1 {
			j++
		}
		if j == i {
			parts = append(parts, fmt.Sprint(ns[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d–%d", ns[i], ns[j]))
		}
		i = j + 1
	}
	return "p. " + strings.Join(parts, ", ")
}
