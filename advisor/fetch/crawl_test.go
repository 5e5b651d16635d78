package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"polaris/models/fault"
)

// library is a site with everything that a crawl must not be led astray by.
func library() http.Handler {
	raw := func(contentType, body string) http.HandlerFunc {
		return func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", contentType)
			_, _ = rw.Write([]byte(body))
		}
	}
	return site(map[string]http.HandlerFunc{
		"/robots.txt": raw("text/plain", "User-agent: *\nDisallow: /rules/secret\nCrawl-delay: 3\n"),
		"/rules/{$}":  page("a", "/rules/b#top", "/rules/b?x=1&y=2", "/rules/b?y=2&x=1", "HTTP://DOCS.example:80/rules/a", "/elsewhere", "https://other.example/rules/z", "mailto:a@docs.example", "logo.png", "secret/x", "gone", "moved", "out", "noindex", "nofollow"),
		"/rules/a":    page("deep/1"),
		"/rules/b":    page("/rules/"),
		"/rules/moved": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, "/rules/a", http.StatusMovedPermanently)
		},
		"/rules/out": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, "http://other.example/", http.StatusFound)
		},
		"/rules/deep/1": page("2"), "/rules/deep/2": page("3"), "/rules/deep/3": raw("application/pdf", "%PDF-1.4 <a href=\"4\">"),
		"/rules/noindex":  raw("text/html", `<meta name="robots" content="noindex"><a href="/rules/n1">`),
		"/rules/nofollow": raw("text/html", `<meta name="robots" content="nofollow"><a href="/rules/n2">`),
		"/rules/n1":       page(), "/rules/n2": page(),
		"/elsewhere": page(), "/rules/secret/x": page(),
	})
}

func TestCrawl(t *testing.T) {
	t.Parallel()
	w := newWorld(t, library())
	w.names["other.example"] = [][]string{{"93.184.216.35"}}
	c := w.client(Settings{})
	var waits []time.Duration
	c.pause = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
	var got []string
	out, err := c.Crawl(t.Context(), "http://docs.example/rules/", Bounds{Pages: 100, Bytes: 1 << 20}, func(r *Response) error {
		got = append(got, strings.TrimPrefix(r.URL, "http://docs.example/rules/"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"", "a", "b", "b?x=1&y=2", "nofollow", "deep/1", "n1", "deep/2", "deep/3"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if out.Pages != len(want) || out.Stopped != "" {
		t.Errorf("got %+v", out)
	}
	var skipped []string
	for u := range out.Skipped {
		skipped = append(skipped, strings.TrimPrefix(u, "http://docs.example/rules/"))
	}
	slices.Sort(skipped)
	if want := []string{"gone", "out", "secret/x"}; !slices.Equal(skipped, want) {
		t.Errorf("skipped %q, want %q", skipped, want)
	}
	for _, d := range waits {
		if d != 3*time.Second {
			t.Errorf("waited %v, and robots.txt asks for 3 s", d)
		}
	}
	if len(waits) < len(want) {
		t.Errorf("waited %d times for %d requests", len(waits), len(want))
	}
}

func TestCrawlBounds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		b       Bounds
		pages   int
		stopped string
	}{
		"pages": {Bounds{Pages: 3, Bytes: 1 << 20}, 3, "max_pages"},
		"bytes": {Bounds{Pages: 100, Bytes: 600}, 5, "max_bytes"},
		"depth": {Bounds{Pages: 100, Bytes: 1 << 20, Depth: 1}, 6, ""},
		"below": {Bounds{Pages: 100, Bytes: 1 << 20, Below: "/rules/deep/"}, 1, ""},
	} {
		w := newWorld(t, library())
		w.names["other.example"] = [][]string{{"93.184.216.35"}}
		start := "http://docs.example/rules/"
		if tc.b.Below != "" {
			start += "deep/3"
		}
		out, err := w.client(Settings{}).Crawl(t.Context(), start, tc.b, func(*Response) error { return nil })
		if err != nil || out.Stopped != tc.stopped || out.Bytes > tc.b.Bytes || out.Pages != tc.pages && name != "depth" {
			t.Errorf("%s: got %+v, %v", name, out, err)
		}
		if name == "depth" && (out.Pages < 4 || out.Pages > 6) {
			t.Errorf("depth 1: got %d pages", out.Pages)
		}
	}
	w := newWorld(t, library())
	if _, err := w.client(Settings{}).Crawl(t.Context(), "http://docs.example/", Bounds{}, nil); !fault.Is(err, fault.Invalid) {
		t.Errorf("without bounds: got %v", err)
	}
	stop := errors.New("enough")
	if _, err := w.client(Settings{}).Crawl(t.Context(), "http://docs.example/rules/", Bounds{Pages: 9, Bytes: 1 << 20}, func(*Response) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("visit's error: got %v", err)
	}
}

// TestCrawlOfAnEndlessSite has a calendar that always has a next day.
func TestCrawlOfAnEndlessSite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, site(map[string]http.HandlerFunc{"/robots.txt": http.NotFound, "/": func(rw http.ResponseWriter, r *http.Request) {
		n := 0
		_, _ = fmt.Sscanf(r.URL.Path, "/day/%d", &n)
		var links []string
		for k := range 200 {
			links = append(links, fmt.Sprintf("/day/%d", 200*n+k+1))
		}
		page(links...)(rw, r)
	}}))
	out, err := w.client(Settings{}).Crawl(t.Context(), "http://docs.example/", Bounds{Pages: 150, Bytes: 1 << 30}, func(*Response) error { return nil })
	if err != nil || out.Pages != 150 || out.Stopped != "max_pages" {
		t.Errorf("got %+v, %v", out, err)
	}
}

func TestSitemap(t *testing.T) {
	t.Parallel()
	serve := func(body string) http.HandlerFunc {
		return func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "application/xml")
			_, _ = rw.Write([]byte(body))
		}
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(`<urlset><url><loc>http://docs.example/three</loc></url></urlset>`))
	_ = z.Close()
	w := newWorld(t, site(map[string]http.HandlerFunc{
		"/robots.txt": serve("Sitemap: http://docs.example/index.xml\nSitemap: http://169.254.169.254/x.xml\n"),
		"/index.xml":  serve(`<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>http://docs.example/1.xml</loc></sitemap><sitemap><loc>http://docs.example/2.xml.gz</loc></sitemap><sitemap><loc>http://docs.example/index.xml</loc></sitemap><sitemap><loc>http://docs.example/none.xml</loc></sitemap></sitemapindex>`),
		"/1.xml":      serve(`<urlset><url><loc> http://docs.example/one </loc></url><url><loc>http://docs.example/one</loc></url><url><loc>http://10.0.0.1/x</loc></url><url><loc>https://docs.example/two</loc></url></urlset>`),
		"/2.xml.gz": func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "application/gzip")
			_, _ = rw.Write(zipped.Bytes())
		},
		"/none.xml": http.NotFound,
	}))
	got, err := w.client(Settings{}).Sitemap(t.Context(), "http://docs.example/", 100)
	if want := []string{"http://docs.example/one", "https://docs.example/two", "http://docs.example/three"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := w.client(Settings{}).Sitemap(t.Context(), "http://docs.example/", 1); err != nil || len(got) != 1 {
		t.Errorf("at most one: got %q, %v", got, err)
	}
	bare := newWorld(t, http.NotFoundHandler())
	if got, err := bare.client(Settings{}).Sitemap(t.Context(), "http://docs.example/", 100); err != nil || len(got) != 0 {
		t.Errorf("no sitemap: got %q, %v", got, err)
	}
	// One that is over the limits is read as far as it is wanted, and one that
	// names itself once.
	vast := "<urlset>" + strings.Repeat("<url><loc>http://docs.example/a</loc></url>", 50) + "<url><loc>http://docs.example/b</loc></url>" + strings.Repeat(" ", maxSitemapBytes)
	odd := newWorld(t, site(map[string]http.HandlerFunc{"/robots.txt": http.NotFound, "/sitemap.xml": serve(vast)}))
	if got, err := odd.client(Settings{}).Sitemap(t.Context(), "http://docs.example/", 2); err != nil || len(got) != 2 {
		t.Errorf("a vast one: got %q, %v", got, err)
	}
	for name, body := range map[string]string{
		"broken":         `<urlset><url><loc>http://docs.example/a`,
		"no such entity": `<urlset><url><loc>&lol;</loc></url></urlset>`,
	} {
		bad := newWorld(t, site(map[string]http.HandlerFunc{"/robots.txt": http.NotFound, "/sitemap.xml": serve(body)}))
		if _, err := bad.client(Settings{}).Sitemap(t.Context(), "http://docs.example/", 100); !fault.Is(err, fault.Unreadable) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func FuzzLinks(f *testing.F) {
	f.Add([]byte(`<base href="/x/"><a href="a">b</a><meta name=robots content=none>`))
	f.Fuzz(func(t *testing.T, body []byte) {
		at, err := parse("http://docs.example/")
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range read(at, &Response{MediaType: "text/html", Data: body}).links {
			if u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Host == "" {
				t.Errorf("link %q", u)
			}
		}
	})
}

func FuzzSitemap(f *testing.F) {
	f.Add([]byte(`<urlset><url><loc>http://docs.example/a</loc></url><url><loc> //x@[::1]/ </loc></url></urlset>`))
	f.Add([]byte(`<sitemapindex><sitemap><loc>http://docs.example/b.xml</loc></sitemap></sitemapindex>`))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Fuzz(func(t *testing.T, body []byte) {
		at, err := parse("http://docs.example/")
		if err != nil {
			t.Fatal(err)
		}
		m := sitemap{site: at, most: 10, seen: map[string]bool{}}
		_, _ = m.read(body) // what cannot be read is refused
		if len(m.urls) > m.most {
			t.Errorf("%d addresses", len(m.urls))
		}
		for _, s := range m.urls {
			if u, err := parse(s); err != nil || !sameSite(at, u) || u.User != nil {
				t.Errorf("address %q", s)
			}
		}
	})
}
