package fetch

import (
	"context"
	"net/url"
	"path"
	"strings"

	"polaris/models/fault"
)

// Bounds limit a crawl.
type Bounds struct {
	Pages int    // documents fetched; at least 1
	Bytes int64  // of all documents together
	Depth int    // links away from the start; 0: any
	Below string // only addresses whose path begins so; "": the folder of the start
}

// A Crawled says how a crawl went.
type Crawled struct {
	Pages   int
	Bytes   int64
	Skipped map[string]string // address → why it was not fetched
	Stopped string            // the bound that ended it: "max_pages", "max_bytes"; "" when everything was seen
}

// maxQueue bounds the addresses that wait, and those whose reasons are kept.
const maxQueue = 20_000

// Crawl fetches the documents of one site, breadth first from start, and hands
// each to visit. It asks one document at a time and waits between them as long
// as robots.txt says, a second at least. It never leaves the site's host. A
// document that cannot be had is skipped, with its reason; an error of visit
// ends the crawl.
func (c *Client) Crawl(ctx context.Context, start string, b Bounds, visit func(*Response) error) (Crawled, error) {
	out := Crawled{Skipped: map[string]string{}}
	root, err := parse(start)
	if err != nil {
		return out, err
	}
	if b.Pages < 1 || b.Bytes < 1 {
		return out, fault.Field("max_pages", "A crawl needs a bound on pages and on bytes.")
	}
	if b.Below == "" {
		b.Below = folder(root)
	}
	w := walk{client: c, root: root, bounds: b, out: &out, seen: map[string]bool{}}
	w.add(root, 0)
	for len(w.queue) > 0 {
		if out.Pages >= b.Pages {
			out.Stopped = "max_pages"
			return out, nil
		}
		if out.Pages > 0 || len(out.Skipped) > 0 {
			if err := c.pause(ctx, c.robots.delay(ctx, root)); err != nil {
				return out, err
			}
		}
		next := w.queue[0]
		w.queue = w.queue[1:]
		stop, err := w.step(ctx, next, visit)
		if err != nil || stop {
			return out, err
		}
	}
	return out, nil
}

// A walk is a crawl on its way.
type walk struct {
	client *Client
	root   *url.URL
	bounds Bounds
	out    *Crawled
	queue  []waiting
	seen   map[string]bool
}

type waiting struct {
	u     *url.URL
	depth int
}

// step fetches one address; stop says that a bound is reached.
func (w *walk) step(ctx context.Context, at waiting, visit func(*Response) error) (stop bool, err error) {
	res, err := w.client.Get(ctx, at.u.String(), Seen{})
	if ctx.Err() != nil {
		return true, ctx.Err()
	}
	if err != nil {
		w.skip(at.u, fault.Of(err).Message)
		return false, nil
	}
	final, err := parse(res.URL)
	if err != nil || !sameSite(w.root, final) {
		w.skip(at.u, "It leads to another site.")
		return false, nil //nolint:nilerr // one that cannot be had does not end the crawl
	}
	if key := address(final); key != address(at.u) {
		if w.seen[key] {
			return false, nil // a redirect to what was fetched, or will be
		}
		w.seen[key] = true
	}
	if w.out.Bytes+int64(len(res.Data)) > w.bounds.Bytes {
		w.out.Stopped = "max_bytes"
		return true, nil
	}
	found := read(final, res)
	if !found.noIndex {
		w.out.Pages++
		w.out.Bytes += int64(len(res.Data))
		if err := visit(res); err != nil {
			return true, err
		}
	}
	if w.bounds.Depth == 0 || at.depth < w.bounds.Depth {
		for _, u := range found.links {
			w.add(u, at.depth+1)
		}
	}
	return false, nil
}

// add queues an address of the site that was not seen before.
func (w *walk) add(u *url.URL, depth int) {
	key := address(u)
	if w.seen[key] || len(w.queue) >= maxQueue || !sameSite(w.root, u) || !strings.HasPrefix(u.EscapedPath()+"/", w.bounds.Below) || media(u) {
		return
	}
	w.seen[key] = true
	w.queue = append(w.queue, waiting{u, depth})
}

func (w *walk) skip(u *url.URL, why string) {
	if len(w.out.Skipped) < maxQueue {
		w.out.Skipped[u.String()] = why
	}
}

// folder returns the path up to the last slash.
func folder(u *url.URL) string {
	p := u.EscapedPath()
	return p[:strings.LastIndexByte(p, '/')+1]
}

// address returns u in the form in which two spellings of one page are equal.
func address(u *url.URL) string {
	v := *u
	v.Fragment, v.RawFragment = "", ""
	v.Host = strings.ToLower(v.Host)
	if port := v.Port(); v.Scheme == "http" && port == "80" || v.Scheme == "https" && port == "443" {
		v.Host = v.Hostname()
	}
	if v.Path == "" {
		v.Path = "/"
	}
	return v.Host + v.EscapedPath() + "?" + v.Query().Encode() // the scheme does not make another page
}

// sameSite reports whether two addresses are of one host and port.
func sameSite(a, b *url.URL) bool {
	return strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "" && p != "80" && p != "443":
		return p
	default:
		return "" // http and https of one host are one site
	}
}

// media reports whether the address ends like something that is no document.
func media(u *url.URL) bool {
	switch strings.ToLower(path.Ext(u.Path)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".css", ".js", ".mjs", ".woff", ".woff2", ".ttf", ".mp3", ".mp4", ".webm", ".avi", ".mov", ".exe", ".dmg", ".iso", ".tar", ".tgz", ".gz", ".7z":
		return true
	}
	return false
}
