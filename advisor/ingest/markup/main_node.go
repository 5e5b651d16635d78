package markup

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"polaris/advisor/ingest/form"
	"polaris/advisor/ingest/suspect"
	"polaris/models"
)

// mainNode returns the node that holds the document: what the page marks as
// such, if most of the text is in it, else the body. It reports whether that is
// the whole page.
func (w *walker) mainNode(root *html.Node) (main *html.Node, whole bool) {
	var body *html.Node
	var marked, articles []*html.Node
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch {
		case n.DataAtom == atom.Body:
			body = n
		case n.DataAtom == atom.Main, attr(n, "role") == "main":
			if _, how := w.hiddenBy(n); how == seen {
				marked = append(marked, n)
			}
		case n.DataAtom == atom.Article:
			if _, how := w.hiddenBy(n); how == seen {
				articles = append(articles, n)
			}
		}
	}
	if body == nil {
		body = root
	}
	if len(marked) == 0 && len(articles) == 1 {
		marked = articles
	}
	if len(marked) > 0 && form.Characters(w.shown(marked[0]))*3 >= w.prose(body) {
		return marked[0], false
	}
	return body, true
}

// hiddenBy returns what hides a node: itself or what it is in.
func (w *walker) hiddenBy(n *html.Node) (by *html.Node, how hiding) {
	for p := n; p != nil; p = p.Parent {
		if p.Type == html.ElementNode {
			if how := w.styles.hides(p); how != seen {
				by = p // the outermost
			}
		}
	}
	if by == nil {
		return nil, seen
	}
	return by, w.styles.hides(by)
}

// prose counts the characters in a node that are shown, and not in links or around
// the document.
func (w *walker) prose(n *html.Node) int {
	if n.Type == html.TextNode {
		return form.Characters(n.Data)
	}
	if n.Type == html.ElementNode && (unread[n.Data] || n.DataAtom == atom.A || w.leftOut(n) || w.styles.hides(n) != seen) {
		return 0
	}
	sum := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		sum += w.prose(c)
	}
	return sum
}

// outside looks at what is left out because it stands around the document.
// Orders to a model there are reported; they are not in the text.
func (w *walker) outside(n, main *html.Node) {
	if n == main {
		return
	}
	switch n.Type {
	case html.CommentNode:
		w.comment(n.Data)
	case html.TextNode:
		if order, found := suspect.Order(n.Data); found && n.Parent != nil && !unread[n.Parent.Data] {
			w.flag(models.Instruction, order)
		}
	default:
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.outside(c, main)
	}
}
