package ops_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"polaris/models/store"
	"polaris/ops"
)

// What the curator's pages ask for costs as many queries in a large brain as in a
// small one; how long each takes is told.
func TestCuratorsQueriesDoNotGrow(t *testing.T) {
	t.Parallel()
	n := &counted{}
	d, _ := newDesk(t, store.Options{Tracer: n})
	c, w := curator(t, d, "calliope")
	words := vocabulary()
	docs, each := rounds(12, 100), rounds(40, 1000)
	anchors := func(i int) []string {
		return []string{fmt.Sprintf("C%d 1(a)", i), fmt.Sprintf("C%d 2(a)", i), "C0 7(a)"}
	}
	grow := func(from, to int) {
		for i := from; i < to; i++ {
			must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "c.md", Title: fmt.Sprint("Chapter ", i), Code: fmt.Sprintf("C%d", i), Data: statute(words, i, each)})
			must(t, d, c, ops.SaveCard, ops.SaveCardIn{ID: fmt.Sprintf("card-%d", i), Label: fmt.Sprint("Card ", i), Covers: "what chapter says of fees", Anchors: anchors(i)})
		}
	}
	asked := []struct {
		name string
		do   func()
	}{
		{"sources.find", func() { must(t, d, w, ops.FindSources, ops.FindSourcesIn{}) }},
		{"sources.find by title", func() { must(t, d, w, ops.FindSources, ops.FindSourcesIn{Sort: "title", Text: "chapter"}) }},
		{"sources.find held", func() { must(t, d, w, ops.FindSources, ops.FindSourcesIn{State: "held"}) }},
		{"sources.read", func() { must(t, d, w, ops.ReadSource, ops.ReadSourceIn{Source: "C1", Key: "C1 30(a)"}) }},
		{"draft.history", func() { must(t, d, w, ops.ShowHistory, ops.HistoryIn{Source: "C1"}) }},
		{"topic_cards.list", func() { must(t, d, w, ops.ListCards, ops.Page{}) }},
		{"topic_cards.check", func() {
			must(t, d, w, ops.CheckCard, ops.CheckCardIn{ID: "card-1", Covers: "fees", Anchors: anchors(1)})
		}},
		{"topic_cards.check, lost", func() { must(t, d, w, ops.CheckCard, ops.CheckCardIn{Anchors: []string{"C1 99999(a)"}}) }},
		{"passages.find", func() { must(t, d, w, ops.FindPassages, ops.FindPassagesIn{Query: "c1 2"}) }},
		{"passages.find, nowhere", func() { must(t, d, w, ops.FindPassages, ops.FindPassagesIn{Query: "zzzz"}) }},
	}
	cost := func() map[string]int64 {
		all := map[string]int64{}
		for _, a := range asked {
			before := n.n.Load()
			a.do()
			all[a.name] = n.n.Load() - before
		}
		return all
	}
	grow(0, 3)
	few := cost()
	grow(3, docs)
	many := cost()
	passages := 0
	for page := (ops.Page{}); ; {
		l := must(t, d, w, ops.FindSources, ops.FindSourcesIn{Page: page})
		for _, s := range l.Sources {
			passages += s.Passages
		}
		if page.Cursor = l.NextCursor; page.Cursor == "" {
			break
		}
	}
	if l := must(t, d, w, ops.ListCards, ops.Page{}); len(l.Unsupportable) != 0 || passages < docs*each*9/10 {
		t.Fatalf("%d passages, of which %q are not there", passages, l.Unsupportable)
	}
	for _, a := range asked {
		var took []time.Duration
		for range 9 {
			began := time.Now()
			a.do()
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		t.Logf("%-26s %2d queries, p50 %v at %d passages", a.name, many[a.name], took[len(took)/2].Round(100*time.Microsecond), passages)
		if few[a.name] != many[a.name] || many[a.name] > 20 {
			t.Errorf("%s: %d queries with 3 sources, %d with %d", a.name, few[a.name], many[a.name], docs)
		}
	}
}

// statute is a document of so many passages, a third of them headings.
func statute(words []string, n, passages int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	var b strings.Builder
	fmt.Fprintf(&b, "# Chapter %d\n\n", n)
	for i := range passages / 3 {
		fmt.Fprintf(&b, "## %d Fees of %s\n\n", i+1, words[r.IntN(len(words))])
		for _, item := range "ab" {
			fmt.Fprintf(&b, "(%c) The fee is %d dollars where", item, i)
			for range 20 {
				b.WriteString(" " + words[r.IntN(len(words))])
			}
			b.WriteString(".\n\n")
		}
	}
	return []byte(b.String())
}

// A list of ten thousand sources is read through to its end by cursor, in every
// order, each source once.
func TestManySources(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c, w := curator(t, d, "calliope")
	all := rounds(60, 10_000)
	for i := range all {
		must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "c.md", Title: fmt.Sprint("Chapter ", i%7), Code: fmt.Sprintf("C%d", i), Data: fmt.Appendf(nil, "# C\n\nRule %d holds.\n", i)})
	}
	for _, sort := range []string{"code", "title", "added", "review"} {
		seen, longest, page := map[string]bool{}, time.Duration(0), ops.Page{Limit: 50}
		for {
			began := time.Now()
			l := must(t, d, w, ops.FindSources, ops.FindSourcesIn{Sort: sort, Page: page})
			longest = max(longest, time.Since(began))
			for _, s := range l.Sources {
				if seen[s.Code] {
					t.Fatalf("by %s: %s comes twice", sort, s.Code)
				}
				seen[s.Code] = true
			}
			if page.Cursor = l.NextCursor; page.Cursor == "" {
				break
			}
		}
		t.Logf("by %s: %d sources, longest page %v", sort, len(seen), longest.Round(100*time.Microsecond))
		if len(seen) != all {
			t.Errorf("by %s: %d of %d sources", sort, len(seen), all)
		}
	}
}
