package advisor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"polaris/advisor/bench"
	"polaris/internal/testdata"
	"polaris/models"
)

// questions reads a file of questions, one a line; what follows a tab is for
// people.
func questions(t *testing.T, name string) (out []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(data)) {
		if q, _, _ := strings.Cut(strings.TrimSpace(l), "\t"); q != "" && q[0] != '#' {
			out = append(out, q)
		}
	}
	return out
}

// halves returns how many questions pass, of those that the calibration was
// tuned on and of those that it never saw.
func halves(t *testing.T, e *Engine, c *models.Corpus, qs []string, verbose bool) (passed, total [2]int) {
	t.Helper()
	for i, q := range qs {
		env := e.Answer(t.Context(), Question{Text: q})
		checkEnvelope(t, c, env)
		total[i%2]++
		if env.Guardrail.Status == models.GuardrailPass {
			passed[i%2]++
		} else if verbose && i%2 == 0 {
			t.Logf("declined (tuned on): %s", q)
		}
	}
	return passed, total
}

// The shares are floors against regressions; the numbers are in the log.
func TestAnswersAndDeclines(t *testing.T) {
	t.Parallel()
	e, c := lawyer(t)
	passed, total := halves(t, e, c, questions(t, "answerable.tsv"), true)
	t.Logf("answerable: answered %v of %v (tuned on, held out)", passed, total)
	if passed[0]+passed[1] < (total[0]+total[1])*92/100 {
		t.Errorf("answered %v of %v answerable questions", passed, total)
	}
	passed, total = halves(t, e, c, questions(t, "unanswerable.txt"), false)
	t.Logf("unanswerable: answered %v of %v (tuned on, held out)", passed, total)
	if passed[0]+passed[1] > (total[0]+total[1])*6/100 {
		t.Errorf("answered %v of %v unanswerable questions", passed, total)
	}
}

// Questions on other subjects are declined nearly always, those of an index's
// own collection mostly answered.
func TestDeclinesOtherCollections(t *testing.T) {
	t.Parallel()
	e, c := lawyer(t)
	for set, most := range map[string]float64{"cacm": .05, "cranfield": .02, "scifact": .02, "obliqa": .03} {
		if share := answered(t, e, c, set, 300); share > most {
			t.Errorf("%s: %.3f of the questions answered from regulations, want at most %.2f", set, share, most)
		}
	}
	own := collection(t, "obliqa")
	oe, err := Build(own, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if share := answered(t, oe, own, "obliqa", 500); share < .8 {
		t.Errorf("obliqa: %.3f of its own questions answered", share)
	}
}

func answered(t *testing.T, e *Engine, c *models.Corpus, set string, most int) float64 {
	t.Helper()
	s, err := bench.Load(filepath.Join(testdata.Dir(t), "bench", set))
	if err != nil {
		t.Fatal(err)
	}
	n, asked := 0, 0
	for i := 0; i < len(s.Queries); i += max(1, len(s.Queries)/most) {
		env := e.Answer(t.Context(), Question{Text: s.Queries[i].Text})
		checkEnvelope(t, c, env)
		asked++
		if env.Guardrail.Status == models.GuardrailPass {
			n++
		}
	}
	share := float64(n) / float64(asked)
	t.Logf("%s against %s: %.3f of %d answered", set, c.Docs[0].Source.Title, share, asked)
	return share
}

// collection makes a corpus of a retrieval set: one document, each text a
// passage with its title as heading.
func collection(t testing.TB, set string) *models.Corpus {
	t.Helper()
	s, err := bench.Load(filepath.Join(testdata.Dir(t), "bench", set))
	if err != nil {
		t.Fatal(err)
	}
	d := models.Doc{Source: models.Source{ID: "src_" + set, Code: "SET", Title: set}, Revision: models.Revision{N: 1}}
	var text strings.Builder
	for i, doc := range s.Docs {
		start := text.Len()
		text.WriteString(doc.Text)
		d.Passages = append(d.Passages, models.Passage{
			Ordinal: i, Parent: -1, Kind: models.Paragraph, Key: "SET ¶" + itoa(i+1), Locator: doc.Title,
			Heading: []string{doc.Title}, Start: start, End: text.Len(), SpanEnd: text.Len(),
		})
		text.WriteString("\n\n")
	}
	d.Revision.Text = text.String()
	return &models.Corpus{Brain: "bench", Version: 1, Docs: []models.Doc{d}}
}
