package web

import (
	"net/url"
	"strings"
	"testing"

	"polaris/models"
)

// Whoever decides on a publish is told what of the draft it leaves out, and
// whoever certified it since sees that it comes in.
func TestAPublishSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	s, a, b := fourEyed(t)
	s.draft("acme", "PL", "# Price List\n\nThe price of a stamp is \u202e12\u202c euros.\n")
	publish := func() string {
		return a.post("/brains/acme/versions", url.Values{"notes": {""}}).waits()
	}
	at := publish()
	b.sees(at, "Left out until a curator has certified it:", "Price List (PL), revision 1: ")
	b.approves(at)
	b.sees(at, "Left out until a curator has certified it:") // what was decided stays to be read

	s.draft("acme", "PL", "# Price List\n\nThe price of a stamp is \u202e15\u202c euros.\n")
	a.get("/brains/acme/sources/PL").want(200, "Brought in by "+owner, "not published until another curator")
	a.post("/brains/acme/sources/PL/certification", url.Values{"revision": {"2"}}).want(403, "brought in revision 2")
	s.person("cleo@example.org", "acme", models.RoleCurator)
	c := s.browser()
	c.signIn("cleo@example.org", password).want(303)
	c.post("/brains/acme/sources/PL/certification", url.Values{"revision": {"2"}}).want(303)
	b.sees(publish(), "Price List").lacks("Left out until")
}

// A source that was purged is not offered to be put back.
func TestWhatIsPurgedIsNotRestored(t *testing.T) {
	t.Parallel()
	s, a, b := fourEyed(t)
	s.draft("acme", "RU", rules)
	a.post("/brains/acme/sources/HB/removal", nil).want(303)
	a.sees("/brains/acme/sources?state=removed", "HB", "Taken out", "Restore it")
	b.approves(a.post("/brains/acme/sources/RU/purge", url.Values{"reason": {"Order 3 O 12/26"}}).waits())
	page := a.sees("/brains/acme/sources?state=removed", "RU", "purged")
	if n := strings.Count(page.text, `aria-label="Restore it`); n != 1 {
		t.Errorf("%d sources are offered to be put back, want HB alone\n%s", n, page.text)
	}
}
