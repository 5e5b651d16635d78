package ingest

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"polaris/advisor/cite"
	"polaris/models"
)

var (
	marked        = regexp.MustCompile("(?m)^(?:#{1,6}[ \t]+\\S|```|~~~|[ \t]*\\|?[ \t]*:?-{2,}:?[ \t]*\\|)")
	houseNumber   = regexp.MustCompile(`^(§+\s*|(?i:section|sec\.?|article|rule|clause)\s+)?(\d{1,4}(?:\.\d{1,3})*[a-z]?)((?:\([0-9A-Za-z]{1,5}\))*)([.:)])?(?:\s+(?:[-–—]\s*)?(.*))?$`)
	statuteNumber = regexp.MustCompile(`^(?:§+\s*|(?i:section|sec\.?)\s+)(\d[0-9A-Za-z.]*(?:[-–‑—]\d+[a-z]?)?)\.?(?:\s+(.*))?$`)
	numberedPara  = regexp.MustCompile(`^(\d{1,3}(?:\.\d{1,3})+)\.?[ \t]+["“*(]*\p{Lu}`)
)

// A region is a heading and the blocks up to the next one.
type region struct {
	head   *block // nil before the first heading
	blocks []block
}

// An open heading is one whose region, or one below it, is being read.
type openHeading struct {
	level int
	node  int
	title string
	ref   cite.Ref
}

// A textReader makes passages of the blocks of Markdown and plain text.
type textReader struct {
	tree
	text  string
	code  string
	law   cite.Ref // "15 U.S.C.", where the text is a statute
	order []style  // of its paragraphs
	open  []openHeading
}

// parseText reads Markdown, plain text, and statutes written so.
func parseText(text string, o Options) (*Document, error) {
	s := scanner{text: text, plain: !marked.MatchString(text)}
	s.scan()
	if s.plain {
		plainHeadings(text, s.blocks)
	}
	d := &Document{MediaType: "text/markdown", Text: text, Title: o.Title, Code: o.Code}
	if s.plain && !strings.EqualFold(path.Ext(o.Name), ".md") {
		d.MediaType = "text/plain"
	}
	if s.plain && strings.Contains(text, "\f") {
		d.Pages = strings.Count(strings.TrimRight(text, "\f \n"), "\f") + 1
		page, at := 1, 0
		for i := range s.blocks {
			page += strings.Count(text[at:s.blocks[i].start], "\f")
			s.blocks[i].page, at = page, s.blocks[i].start
		}
	}
	if err := d.structure(s.blocks, o); err != nil {
		return nil, err
	}
	if s.hidden > 0 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("Comments that readers do not see were left out: %d.", s.hidden))
	}
	return d, nil
}

// structure finds the title, the code and the passages of a document whose text
// consists of these blocks.
func (d *Document) structure(bs []block, o Options) error {
	r := &textReader{tree: *newTree(), text: d.Text}
	r.law, r.order = law(d.Text, o, bs)
	own, blocks := r.ownTitle(bs)
	if d.Title == "" {
		d.Title = own
	}
	if d.Title == "" {
		d.Title = r.title(o, bs)
	}
	if d.Code == "" {
		d.Code = Code(d.Title)
	}
	r.code = d.Code
	for _, g := range r.regions(blocks) {
		r.region(g)
	}
	var err error
	if d.Passages, err = r.passages(); err != nil {
		return err
	}
	d.Terms = terms(d.Text, d.Title, d.Passages)
	d.Warnings = append(d.Warnings, r.warn...)
	return nil
}

// plainHeadings finds the headings of a text that does not mark them: short
// lines that stand alone and do not end as sentences do.
func plainHeadings(text string, bs []block) {
	for i := range bs {
		b := &bs[i]
		t := text[b.start:b.end]
		if b.kind != paragraph || len(t) > 100 || strings.Contains(t, "\n") || i == len(bs)-1 || strings.ContainsAny(t[len(t)-1:], ".,;:!?") {
			continue
		}
		first, _ := utf8.DecodeRuneInString(t)
		m := houseNumber.FindStringSubmatch(t)
		switch {
		case m != nil && m[5] != "" && unicode.IsUpper([]rune(m[5])[0]) && !bs[i+1].dots:
			b.kind, b.level = title, 2+strings.Count(m[2], ".")
			b.marks, b.ends, b.dots = nil, nil, false
		case b.marks != nil:
		case strings.ToUpper(t) == t && unicode.IsUpper(first):
			b.kind, b.level = title, 1
		case unicode.IsUpper(first) && len(strings.Fields(t)) <= 8:
			b.kind, b.level = title, 2
		}
	}
}

// law tells whether the text is a statute or a regulation whose sections have
// headings of their own, and how they are cited.
func law(text string, o Options, bs []block) (cite.Ref, []style) {
	headed := false
	for _, b := range bs {
		headed = headed || b.kind == title && statuteNumber.MatchString(text[b.start:b.end])
	}
	if !headed {
		return cite.Ref{}, nil
	}
	for _, from := range []string{o.Cites, stem(o.Name), o.Title, firstTitle(text, bs)} {
		if base, ok := lawIn(from); ok {
			if base.System == cite.CFR {
				return base, regulationOrder
			}
			return base, statuteOrder
		}
	}
	return cite.Ref{}, nil
}

var lawName = regexp.MustCompile(`(?i)(?:^|[^0-9A-Za-z])(\d{1,2})[\s_-]*(u\.?\s?s\.?\s?c|c\.?\s?f\.?\s?r)(?:[^a-z]|$)`)

// lawIn finds "15 U.S.C." in a setting, a title or a file's name.
func lawIn(s string) (cite.Ref, bool) {
	m := lawName.FindStringSubmatch(s)
	if m == nil {
		return cite.Ref{}, false
	}
	system := cite.USC
	if m[2][0]|0x20 == 'c' {
		system = cite.CFR
	}
	return cite.Ref{Title: strings.TrimLeft(m[1], "0"), System: system}, strings.Trim(m[1], "0") != ""
}

func firstTitle(text string, bs []block) string {
	for _, b := range bs {
		if b.kind == title {
			return text[b.start:b.end]
		}
	}
	return ""
}

// ownTitle returns the document's title, if its first heading stands above all
// others, and the blocks without it: it is nothing that could be cited.
func (r *textReader) ownTitle(bs []block) (string, []block) {
	if len(bs) < 2 || bs[0].kind != title || bs[0].marks != nil {
		return "", bs
	}
	for _, b := range bs[1:] {
		if b.kind == title && b.level <= bs[0].level {
			return "", bs
		}
	}
	t := r.plainText(bs[0])
	if t == "" || houseNumber.MatchString(t) || r.law.Title != "" && statuteNumber.MatchString(t) {
		return "", bs
	}
	return t, bs[1:]
}

// title finds a title elsewhere: a statute's from its name and sections, else
// from the first heading, else from the file's name.
func (r *textReader) title(o Options, bs []block) string {
	name := strings.TrimSpace(strings.NewReplacer("_", " ", "-", " ").Replace(stem(o.Name)))
	if r.law.Title != "" {
		var first, last string
		for _, b := range bs {
			if m := statuteNumber.FindStringSubmatch(r.text[b.start:b.end]); b.kind == title && m != nil {
				if last = strings.TrimRight(m[1], "."); first == "" {
					first = last
				}
			}
		}
		t := r.law.Title + " " + r.law.System + " " + first
		if last != first {
			t += "–" + last
		}
		if k := lawName.FindStringIndex(name); k != nil && strings.TrimSpace(name[:k[0]]) != "" {
			return strings.ToUpper(strings.TrimSpace(name[:k[0]])) + " (" + t + ")" // fcra-15usc1681
		}
		return t
	}
	if t := strings.Trim(firstTitle(r.text, bs), "*_` "); t != "" {
		return t
	}
	if name != "" {
		return strings.ToUpper(name[:1]) + name[1:]
	}
	return "Untitled"
}

// plainText returns a heading without emphasis.
func (r *textReader) plainText(b block) string {
	return strings.Join(strings.Fields(strings.Trim(r.text[b.start:b.end], "*_` \t")), " ")
}

// regions groups the blocks. A heading that is a numbered paragraph, "(a) In
// general", does not begin a region of its own below a numbered section, and a
// paragraph that begins "4.2 The lender" does.
func (r *textReader) regions(bs []block) []region {
	var out []region
	cur := region{}
	numbered := false
	for i := range bs {
		b := &bs[i]
		para := r.law.Title == "" && b.kind == paragraph && b.marks == nil && (b.number != "" || numberedPara.MatchString(r.text[b.start:b.end]))
		if b.kind != title && !para || b.kind == title && numbered && b.marks != nil {
			cur.blocks = append(cur.blocks, *b)
			continue
		}
		if cur.head != nil || len(cur.blocks) > 0 {
			out = append(out, cur)
		}
		cur = region{head: b}
		_, numbered = r.numberOf(b)
	}
	return append(out, cur)
}

// numberOf returns the ref of a numbered heading or paragraph.
func (r *textReader) numberOf(b *block) (cite.Ref, bool) {
	if b.number != "" && r.law.Title == "" {
		ref := cite.Ref{Code: r.code}
		ref.Number, ref.Paras = b.number, ""
		if k := strings.IndexByte(b.number, '('); k > 0 {
			ref.Number, ref.Paras = b.number[:k], b.number[k:]
		}
		return ref, r.code == "" || readsBack(ref)
	}
	if b.kind == paragraph {
		ref := cite.Ref{Code: r.code, Number: numberedPara.FindStringSubmatch(r.text[b.start:b.end])[1]}
		return ref, r.code == "" || readsBack(ref)
	}
	t := r.plainText(*b)
	if r.law.Title != "" {
		if m := statuteNumber.FindStringSubmatch(t); m != nil {
			ref := r.law
			ref.Number = dashes.Replace(strings.TrimRight(m[1], "."))
			return ref, readsBack(ref)
		}
		return cite.Ref{}, false
	}
	m := houseNumber.FindStringSubmatch(t)
	if m == nil {
		return cite.Ref{}, false
	}
	dotted := strings.Contains(m[2], ".")
	if m[1] == "" && !dotted && (len(m[2]) > 3 || m[4] == "" && (m[5] == "" || !unicode.IsUpper([]rune(m[5])[0]))) {
		return cite.Ref{}, false // a year, or "3 ways to pay"
	}
	ref := cite.Ref{Code: r.code, Number: m[2], Paras: m[3]}
	return ref, r.code == "" || readsBack(ref)
}

var dashes = strings.NewReplacer("–", "-", "—", "-", "‑", "-")

// region adds the passages of a region.
func (r *textReader) region(g region) {
	if g.head == nil {
		r.loose(g.blocks, -1, cite.Ref{Code: r.code})
		return
	}
	h, level := g.head, g.head.level
	if h.kind == paragraph {
		level = 100 + r.deep(h)
	}
	for len(r.open) > 0 && r.open[len(r.open)-1].level >= level {
		r.open = r.open[:len(r.open)-1]
	}
	parent, above := -1, cite.Ref{Code: r.code}
	var titles []string
	for _, o := range r.open {
		parent, above = o.node, o.ref
		titles = append(titles, o.title)
	}
	n := node{kind: models.Section, parent: parent, start: h.start, end: h.end, page: h.page}
	ref, numbered := r.numberOf(h)
	if h.kind == paragraph {
		n.kind = models.Paragraph
	} else {
		n.title = r.plainText(*h)
	}
	if !numbered {
		ref = heading(r.code, append(titles, n.title))
	}
	n.ref = ref
	if ref == (cite.Ref{Code: r.code}) || h.start == h.end { // a heading that says nothing
		ref, n.ref = above, r.block(above)
	}
	at := r.add(n)
	r.open = append(r.open, openHeading{level, at, n.title, ref})
	if numbered {
		r.numbered(g.blocks, at, ref)
	} else {
		r.loose(g.blocks, at, ref)
	}
}

// deep returns how many levels the number of a numbered paragraph has.
func (r *textReader) deep(b *block) int {
	number := b.number
	if number == "" {
		number = numberedPara.FindStringSubmatch(r.text[b.start:b.end])[1]
	}
	return strings.Count(number, ".") + strings.Count(number, "(")
}

// loose adds blocks that are counted below a heading. The items of a list that
// is numbered like a list are one passage together, as those of any other list.
func (r *textReader) loose(bs []block, parent int, ref cite.Ref) {
	for i := 0; i < len(bs); i++ {
		b := bs[i]
		for b.dots && i+1 < len(bs) && bs[i+1].dots && bs[i+1].end-b.start < MaxPassage/4 {
			i++
			b.end = bs[i].end
		}
		r.put(b, parent, ref)
	}
}

// put adds a block below a heading, in pieces where it is too long for one
// passage.
func (r *textReader) put(b block, parent int, ref cite.Ref) {
	n := node{kind: models.Paragraph, parent: parent, page: b.page}
	if b.kind == table {
		n.kind = models.Table
	}
	if n.page > 0 && ref == (cite.Ref{Code: r.code}) { // nothing but its page says where it stands
		ref.Page = strconv.Itoa(n.page)
		n.locator = "p. " + ref.Page
	}
	if b.rows != nil {
		r.table(b, n, ref)
		return
	}
	for _, p := range pieces(r.text, b.start, b.end) {
		n.ref, n.start, n.end = r.block(ref), p[0], p[1]
		r.add(n)
	}
}

// table adds a table, and its rows below it. The table has the number of one
// block; its header is #1 of it and its rows are those after, so that a row more
// changes no other key, and the number alone names the whole.
func (r *textReader) table(b block, n node, ref cite.Ref) {
	ref = r.block(ref)
	nth := func() {
		if len(b.rows) > 1 || b.end > b.start && len(b.rows) > 0 {
			ref.Nth++
		}
		n.ref = ref
	}
	if b.end > b.start {
		nth()
		n.start, n.end, n.title = b.start, b.end, b.path
		if n.locator != "" {
			n.locator += ", "
		}
		n.locator += b.locus
		n.parent, n.title = r.add(n), ""
	}
	for _, row := range b.rows {
		n.page, n.locator = row.page, b.locus+", row "+strconv.Itoa(row.line)
		if row.page > 0 {
			n.locator = "p. " + strconv.Itoa(row.page) + ", " + n.locator
		}
		nth()
		ps := pieces(r.text, row.start, row.end)
		n.start, n.end = ps[0][0], ps[0][1]
		r.add(n)
		for _, p := range ps[1:] {
			n.ref, n.start, n.end = r.block(cite.Ref{Code: r.code}), p[0], p[1]
			r.add(n)
		}
	}
}

// pieces splits a span that is longer than MaxPassage, between lines or words
// where there are any.
func pieces(text string, start, end int) [][2]int {
	var out [][2]int
	for end-start > MaxPassage {
		cut := start + MaxPassage
		for text[cut]&0xC0 == 0x80 {
			cut--
		}
		if k := strings.LastIndexAny(text[start+MaxPassage/2:cut], "\n"); k >= 0 {
			cut = start + MaxPassage/2 + k + 1
		} else if k := strings.LastIndexAny(text[start+MaxPassage/2:cut], " \t"); k >= 0 {
			cut = start + MaxPassage/2 + k + 1
		}
		out = append(out, [2]int{start, cut})
		start = cut
	}
	return append(out, [2]int{start, end})
}
