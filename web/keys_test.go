package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
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
	b.get(at).want(http.StatusOK, "No keys yet")
}
