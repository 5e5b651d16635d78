package ops_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"polaris/internal/testdata"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// arrows writes what the passages of a source cite: resolved ones with where
// they lead, others with their state.
func arrows(v ops.SourceView) []string {
	out := []string{}
	for _, p := range v.Passages {
		for _, r := range p.Refs {
			to := "(" + r.State + ")"
			for i, t := range r.To {
				if i == 0 {
					to = t.Code + ":" + t.Key
				} else {
					to += "+" + t.Code + ":" + t.Key
				}
			}
			out = append(out, fmt.Sprintf("%s «%s» %s", p.Key, r.Text, to))
		}
	}
	return out
}

const citing = `# Handbook

## 4 Decisions

### 4.1 Granting

As "section 4.2(a)" has it, and section 4.1; lists: §§ 4.2(a) and (b), or 5.1 through 5.3.

### 4.2 Declining

(a) See § 9.9, FEES 2.1 and NOPE 2.1(b).

(b) It costs $4.20. Section 5 of the Companies Act 2006 and section 5 of the Fee Rules apply.

## 5 Fees

### 5.1 Late

See section 2.1 of the Fee Rules; § 1002.9(a) is of a regulation.

### 5.2 Early

Nothing.
`

const fees = "# Fee Rules\n\n## 2 Amounts\n\n### 2.1 Late fee\n\nAs HB 4.2(a) says.\n\n### 2.2 Other\n\nNone, by HB 4.2(a), see FEES 2.1.\n"

// References are followed in their own source and in the others; each end shows
// them, and what leads nowhere is listed.
func TestReferencesAreFollowed(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "hb.md", Code: "HB", Data: []byte(citing)})
	before := must(t, d, c, ops.GetSource, ops.GetSourceIn{Source: "HB"})
	if got := strings.Join(arrows(before), "\n"); !strings.Contains(got, "HB 4.2(a) «FEES 2.1» (outside)") {
		t.Errorf("before FEES is here:\n%s", got)
	}
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "fees.md", Code: "FEES", Data: []byte(fees)})

	v := must(t, d, c, ops.GetSource, ops.GetSourceIn{Source: "HB"})
	want := []string{
		"HB 4.1 ¶1 «section 4.2(a)» HB:HB 4.2(a)", "HB 4.1 ¶1 «section 4.1» HB:HB 4.1", "HB 4.1 ¶1 «(b)» HB:HB 4.2(b)",
		"HB 4.1 ¶1 «5.1» HB:HB 5.1", "HB 4.1 ¶1 «5.3» HB:HB 5.2", "HB 4.1 ¶1 «5.3» (broken)", // a range cites what lies between its ends
		"HB 4.2(a) «§ 9.9» (broken)", "HB 4.2(a) «FEES 2.1» FEES:FEES 2.1", "HB 4.2(a) «NOPE 2.1(b)» (outside)",
		"HB 4.2(b) «Section 5» (outside)", "HB 4.2(b) «section 5» (broken)",
		"HB 5.1 ¶1 «section 2.1» FEES:FEES 2.1", "HB 5.1 ¶1 «§ 1002.9(a)» (outside)",
	}
	if got := arrows(v); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n := v.References; n.Found != len(want) || n.Resolved+n.Broken+n.Outside != n.Found || n.Broken != 3 || n.Outside != 3 {
		t.Errorf("counts %+v", n)
	}
	p := must(t, d, c, ops.GetPassages, ops.PassagesIn{Key: "HB 4.2(a)"}).Passages[0]
	if by := p.ReferredBy; by == nil || fmt.Sprint(by.From) != "[{FEES FEES 2.1 ¶1} {FEES FEES 2.2 ¶1} {HB HB 4.1 ¶1}]" || by.Count != 3 || len(p.Refs) != 3 || p.Refs[0].Text != "§ 9.9" || p.Language != "en" {
		t.Errorf("%+v %+v", by, p)
	}

	// The list, a row at a time, and of one source.
	var got []string
	for in := (ops.BrokenRefsIn{Page: ops.Page{Limit: 1}}); ; {
		l := must(t, d, c, ops.ListBrokenRefs, in)
		for _, r := range l.References {
			got = append(got, r.From+" "+r.Key+" "+r.Of)
		}
		if in.Cursor = l.NextCursor; in.Cursor == "" {
			break
		}
	}
	if s := strings.Join(got, "; "); s != "HB 4.1 ¶1 5.3 ; HB 4.2(a) 9.9 ; HB 4.2(b) 5 Fee Rules" {
		t.Errorf("broken: %s", s)
	}
	if l := must(t, d, c, ops.ListBrokenRefs, ops.BrokenRefsIn{Source: "FEES"}); len(l.References) != 0 || l.References == nil {
		t.Errorf("%+v", l)
	}
	if l := must(t, d, c, ops.ListBrokenRefs, ops.BrokenRefsIn{Outside: true}); len(l.References) != 3 || l.References[1].Of != "Companies Act 2006" {
		t.Errorf("%+v", l)
	}
	if _, err := ops.Do(t.Context(), d, c, ops.ListBrokenRefs, ops.BrokenRefsIn{Source: "NONE"}); !fault.Is(err, fault.NotFound) {
		t.Errorf("%v", err)
	}
}

// What a new revision lacks breaks the references to it, as does a source that
// leaves the draft; neither changes the diff of revisions.
func TestReferencesBreakAndHeal(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "hb.md", Code: "HB", Data: []byte(citing)})
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "fees.md", Code: "FEES", Data: []byte(fees)})
	broken := func() (keys []string) {
		t.Helper()
		for _, r := range must(t, d, c, ops.ListBrokenRefs, ops.BrokenRefsIn{}).References {
			keys = append(keys, r.Code+">"+r.Key)
		}
		return keys
	}
	at := len(broken())
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "fees.md", Code: "FEES", Data: []byte(strings.Replace(fees, "### 2.1 Late fee\n\n", "", 1))})
	if got := broken(); len(got) != at+3 || !slices.Contains(got, "HB>FEES 2.1") || !slices.Contains(got, "FEES>FEES 2.1") {
		t.Errorf("broken: %v", got)
	}
	if diff := must(t, d, c, ops.DiffSource, ops.DiffSourceIn{Source: "FEES"}); diff.Counts.Lost == 0 {
		t.Errorf("%+v", diff.Counts)
	}
	must(t, d, c, ops.RemoveSource, ops.GetSourceIn{Source: "FEES"})
	if got := broken(); len(got) != at-1 { // its rows went with it, what cites it leads outside
		t.Errorf("broken: %v", got)
	}
	// A source that is not in the draft is shown with its references all the same.
	if v := must(t, d, c, ops.GetSource, ops.GetSourceIn{Source: "FEES"}); v.References.Resolved == 0 || v.References.Broken != 1 {
		t.Errorf("%+v", v.References)
	}
	must(t, d, c, ops.RestoreSource, ops.GetSourceIn{Source: "FEES"})
	if got := broken(); len(got) != at+3 {
		t.Errorf("broken: %v", got)
	}
}

// Another brain's sources are no targets, and its references are not listed.
func TestReferencesStayInTheirBrain(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c, other := newBrain(t, d, "calliope", false), newBrain(t, d, "other", false)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "hb.md", Code: "HB", Data: []byte(citing)})
	must(t, d, other, ops.ImportSource, ops.ImportSourceIn{Name: "fees.md", Code: "FEES", Data: []byte(fees)})
	for _, r := range must(t, d, other, ops.ListBrokenRefs, ops.BrokenRefsIn{}).References {
		t.Errorf("%+v", r)
	}
	v := must(t, d, other, ops.GetSource, ops.GetSourceIn{Source: "FEES"})
	if v.References != (ops.RefCounts{Found: 3, Resolved: 1, Outside: 2}) {
		t.Errorf("%+v %v", v.References, arrows(v))
	}
	v = must(t, d, c, ops.GetSource, ops.GetSourceIn{Source: "HB"})
	for _, p := range v.Passages {
		if p.ReferredBy != nil && slices.ContainsFunc(p.ReferredBy.From, func(x ops.CitedPlace) bool { return x.Code == "FEES" }) {
			t.Errorf("%+v", p.ReferredBy)
		}
	}
}

// Numbers that Word counts by itself are what the text cites.
func TestReferencesToAutomaticNumbers(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "policy.docx", Code: "POL", Data: numberedDOCX(t)})
	v := must(t, d, c, ops.GetSource, ops.GetSourceIn{Source: "POL"})
	if got := strings.Join(arrows(v), "\n"); got != "POL 1.1 «section 4.2(a)» POL:POL 4.2(a)\nPOL 4.2(b) «section 4.2(c)» (broken)" {
		t.Errorf("%s\n%+v", got, v.Passages)
	}
}

// numberedDOCX is a document of which every number is Word's own.
func numberedDOCX(t *testing.T) []byte {
	t.Helper()
	body := ""
	item := func(level int, text string) {
		body += fmt.Sprintf(`<w:p><w:pPr><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>%s</w:t></w:r></w:p>`, level, text)
	}
	for i, s := range []string{"Purpose", "Scope", "Words", "Decisions"} {
		item(0, s)
		if i == 0 {
			item(1, "Who declines does what section 4.2(a) says.")
		}
	}
	item(1, "Granting is for the desk.")
	item(1, "Declining is as follows.")
	item(2, "The reasons are given.")
	item(2, "They are kept as section 4.2(c) says.")
	levels := ""
	for i, l := range []struct{ format, text string }{{"decimal", "%1."}, {"decimal", "%1.%2"}, {"lowerLetter", "(%3)"}} {
		levels += fmt.Sprintf(`<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="%s"/><w:lvlText w:val="%s"/></w:lvl>`, i, l.format, l.text)
	}
	const w, rel = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`, `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	rels := func(kind, target string) string {
		return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="` + rel + kind + `" Target="` + target + `"/></Relationships>`
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{"_rels/.rels", rels("officeDocument", "word/document.xml")},
		{"word/_rels/document.xml.rels", rels("numbering", "numbering.xml")},
		{"word/numbering.xml", `<w:numbering ` + w + `><w:abstractNum w:abstractNumId="0"><w:multiLevelType w:val="multilevel"/>` + levels + `</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`},
		{"word/document.xml", `<w:document ` + w + `><w:body>` + body + `</w:body></w:document>`},
	} {
		e, err := z.Create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(e, f[1])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Of a regulation and an act every link leads to a passage that is there, and
// both ends of it agree.
func TestReferencesOfRealLaws(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(testdata.Dir(t), "regs")
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	files := []struct {
		name, code, cites       string
		found, resolved, broken int // at least, at least, at most
	}{{"reg-b-12cfr1002.xml", "REGB", "", 330, 290, 10}, {"fcra-15usc1681.md", "FCRA", "15 U.S.C.", 350, 270, 10}}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.name))
		if err != nil {
			t.Fatal(err)
		}
		must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: f.name, Code: f.code, SourceFacts: ops.SourceFacts{Cites: f.cites}, Data: data})
	}
	views := map[string]ops.SourceView{}
	there := map[ops.CitedPlace]*ops.SourcePassage{}
	for _, f := range files {
		v := must(t, d, c, ops.GetSource, ops.GetSourceIn{Source: f.code})
		views[f.code] = v
		for i := range v.Passages {
			there[ops.CitedPlace{Code: f.code, Key: v.Passages[i].Key}] = &v.Passages[i]
		}
		n := v.References
		t.Logf("%s: %d passages, %+v", f.code, len(v.Passages), n)
		if n.Found < f.found || n.Resolved < f.resolved || n.Broken > f.broken {
			t.Errorf("%s: %+v", f.code, n)
		}
	}
	ends := map[ops.CitedPlace]int{}
	across := 0
	for code, v := range views {
		for _, p := range v.Passages {
			cited := map[ops.CitedPlace]bool{}
			for _, r := range p.Refs {
				if (r.State == ops.RefResolved) != (len(r.To) > 0) || r.Text == "" || v.Revision.Text[r.Start:r.End] != r.Text {
					t.Errorf("%s: %+v", p.Key, r)
				}
				for _, to := range r.To {
					if there[to] == nil {
						t.Errorf("%s leads to %v, which is nowhere", p.Key, to)
					}
					if to.Code != code {
						across++
					}
					cited[to] = true
				}
			}
			for to := range cited {
				ends[to]++
			}
		}
	}
	for at, p := range there {
		n := 0
		if p.ReferredBy != nil {
			n = p.ReferredBy.Count
			if len(p.ReferredBy.From) != min(n, 20) {
				t.Errorf("%v: %+v", at, p.ReferredBy)
			}
		}
		if n != ends[at] {
			t.Errorf("%v is cited by %d passages and says %d", at, ends[at], n)
		}
	}
	most := slices.MaxFunc(slices.Collect(maps.Keys(ends)), func(a, b ops.CitedPlace) int { return cmp.Compare(ends[a], ends[b]) })
	t.Logf("%d lead to the other source; %v is cited most, %d times", across, most, ends[most])
}
