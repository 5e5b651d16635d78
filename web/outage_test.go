package web

import (
	"net/http"
	"net/url"
	"testing"

	"polaris/ops"
)

// The database away: every door, with every kind of credential, says that it is
// not available just now. None says that the credential is wrong, which would
// make programs throw it away; and none counts it as a wrong one.
func TestNoDoorBlamesTheCredential(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	creds := s.credentials(b, "calliope")
	s.away()
	tried := 0
	for who, header := range creds {
		type door struct{ method, path, body string }
		var doors []door
		for _, o := range ops.All() {
			for _, at := range attempts[o.Name] {
				path := nobodys.fill(at.path, url.PathEscape)
				if !isAPI(path) {
					path = "/v1/brains/calliope" + path
				}
				doors = append(doors, door{at.method, path, nobodys.fill(at.body, asIs)})
			}
		}
		agent := b
		if who == "cookie" {
			for _, page := range []string{"/brains", "/brains/calliope", "/brains/calliope/wiki", "/brains/calliope/settings/api-keys"} {
				doors = append(doors, door{http.MethodGet, page, ""})
			}
		} else {
			agent = s.browser()
			doors = append(doors, door{http.MethodPost, "/v1/mcp", toolsList}, door{http.MethodGet, "/v1/models", ""},
				door{http.MethodPost, "/v1/chat/completions", `{"model":"polaris","messages":[{"role":"user","content":"x"}]}`})
		}
		for range 2 { // more often than wrong credentials are heard in a minute
			for _, d := range doors {
				h := header
				if d.body != "" {
					h = append([]string{"Content-Type", "application/json"}, header...)
				}
				tried++
				a := agent.do(d.method, d.path, d.body, h...)
				if a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" || a.Header.Get("WWW-Authenticate") != "" {
					t.Errorf("%s %s by %s: %d, Retry-After %q, %.200s", d.method, d.path, who, a.StatusCode, a.Header.Get("Retry-After"), a.text)
				}
			}
		}
	}
	t.Logf("%d requests", tried)
	if tried < 200 {
		t.Error("that is too few")
	}
}
