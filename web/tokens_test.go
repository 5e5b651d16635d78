package web

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// auth sends JSON to one of the routes under /v1/auth.
func (b *browser) auth(method, path, body string, header ...string) *answer {
	b.t.Helper()
	return b.do(method, "/v1/auth/"+path, body, append([]string{"Content-Type", "application/json"}, header...)...)
}

// tokens asks for tokens and reads them.
func (b *browser) tokens(body string) (out ops.Tokens) {
	b.t.Helper()
	a := b.auth(http.MethodPost, "token", body).want(http.StatusOK)
	if a.Header.Get("Cache-Control") != "no-store" {
		b.t.Errorf("an answer with tokens may be kept: %q", a.Header.Get("Cache-Control"))
	}
	a.json(&out)
	return out
}

func passwordBody(email, pass, more string) string {
	return fmt.Sprintf(`{"grant_type":"password","email":%q,"password":%q,"brain_id":"calliope"%s}`, email, pass, more)
}

func refreshBody(token string) string {
	return fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q}`, token)
}

// works reports what a request over REST and one over MCP with the token give.
func (s *site) works(token string) string {
	s.t.Helper()
	b := s.browser()
	rest := b.get("/v1/brains/calliope/wiki", "Authorization", "Bearer "+token).StatusCode
	mcp := b.do(http.MethodPost, "/v1/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Content-Type", "application/json", "Authorization", "Bearer "+token).StatusCode
	return fmt.Sprint(rest, " ", mcp)
}

// TestTokensOverHTTP follows a program from its sign-in to its end, on each way
// in.
func TestTokensOverHTTP(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	s.publish("calliope")
	session := b.tokens(`{"brain_id":"calliope","scopes":["advisor:read","mcp:write"]}`)
	if session.Scope != "advisor:read mcp:write" || session.TokenType != "Bearer" || session.ExpiresIn != 600 || session.BrainID != "calliope" {
		t.Errorf("by session: %+v", session)
	}
	program := s.browser() // no cookie
	out := program.tokens(passwordBody(owner, password, ""))
	for _, token := range []string{session.AccessToken, out.AccessToken} {
		if got := s.works(token); got != "200 200" {
			t.Errorf("REST and MCP: %s", got)
		}
	}
	program.get("/v1/brains/urania/wiki", "Authorization", "Bearer "+out.AccessToken).want(http.StatusNotFound, "no_such_brain")

	next := program.tokens(refreshBody(out.RefreshToken))
	program.auth(http.MethodPost, "token", refreshBody(out.RefreshToken)).want(http.StatusUnauthorized, "token_reuse")
	if got := s.works(next.AccessToken); got != "401 401" {
		t.Errorf("after a reuse: %s", got)
	}
	if got := s.works(session.AccessToken); got != "200 200" {
		t.Errorf("another sign-in after it: %s", got)
	}

	end := fmt.Sprintf(`{"refresh_token":%q}`, session.RefreshToken)
	for range 2 {
		if a := program.auth(http.MethodDelete, "token", end).want(http.StatusNoContent); a.text != "" {
			t.Errorf("a body: %q", a.text)
		}
	}
	if got := s.works(session.AccessToken); got != "401 401" {
		t.Errorf("ended: %s", got)
	}
	never, _ := models.MintRefresh()
	program.auth(http.MethodDelete, "token", fmt.Sprintf(`{"refresh_token":%q}`, never)).want(http.StatusNoContent)
	program.auth(http.MethodDelete, "token", `{"refresh_token":"x"}`).want(http.StatusNoContent)
}

func TestSignOutEverywhere(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	s.publish("calliope")
	s.person("eve@example.org", "calliope", models.RoleReader)
	elsewhere, eve := s.browser(), s.browser()
	elsewhere.signIn(owner, password).want(http.StatusSeeOther)
	eve.signIn("eve@example.org", password).want(http.StatusSeeOther)
	out, others := s.browser().tokens(passwordBody(owner, password, "")), eve.tokens(`{"brain_id":"calliope"}`)

	s.browser().auth(http.MethodDelete, "sessions", "").want(http.StatusUnauthorized, "missing_credential")
	s.browser().auth(http.MethodDelete, "sessions", "", "Authorization", "Bearer "+out.AccessToken).want(http.StatusForbidden, "insufficient_scope")
	b.auth(http.MethodDelete, "sessions", "", "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site").want(http.StatusForbidden, "origin_not_allowed")
	b.get("/brains/calliope").want(http.StatusOK)

	a := b.auth(http.MethodDelete, "sessions", "").want(http.StatusNoContent)
	if c := a.Header.Get("Set-Cookie"); !strings.Contains(c, SessionCookie) || !strings.Contains(c, "Max-Age=0") {
		t.Errorf("the cookie stays: %q", c)
	}
	b.get("/brains/calliope").want(http.StatusSeeOther)
	elsewhere.get("/brains/calliope").want(http.StatusSeeOther)
	if got := s.works(out.AccessToken); got != "401 401" {
		t.Errorf("a program's token: %s", got)
	}
	s.browser().auth(http.MethodPost, "token", refreshBody(out.RefreshToken)).want(http.StatusUnauthorized, "invalid_refresh_token")
	eve.get("/brains/calliope").want(http.StatusOK)
	if got := s.works(others.AccessToken); got != "200 200" {
		t.Errorf("somebody else's token: %s", got)
	}
}

// TestTokenRefusals is the table of what POST /v1/auth/token refuses, and how.
func TestTokenRefusals(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	s.brain("urania", "uma@example.org")
	s.person("eve@example.org", "calliope", models.RoleReader)
	reader := s.browser()
	reader.signIn("eve@example.org", password).want(http.StatusSeeOther)
	key := b.createKey("calliope", "agent")
	out := b.tokens(`{"brain_id":"calliope","scopes":["advisor:read","mcp:invoke","mcp:write"]}`)
	id, _ := models.RefreshID(out.RefreshToken)
	made, own := models.MintRefresh()
	stranger := s.browser()
	for _, c := range []struct {
		what   string
		by     *browser
		body   string
		status int
		code   string
		header []string
	}{
		{"nobody", stranger, `{"brain_id":"calliope"}`, 401, "missing_credential", nil},
		{"no brain", b, `{}`, 400, "invalid", nil},
		{"another's brain", b, `{"brain_id":"urania"}`, 404, "no_such_brain", nil},
		{"no brain of that name", b, `{"brain_id":"nowhere"}`, 404, "no_such_brain", nil},
		{"the instance", b, `{"brain_id":"_instance"}`, 403, "not_a_member", nil},
		{"a scope that is none", b, `{"brain_id":"calliope","scopes":["all"]}`, 400, "invalid", nil},
		{"any brain", b, `{"brain_id":"calliope","scopes":["mcp:any-brain"]}`, 400, "invalid", nil},
		{"beyond the role", reader, `{"brain_id":"calliope","scopes":["advisor:read","mcp:write"]}`, 403, "insufficient_role", nil},
		{"an unknown field", b, `{"brain_id":"calliope","admin":true}`, 400, "invalid", nil},
		{"a field of another way", b, `{"brain_id":"calliope","email":"x@y.z"}`, 400, "invalid", nil},
		{"a field twice", b, `{"brain_id":"calliope","brain_id":"calliope"}`, 400, "invalid", nil},
		{"a field in another case", b, `{"Brain_ID":"calliope"}`, 400, "invalid", nil},
		{"NUL", b, `{"brain_id":"calliope\u0000"}`, 404, "no_such_brain", nil},
		{"no JSON", b, `brain_id=calliope`, 400, "invalid_json", nil},
		{"nothing", b, ``, 400, "invalid_json", nil},
		{"a list", b, `[]`, 400, "invalid_json", nil},
		{"a form", b, `grant_type=password`, 415, "unsupported_media_type", []string{"Content-Type", "application/x-www-form-urlencoded"}},
		{"a grant type that is none", b, `{"grant_type":"client_credentials"}`, 400, "invalid", nil},
		{"an empty grant type", b, `{"grant_type":"","brain_id":"calliope"}`, 400, "invalid", nil},
		{"a number as grant type", b, `{"grant_type":1,"brain_id":"calliope"}`, 400, "invalid", nil},
		{"another site's page", b, `{"brain_id":"calliope"}`, 403, "origin_not_allowed", []string{"Origin", "https://evil.example"}},
		{"an API key", stranger, `{"brain_id":"calliope"}`, 403, "insufficient_scope", []string{"Authorization", "Bearer " + key}},
		{"an API key beside a session", b, `{"brain_id":"calliope"}`, 403, "insufficient_scope", []string{"X-API-Key", key}},
		{"an API key beside a password", stranger, passwordBody(owner, password, ""), 403, "insufficient_scope", []string{"X-API-Key", key}},
		{"an access token", stranger, `{"brain_id":"calliope"}`, 403, "insufficient_scope", []string{"Authorization", "Bearer " + out.AccessToken}},
		{"an access token beside its refresh token", stranger, refreshBody(out.RefreshToken), 403, "insufficient_scope", []string{"Authorization", "Bearer " + out.AccessToken}},
		{"a wrong key", stranger, `{"brain_id":"calliope"}`, 401, "invalid_api_key", []string{"Authorization", "Bearer sk-polaris-x"}},
		{"a refresh token as the credential", stranger, `{"brain_id":"calliope"}`, 401, "invalid_api_key", []string{"Authorization", "Bearer " + out.RefreshToken}},
		{"a wrong password", stranger, passwordBody(owner, "wrong", ""), 401, "wrong_sign_in", nil},
		{"a stranger", stranger, passwordBody("nobody@example.org", password, ""), 401, "wrong_sign_in", nil},
		{"a password and beyond the role", stranger, passwordBody("eve@example.org", password, `,"scopes":["mcp:write"]`), 403, "insufficient_role", nil},
		{"a password and no brain", stranger, fmt.Sprintf(`{"grant_type":"password","email":%q,"password":%q}`, owner, password), 400, "invalid", nil},
		{"a refresh token of nobody", stranger, refreshBody(made), 401, "invalid_refresh_token", nil},
		{"a made-up one of a known grant", stranger, refreshBody(models.NextRefresh(strings.Replace(made, own, id, 1))), 401, "invalid_refresh_token", nil},
		{"an access token as refresh token", stranger, refreshBody(out.AccessToken), 401, "invalid_refresh_token", nil},
		{"an API key as refresh token", stranger, refreshBody(key), 401, "invalid_refresh_token", nil},
		{"no refresh token", stranger, `{"grant_type":"refresh_token"}`, 400, "invalid", nil},
		{"null", stranger, `{"grant_type":"refresh_token","refresh_token":null}`, 400, "invalid", nil},
		{"wider than the grant", stranger, fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q,"scopes":["research:run"]}`, out.RefreshToken), 400, "invalid", nil},
	} {
		a := c.by.auth(http.MethodPost, "token", c.body, c.header...)
		var p struct{ Code string }
		a.json(&p)
		if a.StatusCode != c.status || p.Code != c.code || !strings.HasPrefix(a.Header.Get("Content-Type"), "application/problem+json") {
			t.Errorf("%s: %d %s, want %d %s", c.what, a.StatusCode, a.text, c.status, c.code)
		}
		if (a.Header.Get("WWW-Authenticate") != "") != (c.status == 401) {
			t.Errorf("%s: WWW-Authenticate %q", c.what, a.Header.Get("WWW-Authenticate"))
		}
		if strings.Contains(a.text, "access_token") || c.code != "missing_credential" && strings.Contains(a.text, password) {
			t.Errorf("%s: %s", c.what, a.text)
		}
	}
	if got := s.works(out.AccessToken); got != "200 200" {
		t.Errorf("after all that: %s", got)
	}
	b.do(http.MethodGet, "/v1/auth/token", "").want(http.StatusMethodNotAllowed)
}

// Addresses whose refresh tokens or passwords fail too often are refused before
// anything is looked up, and keys with them.
func TestTokenFailuresAreCounted(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	out := b.tokens(`{"brain_id":"calliope"}`)
	made, _ := models.MintRefresh()
	for range 30 {
		s.browser().auth(http.MethodPost, "token", refreshBody(made)).want(http.StatusUnauthorized)
	}
	if a := s.browser().auth(http.MethodPost, "token", refreshBody(out.RefreshToken)).want(http.StatusTooManyRequests, "too_many_failures"); a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.browser().auth(http.MethodDelete, "token", fmt.Sprintf(`{"refresh_token":%q}`, out.RefreshToken)).want(http.StatusTooManyRequests)
	if got := s.works(out.AccessToken); got != "429 429" {
		t.Errorf("an access token from there: %s", got)
	}
}

// What somebody writes into a token of their own making as the id of its key or
// grant is never an outage, on any surface, whatever bytes it is.
func TestTokensWithIdsThatAreNone(t *testing.T) {
	t.Parallel()
	s, _ := started(t)
	now := time.Now().Unix()
	for i, c := range []struct{ kid, grant string }{
		{`kid\u0000000000`, "grant0000000"}, {"kid000000000", `grant\u000000000`}, {"kid000000000", "grant0000000"}, {"", ""}, {strings.Repeat("k", 1000), "grant0000000"}, {"kid000000000", "é…"},
	} {
		part := base64.RawURLEncoding.EncodeToString
		token := part(fmt.Appendf(nil, `{"alg":"EdDSA","kid":"%s","typ":"at+jwt"}`, c.kid)) + "." +
			part(fmt.Appendf(nil, `{"iss":%q,"aud":%[1]q,"sub":"p","iat":%d,"exp":%d,"jti":"j","grant_id":"%s","brain_id":"calliope","scope":"advisor:read","token_version":1}`, s.desk.Settings.PublicURL, now, now+600, c.grant)) + "." + part(make([]byte, 64))
		if got := s.works(token); got != "401 401" {
			t.Errorf("token %d: %s, want 401 401", i, got)
		}
	}
	if failed, _ := s.desk.BadKeys.Counted(); failed != 12 {
		t.Errorf("%d of 12 tokens were counted as failed", failed)
	}
}

// A person's tokens and sessions draw on one rate.
func TestTokensDrawOnThePersonsRate(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	s.publish("calliope")
	one, two := b.tokens(`{"brain_id":"calliope"}`), b.tokens(`{"brain_id":"calliope"}`)
	for i := range 58 { // of 60, two were for the tokens
		token := one.AccessToken
		if i%2 == 0 {
			token = two.AccessToken
		}
		b.get("/v1/brains/calliope/wiki", "Authorization", "Bearer "+token).want(http.StatusOK)
	}
	b.get("/v1/brains/calliope/wiki", "Authorization", "Bearer "+one.AccessToken).want(http.StatusTooManyRequests, "rate_limited")
}

// The database away: no answer sounds like a wrong credential.
func TestTokensDuringAnOutage(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	out := b.tokens(`{"brain_id":"calliope"}`)
	s.away()
	for _, a := range []*answer{
		b.auth(http.MethodPost, "token", `{"brain_id":"calliope"}`), s.browser().auth(http.MethodPost, "token", refreshBody(out.RefreshToken)),
		b.auth(http.MethodDelete, "sessions", ""),
		s.browser().auth(http.MethodDelete, "token", fmt.Sprintf(`{"refresh_token":%q}`, out.RefreshToken)),
	} {
		if a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
			t.Errorf("%s %s: %d %s", a.Request.Method, a.Request.URL.Path, a.StatusCode, a.text)
		}
	}
	if got := s.works(out.AccessToken); got != "503 503" {
		t.Errorf("an access token: %s", got)
	}
}

// A password that is set by a link ends what was signed in for before.
func TestANewPasswordEndsTokens(t *testing.T) {
	t.Parallel()
	s, _ := started(t)
	s.publish("calliope")
	s.person("eve@example.org", "calliope", models.RoleReader)
	out := s.browser().tokens(passwordBody("eve@example.org", password, ""))
	link := s.link("eve@example.org")
	s.browser().post("/link", url.Values{"token": {link}, "password": {"another " + password}, "again": {"another " + password}}).want(http.StatusSeeOther)
	if got := s.works(out.AccessToken); got != "401 401" {
		t.Errorf("REST and MCP: %s", got)
	}
}

// link makes a one-time sign-in link for somebody who has a password, as a reset
// does, and returns its token.
func (s *site) link(email string) string {
	s.t.Helper()
	p, err := s.desk.Store.PersonByEmail(s.t.Context(), email)
	if err != nil {
		s.t.Fatal(err)
	}
	token := models.NewSecret("link")
	err = s.desk.Store.InBrain(s.t.Context(), ops.Instance, func(tx *store.Tx) error {
		return tx.InsertLink(ops.HashSecret(token), store.LinkSignIn, p.ID, s.desk.Now(), s.desk.Now().Add(time.Hour))
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}
