package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"polaris/ops"
	"polaris/ops/schema"
)

// A request is one JSON-RPC request with whom it is from: what the library
// passes to a tool's handler, which learns of nothing else.
type request struct {
	envelope
	call   ops.Call
	tool   *tool           // of tools/call; nil where the caller may see no such tool
	args   json.RawMessage // checked, without the pinned ones
	unfit  string          // why args do not fit the tool's schema
	bad    *rpcError       // what is wrong with a tools/call; nil: nothing
	modern bool            // of the 2026-07-28 era
}

// Methods that reach the library, with the params that it is shown. The rest
// of what it offers (tasks, logging, subscriptions, …) keeps state that callers
// would share.
var (
	legacyMethods = map[string][]string{
		"initialize": {"protocolVersion"},
		"ping":       {},
		"tools/list": {},
		"tools/call": {"name"},
	}
	modernMethods = map[string][]string{
		"server/discover": {"_meta"},
		"tools/list":      {"_meta", "cursor"},
		"tools/call":      {"_meta", "name"},
	}
)

// dispatch answers a message.
func (f *front) dispatch(ctx context.Context, w http.ResponseWriter, r *http.Request, call ops.Call, body []byte) {
	env, bad := readEnvelope(body)
	if bad == nil && env.id == nil || bad != nil && bad.code == mcpgo.INVALID_PARAMS && env.id == nil {
		// A notification. None is acted on: the library would let one caller's
		// notifications/cancelled end another caller's request of the same id.
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if bad != nil {
		replyError(w, statusOf(bad, false), env.id, bad)
		return
	}
	req := &request{envelope: env, call: call, modern: isModern(r.Header, env.params)}
	if bad := checkVersion(r.Header, req); bad != nil {
		replyError(w, http.StatusBadRequest, env.id, bad)
		return
	}
	methods := legacyMethods
	if req.modern {
		methods = modernMethods
	}
	shown, known := methods[env.method]
	if !known {
		bad := &rpcError{mcpgo.METHOD_NOT_FOUND, "Method not found: " + schema.Clip(env.method)}
		replyError(w, statusOf(bad, req.modern), env.id, bad)
		return
	}
	if env.method == "tools/call" {
		bad = f.prepare(req)
		req.bad = bad
	} else if !req.modern {
		bad = checkParams(env)
	}
	if bad != nil && !req.modern {
		replyError(w, statusOf(bad, false), env.id, bad)
		return
	}
	if req.tool != nil && !req.modern {
		// Nothing is left that the library would do but to read and write the
		// message anew, which took a quarter of all that a call takes.
		replyCall(w, env.id, f.call(ctx, req))
		return
	}
	f.library.answer(ctx, w, r, req, shown)
}

// isModern reports whether a message is of the era without initialize: it says
// so in its header, its body, or (as it should) both.
func isModern(h http.Header, params members) bool {
	if mcpgo.IsModernProtocol(h.Get("MCP-Protocol-Version")) {
		return true
	}
	if len(params["_meta"]) == 0 || params["_meta"][0] != '{' {
		return false
	}
	meta, _ := readMembers(params["_meta"])
	v, _ := readString(meta[mcpgo.MetaKeyProtocolVersion])
	return mcpgo.IsModernProtocol(v)
}

// checkVersion refuses a message whose header names a version that never was.
// initialize negotiates the version itself, and the library holds the later era
// against its own rules.
func checkVersion(h http.Header, req *request) *rpcError {
	v := h.Get("MCP-Protocol-Version")
	if v == "" || req.modern || req.method == "initialize" || mcpgo.IsValidProtocolVersion(v) {
		return nil
	}
	return invalidRequest("MCP-Protocol-Version %q is not supported. Supported are %s.", schema.Clip(v), strings.Join(mcpgo.ValidProtocolVersions, ", "))
}

// statusOf returns the HTTP status that an error goes out with. Clients of the
// initialize era take 400 for a broken connection, so what they may have got
// wrong in good faith is 200.
func statusOf(e *rpcError, modern bool) int {
	switch {
	case e.code == mcpgo.PARSE_ERROR || e.code == mcpgo.INVALID_REQUEST:
		return http.StatusBadRequest
	case modern && e.code == mcpgo.METHOD_NOT_FOUND:
		return http.StatusNotFound
	}
	return http.StatusOK
}

// checkParams checks the params of the methods that are not tools/call.
func checkParams(e envelope) *rpcError {
	if v, given := e.params["protocolVersion"]; given && e.method == "initialize" {
		if _, ok := readString(v); !ok {
			return invalidParams("Invalid params: protocolVersion must be a string.")
		}
	}
	if c, given := e.params["cursor"]; given && e.method == "tools/list" && string(c) != "null" && string(c) != `""` {
		return invalidParams("Invalid params: cursor is none that this server gave; the whole list is one page.")
	}
	return nil
}

// prepare finds the tool that req calls and checks its arguments.
func (f *front) prepare(req *request) *rpcError {
	name, ok := readString(req.params["name"])
	if !ok {
		return invalidParams("Invalid params: name must be a string, the tool to call.")
	}
	if req.tool = f.tools.visible(req.call.By, name); req.tool == nil {
		return invalidParams("Unknown tool: %q. tools/list names the tools that this credential may call.", schema.Clip(name))
	}
	req.args, req.unfit = req.tool.arguments(req.params["arguments"])
	if req.unfit != "" {
		return invalidParams("Invalid arguments for %s: %s.", name, req.unfit)
	}
	return nil
}

// replyError writes a JSON-RPC error, with the id as it was sent.
func replyError(w http.ResponseWriter, status int, id json.RawMessage, e *rpcError) {
	reply(w, status, id, "error", encoded(map[string]any{"code": e.code, "message": e.message}))
}

// encoded returns v as JSON. What the library and the front answer with always
// encodes; if that were ever untrue, null is what a client can still read.
func encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return b
}

// reply writes a JSON-RPC answer whose member is "result" or "error". The id is
// repeated byte for byte: numbers that no float holds, too.
func reply(w http.ResponseWriter, status int, id json.RawMessage, member string, value []byte) {
	out := opened(make([]byte, 0, len(value)+len(id)+64), id, member)
	send(w, status, append(append(out, value...), '}', '\n'))
}

// replies holds buffers for the answers to calls, the only long ones: made anew
// for each, they were half of all that is allocated.
var replies = sync.Pool{New: func() any { return new([]byte) }}

// replyCall writes the answer to a tools/call.
func replyCall(w http.ResponseWriter, id json.RawMessage, s said) {
	buf := replies.Get().(*[]byte)
	defer replies.Put(buf)
	*buf = append(s.appendResult(opened((*buf)[:0], id, "result")), '}', '\n')
	send(w, http.StatusOK, *buf)
}

// opened appends the beginning of a JSON-RPC answer, up to its member's value.
func opened(out []byte, id json.RawMessage, member string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	out = append(append(out, `{"jsonrpc":"2.0","id":`...), id...)
	return append(append(append(out, `,"`...), member...), `":`...)
}

func send(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // whoever went away does not read it
}
