package web

import (
	"bytes"
	"regexp"

	"github.com/a-h/templ"
	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// policy is what text from documents may become on a page: words, lists,
// tables and links. No images, which would tell another server who reads; no
// class, style or id, so nothing looks like a part of ours; none of htmx's
// attributes, which are not on the list.
var policy = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("th", "td")
	p.AllowAttrs("href").OnElements("a")
	p.AllowRelativeURLs(true)
	p.AllowURLSchemes("http", "https")
	p.RequireParseableURLs(true)
	p.RequireNoReferrerOnFullyQualifiedLinks(true)
	p.RequireNoFollowOnLinks(true)
	return p
}()

var commonmark = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough))

// markdown returns an article's text as HTML that is safe to show.
func markdown(text string) templ.Component {
	var b bytes.Buffer
	if err := commonmark.Convert([]byte(text), &b); err != nil {
		return templ.Raw("", err)
	}
	return templ.Raw(string(policy.SanitizeBytes(b.Bytes())))
}
