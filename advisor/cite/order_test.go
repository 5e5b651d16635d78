package cite

import (
	"bufio"
	"cmp"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"polaris/internal/testdata"
)

func must(tb testing.TB, s string) Ref {
	tb.Helper()
	r, err := Parse(s)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestCompare(t *testing.T) {
	t.Parallel()
	want := []string{
		"1 CFR 5",
		"12 CFR 1002",
		"12 CFR 1002.2", "12 CFR 1002.2 ¶1", "12 CFR 1002.2(a)", "12 CFR 1002.2(b)", "12 CFR 1002.2(i)", "12 CFR 1002.2(v)", "12 CFR 1002.2(z)", "12 CFR 1002.2(aa)",
		"12 CFR 1002.10", "12 CFR 1002.10(a)(1)(ii)", "12 CFR 1002.10(a)(1)(v)", "12 CFR 1002.10(a)(1)(ix)", "12 CFR 1002.10(a)(1)(ix)(A)", "12 CFR 1002.10(a)(1)(ix)(I)", "12 CFR 1002.10(a)(2)", "12 CFR 1002.10(a)(10)",
		"12 CFR 1002 appendix A", "12 CFR 1002 appendix A item 2", "12 CFR 1002 appendix A item 2.a", "12 CFR 1002 appendix A item 10", "12 CFR 1002 appendix C",
		"12 CFR 1002 supplement I",
		"12 CFR 1002 comment Intro-1",
		"12 CFR 1002 comment 9", "12 CFR 1002 comment 9-1", "12 CFR 1002 comment 9(a)", "12 CFR 1002 comment 9(a)-1.v", "12 CFR 1002 comment 9(a)-1.ix", "12 CFR 1002 comment 9(a)-2", "12 CFR 1002 comment 9(a)(1)-1",
		"12 CFR 1002 comment 10-1",
		"12 CFR 1002 comment C-1",
		"12 CFR 1026.2",
		"15 U.S.C. 1681", "15 U.S.C. 1681a", "15 U.S.C. 1681c", "15 U.S.C. 1681c-1", "15 U.S.C. 1681c-2", "15 U.S.C. 1681d", "15 U.S.C. 1681d(a)(1)(C)", "15 U.S.C. 1681d(a)(1)(C)(v)(II)", "15 U.S.C. 1681d(a)(1)(C)(v)(V)", "15 U.S.C. 1681d(a)(1)(I)", "15 U.S.C. 1681aa",
		"HB 4.2", "HB 4.2.1", "HB 4.10",
		"LH p. 9", "LH p. 10", "LH § Fees ¶2", "LH § Fees ¶10",
	}
	refs := make([]Ref, len(want))
	for i, s := range want {
		refs[i] = must(t, s)
	}
	for i, a := range refs {
		for j, b := range refs {
			if got := Compare(a, b); got != cmp.Compare(i, j) {
				t.Errorf("Compare(%q, %q) = %d", a, b, got)
			}
		}
	}
}

// TestCompareOrders checks on random keys that Compare is a total order.
func TestCompareOrders(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		a, b, c := generate(rnd), generate(rnd), generate(rnd)
		if rnd.IntN(2) == 0 { // near each other
			b, c = a, a
			b.Paras, c.Paras = "(a)(1)"+generate(rnd).Paras, "(a)(1)"+generate(rnd).Paras
		}
		if Compare(a, b) != -Compare(b, a) {
			t.Fatalf("%q and %q", a, b)
		}
		if Compare(a, b) <= 0 && Compare(b, c) <= 0 && Compare(a, c) > 0 {
			t.Fatalf("%q ≤ %q ≤ %q", a, b, c)
		}
	}
}

func TestContains(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		r, k string
		want bool
	}{
		{"702.6", "12 CFR 702.6(a)", true},
		{"702.6", "12 CFR 702.6a", true},
		{"702.6", "12 CFR 702.6 ¶1", true},
		{"702.6", "12 CFR 702.60", false},
		{"702.6", "12 CFR 702.60(a)", false},
		{"702.6(a)", "12 CFR 702.6(a)(1)", true},
		{"702.6(a)", "12 CFR 702.6(aa)", false},
		{"12 CFR 702.6", "15 CFR 702.6(a)", false},
		{"1681", "15 U.S.C. 1681a", false},
		{"1681c", "15 U.S.C. 1681c-1", false},
		{"HB 4", "HB 4.2(a)", true},
		{"HB 4.2", "HB 4.20", false},
		{"HB 4.2", "LH 4.2(a)", false},
		{"12 CFR 1002", "12 CFR 1002.9(a)", true},
		{"12 CFR 1002", "12 CFR 1002 comment 9(a)-1", true},
		{"12 CFR 1002", "12 CFR 1002 appendix C", true},
		{"12 CFR 100", "12 CFR 1002.9", false},
		{"part 1002", "15 U.S.C. 1002", false},
		{"12 CFR 1002 supplement I", "12 CFR 1002 comment 9(a)-1", true},
		{"12 CFR 1002 supplement I", "12 CFR 1002.9", false},
		{"1002.9", "12 CFR 1002 comment 9(a)-1", false},
		{"comment 9(a)", "12 CFR 1002 comment 9(a)(1)-1", true},
		{"comment 9(a)-1", "12 CFR 1002 comment 9(a)-1.i", true},
		{"comment 9(a)-1", "12 CFR 1002 comment 9(a)-10", false},
		{"comment 9(a)-1", "12 CFR 1002 comment 9(a)(1)-1", false},
		{"comment 1003.9(a)", "12 CFR 1002 comment 9(a)-1", false},
		{"appendix C", "12 CFR 1002 appendix C form C-1 ¶3", true},
		{"appendix C-1", "12 CFR 1002 appendix C form C-1 ¶3", true},
		{"Form C-1", "12 CFR 1002 appendix C form C-10", false},
		{"HB § Lending", "HB § Lending › Fees ¶3", true},
		{"HB § Lend", "HB § Lending › Fees ¶3", false},
		{"HB p. 1", "HB p. 12", false},
		{"HB p. 12", "HB p. 12 ¶1", true},
	} {
		if got := must(t, tt.r).Contains(must(t, tt.k)); got != tt.want {
			t.Errorf("%q contains %q: got %v", tt.r, tt.k, got)
		}
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		r, k string
		want bool
	}{
		{"§ 1002.9(a)(1)", "12 CFR 1002.9(a)(1)", true},
		{"12 cfr 1002.9(A)(1)", "12 CFR 1002.9(a)(1)", true},
		{"1002.9", "12 CFR 1002.9(a)", false},
		{"section 1681m(a) of title 15", "15 U.S.C. 1681m(a)", true},
		{"section 1681m(a) of title 16", "15 U.S.C. 1681m(a)", false},
		{"comment 9(a)(1)-1", "12 CFR 1002 comment 9(a)(1)-1", true},
		{"Comment 1002.9(a)(1)-1", "12 CFR 1002 comment 9(a)(1)-1", true},
		{"Comment 1003.9(a)(1)-1", "12 CFR 1002 comment 9(a)(1)-1", false},
		{"appendix C", "12 CFR 1002 appendix C", true},
		{"Appendix C to Part 1003", "12 CFR 1002 appendix C", false},
		{"appendix C-1", "12 CFR 1002 appendix C item 1", true},
		{"appendix C-1", "12 CFR 1002 appendix C form C-1", true},
		{"Form C-1", "12 CFR 1002 appendix C item 1", false},
		{"part 1002", "12 CFR 1002", true},
		{"4.2(a)", "HB 4.2(a)", true},
		{"hb-4.2(a)", "HB 4.2(a)", true},
		{"LH 4.2(a)", "HB 4.2(a)", false},
		{"702.6", "12 CFR 702.60", false},
		{"1681a(w)", "15 U.S.C. 1681a(w) #2", true},
		{"1681a(w) #1", "15 U.S.C. 1681a(w) #2", false},
		{"LENDING > fees ¶2", "HB § Lending › Fees ¶2", true},
	} {
		r, k := must(t, tt.r), must(t, tt.k)
		if got := r.Matches(k); got != tt.want {
			t.Errorf("%q matches %q: got %v", tt.r, tt.k, got)
		}
		if tt.want && r.Tail() != k.Tail() {
			t.Errorf("%q matches %q, but the tails are %q and %q", tt.r, tt.k, r.Tail(), k.Tail())
		}
	}
}

// TestNeighbours takes every key of two real laws: no way of writing one names
// another, and containment is what the documents' own trees say.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	keys := realKeys(t)
	t.Logf("%d keys", len(keys))
	refs := make([]Ref, len(keys))
	for i, k := range keys {
		refs[i] = must(t, k)
		if refs[i].String() != k {
			t.Errorf("Parse(%q) = %q", k, refs[i])
		}
	}
	for i, k := range refs {
		bare := k.Bare()
		for j, o := range refs {
			if got := k.Matches(o); got != (i == j) {
				t.Fatalf("%q matches %q: %v", k, o, got)
			}
			if got := bare.Matches(o); got != (i == j) {
				t.Fatalf("%q matches %q: %v", bare, o, got)
			}
			below := i == j || strings.HasPrefix(keys[j], keys[i]+"(") ||
				k.Kind == Comment && k.Path == "" && strings.HasPrefix(keys[j], keys[i]+"-") ||
				k.Path != "" && strings.HasPrefix(keys[j], keys[i]+".")
			if got := k.Contains(o); got != below {
				t.Fatalf("%q contains %q: %v", k, o, got)
			}
		}
	}
	if !slices.IsSortedFunc(refs[:300], Compare) {
		t.Error("the sections of the regulation are not in their own order")
	}
}

// realKeys returns the keys of a regulation with its comments, and the sections
// and subsections of a statute.
func realKeys(tb testing.TB) []string {
	dir := filepath.Join(testdata.Dir(tb), "regs")
	f, err := os.Open(filepath.Join(dir, "reg-b-12cfr1002.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var keys []string
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var node struct{ Label, Key string }
		if err := json.Unmarshal(sc.Bytes(), &node); err != nil {
			tb.Fatal(err)
		}
		if k := keyOf(node.Label, node.Key); k != "" {
			keys = append(keys, k)
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "fcra-15usc1681.md"))
	if err != nil {
		tb.Fatal(err)
	}
	section := ""
	for _, m := range regexp.MustCompile(`(?m)^## § (\S+)\.|^#+ (\([a-z]+\))`).FindAllStringSubmatch(string(b), -1) {
		if m[1] != "" {
			section = "15 U.S.C. " + strings.ReplaceAll(m[1], "–", "-")
		}
		keys = append(keys, section+m[2])
	}
	return keys
}

// keyOf turns a label such as 1002-9-a-1-Interp-1-i into the key of a comment.
func keyOf(label, key string) string {
	if !strings.Contains(label, "-Interp") {
		if regexp.MustCompile(`^12 CFR 1002\.\d+`).MatchString(key) {
			return key
		}
		return ""
	}
	group, path, _ := strings.Cut(strings.TrimPrefix(label, "1002-"), "-Interp")
	levels := strings.Split(group, "-")
	if group == "Interp" || strings.HasPrefix(group, "Interp") || strings.Contains(path, "-c") {
		return ""
	}
	k := "12 CFR 1002 comment " + levels[0]
	for _, l := range levels[1:] {
		k += "(" + l + ")"
	}
	if path != "" {
		k += "-" + strings.ReplaceAll(path[1:], "-", ".")
	}
	return k
}
