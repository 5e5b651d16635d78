package research

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"polaris/advisor"
	"polaris/advisor/ingest"
	"polaris/internal/testdata"
	"polaris/models"
)

// lawyer is an engine over two real laws.
func lawyer(t *testing.T) (*advisor.Engine, *models.Corpus) {
	t.Helper()
	dir := filepath.Join(testdata.Dir(t), "regs")
	c := &models.Corpus{Brain: "regs", Version: 1}
	for _, d := range []struct{ file, id, code, title string }{
		{"reg-b-12cfr1002.xml", "src_b", "REGB", "Regulation B (Equal Credit Opportunity Act)"},
		{"fcra-15usc1681.md", "src_f", "FCRA", "Fair Credit Reporting Act"},
	} {
		data, err := os.ReadFile(filepath.Join(dir, d.file))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := ingest.Parse(data, ingest.Options{Name: d.file, Title: d.title, Code: d.code})
		if err != nil {
			t.Fatal(err)
		}
		c.Docs = append(c.Docs, models.Doc{
			Source:   models.Source{ID: d.id, Code: d.code, Title: d.title},
			Revision: models.Revision{SourceID: d.id, N: 1, Language: doc.Language, Title: d.title, Text: doc.Text},
			Passages: doc.Passages, Terms: doc.Terms,
		})
	}
	e, err := advisor.Build(c, advisor.Config{PublicURL: "https://polaris.example"})
	if err != nil {
		t.Fatal(err)
	}
	return e, c
}

// run does a whole plan at once.
func run(t *testing.T, a Asker, question string) (Plan, *Report) {
	t.Helper()
	p := MakePlan(question, nil)
	var fs []Finding
	for i := range p.Parts {
		fs = append(fs, Read(t.Context(), a, p, i, nil))
	}
	return p, Write(p, fs)
}

// The report on what applicants are told has all four cases and both limits, and
// every sentence of it is in its source.
func TestReportOnRegulationB(t *testing.T) {
	t.Parallel()
	e, c := lawyer(t)
	began := time.Now()
	p, r := run(t, e, "Compare what a creditor must tell an applicant after approval, counteroffer, incompleteness and denial, with all deadlines.")
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if len(p.Parts) != 4 || !p.Limits {
		t.Errorf("%+v", p)
	}
	for _, want := range []string{"approval", "counteroffer", "incompleteness", "denial"} {
		if !strings.Contains(strings.ToLower(r.Markdown), want) {
			t.Errorf("no %s", want)
		}
	}
	for _, want := range []string{`30 days`, `90 days`, `incomplete`, `adverse action`} {
		if !regexp.MustCompile(`(?m)^> .*` + want).MatchString(r.Markdown) {
			t.Errorf("nothing quoted says %q", want)
		}
	}
	if err := Check(r); err != nil {
		t.Error(err)
	}
	texts := map[string]string{}
	for _, d := range c.Docs {
		texts[d.Source.ID] = d.Revision.Text
	}
	for _, x := range r.Citations {
		if got := texts[x.Provenance.SourceDocPK][x.Provenance.Start:x.Provenance.End]; got != x.Quote {
			t.Errorf("citation %d: %q is %q in the source", x.N, x.Quote, got)
		}
	}
	if os.Getenv("POLARIS_SHOW") != "" {
		t.Log(r.Markdown)
	}
}

// What a question's structure says about its parts.
func TestMakePlan(t *testing.T) {
	t.Parallel()
	for q, want := range map[string][]string{
		"Compare what a creditor must tell an applicant after approval, counteroffer and denial, with all deadlines.": {
			"What a creditor must tell an applicant after approval?", "What a creditor must tell an applicant after counteroffer?", "What a creditor must tell an applicant after denial?",
		},
		"Compare the leave policy with the travel policy.":              {"The leave policy?", "The travel policy?"},
		"Contrast gifts against expenses":                               {"Gifts?", "Expenses?"},
		"Which records are kept? How long are they kept?":               {"Which records are kept?", "How long are they kept?"},
		"Give me an overview of retention":                              {"Retention?"},
		"Summarize everything about consent.":                           {"Everything about consent?"},
		"What is the difference between a grievance and a complaint?":   {"What is the difference between a grievance and a complaint?", "A grievance?", "A complaint?"},
		"How are complaints, incidents and gifts recorded by managers?": {"How are complaints?", "How are incidents?", "How are gifts recorded by managers?"},
		"":    nil,
		"???": {"???"},
	} {
		var got []string
		for _, p := range MakePlan(q, nil).Parts {
			got = append(got, p.Ask)
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q: %q, want %q", q, got, want)
		}
	}
}
