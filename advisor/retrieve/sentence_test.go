package retrieve

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{" \n\n ", nil},
		{"One. Two! Three?", []string{"One.", "Two!", "Three?"}},
		{"See 15 U.S.C. 1681 et seq. The rule holds.", []string{"See 15 U.S.C. 1681 et seq.", "The rule holds."}},
		{"Under Pub. L. 100-86, 101 Stat. 552. It goes on.", []string{"Under Pub. L. 100-86, 101 Stat. 552.", "It goes on."}},
		{"No. 5 applies, e.g. here. Acme Inc. is not liable. Is it?", []string{"No. 5 applies, e.g. here.", "Acme Inc. is not liable.", "Is it?"}},
		{"1. Scope. The rule applies.", []string{"1. Scope.", "The rule applies."}},
		{"(a)(1) General. B. Second item.", []string{"(a)(1) General.", "B. Second item."}},
		{"iv. A lender acts. v. Another does.", []string{"iv. A lender acts. v. Another does."}},
		{"This is Regulation B. The Act is another.", []string{"This is Regulation B.", "The Act is another."}},
		{"He said “Stop.” Then he left.", []string{"He said “Stop.”", "Then he left."}},
		{"The rate is 3.25 percent. Ask at example.com. Then go.", []string{"The rate is 3.25 percent.", "Ask at example.com.", "Then go."}},
		{"First line\ngoes on. Second\n\nThird without a point", []string{"First line\ngoes on.", "Second", "Third without a point"}},
		{"Mr. J. Smith signed. Done...  Really.", []string{"Mr. J. Smith signed.", "Done...", "Really."}},
		{"Rates:\n| A | 5 |\n| --- | --- |\n| B. | 6 |", []string{"Rates:", "| A | 5 |", "| --- | --- |", "| B. | 6 |"}},
		{"the applicant, i.e. the person. (The end.)", []string{"the applicant, i.e. the person.", "(The end.)"}},
	} {
		var got []string
		for _, s := range Sentences(c.in) {
			got = append(got, c.in[s.Start:s.End])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("Sentences(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

// Sentences lose nothing but white space, and never cut a character.
func FuzzSentences(f *testing.F) {
	f.Add("One. Two (a) e.g. three.\n\nFour")
	f.Add("“Ä.” ß!? 1.2. \u2028x")
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		at := 0
		for _, sp := range Sentences(s) {
			if sp.Start < at || sp.End <= sp.Start || strings.TrimSpace(s[at:sp.Start]) != "" || !utf8.ValidString(s[sp.Start:sp.End]) {
				t.Fatalf("span %v of %q after %d", sp, s, at)
			}
			at = sp.End
		}
		if strings.TrimSpace(s[at:]) != "" {
			t.Fatalf("%q lost %q", s, s[at:])
		}
	})
}
