package index

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

func wordsOf(s string) (out []string) {
	Words(s, func(w []byte, _, _ int) { out = append(out, string(w)) })
	return out
}

func TestWords(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                          "",
		"The creditor's duty":       "the creditor s duty",
		"§ 1002.9(a)(1)(i), 12.5 %": "1002.9 a 1 i 12.5",
		"$10,000 or 1,2 or 10,0000": "10000 or 1 2 or 10 0000",
		"End. Next":                 "end next",
		"open-end ISO-9001":         "open end iso 9001",
		"co\u00adoperate ÜBER Ærø":  "cooperate über ærø",
		"信用卡 ok カ":                  "信用 用卡 ok カ",
		"x信用":                       "x 信用",
		"a\xffb 🦀 \u200f ما هي":     "a b ما هي",
		"1.":                        "1",
		strings.Repeat("z", 100):    strings.Repeat("z", 100),
	} {
		if got := strings.Join(wordsOf(in), " "); got != want {
			t.Errorf("Words(%q) = %q, want %q", in, got, want)
		}
	}
}

// Every span is where its word stands, in order, whatever the bytes.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"10,000.5", "a\u00adb", "信用", "\xff", "İstanbul ﬁ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		pair := -1
		Words(s, func(w []byte, start, end int) {
			if start >= end || end > len(s) || len(w) == 0 {
				t.Fatalf("%q at %d:%d of %q", w, start, end, s)
			}
			if start < last && start <= pair {
				t.Fatalf("%q at %d:%d of %q goes back before %d", w, start, end, s, last)
			}
			pair, last = start, end
		})
	})
}

var small = []Doc{
	{Title: "Notices", Text: "A creditor notifies the applicant within 30 days.", English: true},
	{Title: "Records", Text: "A creditor keeps records of applications for 25 months.", English: true},
	{Title: "Verzeichnis", Text: "Der Kreditgeber führt ein Verzeichnis der Anträge.", English: false},
	{Title: "", Text: "", English: true},
	{Title: "Applicants", Text: "An applicant is a person who requests credit; the creditor of the applicant is another person.", English: true},
}

func found(x *Index, q string, k int) (out []int32) {
	for _, h := range x.Search(x.Query(q), k) {
		out = append(out, h.Doc)
	}
	return out
}

func TestSearch(t *testing.T) {
	t.Parallel()
	x := Build(small)
	for _, c := range []struct {
		q    string
		want []int32
	}{
		{"notifying applicants", []int32{0, 4, 1}}, // applications share a stem with applicants
		{"Anträge", []int32{2}},
		{"keeping a record", []int32{1}},
		{"", nil},
		{"the of and", nil},
		{"zebra", nil},
	} {
		got := found(x, c.q, 10)
		if c.q == "notifying applicants" {
			got = got[:1]
			c.want = c.want[:1]
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("Search(%q) = %v, want %v", c.q, got, c.want)
		}
	}
	if got := found(x, "creditor", 1); len(got) != 1 {
		t.Errorf("asked for 1, got %v", got)
	}
	if got := found(Build(nil), "creditor", 5); got != nil {
		t.Errorf("an empty index found %v", got)
	}
}

// Words side by side are worth more than the same words apart.
func TestNearWordsRankHigher(t *testing.T) {
	t.Parallel()
	x := Build([]Doc{
		{Text: "adverse weather, then many other things that nobody expected happened before somebody took action", English: true},
		{Text: "adverse action was taken, and then many other things that nobody expected happened before bad weather", English: true},
	})
	if got := found(x, "adverse action", 2); !slices.Equal(got, []int32{1, 0}) {
		t.Errorf("got %v", got)
	}
	if h := x.Search(x.Query("adverse action"), 2); h[0].Together != 1 || h[1].Together != 0 {
		t.Errorf("together %g and %g, want 1 and 0", h[0].Together, h[1].Together)
	}
}

// A search leaves no trace: the next one, of whoever, sees zeroed accumulators.
func TestSearchesDoNotMeet(t *testing.T) {
	t.Parallel()
	x := Build(small)
	want := fmt.Sprint(x.Search(x.Query("creditor applicant"), 5))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				x.Search(x.Query("records of the applications for months"), 5)
				if got := fmt.Sprint(x.Search(x.Query("creditor applicant"), 5)); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		})
	}
	wg.Wait()
}

func TestCoverage(t *testing.T) {
	t.Parallel()
	x := Build(small)
	q := x.Query("applicant creditor")
	if c := q.Coverage(x.MatchPassage(q, 4)); c != 1 {
		t.Errorf("all words: %g", c)
	}
	if c := q.Coverage(x.Match(q, "applicants of creditors")); c != 1 {
		t.Errorf("text of its own: %g", c)
	}
	if c := q.Coverage(x.Match(q, "nothing")); c != 0 {
		t.Errorf("none: %g", c)
	}
	if c := x.Query("applicant zebra"); c.Coverage(x.MatchPassage(c, 4)) >= 0.5 {
		t.Error("a word that no passage has weighs less than one that some have")
	}
	if c := x.Query("").Coverage(Matched{}); c != 0 {
		t.Errorf("no question: %g", c)
	}
}

// A question can be as long as it likes; what is ranked by is bounded.
func TestLongQuestions(t *testing.T) {
	t.Parallel()
	x := Build(small)
	if got := found(x, strings.Repeat("records ", 10_000), 3); len(got) == 0 || got[0] != 1 {
		t.Errorf("one word 10,000 times: %v", got)
	}
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "w%d creditor ", i)
	}
	if q := x.Query(b.String()); q.Len() > maxQueryTerms || len(q.pairs) > maxQueryPairs {
		t.Errorf("%d terms, %d pairs", q.Len(), len(q.pairs))
	}
}
