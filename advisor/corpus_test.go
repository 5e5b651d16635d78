package advisor

import (
	"strings"
	"testing"

	"polaris/models"
)

// A para is a passage of a document that a test writes down.
type para struct {
	depth int
	key   string
	text  string
	kind  models.PassageKind
}

// document makes a document whose passages are paragraphs in order, each below
// the last one of smaller depth.
func document(source models.Source, paras []para, terms ...string) models.Doc {
	d := models.Doc{Source: source, Revision: models.Revision{SourceID: source.ID, N: 1, Title: source.Title}}
	var text strings.Builder
	var above []int
	for i, p := range paras {
		for len(above) > 0 && paras[above[len(above)-1]].depth >= p.depth {
			above = above[:len(above)-1]
		}
		parent := -1
		var heading []string
		for _, a := range above {
			parent = a
			if paras[a].kind == models.Section {
				heading = append(heading, paras[a].text)
			}
		}
		if i > 0 {
			text.WriteString("\n\n")
		}
		start := text.Len()
		text.WriteString(p.text)
		end := text.Len()
		kind := p.kind
		if kind == "" {
			kind = models.Paragraph
		}
		d.Passages = append(d.Passages, models.Passage{
			SourceID: source.ID, Revision: 1, Ordinal: i, Parent: parent, Kind: kind, Key: p.key,
			Locator: "§ " + strings.TrimPrefix(p.key, source.Code+" "), Heading: heading, Start: start, End: end, SpanEnd: end,
		})
		for _, a := range above {
			d.Passages[a].SpanEnd = end
		}
		above = append(above, i)
	}
	for _, t := range terms {
		name, key, _ := strings.Cut(t, "=")
		for i, p := range paras {
			if p.key == key {
				d.Terms = append(d.Terms, models.Term{Name: name, Ordinal: i})
			}
		}
	}
	d.Revision.Text = text.String()
	return d
}

// handbook is the small corpus that most tests ask: the rules of an invented
// lender, and a second house whose numbers collide with the first.
func handbook() *models.Corpus {
	hb := document(models.Source{ID: "src_hb", Code: "HB", Title: "Lending Handbook", OriginURL: "https://lender.example/hb", Jurisdiction: "House"}, []para{
		{0, "HB 4", "4 Declined applications", models.Section},
		{1, "HB 4.1", "4.1 A declined applicant receives a written notice within 21 days after the decision.", ""},
		{1, "HB 4.2", "4.2 The notice of a declined application names:", ""},
		{2, "HB 4.2(a)", "(a) the principal reasons for the decision, at most four; and", ""},
		{2, "HB 4.2(b)", "(b) the address of the complaints desk.", ""},
		{0, "HB 5", "5 Records", models.Section},
		{1, "HB 5.1", "5.1 Application records are kept for 30 months. Records under investigation are kept until the regulator releases them.", ""},
		{0, "HB 40", "40 Fleet", models.Section},
		{1, "HB 40.2", "40.2 Company cars are serviced each spring.", ""},
	}, "declined application=HB 4.2", "complaints desk=HB 4.2(b)")
	dg := document(models.Source{ID: "src_dg", Code: "DG", Title: "Deposit Guide"}, []para{
		{0, "DG 4", "4 Savings", models.Section},
		{1, "DG 4.1", "4.1 A savings certificate matures after five years.", ""},
		{1, "DG 4.3", "4.3 Interest on a savings certificate is credited on 31 December.", ""},
	})
	return &models.Corpus{
		Brain: "calliope", Version: 3, Docs: []models.Doc{hb, dg},
		Cards: []models.TopicCard{
			{ID: "declines", Label: "Declining\nan application", Covers: "We turned someone down.", Anchors: []string{"HB 4.2", "HB 9.9"}},
			{ID: "savings", Label: "Savings", Covers: "Certificates.", Anchors: []string{"DG 4.3"}},
			{ID: "records", Label: "Records", Covers: "Keeping files.", Anchors: []string{"HB 5.1"}},
		},
	}
}

func handbookEngine(t testing.TB) *Engine {
	t.Helper()
	e, err := Build(handbook(), Config{PublicURL: "https://polaris.example"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
