package cite

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// written lists ways of writing a citation, and the canonical form of each.
var written = []struct{ in, want string }{
	{"12 CFR 1002.9(a)(1)", "12 CFR 1002.9(a)(1)"},
	{"12 C.F.R. § 1002.9(a)(1)", "12 CFR 1002.9(a)(1)"},
	{"12 C. F. R. §1002.9 (a) (1)", "12 CFR 1002.9(a)(1)"},
	{"12 cfr 1002.9(a)(1).", "12 CFR 1002.9(a)(1)"},
	{"12\u00a0CFR\u00a0§\u00a01002.9(a)(1)", "12 CFR 1002.9(a)(1)"},
	{"“12 CFR 1002.9(a)(1)”", "12 CFR 1002.9(a)(1)"},
	{"  12 CFR  1002.9,  ", "12 CFR 1002.9"},
	{"12 CFR part 1002", "12 CFR 1002"},
	{"12 CFR Part 1002", "12 CFR 1002"},
	{"12 CFR 1002", "12 CFR 1002"},
	{"part 1002", "part 1002"},
	{"title 12, CFR, part 1002", "12 CFR 1002"},
	{"title 12, section 1002.9", "12 CFR 1002.9"},
	{"§ 1002.9(a)(1)", "1002.9(a)(1)"},
	{"§1002.9", "1002.9"},
	{"Section 1002.9", "1002.9"},
	{"SEC. 1002.9(a)", "1002.9(a)"},
	{"1002.9(a)(1)", "1002.9(a)(1)"},
	{"Reg B § 1002.9", "1002.9"},
	{"Reg. B, § 1002.9(a)", "1002.9(a)"},
	{"Regulation B section 1002.9(a)", "1002.9(a)"},
	{"15 U.S.C. § 1681m(a)", "15 U.S.C. 1681m(a)"},
	{"15 USC 1681m(a)", "15 U.S.C. 1681m(a)"},
	{"15 U.S.C. 1681m(a)", "15 U.S.C. 1681m(a)"},
	{"15 U. S. C. sec. 1681m(a)", "15 U.S.C. 1681m(a)"},
	{"15 U.S.C.A. § 1681m", "15 U.S.C. 1681m"},
	{"section 1681m(a) of title 15", "15 U.S.C. 1681m(a)"},
	{"section 1681m(a) of title 15, United States Code", "15 U.S.C. 1681m(a)"},
	{"section 1002.9(a) of title 12 of the Code of Federal Regulations", "12 CFR 1002.9(a)"},
	{"title 15 U.S.C. 1681m(a)", "15 U.S.C. 1681m(a)"},
	{"title 15, section 1681m(a)", "15 U.S.C. 1681m(a)"},
	{"§ 1681m(a)", "1681m(a)"},
	{"1681m", "1681m"},
	{"1681c–1", "1681c-1"},
	{"1681c-1", "1681c-1"},
	{"15 U.S.C. 1681c—1(a)( o )", "15 U.S.C. 1681c-1(a)(o)"},
	{"1681c‑1(b)", "1681c-1(b)"},
	{"30101(4)", "30101(4)"},
	{"30101", "30101"},
	{"52 U.S.C. 30101(4)", "52 U.S.C. 30101(4)"},
	{"702.6a", "702.6a"},
	{"17 CFR 240.10b-5", "17 CFR 240.10b-5"},
	{"42 U.S.C. 300aa-1", "42 U.S.C. 300aa-1"},
	{"comment 9(a)(1)-1", "comment 9(a)(1)-1"},
	{"Comment 1002.9(a)(1)-1", "comment 1002.9(a)(1)-1"},
	{"official comment 9(a)(1)–1.iii.", "comment 9(a)(1)-1.iii"},
	{"12 CFR 1002 comment 9(a)(1)-1.iii", "12 CFR 1002 comment 9(a)(1)-1.iii"},
	{"12 CFR part 1002, comment 9(a)(1)-1.iii", "12 CFR 1002 comment 9(a)(1)-1.iii"},
	{"12 CFR part 1002, Supp. I, comment 9(a)(1)-1", "12 CFR 1002 comment 9(a)(1)-1"},
	{"comment 2(c)-1", "comment 2(c)-1"},
	{"comment 9(a)(1)", "comment 9(a)(1)"},
	{"comment 3-1", "comment 3-1"},
	{"comment 4(a)-2.i.A", "comment 4(a)-2.i.A"},
	{"comment C-1", "comment C-1"},
	{"12 CFR 1002 comment Intro-2", "12 CFR 1002 comment Intro-2"},
	{"12 CFR 1002 comment B-1", "12 CFR 1002 comment B-1"},
	{"Supplement I to Part 1002", "part 1002 supplement I"},
	{"12 CFR 1002 supplement I", "12 CFR 1002 supplement I"},
	{"appendix C", "appendix C"},
	{"Appendix C to Part 1002", "part 1002 appendix C"},
	{"App. C to 12 CFR part 1002", "12 CFR 1002 appendix C"},
	{"12 CFR part 1002, app. C", "12 CFR 1002 appendix C"},
	{"appendix C-1", "appendix C-1"},
	{"appendix A, item 2.a", "appendix A item 2.a"},
	{"12 CFR 1002 appendix A item 2.a", "12 CFR 1002 appendix A item 2.a"},
	{"Form C-1", "appendix C form C-1"},
	{"Model Form C-1", "appendix C form C-1"},
	{"12 CFR 1002, Form C–10", "12 CFR 1002 appendix C form C-10"},
	{"12 CFR 1002 appendix C form C-1 ¶7", "12 CFR 1002 appendix C form C-1 ¶7"},
	{"HB 4.2(a)", "HB 4.2(a)"},
	{"HB-4.2(a)", "HB 4.2(a)"},
	{"HB–4.2(a)", "HB 4.2(a)"},
	{"HB § 4.2(a)", "HB 4.2(a)"},
	{"hb 4.2(a)", "HB 4.2(a)"},
	{"LH-2-4.2", "LH-2 4.2"},
	{"LH-2 4.2", "LH-2 4.2"},
	{"4.2(a)", "4.2(a)"},
	{"4.2.1(a)(i)", "4.2.1(a)(i)"},
	{"HB § Lending › Fees ¶3", "HB § Lending › Fees ¶3"},
	{"HB § Lending > Fees ¶ 3", "HB § Lending › Fees ¶3"},
	{"HB § Lending › Fees", "HB § Lending › Fees"},
	{"HB § 2024 fees ¶1", "HB § 2024 fees ¶1"},
	{"Lending › Fees ¶2", "§ Lending › Fees ¶2"},
	{"HB p. 12 ¶2", "HB p. 12 ¶2"},
	{"HB p.12", "HB p. 12"},
	{"HB ¶4", "HB ¶4"},
	{"12 CFR 1002.2 ¶1", "12 CFR 1002.2 ¶1"},
	{"15 U.S.C. 1681a(w) #2", "15 U.S.C. 1681a(w) #2"},

	{"", ""},
	{"hello", ""},
	{"the fee is 4.2 percent", ""},
	{"12 CFR", ""},
	{"§", ""},
	{"§ 1002.9 and § 1002.10", ""},
	{"1002.9(a creditor)", ""},
	{"CFR", ""},
	{strings.Repeat("1", 2000), ""},

	// Found by fuzzing: what is cleaned away must not change what is read.
	{"A§0000000 >¶1", "A § 0000000 ¶1"},
	{"A§0\f#", "A 0"},
	{"#0 0¶1", "§ 0 0 ¶1"},
	{"A§\xd0¶1", "A § \ufffd ¶1"},
	{"Comment 0.0A0", ""},
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range written {
		r, err := Parse(tt.in)
		if tt.want == "" {
			if err == nil {
				t.Errorf("Parse(%q) = %q, want an error", tt.in, r)
			}
			continue
		}
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.in, err)
			continue
		}
		if got := r.String(); got != tt.want {
			t.Errorf("Parse(%q) = %q, want %q (%+v)", tt.in, got, tt.want, r)
		}
		if again, err := Parse(r.String()); err != nil || again != r {
			t.Errorf("Parse(%q) = %+v, %v; want %+v", r, again, err, r)
		}
	}
}

// TestRoundTrip generates keys of every kind.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		r := generate(rnd)
		got, err := Parse(r.String())
		if err != nil || got != r {
			t.Fatalf("Parse(%q) = %+v, %v; want %+v", r, got, err, r)
		}
		if !got.Matches(r) || !got.Contains(r) || Compare(got, r) != 0 || got.Tail() != r.Tail() {
			t.Fatalf("%q is not itself", r)
		}
	}
}

// generate returns a random key.
func generate(rnd *rand.Rand) Ref {
	pick := func(ss ...string) string { return ss[rnd.IntN(len(ss))] }
	n := func(most int) string { return itoa(rnd.IntN(most) + 1) }
	levels := func(most int) string {
		s := ""
		for range rnd.IntN(most + 1) {
			s += "(" + pick("a", "b", "i", "iv", "x", "aa", "A", "B", "I", n(30)) + ")"
		}
		return s
	}
	path := func() string {
		s := n(12)
		for range rnd.IntN(3) {
			s += "." + pick("i", "iii", "A", "B", n(9))
		}
		return s
	}
	cfr := func(r Ref) Ref {
		if rnd.IntN(3) > 0 {
			r.Title, r.System = n(50), CFR
		}
		return r
	}
	var r Ref
	switch rnd.IntN(10) {
	case 0:
		r = cfr(Ref{Kind: Part, Number: n(2000)})
	case 1:
		r = cfr(Ref{Number: n(2000) + "." + n(80) + pick("", "", "a"), Paras: levels(5)})
	case 2:
		r = Ref{Title: n(50), System: USC, Number: n(9000) + pick("", "a", "aa", "c-1", "s-2"), Paras: levels(5)}
	case 3:
		r = cfr(Ref{Kind: Comment, Number: n(2000) + "." + n(80), Paras: levels(4), Path: pick("", path())})
	case 4:
		r = cfr(Ref{Kind: Comment, Letter: pick("A", "C", "Intro"), Number: n(2000), Path: pick("", path())})
	case 5:
		r = cfr(Ref{Kind: Appendix, Letter: pick("A", "C", "MS"), Number: pick("", n(2000))})
		if r.Number == "" {
			r.Title, r.System = "", ""
		}
		if r.Unit = pick("", "item", "form", "-"); r.Unit == "form" {
			r.Item = n(20) + pick("", "A")
		} else if r.Unit != "" {
			r.Unit = strings.Trim(r.Unit, "-")
			r.Item = path()
		}
	case 6:
		r = cfr(Ref{Kind: Supplement, Letter: "I", Number: n(2000)})
	case 7:
		r = Ref{Code: pick("HB", "LH", "LH-2", "A"), Number: n(9) + "." + n(20) + pick("", ".1"), Paras: levels(3)}
	case 8:
		r = Ref{Code: pick("HB", "FEES"), Heading: pick("Lending", "Lending › Fees", "2024 fees › Über uns", "Ärger (alt)")}
	case 9:
		r = Ref{Code: pick("HB", "FEES"), Page: n(900)}
	}
	if rnd.IntN(3) == 0 {
		r.Block = rnd.IntN(40) + 1
	}
	if rnd.IntN(8) == 0 {
		r.Nth = rnd.IntN(4) + 1
	}
	return r
}

func FuzzParse(f *testing.F) {
	for _, tt := range written {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := Parse(s)
		if err != nil {
			return
		}
		again, err := Parse(r.String())
		if err != nil || again != r {
			t.Fatalf("Parse(%q) = %+v = %q, which parses to %+v, %v", s, r, r, again, err)
		}
		if !r.Matches(again) || Compare(r, again) != 0 {
			t.Fatalf("%q does not match itself", r)
		}
		_ = r.Locator()
	})
}
