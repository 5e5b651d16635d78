package pdf

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"polaris/advisor/ingest/form"
)

// A file is a PDF in the making: a page for each content stream, Helvetica as
// F1, Helvetica-Bold as F2, a tiny grey image as I1.
type file struct {
	pages []string
	info  string // entries of the information dictionary
	extra []string
	page  string // further entries of each page
	root  string // further entries of the catalogue
	size  string // of the media box
}

// bytes writes the file.
func (f file) bytes() []byte {
	var b bytes.Buffer
	var at []int
	object := func(body string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), body)
	}
	size := f.size
	if size == "" {
		size = "612 792"
	}
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	var kids []string
	first := 7 + len(f.extra)
	for i := range f.pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", first+2*i))
	}
	object("<< /Type /Catalog /Pages 2 0 R " + f.root + " >>")
	object(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids)))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>")
	object("<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\nstream\n\x80\nendstream")
	object("<< " + f.info + " >>")
	for _, e := range f.extra { // numbered from 7
		object(e)
	}
	for i, content := range f.pages {
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %s] /Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 7 0 R >> /XObject << /I1 5 0 R >> >> /Contents %d 0 R %s >>", size, first+2*i+1, f.page))
		object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	return b.Bytes()
}

// put writes one line at a place, in Helvetica.
func put(x, y, size float64, text string) string { return putIn("F1", x, y, size, text) }

func putIn(font string, x, y, size float64, text string) string {
	text = strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(text)
	return fmt.Sprintf("BT /%s %g Tf 1 0 0 1 %g %g Tm (%s) Tj ET\n", font, size, x, y, text)
}

// lines writes lines below each other.
func lines(x, y, size float64, texts ...string) string {
	var b strings.Builder
	for i, t := range texts {
		b.WriteString(put(x, y-float64(i)*size*1.2, size, t))
	}
	return b.String()
}

// rule writes a line.
func rule(x0, y0, x1, y1 float64) string {
	return fmt.Sprintf("0.5 w %g %g m %g %g l S\n", x0, y0, x1, y1)
}

// options are those of most tests: the engine is compiled once for all of them,
// in memory, and scans are not read.
func options(tb testing.TB) Options {
	return Options{Context: tb.Context(), Tesseract: "-"}
}

// read reads a file that can be read.
func read(tb testing.TB, data []byte) *form.Document {
	tb.Helper()
	d, err := Read(data, form.Limits{}, options(tb))
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// text is the document's text, a line for each block.
func text(d *form.Document) string {
	var b strings.Builder
	for _, x := range d.Blocks {
		if x.Kind == form.Row {
			b.WriteString(strings.Join(x.Cells, " ") + "\n")
			continue
		}
		b.WriteString(strings.TrimSpace(x.Number+" "+x.Text) + "\n")
	}
	return b.String()
}

// warm compiles the engine, so that what follows finds it compiled.
func warm(dir string) error {
	e, err := start(context.Background(), dir)
	if err != nil {
		return err
	}
	e.close()
	return nil
}
