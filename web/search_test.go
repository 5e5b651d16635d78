package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"polaris/models"
)

// Search leads to pages, acts and things that the reader may open, and to no
// others; as a page, and as the part that the dialog swaps in.
func TestSearchPage(t *testing.T) {
	t.Parallel()
	s, b := published(t)
	s.brain("urania", "eve@example.org")
	find := func(b *browser, text string) *answer {
		return b.sees("/brains/calliope/search?" + url.Values{"q": {text}}.Encode())
	}
	find(b, "").want(http.StatusOK, "Pages", "Acts", "Create an API key")
	find(b, "handbook").want(http.StatusOK, "Lending Handbook", "/brains/calliope/sources/HB")
	find(b, "hb 4.2(").want(http.StatusOK, "HB 4.2(a)", "/sources/HB?key=HB+4.2%28a%29").lacks("Acts")
	find(b, "key").want(http.StatusOK, "API keys", "Create an API key")
	find(b, `<script>alert(1)</script>`).want(http.StatusOK, "Nothing has this in its name").lacks("<script>alert")
	find(b, "urania").lacks(`href="/brains/urania"`)
	b.get("/brains/calliope/search?q="+strings.Repeat("x", 201)).want(http.StatusUnprocessableEntity, "at most 200 characters")
	part := b.get("/brains/calliope/search?q=handbook", "HX-Request", "true").want(http.StatusOK, "Lending Handbook", `id="found"`, `data-for="handbook"`)
	if strings.Contains(part.text, "<html") {
		t.Error("the dialog is given a whole page")
	}

	s.person("reader@example.org", "calliope", models.RoleReader)
	r := s.browser()
	r.signIn("reader@example.org", password)
	find(r, "").want(http.StatusOK, "Ask a question").lacks("Create an API key", "Sources", "Publish the draft")
	find(r, "handbook").lacks("/sources/HB")
	find(r, "HB 4.").lacks("HB 4.2(a)")
}

// The switcher leads to the brains that the reader is in, and to no others.
func TestBrainSwitcher(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	b.sees("/brains/calliope").lacks("Switch to")
	s.brain("urania", "eve@example.org")
	s.brain("thalia", owner)
	b.sees("/brains/calliope", "Switch to", `href="/brains/thalia"`).lacks(`href="/brains/urania"`)
	b.sees("/brains/thalia", `href="/brains/calliope"`)
}
