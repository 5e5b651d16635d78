package office

import (
	"fmt"
	"testing"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

const slideSpace = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`

// slides makes a PPTX of slides, each with its notes.
func slides(show []string, contents ...[2]string) []byte {
	list, rels := "", ""
	entries := []string{
		"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/ppt/presentation.xml" ContentType="` + MediaPPTX + `.main+xml"/></Types>`,
		"_rels/.rels", `<Relationships xmlns="` + relSpace + `"><Relationship Id="a" Type="` + relTypes + `officeDocument" Target="/ppt/presentation.xml"/></Relationships>`,
	}
	for i, c := range contents {
		n := len(contents) - i // the parts are not named in the slides' order
		list += fmt.Sprintf(`<p:sldId id="%d" r:id="s%d"/>`, 256+i, i)
		rels += fmt.Sprintf(`<Relationship Id="s%d" Type="%sslide" Target="slides/slide%d.xml"/>`, i, relTypes, n)
		entries = append(entries, fmt.Sprintf("ppt/slides/slide%d.xml", n), `<p:sld `+slideSpace+` `+show[i]+`><p:cSld><p:spTree>`+c[0]+`</p:spTree></p:cSld></p:sld>`)
		if c[1] != "" {
			entries = append(entries,
				fmt.Sprintf("ppt/slides/_rels/slide%d.xml.rels", n), fmt.Sprintf(`<Relationships xmlns="%s"><Relationship Id="n" Type="%snotesSlide" Target="../notesSlides/n%d.xml"/></Relationships>`, relSpace, relTypes, n),
				fmt.Sprintf("ppt/notesSlides/n%d.xml", n), `<p:notes `+slideSpace+`><p:cSld><p:spTree>`+c[1]+`</p:spTree></p:cSld></p:notes>`)
		}
	}
	return pack(append(entries, "ppt/presentation.xml", `<p:presentation `+slideSpace+`><p:sldIdLst>`+list+`</p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", `<Relationships xmlns="`+relSpace+`">`+rels+`</Relationships>`)...)
}

// shape is a shape of a slide.
func shape(placeholder, paragraphs string) string {
	return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr>` + placeholder + `</p:nvPr></p:nvSpPr><p:txBody><a:bodyPr/>` + paragraphs + `</p:txBody></p:sp>`
}

func line(props, text string) string {
	return `<a:p>` + props + `<a:r><a:t>` + text + `</a:t></a:r></a:p>`
}

func TestPPTX(t *testing.T) {
	t.Parallel()
	auto := `<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>`
	deep := `<a:pPr lvl="1"><a:buAutoNum type="alphaLcParenBoth" startAt="3"/></a:pPr>`
	td := func(more, text string) string {
		return `<a:tc ` + more + `><a:txBody>` + line("", text) + `</a:txBody></a:tc>`
	}
	data := slides([]string{"", `show="0"`, ""},
		[2]string{
			shape(`<p:ph type="body" idx="1"/>`, line("", "Point")+line(auto, "one")+line(deep, "c")+line(deep, "d")+line(auto, "two")) +
				shape(`<p:ph type="title"/>`, `<a:p><a:r><a:t>Late</a:t></a:r><a:br/><a:r><a:t>fees</a:t></a:r></a:p>`) +
				shape(`<p:ph type="ftr"/>`, line("", "Bank, internal")) + shape(`<p:ph type="sldNum"/>`, line("", "1")) +
				`<p:grpSp>` + shape("", line("", "In a box")) + `</p:grpSp>`,
			shape(`<p:ph type="body"/>`, line("", "Say hello")) + shape(`<p:ph type="sldNum"/>`, line("", "1")),
		},
		[2]string{shape("", line("", "unseen")), ""},
		[2]string{shape(`<p:ph type="ftr"/>`, line("", "Bank, internal")) + `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tblPr firstRow="1"/>` +
			`<a:tr>` + td("", "Fee") + td(`gridSpan="2"`, "Amount") + td(`hMerge="1"`, "") + `</a:tr>` +
			`<a:tr>` + td(`rowSpan="2"`, "Late") + td("", "$25") + td("", "$35") + `</a:tr>` +
			`<a:tr>` + td(`vMerge="1"`, "") + td("", "$26") + td("", "$36") + `</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`, ""})
	d := read(t, PPTX, data)
	same(t, d, `
H1 p.1 Late fees
I1 p.1 Point
I1 p.1 [1.] one
I2 p.1 [(c)] c
I2 p.1 [(d)] d
I1 p.1 [2.] two
P p.1 In a box
N p.1 Say hello
R p.3 t1.2 | Fee=Late | Amount=$25 | Amount=$35
R p.3 t1.3 | Fee=Late | Amount=$26 | Amount=$36
`)
	if d.Pages != 3 || len(d.Margins) != 1 || d.Margins[0] != "Bank, internal" {
		t.Errorf("%d pages, margins %q", d.Pages, d.Margins)
	}
	if len(d.Flags) != 1 || d.Flags[0].Page != 2 || d.Flags[0].Text != "Hidden slide: unseen" {
		t.Errorf("%+v", d.Flags)
	}
	if _, err := PPTX(data, form.Limits{Pages: 2}); !fault.Is(err, fault.TooLarge) {
		t.Error(err)
	}
}
