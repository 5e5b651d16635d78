package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"polaris/models"
)

// letters stand for roles in the table below.
var letters = []struct {
	letter string
	role   models.Role
}{{"o", models.RoleOwner}, {"a", models.RoleAdmin}, {"c", models.RoleCurator}, {"p", models.RoleApprover}, {"u", models.RoleAuditor}, {"r", models.RoleReader}}

// letIn says of each page and form of a brain which roles it lets in: owner,
// admin, curator, approver, auditor, reader. A page without a line fails the
// test. Who is not signed in, and who is in another brain, is let in nowhere:
// other tests go through the same list.
var letIn = map[string]string{
	"GET":                                   "oacpur",
	"GET/answers":                           "oacpu",
	"GET/answers/:id":                       "oacpu",
	"GET/answers/:id/replay":                "oacpu",
	"GET/approvals":                         "oacpu",
	"POST/approvals":                        "oacpu",
	"GET/approvals/:id":                     "oacpu",
	"POST/approvals/:id":                    "oacpu",
	"POST/approvals/:id/withdrawal":         "oacpu",
	"GET/approvals/review":                  "oacpu",
	"GET/ask":                               "oacpur",
	"POST/ask":                              "oacpur",
	"GET/audit":                             "oau",
	"GET/audit/export":                      "oau",
	"GET/audit/verification":                "oau",
	"GET/golden-questions":                  "oacpu",
	"POST/golden-questions":                 "oac",
	"GET/golden-questions/:id":              "oac",
	"POST/golden-questions/:id":             "oac",
	"GET/golden-questions/:id/removal":      "oac",
	"POST/golden-questions/:id/removal":     "oac",
	"GET/golden-questions/new":              "oac",
	"GET/golden-questions/report":           "oacpu",
	"POST/imports":                          "oac",
	"GET/imports/:id":                       "oacpu",
	"POST/imports/:id/cancellation":         "oac",
	"GET/imports/new":                       "oac",
	"GET/passages":                          "oacpur",
	"GET/search":                            "oacpur",
	"GET/settings":                          "oacpu",
	"POST/settings/answering":               "oa",
	"GET/settings/api-keys":                 "oa",
	"POST/settings/api-keys":                "oa",
	"GET/settings/api-keys/:id":             "oa",
	"POST/settings/api-keys/:id":            "oa",
	"POST/settings/api-keys/:id/owner":      "oa",
	"GET/settings/api-keys/:id/revocation":  "oa",
	"POST/settings/api-keys/:id/revocation": "oa",
	"GET/settings/api-keys/:id/rotation":    "oa",
	"POST/settings/api-keys/:id/rotation":   "oa",
	"GET/settings/api-keys/new":             "oa",
	"GET/settings/deletion":                 "oa",
	"POST/settings/deletion":                "oa",
	"GET/settings/export":                   "oa",
	"POST/settings/four-eyes":               "oa",
	"GET/settings/members":                  "oa",
	"GET/settings/members/:id":              "oa",
	"POST/settings/members/:id":             "oa",
	"GET/settings/members/:id/forgetting":   "oa",
	"POST/settings/members/:id/forgetting":  "oa",
	"GET/settings/members/:id/removal":      "oa",
	"POST/settings/members/:id/removal":     "oa",
	"GET/settings/members/accounts":         "oa",
	"POST/settings/members/accounts":        "oa",
	"POST/settings/recording":               "oa",
	"POST/settings/rules":                   "oa",
	"GET/sources":                           "oacpu",
	"POST/sources":                          "oac",
	"GET/sources/:code":                     "oacpu",
	"GET/sources/:code/certification":       "oac",
	"GET/sources/references":                "oacpu",
	"POST/sources/:code/certification":      "oac",
	"GET/sources/:code/diff":                "oacpu",
	"GET/sources/:code/facts":               "oac",
	"POST/sources/:code/facts":              "oac",
	"POST/sources/:code/lift":               "oac",
	"GET/sources/:code/purge":               "oac",
	"POST/sources/:code/purge":              "oac",
	"GET/sources/:code/removal":             "oac",
	"POST/sources/:code/removal":            "oac",
	"POST/sources/:code/restoration":        "oac",
	"GET/sources/:code/reversion":           "oac",
	"POST/sources/:code/reversion":          "oac",
	"GET/sources/:code/suspension":          "oac",
	"POST/sources/:code/suspension":         "oac",
	"GET/sources/:code/trial":               "oacpu",
	"POST/sources/:code/undo":               "oac",
	"GET/topic-cards":                       "oacpu",
	"POST/topic-cards":                      "oac",
	"GET/topic-cards/:id":                   "oacpu",
	"POST/topic-cards/:id":                  "oac",
	"GET/topic-cards/:id/removal":           "oac",
	"POST/topic-cards/:id/removal":          "oac",
	"POST/topic-cards/:id/undo":             "oac",
	"GET/topic-cards/new":                   "oac",
	"GET/versions":                          "oacpu",
	"POST/versions":                         "oac",
	"GET/versions/:n/restoration":           "oac",
	"POST/versions/:n/restoration":          "oac",
	"GET/versions/diff":                     "oacpu",
	"GET/wiki":                              "oacpur",
	"GET/wiki/:title":                       "oacpur",
}

// Each page and form lets in the roles that it is for, and refuses all others.
func TestEachRoleAtEachPage(t *testing.T) {
	t.Parallel()
	s, a, ben2 := fourEyed(t)
	s.draft("acme", "RU", rules)
	ben2.approves(a.asksForPublish(""))
	rec := strings.TrimPrefix(s.proposes(a, "RU", later), "/brains/acme/approvals/")
	a.post("/brains/acme/golden-questions", url.Values{"question": {"How much is the late fee?"}})
	key := a.createKey("acme", "agent")
	asked := s.askAs(key, "acme")
	visitors := map[string]*browser{}
	for _, l := range letters {
		email := l.letter + "@example.org"
		s.person(email, "acme", l.role)
		visitors[l.letter] = s.browser()
		visitors[l.letter].signIn(email, password).want(http.StatusSeeOther)
	}
	// What is looked at is there. What forms are sent to is not, so that nothing
	// changes by it: who may not do it is refused before that is looked for.
	there := func(path string) string {
		id := "x"
		switch {
		case strings.Contains(path, "/approvals/"):
			id = rec
		case strings.Contains(path, "/golden-questions/"):
			id = "how-much-is-the-late-fee"
		case strings.Contains(path, "/api-keys/"):
			id = key[11:23]
		case strings.Contains(path, "/answers/"):
			id = asked
		case strings.Contains(path, "/members/"):
			id = idOf(t, a, ben)
		}
		return strings.NewReplacer(":brain", "acme", ":code", "RU", ":n", "1", ":title", "x", ":id", id).Replace(path)
	}
	// Some forms are read before anybody is asked whether they may be sent.
	wellFormed := url.Values{"revision": {"1"}, "source": {"NONE"}, "do": {"remove"}, "confirmed": {"yes"}, "needed-A2": {"9"}, "needed-A3": {"9"}, "needed-A4": {"9"}, "verify_threshold": {"9"}}
	tried := 0
	for _, r := range s.server.echo.Routes() {
		if !strings.HasPrefix(r.Path, "/brains/:brain") || r.Method != http.MethodGet && r.Method != http.MethodPost {
			continue
		}
		name := r.Method + strings.TrimPrefix(r.Path, "/brains/:brain")
		want, listed := letIn[name]
		got := ""
		for _, l := range letters {
			tried++
			var res *answer
			path := there(r.Path)
			if r.Method == http.MethodPost {
				path = strings.NewReplacer(":brain", "acme", ":code", "NONE", ":n", "77", ":id", "none").Replace(r.Path)
				res = visitors[l.letter].post(path, wellFormed)
			} else {
				res = visitors[l.letter].get(path)
			}
			switch {
			case res.StatusCode >= 500:
				t.Errorf("%s as %s: %d", name, l.role, res.StatusCode)
			case res.StatusCode == http.StatusForbidden, res.StatusCode == http.StatusNotFound && name == "GET/answers/:id": // another's answer is not there
				if strings.Contains(res.text, "late fee") {
					t.Errorf("%s as %s is refused and shows what it is about", name, l.role)
				}
			default:
				got += l.letter
			}
		}
		if !listed {
			t.Errorf("%q: %q,", name, got)
		} else if got != want {
			t.Errorf("%s lets in %q, want %q", name, got, want)
		}
	}
	if tried < 300 {
		t.Errorf("only %d requests were made", tried)
	}
}
