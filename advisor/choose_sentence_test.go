package advisor

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"polaris/advisor/bench"
	"polaris/advisor/index"
	"polaris/internal/testdata"
	"polaris/models/fault"
)

// The sentence that carries a claim is chosen out of its abstract by what
// answers choose by.
func TestSentenceChoice(t *testing.T) {
	t.Parallel()
	file := filepath.Join(testdata.Dir(t), "bench", "verify", "sentences.jsonl")
	got, hits, err := bench.Sentences(file, Rank)
	if err != nil {
		t.Fatal(err)
	}
	was, plain, err := bench.Sentences(file, byCoverage)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v, by coverage alone %+v", got, was)
	for k, name := range []string{"hit@1", "hit@3"} {
		var a, b []float64
		for i := range hits {
			a, b = append(a, plain[i][k]), append(b, hits[i][k])
		}
		t.Logf("%s: %+v", name, bench.Paired(a, b, 10_000))
	}
	if got.Hit1 < .60 || got.Hit3 < .88 || got.Claims < 300 {
		t.Errorf("%+v, want .60 and .88", got)
	}
}

func TestSentencesRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty": "", "no JSON": "claim", "no sentences": `{"claim":"a","gold":[0]}`, "no such sentence": `{"claim":"a","sentences":["b"],"gold":[1]}`,
	} {
		path := filepath.Join(t.TempDir(), "f.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := bench.Sentences(path, Rank); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, _, err := bench.Sentences(filepath.Join(t.TempDir(), "none"), Rank); !fault.Is(err, fault.Invalid) {
		t.Errorf("no file: got %v", err)
	}
}

// byCoverage chooses by the share of the claim's words alone.
func byCoverage(x *index.Index, question string, sentences []string) []int {
	q := x.Query(question)
	order := make([]int, len(sentences))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(q.Coverage(x.Match(q, sentences[b])), q.Coverage(x.Match(q, sentences[a])))
	})
	return order
}
