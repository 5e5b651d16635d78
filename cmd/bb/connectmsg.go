package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
)

// Codes of errors that the bridge itself answers with. The last three are in
// the range that JSON-RPC leaves to implementations.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNotAdmitted    = -32010 // 401, 403: the key, or what it may do
	codeLimited        = -32011 // 429
	codeUnavailable    = -32012 // no answer, or none that is one
)

// A message is what the bridge needs to know of one line.
type message struct {
	line    []byte
	members map[string]json.RawMessage // nil where the line is no object
	id      json.RawMessage            // nil where there is none, or null
	method  string
	params  struct {
		Name      string
		URI       string
		RequestID json.RawMessage
		Meta      struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}
}

// readMessage reads a line that is JSON. What it does not understand stays
// empty: the endpoint says what is wrong with it.
func readMessage(line []byte) *message {
	m := &message{line: line}
	if json.Unmarshal(line, &m.members) != nil {
		return m
	}
	if id := bytes.TrimSpace(m.members["id"]); len(id) > 0 && string(id) != "null" {
		m.id = id
	}
	_ = json.Unmarshal(m.members["method"], &m.method)
	_ = json.Unmarshal(m.members["params"], &m.params)
	return m
}

func (m *message) has(member string) bool { _, ok := m.members[member]; return ok }

// isReply reports whether the message answers something.
func (m *message) isReply() bool { return !m.has("method") && (m.has("result") || m.has("error")) }

// isNotification reports whether nobody waits for an answer.
func (m *message) isNotification() bool { return m.method != "" && !m.has("id") }

// cancels returns the id of the request that the notification cancels.
func (m *message) cancels() json.RawMessage { return bytes.TrimSpace(m.params.RequestID) }

// head sets what the protocol wants in headers: the version that was agreed on,
// or the one that the message carries itself, with what it asks for.
func (m *message) head(h http.Header, agreed *string) {
	switch {
	case m.params.Meta.Version != "":
		h.Set("MCP-Protocol-Version", headerValue(m.params.Meta.Version))
		h.Set("Mcp-Method", headerValue(m.method))
		if name := m.params.Name + m.params.URI; name != "" {
			h.Set("Mcp-Name", headerValue(name))
		}
	case agreed != nil && m.method != "initialize":
		h.Set("MCP-Protocol-Version", headerValue(*agreed))
	}
}

// headerValue is a text as a header can carry it, in the protocol's own
// encoding where it must be.
func headerValue(s string) string {
	const begin, end = "=?base64?", "?="
	odd := strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
	if odd || strings.TrimSpace(s) != s || strings.HasPrefix(s, begin) && strings.HasSuffix(s, end) {
		return begin + base64.StdEncoding.EncodeToString([]byte(s)) + end
	}
	return s
}

// rpcFailure is an error as JSON-RPC has it. An id that is nil becomes null.
func rpcFailure(id json.RawMessage, code int, text string, data any) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(struct { // id is JSON, so all of it encodes
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcProblem      `json:"error"`
	}{"2.0", id, rpcProblem{code, text, data}})
	return bytes.TrimSpace(out.Bytes())
}

type rpcProblem struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}
