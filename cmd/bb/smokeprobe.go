package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// smokeTimeout bounds each request.
const smokeTimeout = 10 * time.Second

// A probe is what the checks share.
type probe struct {
	at       *endpoint
	question string // what to ask
	record   string // address of the answer's record, by REST
	limited  bool   // the answers said where the key stands with its rate
	failed   map[string]bool
}

// An ask is one request of a check.
type ask struct {
	method string // default POST
	url    string // default the MCP endpoint
	host   string // default the URL's
	key    string // as a bearer token; default none
	header map[string]string
	body   string
}

// A response is what came back, bounded.
type response struct {
	status int
	header http.Header
	kind   string // media type
	body   []byte
}

// send makes a request. Its error says what to do.
func (p *probe) send(ctx context.Context, a ask) (*response, error) {
	ctx, cancel := context.WithTimeout(ctx, smokeTimeout)
	defer cancel()
	if a.method == "" {
		a.method = http.MethodPost
	}
	if a.url == "" {
		a.url = p.at.mcp
	}
	req, err := http.NewRequestWithContext(ctx, a.method, a.url, strings.NewReader(a.body))
	if err != nil {
		return nil, problem("The request could not be made.")
	}
	req.Host = a.host
	req.Header.Set("User-Agent", "bb-smoke")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if a.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if a.key != "" {
		req.Header.Set("Authorization", "Bearer "+a.key)
	}
	for k, v := range a.header {
		req.Header.Set(k, v)
	}
	resp, err := p.at.client.Do(req)
	if err != nil {
		return nil, problem("%s", unreached(err))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, longestAnswer))
	if err != nil {
		return nil, problem("%s", unreached(err))
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return &response{resp.StatusCode, resp.Header, kind, body}, nil
}

// code returns the code of a refusal, if it looks like one.
func (r *response) code() string {
	var refusal struct{ Error struct{ Code string } }
	if json.Unmarshal(r.body, &refusal) != nil || !regexp.MustCompile(`^[a-z_]{1,40}$`).MatchString(refusal.Error.Code) {
		return ""
	}
	return refusal.Error.Code
}

// said is a reply in a few words, none of which are the other side's.
func (r *response) said() string {
	if c := r.code(); c != "" {
		return fmt.Sprintf("%d %s", r.status, c)
	}
	switch r.kind {
	case "application/json", "text/plain", "text/html", "text/event-stream", "application/problem+json":
		return fmt.Sprintf("%d with %s", r.status, r.kind)
	}
	return fmt.Sprint(r.status)
}

// advice says what a reply that is not what it should be most likely means.
func (p *probe) advice(r *response) string {
	switch r.code() {
	case "missing_credential":
		return "The key did not arrive: something in between takes the Authorization header away. Let it pass."
	case "invalid_api_key", "invalid_token":
		return "The server does not know this key. Is it one of this deployment, and copied whole?"
	case "revoked_api_key":
		return "The key was revoked, or its owner may no longer use it. Mint another with `bb apikey mint`."
	case "expired_api_key":
		return "The key has expired. Mint another with `bb apikey mint`."
	case "insufficient_scope":
		return "The key lacks the scope advisor:read. Mint one that has it; an operator's key needs --hosted."
	case "host_not_allowed":
		return "The server does not answer to this name. Set POLARIS_PUBLIC_URL to " + p.at.origin + ", or add the name to POLARIS_ALLOWED_HOSTS."
	case "origin_not_allowed":
		return "Something adds an Origin header that is not allowed (POLARIS_ALLOWED_ORIGINS)."
	case "rate_limited":
		return "The key is over its rate. Wait a minute, and check again."
	case "too_many_failures":
		return "Too many wrong keys came from this address. Wait a minute. Behind a proxy all callers share one address unless POLARIS_TRUSTED_PROXIES names it."
	case "unavailable":
		return "The server cannot reach its database, or is starting. Look at its log."
	case "":
		return inBetween(r.status)
	}
	return "Look at the server's log."
}

// unexpected is a reply that is not what it should be.
func (p *probe) unexpected(r *response, want string) error {
	return problem("The answer is %s instead of %s. %s", r.said(), want, p.advice(r))
}

// want makes a request that must have the status.
func (p *probe) want(ctx context.Context, a ask, status int) (*response, error) {
	r, err := p.send(ctx, a)
	if err == nil && r.status != status {
		err = p.unexpected(r, fmt.Sprint(status))
	}
	return r, err
}

// modernVersion is the protocol version of the era without initialize.
const modernVersion = "2026-07-28"

// rpc asks the endpoint with the key and puts the result into one of the given
// shape.
func (p *probe) rpc(ctx context.Context, method string, params any, modern bool, result any) error {
	m := map[string]any{"jsonrpc": "2.0", "id": "smoke", "method": method, "params": params}
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	a := ask{key: p.at.key, body: string(b)}
	if modern {
		a.header = map[string]string{}
		h := http.Header{}
		readMessage(b).head(h, nil)
		for k := range h {
			a.header[k] = h.Get(k)
		}
	}
	r, err := p.want(ctx, a, http.StatusOK)
	if err != nil {
		return err
	}
	p.limited = p.limited || r.header.Get("RateLimit") != "" && r.header.Get("RateLimit-Policy") != ""
	line, ok := oneAnswer(r.body)
	if !ok {
		return p.unexpected(r, "JSON-RPC")
	}
	var answer struct {
		ID     string
		Result json.RawMessage
		Error  *struct{ Code int }
	}
	if json.Unmarshal(line, &answer) != nil || answer.ID != "smoke" {
		return problem("The answer belongs to another request.")
	}
	if answer.Error != nil {
		return problem("%s is refused with the error %d.", method, answer.Error.Code)
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		return problem("The result of %s has another shape than it should.", method)
	}
	return nil
}

// call calls a tool and returns its text; what is structured goes into result.
func (p *probe) call(ctx context.Context, tool string, args map[string]any, modern bool, result any) (text string, err error) {
	var r struct {
		IsError           bool
		ResultType        string
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
	}
	params := map[string]any{"name": tool, "arguments": args}
	if modern {
		params["_meta"] = modernMeta
	}
	if err := p.rpc(ctx, "tools/call", params, modern, &r); err != nil {
		return "", err
	}
	switch {
	case r.IsError:
		return "", problem("%s fails. Look at the server's log.", tool)
	case len(r.Content) != 1 || r.Content[0].Text == "" || json.Unmarshal(r.StructuredContent, result) != nil:
		return "", problem("The result of %s lacks its text or its structured content.", tool)
	case modern && r.ResultType != "complete":
		return "", problem("The result of %s lacks resultType.", tool)
	}
	return r.Content[0].Text, nil
}

var modernMeta = map[string]any{
	"io.modelcontextprotocol/protocolVersion":    modernVersion,
	"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "bb-smoke", "version": "1"},
	"io.modelcontextprotocol/clientCapabilities": map[string]any{},
}

// isHTML reports whether a body is a page, whatever it says it is.
func (r *response) isHTML() bool {
	return r.kind == "text/html" || bytes.HasPrefix(bytes.TrimSpace(bytes.ToLower(r.body)), []byte("<!doctype html"))
}
