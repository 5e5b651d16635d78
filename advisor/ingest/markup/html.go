package markup

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"polaris/advisor/ingest/form"
	"polaris/advisor/ingest/suspect"
	"polaris/models"
	"polaris/models/fault"
)

// maxFlags bounds the hidden texts that are reported of one document.
const maxFlags = 50

// HTML reads a page, decoded to UTF-8.
func HTML(text string, _ form.Limits) (*form.Document, error) {
	d, w, err := page(text, func(string) string { return "" })
	if err == nil && w.nothingShown() {
		err = fault.New(fault.Unreadable, "A browser shows nothing of this page: its text, of %d characters, is hidden. "+remedy, w.unseen)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// page reads a page. Its style sheets that are files of their own are what sheet
// returns.
func page(text string, sheet func(href string) string) (*form.Document, *walker, error) {
	if head := text[:min(len(text), 2048)]; strings.HasPrefix(head, "<?xml") || strings.Contains(head, "http://www.w3.org/1999/xhtml") {
		text = selfClosed.ReplaceAllStringFunc(text, open)
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return nil, nil, fault.New(fault.Unreadable, "The HTML cannot be read: %s.", "its elements are nested too deeply").Because(err)
	}
	d := &form.Document{MediaType: MediaHTML}
	w := newWalker(root, d)
	w.styles.linked(root, sheet)
	d.Found = form.Characters(w.all(root))
	main, whole := w.mainNode(root)
	if !whole {
		w.outside(root, main)
	}
	if by, how := w.hiddenBy(main); how != seen { // the whole page
		w.hidden(by, how)
	} else {
		w.children(main)
		w.flush()
	}
	w.tellUnseen()
	if d.Title == "" {
		d.Title = w.title(root)
	}
	return d, w, nil
}

var selfClosed = regexp.MustCompile(`<([A-Za-z][A-Za-z0-9:-]*)(\s[^<>]*)?/>`)

// open writes <title/> of XHTML as <title></title>: in HTML the first is never
// closed, and the rest of the page would be the title.
func open(tag string) string {
	m := selfClosed.FindStringSubmatch(tag)
	switch strings.ToLower(m[1]) {
	case "br", "hr", "img", "input", "meta", "link", "col", "area", "base", "embed", "source", "track", "wbr", "param":
		return tag
	}
	return "<" + m[1] + m[2] + "></" + m[1] + ">"
}

// A walker turns a tree of elements into blocks.
type walker struct {
	doc    *form.Document
	styles styles
	text   strings.Builder // of the block that is being read
	next   form.Block      // what it will be
	lists  []*listState
	table  int
	breaks int // line breaks in a row
	deep   int
	unseen int // characters of hidden text
}

func newWalker(root *html.Node, d *form.Document) *walker {
	w := &walker{doc: d, styles: readStyles(root)}
	for n := range root.Descendants() {
		if n.DataAtom == atom.Html && n.Type == html.ElementNode && d.Language == "" {
			d.Language = language(attr(n, "lang"))
		}
	}
	return w
}

// language keeps a language tag that is one.
func language(tag string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(tag)), "_", "-"), "-")
	if len(base) < 2 || len(base) > 3 || strings.Trim(base, "abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	return base
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

// unread are the elements whose text is no words of the document.
var unread = map[string]bool{
	"script": true, "style": true, "template": true, "noscript": true, "head": true, "svg": true, "iframe": true, "object": true,
	"embed": true, "canvas": true, "audio": true, "video": true, "select": true, "datalist": true, "button": true, "dialog": true, "title": true, "meta": true, "link": true,
}

// around are the elements, and roles, of what stands around a document.
var around = map[string]bool{"nav": true, "aside": true, "footer": true}

var aroundRoles = map[string]bool{"navigation": true, "banner": true, "contentinfo": true, "complementary": true, "search": true, "menu": true, "menubar": true, "dialog": true, "alertdialog": true}

// boundary are the elements that begin a block of their own.
var boundary = map[string]bool{
	"address": true, "article": true, "blockquote": true, "body": true, "center": true, "dd": true, "details": true, "div": true, "dl": true, "dt": true, "fieldset": true,
	"figcaption": true, "figure": true, "form": true, "header": true, "hgroup": true, "hr": true, "legend": true, "main": true, "p": true, "section": true, "summary": true,
	"td": true, "th": true, "tr": true, "tbody": true, "thead": true, "tfoot": true, "caption": true, "aside": true, "footer": true,
}

// children reads what is in a node.
func (w *walker) children(n *html.Node) {
	if w.deep++; w.deep > 600 {
		w.deep--
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c)
	}
	w.deep--
}

func (w *walker) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		if strings.TrimSpace(n.Data) != "" {
			w.breaks = 0
		}
		w.text.WriteString(n.Data)
		return
	case html.CommentNode:
		w.comment(n.Data)
		return
	case html.ElementNode:
	default:
		w.children(n)
		return
	}
	name := n.Data
	if k := strings.IndexByte(name, ':'); k > 0 { // ix:nonNumeric
		name = name[k+1:]
	}
	if unread[name] || w.leftOut(n) {
		return
	}
	if how := w.styles.hides(n); how != seen {
		w.hidden(n, how)
		return
	}
	w.element(n, name)
}

// leftOut reports whether a node stands around the document, not in it.
func (w *walker) leftOut(n *html.Node) bool {
	role := attr(n, "role")
	if strings.HasPrefix(role, "doc-") { // a note, not a side column
		return false
	}
	return around[n.Data] && attr(n, "epub:type") == "" || aroundRoles[role]
}

func (w *walker) element(n *html.Node, name string) {
	switch name {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		w.heading(n, int(name[1]-'0'))
	case "br":
		if w.breaks++; w.breaks == 2 {
			w.flush()
		}
		w.text.WriteByte(' ')
	case "ul", "ol", "menu", "dir":
		w.list(n)
	case "li":
		w.item(n)
	case "pre", "xmp", "listing":
		w.pre(n)
	case "table":
		w.tableNode(n)
	case "sup":
		w.raised(n)
	case "wbr", "input", "img", "textarea":
	case "q":
		w.text.WriteString("“")
		w.children(n)
		w.text.WriteString("”")
	default:
		if !boundary[name] {
			w.children(n)
			return
		}
		if attr(n, "role") == "heading" {
			w.heading(n, max(1, min(6, number(attr(n, "aria-level"), 2))))
			return
		}
		w.flush()
		w.children(n)
		w.flush()
	}
}

// heading reads a heading.
func (w *walker) heading(n *html.Node, level int) {
	w.flush()
	was := w.next
	w.next = form.Block{Kind: form.Heading, Level: level}
	w.children(n)
	w.flush()
	w.next = was
}

// pre reads what is kept line for line.
func (w *walker) pre(n *html.Node) {
	w.flush()
	code := strings.Trim(strings.ReplaceAll(plainText(n), "\r\n", "\n"), "\n")
	if strings.TrimSpace(code) != "" {
		w.doc.Blocks = append(w.doc.Blocks, form.Block{Kind: form.Code, Text: code})
	}
}

// raised writes a raised number with the digits for that, so that the mark of a
// note does not become a part of the word before it.
func (w *walker) raised(n *html.Node) {
	t := strings.TrimSpace(plainText(n))
	if t == "" || len(t) > 4 || strings.Trim(t, "0123456789") != "" {
		w.children(n)
		return
	}
	w.text.WriteString(superscripts.Replace(t))
}

var superscripts = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// flush ends the block that is being read.
func (w *walker) flush() {
	t := tidy(w.text.String())
	w.text.Reset()
	w.breaks = 0
	if t == "" {
		return
	}
	b := w.next
	b.Text = t
	w.doc.Blocks = append(w.doc.Blocks, b)
	if w.next.Kind == form.Item { // what follows in an item has no number of its own
		w.next = form.Block{}
	}
}

// comment reports an order to a model in a comment of the page.
func (w *walker) comment(s string) {
	if order, found := suspect.Order(s); found {
		w.flag(models.Instruction, order)
	}
}

// hidden reports a text that is there and that no reader sees. Words that a page
// keeps for its script or for those who listen to it are few; sentences are not.
func (w *walker) hidden(n *html.Node, how hiding) {
	for d := range n.Descendants() {
		if strings.HasPrefix(d.Data, "ix:header") { // figures for machines, which say the same
			return
		}
	}
	t := tidy(w.all(n))
	w.unseen += form.Characters(t)
	words := len(strings.Fields(t))
	most := 10
	if how == forListeners {
		most = 12
	}
	if _, order := suspect.Order(t); words > most || order {
		w.flag(models.HiddenText, t)
	}
}

// tellUnseen says how much text is there that a browser does not show. Where it
// is half of the page or more, a script may show it to readers; but what is hidden
// can say anything, so it is never text.
func (w *walker) tellUnseen() {
	switch {
	case w.unseen > 0 && w.unseen*2 >= w.doc.Found:
		w.doc.Warnings = append(w.doc.Warnings, fmt.Sprintf("Half of the page or more, %d of %d characters, is hidden and not in the text. "+remedy, w.unseen, w.doc.Found))
	case slices.ContainsFunc(w.doc.Flags, func(f models.Flag) bool { return f.Kind == models.HiddenText }):
		w.doc.Warnings = append(w.doc.Warnings, fmt.Sprintf("%d characters that a browser does not show are not in the text.", w.unseen))
	}
}

const remedy = "If a script shows it to readers, save the page as they see it, as PDF."

// nothingShown reports whether all the text of a page is hidden.
func (w *walker) nothingShown() bool { return w.unseen > 0 && len(w.doc.Blocks) == 0 }

func (w *walker) flag(kind models.FlagKind, text string) {
	if len(w.doc.Flags) < maxFlags {
		w.doc.Flags = append(w.doc.Flags, models.Flag{Kind: kind, Text: suspect.Excerpt(text)})
	}
}

// title returns the page's title.
func (w *walker) title(root *html.Node) string {
	for n := range root.Descendants() {
		if n.DataAtom == atom.Title && n.Parent != nil && n.Parent.DataAtom == atom.Head {
			return tidy(plainText(n))
		}
	}
	return ""
}

// plainText returns all the text in a node.
func plainText(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode:
			b.WriteString(d.Data)
		case d.DataAtom == atom.Br:
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// all returns the words in a node that could be a document's.
func (w *walker) all(n *html.Node) string { return w.words(n, false) }

// shown returns those of them that a browser shows.
func (w *walker) shown(n *html.Node) string { return w.words(n, true) }

func (w *walker) words(n *html.Node, shown bool) string {
	var b strings.Builder
	var walk func(*html.Node, int)
	walk = func(n *html.Node, deep int) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		if deep > 600 || n.Type == html.ElementNode && (unread[n.Data] || shown && w.styles.hides(n) != seen) {
			return
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, deep+1)
		}
		if boundary[n.Data] || n.Data == "li" || len(n.Data) == 2 && n.Data[0] == 'h' {
			b.WriteByte(' ')
		}
	}
	walk(n, 0)
	return b.String()
}
