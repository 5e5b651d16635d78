package bench

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"polaris/internal/testdata"
	"polaris/models/fault"
)

// What is accepted of claims that were altered, and of those that were not; and
// how well the public sets are told apart, less a little.
func TestVerificationQuality(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(testdata.Dir(t), "bench", "verify")
	for set, bar := range map[string]float64{"sick": .88, "wice": .795, "scifact": .66} {
		v, err := Verification(filepath.Join(dir, set+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %+v", set, v)
		if v.AUC < bar {
			t.Errorf("%s: AUC %.3f, want at least %.3f", set, v.AUC, bar)
		}
	}
	v, err := Verification(filepath.Join(dir, "altered.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("altered: %+v", v)
	faithful := map[string]float64{"verbatim": 1, "articles dropped": .98, "parenthetical dropped": .98, "clause moved to end": .90}
	for kind, share := range v.ByKind {
		if least, ok := faithful[kind]; ok && share < least {
			t.Errorf("%s: %.3f accepted, want at least %.2f", kind, share, least)
		} else if !ok && share > .02 {
			t.Errorf("%s: %.3f accepted, want at most .02", kind, share)
		}
	}
	if len(v.ByKind) != 11 {
		t.Errorf("kinds: %v", v.ByKind)
	}
}

func TestAUC(t *testing.T) {
	t.Parallel()
	rows := []claimRow{{Label: "supported"}, {Label: "no"}, {Label: "supported"}, {Label: "no"}}
	if got := auc(rows, []float64{.9, .5, .5, .1}); math.Abs(got-.875) > 1e-12 {
		t.Errorf("got %g, want .875", got)
	}
	if got := auc(rows[:1], []float64{1}); got != 0 {
		t.Errorf("one class alone: got %g", got)
	}
}

func TestVerificationRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"empty": "", "no JSON": "claim", "no label": `{"claim":"a","evidence":"b"}`, "no claim": `{"evidence":"b","label":"supported"}`} {
		path := filepath.Join(t.TempDir(), "f.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Verification(path); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := Verification(filepath.Join(t.TempDir(), "none")); !fault.Is(err, fault.Invalid) {
		t.Errorf("no file: got %v", err)
	}
}
