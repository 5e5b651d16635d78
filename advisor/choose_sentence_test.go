package advisor

import (
	"os"
	"path/filepath"
	"testing"

	"polaris/advisor/bench"
	"polaris/internal/testdata"
	"polaris/models/fault"
)

// The sentence that carries a claim is chosen out of its abstract by what
// answers choose by.
func TestSentenceChoice(t *testing.T) {
	t.Parallel()
	got, _, err := bench.Sentences(filepath.Join(testdata.Dir(t), "bench", "verify", "sentences.jsonl"), Rank)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", got)
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
