package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// How long the bridge tries. Clients give up after a minute, and the endpoint
// takes no more than 50 s.
const (
	askTimeout  = 55 * time.Second
	retryWithin = 20 * time.Second // waiting in all, for one request

	longestRetry = 24 * 60 * 60 // seconds, as they are told to the client
)

// ask sends a message until it is answered, and returns the answer as one line;
// nil if the client does not want it any more. Where the server is not there or
// says when to come again, that is waited for, within bounds.
func (b *bridge) ask(ctx context.Context, m *message) []byte {
	within, stop := context.WithTimeout(ctx, askTimeout)
	defer stop()
	pause, waited := 250*time.Millisecond, time.Duration(0)
	for {
		a := b.once(within, m)
		if ctx.Err() != nil {
			return nil
		}
		if a.answer != nil {
			return a.answer
		}
		wait := a.retryAfter
		if wait == 0 {
			wait, pause = pause, min(2*pause, 2*time.Second)
		}
		if !a.again || waited+wait > retryWithin {
			a.text = strings.ReplaceAll(a.text, b.at.key, "…") // whoever refused may have repeated it
			b.diagnose("bb connect: %s: %s", oneLine(cmp.Or(m.method, "a message")), oneLine(a.text))
			return rpcFailure(m.id, a.code, a.text, a.data())
		}
		waited += wait
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil
		}
	}
}

// An attempt is what sending a message once came to: an answer, or why there is
// none.
type attempt struct {
	answer     []byte
	code       int
	text       string
	status     int           // HTTP's; 0 where there was no answer at all
	again      bool          // trying again may help, and can do nothing twice
	retryAfter time.Duration // when
}

func (a *attempt) data() any {
	if a.status == 0 {
		return nil
	}
	d := map[string]int{"http_status": a.status}
	if a.retryAfter > 0 {
		d["retry_after"] = int(a.retryAfter / time.Second)
	}
	return d
}

func (b *bridge) once(ctx context.Context, m *message) *attempt {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.at.mcp, bytes.NewReader(m.line))
	if err != nil {
		return &attempt{code: codeUnavailable, text: "The request could not be made."}
	}
	req.Header.Set("Authorization", "Bearer "+b.at.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("User-Agent", "bb-connect")
	m.head(req.Header, b.version.Load())
	// A kept connection may be dead already, and what was written to it lost or
	// not: what must not be done twice goes over one that is not.
	client, again := b.fresh, b.repeatable(m)
	if again {
		client = b.at.client
	}
	resp, err := client.Do(req)
	if err != nil {
		return lost(err, again)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, longestAnswer+1))
	switch {
	case err != nil:
		return lost(err, again)
	case len(body) > longestAnswer:
		return &attempt{code: codeUnavailable, status: resp.StatusCode, text: "The answer is too long."}
	}
	if line, ok := oneAnswer(body); ok {
		b.learn(m, line)
		return &attempt{answer: line}
	}
	return refusedBy(resp, body)
}

// repeatable reports whether the request may be sent again although it may have
// arrived: it asks for nothing that could be done twice.
func (b *bridge) repeatable(m *message) bool {
	switch m.method {
	case "initialize", "ping", "tools/list", "server/discover":
		return true
	case "tools/call":
		_, reads := b.readers.Load(m.params.Name)
		return reads
	}
	return false
}

// lost is an attempt that got no answer. What never left may be tried again.
func lost(err error, repeatable bool) *attempt {
	var op *net.OpError
	never := errors.As(err, &op) && op.Op == "dial"
	a := &attempt{code: codeUnavailable, text: unreached(err), again: never || repeatable}
	if !a.again {
		a.text += " Whether the call was carried out is not known."
	}
	return a
}

// oneAnswer returns a JSON-RPC answer on one line.
func oneAnswer(body []byte) ([]byte, bool) {
	var head struct {
		JSONRPC       string
		Result, Error json.RawMessage
	}
	body = bytes.ToValidUTF8(body, []byte("\ufffd"))
	if json.Unmarshal(body, &head) != nil || head.JSONRPC != "2.0" || head.Result == nil && head.Error == nil {
		return nil, false
	}
	var line bytes.Buffer
	if json.Compact(&line, body) != nil {
		return nil, false
	}
	return line.Bytes(), true
}

// learn keeps the protocol version that initialize agreed on, and which tools
// only read.
func (b *bridge) learn(m *message, answer []byte) {
	var a struct {
		Result struct {
			ProtocolVersion string
			Tools           []struct {
				Name        string
				Annotations struct{ ReadOnlyHint bool }
			}
		}
	}
	if m.method != "initialize" && m.method != "tools/list" || json.Unmarshal(answer, &a) != nil {
		return
	}
	if v := a.Result.ProtocolVersion; v != "" {
		b.version.Store(&v)
	}
	for _, t := range a.Result.Tools {
		if t.Annotations.ReadOnlyHint {
			b.readers.Store(t.Name, true)
		} else {
			b.readers.Delete(t.Name)
		}
	}
}

// refusedBy is an attempt that was answered in plain HTTP: by the endpoint's
// guard in its own words, or by something in between.
func refusedBy(resp *http.Response, body []byte) *attempt {
	a := &attempt{code: codeUnavailable, status: resp.StatusCode}
	var refusal struct {
		Error struct{ Code, Message string }
	}
	ours := json.Unmarshal(body, &refusal) == nil && refusal.Error.Message != ""
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && s > 0 {
		a.retryAfter = time.Duration(min(s, longestRetry)) * time.Second // more would not fit a Duration, and be no wait at all
	}
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		a.code = codeNotAdmitted
	case http.StatusTooManyRequests:
		a.code = codeLimited
		a.again = a.retryAfter > 0 && refusal.Error.Code != "too_many_failures"
	case http.StatusServiceUnavailable:
		a.again = true
	}
	if ours {
		a.text = refusal.Error.Message
		return a
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	a.text = fmt.Sprintf("The address answered %d with %s, which is no answer of an MCP endpoint. %s", resp.StatusCode, cmp.Or(kind, "no type"), inBetween(resp.StatusCode))
	return a
}

// inBetween says what an answer that is not the endpoint's most likely means.
func inBetween(status int) string {
	switch {
	case status >= 300 && status < 400:
		return "It redirects elsewhere, and the key is not sent on. Use the address that it leads to."
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return "Is the path right (POLARIS_MCP_PATH), and does the proxy pass it on?"
	case status == http.StatusRequestEntityTooLarge:
		return "The proxy allows only smaller bodies."
	case status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout:
		return "The proxy does not reach the server, or gave it too little time (a minute is needed)."
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return "Something before the server asks for a sign-in of its own."
	}
	return "Something before the server answers in its place."
}
