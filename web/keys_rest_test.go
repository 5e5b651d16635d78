package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"polaris/models"
	"polaris/ops"
)

// api sends JSON to a route of the brain calliope.
func (b *browser) api(method, path, body string, header ...string) *answer {
	b.t.Helper()
	if body != "" {
		header = append([]string{"Content-Type", "application/json"}, header...)
	}
	return b.do(method, "/v1/brains/calliope"+path, body, header...)
}

// TestKeysOverREST follows a key through the API, by the session of a browser.
func TestKeysOverREST(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	s.person("bob@example.org", "calliope", models.RoleReader)
	agent := s.browser()
	read := func(a *answer) (k ops.CreatedAPIKey) {
		t.Helper()
		a.json(&k)
		return k
	}
	a := b.api(http.MethodPost, "/api-keys", `{"label":"agent","scopes":["advisor:read","mcp:invoke"],"expires_days":30,"rate_limit":600,"rate_window_s":60}`).want(http.StatusCreated)
	made := read(a)
	if !rawKey.MatchString(made.Secret) || !strings.HasPrefix(made.Secret, made.Start) || a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("ETag") != `"1"` || made.RateN != 600 || made.Owner != owner || made.CreatedVia != "web" {
		t.Errorf("made %+v, %v", made, a.Header)
	}
	at := "/api-keys/" + made.ID
	b.api(http.MethodGet, at, "").want(http.StatusOK, `"state":"active"`, `"start":"`+made.Start+`"`)
	b.api(http.MethodGet, "/api-keys?limit=1", "").want(http.StatusOK, `"id":"`+made.ID+`"`)

	a = b.api(http.MethodPatch, at, `{"label":"other","scopes":["advisor:read"]}`, "If-Match", `"1"`).want(http.StatusOK, `"label":"other"`, `"scopes":["advisor:read"]`)
	if a.Header.Get("ETag") != `"2"` {
		t.Errorf("after a change: %v", a.Header)
	}
	b.api(http.MethodPatch, at, `{"label":"mine"}`, "If-Match", `"1"`).want(http.StatusPreconditionFailed, "precondition_failed")
	b.api(http.MethodPatch, at, `{"label":"mine"}`, "If-Match", b.api(http.MethodGet, at, "").Header.Get("ETag")).want(http.StatusOK)
	b.api(http.MethodPatch, at, `{"owner":"eve@example.org"}`).want(http.StatusBadRequest, `"field":"owner"`)
	b.api(http.MethodPatch, at, `{"scopes":["advisor:read","mcp:write"]}`).want(http.StatusBadRequest, "scopes_only_narrow")
	b.api(http.MethodPatch, at, `{"owner":"bob@example.org"}`).want(http.StatusOK, `"owner":"bob@example.org"`, `"actor":"bob@example.org"`)
	for _, extra := range []string{`"brain_id":"urania"`, `"state":"active"`, `"role":"owner"`, `"owner_id":"x"`, `"hash":"x"`, `"id":"x"`} {
		b.api(http.MethodPatch, at, "{"+extra+"}").want(http.StatusBadRequest)
		b.api(http.MethodPost, "/api-keys", `{"label":"x",`+extra+"}").want(http.StatusBadRequest)
		b.api(http.MethodPost, at+"/rotate", "{"+extra+"}").want(http.StatusBadRequest)
	}

	a = b.api(http.MethodPost, at+"/rotate", `{"overlap_s":3600}`).want(http.StatusOK, "previous_valid_until")
	next := read(a)
	if next.ID != made.ID || next.Secret == made.Secret || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("rotated %+v, %v", next, a.Header)
	}
	agent.mcp(made.Secret, toolsList).want(http.StatusOK)
	agent.mcp(next.Secret, toolsList).want(http.StatusOK)
	last := read(b.api(http.MethodPost, at+"/rotate", `{"overlap_s":0}`).want(http.StatusOK))
	agent.mcp(next.Secret, toolsList).want(http.StatusUnauthorized, "expired_api_key")
	agent.mcp(made.Secret, toolsList).want(http.StatusUnauthorized, "invalid_api_key")
	agent.mcp(last.Secret, toolsList).want(http.StatusOK)
	b.api(http.MethodPost, at+"/rotate", `{"overlap_s":604801}`).want(http.StatusBadRequest, `"field":"overlap_s"`)

	told := b.api(http.MethodGet, "/api-keys", "").text + b.api(http.MethodGet, at, "").text
	for range 2 { // again, when it is revoked already
		if a := b.api(http.MethodDelete, at, "").want(http.StatusNoContent); a.text != "" {
			t.Errorf("a body with 204: %q", a.text)
		}
		agent.mcp(last.Secret, toolsList).want(http.StatusUnauthorized, "revoked_api_key")
	}
	b.api(http.MethodPost, at+"/rotate", `{}`).want(http.StatusConflict, "key_revoked")
	b.api(http.MethodPatch, at, `{"label":"x"}`).want(http.StatusConflict, "key_revoked")
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		b.api(method, "/api-keys/000000000000", "").want(http.StatusNotFound, "no_such_key")
	}
	b.api(http.MethodPost, "/api-keys/000000000000/rotate", `{}`).want(http.StatusNotFound, "no_such_key")
	for _, k := range []string{made.Secret, next.Secret, last.Secret} {
		if strings.Contains(told+s.log.String(), k[24:]) {
			t.Error("a secret is in a list or in the log")
		}
	}

	// Another site cannot make the browser do it.
	b.api(http.MethodPost, "/api-keys", `{"label":"x"}`, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site").want(http.StatusForbidden)
	b.api(http.MethodDelete, at, "", "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site").want(http.StatusForbidden)
}

// TestProgramsAndKeys: a key manages no keys, whatever its scopes; an access
// token may look, and what hands out secrets or takes somebody's place is done by
// a person at the pages.
func TestProgramsAndKeys(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	a := b.post("/brains/calliope/settings/api-keys", url.Values{"label": {"all"}, "scope": {"advisor:read", "mcp:invoke", "mcp:write"}}).want(http.StatusCreated)
	key := rawKey.FindString(a.text)
	token := b.tokens(`{"brain_id":"calliope","scopes":["advisor:read","mcp:write"]}`).AccessToken
	narrow := b.tokens(`{"brain_id":"calliope"}`).AccessToken
	program := s.browser()
	at := "/api-keys/" + key[11:23]
	for _, r := range []struct{ method, path, body string }{
		{http.MethodPost, "/api-keys", `{"label":"x"}`},
		{http.MethodGet, "/api-keys", ""},
		{http.MethodGet, at, ""},
		{http.MethodPatch, at, `{"label":"x"}`},
		{http.MethodPost, at + "/rotate", `{}`},
		{http.MethodDelete, at, ""},
		{http.MethodGet, "/members", ""},
		{http.MethodDelete, "/members/" + owner, ""},
	} {
		for _, header := range [][]string{{"Authorization", "Bearer " + key}, {"X-API-Key", key}, {"Authorization", "bearer " + key, "X-API-Key", key}} {
			program.api(r.method, r.path, r.body, header...).want(http.StatusForbidden, "insufficient_scope")
		}
		program.api(r.method, r.path, r.body, "Authorization", "Bearer "+narrow).want(http.StatusForbidden, "insufficient_scope")
		status, says := http.StatusForbidden, "session_required"
		if r.method == http.MethodGet {
			status, says = http.StatusOK, ""
		}
		program.api(r.method, r.path, r.body, "Authorization", "Bearer "+token).want(status, says)
		program.api(r.method, r.path, r.body).want(http.StatusUnauthorized, "missing_credential")
		program.api(r.method, r.path+"?api_key="+key, r.body).want(http.StatusUnauthorized, "missing_credential")
	}
	b.api(http.MethodGet, at, "").want(http.StatusOK, `"state":"active"`, `"rev":1`)
}

// TestMe: each credential learns what it is, the same by whichever header it is
// sent.
func TestMe(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	s.brain("urania", "eve@example.org")
	a := b.api(http.MethodPost, "/api-keys", `{"label":"agent","rate_limit":9,"rate_window_s":60}`).want(http.StatusCreated)
	var made ops.CreatedAPIKey
	a.json(&made)
	program := s.browser()
	var seen []string
	for i, header := range [][]string{
		{"Authorization", "Bearer " + made.Secret},
		{"X-API-Key", made.Secret},
		{"Authorization", "bearer   " + made.Secret},
		{"Authorization", "Bearer " + made.Secret, "X-API-Key", made.Secret},
		{"X-API-Key", made.Secret, "Authorization", "Basic eDp5"},
	} {
		var me ops.Me
		program.get("/v1/me", header...).want(http.StatusOK).json(&me)
		if me.RateLimit == nil || me.RateLimit.Remaining != 8-i || me.RateLimit.Limit != 9 {
			t.Errorf("%v: limit %+v", header, me.RateLimit)
		}
		me.RateLimit = nil
		text, _ := json.Marshal(me)
		seen = append(seen, string(text))
	}
	if len(slices.Compact(slices.Clone(seen))) != 1 || !strings.Contains(seen[0], `"kind":"key"`) || !strings.Contains(seen[0], fmt.Sprintf(`"key":{"id":%q,"label":"agent"}`, made.ID)) || strings.Contains(seen[0], made.Secret[24:]) {
		t.Errorf("the same key: %q", seen)
	}
	b.get("/v1/me", "X-API-Key", made.Secret).want(http.StatusOK, `"kind":"key"`) // the cookie beside it is ignored

	b.get("/v1/me").want(http.StatusOK, `"kind":"session"`, `"email":"ada@example.org"`, `"brains":[{"id":"calliope"`, `"instance_admin":true`)
	token := b.tokens(`{"brain_id":"calliope"}`).AccessToken
	program.get("/v1/me", "Authorization", "Bearer "+token).want(http.StatusOK, `"kind":"token"`, `"brain":"calliope"`, `"scopes":["advisor:read"]`, `"email":"ada@example.org"`, `"expires_at"`)
	program.get("/v1/me").want(http.StatusUnauthorized, "missing_credential")
	program.get("/v1/me?api_key="+made.Secret).want(http.StatusUnauthorized, "missing_credential")
	program.get("/v1/me", "Authorization", "Bearer "+made.Secret, "X-API-Key", "sk-polaris-other").want(http.StatusBadRequest, "conflicting_credentials")
	b.api(http.MethodDelete, "/api-keys/"+made.ID, "").want(http.StatusNoContent)
	program.get("/v1/me", "X-API-Key", made.Secret).want(http.StatusUnauthorized, "revoked_api_key")
}

// TestMembersOverREST: who loses the brain loses their keys and their pages of
// it with the next request.
func TestMembersOverREST(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	s.person("bob@example.org", "calliope", models.RoleAdmin)
	bob := s.browser()
	bob.signIn("bob@example.org", password).want(http.StatusSeeOther)
	key := bob.createKey("calliope", "Bob's")
	b.api(http.MethodGet, "/members", "").want(http.StatusOK, `"email":"bob@example.org"`, `"roles":["admin"]`)
	bob.api(http.MethodDelete, "/members/"+owner, "").want(http.StatusConflict, "last_owner")
	b.api(http.MethodDelete, "/members/eve@example.org", "").want(http.StatusNotFound, "no_such_member")
	b.api(http.MethodDelete, "/members/bob@example.org", "").want(http.StatusNoContent)
	s.browser().mcp(key, toolsList).want(http.StatusUnauthorized, "revoked_api_key", "may no longer act")
	bob.get("/brains/calliope").want(http.StatusNotFound)
	bob.api(http.MethodGet, "/api-keys", "").want(http.StatusNotFound, "no_such_brain")
	b.get("/brains/calliope/settings/api-keys").want(http.StatusOK, "suspended")
	at := "/brains/calliope/settings/api-keys/" + key[11:23]
	b.get(at).want(http.StatusOK, "may not act in this brain now")
	b.post(at+"/owner", url.Values{"owner": {owner}}).want(http.StatusSeeOther)
	s.browser().mcp(key, toolsList).want(http.StatusOK)
}
