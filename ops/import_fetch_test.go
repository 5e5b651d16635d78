package ops_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"polaris/advisor/fetch"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// A website answers from a table that a test may change.
type website struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]string
	asked map[string]int
}

func newWebsite(t *testing.T, pages map[string]string) *website {
	t.Helper()
	w := &website{pages: pages, asked: map[string]int{}}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked[r.URL.Path]++
		body, ok := w.pages[r.URL.Path]
		if !ok {
			http.NotFound(rw, r)
			return
		}
		tag := fmt.Sprintf("%q", fmt.Sprint(len(body)))
		rw.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if strings.HasPrefix(body, "<") {
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		_, _ = rw.Write([]byte(body))
	}))
	t.Cleanup(w.Close)
	return w
}

func (w *website) set(path, body string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages[path] = body
}

// fetching lets a desk ask servers on this machine, and works.
func fetching(t *testing.T, d *ops.Desk) {
	t.Helper()
	d.Settings.Fetch = fetch.New(fetch.Settings{Reach: fetch.Reach{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}})
	working(t, d, 2)
}

// imported starts an import and waits for its end.
func imported(t *testing.T, d *ops.Desk, c ops.Call, in ops.StartImportIn) ops.ImportView {
	t.Helper()
	return finished(t, d, c, must(t, d, c, ops.StartImport, in).ID)
}

func states(v ops.ImportView) string {
	var out []string
	for _, it := range v.Items {
		s := string(it.State)
		if it.Status != "" {
			s += " " + it.Status
		}
		if it.Fault != "" {
			s += " " + it.Fault
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// A document is fetched, fetched again without being sent, revised where it
// changed though its title did, and read anew where the draft has another text.
func TestImportByAddress(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	fetching(t, d)
	site := newWebsite(t, map[string]string{"/rules.md": rules})
	url := site.URL + "/rules.md"
	v := imported(t, d, c, ops.StartImportIn{URLs: []string{url}})
	if got, want := states(v), "fetched; done new"; got != want {
		t.Fatalf("got %q, want %q: %+v", got, want, v.Items)
	}
	code := v.Items[1].Code
	src, err := ops.Do(t.Context(), d, c, ops.GetSource, ops.GetSourceIn{Source: code})
	if err != nil || src.Source.OriginURL != url {
		t.Errorf("origin %q, %v", src.Source.OriginURL, err)
	}
	v = imported(t, d, c, ops.StartImportIn{URLs: []string{url}})
	if got := states(v); got != "unchanged" || v.Items[0].Code != code || v.Items[0].Revision != 1 {
		t.Errorf("again: %q, %+v", got, v.Items)
	}
	site.set("/rules.md", strings.Replace(rules, "House Rules", "House Rules, second edition", 1))
	v = imported(t, d, c, ops.StartImportIn{URLs: []string{url}})
	if got := states(v); got != "fetched; done revised" || v.Items[1].Code != code || v.Items[1].Revision != 2 {
		t.Errorf("changed: %q, %+v", got, v.Items)
	}
	// Somebody uploads another text by hand: what the server marked is not what
	// the draft has, so it is sent again.
	if _, err := ops.Do(t.Context(), d, c, ops.ImportSource, ops.ImportSourceIn{Name: "x.md", Code: code, Data: []byte(rules + "\n\nBy hand.\n"), SourceFacts: ops.SourceFacts{OriginURL: url}}); err != nil {
		t.Fatal(err)
	}
	v = imported(t, d, c, ops.StartImportIn{URLs: []string{url}})
	if got := states(v); !strings.HasPrefix(got, "fetched; done") {
		t.Errorf("after an upload: %q", got)
	}
}

func TestImportOfWhatCannotBeFetched(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	fetching(t, d)
	site := newWebsite(t, map[string]string{"/rules.md": rules, "/robots.txt": "User-agent: *\nDisallow: /private\n"})
	v := imported(t, d, c, ops.StartImportIn{URLs: []string{"http://10.1.2.3/", site.URL + "/none", site.URL + "/private/x", site.URL + "/rules.md"}})
	if got, want := states(v), "failed address_not_allowed; failed not_found; failed robots; fetched; done new"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, in := range []ops.StartImportIn{
		{URLs: []string{"ftp://docs.example/x"}},
		{URLs: []string{"https://u:p@docs.example/x"}},
		{URLs: []string{""}},
		{Crawl: &ops.CrawlIn{URL: site.URL}},
		{Crawl: &ops.CrawlIn{URL: site.URL, Crawl: models.Crawl{MaxPages: 501}}},
		{Crawl: &ops.CrawlIn{URL: "x", Crawl: models.Crawl{MaxPages: 5}}},
		{Crawl: &ops.CrawlIn{URL: site.URL, Crawl: models.Crawl{MaxPages: 5, MaxBytes: -1}}},
		{},
	} {
		if _, err := ops.Do(t.Context(), d, c, ops.StartImport, in); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: got %v", in, err)
		}
	}
	off, _ := newDesk(t, store.Options{})
	c = newBrain(t, off, "calliope", false)
	if _, err := ops.Do(t.Context(), off, c, ops.StartImport, ops.StartImportIn{URLs: []string{site.URL}}); fault.Of(err) == nil || fault.Of(err).Code != "fetching_off" {
		t.Errorf("where nothing is fetched: got %v", err)
	}
}

func TestImportOfASite(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	fetching(t, d)
	page := func(title, body string) string {
		return "<html><head><title>" + title + "</title></head><body><main><h1>" + title + "</h1><p>" + body + "</p></main></body></html>"
	}
	site := newWebsite(t, map[string]string{
		"/rules/":     page("Start", "The rules of the house begin here. <a href='fees'>Fees</a> <a href='gone'>x</a> <a href='/other'>y</a>"),
		"/rules/fees": page("Fees", "The fee for a copy of the rules is ten dollars."),
		"/other":      page("Other", "This is not below the folder of the start."),
	})
	v := imported(t, d, c, ops.StartImportIn{Crawl: &ops.CrawlIn{URL: site.URL + "/rules/", Crawl: models.Crawl{MaxPages: 10}}})
	if got, want := states(v), "fetched; done new; done new"; got != want {
		t.Fatalf("got %q, want %q: %+v", got, want, v.Items)
	}
	if w := v.Items[0].Warnings; len(w) != 1 || !strings.Contains(w[0], "/rules/gone") {
		t.Errorf("skipped: %q", w)
	}
	site.set("/sitemap.xml", "<urlset><url><loc>"+site.URL+"/other</loc></url><url><loc>"+site.URL+"/rules/fees</loc></url></urlset>")
	v = imported(t, d, c, ops.StartImportIn{Crawl: &ops.CrawlIn{URL: site.URL, Crawl: models.Crawl{MaxPages: 10, Sitemap: true}}})
	if got, want := states(v), "fetched; fetched; unchanged; done new"; got != want {
		t.Errorf("sitemap: got %q, want %q", got, want)
	}
}

// A crawl that is taken up again by another process stays within its bounds in
// sum, though the site has other links by then, and fetches no page twice.
func TestACrawlTakenUpAgain(t *testing.T) {
	t.Parallel()
	for bound, within := range map[string]models.Crawl{
		"max_pages": {MaxPages: 3},
		"max_bytes": {MaxPages: 10, MaxBytes: 500}, // three of its pages
	} {
		t.Run(bound, func(t *testing.T) { t.Parallel(); takenUpAgain(t, bound, within) })
	}
}

func takenUpAgain(t *testing.T, bound string, within models.Crawl) {
	t.Helper()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	d.Settings.Fetch = fetch.New(fetch.Settings{Reach: fetch.Reach{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}})
	page := func(title, links string) string {
		return "<html><head><title>" + title + "</title></head><body><main><h1>" + title + "</h1><p>This is the page " + title + " of the house.</p>" + links + "</main></body></html>"
	}
	pages := map[string]string{"/": page("Start", "<a href='a1'>x</a> <a href='a2'>x</a> <a href='a3'>x</a>")}
	for _, n := range []string{"a1", "a2", "a3", "b1", "b2", "b3"} {
		pages["/"+n] = page("Page "+n, "")
	}
	site := newWebsite(t, pages)
	first, err := d.Work(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	id := must(t, d, c, ops.StartImport, ops.StartImportIn{Crawl: &ops.CrawlIn{URL: site.URL + "/", Crawl: within}}).ID
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if v := must(t, d, c, ops.GetImport, ops.ImportIDIn{ID: id}); v.Total >= 3 { // the crawl, and two of its pages
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the crawl does not begin")
		}
	}
	if err := first.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	site.set("/", page("Start", "<a href='b1'>x</a> <a href='b2'>x</a> <a href='b3'>x</a>"))
	working(t, d, 2)
	v := finished(t, d, c, id)
	size := int64(0)
	for _, i := range v.Items[1:] {
		size += i.Size
	}
	if !strings.Contains(v.Items[0].Reason, bound) || len(v.Items)-1 > within.MaxPages || within.MaxBytes > 0 && size > within.MaxBytes {
		t.Errorf("%d documents of %d bytes: %+v", len(v.Items)-1, size, v.Items)
	}
	if got, want := states(v), "fetched; done new; done new; done new"; got != want {
		t.Errorf("got %q, want %q: %+v", got, want, v.Items)
	}
}

// Another server that is away is tried again, and not for minutes.
func TestImportFromAServerThatIsAway(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	fetching(t, d)
	var asked atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		rw.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(site.Close)
	v := imported(t, d, c, ops.StartImportIn{URLs: []string{site.URL + "/rules"}})
	if got := states(v); got != "failed "+fetch.NotReached || asked.Load() != 3 {
		t.Errorf("after %d tries: %q", asked.Load(), got)
	}
}

// What is approved are the bytes that were fetched for the proposal, whatever
// the server says by then.
func TestAnImportByAddressWaitsWithItsBytes(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", true)
	fetching(t, d)
	site := newWebsite(t, map[string]string{"/rules.md": rules})
	ann, ben := signIn(t, d, "calliope", bob, models.RoleCurator), signIn(t, d, "calliope", cleo, models.RoleApprover)
	ann.Via, ann.Visit = ops.REST, nil
	v := imported(t, d, ann, ops.StartImportIn{URLs: []string{site.URL + "/rules.md"}})
	if got, want := states(v), "fetched; waits"; got != want {
		t.Fatalf("got %q, want %q: %+v", got, want, v.Items)
	}
	site.set("/rules.md", "# Other rules\n\nSomebody changed the page meanwhile.\n")
	if got, err := decide(t, d, ben, v.Items[1].Recommendation, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}
	src, err := ops.Do(t.Context(), d, c, ops.ListSources, ops.Page{})
	if err != nil || len(src.Sources) != 1 {
		t.Fatalf("%+v, %v", src, err)
	}
	one, err := ops.Do(t.Context(), d, c, ops.GetSource, ops.GetSourceIn{Source: src.Sources[0].Code})
	if err != nil || one.Revision.Text != rules {
		t.Errorf("what was approved: %.80q, %v", one.Revision.Text, err)
	}
}
