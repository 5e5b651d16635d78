package office

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"io"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// sniffed bounds what is unpacked to tell a format.
const sniffed = 1 << 20

var ole = []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")

// mainParts are the content types of a package's main part that say what it is.
var mainParts = map[string]string{
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml":   MediaDOCX,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml":   MediaDOCX,
	"application/vnd.ms-word.document.macroenabled.main+xml":                             MediaDOCX,
	"application/vnd.ms-word.template.macroenabledtemplate.main+xml":                     MediaDOCX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml":         MediaXLSX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml":      MediaXLSX,
	"application/vnd.ms-excel.sheet.macroenabled.main+xml":                               MediaXLSX,
	"application/vnd.ms-excel.template.macroenabled.main+xml":                            MediaXLSX,
	"application/vnd.ms-excel.sheet.binary.macroenabled.main":                            "application/vnd.ms-excel.sheet.binary.macroenabled.12",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml": MediaPPTX,
	"application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml":    MediaPPTX,
	"application/vnd.openxmlformats-officedocument.presentationml.template.main+xml":     MediaPPTX,
	"application/vnd.ms-powerpoint.presentation.macroenabled.main+xml":                   MediaPPTX,
	"application/vnd.ms-powerpoint.slideshow.macroenabled.main+xml":                      MediaPPTX,
	"application/vnd.ms-powerpoint.template.macroenabled.main+xml":                       MediaPPTX,
}

// Sniff returns the media type of a file of an office program. It looks at what
// the file holds, never at a name: at the content types of a package, the
// mimetype of an OpenDocument, the streams of the old formats. All old formats
// are MediaDOC, whose reader says which of them it is.
func Sniff(data []byte) (media string, ok bool) {
	switch {
	case bytes.HasPrefix(data, []byte(`{\rtf`)):
		return MediaRTF, true
	case bytes.HasPrefix(data, ole):
		return MediaDOC, true
	case !bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return "", false
	}
	c, err := unzip(data, form.Limits{Entries: 1 << 16, Unpacked: 2 * sniffed})
	if err != nil {
		return "", false
	}
	if media = c.opc(); media == "" {
		media = c.odf()
	}
	return media, media != ""
}

// opc returns the media type of an OPC package, "" where it is none.
func (c *container) opc() (media string) {
	w, done, err := c.walk("[Content_Types].xml")
	defer done()
	if w != nil && err == nil {
		_ = w.find("?", "Override", func(e xml.StartElement) error {
			if m := mainParts[strings.ToLower(attr(e, "ContentType"))]; m != "" {
				media = m
				return io.EOF // enough
			}
			return nil
		})
	}
	if media != "" {
		return media
	}
	for _, part := range []struct{ name, media string }{{"word/document.xml", MediaDOCX}, {"xl/workbook.xml", MediaXLSX}, {"ppt/presentation.xml", MediaPPTX}} {
		if c.entries[part.name] != nil {
			return part.media
		}
	}
	return ""
}

// odf returns the media type of an OpenDocument, "" where it is none.
func (c *container) odf() string {
	r, err := c.open("mimetype")
	if r == nil || err != nil {
		return ""
	}
	defer func() { _ = r.Close() }()
	b, _ := io.ReadAll(io.LimitReader(r, 200))
	media := strings.TrimSpace(string(b))
	switch {
	case strings.HasPrefix(media, MediaODT):
		return MediaODT // a template or a master document is one too
	case strings.HasPrefix(media, "application/vnd.oasis.opendocument."):
		return media
	}
	return ""
}

// Read reads a file of a media type that Sniff returned. With inside, no other
// program is started.
func Read(media string, data []byte, l form.Limits, inside bool) (*form.Document, error) {
	switch media {
	case MediaDOCX:
		return DOCX(data, l)
	case MediaODT:
		return ODT(data, l)
	case MediaRTF:
		return RTF(data, l)
	case MediaXLSX:
		return XLSX(data, l)
	case MediaPPTX:
		return PPTX(data, l)
	case MediaDOC:
		return DOC(data, l, inside)
	case "application/vnd.ms-excel.sheet.binary.macroenabled.12":
		return nil, fault.New(fault.Unsupported, "This is a binary Excel workbook (XLSB), which is not read. Save it as XLSX.")
	case "application/vnd.oasis.opendocument.spreadsheet":
		return nil, fault.New(fault.Unsupported, "This is an OpenDocument spreadsheet, which is not read. Save it as XLSX or CSV.")
	case "application/vnd.oasis.opendocument.presentation":
		return nil, fault.New(fault.Unsupported, "This is an OpenDocument presentation, which is not read. Save it as PPTX or PDF.")
	}
	return nil, fault.New(fault.Unsupported, "This is %s, which is not read. Save it as DOCX, ODT or PDF.", media)
}

// streams returns the names of the streams of an OLE file. Its directory's
// entries are 128 bytes each, wherever they lie.
func streams(data []byte) map[string]bool {
	names := map[string]bool{}
	for at := 512; at+128 <= len(data); at += 128 {
		e := data[at : at+128]
		n := int(binary.LittleEndian.Uint16(e[64:]))
		if kind := e[66]; n < 4 || n > 64 || n%2 != 0 || kind == 0 || kind > 5 || e[67] > 1 || e[1] != 0 {
			continue
		}
		if name, err := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder().Bytes(e[:n-2]); err == nil && len(names) < 1000 {
			names[string(name)] = true
		}
	}
	return names
}
