package ingest

import (
	"regexp"
	"strings"

	"polaris/advisor/cite"
	"polaris/models"
	"polaris/models/fault"
)

// A regulationReader assembles the text of a regulation and its passages from
// RegML. Labels say where a paragraph belongs; the nesting of the elements is
// used where there are none, since it is wrong here and there in real files.
type regulationReader struct {
	tree
	text  strings.Builder
	part  cite.Ref // 12 CFR 1002
	stack []int    // open nodes, outermost first
}

// parseRegML reads a regulation in RegML.
func parseRegML(root *element, o Options) (*Document, error) {
	part := root.first("part")
	number := part.attrs["label"]
	title := root.first("fdsys", "cfrTitleNum").words()
	ref, err := cite.Parse(title + " CFR part " + number)
	if root.name != "regulation" || err != nil {
		return nil, fault.New(fault.Unsupported, "This XML is none that is read: a regulation in RegML or as the eCFR gives it out, or a law in USLM. Its root is <%s>.", clip(root.name, 40))
	}
	r := &regulationReader{tree: *newTree(), part: ref}
	r.content(part)
	d := &Document{MediaType: "application/xml", Title: o.Title, Code: o.Code, Language: "en", Text: r.text.String(), Terms: r.terms}
	if d.Title == "" {
		d.Title = r.title(root)
	}
	if d.Code == "" {
		d.Code = Code(d.Title)
	}
	if d.Passages, err = r.passages(); err != nil {
		return nil, err
	}
	d.Warnings = r.warn
	return d, nil
}

// title makes a readable one: "Regulation B (12 CFR Part 1002): Equal Credit
// Opportunity Act".
func (r *regulationReader) title(root *element) string {
	cfr := r.part.Title + " CFR Part " + r.part.Number
	t := cfr
	if letter := root.first("preamble", "regLetter").words(); letter != "" {
		t = "Regulation " + letter + " (" + cfr + ")"
	}
	if name := root.first("fdsys", "title").words(); name != "" {
		t += ": " + titleCase(name)
	}
	return t
}

// titleCase rewrites a name that is all in capitals.
func titleCase(s string) string {
	if s != strings.ToUpper(s) {
		return s
	}
	ws := strings.Fields(strings.ToLower(s))
	for i, w := range ws {
		if (i == 0 || !small[w]) && w[0] < 0x80 {
			ws[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(ws, " ")
}

// content walks the parts of a regulation that hold text.
func (r *regulationReader) content(e *element) {
	for _, k := range e.kids {
		switch k.name {
		case "content", "subpart", "subjectGroup", "part":
			r.content(k)
		case "section":
			r.section(k)
		case "appendix":
			r.appendix(k)
		case "interpretations":
			r.interpretations(k)
		}
	}
}

func (r *regulationReader) section(e *element) {
	ref, ok := r.labelled(e.attrs["label"])
	if !ok {
		ref = r.block(r.part)
	}
	subject := e.first("subject").words()
	r.put(ref, models.Section, subject, subject)
	for _, k := range e.all("paragraph") {
		r.paragraph(k, ref)
	}
}

// paragraph writes one paragraph and those in it. The ref above counts its
// blocks where it has no number.
func (r *regulationReader) paragraph(e *element, above cite.Ref) {
	title, body := e.first("title").words(), e.first("content").words()
	ref, ok := r.labelled(e.attrs["label"])
	if !ok && title == "" && body == "" && len(e.all("paragraph")) == 0 {
		return
	}
	if !ok {
		ref = r.block(above)
	}
	at := r.put(ref, models.Paragraph, title, marker(e), title, body)
	r.defs(e.first("content"), at)
	for _, k := range e.all("paragraph") {
		r.paragraph(k, ref)
	}
}

// labelled turns "1002-9-a-1" into 12 CFR 1002.9(a)(1).
func (r *regulationReader) labelled(label string) (cite.Ref, bool) {
	ls := strings.Split(label, "-")
	if len(ls) < 2 || ls[0] != r.part.Number {
		return cite.Ref{}, false
	}
	ref := cite.Ref{Title: r.part.Title, System: r.part.System, Number: ls[0] + "." + ls[1]}
	for _, l := range ls[2:] {
		ref.Paras += "(" + l + ")"
	}
	return ref, readsBack(ref)
}

// readsBack reports whether a ref made from a label is a citation.
func readsBack(ref cite.Ref) bool {
	again, err := cite.Parse(ref.String())
	return err == nil && again == ref
}

// marker returns a paragraph's number as it is printed.
func marker(e *element) string { return strings.Join(strings.Fields(e.attrs["marker"]), " ") }

// put writes the pieces of a passage and adds it below the innermost open one
// that contains it. One that repeats a number stands beside the other.
func (r *regulationReader) put(ref cite.Ref, kind models.PassageKind, title string, pieces ...string) int {
	for len(r.stack) > 0 {
		if top := r.nodes[r.stack[len(r.stack)-1]].ref; top != ref && top.Contains(ref) {
			break
		}
		r.stack = r.stack[:len(r.stack)-1]
	}
	own := ""
	for _, p := range pieces {
		if p != "" && own != "" {
			own += " "
		}
		own += p
	}
	if own != "" && r.text.Len() > 0 {
		r.text.WriteString("\n\n")
	}
	n := node{ref: ref, kind: kind, title: title, parent: -1, start: r.text.Len()}
	if len(r.stack) > 0 {
		n.parent = r.stack[len(r.stack)-1]
	}
	r.text.WriteString(own)
	n.end = r.text.Len()
	at := r.add(n)
	if ref.Block == 0 {
		r.stack = append(r.stack, at)
	}
	return at
}

// defs notes the terms that a paragraph defines.
func (r *regulationReader) defs(e *element, at int) {
	for _, k := range e.kids {
		if k.name == "def" {
			r.terms = append(r.terms, models.Term{Name: strings.TrimRight(k.words(), ".,;:"), Ordinal: at})
		}
		r.defs(k, at)
	}
}

var (
	formTitle = regexp.MustCompile(`^(?:Model |Sample )?Form ([A-Z]{1,2})[-–](\d{1,3}[A-Z]?)\b`)
	itemStart = regexp.MustCompile(`^(\d{1,3})\. \S`)
)

// appendix writes an appendix: its numbered items and its forms have keys of
// their own, other paragraphs are counted below the item, the form or the
// appendix.
func (r *regulationReader) appendix(e *element) {
	top := r.part
	top.Kind, top.Letter = cite.Appendix, e.attrs["appendixLetter"]
	if !readsBack(top) {
		top = r.block(r.part)
	}
	title := e.first("appendixTitle").words()
	r.put(top, models.Appendix, title, title)
	above := top
	for _, s := range e.all("appendixSection") {
		if subject := s.first("subject").words(); subject != "" {
			r.put(r.block(above), models.Section, "", subject)
		}
		for _, k := range s.all("paragraph") {
			above = r.appendixParagraph(k, top, above)
		}
	}
}

// appendixParagraph returns the form that the paragraphs after it belong to.
func (r *regulationReader) appendixParagraph(e *element, top, above cite.Ref) cite.Ref {
	title, body := e.first("title").words(), e.first("content").words()
	mark := marker(e)
	kids := e.all("paragraph")
	if title == "" && body == "" && mark == "" && len(kids) == 0 {
		return above // a blank line of a form
	}
	ref, kind := top, models.Paragraph
	switch {
	case formTitle.MatchString(title):
		m := formTitle.FindStringSubmatch(title)
		ref.Unit, ref.Item, ref.Letter, kind = "form", m[2], m[1], models.Section
	case above.Unit != "form" && r.item(&ref, e.attrs["label"], mark, body):
	default:
		ref = r.block(above)
	}
	at := r.put(ref, kind, title, mark, title, body)
	r.defs(e.first("content"), at)
	if ref.Unit == "form" && ref.Block == 0 {
		above = ref
	}
	below := above
	if ref.Unit == "item" {
		below = ref
	}
	for _, k := range kids {
		r.appendixParagraph(k, top, below)
	}
	return above
}

// item fills in which item of an appendix a paragraph is, if it is numbered:
// "1002-A-p1-2-a" with the marker "a." is item 2.a, and a paragraph that begins
// "3. " is item 3.
func (r *regulationReader) item(ref *cite.Ref, label, mark, body string) bool {
	path := ""
	if mark != "" {
		ls := strings.Split(label, "-")
		for i := 2; i < len(ls); i++ {
			if cite.IsEnumerator(ls[i]) {
				path = strings.Trim(path+"."+ls[i], ".")
			}
		}
	} else if m := itemStart.FindStringSubmatch(body); m != nil {
		path = m[1]
	}
	ref.Unit, ref.Item = "item", path
	return path != "" && readsBack(*ref)
}

// interpretations writes the official comments.
func (r *regulationReader) interpretations(e *element) {
	top := r.part
	top.Kind, top.Letter = cite.Supplement, "I"
	title := e.first("title").words()
	r.put(top, models.Comment, title, title)
	for _, s := range e.all("interpSection") {
		r.comment(s, top)
	}
}

// comment writes a comment or a group of comments, and those in it.
func (r *regulationReader) comment(e *element, above cite.Ref) {
	title, body := e.first("title").words(), e.first("content").words()
	ref, ok := r.commentRef(e.attrs["label"], marker(e))
	kids := e.all("interpParagraph")
	if !ok && title == "" && body == "" && len(kids) == 0 {
		return
	}
	if !ok {
		ref = r.block(above)
	}
	at := r.put(ref, models.Comment, title, marker(e), title, body)
	r.defs(e.first("content"), at)
	for _, k := range kids {
		r.comment(k, ref)
	}
}

// commentRef turns "1002-9-a-1-Interp-1-iii" into comment 9(a)(1)-1.iii. The
// printed marker wins over the label's last level, which is wrong here and there.
func (r *regulationReader) commentRef(label, mark string) (cite.Ref, bool) {
	group, path, found := strings.Cut(label, "-Interp")
	ls := strings.Split(group, "-")
	if !found || ls[0] != r.part.Number {
		return cite.Ref{}, false
	}
	ref := r.part
	ref.Kind = cite.Comment
	path = strings.TrimPrefix(path, "-")
	switch {
	case len(ls) == 1: // 1002-Interp-h1-2 is an introduction's second paragraph
		ref.Letter = "Intro"
		_, path, _ = strings.Cut(path, "-")
	case ls[1] != "" && ls[1][0] >= 'A' && ls[1][0] <= 'Z':
		ref.Letter = ls[1]
	default:
		ref.Number += "." + ls[1]
		for _, l := range ls[2:] {
			ref.Paras += "(" + l + ")"
		}
	}
	ref.Path = strings.ReplaceAll(path, "-", ".")
	if m := strings.Trim(mark, ".()"); m != "" && ref.Path != "" && cite.IsEnumerator(m) {
		ref.Path = ref.Path[:strings.LastIndexByte(ref.Path, '.')+1] + m
	}
	return ref, readsBack(ref)
}
