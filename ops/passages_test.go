package ops_test

import (
	"strings"
	"testing"

	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// A key names its passage however it is written; one without its source's code
// names every passage that it fits.
func TestPassagesByKey(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	for _, code := range []string{"HR", "IT"} {
		must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: code + ".md", Title: code + " rules", Code: code, Data: []byte(strings.ReplaceAll(rules, "late fee", code+" late fee"))})
	}
	for key, want := range map[string]string{"HR 1(a)": "HR 1(a)", "HR-1(a)": "HR 1(a)", "1(a)": "HR 1(a), IT 1(a)"} {
		var got []string
		for _, p := range must(t, d, c, ops.GetPassages, ops.PassagesIn{Key: key}).Passages {
			got = append(got, p.Passage.Key)
			if !strings.Contains(p.Text, p.Code+" late fee") || !strings.HasPrefix(p.Passage.Key, p.Code) || p.Title != p.Code+" rules" {
				t.Errorf("%s: %+v", key, p)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s names %v, want %s", key, got, want)
		}
	}
	for _, key := range []string{"HR 99(z)", "nonsense", "", "FIN 1(a)"} {
		if _, err := ops.Do(t.Context(), d, c, ops.GetPassages, ops.PassagesIn{Key: key}); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", key, err)
		}
	}
}
