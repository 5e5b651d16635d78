package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"polaris/advisor/fetch"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// Bounds of what is fetched.
const (
	mostPages     = 500              // of one crawl
	mostCrawled   = int64(256 << 20) // bytes of one crawl
	longestCrawl  = 12 * time.Minute // less than a job may take
	skippedToName = 20
)

// fetchable refuses addresses that cannot be fetched, before anything is staged.
func (in StartImportIn) fetchable(e *Env) error {
	if (len(in.URLs) > 0 || in.Crawl != nil) && e.desk.Settings.Fetch == nil {
		return fault.Field("urls", "This server fetches nothing from others. Send the documents themselves.").WithCode("fetching_off")
	}
	for _, u := range in.URLs {
		if err := fetch.Check(u); err != nil {
			return fault.Field("urls", "%s: %s", clean(u), fault.Of(err).Message)
		}
	}
	if in.Crawl == nil {
		return nil
	}
	if err := fetch.Check(in.Crawl.URL); err != nil {
		return fault.Field("crawl", "%s: %s", clean(in.Crawl.URL), fault.Of(err).Message)
	}
	if n := in.Crawl.MaxPages; n < 1 || n > mostPages {
		return fault.Field("crawl", "A crawl takes between 1 and %d pages (max_pages).", mostPages)
	}
	if n := in.Crawl.MaxBytes; n < 0 || n > mostCrawled {
		return fault.Field("crawl", "A crawl takes between 1 and %d bytes (max_bytes); 0 or nothing means as many.", mostCrawled)
	}
	return nil
}

// addresses returns an item for each address that is to be fetched.
func (in StartImportIn) addresses() []models.ImportItem {
	var items []models.ImportItem
	for _, u := range in.URLs {
		items = append(items, models.ImportItem{Name: clean(u), URL: u})
	}
	if in.Crawl != nil {
		items = append(items, models.ImportItem{Name: clean(in.Crawl.URL), URL: in.Crawl.URL, Crawl: &in.Crawl.Crawl})
	}
	return items
}

// fetch asks for what an item names, and stages each document as an item of its
// own: from here on its bytes are those that were sent, whatever the server says
// later.
func (d *Desk) fetch(ctx context.Context, r *reading) error {
	switch c := r.item.Crawl; {
	case d.Settings.Fetch == nil:
		return fault.New(fault.Unsupported, "This server fetches nothing from others.").WithCode("fetching_off")
	case c == nil:
		return d.fetchOne(ctx, r)
	case c.Sitemap:
		return d.fetchSitemap(ctx, r)
	}
	return d.crawl(ctx, r)
}

// fetchOne fetches one document, unless the draft has what its server still
// sends.
func (d *Desk) fetchOne(ctx context.Context, r *reading) error {
	var last *models.ImportItem
	err := d.Store.InBrain(ctx, r.job.Brain, func(tx *store.Tx) (err error) { last, err = tx.LastFetched(r.item.URL); return err })
	if err != nil {
		return err
	}
	var seen fetch.Seen
	if last != nil {
		seen = fetch.Seen{ETag: last.ETag, LastModified: last.LastModified}
	}
	res, err := d.Settings.Fetch.Get(ctx, r.item.URL, seen)
	if err != nil {
		return err
	}
	if res.Unchanged {
		return d.end(ctx, r.job, func(i *models.ImportItem) {
			i.State, i.SourceID, i.Code, i.Title, i.Revision, i.Passages = models.ItemUnchanged, last.SourceID, last.Code, last.Title, last.Revision, last.Passages
			i.ETag, i.LastModified = seen.ETag, seen.LastModified
		})
	}
	return d.inImport(ctx, r, fetched("1 document was sent.", nil), func(tx *store.Tx, st *store.Staged) error {
		return addFetched(tx, st, r, res, r.item.URL)
	})
}

// crawl follows the links of a site.
func (d *Desk) crawl(ctx context.Context, r *reading) error {
	ctx, cancel := context.WithTimeout(ctx, longestCrawl)
	defer cancel()
	c := r.item.Crawl
	most := c.MaxBytes
	if most == 0 {
		most = mostCrawled
	}
	n := 0
	full := "" // the bound that is reached together with what was fetched before the process was killed
	out, err := d.Settings.Fetch.Crawl(ctx, r.item.URL, fetch.Bounds{Pages: c.MaxPages, Bytes: most, Below: c.Below}, func(res *fetch.Response) error {
		err := d.inImport(ctx, r, nil, func(tx *store.Tx, st *store.Staged) (err error) {
			if full, err = overBounds(tx, r, res, c.MaxPages, most); err != nil || full != "" {
				return cmp.Or(err, errFull)
			}
			return addFetched(tx, st, r, res, res.URL)
		})
		if err == nil {
			n++
		}
		return err
	})
	switch {
	case errors.Is(err, errFull):
		out.Stopped = full
	case context.Cause(ctx) == context.DeadlineExceeded && n > 0: //nolint:errorlint // the cause is the very error
		out.Stopped = "time"
	case err != nil:
		return err
	case n == 0 && len(out.Skipped) > 0:
		return fault.New(fault.Unavailable, "%s", out.Skipped[slices.Min(slices.Collect(maps.Keys(out.Skipped)))])
	}
	return d.end(ctx, r.job, fetched(crawled(n, out), skipped(out.Skipped)))
}

// errFull ends a crawl that has fetched what it may.
var errFull = errors.New("ops: the crawl has what it may fetch")

// overBounds names the bound that a further document of a crawl would go beyond.
// A crawl that is taken up again counts what it fetched before, even if the
// site has other links by now.
func overBounds(tx *store.Tx, r *reading, res *fetch.Response, pages int, most int64) (string, error) {
	have, err := tx.FetchedFor(r.job)
	if _, ok := have[res.URL]; err != nil || ok {
		return "", err
	}
	size := int64(len(res.Data))
	for _, n := range have {
		size += n
	}
	switch {
	case len(have) >= pages:
		return "max_pages", nil
	case size > most:
		return "max_bytes", nil
	}
	return "", nil
}

// fetchSitemap fetches what a site's sitemap names.
func (d *Desk) fetchSitemap(ctx context.Context, r *reading) error {
	c := r.item.Crawl
	urls, err := d.Settings.Fetch.Sitemap(ctx, r.item.URL, c.MaxPages)
	if err != nil {
		return err
	}
	if len(urls) == 0 {
		return fault.New(fault.NotFound, "The site has no sitemap that names pages of it.").WithCode("no_sitemap")
	}
	return d.inImport(ctx, r, fetched(fmt.Sprintf("%d addresses are in its sitemap.", len(urls)), nil), func(_ *store.Tx, st *store.Staged) error {
		if st.Items()+len(urls) > mostItems {
			return fault.New(fault.TooLarge, "An import is at most %d documents.", mostItems)
		}
		for _, u := range urls {
			if err := st.AddItem(models.ImportItem{Name: clean(u), URL: u}, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// crawled says how a crawl went.
func crawled(n int, out fetch.Crawled) string {
	s := fmt.Sprintf("%d documents were sent", n)
	if len(out.Skipped) > 0 {
		s += fmt.Sprintf(", %d addresses skipped", len(out.Skipped))
	}
	switch out.Stopped {
	case "max_pages":
		return s + "; there are more than max_pages."
	case "max_bytes":
		return s + "; there is more than max_bytes."
	case "time":
		return s + "; it ended since it took too long."
	}
	return s + "."
}

// skipped names the first addresses that were skipped, with the reason.
func skipped(why map[string]string) (out []string) {
	for _, u := range slices.Sorted(maps.Keys(why)) {
		if len(out) == skippedToName {
			return append(out, fmt.Sprintf("%d further addresses were skipped.", len(why)-skippedToName))
		}
		out = append(out, clean(u)+": "+why[u])
	}
	return out
}

// addFetched stages a document that was sent, once: a crawl that begins anew
// after its process was killed meets it again.
func addFetched(tx *store.Tx, st *store.Staged, r *reading, res *fetch.Response, from string) error {
	have, err := tx.FetchedFor(r.job)
	if _, ok := have[from]; err != nil || ok {
		return err
	}
	if st.Items() >= mostItems {
		return fault.New(fault.TooLarge, "An import is at most %d documents.", mostItems)
	}
	item := models.ImportItem{Name: clean(res.Name), OfArchive: r.item.N, URL: from, ETag: res.Seen.ETag, LastModified: res.Seen.LastModified}
	return st.AddItem(item, res.Data)
}

// inImport adds items to the import of an item that has not ended, and ends it
// in the same transaction where end says how.
func (d *Desk) inImport(ctx context.Context, r *reading, end func(*models.ImportItem), add func(*store.Tx, *store.Staged) error) error {
	return d.Store.InBrain(ctx, r.job.Brain, func(tx *store.Tx) error {
		now := d.Now().UTC()
		imp, err := tx.LockImport(r.imp.ID)
		if err != nil {
			return err
		}
		if imp.CancelledAt != nil {
			return store.ErrItemEnded
		}
		st, err := tx.Stage(r.imp.ID, now)
		if err != nil {
			return err
		}
		if err := add(tx, st); err != nil {
			return err
		}
		if err := st.Enqueue(); err != nil || end == nil {
			return err
		}
		r.item.FinishedAt = &now
		end(r.item)
		return tx.EndItem(r.item)
	})
}

// fetched ends the item of an address.
func fetched(reason string, warnings []string) func(*models.ImportItem) {
	return func(i *models.ImportItem) {
		i.State, i.Reason = models.ItemFetched, reason
		i.Warnings = append(i.Warnings, warnings...)
	}
}

// fetchedFrom says where a document that was fetched comes from. One that the
// draft has from that address already is its next revision, even if its title
// is another one now.
func (d *Desk) fetchedFrom(ctx context.Context, r *reading, in *ImportSourceIn) error {
	if r.item.URL == "" {
		return nil
	}
	in.OriginURL = r.item.URL
	if in.Code != "" {
		return nil
	}
	return d.Store.InBrain(ctx, r.job.Brain, func(tx *store.Tx) (err error) {
		in.Code, err = tx.SourceFrom(r.item.URL)
		return err
	})
}
