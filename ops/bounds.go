package ops

import (
	"fmt"
	"net/url"
	"sort"
	"strings"
	"unicode/utf8"

	"polaris/models"
)

// What one result of a tool may hold, in bytes: clients put what is larger into
// a file that their model never opens, or cut it themselves without a word. The
// text is under 30 KB, and the whole, which says the same twice, under 100 KB.
// Surfaces whose readers are people or programs get the whole.
const (
	mostText  = 30_000 - 1_000 // what is left is for the notice
	mostData  = 48_000
	mostNames = 6_000 // of an article's sources, and of what is related to it
)

// forModels reports whether a result of c is read by a client's model.
func (c Call) forModels() bool { return c.Via&(Hosted|Stdio) != 0 }

// A room is what is left of the bounds.
type room struct{ text, data int }

// take reports whether so much fits, and takes it.
func (r *room) take(text, data int) bool {
	if text > r.text || data > r.data {
		return false
	}
	r.text, r.data = r.text-text, r.data-data
	return true
}

// inJSON returns how long s is as a JSON string, and never less.
func inJSON(s string) int {
	n := len(s) + len(`"",`)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r':
			n++
		case c < ' ' || c == '<' || c == '>' || c == '&':
			n += 5
		case c == 0xE2: // may open U+2028 or U+2029
			n += 3
		}
	}
	return n
}

func allInJSON(list []string) (n int) {
	for _, s := range list {
		n += inJSON(s)
	}
	return n
}

// cut returns the list with as many cards as fit, and a notice of the others,
// which are at the address.
func (l TopicList) cut(at string) TopicList {
	r := room{mostText, mostData}
	for i, t := range l.Topics {
		text := len(t.ID) + len(t.Label) + len(t.Covers) + 100
		for _, a := range t.Anchors {
			text += len(a) + 2
		}
		if !r.take(text, inJSON(t.ID)+inJSON(t.Label)+inJSON(t.Covers)+allInJSON(t.Anchors)+100) {
			l.Notice = both(l.Notice, fmt.Sprintf("%d of %d topic cards are shown; all are at %s", i, len(l.Topics), at))
			l.Topics = l.Topics[:i]
			break
		}
	}
	return l
}

// cutIndex returns the index with as many titles of each category as fit, and
// a notice of the others, which are at the address.
func (p WikiPage) cutIndex(at string) WikiPage {
	all, most := 0, 0
	for _, c := range p.Categories {
		all += len(c.Titles)
		most = max(most, len(c.Titles))
	}
	fits := func(k int) bool {
		r := room{mostText, mostData}
		for _, c := range p.Categories {
			if !r.take(len(c.Name)+4, inJSON(c.Name)+30) {
				return false
			}
			for _, t := range c.Titles[:min(k, len(c.Titles))] {
				if !r.take(len(t)+3, inJSON(t)) {
					return false
				}
			}
		}
		return true
	}
	if fits(most) {
		return p
	}
	k := sort.Search(most, func(k int) bool { return !fits(k + 1) })
	shown, cats := 0, make([]models.WikiCategory, len(p.Categories))
	for i, c := range p.Categories {
		n := min(k, len(c.Titles))
		cats[i], shown = models.WikiCategory{Name: c.Name, Titles: c.Titles[:n]}, shown+n
	}
	p.Categories = cats
	p.Notice = both(p.Notice, fmt.Sprintf("%d of %d titles are shown: the first %d of each category at most. Any article can be read by its title; all titles are at %s", shown, all, k, at))
	return p
}

// cutArticle returns the article with as many paragraphs and names as fit, and
// a notice of what was cut, which is at the address.
func (p WikiPage) cutArticle(at string) WikiPage {
	var cuts []string
	names := func(list []string, what string) []string {
		r := room{mostNames, mostNames}
		for i, s := range list {
			if n := inJSON(s); !r.take(n, n) {
				cuts = append(cuts, fmt.Sprintf("%d of %d %s", i, len(list), what))
				return list[:i]
			}
		}
		return list
	}
	p.Sources, p.Related = names(p.Sources, "sources"), names(p.Related, "related titles")
	whole := len(p.Markdown)
	p.Markdown = firstParagraphs(p.Markdown, room{mostText, mostData - 2*mostNames})
	if len(p.Markdown) < whole {
		cuts = append([]string{fmt.Sprintf("%d of %d bytes of the text", len(p.Markdown), whole)}, cuts...)
	}
	if cuts != nil {
		p.Notice = both(p.Notice, "This article is cut: "+strings.Join(cuts, ", ")+" are shown. The whole is at "+at)
	}
	return p
}

// firstParagraphs returns s up to the last paragraph that fits; of one that is
// too long alone, the lines or else the words that fit.
func firstParagraphs(s string, r room) string {
	end, data := min(len(s), r.text), 0
	for i := range end {
		if data += inJSON(s[i:i+1]) - len(`"",`); data > r.data {
			end = i
			break
		}
	}
	if end == len(s) {
		return s
	}
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	last := func(between string) int { return strings.LastIndex(s[:end], between) }
	for _, i := range []int{max(last("\n\n"), last("\n> \n")), last("\n"), last(" ")} {
		if i > end/2 {
			return strings.TrimRight(s[:i], "\n ") + "\n"
		}
	}
	return s[:end]
}

// wikiURL returns the address of an article, or of the index: that of REST,
// which leads a browser to the page.
func (d *Desk) wikiURL(b models.BrainID, title string) string {
	at := d.Settings.PublicURL + "/v1/brains/" + string(b) + "/wiki"
	return strings.TrimSuffix(at+"/"+url.PathEscape(title), "/")
}

// both is two notices in one.
func both(a, b string) string { return strings.TrimSpace(a + " " + b) }

// withNotice puts a notice behind a text.
func withNotice(text, notice string) string {
	if notice == "" {
		return text
	}
	return strings.TrimRight(text, "\n") + "\n\n" + notice + "\n"
}
