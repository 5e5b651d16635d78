package ops_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// TestToolResultsAreBounded publishes a brain with more cards, titles and text
// than a client's model reads in one result. Tools cut, say what, and name
// where the whole is; other surfaces have the whole.
func TestToolResultsAreBounded(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	const sections, cards = 8, 160
	var doc strings.Builder
	doc.WriteString("# House Rules\n")
	anchors := make([]string, sections)
	for i := range sections {
		fmt.Fprintf(&doc, "\n## %d Section\n", i+1)
		for p := range 5 {
			fmt.Fprintf(&doc, "\n(%c) %s\n", 'a'+p, strings.Repeat("The <late> fee & the “other” fee are due. ", 36))
		}
		anchors[i] = fmt.Sprintf("HR %d", i+1)
	}
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(doc.String())})
	label := func(i int) string { return fmt.Sprintf("Card %03d ", i) + strings.Repeat("w", 190) }
	for i := range cards {
		must(t, d, c, ops.SaveCard, ops.SaveCardIn{ID: fmt.Sprintf("c-%03d", i), Label: label(i), Covers: "covers " + strings.Repeat("<", 1_900), Anchors: anchors})
	}
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	_, key := keyOf(t, d, c)
	at := func(via ops.Surface) ops.Call { return ops.Call{By: key, Brain: key.Brain, Via: via} }
	const base = "http://polaris.test/v1/brains/calliope/"

	type result struct {
		ops.WikiPage
		Topics []models.Topic
		text   string
	}
	read := func(via ops.Surface, out interface{ Text() string }) (r result) {
		t.Helper()
		raw, err := json.Marshal(out)
		if err == nil {
			err = json.Unmarshal(raw, &r)
		}
		if err != nil {
			t.Fatal(err)
		}
		r.text = out.Text()
		if via == ops.REST || via == ops.Web {
			if r.Notice != "" {
				t.Errorf("%s: a notice: %s", via, r.Notice)
			}
			return r
		}
		if len(r.text) > 30_000 || len(raw) > 50_000 || !utf8.ValidString(r.text) {
			t.Errorf("%s: %d bytes of text, %d of data", via, len(r.text), len(raw))
		}
		if len(r.text) < 5_000 && len(raw) < 30_000 {
			t.Errorf("%s: cut to %d bytes of text, %d of data", via, len(r.text), len(raw))
		}
		if r.Notice == "" || !strings.Contains(r.text, r.Notice) {
			t.Errorf("%s: the notice %q is not in the text", via, r.Notice)
		}
		return r
	}
	for _, via := range []ops.Surface{ops.Hosted, ops.Stdio, ops.REST, ops.Web} {
		cut := via == ops.Hosted || via == ops.Stdio

		l := read(via, must(t, d, at(via), ops.TopicCards, ops.None{}))
		want := fmt.Sprintf("%d of %d topic cards are shown; all are at %stopic-cards", len(l.Topics), cards, base)
		if (len(l.Topics) < cards) != cut || cut && l.Notice != want {
			t.Errorf("%s: %d cards, %q, want %q", via, len(l.Topics), l.Notice, want)
		}

		p := read(via, must(t, d, at(via), ops.ReadWiki, ops.ReadWikiIn{}))
		n := 0
		for _, c := range p.Categories {
			n += len(c.Titles)
			if len(c.Titles) == 0 {
				t.Errorf("%s: no title of %s", via, c.Name)
			}
		}
		if (n < cards) != cut || cut && (!strings.HasPrefix(p.Notice, fmt.Sprintf("%d of %d titles", n, cards+1)) || !strings.HasSuffix(p.Notice, base+"wiki")) {
			t.Errorf("%s: %d titles, %q", via, n, p.Notice)
		}

		a := read(via, must(t, d, at(via), ops.ReadWiki, ops.ReadWikiIn{Entity: label(7)}))
		if whole := len(a.Markdown) > sections*5*1_000; whole == cut {
			t.Errorf("%s: %d bytes of an article, %q", via, len(a.Markdown), a.Notice)
		}
		if cut && (!strings.HasPrefix(a.Notice, fmt.Sprintf("This article is cut: %d of ", len(a.Markdown))) || !strings.HasSuffix(a.Notice, base+"wiki/"+url.PathEscape(label(7))) || !strings.HasSuffix(a.Markdown, "due.\n")) {
			t.Errorf("%s: %q, and the text ends with %q", via, a.Notice, a.Markdown[len(a.Markdown)-80:])
		}
	}

	small := must(t, d, at(ops.Hosted), ops.ReadWiki, ops.ReadWikiIn{Entity: "House Rules"})
	if small.Notice != "" {
		t.Errorf("an article that fits has a notice: %s", small.Notice)
	}
}
