package bench

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"polaris/internal/testdata"
	"polaris/models/fault"
)

// The bars are what simple code reaches on these sets, less what a change of
// tie order may cost.
func TestRetrievalQuality(t *testing.T) {
	for set, bar := range map[string]float64{
		"cranfield": .41, "cacm": .51, "reginterp": .41, "obliqa": .71, "scifact": .70,
	} {
		t.Run(set, func(t *testing.T) {
			r, err := Retrieval(filepath.Join(testdata.Dir(t), "bench", set))
			if err != nil {
				t.Fatal(err)
			}
			t.Log(r)
			if r.NDCG10 < bar {
				t.Errorf("nDCG@10 = %.4f, want at least %.3f", r.NDCG10, bar)
			}
		})
	}
}

func TestMeasures(t *testing.T) {
	var r Report
	r.add([]string{"x", "a", "y", "b"}, map[string]int{"a": 2, "b": 1, "c": 1})
	ideal := 2 + 1/math.Log2(3) + 1/math.Log2(4)
	want := Report{
		NDCG10:   (2/math.Log2(3) + 1/math.Log2(5)) / ideal,
		Recall10: 2. / 3, Recall20: 2. / 3, Recall100: 2. / 3,
		MAP10: (1./2 + 2./4) / 3,
	}
	if r != want {
		t.Errorf("got %+v, want %+v", r, want)
	}
}

func TestRetrievalRefusesWhatIsNoSet(t *testing.T) {
	write := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	doc := `{"id":"1","text":"one"}`
	for name, files := range map[string]map[string]string{
		"empty folder": {},
		"no JSON":      {"corpus.jsonl": "one", "queries.jsonl": doc, "qrels.tsv": "h\n1\t1\t1"},
		"no grades":    {"corpus.jsonl": doc, "queries.jsonl": doc},
		"two columns":  {"corpus.jsonl": doc, "queries.jsonl": doc, "qrels.tsv": "h\n1\t1"},
		"none fits":    {"corpus.jsonl": doc, "queries.jsonl": doc, "qrels.tsv": "h\n9\t1\t1"},
	} {
		if _, err := Retrieval(write(files)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want an Invalid fault", name, err)
		}
	}
}
