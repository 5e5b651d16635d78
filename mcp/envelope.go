package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"polaris/ops/schema"
)

// An envelope is a JSON-RPC request or notification that was read strictly:
// each member once, under its exact name. encoding/json, which the library
// uses, would take "METHOD" for "method" and the last of two duplicates; so
// nothing of the original bytes is passed on but the values found here.
type envelope struct {
	id     json.RawMessage // as it was sent; nil for a notification
	method string
	params members // nil where there are none
}

// A rpcError is an error of the JSON-RPC layer.
type rpcError struct {
	code    int
	message string
}

func invalidRequest(format string, args ...any) *rpcError {
	return &rpcError{mcpgo.INVALID_REQUEST, "Invalid request: " + fmt.Sprintf(format, args...)}
}

func invalidParams(format string, args ...any) *rpcError {
	return &rpcError{mcpgo.INVALID_PARAMS, fmt.Sprintf(format, args...)}
}

// members are the members of one JSON object, by exact name.
type members map[string]json.RawMessage

// readEnvelope reads a body. With an error it still returns the id where there
// is a usable one, so that the caller can tell which request it was.
//
// Depth is bounded by encoding/json, which gives up at 10,000 levels.
func readEnvelope(body []byte) (envelope, *rpcError) {
	var e envelope
	if !utf8.Valid(body) || !json.Valid(body) {
		return e, &rpcError{mcpgo.PARSE_ERROR, "Parse error: the body is not JSON in UTF-8, or is nested too deeply."}
	}
	switch bytes.TrimSpace(body)[0] {
	case '{':
	case '[':
		return e, invalidRequest("batches are not supported; send one message in a request.")
	default:
		return e, invalidRequest("a message is a JSON object.")
	}
	m, twice := readMembers(body)
	if id, ok := m["id"]; ok && usableID(id) {
		e.id = id
	}
	if twice != "" {
		return e, invalidRequest("%q is given twice.", schema.Clip(twice))
	}
	if v, ok := readString(m["jsonrpc"]); !ok || v != "2.0" {
		return e, invalidRequest(`"jsonrpc" must be "2.0".`)
	}
	if id, ok := m["id"]; ok && !usableID(id) {
		return e, invalidRequest(`"id" must be a string or a number.`)
	}
	method, ok := readString(m["method"])
	if !ok {
		return e, invalidRequest(`"method" must be a string.`)
	}
	e.method = method
	return e, e.readParams(m["params"])
}

// readParams takes the params of a message. Some clients send null for none.
func (e *envelope) readParams(raw json.RawMessage) *rpcError {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if raw[0] != '{' && raw[0] != '[' {
		return invalidRequest(`"params" must be an object.`)
	}
	if raw[0] == '[' {
		return invalidParams("Invalid params: MCP takes params by name, as an object.")
	}
	m, twice := readMembers(raw)
	if twice != "" {
		return invalidRequest("params: %q is given twice.", schema.Clip(twice))
	}
	e.params = m
	return nil
}

// readMembers reads an object that is known to be valid JSON, and returns the
// name of a member that is there twice.
func readMembers(obj []byte) (m members, twice string) {
	m = members{}
	eachMember(obj, func(name string, v json.RawMessage) bool {
		if _, dup := m[name]; dup {
			twice = name
		}
		m[name] = v
		return true
	})
	return m, twice
}

func readString(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// usableID reports whether raw is a string or a number.
func usableID(raw json.RawMessage) bool {
	return raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
}
