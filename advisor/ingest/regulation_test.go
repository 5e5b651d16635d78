package ingest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"polaris/advisor/cite"
	"polaris/internal/testdata"
	"polaris/models"
)

func load(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join(testdata.Dir(tb), "regs", name))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func parse(tb testing.TB, data []byte, o Options) *Document {
	tb.Helper()
	d, err := Parse(data, o)
	if err != nil {
		tb.Fatal(err)
	}
	holds(tb, d)
	return d
}

func regB(tb testing.TB) *Document {
	return parse(tb, load(tb, "reg-b-12cfr1002.xml"), Options{Name: "reg-b-12cfr1002.xml"})
}

// A labelNode is a node of the regulation as others extracted it.
type labelNode struct {
	Label, Key, Title, Marker, Text string
}

func labelNodes(tb testing.TB) []labelNode {
	var out []labelNode
	sc := bufio.NewScanner(bytes.NewReader(load(tb, "reg-b-12cfr1002.jsonl")))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var n labelNode
		if err := json.Unmarshal(sc.Bytes(), &n); err != nil {
			tb.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestRegulationSections(t *testing.T) {
	t.Parallel()
	d := regB(t)
	keys := byKey(d)
	n := 0
	for _, l := range labelNodes(t) {
		if !strings.HasPrefix(l.Key, "12 CFR 1002.") || l.Text == "" {
			continue
		}
		n++
		p, ok := keys[l.Key]
		if !ok {
			t.Errorf("%s: no passage", l.Key)
			continue
		}
		own := d.Text[p.Start:p.End]
		if !strings.Contains(own, collapse(l.Text)) {
			t.Errorf("%s has %q, want %q", l.Key, own, l.Text)
		}
		if l.Marker != "" && !strings.HasPrefix(own, l.Marker) {
			t.Errorf("%s begins %q, want the marker %q", l.Key, own[:20], l.Marker)
		}
		if strings.Count(own, "\n") > 0 {
			t.Errorf("%s is more than its own paragraph: %q", l.Key, own)
		}
	}
	if n != 279 {
		t.Errorf("%d section keys with text, want 279", n)
	}
	want := "(a) Notification of action taken, ECOA notice, and statement of specific reasons.\n\n(1) When notification is required. A creditor shall notify"
	if p := keys["12 CFR 1002.9(a)"]; !strings.HasPrefix(d.Text[p.Start:p.SpanEnd], want) {
		t.Errorf("1002.9(a) is assembled as %q", d.Text[p.Start:p.Start+200])
	}
	if p := keys["12 CFR 1002.9"]; d.Text[p.Start:p.End] != "§ 1002.9 Notifications." || p.Kind != models.Section {
		t.Errorf("1002.9 is %q, a %s", d.Text[p.Start:p.End], p.Kind)
	}
	if d.Title != "Regulation B (12 CFR Part 1002): Equal Credit Opportunity Act" || d.Code != "REG-B" || len(d.Warnings) > 0 {
		t.Errorf("title %q, code %q, warnings %q", d.Title, d.Code, d.Warnings)
	}
}

// TestRegulationCovered holds that no node and no word of the XML is lost, and
// that none is there twice.
func TestRegulationCovered(t *testing.T) {
	t.Parallel()
	d := regB(t)
	nodes := labelNodes(t)
	for _, l := range nodes {
		text := collapse(l.Text)
		if len(text) < 2 {
			continue
		}
		got, want := 0, 0 // some forms share their sentences
		for _, p := range d.Passages {
			if strings.HasSuffix(d.Text[p.Start:p.End], text) {
				got++
			}
		}
		for _, o := range nodes {
			if strings.HasSuffix(collapse(o.Text), text) || strings.HasSuffix(collapse(o.Title), text) && o.Text == "" {
				want++
			}
		}
		if got != want {
			t.Errorf("%s: in %d passages, want %d: %.60q", l.Label, got, want, text)
		}
	}
	got, want := words(d.Text), words(bodyText(t, load(t, "reg-b-12cfr1002.xml")))
	for w, n := range want {
		if got[w] != n {
			t.Errorf("%q: %d times in the text, %d in the XML", w, got[w], n)
		}
	}
	for w, n := range got {
		if want[w] == 0 {
			t.Errorf("%q: %d times in the text, never in the XML", w, n)
		}
	}
}

var wordRE = regexp.MustCompile(`[\p{L}\p{N}]+`)

func words(s string) map[string]int {
	out := map[string]int{}
	for _, w := range wordRE.FindAllString(s, -1) {
		out[w]++
	}
	return out
}

// bodyText returns the character data and the markers of a regulation's body,
// read without this package's help.
func bodyText(tb testing.TB, data []byte) string {
	dec := xml.NewDecoder(bytes.NewReader(data))
	var b strings.Builder
	body, skip := 0, 0
	for {
		tok, err := dec.Token()
		if err != nil {
			return b.String()
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			switch tok.Name.Local {
			case "part":
				body++
			case "tableOfContents":
				skip++
			}
			switch tok.Name.Local {
			case "ref", "def", "dash":
			default:
				b.WriteString(" ")
			}
			for _, a := range tok.Attr {
				if a.Name.Local == "marker" {
					b.WriteString(a.Value + " ")
				}
			}
		case xml.EndElement:
			switch tok.Name.Local {
			case "part":
				body--
			case "tableOfContents":
				skip--
			}
		case xml.CharData:
			if body > 0 && skip == 0 {
				b.Write(tok)
			}
		}
	}
}

func TestRegulationAnnexes(t *testing.T) {
	t.Parallel()
	d := regB(t)
	keys := byKey(d)
	for key, want := range map[string]string{
		"12 CFR 1002.2 ¶1":                       "For the purposes of this part, unless",
		"12 CFR 1002 appendix A":                 "Appendix A to Part 1002—Federal Agencies",
		"12 CFR 1002 appendix A ¶1":              "The following list indicates the Federal agency",
		"12 CFR 1002 appendix A item 2":          "2. To the extent not included in item 1 above:",
		"12 CFR 1002 appendix A item 2.a":        "a. National banks, Federal savings associations",
		"12 CFR 1002 appendix C item 2":          "2. Form C-1 contains the Fair Credit Reporting",
		"12 CFR 1002 appendix C form C-1":        "Form C-1—Sample Notice of Action Taken",
		"12 CFR 1002 appendix C form C-2":        "Form C-2—Sample Notice of Action Taken",
		"12 CFR 1002 appendix C form C-10":       "Form C-10—Sample Disclosure",
		"12 CFR 1002 appendix D item 3":          "3. Scope of Interpretations.",
		"12 CFR 1002 supplement I":               "Supplement I to Part 1002—Official",
		"12 CFR 1002 comment Intro":              "Introduction",
		"12 CFR 1002 comment Intro-1":            "1. Official status. Section 706(e)",
		"12 CFR 1002 comment 2(c)(1)(ii)-1":      "1. Move from service area.",
		"12 CFR 1002 comment 2(c)(2)(iii)-1.iii": "iii. ",
		"12 CFR 1002 comment 4(a)-2.i.A":         "A. ",
		"12 CFR 1002 comment 3-1":                "1. Scope.",
		"12 CFR 1002 comment 13(c)-1":            "1. Procedures for providing disclosures.",
		"12 CFR 1002 comment 9(a)(1)":            "Paragraph 9(a)(1).",
		"12 CFR 1002 comment C-1.i":              "i. A telephone number",
	} {
		p, ok := keys[key]
		if !ok {
			t.Errorf("%s: no passage", key)
		} else if own := d.Text[p.Start:p.End]; !strings.HasPrefix(own, want) {
			t.Errorf("%s is %.80q, want %q", key, own, want)
		}
	}
	for key, want := range map[string]string{
		"12 CFR 1002.9(a)(1)":               "§ 1002.9(a)(1)",
		"12 CFR 1002 comment 2(c)(1)(ii)-1": "comment 2(c)(1)(ii)-1",
		"12 CFR 1002 appendix C":            "Appendix C",
		"12 CFR 1002 appendix C form C-1":   "Form C-1",
	} {
		if got := keys[key].Locator; got != want {
			t.Errorf("%s has the locator %q, want %q", key, got, want)
		}
	}
	p := keys["12 CFR 1002.9(a)(1)(i)"]
	if got := strings.Join(p.Heading, " | "); got != "§ 1002.9 Notifications. | Notification of action taken, ECOA notice, and statement of specific reasons. | When notification is required." {
		t.Errorf("heading of %s: %s", p.Key, got)
	}
}

// TestRegulationTree holds the tree against the keys: a passage lies below the
// nearest one that contains its citation.
func TestRegulationTree(t *testing.T) {
	t.Parallel()
	d := regB(t)
	refs := make([]cite.Ref, len(d.Passages))
	for i, p := range d.Passages {
		r, err := cite.Parse(p.Key)
		if err != nil {
			t.Fatal(err)
		}
		refs[i] = r
	}
	for i, p := range d.Passages {
		r := refs[i]
		for j, q := range d.Passages {
			k := refs[j]
			inside := p.Start <= q.Start && q.SpanEnd <= p.SpanEnd && p.Ordinal <= q.Ordinal && q.Ordinal != p.Ordinal
			if p.Start == p.SpanEnd || q.Start == q.SpanEnd {
				continue
			}
			if r.Kind == k.Kind && r.Contains(k) && q.Ordinal > p.Ordinal && !inside {
				t.Errorf("%s contains %s, but not its text", p.Key, q.Key)
			}
		}
	}
}

func TestTerms(t *testing.T) {
	t.Parallel()
	d := regB(t)
	names := map[string]string{}
	for _, term := range d.Terms {
		names[term.Name] = d.Passages[term.Ordinal].Key
	}
	if len(d.Terms) != 33 || names["Account"] != "12 CFR 1002.2(a)" || names["valuation"] != "12 CFR 1002.14(b)(3)" {
		t.Errorf("%d terms: %v", len(d.Terms), names)
	}
}

// BenchmarkLaws reads Regulation B and the FCRA.
func BenchmarkLaws(b *testing.B) {
	regulation, statute := load(b, "reg-b-12cfr1002.xml"), load(b, "fcra-15usc1681.md")
	for b.Loop() {
		for _, law := range []struct {
			bytes []byte
			cites string
		}{{regulation, ""}, {statute, "15 U.S.C."}} {
			if _, err := Parse(law.bytes, Options{Cites: law.cites}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
