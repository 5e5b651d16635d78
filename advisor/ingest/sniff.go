package ingest

import (
	"bytes"
	"regexp"
	"strings"

	"polaris/advisor/ingest/tabular"
	"polaris/models/fault"
)

// A format is what the beginning of a document shows it to be.
type format int

const (
	textFormat format = iota // Markdown or plain
	pdfFormat
	containerFormat // ZIP, OLE or RTF, which hold many
	htmlFormat
	xmlFormat
	mailFormat
	jsonFormat
)

// signatures are how files begin that are not read.
var signatures = []struct{ magic, name string }{
	{"\x1F\x8B", "a gzip file"},
	{"\x89PNG", "a picture (PNG)"},
	{"\xFF\xD8\xFF", "a picture (JPEG)"},
	{"GIF8", "a picture (GIF)"},
	{"II*\x00", "a picture (TIFF)"},
	{"MM\x00*", "a picture (TIFF)"},
	{"7z\xBC\xAF\x27\x1C", "a 7z archive"},
	{"Rar!\x1A\x07", "a RAR archive"},
	{"BZh", "a bzip2 file"},
	{"\xFD7zXZ\x00", "an xz file"},
	{"\x7FELF", "a program"},
	{"MZ\x90\x00", "a program"},
}

// binary tells the formats that are not text apart, by how they begin.
func binary(data []byte) (format, error) {
	if len(data) == 0 {
		return 0, fault.New(fault.Unreadable, "The document is empty: it has no bytes.")
	}
	head := data[:min(len(data), 1024)]
	switch {
	case bytes.Contains(head, []byte("%PDF-")) && !bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n\xef\xbb\xbf"), []byte("<")):
		return pdfFormat, nil
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return containerFormat, nil
	case bytes.HasPrefix(head, []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")):
		return containerFormat, nil
	case bytes.HasPrefix(head, []byte("{\\rtf")):
		return containerFormat, nil
	}
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.magic)) {
			return 0, fault.New(fault.Unsupported, "This is %s, which is not read. Save what it holds as PDF, DOCX, HTML or text.", s.name)
		}
	}
	return textFormat, nil
}

var (
	mailHeader = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9-]{0,60}:[^\n]*\n(?:[ \t][^\n]*\n)*)+(?:\n|$)`)
	mailNames  = regexp.MustCompile(`(?mi)^(?:from|to|subject|date|message-id|mime-version|received|return-path|delivered-to):`)
	htmlTag    = regexp.MustCompile(`(?i)<(?:html|head|body|p|div|table|h[1-6]|ul|ol|section|article|main|title|meta|span|br)(?:\s[^<>]{0,400})?/?>`)
)

// sniff tells the formats apart that are text.
func sniff(text string) format {
	head := strings.TrimLeft(text[:min(len(text), 16<<10)], " \t\r\n")
	start := strings.ToLower(head[:min(len(head), 64)])
	switch {
	case strings.HasPrefix(start, "<!doctype html"), strings.HasPrefix(start, "<html"), strings.HasPrefix(start, "<head"), strings.HasPrefix(start, "<body"):
		return htmlFormat
	case strings.HasPrefix(start, "<"):
		if f, ok := tagged(head, start); ok {
			return f
		}
	case strings.HasPrefix(start, "{"), strings.HasPrefix(start, "["):
		if tabular.IsJSON(text) {
			return jsonFormat
		}
	}
	if m := mailHeader.FindString(head); m != "" && len(mailNames.FindAllString(m, 4)) >= 3 {
		return mailFormat
	}
	return textFormat
}

var rootElement = regexp.MustCompile(`<([A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)[\s/>]`)

// tagged tells XML and HTML apart in a text that begins with a tag. Markdown may
// begin with one too.
func tagged(head, start string) (format, bool) {
	xml := strings.HasPrefix(start, "<?xml") || strings.HasPrefix(start, "<!entity")
	bare := xmlNoise.ReplaceAllString(head, "")
	m := rootElement.FindStringSubmatch(bare)
	if m != nil && strings.EqualFold(m[2], "html") && strings.HasPrefix(strings.TrimSpace(bare), "<") {
		return htmlFormat, true
	}
	if xml || strings.HasPrefix(start, "<!doctype") {
		return xmlFormat, true
	}
	if m != nil {
		switch strings.ToLower(m[2]) {
		case "regulation", "uscdoc", "pcdoc", "lawdoc", "ecfr", "dlpstextclass", "div1", "div3", "div5", "div8":
			return xmlFormat, true
		}
	}
	return htmlFormat, len(htmlTag.FindAllString(head, 4)) >= 2 && !marked.MatchString(head)
}

var xmlNoise = regexp.MustCompile(`(?s)<\?.*?\?>|<!--.*?-->`)
