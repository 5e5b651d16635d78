package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"polaris/models"
)

// smokeChecks are what a deployment must hold, in the order in which an agent
// would find out.
var smokeChecks = []smokeCheck{
	{"live", "", false, smokeLive},
	{"health", "live", false, smokeHealth},
	{"no_key", "live", false, smokeNoKey},
	{"method", "no_key", false, smokeMethod},
	{"discovery", "live", false, smokeDiscovery},
	{"bad_key", "no_key", false, smokeBadKey},
	{"host", "no_key", false, smokeHost},
	{"origin", "no_key", false, smokeOrigin},
	{"initialize", "no_key", true, smokeInitialize},
	{"tools", "initialize", true, smokeTools},
	{"topic_cards", "tools", true, smokeTopicCards},
	{"retrieve", "tools", true, smokeRetrieve},
	{"answer", "retrieve", true, smokeAnswer},
	{"record", "answer", true, smokeRecord},
	{"rate_headers", "initialize", true, smokeRate},
	{"x_api_key", "initialize", true, smokeAPIKeyHeader},
	{"discover_2026", "initialize", true, smokeDiscover},
	{"call_2026", "discover_2026", true, smokeModernCall},
}

// counted is a number of things.
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprint(n, " ", thing)
}

// problem is an error that is a sentence for the reader.
func problem(format string, args ...any) error { return fmt.Errorf(format, args...) }

func smokeLive(ctx context.Context, p *probe) (string, error) {
	r, err := p.want(ctx, ask{method: http.MethodGet, url: p.at.origin + "/live"}, http.StatusOK)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(string(r.body)) != `{"status":"alive"}` {
		return "", problem("Something else than Polaris answers at /live.")
	}
	return "the process answers", nil
}

func smokeHealth(ctx context.Context, p *probe) (string, error) {
	r, err := p.send(ctx, ask{method: http.MethodGet, url: p.at.origin + "/health"})
	if err != nil {
		return "", err
	}
	switch got := strings.TrimSpace(string(r.body)); {
	case r.status == http.StatusOK && got == `{"status":"ready"}`:
		return "it is ready", nil
	case r.status == http.StatusServiceUnavailable && got == `{"status":"not_ready"}`:
		return "", problem("The server is not ready: it is starting or stopping, or cannot reach its database. Look at its log.")
	}
	return "", p.unexpected(r, "200")
}

const smokePing = `{"jsonrpc":"2.0","id":"smoke","method":"ping"}`

func smokeNoKey(ctx context.Context, p *probe) (string, error) {
	r, err := p.send(ctx, ask{body: smokePing})
	if err != nil {
		return "", err
	}
	_, served := oneAnswer(r.body)
	switch {
	case served && r.status == http.StatusOK:
		return "", problem("The endpoint answers without a key. Does something in between add one for everybody?")
	case r.code() != "missing_credential" || r.status != http.StatusUnauthorized:
		return "", p.unexpected(r, "401 missing_credential")
	case !strings.HasPrefix(r.header.Get("WWW-Authenticate"), `Bearer realm="polaris"`):
		return "", problem("The 401 has no WWW-Authenticate header: something in between takes it away. Let it pass.")
	}
	return "401 with a challenge", nil
}

func smokeMethod(ctx context.Context, p *probe) (string, error) {
	r, err := p.want(ctx, ask{method: http.MethodGet}, http.StatusMethodNotAllowed)
	if err != nil {
		return "", err
	}
	if r.header.Get("Allow") != http.MethodPost {
		return "", problem("The 405 has no `Allow: POST`: something in between takes it away. Let it pass.")
	}
	return "GET is answered with 405", nil
}

// discoveryPaths are where clients look for OAuth. What they must find is a
// plain 404: anything else makes some of them drop the key.
func (p *probe) discoveryPaths() []string {
	path := strings.TrimPrefix(p.at.mcp, p.at.origin)
	return []string{
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource" + path, "/.well-known/oauth-authorization-server",
		"/.well-known/openid-configuration", path + "/.well-known/openid-configuration", "/authorize", "/token", "/register",
	}
}

func smokeDiscovery(ctx context.Context, p *probe) (string, error) {
	paths := p.discoveryPaths()
	for _, path := range paths {
		r, err := p.send(ctx, ask{method: http.MethodGet, url: p.at.origin + path})
		if err != nil {
			return "", err
		}
		if r.status != http.StatusNotFound || r.isHTML() {
			return "", problem("%s is answered with %s. It must be a plain 404, without a page or a redirect, or clients look for a sign-in and drop the key. Pass it to the server.", path, r.said())
		}
	}
	return fmt.Sprintf("%d paths of OAuth are plain 404s", len(paths)), nil
}

func smokeBadKey(ctx context.Context, p *probe) (string, error) {
	r, err := p.send(ctx, ask{body: smokePing, key: "sk-polaris-smoke"})
	if err != nil {
		return "", err
	}
	if r.status != http.StatusUnauthorized || r.code() != "invalid_api_key" {
		return "", p.unexpected(r, "401 invalid_api_key")
	}
	if !strings.Contains(r.header.Get("WWW-Authenticate"), `error="invalid_token"`) {
		return "", problem("The 401 to a wrong key has no challenge: something in between takes WWW-Authenticate away. Let it pass.")
	}
	return "a wrong key is refused", nil
}

// reached reports whether a request got to the credential check.
func (r *response) reached() bool {
	return r.status < 300 || strings.Contains(r.header.Get("WWW-Authenticate"), `realm="polaris"`)
}

func smokeHost(ctx context.Context, p *probe) (string, error) {
	r, err := p.send(ctx, ask{body: smokePing, host: "smoke.invalid"})
	switch {
	case err != nil:
		return "a foreign Host is not served", nil //nolint:nilerr // a proxy may hang up, which is as good
	case r.reached():
		return "", problem("A request for another host is served. Does the proxy write a Host of its own? Let it pass on what was asked for.")
	}
	return "a foreign Host is refused: " + r.said(), nil
}

func smokeOrigin(ctx context.Context, p *probe) (string, error) {
	r, err := p.send(ctx, ask{body: smokePing, header: map[string]string{"Origin": "https://smoke.invalid"}})
	if err != nil {
		return "", err
	}
	if r.reached() {
		return "", problem("A page of a foreign origin may ask. Does something in between take the Origin header away, or does POLARIS_ALLOWED_ORIGINS allow too much?")
	}
	return "a foreign Origin is refused: " + r.said(), nil
}

func smokeInitialize(ctx context.Context, p *probe) (string, error) {
	const version = "2025-11-25"
	var r struct {
		ProtocolVersion string
		ServerInfo      struct{ Name string }
		Capabilities    struct{ Tools *struct{} }
	}
	params := map[string]any{"protocolVersion": version, "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": "bb-smoke", "version": "1"}}
	if err := p.rpc(ctx, "initialize", params, false, &r); err != nil {
		return "", err
	}
	if r.ProtocolVersion != version || r.ServerInfo.Name != "polaris" || r.Capabilities.Tools == nil {
		return "", problem("initialize does not agree on %s with a Polaris that has tools. Is the address right?", version)
	}
	return "speaks " + version, nil
}

// advisorTools are what every key for agents sees.
var advisorTools = []string{"answer", "read_wiki", "retrieve", "topic_cards"}

func smokeTools(ctx context.Context, p *probe) (string, error) {
	var r struct{ Tools []struct{ Name string } }
	if err := p.rpc(ctx, "tools/list", map[string]any{}, false, &r); err != nil {
		return "", err
	}
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	for _, want := range advisorTools {
		if !slices.Contains(names, want) {
			return "", problem("The tool %s is not listed.", want)
		}
	}
	return counted(len(names), "tool"), nil
}

func smokeTopicCards(ctx context.Context, p *probe) (string, error) {
	var r struct {
		Topics []struct{ Anchors []string }
	}
	if _, err := p.call(ctx, "topic_cards", map[string]any{}, false, &r); err != nil {
		return "", err
	}
	for _, t := range r.Topics {
		if p.question == "" && len(t.Anchors) > 0 {
			p.question = t.Anchors[0]
		}
	}
	return counted(len(r.Topics), "topic card"), nil
}

// choose finds something to ask in a brain without topic cards: the title of an
// article.
func (p *probe) choose(ctx context.Context) error {
	if p.question != "" {
		return nil
	}
	var r struct {
		Categories []struct{ Titles []string }
	}
	if _, err := p.call(ctx, "read_wiki", map[string]any{}, false, &r); err != nil {
		return err
	}
	for _, c := range r.Categories {
		if len(c.Titles) > 0 {
			p.question = c.Titles[0]
			return nil
		}
	}
	p.question = "What is this about?"
	return nil
}

// ground returns why an envelope has no citations.
func ground(e models.Envelope, what string) error {
	if slices.Contains(e.Guardrail.Reasons, "no_published_version") {
		return problem("Nothing is published in this brain yet: run `bb publish`.")
	}
	if len(e.Citations) == 0 {
		return problem("%s finds nothing. Give a question that the brain answers with --question.", what)
	}
	return nil
}

func smokeRetrieve(ctx context.Context, p *probe) (string, error) {
	if err := p.choose(ctx); err != nil {
		return "", err
	}
	var e models.Envelope
	text, err := p.call(ctx, "retrieve", map[string]any{"query": p.question}, false, &e)
	if err != nil {
		return "", err
	}
	if err := ground(e, "retrieve"); err != nil {
		return "", err
	}
	if err := quoted(e.Citations, text); err != nil {
		return "", err
	}
	return counted(len(e.Citations), "passage"), nil
}

// quoted holds citations against the text that goes with them: each has its
// quote there, as long as its offsets say.
func quoted(citations []models.Citation, text string) error {
	text = plainly(text)
	for _, c := range citations {
		q := plainly(c.Quote)
		if len(q) > 300 {
			q = strings.ToValidUTF8(q[:300], "")
		}
		switch {
		case q == "" || !strings.Contains(text, q):
			return problem("The quote of citation %d is not in the text.", c.N)
		case c.Kind == models.CitesPassage && c.Provenance.End-c.Provenance.Start != len(c.Quote):
			return problem("The quote of citation %d is not as long as its offsets say: something in between changes the answer.", c.N)
		}
	}
	return nil
}

// plainly is a text without marks of Markdown and line breaks.
func plainly(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, `\`, "")), " ")
}

var marker = regexp.MustCompile(`\[(\d+)\]`)

func smokeAnswer(ctx context.Context, p *probe) (string, error) {
	var e models.Envelope
	text, err := p.call(ctx, "answer", map[string]any{"query": p.question}, false, &e)
	if err != nil {
		return "", err
	}
	if err := ground(e, "answer"); err != nil {
		return "", err
	}
	if err := errors.Join(quoted(e.Citations, text), quoted(e.Citations, e.Rendered)); err != nil {
		return "", err
	}
	numbers := map[string]bool{}
	for _, c := range e.Citations {
		numbers[strconv.Itoa(c.N)] = true
		if !c.Verified {
			return "", problem("Citation %d is not verified.", c.N)
		}
	}
	for _, m := range marker.FindAllStringSubmatch(e.Result, -1) {
		if !numbers[m[1]] {
			return "", problem("The answer cites [%s], which is not among its citations.", m[1])
		}
	}
	return counted(len(e.Citations), "verified citation") + ", guardrail " + guardrailWord(e.Guardrail.Status), p.recordAt(e)
}

// guardrailWord keeps what is no state of a guardrail out of our output.
func guardrailWord(s string) string {
	if s == models.GuardrailPass || s == models.GuardrailDisclaim || s == models.GuardrailBlock {
		return s
	}
	return "unknown"
}

// recordAt finds the answer's record, which must be at the address that people
// reach, and where it is by REST.
func (p *probe) recordAt(e models.Envelope) error {
	u, err := url.Parse(e.RecordURL)
	if err != nil || u.Scheme+"://"+u.Host != p.at.origin {
		return problem("The proof of an answer is not at this address. Set POLARIS_PUBLIC_URL to %s.", p.at.origin)
	}
	p.record = p.at.origin + "/v1" + u.EscapedPath()
	return nil
}

func smokeRecord(ctx context.Context, p *probe) (string, error) {
	r, err := p.want(ctx, ask{method: http.MethodGet, url: p.record, key: p.at.key}, http.StatusOK)
	if err != nil {
		return "", err
	}
	var record struct{ Intact bool }
	if json.Unmarshal(r.body, &record) != nil {
		return "", p.unexpected(r, "the record")
	}
	if !record.Intact {
		return "", problem("The record of the answer is not intact. Run `bb audit verify` on the server.")
	}
	return "the answer's record is there and intact", nil
}

func smokeRate(ctx context.Context, p *probe) (string, error) {
	if p.limited {
		return "the answers say what is left of the rate", nil
	}
	// There is nothing to say where there is no limit.
	r, err := p.want(ctx, ask{method: http.MethodGet, url: p.at.origin + "/v1/me", key: p.at.key}, http.StatusOK)
	if err != nil {
		return "", err
	}
	var me struct {
		RateLimit *struct{ Limit int } `json:"rate_limit"`
	}
	if json.Unmarshal(r.body, &me) != nil || me.RateLimit != nil && me.RateLimit.Limit > 0 {
		return "", problem("The answers have no RateLimit headers: something in between takes them away. Let them pass.")
	}
	return "this key has no limit", nil
}

func smokeAPIKeyHeader(ctx context.Context, p *probe) (string, error) {
	r, err := p.send(ctx, ask{body: smokePing, header: map[string]string{"X-API-Key": p.at.key}})
	if err != nil {
		return "", err
	}
	if r.status != http.StatusOK {
		if r.code() == "missing_credential" {
			return "", problem("The key did not arrive in X-API-Key: something in between takes that header away. Let it pass.")
		}
		return "", p.unexpected(r, "200")
	}
	return "X-API-Key works, too", nil
}

func smokeDiscover(ctx context.Context, p *probe) (string, error) {
	var r struct{ SupportedVersions []string }
	if err := p.rpc(ctx, "server/discover", map[string]any{"_meta": modernMeta}, true, &r); err != nil {
		return "", problem("%w Does something in between take MCP-Protocol-Version or Mcp-Method away?", err)
	}
	if !slices.Contains(r.SupportedVersions, modernVersion) {
		return "", problem("server/discover does not name %s.", modernVersion)
	}
	return "speaks " + modernVersion, nil
}

func smokeModernCall(ctx context.Context, p *probe) (string, error) {
	var r struct{ Topics []json.RawMessage }
	if _, err := p.call(ctx, "topic_cards", map[string]any{}, true, &r); err != nil {
		return "", problem("%w Does something in between take Mcp-Name away?", err)
	}
	return "a tool of the later era answers", nil
}
