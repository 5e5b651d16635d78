// Package htmlcheck holds pages against the rules that every page of Polaris
// keeps: tags close, ids are unique and references lead somewhere, controls
// are labelled, nothing is styled or scripted inline, and of htmx only a fixed
// list of version 4's attributes is used. It is for tests.
package htmlcheck

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// htmxAttributes are those that pages may carry. Left out are the attributes
// that evaluate their value (hx-on, hx-vals, hx-headers), which the policy
// forbids, and all that version 4 dropped or renamed. A colon begins a
// modifier, such as :inherited.
var htmxAttributes = []string{
	"hx-get", "hx-post", "hx-put", "hx-patch", "hx-delete", "hx-target", "hx-swap", "hx-select", "hx-trigger",
	"hx-include", "hx-confirm", "hx-indicator", "hx-disable", "hx-sync", "hx-push-url", "hx-replace-url", "hx-nonce",
	"hx-sse", // :connect and :close, of the extension that pages with steps load
}

var void = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}

// A page is what the walk over one page finds.
type page struct {
	problems []string
	open     []string // tags not yet closed
	ids      map[string]int
	refs     map[string]string // id referred to → by what
	labels   map[string]bool   // ids that a label is for
	unnamed  map[string]string // controls with an id and no name of their own → tag
	counts   map[string]int    // of tags
	level    int               // of the last heading
	cells    int               // of the row at hand
	columns  int               // of the first row of the table at hand
	asset    func(path string) bool
}

// Document checks a whole page. asset reports whether a path below /static/
// exists; nil takes them all.
func Document(b []byte, asset func(path string) bool) []string {
	p := walk(b, asset)
	for _, tag := range []string{"html", "head", "body", "title", "main", "h1"} {
		if p.counts[tag] != 1 {
			p.say("%d elements <%s>, want 1", p.counts[tag], tag)
		}
	}
	for id, by := range p.refs {
		if p.ids[id] == 0 {
			p.say("%s refers to #%s, which does not exist", by, id)
		}
	}
	if !bytes.HasPrefix(b, []byte("<!doctype html>")) && !bytes.HasPrefix(b, []byte("<!DOCTYPE html>")) {
		p.say("the page does not begin with a doctype")
	}
	return p.sorted()
}

// Fragment checks a part of a page as htmx swaps it in.
func Fragment(b []byte) []string { return walk(b, nil).sorted() }

func walk(b []byte, asset func(string) bool) *page {
	p := &page{
		ids: map[string]int{}, refs: map[string]string{}, labels: map[string]bool{},
		unnamed: map[string]string{}, counts: map[string]int{}, asset: asset,
	}
	z := html.NewTokenizer(bytes.NewReader(b))
	for {
		switch z.Next() {
		case html.ErrorToken:
			p.finish()
			return p
		case html.StartTagToken:
			t := z.Token()
			p.start(t)
			if !slices.Contains(void, t.Data) {
				p.open = append(p.open, t.Data)
			}
		case html.SelfClosingTagToken:
			t := z.Token()
			p.start(t)
			if !slices.Contains(void, t.Data) && !slices.Contains(p.open, "svg") {
				p.say("<%s/> does not close itself", t.Data)
			}
		case html.EndTagToken:
			p.end(z.Token().Data)
		}
	}
}

func (p *page) say(format string, args ...any) {
	p.problems = append(p.problems, fmt.Sprintf(format, args...))
}

func (p *page) sorted() []string {
	slices.Sort(p.problems)
	return p.problems
}

func (p *page) finish() {
	for _, tag := range p.open {
		p.say("<%s> is not closed", tag)
	}
	for id, n := range p.ids {
		if n > 1 {
			p.say("id %q occurs %d times", id, n)
		}
	}
	for id, tag := range p.unnamed {
		if !p.labels[id] {
			p.say("<%s id=%q> has no label", tag, id)
		}
	}
}

func (p *page) end(tag string) {
	n := len(p.open)
	if n == 0 || p.open[n-1] != tag {
		p.say("</%s> does not close what is open: %s", tag, strings.Join(p.open, " "))
		return
	}
	p.open = p.open[:n-1]
	if tag == "tr" {
		p.row()
	}
}

// row wants as many cells in each row of a table as in its first. No page
// spans cells.
func (p *page) row() {
	if p.columns == 0 {
		p.columns = p.cells
	}
	if p.cells != p.columns {
		p.say("a row has %d cells where the first has %d", p.cells, p.columns)
	}
	p.cells = 0
}

func (p *page) start(t html.Token) {
	attrs := map[string]string{}
	for _, a := range t.Attr {
		if _, twice := attrs[a.Key]; twice {
			p.say("<%s> has %s twice", t.Data, a.Key)
		}
		attrs[a.Key] = a.Val
	}
	p.counts[t.Data]++
	switch t.Data {
	case "table":
		p.columns = 0
	case "td", "th":
		p.cells++
	}
	if id, ok := attrs["id"]; ok {
		p.ids[id]++
	}
	p.references(t.Data, attrs)
	p.policy(t.Data, attrs)
	p.htmx(t.Data, attrs)
	p.control(t.Data, attrs)
	p.heading(t.Data)
}

// references collects what the element says about other elements, and looks
// up what it loads.
func (p *page) references(tag string, attrs map[string]string) {
	for _, name := range []string{"for", "popovertarget", "commandfor", "data-copy", "aria-labelledby", "aria-describedby", "aria-controls", "list"} {
		for _, id := range strings.Fields(attrs[name]) {
			p.refs[id] = "<" + tag + " " + name + ">"
		}
	}
	if tag == "label" && attrs["for"] != "" {
		p.labels[attrs["for"]] = true
	}
	for _, name := range []string{"href", "hx-target", "hx-indicator"} {
		if id, ok := strings.CutPrefix(attrs[name], "#"); ok && id != "" {
			p.refs[id] = "<" + tag + " " + name + ">"
		}
	}
	for _, name := range []string{"src", "href"} {
		if v := attrs[name]; strings.HasPrefix(v, "/static/") && p.asset != nil && !p.asset(v) {
			p.say("<%s %s=%q> does not exist", tag, name, v)
		}
	}
}

// policy finds what a strict content security policy would block, and links
// that run code.
func (p *page) policy(tag string, attrs map[string]string) {
	for name, value := range attrs {
		if name == "style" || strings.HasPrefix(name, "on") {
			p.say("<%s> has the inline attribute %s", tag, name)
		}
		if scheme := strings.ToLower(strings.TrimSpace(value)); strings.HasPrefix(scheme, "javascript:") {
			p.say("<%s %s> runs code", tag, name)
		}
		if strings.Contains(value, "about:invalid#TemplFailedSanitizationURL") {
			p.say("<%s %s> was refused by templ as unsafe", tag, name)
		}
	}
	switch tag {
	case "style", "iframe", "object", "embed", "base":
		p.say("<%s> is not allowed", tag)
	case "script":
		if attrs["src"] == "" || attrs["nonce"] == "" {
			p.say("<script> without src or nonce")
		}
	case "img":
		if _, ok := attrs["alt"]; !ok {
			p.say("<img> without alt")
		}
	}
}

func (p *page) htmx(tag string, attrs map[string]string) {
	uses := false
	for name, value := range attrs {
		if strings.HasPrefix(name, "data-hx-") {
			p.say("<%s> has %s, which our check of nonces does not cover", tag, name)
		}
		if !strings.HasPrefix(name, "hx-") {
			continue
		}
		uses = true
		plain, _, _ := strings.Cut(name, ":")
		if !slices.Contains(htmxAttributes, plain) {
			p.say("<%s> has %s, which is not on the list", tag, name)
		}
		if strings.HasPrefix(value, "js:") || name == "hx-disable" && value == "" {
			p.say("<%s %s=%q> is not allowed", tag, name, value)
		}
	}
	if uses && attrs["hx-nonce"] == "" {
		p.say("<%s> uses htmx without hx-nonce", tag)
	}
}

// control wants a name for each control and a type for each button: a button
// without one sends the form around it.
func (p *page) control(tag string, attrs map[string]string) {
	switch tag {
	case "button":
		if attrs["type"] == "" {
			p.say("<button> without type")
		}
	case "input", "select", "textarea":
		if attrs["type"] == "hidden" || attrs["aria-label"] != "" || attrs["aria-labelledby"] != "" || slices.Contains(p.open, "label") {
			return
		}
		if attrs["id"] == "" {
			p.say("<%s name=%q> has no label", tag, attrs["name"])
			return
		}
		p.unnamed[attrs["id"]] = tag
	}
}

// heading wants no level left out on the way down.
func (p *page) heading(tag string) {
	if len(tag) != 2 || tag[0] != 'h' || tag[1] < '1' || tag[1] > '6' {
		return
	}
	level := int(tag[1] - '0')
	// The navigation's headings come before the page's first one.
	if p.level > 0 && level > p.level+1 {
		p.say("<%s> follows <h%d>", tag, p.level)
	}
	p.level = level
}
