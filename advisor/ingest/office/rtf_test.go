package office

import (
	"strings"
	"testing"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

func TestRTF(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, data, want string }{
		{
			"paragraphs, signs and headings", `{\rtf1\ansi{\stylesheet{\s0 Normal;}{\s1 heading 1;}{\s2\outlinelevel1 House;}{\*\cs9 Gone;}}{\info{\title The Rules}{\author X}}\pard\s1 Scope\par\pard\s2 Who\par\pard a \ldblquote b\rdblquote\emdash c\~d\_e\-f\line g\tab h \{\}\\\par}`,
			"H1 Scope\nH2 Who\nP a “b”—c d-ef g h {}\\\n",
		},
		{
			"encodings", `{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}{\f2\fcharset128 C;}{\f3\fcharset2 Symbol;}}caf\'e9 \u8364?\u8211 -{\uc2\u233\'c3\'a9}{\uc0\u233}\u-10179?\u-8704? {\f1\'cf\'f0} {\f2\'93\'fa} {\f3\'b7}\par}`,
			"P café €–éé😀 Пр 日 •\n",
		},
		{
			"lists", `{\rtf1{\fonttbl{\f0 A;}{\f3\fcharset2 Symbol;}}{\pntext 1.\tab}one\par{\listtext\pard\plain\f0 (a)\tab}\ilvl1 two\par{\listtext\f3\'b7\tab}\ilvl0 three\par\pard four\par}`,
			"I1 [1.] one\nI2 [(a)] two\nI1 [•] three\nP four\n",
		},
		{
			"tables", `{\rtf1\trowd\trhdr\cellx100\cellx500\cellx900\intbl Fee\cell Min\cell Max\cell\row\trowd\clvmgf\cellx100\cellx500\cellx900\intbl Late\cell $25\cell $35\cell\row\trowd\clvmrg\cellx100\cellx900\intbl\cell waived\cell\row\pard after\par}`,
			"R t1.2 | Fee=Late | Min=$25 | Max=$35\nR t1.3 | Fee=Late | Min=waived | Max=\nP after\n",
		},
		{
			"a table in a table", `{\rtf1\trowd\cellx100\cellx500\pard\intbl Out\cell\pard\intbl\itap2 Fee\nestcell Amount\nestcell{\*\nesttableprops\trowd\cellx50\cellx90\nestrow}{\nonesttables\par}\pard\intbl\itap2 Late\nestcell $25\nestcell{\*\nesttableprops\trowd\cellx50\cellx90\nestrow}\pard\intbl\itap1 rest\cell\row\pard end\par}`,
			"R t1.1 | Out | rest\nR t2.2 <Out> | Fee=Late | Amount=$25\nP end\n",
		},
		{
			"notes, boxes, fields, what is skipped", `{\rtf1{\*\generator x;}The bank\chftn{\footnote\pard\chftn  See.} pays{\footnote\ftnalt Later.} {\field{\*\fldinst{HYPERLINK "x"}}{\fldrslt link}}{\*\unknown x{\b y}}{\pict 00ff}{\object{\*\objdata 00}{\result shown}}{\upr{ansi}{\*\ud{uni}}}\bin4 a}{\ end\par{\shp{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt boxed\par}}{\shprslt{\*\do{\dptxbxtext boxed\par}}}}\par}`,
			"P The bank pays linkshownuni end\nN [1] See.\nN [i] Later.\nP boxed\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			same(t, read(t, RTF, []byte(test.data)), test.want)
		})
	}
}

func TestRTFReports(t *testing.T) {
	t.Parallel()
	d := read(t, RTF, []byte(`{\rtf1{\colortbl;\red255\green255\blue255;}{\info{\title The Rules}}{\header House rules\par}Seen{\v hidden} {\cf1 white}{\deleted gone}{\revised new}{\*\atnid A}{\*\atnauthor Ann}\chatn{\*\annotation Why?}\par}`))
	same(t, d, "P Seen new\n")
	if d.Title != "The Rules" || len(d.Margins) != 1 || d.Margins[0] != "House rules" {
		t.Errorf("%q %q", d.Title, d.Margins)
	}
	if len(d.Flags) != 1 || d.Flags[0].Text != "hiddenwhite" || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "3 characters of insertions are in, 4 characters of deletions") {
		t.Errorf("%+v %q", d.Flags, d.Warnings)
	}
	if len(d.Comments) != 1 || d.Comments[0] != (form.Comment{By: "Ann", On: "Seen new", Text: "Why?"}) {
		t.Errorf("%+v", d.Comments)
	}
	for name, data := range map[string]string{"cut": `{\rtf1{\b text`, "empty": `{\rtf1\par}`, "deep": `{\rtf1` + strings.Repeat("{", 5000)} {
		if _, err := RTF([]byte(data), form.Limits{}); !fault.Is(err, fault.Unreadable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
