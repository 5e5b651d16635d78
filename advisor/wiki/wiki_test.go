package wiki

import (
	"slices"
	"strings"
	"testing"

	"polaris/models"
	"polaris/models/fault"
)

// rules is a corpus of two documents that define a term each, and both one.
func rules() *models.Corpus {
	const a = "Definitions\n\nConsumer report means a report on a consumer; see RB 2.\n\nConsumer means a person.\n\nDuties\n\nWho uses consumer reports tells the consumers."
	at := strings.Index
	passage := func(text, s, key string, kind models.PassageKind, parent int) models.Passage {
		return models.Passage{Key: key, Locator: "§ " + key[3:], Kind: kind, Parent: parent, Start: at(text, s), End: at(text, s) + len(s), SpanEnd: at(text, s) + len(s)}
	}
	da := models.Doc{
		Source:   models.Source{ID: "a", Code: "RA", Title: "Rules\nof A", OriginURL: "https://a.example"},
		Revision: models.Revision{N: 2, Text: a},
		Passages: []models.Passage{
			passage(a, "Definitions", "RA 1", models.Section, -1),
			passage(a, "Consumer report means a report on a consumer; see RB 2.", "RA 1.1", models.Paragraph, 0),
			passage(a, "Consumer means a person.", "RA 1.2", models.Paragraph, 0),
			passage(a, "Duties", "RA 2", models.Section, -1),
			passage(a, "Who uses consumer reports tells the consumers.", "RA 2.1", models.Paragraph, 3),
		},
		Terms: []models.Term{{Name: "consumer report", Ordinal: 1}, {Name: "consumer", Ordinal: 2}},
		Refs:  []models.Reference{{From: 1, Key: "RB 2", Start: at(a, "RB 2"), End: at(a, "RB 2") + 4}, {From: 1, Key: "RB 9", Start: at(a, "RB 2"), End: at(a, "RB 2") + 4}},
	}
	const b = "A consumer is anyone.\n> really"
	db := models.Doc{
		Source:   models.Source{ID: "b", Code: "RB", Title: "Rules of A"},
		Revision: models.Revision{N: 1, Text: b},
		Passages: []models.Passage{passage(b, b, "RB 2", models.Paragraph, -1)},
		Terms:    []models.Term{{Name: "Consumer", Ordinal: 0}, {Name: "broken", Ordinal: 9}},
	}
	return &models.Corpus{Brain: "b", Docs: []models.Doc{da, db}, Cards: []models.TopicCard{{ID: "t", Label: "Consumer", Covers: "Who is one.", Anchors: []string{"RA 1.2", "RA 9"}}}}
}

func build() *Wiki {
	c := rules()
	resolve := func(key string) (out []Place) {
		for d := range c.Docs {
			for i, p := range c.Docs[d].Passages {
				if p.Key == key {
					out = append(out, Place{d, i})
				}
			}
		}
		return out
	}
	return New(c, resolve, func(_ int, x *models.Reference) []Place { return resolve(x.Key) })
}

func TestIndexNamesEveryArticleOnce(t *testing.T) {
	t.Parallel()
	w := build()
	var got []string
	for _, c := range w.Index() {
		for _, title := range c.Titles {
			got = append(got, c.Name+": "+title)
			if a, _, err := w.Article(title); err != nil || a.Title != title || a.Category != c.Name || a.Sources == nil || a.Related == nil {
				t.Errorf("%q leads to %+v, %v", title, a, err)
			}
		}
	}
	want := []string{"Sources: Rules of A", "Sources: Rules of A (RB)", "Defined terms: consumer", "Defined terms: consumer report", "Topics: Consumer (topic)"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := New(&models.Corpus{}, nil, nil).Index(); got == nil || len(got) != 0 {
		t.Errorf("an empty wiki has index %v", got)
	}
}

func TestTermArticle(t *testing.T) {
	t.Parallel()
	a, _, err := build().Article("CONSUMER REPORT")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"> Consumer report means a report on a consumer; see RB 2.\n", "**Rules of A**, § 1.1", "Refers to RB 2.", "## Used in\n\n§ 2.1"} {
		if !strings.Contains(a.Markdown, want) {
			t.Errorf("the article lacks %q:\n%s", want, a.Markdown)
		}
	}
	if !slices.Equal(a.Related, []string{"consumer"}) || !slices.Equal(a.Sources, []string{"Rules of A"}) {
		t.Errorf("related %q, sources %q", a.Related, a.Sources)
	}
	both, _, _ := build().Article("consumer")
	if !strings.Contains(both.Markdown, "> Consumer means a person.") || !strings.Contains(both.Markdown, "> A consumer is anyone.\n> > really\n") {
		t.Errorf("a term of two documents:\n%s", both.Markdown)
	}
}

func TestTopicArticle(t *testing.T) {
	t.Parallel()
	a, _, err := build().Article("consumer (topic)")
	if err != nil || !strings.Contains(a.Markdown, "> Consumer means a person.") || !strings.Contains(a.Markdown, "**RA 9** is not in this version.") {
		t.Errorf("%v\n%+v", err, a)
	}
}

func TestUnknownTitleOffersTheNearest(t *testing.T) {
	t.Parallel()
	a, near, err := build().Article("consumr reprt")
	if a != nil || !fault.Is(err, fault.NotFound) || len(near) == 0 || near[0] != "consumer report" {
		t.Errorf("got %v, %q, %v", a, near, err)
	}
	for _, title := range []string{"", "\x00", strings.Repeat("é", 10_000), "zzzz"} {
		if _, near, err := build().Article(title); err == nil || near == nil {
			t.Errorf("%.20q: %q, %v", title, near, err)
		}
	}
}

func TestMentioned(t *testing.T) {
	t.Parallel()
	w := build()
	for text, want := range map[string][]string{
		"Consumer reports on a consumer":  {"consumer report", "consumer"},
		"the consumers' reports":          {"consumer"},
		"consumerism":                     nil,
		"A CONSUMER\nREPORT":              {"consumer report"},
		"consumer, then: consumer report": {"consumer", "consumer report"},
	} {
		if got := w.Mentioned(text, 0); !slices.Equal(got, want) {
			t.Errorf("Mentioned(%q) = %q, want %q", text, got, want)
		}
	}
	if got := w.Mentioned("consumer report, consumer", 1); len(got) != 1 {
		t.Errorf("asked for 1, got %q", got)
	}
}
