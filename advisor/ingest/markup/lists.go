package markup

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"polaris/advisor/ingest/form"
)

// A listState is a list that is being read.
type listState struct {
	ordered bool
	style   string // "1", "a", "A", "i", "I" or "" for none
	next    int
	step    int
}

// list reads a list.
func (w *walker) list(n *html.Node) {
	w.flush()
	was := w.next
	l := &listState{ordered: n.Data == "ol", style: listStyle(n), next: 1, step: 1}
	if l.ordered {
		if hasAttr(n, "reversed") {
			l.step, l.next = -1, items(n)
		}
		l.next = number(attr(n, "start"), l.next)
	}
	w.lists = append(w.lists, l)
	w.next = form.Block{}
	w.children(n)
	w.flush()
	w.lists = w.lists[:len(w.lists)-1]
	w.next = was
	if was.Kind == form.Item { // the rest of the item that the list stands in
		w.next = form.Block{}
	}
}

func items(n *html.Node) int {
	k := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Data == "li" {
			k++
		}
	}
	return k
}

// item reads an item of a list.
func (w *walker) item(n *html.Node) {
	w.flush()
	was := w.next
	b := form.Block{Kind: form.Item, Level: max(len(w.lists), 1), Number: "•"}
	if len(w.lists) > 0 {
		if l := w.lists[len(w.lists)-1]; l.ordered {
			at := number(attr(n, "value"), l.next)
			l.next = at + l.step
			style := l.style
			if t := attr(n, "type"); t != "" {
				style = t
			}
			b.Number = ordinal(at, style)
		}
	}
	w.next = b
	w.children(n)
	w.flush()
	w.next = was
}

func listStyle(n *html.Node) string {
	style := declarations(attr(n, "style"))
	switch kind := style["list-style-type"] + style["list-style"]; {
	case strings.Contains(kind, "lower-alpha"), strings.Contains(kind, "lower-latin"):
		return "a"
	case strings.Contains(kind, "upper-alpha"), strings.Contains(kind, "upper-latin"):
		return "A"
	case strings.Contains(kind, "lower-roman"):
		return "i"
	case strings.Contains(kind, "upper-roman"):
		return "I"
	case strings.Contains(kind, "none"):
		return "none"
	}
	return attr(n, "type")
}

// ordinal returns a number as a browser shows it.
func ordinal(n int, style string) string {
	switch {
	case style == "none":
		return ""
	case n <= 0 || n > 3999:
	case style == "a", style == "A":
		var b []byte
		for k := n; k > 0; k = (k - 1) / 26 {
			b = append([]byte{byte('a' + (k-1)%26)}, b...)
		}
		if style == "A" {
			return strings.ToUpper(string(b)) + "."
		}
		return string(b) + "."
	case style == "i":
		return roman(n) + "."
	case style == "I":
		return strings.ToUpper(roman(n)) + "."
	}
	return strconv.Itoa(n) + "."
}

func roman(n int) string {
	var b strings.Builder
	for _, r := range []struct {
		n int
		s string
	}{{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"}, {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}} {
		for ; n >= r.n; n -= r.n {
			b.WriteString(r.s)
		}
	}
	return b.String()
}

// number reads an attribute that is one.
func number(s string, otherwise int) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < -1_000_000 || n > 1_000_000 {
		return otherwise
	}
	return n
}
