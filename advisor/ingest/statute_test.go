package ingest

import (
	"strings"
	"testing"

	"polaris/models"
)

func fcra(tb testing.TB) *Document {
	return parse(tb, load(tb, "fcra-15usc1681.md"), Options{Name: "fcra-15usc1681.md"})
}

// TestStatute compares with a table that was made by hand from the file, with
// the statute at its side.
func TestStatute(t *testing.T) {
	t.Parallel()
	d := fcra(t)
	if d.Code != "FCRA" || d.Title != "FCRA (15 U.S.C. 1681–1681x)" || d.Language != "en" || len(d.Warnings) > 0 {
		t.Errorf("code %q, title %q, language %q, warnings %q", d.Code, d.Title, d.Language, d.Warnings)
	}
	keys := byKey(d)
	for key, want := range map[string]string{
		"1681":                     "§ 1681. Congressional findings and statement",
		"1681(a)":                  "(a) Accuracy and fairness of credit reporting\n\nThe Congress makes",
		"1681(a)(4)":               "(4) There is a need to insure",
		"1681a(c)":                 "(c) The term “consumer” means an individual.",
		"1681a(d)(2)(A)(iii)":      "(iii) communication of other information",
		"1681a(i)":                 "(i) Medical Information .\n\nThe term",
		"1681a(i)(1)(C)":           "(C) the payment for the provision of health care",
		"1681a(k)(1)(B)(iv)(II)":   "(II) adverse to the interests of the consumer.",
		"1681a(v)":                 "(v) Commission .",
		"1681a(w)":                 "(w) The term “Bureau”",
		"1681a(x)(1)":              "(1) medical records or payments;",
		"1681a(aa)(2)":             "(2) includes medical collection debt",
		"1681b(a)(3)(F)(ii)":       "(ii) to review an account",
		"1681b(a)(3)(G)":           "(G) executive departments and agencies",
		"1681b(b)(2)(B)(i)":        "(i) the person who procures the consumer report",
		"1681b(g)(5)(A)":           "(A) 2 Regulations required\n\nThe Bureau may, after notice",
		"1681c-1(a)(1)(A)":         "(A) include a fraud alert in the file",
		"1681c-1(c)":               "(c) Active duty alerts\n\nUpon the direct request",
		"1681c-1(h)":               "(h) Limitations on use of information",
		"1681c-1(i)":               "(i) National security freeze",
		"1681c-1(i)(5) ¶4":         "“A security freeze does not apply",
		"1681c-1(j)":               "(j) National protection for files",
		"1681c-2(c)(1)(A)":         "(A) the information was blocked",
		"1681f ¶1":                 "Notwithstanding the provisions of section 1681b",
		"1681g(a)(3)":              "(3)",
		"1681g(a)(3)(A)":           "(A) Identification of each person",
		"1681g(a)(3)(A)(ii)":       "(ii) for any other purpose",
		"1681g(a)(3)(C)(ii)":       "(ii) the head of the agency",
		"1681g(g)(1)(D) ¶1":        "“notice to the home loan applicant",
		"1681g(g)(1)(F)(ii)":       "(ii) Limit on liability\n\nNo person has liability",
		"1681j(a)(1)(C)(ii)(III)":  "(III) ",
		"1681l ¶1":                 "Whenever a consumer reporting agency prepares",
		"1681m(a)":                 "(a) Duties of users taking adverse actions",
		"1681m(a)(2)(A)":           "(A) of a numerical credit score",
		"1681m(a)(4)(B)":           "(B) to dispute, under section 1681i",
		"1681m(c)":                 "(c) Reasonable procedures to assure compliance\n\nNo person shall",
		"1681m(h)(5)(C)":           "(C) ",
		"1681p ¶1":                 "An action to enforce any liability",
		"1681p(2)":                 "(2) 5 years after the date",
		"1681s-2(a)(1)(E)(iv)(II)": "(II) ",
		"1681u(n)":                 "(n) Injunctive relief",
		"1681x ¶1":                 "The Commission shall prescribe regulations",
		"1681s-1 ¶1":               "Notwithstanding any other provision",
		"1681s-3(a)(1)":            "(1) Notice\n\nAny person that receives",
		"1681t(b)(1)(A)":           "(A) subsection (c) or (e) of section 1681b",
	} {
		p, ok := keys["15 U.S.C. "+key]
		if !ok {
			t.Errorf("%s: no passage", key)
		} else if own := d.Text[p.Start:p.End]; !strings.HasPrefix(own, want) {
			t.Errorf("%s is %.90q, want %q", key, own, want)
		}
	}
	sections := 0
	for _, p := range d.Passages {
		if p.Kind == models.Section {
			sections++
		}
	}
	if sections != 31 {
		t.Errorf("%d sections, want 31", sections)
	}
	p := keys["15 U.S.C. 1681m(a)(2)(A)"]
	if p.Locator != "§ 1681m(a)(2)(A)" || len(p.Heading) != 2 || !strings.HasPrefix(p.Heading[1], "(a) Duties of users") {
		t.Errorf("%s: locator %q, heading %q", p.Key, p.Locator, p.Heading)
	}
	m := keys["15 U.S.C. 1681m"]
	if got := strings.Count(d.Text[m.Start:m.SpanEnd], "\n### ("); got != 8 {
		t.Errorf("1681m has %d subsections, want 8", got)
	}
}

// TestStatuteLines holds that each line that is no heading belongs to exactly
// one passage.
func TestStatuteLines(t *testing.T) {
	t.Parallel()
	d := fcra(t)
	owners := make([]int, len(d.Text))
	for _, p := range d.Passages {
		for i := p.Start; i < p.End; i++ {
			owners[i]++
		}
	}
	pos := 0
	for line := range strings.Lines(d.Text) {
		for i, c := range []byte(strings.TrimRight(line, "\n ")) {
			if c == '#' || c == ' ' {
				continue
			}
			if owners[pos+i] != 1 {
				t.Errorf("byte %d of %q belongs to %d passages", i, line, owners[pos+i])
				break
			}
		}
		pos += len(line)
	}
}

// TestNest holds the readings that need what comes after.
func TestNest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"a b 1 2 A B i ii I II", "a b b1 b2 b2A b2B b2Bi b2Bii b2BiiI b2BiiII"},
		{"g h i j", "g h i j"},
		{"h 1 A i ii 2", "h h1 h1A h1Ai h1Aii h2"},
		{"h 1 A i j", "h h1 h1A i j"},
		{"h 1 A i 1 2", "h h1 h1A i i1 i2"},
		{"u v w", "u v w"},
		{"u 1 A i ii iii iv v vi", "u u1 u1A u1Ai u1Aii u1Aiii u1Aiv u1Av u1Avi"},
		{"1 2", "1 2"},
		{"z aa bb", "z aa bb"},
		{"a 1 A i I aa bb II", "a a1 a1A a1Ai a1AiI a1AiIaa a1AiIbb a1AiII"},
		{"a 1 A H I J", "a a1 a1A a1H a1I a1J"},
		{"b c e", "b c e"},
		{"a 3 A i ii B", "a a3 a3A a3Ai a3Aii a3B"},
		{"a a a", "a a a"},
	} {
		var marks []mark
		for m := range strings.FieldsSeq(tt.in) {
			marks = append(marks, mark{text: m})
		}
		var got []string
		for _, p := range nest(marks, statuteOrder) {
			got = append(got, strings.Join(p, ""))
		}
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("nest(%s)\n got %s\nwant %s", tt.in, g, tt.want)
		}
	}
}

func TestStatuteBase(t *testing.T) {
	t.Parallel()
	text := "## § 1681m. Requirements\n\n(a) One.\n\n(b) Two.\n"
	for _, tt := range []struct {
		o    Options
		text string
		want string
	}{
		{Options{Cites: "15 U.S.C."}, text, "15 U.S.C. 1681m(a)"},
		{Options{Cites: "15 USC"}, text, "15 U.S.C. 1681m(a)"},
		{Options{Name: "x/15usc1681.md"}, text, "15 U.S.C. 1681m(a)"},
		{Options{Name: "fcra_15_usc.txt"}, text, "15 U.S.C. 1681m(a)"},
		{Options{}, "# Title 15 U.S.C. chapter 41\n\n" + text, "15 U.S.C. 1681m(a)"},
		{Options{}, "# FCRA, 15 U.S.C. 1681\n\n" + text, "15 U.S.C. 1681m(a)"},
		{Options{Code: "FC"}, text, "FC 1681m(a)"},
		{Options{Cites: "12 CFR"}, "## § 1002.9 Notifications\n\n(a)(1) One.\n\n(i) Two.\n", "12 CFR 1002.9(a)(1)(i)"},
	} {
		d := parse(t, []byte(tt.text), tt.o)
		if _, ok := byKey(d)[tt.want]; !ok {
			t.Errorf("%+v: no %s in\n%s", tt.o, tt.want, outline(d))
		}
	}
}
