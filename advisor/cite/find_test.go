package cite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"polaris/internal/testdata"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"What does 12 CFR 1002.9(a)(1) say?", "12 CFR 1002.9(a)(1)!"},
		{"What does § 1002.9(a)(1) say?", "1002.9(a)(1)!"},
		{"what does 1002.9(a)(1) say?", "1002.9(a)(1)"},
		{"Compare §§ 1002.5 and 1002.6.", "1002.5! 1002.6!"},
		{"§§ 1002.9(a)(1) and (2)(i) of this part", "1002.9(a)(1)! 1002.9(a)(2)(i)!"},
		{"1002.9(a)(1)-(3)", "1002.9(a)(1) 1002.9(a)(2) 1002.9(a)(3)"},
		{"§ 1002.9(c)(2)(i) through (iii)", "1002.9(c)(2)(i)! 1002.9(c)(2)(ii)! 1002.9(c)(2)(iii)!"},
		{"12 CFR 1002.4(a) and (b)", "12 CFR 1002.4(a)! 12 CFR 1002.4(b)!"},
		{"12 CFR 1002.4(a), (b), and (c)", "12 CFR 1002.4(a)! 12 CFR 1002.4(b)! 12 CFR 1002.4(c)!"},
		{"12 CFR 1002.4(b), (1) first", "12 CFR 1002.4(b)!"},
		{"§ 1002.9(a)(1)(i) and (b)", "1002.9(a)(1)(i)! 1002.9(b)!"},
		{"§§ 1002.5 through 1002.8", "1002.5! 1002.6! 1002.7! 1002.8!"},
		{"§§ 1002.8–1002.11", "1002.8! 1002.9! 1002.10! 1002.11!"},
		{"15 U.S.C. 1681a–1681d", "15 U.S.C. 1681a! 15 U.S.C. 1681b! 15 U.S.C. 1681c! 15 U.S.C. 1681d!"},
		{"sections 1681n and 1681o of title 15", "15 U.S.C. 1681n! 15 U.S.C. 1681o!"},
		{"12 CFR parts 1002 and 1026", "12 CFR 1002! 12 CFR 1026!"},
		{"12 CFR 1002.4 and 15 U.S.C. 1681m", "12 CFR 1002.4! 15 U.S.C. 1681m!"},
		{"12 CFR part 1002, 15 U.S.C. 1681m", "12 CFR 1002! 15 U.S.C. 1681m!"},
		{"see section 1681m(a) of title 15.", "15 U.S.C. 1681m(a)!"},
		{"(15 U.S.C. 1601 et seq.)", "15 U.S.C. 1601!"},
		{"see comment 9(a)(1)-1.", "comment 9(a)(1)-1!"},
		{"comments 9(a)(1)-1 and -2", "comment 9(a)(1)-1! comment 9(a)(1)-2!"},
		{"comments 9(a)(1)-1 through -3", "comment 9(a)(1)-1! comment 9(a)(1)-2! comment 9(a)(1)-3!"},
		{"comments 2(c)(1)(ii)-1 and 2(d)-1", "comment 2(c)(1)(ii)-1! comment 2(d)-1!"},
		{"12 CFR 1002 comment 9(a)(1)-1.iii is", "12 CFR 1002 comment 9(a)(1)-1.iii!"},
		{"Use Form C-1 of appendix C to part 1002.", "appendix C form C-1! part 1002 appendix C!"},
		{"under HB 4.2(a) or HB-4.3", "HB 4.2(a)~ HB 4.3~"},
		{"HB 4.2 and 4.3", "HB 4.2~ HB 4.3~"},
		{"see HB § Lending › Fees ¶3 for that", "HB § Lending › Fees ¶3~"},
		{"see HB p. 12 ¶2 for that", "HB p. 12 ¶2~"},
		{"rule 4.2(a) says", "4.2(a)"},
		{"30101(4) defines", "30101(4)"},
		{"1681c–1 and 1681m(a)", "1681c-1 1681m(a)"},
		{"does 702.60 apply", "702.60"},
		{"Is it 1002.9? Or 1002.10!", "1002.9 1002.10"},
		{"Zeile\n12 CFR\n1002.9", "12 CFR 1002.9!"},
		{"über§ 1002.9", "1002.9!"},

		{"4.2 percent", ""},
		{"4.2% of it", ""},
		{"$1,002.90 and $ 4.20", ""},
		{"1,002.9 units", ""},
		{"on 12.05.2024 or 2024-05-12 or 5/12/2024", ""},
		{"version v1.2.3, go1.26", ""},
		{"mail 1002.9@example.org or a.1002.9@x.org", ""},
		{"http://x.org/1002.9/1002.9", ""},
		{"11002.9x9 1002.9abc x1002.9", ""},
		{"Public Law 111-203, 124 Stat. 1376", ""},
		{"ER21DE11.046", ""},
		{"the 2nd, 30 days, 1976 and 12", ""},
		{"subsection (a)(1) of it", ""},
	} {
		if got := render(tt.in, Find(tt.in)); got != tt.want {
			t.Errorf("Find(%q)\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

// render writes what was found: ! after a named citation, ~ after a coded one.
func render(text string, ms []Match) string {
	var out []string
	for _, m := range ms {
		out = append(out, m.Ref.String()+map[Strength]string{Named: "!", Coded: "~"}[m.Strength])
	}
	return strings.Join(out, " ")
}

func TestFindSpans(t *testing.T) {
	t.Parallel()
	text := "By §§ 1002.9(a)(1) and (2)(i), and 15 U.S.C. §\u00a01681m(a)."
	var got []string
	for _, m := range Find(text) {
		got = append(got, text[m.Start:m.End])
	}
	if want := "§§ 1002.9(a)(1)|(2)(i)|15 U.S.C. §\u00a01681m(a)"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzFind(f *testing.F) {
	for _, tt := range written {
		f.Add("See " + tt.in + " and (b), or 1002.10-(3).")
	}
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for _, m := range Find(s) {
			if m.Start < last || m.End < m.Start || m.End > len(s) {
				t.Fatalf("Find(%q): span %d–%d after %d", s, m.Start, m.End, last)
			}
			last = m.Start
			if r, err := Parse(m.Ref.String()); err != nil || r != m.Ref {
				t.Fatalf("Find(%q) has %+v = %q, which parses to %+v, %v", s, m.Ref, m.Ref, r, err)
			}
		}
	})
}

// TestFindGrowsWithTheText: four times the text takes about four times as long,
// in real text, in text without citations and in text made to be expensive. A
// step back for each citation would take sixteen. How long it takes at all, about
// 1 ms for the longest question at most, is for the benchmark to say.
func TestFindGrowsWithTheText(t *testing.T) {
	t.Parallel()
	best := func(text string) time.Duration {
		best := time.Hour
		for range 20 {
			start := time.Now()
			Find(text)
			best = min(best, time.Since(start))
		}
		return best
	}
	for name, text := range longTexts(t) {
		quarter, whole := best(text[:len(text)/4]), best(text)
		t.Logf("%s: %d bytes in %v", name, len(text), whole)
		if whole > time.Millisecond && whole > 12*quarter {
			t.Errorf("%s: %d bytes took %v, a quarter of them %v", name, len(text), whole, quarter)
		}
	}
}

func longTexts(tb testing.TB) map[string]string {
	b, err := os.ReadFile(filepath.Join(testdata.Dir(tb), "regs", "reg-b-12cfr1002.md"))
	if err != nil {
		tb.Fatal(err)
	}
	texts := map[string]string{"regulation": string(b[60000:68000])}
	for _, s := range []string{"the quick brown fox ", "§ ", "12 CFR ", "(a)", "1002.9(a)(1), ", "HB-", "A", "1.", "comment ", "HB § x ", "§ 1681a-1681z, ", "title 1 "} {
		texts[fmt.Sprintf("%q", s)] = strings.Repeat(s, 8000/len(s))
	}
	return texts
}

func BenchmarkFind(b *testing.B) {
	for name, text := range longTexts(b) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Find(text)
			}
		})
	}
}
