package office

import "testing"

// What is wanted was compared once with what LibreOffice shows for the same
// files; where it differs from Word (w:isLgl, w:lvlRestart, which it ignores),
// the standard's text decides.
func TestNumbering(t *testing.T) {
	t.Parallel()
	legal := lvl(0, "decimal", "%1.", "") + lvl(1, "decimal", "%1.%2", "") + lvl(2, "lowerLetter", "%1.%2(%3)", "")
	for _, test := range []struct {
		name, styles, numbering, body, want string
	}{
		{
			name: "three levels", numbering: numbering(legal),
			body: item(1, 0, "Scope") + item(1, 1, "Who") + item(1, 1, "What") + item(1, 2, "first") + item(1, 2, "second") + item(1, 0, "Terms") + item(1, 1, "Words") + item(1, 2, "third") + item(1, 1, "More"),
			want: "I1 [1.] Scope\nI2 [1.1] Who\nI2 [1.2] What\nI3 [1.2(a)] first\nI3 [1.2(b)] second\nI1 [2.] Terms\nI2 [2.1] Words\nI3 [2.1(a)] third\nI2 [2.2] More\n",
		},
		{
			name: "levels that are skipped count as begun", numbering: numbering(legal),
			body: item(1, 1, "a") + item(1, 1, "b") + item(1, 0, "c") + item(1, 2, "d") + item(1, 1, "e") + item(1, 0, "f") + item(1, 2, "g") + item(1, 2, "h") + item(1, 1, "i"),
			want: "I2 [1.1] a\nI2 [1.2] b\nI1 [2.] c\nI3 [2.1(a)] d\nI2 [2.2] e\nI1 [3.] f\nI3 [3.1(a)] g\nI3 [3.1(b)] h\nI2 [3.2] i\n",
		},
		{
			name: "lists that share their counters, and begin anew", numbering: numbering(legal,
				`<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>`,
				`<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="1"><w:startOverride w:val="5"/></w:lvlOverride></w:num>`),
			body: item(1, 0, "a") + item(1, 1, "b") + item(2, 0, "c") + item(2, 1, "d") + item(1, 0, "e") + item(2, 0, "f") + item(3, 1, "g") + item(3, 1, "h") + item(3, 0, "i") + item(3, 1, "j"),
			want: "I1 [1.] a\nI2 [1.1] b\nI1 [1.] c\nI2 [1.1] d\nI1 [2.] e\nI1 [3.] f\nI2 [3.5] g\nI2 [3.6] h\nI1 [4.] i\nI2 [4.1] j\n",
		},
		{
			name: "an article in Roman, its sections in decimal", numbering: numbering(lvl(0, "upperRoman", "Article %1", "") + lvl(1, "decimalZero", "Section %1.%2", "<w:isLgl/>") +
				lvl(2, "lowerLetter", "(%3)", `<w:lvlRestart w:val="0"/>`) + lvl(3, "lowerRoman", "(%4)", `<w:lvlRestart w:val="1"/>`)),
			body: item(1, 0, "a") + item(1, 1, "b") + item(1, 2, "c") + item(1, 3, "d") + item(1, 2, "e") + item(1, 3, "f") + item(1, 1, "g") + item(1, 2, "h") + item(1, 0, "i") + item(1, 2, "j") + item(1, 3, "k"),
			want: "I1 [Article I] a\nI2 [Section 1.01] b\nI3 [(a)] c\nI4 [(i)] d\nI3 [(b)] e\nI4 [(ii)] f\nI2 [Section 1.02] g\nI3 [(c)] h\nI1 [Article II] i\nI3 [(d)] j\nI4 [(i)] k\n",
		},
		{
			name: "formats", numbering: numbering(lvl(0, "ordinal", "%1", "") + lvl(1, "cardinalText", "%2", "") + lvl(2, "ordinalText", "%3", "") + lvl(3, "none", "x%4", "") +
				lvl(4, "upperLetter", "%5)", "") + lvl(5, "bullet", "\uf0b7", "") + lvl(6, "bullet", "o", "") + lvl(7, "decimal", "%8", "<w:rPr><w:vanish/></w:rPr>") +
				`<w:lvl w:ilvl="8"><w:start w:val="7"/><mc:AlternateContent><mc:Choice Requires="w14"><w:numFmt w:val="custom" w:format="001, 002, ..."/></mc:Choice><mc:Fallback><w:numFmt w:val="decimal"/></mc:Fallback></mc:AlternateContent><w:lvlText w:val="#%9"/></w:lvl>`),
			body: item(1, 0, "a") + item(1, 0, "b") + item(1, 1, "c") + item(1, 2, "d") + item(1, 3, "e") + item(1, 4, "f") + item(1, 5, "g") + item(1, 6, "h") + item(1, 7, "i") + item(1, 8, "j") + item(1, 8, "k"),
			want: "I1 [1st] a\nI1 [2nd] b\nI2 [One] c\nI3 [First] d\nI4 [x] e\nI5 [A)] f\nI6 [•] g\nI7 [◦] h\nP i\nI9 [#007] j\nI9 [#008] k\n",
		},
		{
			name: "headings numbered by their styles", styles: `<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>` +
				`<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="Heading 2"/><w:basedOn w:val="H1"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr></w:style>` +
				`<w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/><w:basedOn w:val="H2"/><w:pPr><w:numPr><w:ilvl w:val="2"/></w:numPr><w:outlineLvl w:val="9"/></w:pPr></w:style>` +
				`<w:style w:type="paragraph" w:styleId="Plain"><w:name w:val="Plain"/><w:basedOn w:val="H1"/><w:pPr><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr></w:style>`,
			numbering: numbering(lvl(0, "decimal", "%1", `<w:pStyle w:val="H1"/>`) + lvl(1, "decimal", "%1.%2", `<w:pStyle w:val="H2"/>`) + lvl(2, "lowerLetter", "(%3)", "")),
			body:      para(`<w:pStyle w:val="H1"/>`, "a") + para(`<w:pStyle w:val="H2"/>`, "b") + para(`<w:pStyle w:val="Clause"/>`, "c") + para(`<w:pStyle w:val="Clause"/>`, "d") + para(`<w:pStyle w:val="Plain"/>`, "e") + para(`<w:pStyle w:val="H2"/><w:numPr><w:numId w:val="0"/></w:numPr>`, "f") + para(`<w:pStyle w:val="H1"/>`, "g"),
			want:      "H1 [1] a\nH2 [1.1] b\nI3 [(a)] c\nI3 [(b)] d\nH1 e\nH2 f\nH1 [2] g\n",
		},
		{
			name: "a list defined by a numbering style", styles: `<w:style w:type="numbering" w:styleId="Law"><w:name w:val="Law"/><w:pPr><w:numPr><w:numId w:val="8"/></w:numPr></w:pPr></w:style>`,
			numbering: `<w:abstractNum w:abstractNumId="0"><w:numStyleLink w:val="Law"/></w:abstractNum><w:abstractNum w:abstractNumId="4"><w:styleLink w:val="Law"/>` + lvl(0, "decimal", "§ %1", "") + `</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="8"><w:abstractNumId w:val="4"/></w:num>`,
			body:      item(1, 0, "a") + item(8, 0, "b"),
			want:      "I1 [§ 1] a\nI1 [§ 2] b\n",
		},
		{
			name: "a list's own level, empty and deleted paragraphs", numbering: numbering(legal, `<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">`+lvl(0, "upperLetter", "%1)", "")+`</w:lvlOverride></w:num>`),
			body: item(1, 0, "a") + item(1, 0, "") + item(2, 0, "b") +
				`<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:rPr><w:del w:author="x"/></w:rPr></w:pPr><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>` +
				`<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:rPr><w:vanish/></w:rPr></w:pPr><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>` +
				item(1, 0, "c"),
			want: "I1 [1.] a\nI1 [C)] b\nI1 [4.] c\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			same(t, read(t, DOCX, word(test.body, docxParts{styles: test.styles, numbering: test.numbering})), test.want)
		})
	}
}

func TestOrdinal(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		format string
		n      int
		want   string
	}{
		{"decimal", 0, "0"},
		{"decimal", -3, "-3"},
		{"decimalZero", 9, "09"},
		{"decimalZero", 10, "10"},
		{"lowerLetter", 26, "z"},
		{"lowerLetter", 27, "aa"},
		{"lowerLetter", 28, "bb"},
		{"upperLetter", 53, "AAA"},
		{"lowerLetter", 0, "0"},
		{"lowerRoman", 4, "iv"},
		{"upperRoman", 1994, "MCMXCIV"},
		{"upperRoman", 0, "0"},
		{"ordinal", 1, "1st"},
		{"ordinal", 12, "12th"},
		{"ordinal", 22, "22nd"},
		{"ordinal", 103, "103rd"},
		{"cardinalText", 42, "Forty-two"},
		{"cardinalText", 120, "One hundred twenty"},
		{"ordinalText", 12, "Twelfth"},
		{"ordinalText", 20, "Twentieth"},
		{"ordinalText", 121, "One hundred twenty-first"},
		{"ordinalText", 1001, "1001st"},
		{"none", 3, ""},
		{"numberInDash", 3, "- 3 -"},
		{"chicago", 5, "**"},
		{"decimalEnclosedCircle", 3, "③"},
		{"iroha", 3, "3"},
	} {
		if got := ordinal(test.format, test.n); got != test.want {
			t.Errorf("%s %d: got %q, want %q", test.format, test.n, got, test.want)
		}
	}
}
