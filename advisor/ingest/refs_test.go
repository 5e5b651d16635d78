package ingest

import (
	"fmt"
	"reflect"
	"testing"

	"polaris/advisor/cite"
)

func TestRefs(t *testing.T) {
	t.Parallel()
	const in = "# Handbook\n\n## 4 Decisions\n\n### 4.1 Granting\n\nSee 4.2(a), HB 4.2, FEES 2.1(b) and 12 CFR 1002.9(a)(1).\n\n### 4.2 Declining\n\n(a) As in HB 4.2(a) and § 1002.9; it costs $4.20 or ISO 9001.\n\n(b) As § 4.1 says, and § 9.9.\n"
	d := parse(t, []byte(in), Options{Code: "HB"})
	var got []string
	for _, r := range d.Refs {
		got = append(got, d.Passages[r.From].Key+" -> "+r.Key)
	}
	want := []string{
		"HB 4.1 ¶1 -> HB 4.2(a)", "HB 4.1 ¶1 -> HB 4.2", "HB 4.1 ¶1 -> FEES 2.1(b)", "HB 4.1 ¶1 -> 12 CFR 1002.9(a)(1)", "HB 4.2(a) -> 1002.9", "HB 4.2(b) -> HB 4.1", "HB 4.2(b) -> 9.9",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestRefsOfARegulation holds that what a regulation cites of itself is linked,
// and that each key is one.
func TestRefsOfARegulation(t *testing.T) {
	t.Parallel()
	d := regB(t)
	own, keys := 0, byKey(d)
	for _, r := range d.Refs {
		if k, err := cite.Parse(r.Key); err != nil || k.String() != r.Key {
			t.Errorf("%+v", r)
		}
		if _, here := keys[r.Key]; here {
			own++
		}
	}
	t.Logf("%d references, %d of them to the regulation itself", len(d.Refs), own)
	if own < 200 || len(d.Refs) < own+30 {
		t.Errorf("%d references, %d to itself", len(d.Refs), own)
	}
	has := map[string]bool{}
	for _, r := range d.Refs {
		has[fmt.Sprint(d.Passages[r.From].Key, " -> ", r.Key)] = true
	}
	for _, want := range []string{"12 CFR 1002.1(a) -> 12 CFR 1002.2(l)", "12 CFR 1002.1(a) -> 15 U.S.C. 1601"} {
		if !has[want] {
			t.Errorf("no %s", want)
		}
	}
}
