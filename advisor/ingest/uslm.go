package ingest

import (
	"regexp"
	"strconv"
	"strings"

	"polaris/advisor/ingest/form"
)

// Elements of United States Legislative Markup that have a number and others
// below them.
var uslmLevels = map[string]bool{
	"subsection": true, "paragraph": true, "subparagraph": true, "clause": true, "subclause": true, "item": true, "subitem": true, "subsubitem": true,
}

// uslmDivisions are those above sections.
var uslmDivisions = map[string]int{
	"title": 1, "subtitle": 2, "division": 2, "chapter": 3, "subchapter": 4, "part": 5, "subpart": 6, "article": 6, "appendix": 1,
}

// uslmAside are elements that are no provisions.
var uslmAside = map[string]bool{"meta": true, "toc": true, "note": true, "notes": true, "footnote": true, "num": true, "heading": true, "sidenote": true, "page": true}

var uslmIdentifier = regexp.MustCompile(`^/us/(usc|cfr)/t(\d+)(?:/.*)?/s([0-9A-Za-z.–-]+)`)

// A uslmReader turns legislative markup into blocks that have their keys.
type uslmReader struct {
	doc    *form.Document
	blocks map[string]int // unnumbered blocks below a key
	left   int            // notes that were left out
}

// readUSLM reads a law in United States Legislative Markup.
func readUSLM(root *element) *form.Document {
	r := &uslmReader{doc: &form.Document{MediaType: "application/xml", Language: "en"}, blocks: map[string]int{}}
	r.doc.Title = root.first("meta", "title").words()
	r.doc.Found = form.Characters(root.words())
	r.walk(root)
	if r.left > 0 {
		r.doc.Warnings = append(r.doc.Warnings, "Editorial notes were left out: "+strconv.Itoa(r.left)+".")
	}
	return r.doc
}

func (r *uslmReader) walk(e *element) {
	for _, k := range e.kids {
		level, division := uslmDivisions[k.name]
		switch {
		case k.name == "note" || k.name == "notes":
			r.left++
		case uslmAside[k.name]:
		case k.name == "section":
			r.section(k)
		case division:
			if head := join(k.first("num").words(), k.first("heading").words()); head != "" {
				r.doc.Blocks = append(r.doc.Blocks, form.Block{Kind: form.Heading, Level: level, Text: head})
			}
			r.walk(k)
		case k.name != "":
			r.walk(k)
		}
	}
}

func join(a, b string) string { return strings.TrimSpace(a + " " + b) }

// section reads a section and what is below it.
func (r *uslmReader) section(e *element) {
	key := ""
	if m := uslmIdentifier.FindStringSubmatch(e.attrs["identifier"]); m != nil {
		system := " U.S.C. "
		if m[1] == "cfr" {
			system = " CFR "
		}
		key = strings.TrimLeft(m[2], "0") + system + dashes.Replace(m[3])
	}
	r.doc.Blocks = append(r.doc.Blocks, form.Block{Kind: form.Heading, Level: 7, Key: key, Text: join(e.first("num").words(), e.first("heading").words())})
	r.below(e, key, 1)
}

// below reads the text in a provision, and the provisions below it.
func (r *uslmReader) below(e *element, key string, depth int) {
	for _, k := range e.kids {
		switch {
		case k.name == "note" || k.name == "notes":
			r.left++
		case uslmAside[k.name]:
		case uslmLevels[k.name]:
			r.provision(k, key, depth)
		case k.name == "":
			r.loose(k.text, key)
		default:
			r.loose(k.words(), key)
		}
	}
}

// provision reads a numbered paragraph. What it says before its own paragraphs is
// its text.
func (r *uslmReader) provision(e *element, above string, depth int) {
	num := e.first("num").words()
	mark := e.first("num").attrs["value"]
	if mark == "" {
		mark = strings.Trim(num, "()—. ")
	}
	b := form.Block{Kind: form.Item, Level: depth, Number: strings.TrimRight(num, "— "), Text: e.first("heading").words()}
	if above != "" && mark != "" {
		b.Key = above + "(" + mark + ")"
	}
	rest := &element{}
	said := false
	for _, k := range e.kids {
		switch {
		case !said && (k.name == "chapeau" || k.name == "content" || k.name == "text"):
			b.Text = join(b.Text, k.words())
			said = true
		default:
			said = said || uslmLevels[k.name]
			rest.kids = append(rest.kids, k)
		}
	}
	r.doc.Blocks = append(r.doc.Blocks, b)
	r.below(rest, b.Key, depth+1)
}

// loose adds text that has no number of its own.
func (r *uslmReader) loose(text, key string) {
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return
	}
	b := form.Block{Text: text}
	if key != "" {
		r.blocks[key]++
		b.Key = key + " ¶" + strconv.Itoa(r.blocks[key])
	}
	r.doc.Blocks = append(r.doc.Blocks, b)
}
