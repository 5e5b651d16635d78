package demo

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"polaris/advisor/ingest"
)

var (
	heading = regexp.MustCompile(`^(#+) (?:(\d+(?:\.\d+)*) )?(.+)$`)
	letter  = regexp.MustCompile(`^\(([a-z])\) `)
	digit   = regexp.MustCompile(`^\((\d+)\) `)
	// A reference by heading has no end of its own, so all that follows in the
	// sentence is taken and held against the headings.
	reference = regexp.MustCompile(`\b(HB|SCORE|CP|FEES|REC|VC|GL|LV|EXP|SPK|INC) (§ [^.,;|]+|\d+(?:\.\d+)?(?:\([a-z0-9]+\))*)`)
)

// outline reads a document's keys by the plain rules of its structure. It
// knows nothing of the importer, so the two check each other. Tables count as
// one passage.
func outline(doc Document) (keys []string, passages int) {
	var section, sub, under string
	place := 0
	for _, block := range strings.Split(string(doc.Data), "\n\n") {
		block = strings.TrimSpace(block)
		if h := heading.FindStringSubmatch(block); h != nil {
			section, sub, place, under = h[2], "", 0, doc.Code
			if section != "" {
				keys = append(keys, doc.Code+" "+section)
			} else if len(h[1]) > 1 {
				under = doc.Code + " § " + h[3]
				keys = append(keys, under)
			}
			continue
		}
		passages++
		switch l, d := letter.FindStringSubmatch(block), digit.FindStringSubmatch(block); {
		case l != nil:
			sub = l[1]
			keys = append(keys, fmt.Sprintf("%s %s(%s)", doc.Code, section, sub))
		case d != nil:
			keys = append(keys, fmt.Sprintf("%s %s(%s)(%s)", doc.Code, section, sub, d[1]))
		case section == "":
			place++
			keys = append(keys, fmt.Sprintf("%s ¶%d", under, place))
		}
	}
	return keys, passages
}

func allKeys(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, doc := range written() {
		keys, _ := outline(doc)
		all = append(all, keys...)
	}
	for _, doc := range Documents() {
		if strings.HasSuffix(doc.Name, ".md") {
			continue
		}
		got, err := ingest.Parse(doc.Data, ingest.Options{Name: doc.Name, Code: doc.Code})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range got.Passages {
			all = append(all, p.Key)
		}
	}
	return all
}

// written are the documents that are Markdown, the one in the draft included.
func written() (docs []Document) {
	for _, doc := range append(Documents(), Incidents()) {
		if strings.HasSuffix(doc.Name, ".md") {
			docs = append(docs, doc)
		}
	}
	return docs
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	total := 0
	for _, doc := range written() {
		if !strings.HasPrefix(string(doc.Data), "# "+doc.Title+"\n") {
			t.Errorf("%s does not begin with its title %q", doc.Name, doc.Title)
		}
		keys, n := outline(doc)
		total += n
		slices.Sort(keys)
		for i := 1; i < len(keys); i++ {
			if keys[i] == keys[i-1] {
				t.Errorf("%s: key %s occurs twice", doc.Name, keys[i])
			}
		}
	}
	for _, doc := range Documents() {
		if strings.HasSuffix(doc.Name, ".md") {
			continue
		}
		got, err := ingest.Parse(doc.Data, ingest.Options{Name: doc.Name, Code: doc.Code})
		if err != nil || len(got.Passages) == 0 {
			t.Fatalf("%s: %v, %+v", doc.Name, err, got)
		}
		total += len(got.Passages)
	}
	if n := len(Documents()); n < 12 || total < 150 {
		t.Errorf("got %d documents and %d passages, want at least 12 and 150", n, total)
	}
}

func TestCrossReferencesLead(t *testing.T) {
	t.Parallel()
	keys := allKeys(t)
	seen := 0
	for _, doc := range written() {
		for _, ref := range reference.FindAllString(string(doc.Data), -1) {
			seen++
			leads := func(k string) bool {
				return k == ref || strings.Contains(k, "§") && strings.HasPrefix(ref, k+" ")
			}
			if !slices.ContainsFunc(keys, leads) {
				t.Errorf("%s refers to %s, which does not exist", doc.Name, ref)
			}
		}
	}
	if seen < 40 {
		t.Errorf("found %d cross-references, want at least 40", seen)
	}
}

func TestCardsAndQuestions(t *testing.T) {
	t.Parallel()
	keys := allKeys(t)
	cards := Cards()
	ids := map[string]bool{}
	if len(cards) != 4 {
		t.Fatalf("got %d cards, want 4", len(cards))
	}
	for _, card := range cards {
		ids[card.ID] = true
		if card.BrainID != Brain || card.Label == "" || card.Covers == "" || len(card.Anchors) == 0 {
			t.Errorf("card %q is not complete: %+v", card.ID, card)
		}
		for _, a := range card.Anchors {
			if !slices.Contains(keys, a) {
				t.Errorf("card %q is anchored on %s, which does not exist", card.ID, a)
			}
		}
	}
	q := Examples()
	if len(q.Answerable) < 8 || len(q.Unanswerable) < 4 {
		t.Errorf("got %d answerable and %d unanswerable questions, want 8 and 4", len(q.Answerable), len(q.Unanswerable))
	}
	for _, question := range q.Answerable {
		for _, k := range question.Keys {
			if !slices.Contains(keys, k) {
				t.Errorf("%q expects %s, which does not exist", question.Text, k)
			}
		}
		for _, id := range question.Topics {
			if !ids[id] {
				t.Errorf("%q names topic %s, which does not exist", question.Text, id)
			}
		}
	}
}

// The importer has to find each key that the plain rules find: cards and
// questions name them.
func TestImporterAgrees(t *testing.T) {
	t.Parallel()
	for _, doc := range written() {
		got, err := ingest.Parse(doc.Data, ingest.Options{Name: doc.Name, Code: doc.Code})
		if err != nil {
			t.Fatalf("%s: %v", doc.Name, err)
		}
		if got.Title != doc.Title || len(got.Warnings) > 0 {
			t.Errorf("%s: got title %q and warnings %q, want %q and none", doc.Name, got.Title, got.Warnings, doc.Title)
		}
		has := map[string]bool{}
		for _, p := range got.Passages {
			table, _, _ := strings.Cut(p.Key, " #") // its rows are #1, #2 of it
			has[p.Key], has[table] = true, true
		}
		keys, _ := outline(doc)
		for _, k := range keys {
			if !has[k] {
				t.Errorf("%s: the importer has no %s", doc.Name, k)
			}
		}
	}
}
