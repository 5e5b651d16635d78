package advisor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"polaris/advisor"
	"polaris/advisor/ingest"
	"polaris/advisor/retrieve"
	"polaris/models"
)

// policies are forty handbooks that each have a 4.2(a) and ten texts without any
// numbering, some of them alike.
func policies(t *testing.T) *models.Corpus {
	t.Helper()
	c := &models.Corpus{Brain: "house", Version: 1}
	add := func(name, code, text string) {
		d, err := ingest.Parse([]byte(text), ingest.Options{Name: name, Code: code})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		c.Docs = append(c.Docs, models.Doc{
			Source: models.Source{ID: "src_" + strings.ToLower(d.Code), Code: d.Code, Title: d.Title}, Revision: models.Revision{N: 1, Text: d.Text}, Passages: d.Passages, Terms: d.Terms, Refs: d.Refs,
		})
	}
	for i := range 40 {
		code := fmt.Sprintf("P%02d", i)
		switch i % 3 {
		case 0:
			add(code+".md", code, fmt.Sprintf("# Policy %d\n\n## 4 Decisions\n\n### 4.2 Declining\n\nIn writing.\n\n(a) Tell the applicant of branch %d.\n\n(b) Say why.\n", i, i))
		case 1:
			add(code+".html", code, fmt.Sprintf("<!DOCTYPE html><title>Policy %d</title><main><h1>Policy %d</h1><h2>4 Decisions</h2><p>4.2 The lender declines:<p>(a) Tell the applicant of branch %d.<p>(b) Say why.<table><tr><th>Fee<th>Amount<tr><td>Late<td>$%d</table></main>", i, i, i, i))
		default:
			add(code+".txt", code, fmt.Sprintf("POLICY %d\n\n4.2 Declining an application\n\n(a) Tell the applicant of branch %d.\n\n(b) Say why.\n", i, i))
		}
	}
	for i := range 10 {
		code := fmt.Sprintf("U%02d", i)
		if i%2 == 0 {
			add(code+".md", code, fmt.Sprintf("# Notes %d\n\nBefore anything.\n\n## Fees\n\nNone here.\n\n### Exceptions\n\nFew.\n\n## Fees\n\nAgain, none in branch %d.\n\n- one\n- two\n", i, i))
			continue
		}
		add(code+".txt", code, fmt.Sprintf("the fee is due on the first day of the month in branch %d.\n\nit is not due on holidays.\f\nno fee is due later,\nwhatever is said elsewhere.\n", i))
	}
	return c
}

// TestEveryPassageCanBeAnchored holds that each passage is named by its key and
// nothing else is, and that a number that forty documents have stands for all of
// them.
func TestEveryPassageCanBeAnchored(t *testing.T) {
	t.Parallel()
	c := policies(t)
	find := retrieve.New(c)
	passages := 0
	for d, doc := range c.Docs {
		for p, ps := range doc.Passages {
			passages++
			refs := find.Key(ps.Key)
			if len(refs) != 1 || refs[0] != (retrieve.Ref{Doc: d, Passage: p}) {
				t.Errorf("%q in %s names %v", ps.Key, doc.Source.Code, refs)
			}
		}
	}
	for _, number := range []string{"4.2(a)", "4.2(b)", "4.2"} {
		refs := find.Key(number)
		named := map[string]bool{}
		for _, r := range refs {
			named[find.Passage(r).Key] = true
		}
		if len(refs) != 40 || len(named) != 40 {
			t.Errorf("%s stands for %d passages with %d keys, want 40", number, len(refs), len(named))
		}
	}
	t.Logf("%d documents, %d passages", len(c.Docs), passages)
	for i := range c.Docs { // a card may stand on any of them
		for _, ps := range c.Docs[i].Passages {
			if len(c.Cards) < 50 && len(ps.Key)%3 == i%3 {
				c.Cards = append(c.Cards, models.TopicCard{ID: fmt.Sprintf("c%d", len(c.Cards)), Label: "L", Covers: "C", Anchors: []string{ps.Key}})
			}
		}
	}
	e, err := advisor.Build(c, advisor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range e.Topics() {
		if topic.UnsupportableAnchors > 0 {
			t.Errorf("%s cannot stand on %q", topic.ID, topic.Anchors)
		}
	}
	found, _, _ := find.Named("What does 4.2(a) require?")
	env := e.Answer(t.Context(), advisor.Question{Text: "What does 4.2(a) require?"})
	cited := map[string]bool{}
	for _, c := range env.Citations {
		cited[c.Key] = strings.HasSuffix(c.Key, " 4.2(a)") && strings.Contains(c.Quote, "(a) Tell the applicant of branch ")
	}
	left := fmt.Sprintf("%d further provisions were named and left out.", 40-len(cited))
	if len(found) != 40 || len(cited) < 20 || !slices.Contains(env.Notices, left) {
		t.Errorf("%d passages named, %d cited, notices %q; want all of them or %q", len(found), len(cited), env.Notices, left)
	}
	for key, ok := range cited {
		if !ok {
			t.Errorf("%s was cited", key)
		}
	}
}
