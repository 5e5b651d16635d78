package markup

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A hiding says how an element is kept from readers.
type hiding uint8

const (
	seen         hiding = iota
	unseen              // nobody is to read it
	forListeners        // it is read out, or is decoration that is not
)

// styles are the rules of a page's own style sheets whose selectors are one
// element, class or id, outside of media queries.
type styles map[string]map[string]string

var (
	cssComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	simple     = regexp.MustCompile(`^(?:[a-z][a-z0-9]*|[a-z0-9]*[.#][A-Za-z_][\w-]*)$`)
)

// readStyles reads the style sheets in a page.
func readStyles(root *html.Node) styles {
	s := styles{}
	for n := range root.Descendants() {
		if n.DataAtom == atom.Style && n.Type == html.ElementNode {
			s.sheet(cssComment.ReplaceAllString(plainText(n), ""))
		}
	}
	return s
}

// linked reads the style sheets that a page names, but for those of printers and
// the like.
func (s styles) linked(root *html.Node, sheet func(href string) string) {
	left := 20 // more than a page has
	for n := range root.Descendants() {
		if left == 0 || n.DataAtom != atom.Link || !strings.Contains(strings.ToLower(attr(n, "rel")), "stylesheet") || strings.Contains(strings.ToLower(attr(n, "rel")), "alternate") {
			continue
		}
		if m := strings.ToLower(attr(n, "media")); m == "" || m == "all" || m == "screen" {
			left--
			s.sheet(cssComment.ReplaceAllString(sheet(attr(n, "href")), ""))
		}
	}
}

func (s styles) sheet(css string) {
	for len(css) > 0 {
		open := strings.IndexByte(css, '{')
		if open < 0 {
			return
		}
		selectors := strings.TrimSpace(css[:open])
		end, deep := len(css), 0
		for i := open; i < len(css); i++ {
			if css[i] == '{' {
				deep++
			} else if css[i] == '}' {
				if deep--; deep == 0 {
					end = i
					break
				}
			}
		}
		body := css[open+1 : end]
		css = css[min(end+1, len(css)):]
		if k := strings.LastIndexByte(selectors, ';'); k >= 0 { // @import before it
			selectors = selectors[k+1:]
		}
		if strings.HasPrefix(strings.TrimSpace(selectors), "@") {
			continue
		}
		for sel := range strings.SplitSeq(selectors, ",") {
			if sel = strings.TrimSpace(sel); simple.MatchString(sel) && len(s) < 10_000 {
				if s[sel] == nil {
					s[sel] = map[string]string{}
				}
				for k, v := range declarations(body) {
					s[sel][k] = v
				}
			}
		}
	}
}

// declarations reads "display: none; color: #fff".
func declarations(css string) map[string]string {
	out := map[string]string{}
	for d := range strings.SplitSeq(css, ";") {
		if k, v, ok := strings.Cut(d, ":"); ok {
			v = strings.TrimSpace(strings.ReplaceAll(strings.ToLower(v), "!important", ""))
			out[strings.TrimSpace(strings.ToLower(k))] = v
		}
	}
	return out
}

// of returns a property of an element, from its attribute or the page's rules.
func (s styles) of(n *html.Node, inline map[string]string, property string) string {
	if v := inline[property]; v != "" {
		return v
	}
	if len(s) == 0 {
		return ""
	}
	if id := attr(n, "id"); id != "" {
		if v := s.rule(n, "#"+id, property); v != "" {
			return v
		}
	}
	for class := range strings.FieldsSeq(attr(n, "class")) {
		if v := s.rule(n, "."+class, property); v != "" {
			return v
		}
	}
	return s[n.Data][property]
}

func (s styles) rule(n *html.Node, selector, property string) string {
	if v := s[n.Data+selector][property]; v != "" {
		return v
	}
	return s[selector][property]
}

// hides reports whether an element is not shown, and to whom.
func (s styles) hides(n *html.Node) hiding {
	if hasAttr(n, "hidden") && attr(n, "hidden") != "until-found" {
		return unseen
	}
	style := attr(n, "style")
	if style == "" && len(s) == 0 && len(n.Attr) == 0 {
		return seen
	}
	inline := declarations(style)
	get := func(p string) string { return s.of(n, inline, p) }
	switch {
	case get("display") == "none", get("visibility") == "hidden", get("visibility") == "collapse", zero(get("opacity")), tiny(get("font-size")),
		away(get("text-indent")), n.Data == "font" && s.sameColour(n, attr(n, "color")), s.sameColour(n, get("color")):
		return unseen
	case attr(n, "aria-hidden") == "true",
		strings.Contains(get("clip"), "rect(") || strings.Contains(get("clip-path"), "inset(50%") || strings.Contains(get("clip-path"), "inset(100%"),
		(get("position") == "absolute" || get("position") == "fixed") && (away(get("left")) || away(get("top"))),
		get("overflow") == "hidden" && (zero(get("height")) || zero(get("width")) || get("height") == "1px" && get("width") == "1px" || zero(get("max-height"))):
		return forListeners
	}
	return seen
}

func zero(v string) bool {
	return v != "" && strings.Trim(strings.TrimRight(v, "abcdefghijklmnopqrstuvwxyz%"), "0.") == "" && strings.ContainsRune(v, '0')
}

// tiny reports whether letters of that size are too small to be read.
func tiny(v string) bool {
	if zero(v) {
		return true
	}
	switch v {
	case "1px", "1pt", "0.1px", "0.1pt", "0.1em", "0.01em", "1%", ".1px", ".1em":
		return true
	}
	return false
}

// away reports whether something is moved out of the window.
func away(v string) bool {
	return strings.HasPrefix(v, "-") && len(strings.TrimRight(strings.SplitN(v[1:], ".", 2)[0], "abcdefghijklmnopqrstuvwxyz%")) >= 4
}

// sameColour reports whether letters of a colour stand on the same one. Where no
// element around says anything, a page is white.
func (s styles) sameColour(n *html.Node, colour string) bool {
	front := rgb(colour)
	if front == "" {
		return false
	}
	if front == "transparent" {
		return true
	}
	for p := n; p != nil; p = p.Parent {
		if p.Type != html.ElementNode {
			continue
		}
		inline := declarations(attr(p, "style"))
		back := s.of(p, inline, "background-color")
		if back == "" {
			back = s.of(p, inline, "background")
		}
		if back == "" {
			back = attr(p, "bgcolor")
		}
		if back = strings.TrimSpace(back); back == "" || back == "transparent" || back == "none" || back == "inherit" {
			continue
		}
		if k := strings.IndexByte(back, ')'); k >= 0 && strings.HasPrefix(back, "rgb") {
			return rgb(back[:k+1]) == front
		}
		return rgb(strings.Fields(back)[0]) == front
	}
	return front == "ffffff"
}

var hex = regexp.MustCompile(`^#([0-9a-f]{3}|[0-9a-f]{6})$`)

// rgb returns a colour as six digits, "" where it is not known.
func rgb(v string) string {
	v = strings.ToLower(strings.ReplaceAll(v, " ", ""))
	switch v {
	case "white", "rgb(255,255,255)", "rgba(255,255,255,1)", "rgb(100%,100%,100%)", "hsl(0,0%,100%)", "#fffffe", "#fefefe", "snow":
		return "ffffff"
	case "black", "rgb(0,0,0)", "rgba(0,0,0,1)":
		return "000000"
	case "transparent", "rgba(0,0,0,0)", "rgba(255,255,255,0)":
		return "transparent"
	}
	m := hex.FindStringSubmatch(v)
	if m == nil {
		return ""
	}
	if len(m[1]) == 3 {
		return string([]byte{m[1][0], m[1][0], m[1][1], m[1][1], m[1][2], m[1][2]})
	}
	return m[1]
}
