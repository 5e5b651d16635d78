package fetch

import (
	"bytes"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxLinks bounds the links that are taken from one page.
const maxLinks = 5_000

// A linked is what a page says to those who follow its links.
type linked struct {
	links   []*url.URL
	noIndex bool // the page asks not to be taken
}

// read finds the links of an HTML page, honouring <base>, nofollow and the
// page's own word to robots. Anything that is not HTML has no links.
func read(at *url.URL, res *Response) linked {
	var out linked
	if res.MediaType != "" && res.MediaType != "text/html" && res.MediaType != "application/xhtml+xml" {
		return out
	}
	base, follow := at, true
	z := html.NewTokenizer(bytes.NewReader(res.Data))
	z.SetMaxBuf(1 << 20)
	for len(out.links) < maxLinks {
		switch z.Next() {
		case html.ErrorToken: // the end, or a token beyond the bound
			if !follow {
				out.links = nil
			}
			return out
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch t.DataAtom {
			case atom.Base:
				if u, err := at.Parse(attr(t, "href")); err == nil {
					base = u
				}
			case atom.Meta:
				if strings.EqualFold(attr(t, "name"), "robots") {
					content := strings.ToLower(attr(t, "content"))
					none := strings.Contains(content, "none")
					out.noIndex = out.noIndex || none || strings.Contains(content, "noindex")
					follow = follow && !none && !strings.Contains(content, "nofollow")
				}
			case atom.A, atom.Area:
				href := strings.TrimSpace(attr(t, "href"))
				if href == "" || strings.Contains(strings.ToLower(attr(t, "rel")), "nofollow") {
					continue
				}
				if u, err := base.Parse(href); err == nil {
					if v, err := parse(u.String()); err == nil {
						out.links = append(out.links, v)
					}
				}
			}
		}
	}
	return out
}

func attr(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
