package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"polaris/models"
)

const toolsList = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// mcp sends one message to the hosted endpoint.
func (b *browser) mcp(key, message string) *answer {
	b.t.Helper()
	return b.do(http.MethodPost, "/v1/mcp", message, "Content-Type", "application/json", "Authorization", "Bearer "+key)
}

func TestKeyFromBirthToEnd(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	b.get("/brains/calliope/settings/api-keys").want(http.StatusOK, "No keys yet")
	b.get("/brains/calliope/settings/api-keys/new").want(http.StatusOK, `action="/brains/calliope/settings/api-keys"`, "advisor:read")
	key := b.createKey("calliope", "Letters agent")

	list := b.get("/brains/calliope/settings/api-keys").want(http.StatusOK, "Letters agent", "active", owner)
	if rawKey.MatchString(list.text) || strings.Contains(list.text, key[len(key)-10:]) {
		t.Error("the list shows the key's secret")
	}
	agent := s.browser()
	agent.mcp(key, toolsList).want(http.StatusOK, "read_wiki")
	agent.get("/v1/brains/calliope/topic-cards", "X-API-Key", key).want(http.StatusOK, "topics")

	id := key[len("sk-polaris-"):][:12]
	at := "/brains/calliope/settings/api-keys/" + id + "/revocation"
	b.get(at).want(http.StatusOK, "Revoke this key", "cannot be undone")
	agent.mcp(key, toolsList).want(http.StatusOK) // looking is not doing
	b.post(at, url.Values{"reason": {strings.Repeat("x", 501)}}).want(http.StatusUnprocessableEntity, "at most 500")
	b.post(at, url.Values{"reason": {"agent retired"}}).want(http.StatusSeeOther).to("/brains/calliope/settings/api-keys?done=key-revoked#key-" + id)
	agent.mcp(key, toolsList).want(http.StatusUnauthorized, "revoked_api_key")
	agent.get("/v1/brains/calliope/topic-cards", "X-API-Key", key).want(http.StatusUnauthorized, "revoked_api_key")
	b.get("/brains/calliope/settings/api-keys?done=key-revoked").want(http.StatusOK, "revoked", "agent retired", "The key is revoked")
	b.get("/brains/calliope/settings/api-keys/nonsense/revocation").want(http.StatusNotFound)
	b.post("/brains/calliope/settings/api-keys/nonsense/revocation", nil).want(http.StatusNotFound)

	if strings.Contains(s.log.String(), key[len(key)-38:]) || strings.Contains(s.log.String(), password) {
		t.Error("a secret got into the log")
	}
}

func TestKeyFormComesBackFilledIn(t *testing.T) {
	t.Parallel()
	_, b := started(t)
	at := "/brains/calliope/settings/api-keys"
	b.post(at, url.Values{"label": {""}, "scope": {"mcp:invoke"}, "expires": {"7"}}).
		want(http.StatusUnprocessableEntity, "Name the key after", `value="mcp:invoke" checked`, `value="7" selected`)
	b.post(at, url.Values{"label": {"A & B"}, "scope": {"everything"}}).want(http.StatusUnprocessableEntity, "is no scope", `value="A &amp; B"`)
	b.post(at, url.Values{"label": {"x"}, "scope": {"mcp:any-brain"}}).want(http.StatusUnprocessableEntity, "terminal only")
	b.post(at, url.Values{"label": {"x"}, "expires": {"soon"}}).want(http.StatusUnprocessableEntity, "Choose how long")
	b.post(at, url.Values{"label": {"x"}, "expires": {"4000"}}).want(http.StatusUnprocessableEntity, "366 days")
	b.post(at, url.Values{"label": {"x"}, "expires": {"never"}}).want(http.StatusUnprocessableEntity, "every key expires")
	b.post(at, url.Values{"label": {"x"}, "rate": {"many"}}).want(http.StatusUnprocessableEntity, "such as 600/60s", `value="many"`)
	b.post(at, url.Values{"label": {"x"}, "rate": {"off"}}).want(http.StatusUnprocessableEntity, "Only the server&#39;s limit can be off")
	b.get(at).want(http.StatusOK, "No keys yet")
}

// TestRotateAtThePage: the new secret is shown once, the old one holds on or
// not, as was chosen.
func TestRotateAtThePage(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	first := b.createKey("calliope", "Letters agent")
	at := "/brains/calliope/settings/api-keys/" + first[11:23]
	agent := s.browser()
	b.get(at+"/rotation").want(http.StatusOK, "Make a new secret", `value="86400" selected`, "as it is (")
	rotate := func(form url.Values, says string) string {
		t.Helper()
		a := b.post(at+"/rotation", form).want(http.StatusOK, "Copy the key now", "New secret for", says)
		key := rawKey.FindString(a.text)
		if a.Header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(key, first[:24]) {
			t.Errorf("%s, Cache-Control %q", key, a.Header.Get("Cache-Control"))
		}
		return key
	}
	second := rotate(url.Values{"overlap": {"3600"}}, "The old secret holds on until ")
	agent.mcp(first, toolsList).want(http.StatusOK)
	agent.mcp(second, toolsList).want(http.StatusOK)
	b.get("/brains/calliope/settings/api-keys").want(http.StatusOK, "old secret ends", "in 59 minutes")
	b.get(at+"/rotation").want(http.StatusOK, "rotating already")
	third := rotate(url.Values{"overlap": {"0"}, "expires": {"7"}}, "The old secret is refused from now on")
	agent.mcp(first, toolsList).want(http.StatusUnauthorized, "invalid_api_key")
	agent.mcp(second, toolsList).want(http.StatusUnauthorized, "expired_api_key", "was rotated")
	agent.mcp(third, toolsList).want(http.StatusOK)
	b.post(at+"/rotation", url.Values{"overlap": {"999999999"}}).want(http.StatusUnprocessableEntity, "at most 7 days")
	b.post(at+"/rotation", url.Values{"overlap": {"x"}, "expires": {"30"}}).want(http.StatusUnprocessableEntity, "Choose how long the old secret", `value="30" selected`)
	list := b.get("/brains/calliope/settings/api-keys").want(http.StatusOK, "active")
	page := b.get(at).want(http.StatusOK, "Rotated", owner)
	for _, key := range []string{first, second, third} {
		if strings.Contains(list.text+page.text+s.log.String(), key[24:]) {
			t.Error("a secret is shown again, or in the log")
		}
	}
	b.post(at+"/revocation", nil).want(http.StatusSeeOther)
	b.post(at+"/rotation", nil).want(http.StatusUnprocessableEntity, "was revoked")
	agent.mcp(third, toolsList).want(http.StatusUnauthorized, "revoked_api_key")
}

// TestChangeAtThePage: a key's page changes what may be changed, keeps what was
// typed where it may not, and does not overwrite what somebody else did.
func TestChangeAtThePage(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	s.person("bob@example.org", "calliope", models.RoleReader)
	a := b.post("/brains/calliope/settings/api-keys", url.Values{"label": {"Letters agent"}, "scope": {"advisor:read", "mcp:invoke"}, "expires": {"30"}, "rate": {"600/60s"}}).want(http.StatusCreated)
	key := rawKey.FindString(a.text)
	at := "/brains/calliope/settings/api-keys/" + key[11:23]
	b.get(at).want(http.StatusOK, `name="rev" value="1"`, `value="mcp:invoke" checked`, `value="600/60s"`, "600 requests in 60 s", "in the browser", "bob@example.org")

	same := url.Values{"rev": {"1"}, "label": {"A & B"}, "scope": {"advisor:read"}, "rate": {"10/5s"}, "expires": {"7"}}
	b.post(at, same).want(http.StatusSeeOther).to(at + "?done=key-saved")
	b.get(at+"?done=key-saved").want(http.StatusOK, "A &amp; B", `name="rev" value="2"`, "10 requests in 5 s", "It holds from the next request on", "in 6 days")
	same.Set("label", "Mine")
	b.post(at, same).want(http.StatusPreconditionFailed, "Somebody changed this key since you looked", `value="A &amp; B"`, `name="rev" value="2"`)
	for says, form := range map[string]url.Values{
		"Name the key after":             {"rev": {"2"}, "label": {""}, "scope": {"advisor:read"}, "rate": {"9/9s"}},
		"A key keeps at least one scope": {"rev": {"2"}, "label": {"x"}, "rate": {"9/9s"}},
		"is not given further scopes":    {"rev": {"2"}, "label": {"x"}, "scope": {"mcp:invoke"}, "rate": {"9/9s"}},
		"every key expires":              {"rev": {"2"}, "label": {"x"}, "scope": {"advisor:read"}, "rate": {"9/9s"}, "expires": {"never"}},
		"A key lives between 1 and":      {"rev": {"2"}, "label": {"x"}, "scope": {"advisor:read"}, "rate": {"9/9s"}, "expires": {"1000"}},
		"A rate is a number of requests": {"rev": {"2"}, "label": {"x"}, "scope": {"advisor:read"}, "rate": {"9999999/9s"}},
		"with a window of whole seconds": {"rev": {"2"}, "label": {"x"}, "scope": {"advisor:read"}, "rate": {"9"}},
		"Choose how long the key lives":  {"rev": {"2"}, "label": {"x"}, "scope": {"advisor:read"}, "rate": {"9/9s"}, "expires": {"x"}},
	} {
		b.post(at, form).want(http.StatusUnprocessableEntity, says, `value="`+form.Get("rate")+`"`)
	}

	b.post(at+"/owner", url.Values{"rev": {"2"}, "owner": {"eve@example.org"}}).want(http.StatusUnprocessableEntity, "No active member")
	b.post(at+"/owner", url.Values{"rev": {"1"}, "owner": {"bob@example.org"}}).want(http.StatusPreconditionFailed)
	b.post(at+"/owner", url.Values{"rev": {"2"}, "owner": {"bob@example.org"}}).want(http.StatusSeeOther).to(at + "?done=key-moved")
	b.get(at).want(http.StatusOK, "It acts for bob@example.org")
	bob := s.browser()
	bob.signIn("bob@example.org", password).want(http.StatusSeeOther)
	bob.get(at).want(http.StatusForbidden) // whoever owns a key does not manage keys by that
	bob.post(at, url.Values{"label": {"x"}}).want(http.StatusForbidden)
	bob.post(at+"/rotation", nil).want(http.StatusForbidden)

	b.post(at+"/revocation", nil).want(http.StatusSeeOther)
	gone := b.get(at).want(http.StatusOK, "Revoked by "+owner)
	if strings.Contains(gone.text, "Save") || strings.Contains(gone.text, "/rotation") {
		t.Error("a revoked key's page offers changes")
	}
	b.post(at, url.Values{"label": {"x"}, "scope": {"advisor:read"}}).want(http.StatusUnprocessableEntity, "was revoked")
	for _, path := range []string{"", "/rotation"} {
		b.get("/brains/calliope/settings/api-keys/nonsense" + path).want(http.StatusNotFound)
		b.post("/brains/calliope/settings/api-keys/nonsense"+path, url.Values{"label": {"x"}}).want(http.StatusNotFound)
	}
}
