package office

import (
	"reflect"
	"strings"
	"testing"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

const odfSpace = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"`

// listStyle is a list of three levels: 1., 1.1, (a).
const listStyle = `<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="1" text:display-levels="2"/><text:list-level-style-number text:level="3" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/></text:list-style>`

// openText makes an ODT of a body, of styles in it, and of what styles.xml holds.
func openText(body, automatic, styles string) []byte {
	return pack("mimetype", MediaODT,
		"META-INF/manifest.xml", `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>`,
		"meta.xml", `<office:document-meta `+odfSpace+`><office:meta><dc:title>Rules</dc:title><dc:language>en-GB</dc:language></office:meta></office:document-meta>`,
		"styles.xml", `<office:document-styles `+odfSpace+`>`+styles+`</office:document-styles>`,
		"content.xml", `<office:document-content `+odfSpace+`><office:automatic-styles>`+automatic+`</office:automatic-styles><office:body><office:text>`+body+`</office:text></office:body></office:document-content>`)
}

func TestODT(t *testing.T) {
	t.Parallel()
	li := func(content string) string { return `<text:list-item>` + content + `</text:list-item>` }
	p := func(text string) string { return `<text:p>` + text + `</text:p>` }
	nested := `<text:list text:style-name="L">` + li(p("one")+p("more")+`<text:list>`+li(p("sub"))+li(p("sub")+`<text:list>`+li(p("deep"))+li(p("deep"))+`</text:list>`)+`</text:list>`) + li(p("two")+`<text:list>`+li(p("sub"))+`</text:list>`) + `</text:list>`
	for _, test := range []struct{ name, body, automatic, styles, want string }{
		{
			name: "lists in lists", automatic: listStyle, body: nested,
			want: "I1 [1.] one\nI1 more\nI2 [1.1] sub\nI2 [1.2] sub\nI3 [(a)] deep\nI3 [(b)] deep\nI1 [2.] two\nI2 [2.1] sub\n",
		},
		{
			name: "lists that go on, begin anew and begin elsewhere", automatic: listStyle, body: `<text:list xml:id="x" text:style-name="L">` + li(p("a")) + `</text:list>` + p("between") + `<text:list text:style-name="L" text:continue-numbering="true">` + li(p("b")) + `</text:list><text:list text:style-name="L">` + li(p("c")) + `<text:list-item text:start-value="7">` + p("d") + `</text:list-item></text:list><text:list text:continue-list="x" text:style-name="L">` + li(p("e")) + `</text:list>`,
			want: "I1 [1.] a\nP between\nI1 [2.] b\nI1 [1.] c\nI1 [7.] d\nI1 [3.] e\n",
		},
		{
			name: "letters and patterns", automatic: `<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="A" style:num-letter-sync="true" text:start-value="27" loext:num-list-format="Annex %1%:"/><text:list-level-style-bullet text:level="2" text:bullet-char=""/></text:list-style>`, body: `<text:list text:style-name="L">` + li(p("a")+`<text:list>`+li(p("b"))+`</text:list>`) + `</text:list>`,
			want: "I1 [Annex AA:] a\nI2 [•] b\n",
		},
		{
			name: "numbered headings", styles: `<office:styles><text:outline-style style:name="Outline"><text:outline-level-style text:level="1" style:num-format="I"/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2" style:num-suffix=")"/></text:outline-style></office:styles>`,
			body: `<text:h text:outline-level="1">a</text:h><text:h text:outline-level="2">b</text:h><text:h text:outline-level="1">c</text:h><text:h text:outline-level="2" text:is-list-header="true">d</text:h><text:h text:outline-level="2">e</text:h><text:h text:outline-level="3">f</text:h>`,
			want: "H1 [I] a\nH2 [I.1)] b\nH1 [II] c\nH2 d\nH2 [II.1)] e\nH3 f\n",
		},
		{
			name: "spaces, links, notes, boxes, fields", body: `<text:p>a<text:s text:c="2"/>b<text:tab/><text:a>link</text:a><text:line-break/>c<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>` + p("See.") + `</text:note-body></text:note> <text:page-number>3</text:page-number></text:p><text:p>x<draw:frame><draw:text-box>` + p("boxed") + `</draw:text-box></draw:frame></text:p><text:section>` + p("in a section") + `</text:section>`,
			want: "P a b link c 3\nN [1] See.\nP x\nP boxed\nP in a section\n",
		},
		{
			name: "tables", body: `<table:table><table:table-column/><table:table-header-rows><table:table-row><table:table-cell>` + p("Fee") + `</table:table-cell><table:table-cell table:number-columns-spanned="2">` + p("Amount") + `</table:table-cell><table:covered-table-cell/></table:table-row></table:table-header-rows>` +
				`<table:table-row><table:table-cell table:number-rows-spanned="2">` + p("Late") + `</table:table-cell><table:table-cell>` + p("$25") + `</table:table-cell><table:table-cell>` + p("$35") + `</table:table-cell></table:table-row><table:table-row><table:covered-table-cell/><table:table-cell>` + p("$26") + `</table:table-cell><table:table-cell>` + p("$36") + `</table:table-cell></table:table-row></table:table>`,
			want: "R t1.2 | Fee=Late | Amount=$25 | Amount=$35\nR t1.3 | Fee=Late | Amount=$26 | Amount=$36\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := read(t, ODT, openText(test.body, test.automatic, test.styles))
			same(t, d, test.want)
			if d.Title != "Rules" || d.Language != "en-GB" {
				t.Errorf("%q %q", d.Title, d.Language)
			}
		})
	}
}

func TestODTReports(t *testing.T) {
	t.Parallel()
	body := `<text:tracked-changes><text:changed-region text:id="c"><text:deletion><office:change-info><dc:creator>Ann</dc:creator></office:change-info><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes>` +
		`<text:p>Seen<text:span text:style-name="H">unseen</text:span><office:annotation office:name="n"><dc:creator>Ann</dc:creator><text:p>Why?</text:p></office:annotation> here<office:annotation-end office:name="n"/> <text:change-start text:change-id="d"/>new<text:change-end text:change-id="d"/></text:p><text:section text:display="none"><text:p>secret</text:p></text:section>`
	d := read(t, ODT, openText(body, `<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>`,
		`<office:master-styles><style:master-page><style:header><text:p>Rules of the house</text:p></style:header><style:footer><text:p>7</text:p></style:footer></style:master-page></office:master-styles>`))
	same(t, d, "P Seen here new\n")
	if len(d.Flags) != 2 || d.Flags[0].Text != "unseen" || d.Flags[1].Text != "secret" {
		t.Errorf("%+v", d.Flags)
	}
	if want := []form.Comment{{By: "Ann", On: "here", Text: "Why?"}}; !reflect.DeepEqual(d.Comments, want) {
		t.Errorf("%+v", d.Comments)
	}
	if !reflect.DeepEqual(d.Margins, []string{"Rules of the house"}) || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "4 characters of deletions") {
		t.Errorf("%q %q", d.Margins, d.Warnings)
	}
	_, err := ODT(pack("mimetype", MediaODT, "META-INF/manifest.xml", `<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>`, "content.xml", "x"), form.Limits{})
	if f := fault.Of(err); f == nil || !strings.Contains(f.Message, "protected by a password") {
		t.Error(err)
	}
}
