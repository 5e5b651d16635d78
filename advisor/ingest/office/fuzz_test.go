package office

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// bounds are those of the fuzz targets: small, so that what goes past them shows.
var bounds = form.Limits{Pages: 50, Unpacked: 4 << 20, Ratio: 200, Entries: 100}

// holds checks what a reader promises whatever it reads.
func holds(t *testing.T, d *form.Document, err error) {
	t.Helper()
	if err != nil {
		if f := fault.Of(err); f.Kind != fault.Unreadable && f.Kind != fault.TooLarge && f.Kind != fault.Unsupported {
			t.Fatalf("%v: %v", f.Kind, err)
		}
		return
	}
	if len(d.Blocks) == 0 {
		t.Fatal("no blocks and no error")
	}
	size := 0
	for _, b := range d.Blocks {
		for _, s := range append([]string{b.Text, b.Number}, b.Cells...) {
			if size += len(s); !utf8.ValidString(s) || s != strings.TrimSpace(s) || strings.ContainsAny(s, "\n\r\x00") {
				t.Fatalf("%q", s)
			}
		}
		if b.Kind == form.Row != (b.Cells != nil) || b.Kind != form.Row && b.Text == "" || len(b.Header) > 0 && len(b.Header) != len(b.Cells) || b.Kind == form.Row && (b.Table < 1 || b.Line < 1) {
			t.Fatalf("%+v", b)
		}
	}
	if len(d.Flags) > 2*maxFlags {
		t.Fatalf("%d flags", len(d.Flags))
	}
	if size > 64<<20 {
		t.Fatalf("%d bytes of text", size)
	}
}

// loses checks that no text is lost: what the file holds, counted as it came by,
// is in the blocks. Letters that are composed count differently before and after.
func loses(t *testing.T, d *form.Document, in ...string) {
	t.Helper()
	for _, s := range in {
		if strings.ContainsFunc(s, func(r rune) bool { return r > '~' || r < ' ' || r == '&' }) {
			return
		}
	}
	if d != nil && kept(d, true) < d.Found {
		t.Fatalf("kept %d characters of %d: %s", kept(d, true), d.Found, shown(d.Blocks))
	}
}

// Each target is fed the part that carries the text, in a container that is
// whole: what is fuzzed is the reader, not the unpacking.

func FuzzDOCX(f *testing.F) {
	f.Add(para("", "a")+item(1, 0, "b")+tbl("", tr("", td(`<w:gridSpan w:val="2"/>`, "c")), tr("", td("", "d"), td(`<w:vMerge/>`, "e"))), lvl(0, "decimal", "%1.", ""), `<w:style w:styleId="x"><w:basedOn w:val="x"/></w:style>`)
	f.Add(`<w:p><w:ins><w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t><w:footnoteReference w:id="1"/></w:r></w:ins></w:p>`, lvl(8, "custom", "%9%1%", `<w:isLgl/><w:lvlRestart w:val="3"/>`), "")
	f.Add(`<w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing><w:txbxContent><w:p><w:r><w:t>x</w:t></w:r></w:p></w:txbxContent></w:drawing></mc:Choice></mc:AlternateContent></w:r></w:p>`, "", "")
	f.Fuzz(func(t *testing.T, body, list, styles string) {
		d, err := DOCX(word(body, docxParts{numbering: numbering(list), styles: styles, footnotes: `<w:footnote w:id="1">` + para("", "n") + `</w:footnote>`}), bounds)
		holds(t, d, err)
		loses(t, d, body)
	})
}

func FuzzODT(f *testing.F) {
	f.Add(`<text:h text:outline-level="1">a</text:h><text:list text:style-name="L"><text:list-item><text:p>b<text:s text:c="3"/></text:p></text:list-item></text:list>`, listStyle)
	f.Add(`<table:table><table:table-row><table:table-cell table:number-columns-spanned="2" table:number-rows-spanned="2"><text:p>a</text:p></table:table-cell><table:covered-table-cell table:number-columns-repeated="3"/></table:table-row></table:table>`, "")
	f.Fuzz(func(t *testing.T, body, styles string) {
		d, err := ODT(openText(body, styles, ""), bounds)
		holds(t, d, err)
		loses(t, d, body)
	})
}

func FuzzRTF(f *testing.F) {
	f.Add([]byte(`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset204 A;}}{\stylesheet{\s1 heading 1;}}\s1\f0\u1234?\'e4 x\par\trowd\cellx100\intbl a\cell\row}`))
	f.Add([]byte(`{\rtf1{\*\shpinst{\shptxt x\par}}{\footnote\ftnalt n}{\listtext\'b7\tab}\itap2 a\nestcell{\*\nesttableprops\trowd\cellx9\nestrow}\cell\row{\upr{a}{\*\ud{\u5?}}}\bin3 abc}`))
	f.Add([]byte(`0{\footnote00\00`)) // a note that is not closed
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := RTF(data, bounds)
		holds(t, d, err)
		loses(t, d, strings.ReplaceAll(string(data), `\'`, "&"))
	})
}

func FuzzXLSX(f *testing.F) {
	f.Add(`<cols><col min="1" max="2" hidden="1"/></cols><sheetData><row r="2"><c r="A2" t="inlineStr"><is><t>x</t></is></c><c r="C2"><v>1.5</v></c></row></sheetData><mergeCells><mergeCell ref="A1:C9"/></mergeCells>`)
	f.Add(`<sheetData><row r="1048576" hidden="1"><c><v>1</v></c></row></sheetData><autoFilter ref="A1:B2"/>`)
	base := workbook(f, func(w *excelize.File) { must(f, w.SetCellValue("Sheet1", "A1", "x")) })
	f.Fuzz(func(t *testing.T, sheet string) {
		d, err := XLSX(replace(t, base, "xl/worksheets/sheet1.xml", `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">`+sheet+`</worksheet>`), bounds)
		holds(t, d, err)
		loses(t, d, sheet)
	})
}

func FuzzPPTX(f *testing.F) {
	f.Add(shape(`<p:ph type="title"/>`, line("", "a"))+shape("", line(`<a:pPr lvl="8"><a:buAutoNum type="romanUcPeriod" startAt="9999"/></a:pPr>`, "b")), shape(`<p:ph type="body"/>`, line("", "n")))
	f.Add(`<p:graphicFrame><a:tbl><a:tr><a:tc gridSpan="9999999"/><a:tc vMerge="1"/></a:tr></a:tbl></p:graphicFrame>`, "")
	f.Fuzz(func(t *testing.T, content, notes string) {
		d, err := PPTX(slides([]string{""}, [2]string{content, notes}), bounds)
		holds(t, d, err)
		loses(t, d, content, notes)
	})
}

// FuzzSniff is given whole files: damaged containers too.
func FuzzSniff(f *testing.F) {
	f.Add(word(para("", "a"), docxParts{}))
	f.Add(openText("<text:p>a</text:p>", "", ""))
	f.Add(oleFile("WordDocument"))
	f.Fuzz(func(t *testing.T, data []byte) {
		media, ok := Sniff(data)
		if !ok {
			return
		}
		d, err := Read(media, data, bounds, true)
		holds(t, d, err)
	})
}
