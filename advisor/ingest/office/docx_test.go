package office

import (
	"reflect"
	"strings"
	"testing"

	"polaris/advisor/ingest/form"
	"polaris/models"
	"polaris/models/fault"
)

// run is a run of Word: its properties and its content.
func runOf(props, content string) string {
	return `<w:r><w:rPr>` + props + `</w:rPr>` + content + `</w:r>`
}

func said(text string) string { return `<w:t xml:space="preserve">` + text + `</w:t>` }

func TestDOCXText(t *testing.T) {
	t.Parallel()
	box := `<w:txbxContent>` + para("", "In the box") + `</w:txbxContent>`
	for _, test := range []struct {
		name, body string
		parts      docxParts
		want       string
	}{
		{
			name: "headings by style, by what the style is based on, by level", parts: docxParts{styles: `<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/></w:style>` +
				`<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/><w:basedOn w:val="N"/></w:style>` +
				`<w:style w:type="paragraph" w:styleId="House"><w:name w:val="House"/><w:basedOn w:val="berschrift2"/></w:style>` +
				`<w:style w:type="paragraph" w:styleId="Out"><w:name w:val="Out"/><w:pPr><w:outlineLvl w:val="3"/></w:pPr></w:style>` +
				`<w:style w:type="paragraph" w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>` +
				`<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>`},
			body: para(`<w:pStyle w:val="Titel"/>`, "T") + para(`<w:pStyle w:val="berschrift2"/>`, "a") + para(`<w:pStyle w:val="House"/>`, "b") + para(`<w:pStyle w:val="Out"/>`, "c") + para(`<w:outlineLvl w:val="0"/>`, "d") + para(`<w:pStyle w:val="House"/><w:outlineLvl w:val="9"/>`, "e") + para(`<w:pStyle w:val="Loop"/>`, "f") + para("", "g"),
			want: "H1 T\nH2 a\nH2 b\nH4 c\nH1 d\nP e\nP f\nP g\n",
		},
		{
			name: "what is in runs", body: `<w:p>` + runOf("", said("a")+`<w:tab/>`+said("b")+`<w:br/>`+said("c")+`<w:noBreakHyphen/>`+said("d")+`<w:softHyphen/>`+said("e")) +
				`<w:hyperlink>` + runOf("", said(" link")) + `</w:hyperlink>` + `<w:smartTag>` + runOf("", said(" tag")) + `</w:smartTag>` +
				runOf("", `<w:fldChar w:fldCharType="begin"/>`) + runOf("", `<w:instrText> PAGE </w:instrText>`) + runOf("", `<w:fldChar w:fldCharType="separate"/>`) + runOf("", said(" 7")) + runOf("", `<w:fldChar w:fldCharType="end"/>`) +
				`<w:fldSimple w:instr="REF x">` + runOf("", said(" ref")) + `</w:fldSimple>` + runOf("", `<w:sym w:font="Wingdings" w:char="F0FE"/>`) +
				`<m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath>` + runOf("", `<w:ruby><w:rt><w:r>`+said("kan")+`</w:r></w:rt><w:rubyBase><w:r>`+said("漢")+`</w:r></w:rubyBase></w:ruby>`) + `</w:p>`,
			want: "P a b c-de link tag 7 ref☑x=1漢\n",
		},
		{
			name: "content controls", body: `<w:sdt><w:sdtPr><w:alias w:val="no"/></w:sdtPr><w:sdtContent>` + para("", "in") + `<w:p><w:sdt><w:sdtContent>` + runOf("", said("inline")) + `</w:sdtContent></w:sdt></w:p></w:sdtContent></w:sdt>`,
			want: "P in\nP inline\n",
		},
		{
			name: "a text box once, after its paragraph", body: `<w:p>` + runOf("", said("Before")) + `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>` + box + `</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>` + box + `</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>` + runOf("", said(" after")) + `</w:p>` +
				`<w:p><w:r><w:pict><v:shape><v:textbox>` + box + `</v:textbox></v:shape></w:pict></w:r></w:p>`,
			want: "P Before after\nP In the box\nP In the box\n",
		},
		{
			name: "a strict file", parts: docxParts{space: strict, styles: `<w:style w:type="paragraph" w:styleId="A"><w:name w:val="heading 1"/></w:style>`}, body: para(`<w:pStyle w:val="A"/>`, "Strict") + para("", "text"),
			want: "H1 Strict\nP text\n",
		},
		{name: "decomposed letters", body: para("", "Cafe\u0301  \t x"), want: "P Café x\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			same(t, read(t, DOCX, word(test.body, test.parts)), test.want)
		})
	}
}

// td is a cell of Word.
func td(props, content string) string {
	if !strings.HasPrefix(content, "<") {
		content = para("", content)
	}
	return `<w:tc><w:tcPr>` + props + `</w:tcPr>` + content + `</w:tc>`
}

func tr(props string, cells ...string) string {
	return `<w:tr><w:trPr>` + props + `</w:trPr>` + strings.Join(cells, "") + `</w:tr>`
}

func tbl(props string, rows ...string) string {
	return `<w:tbl><w:tblPr>` + props + `</w:tblPr>` + strings.Join(rows, "") + `</w:tbl>`
}

func TestDOCXTables(t *testing.T) {
	t.Parallel()
	const (
		head  = `<w:tblHeader/>`
		first = `<w:tblLook w:val="04A0"/>`
		none  = `<w:tblLook w:val="0000"/>`
	)
	for _, test := range []struct{ name, body, want string }{
		{
			"a row that is marked as header", tbl(none, tr(head, td("", "Fee"), td("", "Amount")), tr("", td("", "Late"), td("", "$25"))),
			"R t1.2 | Fee=Late | Amount=$25\n",
		},
		{
			"two header rows, the first merged", tbl(first, tr(head, td(`<w:vMerge w:val="restart"/>`, "Fee"), td(`<w:gridSpan w:val="2"/>`, "2024")), tr(head, td(`<w:vMerge/>`, ""), td("", "Min"), td("", "Max")), tr("", td("", "Late"), td("", "$25"), td("", "$35"))),
			"R t1.3 | Fee=Late | 2024 / Min=$25 | 2024 / Max=$35\n",
		},
		{
			"the first row by the table's look, merged cells below", tbl(first, tr("", td("", "Who"), td("", "What"), td("", "When")), tr("", td(`<w:vMerge w:val="restart"/>`, "Bank"), td("", "tells"), td("", "30 days")), tr("", td(`<w:vMerge/>`, ""), td(`<w:gridSpan w:val="2"/>`, "keeps records"))),
			"R t1.2 | Who=Bank | What=tells | When=30 days\nR t1.3 | Who=Bank | What=keeps records | When=\n",
		},
		{
			"no header: the look says so", tbl(none, tr("", td("", "a"), td("", "b")), tr("", td("", "c"), td("", "d"))),
			"R t1.1 | a | b\nR t1.2 | c | d\n",
		},
		{
			"a file that does not say: names over values", tbl("", tr("", td("", "Year"), td("", "Rate")), tr("", td("", "2023"), td("", "5 %")), tr("", td("", "2024"), td("", "6 %"))),
			"R t1.2 | Year=2023 | Rate=5 %\nR t1.3 | Year=2024 | Rate=6 %\n",
		},
		{
			"groups of columns, which the file does not mark", tbl("", tr("", td(`<w:vMerge w:val="restart"/>`, "Fee"), td(`<w:gridSpan w:val="2"/>`, "2024")), tr("", td(`<w:vMerge/>`, ""), td("", "Min"), td("", "Max")), tr("", td("", "Late"), td("", "$25"), td("", "$35"))),
			"R t1.3 | Fee=Late | 2024 / Min=$25 | 2024 / Max=$35\n",
		},
		{
			"a merged cell over data", tbl(first, tr("", td("", "Fee"), td(`<w:gridSpan w:val="2"/>`, "Who pays")), tr("", td("", "Late"), td("", "owner"), td("", "tenant")), tr("", td("", "Wire"), td("", "bank"), td("", ""))),
			"R t1.2 | Fee=Late | Who pays=owner | Who pays=tenant\nR t1.3 | Fee=Wire | Who pays=bank | Who pays=\n",
		},
		{
			"years as names", tbl("", tr("", td("", "Fee"), td("", "2023"), td("", "2024")), tr("", td("", "Late"), td("", "$25"), td("", "$35"))),
			"R t1.2 | Fee=Late | 2023=$25 | 2024=$35\n",
		},
		{
			"a form has no header", tbl(first, tr("", td("", "Owner:"), td("", "Ann")), tr("", td("", "Date:"), td("", "May"))),
			"R t1.1 | Owner: | Ann\nR t1.2 | Date: | May\n",
		},
		{
			"a first row over the whole width is the title", tbl(first, tr("", td(`<w:gridSpan w:val="2"/>`, "Fees of 2024")), tr("", td("", "Fee"), td("", "Amount")), tr("", td("", "Late"), td("", "$25"))),
			"R t1.3 <Fees of 2024> | Fee=Late | Amount=$25\n",
		},
		{
			"a caption above", para("", "Table 3. Fees") + tbl(first, tr("", td("", "Fee"), td("", "Amount")), tr("", td("", "Late"), td("", "$25"))),
			"P Table 3. Fees\nR t1.2 <Table 3. Fees> | Fee=Late | Amount=$25\n",
		},
		{
			"a caption above, and a first row over the whole width", para("", "Table 3. Fees") + tbl(first, tr("", td(`<w:gridSpan w:val="2"/>`, "Of 2024")), tr("", td("", "Fee"), td("", "Amount")), tr("", td("", "Late"), td("", "$25"))),
			"P Table 3. Fees\nR t1.3 <Table 3. Fees: Of 2024> | Fee=Late | Amount=$25\n",
		},
		{
			"a first cell that says it covers more than there is", tbl("", tr("", td(`<w:gridSpan w:val="99"/>`, "a"), td("", "b")), tr("", td("", "1"), td("", "2")), tr("", td("", "3"), td("", "4"))),
			"R t1.2 | a=1 | a=2 | b=\nR t1.3 | a=3 | a=4 | b=\n",
		},
		{"only a header", tbl(first, tr(head, td("", "a"), td("", "b"))), "R t1.1 | a | b\n"},
		{
			"a table in a cell comes after, under the row's name", tbl(none, tr("", td("", "Fees"), td("", para("", "see:")+tbl(first, tr("", td("", "Fee"), td("", "Amount")), tr("", td("", "Late"), td("", "$25")))))) + para("", "after") +
				tbl(none, tr("", td("", "x"), td("", "y"))),
			"R t1.1 | Fees | see:\nR t2.2 <Fees> | Fee=Late | Amount=$25\nP after\nR t3.1 | x | y\n",
		},
		{"a table of one cell is a frame", tbl(first, tr("", td("", para(`<w:outlineLvl w:val="1"/>`, "Note")+para("", "text")))), "H2 Note\nP text\n"},
		{
			"rows in content controls, rows that were deleted", tbl(none, `<w:sdt><w:sdtContent>`+tr("", td("", "a"), td("", "b"))+`</w:sdtContent></w:sdt>`, tr(`<w:del w:author="x"/>`, td("", "gone"), td("", "gone")), tr("", `<w:sdt><w:sdtContent>`+td("", "c")+`</w:sdtContent></w:sdt>`, td("", "d"))),
			"R t1.1 | a | b\nR t1.2 | c | d\n",
		},
		{"paragraphs and lists in a cell", tbl(none, tr("", td("", para("", "one")+para("", "two")), td("", item(1, 0, "x")+item(1, 0, "y")))), "R t1.1 | one two | 1. x 2. y\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			same(t, read(t, DOCX, word(test.body, docxParts{numbering: numbering(lvl(0, "decimal", "%1.", ""))})), test.want)
		})
	}
}

func TestDOCXReports(t *testing.T) {
	t.Parallel()
	ref := func(id string) string { return `<w:footnoteReference w:id="` + id + `"/>` }
	body := `<w:p><w:r>` + said("The bank") + ref("2") + said(" pays") + ref("3") + `</w:r>` +
		`<w:ins w:author="A"><w:r>` + said(" twice") + `</w:r></w:ins><w:del w:author="A"><w:r><w:delText> once</w:delText></w:r></w:del><w:moveFrom><w:r>` + said("moved") + `</w:r></w:moveFrom>` +
		runOf(`<w:vanish/>`, said("hidden words")) + runOf(`<w:color w:val="FFFFFF"/>`, said("white words")) + runOf(`<w:color w:val="FFFFFF"/><w:shd w:fill="000000"/>`, said(" on black")) + runOf(`<w:sz w:val="2"/>`, said("tiny")) + runOf(`<w:rStyle w:val="Hid"/>`, said("styled")) + runOf(`<w:rStyle w:val="Hid"/><w:vanish w:val="0"/>`, said(" shown")) + `</w:p>` +
		`<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r>` + said("One ") + `</w:r></w:p><w:p><w:commentRangeStart w:id="0"/><w:r>` + said("paragraph") + `</w:r><w:commentRangeEnd w:id="0"/><w:r>` + said(" now.") + `<w:commentReference w:id="0"/></w:r></w:p>` +
		tbl("", tr("", td("", `<w:p><w:r>`+said("cell")+ref("4")+`</w:r></w:p>`), td("", "x"))) +
		item(1, 0, "First.") + `<w:sectPr><w:headerReference w:type="default" r:id="header1"/></w:sectPr>`
	d := read(t, DOCX, word(body, docxParts{
		styles:    `<w:style w:type="character" w:styleId="Hid"><w:name w:val="Hid"/><w:rPr><w:vanish/></w:rPr></w:style>`,
		footnotes: `<w:footnote w:type="separator" w:id="0">` + para("", "----") + `</w:footnote><w:footnote w:id="2">` + para("", "See the rule.") + `</w:footnote><w:footnote w:id="3">` + para("", "In euros.") + `</w:footnote><w:footnote w:id="4">` + item(1, 0, "Of the table.") + `</w:footnote><w:footnote w:id="9">` + para("", "Of nothing.") + `</w:footnote>`,
		comments:  `<w:comment w:id="0" w:author="Ann">` + para("", "Really?") + `</w:comment>`,
		numbering: numbering(lvl(0, "decimal", "%1.", "")),
		settings:  `<w:footnotePr><w:numFmt w:val="lowerLetter"/></w:footnotePr>`,
		header:    para("", "Handbook of the bank"),
		core:      `<dc:title>Handbook</dc:title><dc:language>en-GB</dc:language>`,
	}))
	same(t, d, `
P The bank pays twice on black shown
N [a] See the rule.
N [b] In euros.
P One paragraph now.
R t1.1 | cell | x
N [c] 1. Of the table.
I1 [1.] First.
`)
	if d.Title != "Handbook" || d.Language != "en-GB" || !reflect.DeepEqual(d.Margins, []string{"Handbook of the bank"}) {
		t.Errorf("%q %q %q", d.Title, d.Language, d.Margins)
	}
	if want := []form.Comment{{By: "Ann", On: "paragraph", Text: "Really?"}}; !reflect.DeepEqual(d.Comments, want) {
		t.Errorf("%+v", d.Comments)
	}
	if want := []models.Flag{{Kind: models.HiddenText, Text: "hidden wordswhite wordstinystyled"}}; !reflect.DeepEqual(d.Flags, want) {
		t.Errorf("%+v", d.Flags)
	}
	if want := []string{"Tracked changes: 5 characters of insertions are in, 9 characters of deletions are left out, as if all were accepted."}; !reflect.DeepEqual(d.Warnings, want) {
		t.Errorf("%q", d.Warnings)
	}
}

func TestDOCXRefuses(t *testing.T) {
	t.Parallel()
	good := word(para("", strings.Repeat("words and words ", 200)), docxParts{})
	bomb := word(para("", strings.Repeat("0", 3<<20)), docxParts{})
	for _, test := range []struct {
		name string
		data []byte
		l    form.Limits
		kind fault.Kind
		says string
	}{
		{"cut", good[:len(good)-100], form.Limits{}, fault.Unreadable, "container"},
		{"no part", pack("[Content_Types].xml", "<Types/>"), form.Limits{}, fault.Unreadable, "word/document.xml is missing"},
		{"no text", word(para("", " "), docxParts{}), form.Limits{}, fault.Unreadable, "empty"},
		{"only a picture", word(`<w:p><w:r><w:drawing><a:pic/></w:drawing></w:r></w:p>`, docxParts{}), form.Limits{}, fault.Unreadable, "no text, only 1 picture"},
		{"open elements", word("<w:p>\n<w:r>", docxParts{}), form.Limits{}, fault.Unreadable, "word/document.xml, line 2,"},
		{"entities of its own", pack("word/document.xml", `<!DOCTYPE d [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><w:document `+wordSpace+`><w:body><w:p><w:r><w:t>&c;</w:t></w:r></w:p></w:body></w:document>`), form.Limits{}, fault.Unreadable, "word/document.xml"},
		{"deep", word(strings.Repeat("<w:sdt>", 2*maxDepth)+strings.Repeat("</w:sdt>", 2*maxDepth), docxParts{}), form.Limits{}, fault.Unreadable, "nests"},
		{"unpacked", good, form.Limits{Unpacked: 1000}, fault.TooLarge, "unpacks"},
		{"ratio", bomb, form.Limits{Ratio: 100}, fault.TooLarge, "word/document.xml"},
		{"entries", good, form.Limits{Entries: 3}, fault.TooLarge, "3 entries"},
	} {
		_, err := DOCX(test.data, test.l)
		if f := fault.Of(err); f == nil || f.Kind != test.kind || !strings.Contains(f.Message, test.says) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// A small file whose merged cells or repeated header would fill the memory.
func TestDOCXBounds(t *testing.T) {
	t.Parallel()
	wide := tr("", td(`<w:gridSpan w:val="999999"/>`, "a"), td("", "b"))
	long := strings.Repeat("long name ", 100)
	d := read(t, DOCX, word(tbl("", strings.Repeat(wide, 20_000))+para("", "x")+
		tbl("", tr(`<w:tblHeader/>`, td("", long), td("", "b")), tr("", td("", "c"), td("", "d"))), docxParts{}))
	n := 0
	for _, b := range d.Blocks {
		n += len(b.Cells)
		if len(strings.Join(b.Header, "")) > 500 {
			t.Fatal("a long header is repeated")
		}
	}
	if n > 100_000 {
		t.Errorf("%d cells", n)
	}
	if last := d.Blocks[len(d.Blocks)-2]; last.Cells[0] != strings.TrimSpace(long) {
		t.Errorf("%+v", last)
	}
}
