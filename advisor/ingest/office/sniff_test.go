package office

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// oleFile makes the beginning of an OLE file: a directory of those streams.
func oleFile(names ...string) []byte {
	data := make([]byte, 512)
	copy(data, ole)
	for _, name := range append([]string{"Root Entry"}, names...) {
		e := make([]byte, 128)
		for i, u := range utf16.Encode([]rune(name)) {
			binary.LittleEndian.PutUint16(e[2*i:], u)
		}
		binary.LittleEndian.PutUint16(e[64:], uint16(2*len(name)+2)) //nolint:gosec // short
		e[66], e[67] = 2, 1
		data = append(data, e...)
	}
	return data
}

// replace returns a ZIP with the content of one entry replaced.
func replace(t testing.TB, data []byte, name, content string) []byte {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	must(t, err)
	var entries []string
	for _, f := range r.File {
		rc, err := f.Open()
		must(t, err)
		b, err := io.ReadAll(rc)
		must(t, err)
		if f.Name == name {
			b = []byte(content)
		}
		entries = append(entries, f.Name, string(b))
	}
	return pack(entries...)
}

func TestSniff(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		data  []byte
		media string
	}{
		{"docx", word(para("", "a"), docxParts{}), MediaDOCX},
		{"docx without types", pack("word/document.xml", "<x/>"), MediaDOCX},
		{"docm", pack("[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/></Types>`), MediaDOCX},
		{"xlsx", workbook(t, func(*excelize.File) {}), MediaXLSX},
		{"pptx", slides([]string{""}, [2]string{"", ""}), MediaPPTX},
		{"odt", openText("", "", ""), MediaODT},
		{"ods", pack("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), "application/vnd.oasis.opendocument.spreadsheet"},
		{"rtf", []byte(`{\rtf1 a}`), MediaRTF},
		{"doc", oleFile("WordDocument"), MediaDOC},
		{"epub", pack("mimetype", "application/epub+zip"), ""},
		{"zip", pack("a.txt", "a", "report.docx", "no"), ""},
		{"text", []byte("word/document.xml"), ""},
		{"no zip", []byte("PK\x03\x04 and no more"), ""},
		{"nothing", nil, ""},
	} {
		if media, ok := Sniff(test.data); media != test.media || ok != (test.media != "") {
			t.Errorf("%s: %q %v, want %q", test.name, media, ok, test.media)
		}
	}
}

func TestRefusesByName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		media  string
		data   []byte
		inside bool
		kind   fault.Kind
		says   string
	}{
		{MediaDOC, oleFile("EncryptionInfo", "EncryptedPackage"), false, fault.Unreadable, "is protected by a password"},
		{MediaDOC, oleFile("Workbook"), false, fault.Unsupported, "XLS"},
		{MediaDOC, oleFile("PowerPoint Document"), false, fault.Unsupported, "PPT"},
		{MediaDOC, oleFile("__properties_version1.0"), false, fault.Unsupported, "Outlook"},
		{MediaDOC, oleFile("Other"), false, fault.Unsupported, "no Word document"},
		{MediaDOC, oleFile("WordDocument"), true, fault.Unsupported, "outside programs are off"},
		{"application/vnd.oasis.opendocument.spreadsheet", nil, false, fault.Unsupported, "XLSX or CSV"},
		{"application/vnd.visio", nil, false, fault.Unsupported, "application/vnd.visio"},
	} {
		_, err := Read(test.media, test.data, form.Limits{}, test.inside)
		if f := fault.Of(err); f == nil || f.Kind != test.kind || !strings.Contains(f.Message, test.says) {
			t.Errorf("%s: %v, want %s", test.media, err, test.says)
		}
	}
}
