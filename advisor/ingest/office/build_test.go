package office

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"polaris/advisor/ingest/form"
)

const (
	wordSpace = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	strict    = `xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"`
	relSpace  = "http://schemas.openxmlformats.org/package/2006/relationships"
	relTypes  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
)

// pack makes a ZIP of names and contents, in that order. What is small is only
// stored: a compressor's pools would make runs differ, which the fuzzer takes for
// something new.
func pack(entries ...string) []byte {
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for i := 0; i+1 < len(entries); i += 2 {
		h := &zip.FileHeader{Name: entries[i], Method: zip.Store}
		if len(entries[i+1]) > 64<<10 {
			h.Method = zip.Deflate
		}
		w, _ := z.CreateHeader(h)
		_, _ = w.Write([]byte(entries[i+1]))
	}
	_ = z.Close()
	return buf.Bytes()
}

// docxParts are the parts of a DOCX beside its body.
type docxParts struct {
	styles, numbering, footnotes, comments, settings, header, core string
	space                                                          string
}

// word makes a DOCX that Word opens.
func word(body string, p docxParts) []byte {
	space := wordSpace
	if p.space != "" {
		space = p.space
	}
	space += ` xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"`
	entries := []string{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="` + MediaDOCX + `.main+xml"/>`}
	rels := `<Relationships xmlns="` + relSpace + `">`
	for _, part := range []struct{ name, root, content, kind string }{
		{"styles", "styles", p.styles, "styles"},
		{"numbering", "numbering", p.numbering, "numbering"},
		{"footnotes", "footnotes", p.footnotes, "footnotes"},
		{"comments", "comments", p.comments, "comments"},
		{"settings", "settings", p.settings, "settings"},
		{"header1", "hdr", p.header, "header"},
	} {
		if part.content == "" {
			continue
		}
		entries[1] += `<Override PartName="/word/` + part.name + `.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.` + part.kind + `+xml"/>`
		rels += fmt.Sprintf(`<Relationship Id="%s" Type="%s%s" Target="%s.xml"/>`, part.name, relTypes, part.kind, part.name)
		entries = append(entries, "word/"+part.name+".xml", fmt.Sprintf(`<w:%s %s>%s</w:%s>`, part.root, space, part.content, part.root))
	}
	entries[1] += `</Types>`
	top := `<Relationships xmlns="` + relSpace + `"><Relationship Id="a" Type="` + relTypes + `officeDocument" Target="word/document.xml"/>`
	if p.core != "" {
		top += `<Relationship Id="b" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/>`
		entries = append(entries, "docProps/core.xml", `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">`+p.core+`</cp:coreProperties>`)
	}
	return pack(append(entries,
		"_rels/.rels", top+`</Relationships>`,
		"word/_rels/document.xml.rels", rels+`</Relationships>`,
		"word/document.xml", `<?xml version="1.0" encoding="UTF-8"?><w:document `+space+`><w:body>`+body+`</w:body></w:document>`)...)
}

// para is a paragraph of Word: its properties and its text.
func para(props, text string) string {
	return `<w:p><w:pPr>` + props + `</w:pPr><w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
}

// item is a numbered paragraph.
func item(list, level int, text string) string {
	return para(fmt.Sprintf(`<w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr>`, level, list), text)
}

// lvl is a level of a list.
func lvl(i int, format, text, more string) string {
	return fmt.Sprintf(`<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="%s"/>%s<w:lvlText w:val="%s"/></w:lvl>`, i, format, more, text)
}

// numbering is an abstract list 0 and list 1 that is of it, and what follows.
func numbering(levels string, more ...string) string {
	return `<w:abstractNum w:abstractNumId="0"><w:multiLevelType w:val="multilevel"/>` + levels + `</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>` + strings.Join(more, "")
}

// shown writes blocks down, one a line, to be compared.
func shown(blocks []form.Block) string {
	var sb strings.Builder
	for _, b := range blocks {
		fmt.Fprintf(&sb, "%c", "PHIRCN"[b.Kind])
		if b.Level > 0 {
			fmt.Fprintf(&sb, "%d", b.Level)
		}
		if b.Page > 0 {
			fmt.Fprintf(&sb, " p.%d", b.Page)
		}
		if b.Number != "" {
			fmt.Fprintf(&sb, " [%s]", b.Number)
		}
		if b.Kind == form.Row {
			fmt.Fprintf(&sb, " t%d.%d", b.Table, b.Line)
			if b.Title != "" {
				fmt.Fprintf(&sb, " <%s>", b.Title)
			}
			for i, c := range b.Cells {
				if len(b.Header) > 0 {
					c = b.Header[i] + "=" + c
				}
				sb.WriteString(" | " + c)
			}
		} else {
			sb.WriteString(" " + b.Text)
		}
		sb.WriteByte('\n')
	}
	return sb.String()
}

// read reads a file that a test made.
func read(t *testing.T, reader func([]byte, form.Limits) (*form.Document, error), data []byte) *form.Document {
	t.Helper()
	d, err := reader(data, form.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if n := kept(d, true); n < d.Found {
		t.Errorf("kept %d characters of %d", n, d.Found)
	}
	return d
}

// same compares what blocks show.
func same(t *testing.T, d *form.Document, want string) {
	t.Helper()
	if got := shown(d.Blocks); got != strings.TrimLeft(want, "\n") {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
