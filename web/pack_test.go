package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var loads = regexp.MustCompile(`(?:src|href)="(/static/[^"]+)"`)

// The first page of a brain, with all that it loads, is short on the wire.
func TestFirstPageIsLight(t *testing.T) {
	t.Parallel()
	s, b := published(t)
	s.askAs(b.createKey("calliope", "agent"), "calliope")
	for _, path := range []string{"", "/ask", "/sources", "/approvals"} {
		page := b.get("/brains/calliope"+path, "Accept-Encoding", "gzip").want(http.StatusOK)
		if page.Header.Get("Content-Encoding") != "gzip" || !strings.Contains(page.Header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("%s comes as %q", path, page.Header.Get("Content-Encoding"))
		}
		n := len(page.text)
		all := loads.FindAllStringSubmatch(b.get("/brains/calliope"+path).text, -1)
		if len(all) < 6 {
			t.Fatalf("the page loads %q", all)
		}
		for _, m := range all {
			n += len(b.get(m[1], "Accept-Encoding", "gzip").want(http.StatusOK).text)
		}
		t.Logf("%q: %d bytes with %d files", path, n, len(all))
		if n > 150_000 {
			t.Errorf("%q is %d bytes on the wire", path, n)
		}
	}
}

// A page is packed only where nobody else could learn from its length.
func TestPagesArePackedWithCare(t *testing.T) {
	t.Parallel()
	_, b := published(t)
	for _, row := range []struct {
		path   string
		header []string
		packed bool
	}{
		{"/brains/calliope", nil, true},
		{"/brains/calliope", []string{"Sec-Fetch-Site", "cross-site"}, false},
		{"/brains/calliope", []string{"Sec-Fetch-Site", "same-site"}, false},
		{"/brains/calliope/search?q=handbook", nil, false},
		{"/brains/calliope/search?q=handbook", []string{"Sec-Fetch-Site", "same-origin"}, true},
		{"/brains/calliope/search?q=handbook", []string{"Sec-Fetch-Site", "none"}, true},
		{"/brains/calliope/search?q=handbook", []string{"Sec-Fetch-Site", "cross-site"}, false},
		{"/brains/calliope/nowhere", nil, false},
	} {
		a := b.get(row.path, append(row.header, "Accept-Encoding", "br, gzip")...)
		if got := a.Header.Get("Content-Encoding") == "gzip"; got != row.packed {
			t.Errorf("%s %q: packed %v, want %v", row.path, row.header, got, row.packed)
		}
	}
	for _, no := range []string{"identity", "br", "gzip;q=0", "gzip; q=0.0"} {
		if got := b.get("/brains/calliope", "Accept-Encoding", no).Header.Get("Content-Encoding"); got != "" {
			t.Errorf("who takes %q is sent %q", no, got)
		}
	}
	// A page with a key is not, whoever asks for it.
	a := b.post("/brains/calliope/settings/api-keys", map[string][]string{"label": {"x"}, "scope": {"advisor:read"}, "expires": {"30"}}, "Accept-Encoding", "gzip", "Sec-Fetch-Site", "same-origin")
	a.want(http.StatusCreated, "Copy the key now")
	if got := a.Header.Get("Content-Encoding"); got != "" {
		t.Errorf("the page with the key comes as %q", got)
	}
}
