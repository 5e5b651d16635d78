package advisor

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"polaris/advisor/ingest"
	"polaris/internal/testdata"
	"polaris/models"
)

// regulations is a corpus of real documents: Regulation B and the Fair Credit
// Reporting Act, read as a curator's import reads them.
func regulations(t testing.TB) *models.Corpus {
	t.Helper()
	dir := filepath.Join(testdata.Dir(t), "regs")
	return &models.Corpus{
		Brain: "regs", Version: 1,
		Docs: []models.Doc{
			imported(t, filepath.Join(dir, "reg-b-12cfr1002.xml"), "src_b", "REGB", "Regulation B (Equal Credit Opportunity Act)"),
			imported(t, filepath.Join(dir, "fcra-15usc1681.md"), "src_f", "FCRA", "Fair Credit Reporting Act"),
		},
		Cards: []models.TopicCard{{
			ID: "denying-an-application-the-notices-we-owe", Label: "Denying an application: the notices we owe",
			Covers:  "We turned someone down, or offered less than they asked for.",
			Anchors: []string{"12 CFR 1002.9", "15 U.S.C. 1681m(a)"},
		}, {
			ID: "half", Label: "Half", Covers: "A card whose corpus lacks an anchor.",
			Anchors: []string{"12 CFR 1002.4(b)", "12 CFR 1026.4", "15 U.S.C. 1693"},
		}},
	}
}

func imported(t testing.TB, path, id, code, title string) models.Doc {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ingest.Parse(data, ingest.Options{Name: filepath.Base(path), Title: title, Code: code})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return models.Doc{
		Source:   models.Source{ID: id, Code: code, Title: title, OriginURL: "https://law.example/" + id, Jurisdiction: "US"},
		Revision: models.Revision{SourceID: id, N: 1, MediaType: d.MediaType, Language: d.Language, Title: d.Title, Text: d.Text},
		Passages: d.Passages, Terms: d.Terms, Refs: d.Refs,
	}
}

var regsEngine struct {
	once   sync.Once
	corpus *models.Corpus
	engine *Engine
}

// lawyer returns the engine of the real documents, built once for all tests.
func lawyer(t testing.TB) (*Engine, *models.Corpus) {
	t.Helper()
	testdata.Dir(t)
	regsEngine.once.Do(func() {
		regsEngine.corpus = regulations(t)
		e, err := Build(regsEngine.corpus, Config{PublicURL: "https://polaris.example"})
		if err != nil {
			t.Fatal(err)
		}
		regsEngine.engine = e
	})
	if regsEngine.engine == nil {
		t.Fatal("the engine of the real documents could not be built")
	}
	return regsEngine.engine, regsEngine.corpus
}
