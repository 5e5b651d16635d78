package markup

import (
	"strings"
	"testing"

	"polaris/advisor/ingest/form"
	"polaris/internal/craft"
	"polaris/models/fault"
)

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
	return craft.ZIP("mimetype", MediaEPUB, "META-INF/container.xml", container, "OEBPS/book.opf", opf, "OEBPS/nav.xhtml", "<p>Contents", "OEBPS/text/a b.xhtml", chapterA, "OEBPS/b.xhtml", chapterB)
}

func TestEPUB(t *testing.T) {
	t.Parallel()
	data := book1(t)
	if !IsEPUB(data) || IsEPUB(craft.ZIP("a.txt", "x")) {
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
		"no package":  {craft.ZIP("mimetype", MediaEPUB, "META-INF/container.xml", container), fault.Unreadable},
		"no chapter":  {craft.ZIP("mimetype", MediaEPUB, "META-INF/container.xml", container, "OEBPS/book.opf", opf), fault.Unreadable},
		"cut off":     {data[:len(data)/2], fault.Unreadable},
		"DRM":         {craft.ZIP("mimetype", MediaEPUB, "META-INF/container.xml", container, "OEBPS/book.opf", opf, "META-INF/encryption.xml", `<encryption><EncryptedData><CipherData><CipherReference URI="OEBPS/b.xhtml"/></CipherData></EncryptedData></encryption>`), fault.Unreadable},
		"entities":    {craft.ZIP("mimetype", MediaEPUB, "META-INF/container.xml", `<!DOCTYPE x [<!ENTITY a "b">]><container>&a;</container>`), fault.Unreadable},
		"a bomb":      {craft.ZIP("mimetype", MediaEPUB, "META-INF/container.xml", container, "OEBPS/book.opf", opf, "OEBPS/b.xhtml", strings.Repeat(" ", 3<<20)), fault.TooLarge},
		"many things": {craft.ZIP("META-INF/container.xml", container, "b", "", "c", "", "d", "", "e", "", "f", "", "g", "", "h", "", "i", "", "j", "", "k", ""), fault.TooLarge},
	} {
		if d, err := EPUB(tt.data, form.Limits{Unpacked: 1 << 20, Entries: 5, Ratio: 100}); d != nil || !fault.Is(err, tt.kind) {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
}

func FuzzEPUB(f *testing.F) {
	f.Add(book1(f))
	f.Add(craft.ZIP("META-INF/container.xml", container))
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

// A book's style sheet is a file of its own: what it hides is not in the text.
// A chapter that shows nothing is no reason to refuse the others.
func TestEPUBHidden(t *testing.T) {
	t.Parallel()
	hidden := strings.Repeat("Nobody sees any of this. ", 10)
	page := func(body string) string {
		return `<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><link rel="stylesheet" href="../css/a%20b.css"/><link rel="stylesheet" media="print" href="../css/print.css"/></head><body>` + body + `</body></html>`
	}
	data := craft.ZIP("mimetype", MediaEPUB, "META-INF/container.xml", container, "OEBPS/book.opf", opf, "OEBPS/nav.xhtml", "<p>Contents",
		"OEBPS/css/a b.css", "/* x */ .gone { display: none }", "OEBPS/css/print.css", "p { display: none }",
		"OEBPS/text/a b.xhtml", page("<p>Seen.</p><p class='gone'>"+hidden+"</p>"), "OEBPS/b.xhtml", "<html><body><p hidden>"+hidden+"</p></body></html>")
	d, err := EPUB(data, form.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got := outline(d); got != "p0 |Seen.\n" || len(d.Flags) != 2 || len(d.Warnings) != 2 {
		t.Errorf("%s%+v %q", got, d.Flags, d.Warnings)
	}
}
