package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"strings"

	"polaris/models/fault"
)

// The bounds of a sitemap, as its specification has them.
const (
	maxSitemapURLs  = 50_000
	maxSitemapBytes = 50 << 20
	maxSitemapFiles = 50
)

// Sitemap returns the addresses of a site that its sitemaps name: those that
// robots.txt points to, else /sitemap.xml. Only addresses of the same site
// count, at most most of them, in the order of the files. A site without a
// sitemap has none, which is no error.
func (c *Client) Sitemap(ctx context.Context, site string, most int) ([]string, error) {
	root, err := parse(site)
	if err != nil {
		return nil, err
	}
	robots, err := c.robots.get(ctx, root)
	if err != nil {
		return nil, err
	}
	files := robots.Sitemaps
	if len(files) == 0 {
		files = []string{root.Scheme + "://" + root.Host + "/sitemap.xml"}
	}
	m := sitemap{site: root, most: min(most, maxSitemapURLs), seen: map[string]bool{}}
	for n := 0; len(files) > 0 && n < maxSitemapFiles && len(m.urls) < m.most; n++ {
		file := files[0]
		files = files[1:]
		u, err := parse(file)
		if err != nil || !sameSite(root, u) || m.seen["file "+u.String()] {
			continue
		}
		m.seen["file "+u.String()] = true
		res, err := c.get(ctx, u, Seen{})
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return m.urls, err
		}
		more, err := m.read(res.Data)
		if err != nil {
			return m.urls, fault.New(fault.Unreadable, "The sitemap at %s cannot be read.", u.Host).Because(err)
		}
		files = append(files, more...)
	}
	return m.urls, nil
}

type sitemap struct {
	site *url.URL
	most int
	urls []string
	seen map[string]bool
}

// read collects what one file names: pages, or further files.
func (m *sitemap) read(data []byte) (files []string, err error) {
	var r io.Reader = bytes.NewReader(data)
	if bytes.HasPrefix(data, []byte{0x1F, 0x8B}) {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, err
		}
	}
	d := xml.NewDecoder(io.LimitReader(r, maxSitemapBytes))
	index := false
	for len(m.urls) < m.most { // a huge one is read as far as it is wanted
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return files, err
		}
		start, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		index = index || start.Name.Local == "sitemapindex"
		if start.Name.Local != "loc" {
			continue
		}
		var loc string
		if err := d.DecodeElement(&loc, &start); err != nil {
			return files, err
		}
		if loc = strings.TrimSpace(loc); index {
			files = append(files, loc)
			continue
		}
		if u, err := parse(loc); err == nil && sameSite(m.site, u) && !m.seen[u.String()] && len(m.urls) < m.most {
			m.seen[u.String()] = true
			m.urls = append(m.urls, u.String())
		}
	}
	return files, nil
}
