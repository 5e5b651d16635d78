package retrieve

import (
	"slices"
	"testing"

	"polaris/advisor/cite"
	"polaris/models"
)

// What lies below a citation is found through the map as by looking at every
// key.
func TestFirstBelowIsTheFirst(t *testing.T) {
	t.Parallel()
	keys := []string{
		"HB 4", "HB 4.2", "HB 4.2.1", "HB 4.20", "HB 4.2(a)", "HB 4.2(a)(1)", "12 CFR 1002.9(a)(1)", "12 CFR 1002.9(a)(2)", "12 CFR 1002.90", "12 CFR 1002",
		"702.6a", "702.60", "702.6", "15 U.S.C. 1681c-1(a)(2)", "15 U.S.C. 1681a(d)", "30101(4)", "SET ¶1", "SET ¶2", "HB § Lending › Fees", "HB p. 12",
		"12 CFR 1002 comment 9(a)(1)-1.iii", "12 CFR 1002 appendix C", "12 CFR 1002 appendix A item 2.a",
	}
	doc := models.Doc{}
	for i, k := range keys {
		doc.Passages = append(doc.Passages, models.Passage{Ordinal: i, Key: k})
	}
	m := NewKeys(&models.Corpus{Docs: []models.Doc{doc}})
	asked := append(slices.Clone(keys), "HB 4.3", "§ 1002.9", "1002.9(a)", "702", "702.6", "1681c-1", "§ 1681", "30101", "HB 4.2(b)", "HB", "part 1002", "Rule 4.2", "comment 9(a)", "supplement I", "HB § Lending", "4", "4.2A", "702.6A")
	found := 0
	for _, a := range asked {
		r, err := cite.Parse(a)
		if err != nil {
			continue
		}
		want := slices.IndexFunc(m.all, func(k keyed) bool { return r.Contains(k.key) })
		if got := m.firstBelow(r); got != want {
			t.Errorf("below %q: %d, want %d", a, got, want)
		}
		if want >= 0 {
			found++
		}
	}
	if found < len(keys) {
		t.Errorf("only %d of %d citations contain anything", found, len(asked))
	}
}
