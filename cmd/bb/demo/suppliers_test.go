package demo

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"polaris/advisor/ingest"
)

// A clause is a paragraph of the policy on suppliers, which Word numbers by
// itself: the text has no number anywhere.
type clause struct {
	level int // 0 and 1 are headings, 2 and 3 paragraphs below them
	text  string
}

var suppliers = []clause{
	{0, "Before a contract"},
	{1, "Who is a supplier"},
	{2, "A supplier is anyone outside Calliope Home Lending who is paid for goods or services, a valuer, a broker and a bureau included."},
	{2, "A supplier is critical where our customers would notice within one day that it has stopped working."},
	{1, "Choosing"},
	{2, "Above $25,000 a year, obtain offers from at least three suppliers that do not belong to one another."},
	{2, "Whoever asked for the goods or services does not choose the supplier alone. The purchasing desk agrees in writing."},
	{1, "Checks"},
	{2, "Before a contract is signed, the purchasing desk checks:"},
	{3, "who owns the supplier, and whether an owner or a director is on a sanctions list;"},
	{3, "whether one of our employees, or a member of their household, has a share in it;"},
	{3, "its accounts of the last two years, where it is to be a critical supplier; and"},
	{3, "how it protects data, where it is to see any of a customer."},
	{2, "The checks are done anew every 24 months, and every 12 months for a critical supplier."},
	{2, "A supplier that fails a check is taken on only with the written consent of the finance director and the general counsel."},
	{0, "The contract"},
	{1, "What it must say"},
	{2, "Every contract names the service, its price, the notice period, and who answers for it on both sides."},
	{2, "A supplier that sees customers’ data reports a loss or disclosure of it to us within 24 hours, and deletes the data within 30 days after the contract has ended."},
	{2, "A critical supplier lets us, our auditors and our regulator look at what it does for us, and helps for up to 6 months after the end to move the service elsewhere."},
	{1, "Signing"},
	{2, "Two people sign: the head of the department and, above $50,000 a year, the finance director."},
	{2, "No supplier begins to work before the contract is signed."},
	{0, "While it runs"},
	{1, "Watching"},
	{2, "The person who answers for a contract meets a critical supplier every quarter, and writes down what was missed."},
	{2, "Invoices are paid within 30 days where somebody other than the person who ordered has confirmed what was delivered."},
	{1, "Ending"},
	{2, "When a contract ends, the supplier’s access to our buildings and systems ends on the same day."},
	{2, "The person who answers for the contract has the deletion of data confirmed in writing."},
}

// suppliersFile makes the document as a word processor does: styles, a list of
// four levels and paragraphs that name their level.
func suppliersFile() []byte {
	const (
		space = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
		media = "application/vnd.openxmlformats-officedocument.wordprocessingml."
		rel   = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	)
	styles := []string{"Heading1", "Heading2", "Clause", "Item"}
	var body strings.Builder
	body.WriteString(`<w:p><w:pPr><w:pStyle w:val="Title"/></w:pPr><w:r><w:t>Taking on a Supplier</w:t></w:r></w:p>`)
	for _, c := range suppliers {
		fmt.Fprintf(&body, `<w:p><w:pPr><w:pStyle w:val="%s"/><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>%s</w:t></w:r></w:p>`, styles[c.level], c.level, c.text)
	}
	var levels strings.Builder
	for i, l := range [][2]string{{"decimal", "%1"}, {"decimal", "%1.%2"}, {"lowerLetter", "(%3)"}, {"decimal", "(%4)"}} {
		fmt.Fprintf(&levels, `<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="%s"/><w:lvlText w:val="%s"/><w:lvlJc w:val="left"/></w:lvl>`, i, l[0], l[1])
	}
	const head = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="` + media + `document.main+xml"/><Override PartName="/word/styles.xml" ContentType="` + media + `styles+xml"/><Override PartName="/word/numbering.xml" ContentType="` + media + `numbering+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + rel + `officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/_rels/document.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + rel + `styles" Target="styles.xml"/><Relationship Id="rId2" Type="` + rel + `numbering" Target="numbering.xml"/></Relationships>`},
		{"word/styles.xml", `<w:styles ` + space + `><w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style><w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/></w:style><w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/></w:style><w:style w:type="paragraph" w:styleId="Item"><w:name w:val="Item"/></w:style></w:styles>`},
		{"word/numbering.xml", `<w:numbering ` + space + `><w:abstractNum w:abstractNumId="0"><w:multiLevelType w:val="multilevel"/>` + levels.String() + `</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`},
		{"word/document.xml", `<w:document ` + space + `><w:body>` + body.String() + `<w:sectPr/></w:body></w:document>`},
	} {
		// Stored, since a compressor's output may differ from one Go to the next.
		w, err := z.CreateHeader(&zip.FileHeader{Name: f[0], Method: zip.Store})
		if err == nil {
			_, err = w.Write([]byte(head + f[1]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// TestSuppliers: the file is the one that is made here, which
// POLARIS_WRITE_DEMO=1 does, and the importer counts as a word processor does.
func TestSuppliers(t *testing.T) {
	t.Parallel()
	made := suppliersFile()
	if os.Getenv("POLARIS_WRITE_DEMO") != "" {
		if err := os.WriteFile("suppliers.docx", made, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(made, read("suppliers.docx")) {
		t.Error("suppliers.docx is not what is made here")
	}
	doc, err := ingest.Parse(made, ingest.Options{Name: "suppliers.docx", Code: "SUP"})
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, p := range doc.Passages {
		texts[p.Key] = doc.Text[p.Start:p.End]
	}
	for key, begins := range map[string]string{
		"SUP 1.2(a)": "Above $25,000", "SUP 1.3(a)(3)": "its accounts", "SUP 2.1(b)": "A supplier that sees", "SUP 3.2(b)": "The person who answers",
	} {
		if !strings.Contains(texts[key], begins) {
			t.Errorf("%s is %q, want %q", key, texts[key], begins)
		}
	}
	if doc.Title != "Taking on a Supplier" || len(doc.Warnings) > 0 {
		t.Errorf("title %q, warnings %q", doc.Title, doc.Warnings)
	}
}
