package ingest

import (
	"fmt"
	"strings"
	"testing"

	"polaris/advisor/cite"
)

// TestKeysResolve asks for every key of two laws as people write it, among other
// words, and must find that passage and no other.
func TestKeysResolve(t *testing.T) {
	t.Parallel()
	byTail := map[string][]cite.Ref{}
	var keys []cite.Ref
	for _, d := range []*Document{regB(t), fcra(t)} {
		for _, p := range d.Passages {
			r, err := cite.Parse(p.Key)
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, r)
			byTail[r.Tail()] = append(byTail[r.Tail()], r)
		}
	}
	asked := 0
	for _, k := range keys {
		for _, form := range forms(k) {
			asked++
			ms := cite.Find(fmt.Sprintf("What does %s require of a lender?", form))
			if len(ms) != 1 {
				t.Errorf("%q: %d citations", form, len(ms))
				continue
			}
			var got []string
			for _, c := range byTail[ms[0].Ref.Tail()] {
				if ms[0].Ref.Matches(c) {
					got = append(got, c.String())
				}
			}
			if len(got) != 1 || got[0] != k.String() {
				t.Errorf("%q names %q, want %q", form, got, k)
			}
		}
	}
	t.Logf("%d keys, asked in %d ways", len(keys), asked)
}

// forms returns the ways of writing a key.
func forms(k cite.Ref) []string {
	out := []string{k.String()}
	tail := k.Number + k.Paras
	switch {
	case k.Kind == cite.Comment && k.Path != "":
		out = append(out, k.Locator(), strings.Replace(k.Locator(), "-", "–", 1))
	case k.Kind != cite.Provision || k.Block > 0 || k.Nth > 0:
	case k.System == cite.CFR:
		out = append(out, "§ "+tail, "§\u00a0"+tail, "section "+tail, tail, "12 C.F.R. § "+tail)
	default:
		out = append(out, "§ "+tail, "15 USC "+tail, "15 U.S.C. § "+tail, "section "+tail+" of title 15", strings.ReplaceAll("15 U.S.C. "+tail, "-", "–"))
	}
	return out
}
