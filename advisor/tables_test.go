package advisor_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"polaris/advisor"
	"polaris/advisor/ingest"
	"polaris/models"
)

// A tableSet is four tables and questions about their cells.
type tableSet struct {
	Tables []struct {
		Title  string
		Header []string
		Rows   [][]string
	}
	Questions []struct {
		Ask                string
		Table, Row, Column int
	}
}

func readTableSet(t *testing.T) tableSet {
	t.Helper()
	data, err := os.ReadFile("testdata/tables.json")
	if err != nil {
		t.Fatal(err)
	}
	var s tableSet
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Tables) != 4 || len(s.Questions) != 20 {
		t.Fatalf("%d tables, %d questions", len(s.Tables), len(s.Questions))
	}
	return s
}

// docx writes the tables as Word does.
func (s tableSet) docx(t *testing.T) []byte {
	t.Helper()
	const ns = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	var doc strings.Builder
	doc.WriteString(`<?xml version="1.0" encoding="UTF-8"?><w:document ` + ns + `><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Branch handbook</w:t></w:r></w:p>`)
	for _, table := range s.Tables {
		doc.WriteString(`<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>` + table.Title + `</w:t></w:r></w:p><w:tbl><w:tblPr/>`)
		for i, row := range append([][]string{table.Header}, table.Rows...) {
			doc.WriteString(`<w:tr>`)
			if i == 0 {
				doc.WriteString(`<w:trPr><w:tblHeader/></w:trPr>`)
			}
			for _, c := range row {
				doc.WriteString(`<w:tc><w:tcPr/><w:p><w:r><w:t>` + c + `</w:t></w:r></w:p></w:tc>`)
			}
			doc.WriteString(`</w:tr>`)
		}
		doc.WriteString(`</w:tbl><w:p><w:r><w:t>Exceptions need a signature.</w:t></w:r></w:p>`)
	}
	doc.WriteString(`</w:body></w:document>`)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range [][2]string{
		{"[Content_Types].xml", `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>`},
		{"_rels/.rels", `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/_rels/document.xml.rels", `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`},
		{"word/styles.xml", `<?xml version="1.0"?><w:styles ` + ns + `><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style><w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>`},
		{"word/document.xml", doc.String()},
	} {
		w, err := z.Create(e[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pdf writes the tables with ruled lines, two on each page.
func (s tableSet) pdf() []byte {
	var pages []string
	for i := 0; i < len(s.Tables); i += 2 {
		var c strings.Builder
		y := 740.0
		text := func(font string, size, x, y float64, s string) {
			fmt.Fprintf(&c, "BT /%s %g Tf %g %g Td (%s) Tj ET\n", font, size, x, y, strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s))
		}
		for _, table := range s.Tables[i : i+2] {
			text("F2", 15, 72, y, table.Title)
			y -= 14
			wide := 468.0 / float64(len(table.Header))
			for k, row := range append([][]string{table.Header}, table.Rows...) {
				font := "F1"
				if k == 0 {
					font = "F2"
				}
				for col, cell := range row {
					x := 72 + wide*float64(col)
					fmt.Fprintf(&c, "%g %g %g %g re S\n", x, y-20, wide, 20.0)
					text(font, 10, x+5, y-14, cell)
				}
				y -= 20
			}
			y -= 24
			text("F1", 11, 72, y, "Exceptions need a signature of the manager on duty, and a note in the journal of the branch.")
			y -= 48
		}
		pages = append(pages, c.String())
	}
	return writePDF(pages)
}

// writePDF writes pages of content, Helvetica as F1 and its bold as F2.
func writePDF(pages []string) []byte {
	var b bytes.Buffer
	var at []int
	object := func(body string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), body)
	}
	b.WriteString("%PDF-1.7\n")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 5+2*i)
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), len(pages)))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>")
	for i, content := range pages {
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents %d 0 R >>", 6+2*i))
		object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	return b.Bytes()
}

// TestCells asks about cells of tables, in DOCX and in PDF, and wants the row of
// each quoted with the names of its columns.
func TestCells(t *testing.T) {
	t.Parallel()
	set := readTableSet(t)
	for name, data := range map[string][]byte{"docx": set.docx(t), "pdf": set.pdf()} {
		doc, err := ingest.Parse(data, ingest.Options{Name: "handbook." + name, Code: "BH", Title: "Branch handbook", Cache: pdfCache(t)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e, err := advisor.Build(&models.Corpus{Brain: "house", Version: 1, Docs: []models.Doc{{
			Source: models.Source{ID: "src_bh", Code: "BH", Title: doc.Title}, Revision: models.Revision{N: 1, Text: doc.Text}, Passages: doc.Passages,
		}}}, advisor.Config{})
		if err != nil {
			t.Fatal(err)
		}
		found, answered := 0, 0
		for _, q := range set.Questions {
			table := set.Tables[q.Table]
			row, cell := table.Rows[q.Row], table.Header[q.Column]+": "+table.Rows[q.Row][q.Column]
			is := func(quote string) bool {
				return strings.Contains(quote, row[0]) && strings.Contains(quote, cell) && strings.Count(quote, "\n") == 0
			}
			env := e.Retrieve(t.Context(), advisor.Question{Text: q.Ask})
			place := slices.IndexFunc(env.Citations, func(c models.Citation) bool { return is(c.Quote) })
			if place == 0 {
				found++
			} else {
				t.Logf("%s: %q: its row comes in place %d", name, q.Ask, place+1)
			}
			if env := e.Answer(t.Context(), advisor.Question{Text: q.Ask}); slices.ContainsFunc(env.Citations, func(c models.Citation) bool { return is(c.Quote) }) {
				answered++
			}
		}
		t.Logf("%s: of %d cells, the row comes first with its header for %d, and answers quote it for %d", name, len(set.Questions), found, answered)
		if found < 19 || answered < 15 {
			t.Errorf("%s: only %d and %d of %d", name, found, answered, len(set.Questions))
		}
	}
}

// pdfCache is where the engine that reads PDF is kept between tests.
func pdfCache(t *testing.T) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return dir + "/polaris-test-pdf"
}
