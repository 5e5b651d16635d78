package markup

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// zipped makes a ZIP of names and contents, in that order.
func zipped(tb testing.TB, entries ...string) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		f, err := w.Create(entries[i])
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := f.Write([]byte(entries[i+1])); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

const (
	container = `<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`
	opf       = `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The Fees</dc:title><dc:language>en-GB</dc:language></metadata>
<manifest><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="a" href="text/a%20b.xhtml" media-type="application/xhtml+xml"/><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/><item id="p" href="p.png" media-type="image/png"/></manifest>
<spine><itemref idref="n"/><itemref idref="b"/><itemref idref="p"/><itemref idref="a"/><itemref idref="gone"/></spine></package>`
	chapterA = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><h1>Second</h1><table><tr><th>A</th></tr><tr><td>2</td></tr></table></body></html>`
	chapterB = `<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><h1>First</h1><table><tr><th>A</th></tr><tr><td>1</td></tr></table></body></html>`
)

func book1(tb testing.TB) []byte {
	tb.Helper()
	return zipped(tb, "mimetype", MediaEPUB, "META-INF/container.xml", container, "OEBPS/book.opf", opf, "OEBPS/nav.xhtml", "<p>Contents", "OEBPS/text/a b.xhtml", chapterA, "OEBPS/b.xhtml", chapterB)
}

func TestEPUB(t *testing.T) {
	t.Parallel()
	data := book1(t)
	if !IsEPUB(data) || IsEPUB(zipped(t, "a.txt", "x")) {
		t.Error("a book is not told from an archive")
	}
	d, err := EPUB(data, form.Limits{Unpacked: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	const want = "h1 |First\nr0 |1.2 \"\" [\"A\"] [\"1\"]\nh1 |Second\nr0 |2.2 \"\" [\"A\"] [\"2\"]\n"
	if got := outline(d); got != want || d.Title != "The Fees" || d.Language != "en" {
		t.Errorf("%+v\ngot\n%swant\n%s", d, got, want)
	}
	for name, tt := range map[string]struct {
		data []byte
		kind fault.Kind
	}{
		"no package":  {zipped(t, "mimetype", MediaEPUB, "META-INF/container.xml", container), fault.Unreadable},
		"no chapter":  {zipped(t, "mimetype", MediaEPUB, "META-INF/container.xml", container, "OEBPS/book.opf", opf), fault.Unreadable},
		"cut off":     {data[:len(data)/2], fault.Unreadable},
		"DRM":         {zipped(t, "mimetype", MediaEPUB, "META-INF/container.xml", container, "OEBPS/book.opf", opf, "META-INF/encryption.xml", `<encryption><EncryptedData><CipherData><CipherReference URI="OEBPS/b.xhtml"/></CipherData></EncryptedData></encryption>`), fault.Unreadable},
		"entities":    {zipped(t, "mimetype", MediaEPUB, "META-INF/container.xml", `<!DOCTYPE x [<!ENTITY a "b">]><container>&a;</container>`), fault.Unreadable},
		"a bomb":      {zipped(t, "mimetype", MediaEPUB, "META-INF/container.xml", container, "OEBPS/book.opf", opf, "OEBPS/b.xhtml", strings.Repeat(" ", 3<<20)), fault.TooLarge},
		"many things": {zipped(t, "META-INF/container.xml", container, "b", "", "c", "", "d", "", "e", "", "f", "", "g", "", "h", "", "i", "", "j", "", "k", ""), fault.TooLarge},
	} {
		if d, err := EPUB(tt.data, form.Limits{Unpacked: 1 << 20, Entries: 5, Ratio: 100}); d != nil || !fault.Is(err, tt.kind) {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
}

func FuzzEPUB(f *testing.F) {
	f.Add(book1(f))
	f.Add(zipped(f, "META-INF/container.xml", container))
	f.Fuzz(func(t *testing.T, data []byte) {
		IsEPUB(data)
		d, err := EPUB(data, form.Limits{Unpacked: 1 << 20, Entries: 100, Ratio: 100})
		if err == nil {
			checkBlocks(t, d)
		} else if fault.Of(err).Kind == fault.Internal {
			t.Fatal(err)
		}
	})
}
