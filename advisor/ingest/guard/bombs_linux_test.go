package guard

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"polaris/advisor/ingest"
	"polaris/advisor/ingest/archive"
	"polaris/models/fault"
)

// zipped packs files in the order of names.
func zipped(tb testing.TB, files ...string) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i+1 < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = io.WriteString(f, files[i+1])
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

const laughs = `<!DOCTYPE x [<!ENTITY a "hahahahahahahahahaha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;"><!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;">]>`

const types = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`

const rels = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`

// word returns a DOCX with this body.
func word(tb testing.TB, doctype, body string) []byte {
	return zipped(tb, "[Content_Types].xml", types, "_rels/.rels", rels,
		"word/document.xml", `<?xml version="1.0"?>`+doctype+`<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`+body+`</w:body></w:document>`)
}

// epub returns an EPUB with this page.
func epub(tb testing.TB, page string) []byte {
	return zipped(tb, "mimetype", "application/epub+zip",
		"META-INF/container.xml", `<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile full-path="p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
		"p.opf", `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`,
		"a.xhtml", page)
}

// pdf returns a PDF of these objects, the first of which is its catalog.
func pdf(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	at := make([]int, len(objects))
	for i, o := range objects {
		at[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

func stream(s string) string { return fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(s), s) }

// longPDF returns a PDF of n pages.
func longPDF(n int) []byte {
	var kids strings.Builder
	for i := range n {
		fmt.Fprintf(&kids, "%d 0 R ", i+5)
	}
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", n, kids.String()), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", stream("BT /F 12 Tf 50 700 Td (The fee is due.) Tj ET")}
	for range n {
		objects = append(objects, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F 3 0 R>>>>/Contents 4 0 R>>")
	}
	return pdf(objects...)
}

// loopingPDF returns a PDF in which a form draws itself many times over, and so
// on without end.
func loopingPDF(depth int) []byte {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</XObject<</X 5 0 R>>>>/Contents 4 0 R>>", stream("/X Do")}
	for i := range depth {
		next := 6 + i
		if i == depth-1 {
			next = 5 // and again
		}
		s := strings.Repeat("/X Do\n", 12)
		objects = append(objects, fmt.Sprintf("<</Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</X %d 0 R>>>>/Length %d>>stream\n%s\nendstream", next, len(s), s))
	}
	return pdf(objects...)
}

// A bomb is a file that is small and unfolds to much.
type bomb struct {
	name string
	data []byte
	l    Limits
	kind fault.Kind // with which it is refused; Internal: it may be read
	says string
}

// Bombs are refused, or read, within the bounds, with one line; and the child
// never has more memory than it may, but for what it takes between two looks.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	zeros := string(make([]byte, 100<<20))
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	_, err := io.WriteString(w, zeros)
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	spaces := strings.Repeat(" ", 200<<20)
	para := `<w:p><w:r><w:t>The fee is due on the first day of each month.</w:t></w:r></w:p>`
	cache := t.TempDir()
	for _, b := range []bomb{
		{"gzip 1000:1", gz.Bytes(), Limits{}, fault.Unsupported, "gzip"},
		{"entities in XML", []byte(`<?xml version="1.0"?>` + laughs + `<x>&g;</x>`), Limits{}, fault.Unreadable, "entit"},
		{"entities in DOCX", word(t, laughs, `<w:p><w:r><w:t>&g;</w:t></w:r></w:p>`), Limits{}, fault.Unreadable, ""},
		{"entities in EPUB", epub(t, `<?xml version="1.0"?>`+laughs+`<html xmlns="http://www.w3.org/1999/xhtml"><body><p>&g;</p></body></html>`), Limits{}, fault.Internal, ""},
		{"DOCX of spaces, 1000:1", word(t, "", spaces), Limits{}, fault.TooLarge, "200"},
		{"DOCX of paragraphs", word(t, "", strings.Repeat(para, 3_000_000)), Limits{}, fault.TooLarge, ""},
		{"DOCX of nested tables", word(t, "", strings.Repeat("<w:tbl><w:tr><w:tc>", 200_000)+para), Limits{}, fault.Internal, ""},
		{"EPUB of zeros", epub(t, zeros), Limits{}, fault.TooLarge, ""},
		{"5,000 pages", longPDF(5000), Limits{}, fault.TooLarge, "5000 pages"},
		{"a PDF that loops", loopingPDF(8), Limits{Time: 10 * time.Second}, fault.Internal, ""},
		{"deep JSON", []byte(strings.Repeat("[", 5_000_000)), Limits{}, fault.Internal, ""},
		{"deep HTML", []byte("<!DOCTYPE html><html><body>" + strings.Repeat("<div>", 1_000_000) + "The fee is due."), Limits{}, fault.Internal, ""},
		{"one line of 60 MiB", bytes.Repeat([]byte("word "), 12<<20), Limits{}, fault.Internal, ""},
		{"60 MiB of lines", bytes.Repeat([]byte("a\n\n"), 20<<20), Limits{}, fault.TooLarge, ""},
	} {
		t.Run(b.name, func(t *testing.T) {
			e := &Extractor{Limits: b.l, Cache: cache}
			if looksLikePDF(b.data) {
				e.Warm(t.Context())
			}
			var d receivedDocument
			o := ingest.Options{Name: "bomb", Limits: e.limits().Limits}
			start := time.Now()
			u, err := e.run(t.Context(), job{Op: opParse, Options: o}, b.data, d.take)
			if err == nil {
				err = d.check(o)
			}
			took := time.Since(start)
			line := "read: " + fmt.Sprint(len(d.passages)) + " passages"
			if err != nil {
				line = fault.Of(err).Message
			}
			t.Logf("%.1f MiB, %v, memory up to %d MiB: %s", float64(len(b.data))/(1<<20), took.Round(time.Millisecond), u.peak>>20, line)
			within(t, e, u, took)
			if b.kind != fault.Internal && (!fault.Is(err, b.kind) || !strings.Contains(line, b.says)) {
				t.Errorf("%v, want kind %v that says %q", err, b.kind, b.says)
			}
			if err != nil && (fault.Of(err).Kind == fault.Internal || strings.Contains(line, "\n") || len(line) > 400) {
				t.Errorf("%v is no clear line", err)
			}
		})
	}
}

// overshoot is what a child may take beyond its memory before it is ended.
const overshoot = 150 << 20

// within holds a child to its bounds.
func within(t *testing.T, e *Extractor, u usage, took time.Duration) {
	t.Helper()
	l := e.limits()
	if u.peak > l.Memory+overshoot {
		t.Errorf("it had %d MiB", u.peak>>20)
	}
	if took > l.Time+2*dying {
		t.Errorf("it took %v", took)
	}
}

// Archives that unpack to more than anybody has are refused, or left out.
func TestArchiveBombs(t *testing.T) {
	t.Parallel()
	inner := zipped(t, "zeros.txt", string(make([]byte, 50<<20)))
	for range 2 { // as 42.zip: sixteen of them in each
		var files []string
		for i := range 16 {
			files = append(files, fmt.Sprintf("lib %d.zip", i), string(inner))
		}
		inner = zipped(t, files...)
	}
	many := make([]string, 0, 1200)
	for i := range 600 {
		many = append(many, fmt.Sprint(i, ".txt"), string(make([]byte, 1<<20)))
	}
	lying := zipped(t, "a.md", rules, "b.md", rules)
	binary.LittleEndian.PutUint32(lying[bytes.Index(lying, []byte("PK\x01\x02"))+24:], 1<<31)
	for _, b := range []struct {
		name string
		data []byte
		kind fault.Kind
		got  int
		says string
	}{
		{"zips within zips", inner, fault.Internal, 0, "archive inside"},
		{"many that unpack to 600 MiB", zipped(t, many...), fault.TooLarge, -1, ""},
		{"a size that lies", lying, fault.Internal, 1, "damaged"},
		{"entries that are the same bytes", same(t, 1000), fault.Unreadable, 0, ""},
	} {
		e := &Extractor{}
		r := receivedArchive{l: e.limits().Limits, names: map[string]bool{}}
		got := 0
		r.each = func(string, []byte) error { got++; return nil }
		start := time.Now()
		u, err := e.run(t.Context(), job{Op: opExpand, Options: ingest.Options{Limits: r.l}}, b.data, r.take)
		t.Logf("%s: %.1f MiB, %v, memory up to %d MiB: %d handed out, %d left out, %v", b.name, float64(len(b.data))/(1<<20), time.Since(start).Round(time.Millisecond), u.peak>>20, got, len(r.skipped), err)
		within(t, e, u, time.Since(start))
		if b.kind != fault.Internal && !fault.Is(err, b.kind) || b.kind == fault.Internal && err != nil || b.got >= 0 && got != b.got {
			t.Errorf("%s: %d, %v", b.name, got, err)
		}
		for _, s := range r.skipped {
			if !strings.Contains(s.Reason, b.says) {
				t.Errorf("%s: %s", b.name, s.Reason)
			}
		}
	}
	if _, err := (&Extractor{}).Expand(t.Context(), word(t, "", ""), nil); fault.Of(err).Code != archive.NotArchive {
		t.Errorf("a document as an archive: %v", err)
	}
}

// same returns a ZIP whose n entries are one stretch of bytes.
func same(tb testing.TB, n int) []byte {
	tb.Helper()
	one := zipped(tb, "x", string(make([]byte, 1<<20)))
	at := bytes.Index(one, []byte("PK\x01\x02"))
	header := one[at : at+46+1]
	var b bytes.Buffer
	b.Write(one[:at])
	for range n {
		b.Write(header)
	}
	end := binary.LittleEndian.AppendUint16([]byte("PK\x05\x06\x00\x00\x00\x00"), uint16(n))
	end = binary.LittleEndian.AppendUint16(end, uint16(n))
	end = binary.LittleEndian.AppendUint32(end, uint32(n*len(header)))
	end = binary.LittleEndian.AppendUint32(end, uint32(at))
	b.Write(append(end, 0, 0))
	return b.Bytes()
}
