package ingest

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"polaris/advisor/cite"
	"polaris/models"
)

func byKey(d *Document) map[string]models.Passage {
	out := map[string]models.Passage{}
	for _, p := range d.Passages {
		out[p.Key] = p
	}
	return out
}

// holds checks what is true of every document.
func holds(tb testing.TB, d *Document) {
	tb.Helper()
	if !utf8.ValidString(d.Text) || strings.Contains(d.Text, "\r") || strings.HasPrefix(d.Text, "\ufeff") {
		tb.Fatal("the text is not clean")
	}
	if !cite.ValidCode(d.Code) || d.Title == "" || d.MediaType == "" || d.Language == "" || len(d.Passages) == 0 {
		tb.Fatalf("code %q, title %q, media type %q, language %q, %d passages", d.Code, d.Title, d.MediaType, d.Language, len(d.Passages))
	}
	keys := map[string]bool{}
	lastSpan := map[int]int{} // where the last child of each parent ended
	for i, p := range d.Passages {
		r, err := cite.Parse(p.Key)
		if err != nil || r.String() != p.Key {
			tb.Fatalf("key %q reads back as %q, %v", p.Key, r, err)
		}
		if keys[p.Key] {
			tb.Fatalf("key %q twice", p.Key)
		}
		keys[p.Key] = true
		if p.Ordinal != i || p.Parent >= i || p.Parent < -1 || p.Locator == "" || p.Heading == nil {
			tb.Fatalf("passage %d: %+v", i, p)
		}
		if p.Start < 0 || p.End < p.Start || p.SpanEnd < p.End || p.SpanEnd > len(d.Text) {
			tb.Fatalf("%s has the span %d %d %d of %d", p.Key, p.Start, p.End, p.SpanEnd, len(d.Text))
		}
		for _, at := range []int{p.Start, p.End, p.SpanEnd} {
			if at < len(d.Text) && !utf8.RuneStart(d.Text[at]) {
				tb.Fatalf("%s is cut within a letter at %d", p.Key, at)
			}
		}
		if p.Parent >= 0 {
			if q := d.Passages[p.Parent]; p.Start < q.End || p.SpanEnd > q.SpanEnd {
				tb.Fatalf("%s [%d,%d) is not below %s [%d,%d,%d)", p.Key, p.Start, p.SpanEnd, q.Key, q.Start, q.End, q.SpanEnd)
			}
		}
		if p.Start < lastSpan[p.Parent] {
			tb.Fatalf("%s begins at %d, within the passage before it, which ends at %d", p.Key, p.Start, lastSpan[p.Parent])
		}
		lastSpan[p.Parent] = p.SpanEnd
	}
	for _, t := range d.Terms {
		if t.Name == "" || t.Ordinal < 0 || t.Ordinal >= len(d.Passages) {
			tb.Fatalf("term %+v", t)
		}
	}
}

// outline writes a document's passages as "key | text".
func outline(d *Document) string {
	var b strings.Builder
	for _, p := range d.Passages {
		b.WriteString(p.Key + " | " + strings.ReplaceAll(d.Text[p.Start:p.End], "\n", "⏎") + "\n")
	}
	return b.String()
}

func TestHouse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"numbered", "# Lending Handbook\n\nWho reads this.\n\n## 4 Decisions\n\n### 4.2 Declining an application\n\nAlways in writing.\n\n(a) Tell the applicant.\n\n(b) Say why:\n\n  - in plain words\n  - at once\n\n(c) Keep a copy.\n\n## Fees\n\nNone.\n\nReally.\n", `
LH ¶1 | Who reads this.
LH 4 | 4 Decisions
LH 4.2 | 4.2 Declining an application
LH 4.2 ¶1 | Always in writing.
LH 4.2(a) | (a) Tell the applicant.
LH 4.2(b) | (b) Say why:⏎⏎  - in plain words⏎  - at once
LH 4.2(c) | (c) Keep a copy.
LH § Fees | Fees
LH § Fees ¶1 | None.
LH § Fees ¶2 | Really.
`},
		{"lists below a number", "# Lending Handbook\n\n## 4.2 Steps\n\n1. First.\n2. Second:\n   a. one;\n   b. two.\n3. Third.\n", `
LH 4.2 | 4.2 Steps
LH 4.2(1) | 1. First.
LH 4.2(2) | 2. Second:
LH 4.2(2)(a) | a. one;
LH 4.2(2)(b) | b. two.
LH 4.2(3) | 3. Third.
`},
		{"hyphen lists and Roman", "# Lending Handbook\n\n## 4.2 Steps\n\n- (h) Eighth.\n- (i) Ninth.\n- (j) Tenth, if\n  - (i) one; or\n  - (ii) two.\n", `
LH 4.2 | 4.2 Steps
LH 4.2(h) | - (h) Eighth.
LH 4.2(i) | - (i) Ninth.
LH 4.2(j) | - (j) Tenth, if
LH 4.2(j)(i) | - (i) one; or
LH 4.2(j)(ii) | - (ii) two.
`},
		{"paths", "# Lending Handbook\n\n## Lending\n\n### Fees\n\nOne.\n\n- a\n- b\n\n### Fees\n\nTwo.\n", `
LH § Lending | Lending
LH § Lending › Fees #1 | Fees
LH § Lending › Fees ¶1 | One.
LH § Lending › Fees ¶2 | - a⏎- b
LH § Lending › Fees #2 | Fees
LH § Lending › Fees ¶3 | Two.
`},
		{"tables and code", "# Lending Handbook\n\n## Fees\n\n| Fee | Amount |\n| --- | --- |\n| Late | $35 |\n\n```\n# no heading\n\nx\n```\n> quoted\n> text\n", `
LH § Fees | Fees
LH § Fees ¶1 #1 | | Fee | Amount |⏎| --- | --- |
LH § Fees ¶1 #2 | | Late | $35 |
LH § Fees ¶2 | ` + "```⏎# no heading⏎⏎x⏎```" + `
LH § Fees ¶3 | > quoted⏎> text
`},
		{"setext and front matter", "---\nowner: us\n---\nLending Handbook\n================\n\nFees\n----\nNone.\n<!-- secret -->\n***\nMore.\n", `
LH § Fees | Fees
LH § Fees ¶1 | None.
LH § Fees ¶2 | More.
`},
		{"plain text", "LENDING HANDBOOK\n\nPreface here.\n\n4.2 Declining an application\n\n(a) Tell the applicant as said in\n(b) of this.\n(b) Say why.\n\nFees and charges\n\nThere are none,\nand none are planned.\n", `
LH ¶1 | Preface here.
LH 4.2 | 4.2 Declining an application
LH 4.2(a) | (a) Tell the applicant as said in⏎(b) of this.
LH 4.2(b) | (b) Say why.
LH § Fees and charges | Fees and charges
LH § Fees and charges ¶1 | There are none,⏎and none are planned.
`},
		{"numbered paragraphs", "# Lending Handbook\n\n## Scope\n\n4.1 The lender decides.\n\n4.2 The lender tells, by:\n\n(a) letter; or\n\n(b) mail.\n\n4.3 Nothing else.\n", `
LH § Scope | Scope
LH 4.1 | 4.1 The lender decides.
LH 4.2 | 4.2 The lender tells, by:
LH 4.2(a) | (a) letter; or
LH 4.2(b) | (b) mail.
LH 4.3 | 4.3 Nothing else.
`},
		{"numbers that are none", "# Lending Handbook\n\n## 2024 changes\n\nA.\n\n## 3 ways to pay\n\nB.\n\n## 3. Payment\n\nC.\n", `
LH § 2024 changes | 2024 changes
LH § 2024 changes ¶1 | A.
LH § 3 ways to pay | 3 ways to pay
LH § 3 ways to pay ¶1 | B.
LH 3 | 3. Payment
LH 3 ¶1 | C.
`},
		{"odd headings", "# Lending Handbook\n\n## ¶\n\nA.\n\n## §\n\n## 2024\n\nB.\n\n## Is it #1?\n\nC.\n", `
LH ¶1 | ¶
LH ¶2 | A.
LH ¶3 | §
LH 2024 | 2024
LH 2024 ¶1 | B.
LH § Is it 1? | Is it #1?
LH § Is it 1? ¶1 | C.
`},
		{"pages", "the fee is due on the first.\n\nit is small.\n\fnone is due later.\n", `
LH p. 1 ¶1 | the fee is due on the first.
LH p. 1 ¶2 | it is small.
LH p. 2 ¶1 | none is due later.
`},
		{"headings only", "# A\n\n## B\n", "\nA § B | B\n"},
		{"no structure", "just some words", "\nDOC ¶1 | just some words\n"},
		{"lone carriage returns", "# Lending Handbook\r\r## Fees\r\rNone.\r", "\nLH § Fees | Fees\nLH § Fees ¶1 | None.\n"},
		{"the same number twice", "# Lending Handbook\n\n## 4.2 A\n\n(a) x.\n\n## 4.2 B\n\n(a) y.\n", `
LH 4.2 #1 | 4.2 A
LH 4.2(a) #1 | (a) x.
LH 4.2 #2 | 4.2 B
LH 4.2(a) #2 | (a) y.
`},
	} {
		o := Options{}
		if tt.name == "no structure" {
			o.Code = "DOC"
		}
		if tt.name == "pages" {
			o.Code = "LH"
		}
		if tt.name == "headings only" {
			o.Code = "A"
		}
		d := parse(t, []byte(tt.in), o)
		if got := "\n" + outline(d); got != tt.want {
			t.Errorf("%s:\ngot %swant %s", tt.name, got, tt.want)
		}
	}
}

func TestSameBytesSameDocument(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"reg-b-12cfr1002.xml", "fcra-15usc1681.md", "reg-b-12cfr1002.md"} {
		data := load(t, name)
		a, b := parse(t, data, Options{Name: name}), parse(t, data, Options{Name: name})
		a.Report.Stages, b.Report.Stages = nil, nil // how long it took
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s differs", name)
		}
	}
}

// TestRowsOfMarkdown holds that each row is a passage, with the names of its
// columns in its heading path and the text as it was.
func TestRowsOfMarkdown(t *testing.T) {
	t.Parallel()
	const in = "# Handbook\n\n## 4.2 Fees\n\n| **Fee** | Amount |\n|---|--:|\n| Late | $35 |\n| Wire | $5 |\nAll of them.\n\n| a |\n|---|\n| b |\n"
	d := parse(t, []byte(in), Options{Code: "LH"})
	var got []string
	for _, p := range d.Passages {
		got = append(got, p.Key+" / "+p.Locator+" / "+strings.Join(p.Heading, " / "))
	}
	want := []string{
		"LH 4.2 / 4.2 / ", "LH 4.2 ¶1 #1 / table 1 / 4.2 Fees", "LH 4.2 ¶1 #2 / table 1, row 2 / 4.2 Fees / Fee | Amount", "LH 4.2 ¶1 #3 / table 1, row 3 / 4.2 Fees / Fee | Amount",
		"LH 4.2 ¶2 / 4.2 ¶2 / 4.2 Fees", "LH 4.2 ¶3 #1 / table 2 / 4.2 Fees", "LH 4.2 ¶3 #2 / table 2, row 2 / 4.2 Fees / a",
	}
	if d.Text != in || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q\n%q", got, want, d.Text)
	}
}

func TestCode(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Lending Handbook":                        "LH",
		"The Handbook of Lending and Collections": "HLC",
		"Handbook":                              "HAND",
		"Regulation B (12 CFR Part 1002): ECOA": "REG-B",
		"REG B (12 CFR 1002.1–1002.16)":         "REG-B",
		"FCRA (15 U.S.C. 1681–1681x)":           "FCRA",
		"Schedule of Fees":                      "SF",
		"Übergabe ärztlicher Befunde":           "UAB",
		"2024 Fees":                             "F",
		"":                                      "DOC",
		"顧客への通知":                                "DOC",
		"Parts of the appendix":                 "PA",
		"a b c d e f g h i j k l m n o p q r s t u v": "BCDEFGHI",
	} {
		if got := Code(title); got != want {
			t.Errorf("Code(%q) = %q, want %q", title, got, want)
		}
	}
}
