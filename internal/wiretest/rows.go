package wiretest

import (
	"net/http"
	"strings"
	"testing"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// with returns headers from pairs of name and value, as HTTP writes the names.
func with(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func bearer(key string, more ...string) http.Header {
	return with(append([]string{"Authorization", "Bearer {" + key + "}"}, more...)...)
}

const (
	missing  = `Bearer realm="polaris", scope="advisor:read"`
	invalid  = `Bearer realm="polaris", error="invalid_token", scope="advisor:read"`
	tooSmall = `Bearer realm="polaris", error="insufficient_scope", scope="advisor:read"`
)

// PlainRows are the refusals before the envelope, and the order among them.
func PlainRows() []Row {
	unknown := "sk-polaris-000000000000_" + strings.Repeat("0", 38)
	return []Row{
		// Host and Origin
		{Name: "foreign host", Host: "evil.example", Body: ping, Status: 403, Code: "host_not_allowed", Has: []string{"POLARIS_ALLOWED_HOSTS"}},
		{Name: "foreign host before options", Method: "OPTIONS", Host: "evil.example", Status: 403, Code: "host_not_allowed"},
		{Name: "foreign host that ends like ours", Host: "evil" + PublicHost, Body: ping, Status: 403, Code: "host_not_allowed"},
		{Name: "public host", Host: PublicHost, Body: ping, Status: 200},
		{Name: "public host with port", Host: PublicHost + ":8443", Body: ping, Status: 200},
		{Name: "public host in capitals", Host: strings.ToUpper(PublicHost), Body: ping, Status: 200},
		{Name: "localhost any port", Host: "localhost:1", Body: ping, Status: 200},
		{Name: "127.0.0.1", Host: "127.0.0.1", Body: ping, Status: 200},
		{Name: "[::1]", Host: "[::1]:9", Body: ping, Status: 200},
		{Name: "localhost as a subdomain", Host: "localhost.evil.example", Body: ping, Status: 403, Code: "host_not_allowed"},
		{Name: "foreign origin", Header: bearer("reader", "Origin", "https://evil.example"), Body: ping, Status: 403, Code: "origin_not_allowed", Has: []string{"POLARIS_ALLOWED_ORIGINS"}, Expect: map[string]string{"Access-Control-Allow-Origin": ""}},
		{Name: "null origin", Header: bearer("reader", "Origin", "null"), Body: ping, Status: 403, Code: "origin_not_allowed"},
		{Name: "two origins", Header: bearer("reader", "Origin", "http://localhost:6274", "Origin", "https://evil.example"), Body: ping, Status: 403, Code: "origin_not_allowed"},
		{Name: "origin with user", Header: bearer("reader", "Origin", "http://localhost@evil.example"), Body: ping, Status: 403, Code: "origin_not_allowed"},
		{Name: "public origin", Header: bearer("reader", "Origin", "https://"+PublicHost), Body: ping, Status: 200, Expect: map[string]string{"Access-Control-Allow-Origin": "https://" + PublicHost}},
		{Name: "allowed origin", Header: bearer("reader", "Origin", "https://app.example"), Body: ping, Status: 200},
		{
			Name: "cors origin", Header: bearer("reader", "Origin", "http://localhost:6274"), Body: ping, Status: 200,
			Expect: map[string]string{"Access-Control-Allow-Origin": "http://localhost:6274", "Access-Control-Expose-Headers": "WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy", "Access-Control-Allow-Credentials": ""},
		},
		{Name: "cors on a 401", Header: with("Origin", "http://localhost:6274"), Body: ping, Status: 401, Code: "missing_credential", Expect: map[string]string{"Access-Control-Allow-Origin": "http://localhost:6274", "Www-Authenticate": missing}},

		// OPTIONS and method, before any credential
		{
			Name: "preflight", Method: "OPTIONS", Header: with("Origin", "http://localhost:6274", "Access-Control-Request-Method", "POST"), Status: 204,
			Expect: map[string]string{"Access-Control-Allow-Methods": "POST", "Access-Control-Allow-Headers": "Authorization, X-API-Key, X-Tenant-Id, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name"},
		},
		{Name: "preflight with a slash", Path: "/v1/mcp/", Method: "OPTIONS", Header: with("Origin", "http://localhost:6274"), Status: 204},
		{Name: "GET", Method: "GET", Header: with("Accept", "text/event-stream"), Status: 405, Code: "method_not_allowed", Expect: map[string]string{"Allow": "POST", "Www-Authenticate": ""}},
		{Name: "DELETE", Method: "DELETE", Header: with(), Status: 405, Code: "method_not_allowed", Expect: map[string]string{"Allow": "POST"}},
		{Name: "PUT", Method: "PUT", Status: 405, Code: "method_not_allowed", Expect: map[string]string{"Allow": "POST"}},
		{Name: "HEAD", Method: "HEAD", Header: with(), Status: 405, Expect: map[string]string{"Allow": "POST"}},

		// credentials
		{Name: "none", Header: with(), Body: ping, Status: 401, Code: "missing_credential", Has: []string{"X-API-Key"}, Expect: map[string]string{"Www-Authenticate": missing, "Ratelimit": ""}},
		{Name: "empty headers", Header: with("Authorization", "Bearer ", "X-API-Key", ""), Body: ping, Status: 401, Code: "missing_credential"},
		{Name: "key in the query", Path: "/v1/mcp?api_key={reader}&key={reader}&access_token={reader}", Header: with(), Body: ping, Status: 401, Code: "missing_credential"},
		{Name: "basic", Header: with("Authorization", "Basic e3JlYWRlcn06"), Body: ping, Status: 401, Code: "missing_credential"},
		{Name: "identity headers", Header: with("X-User-Id", "system", "X-Forwarded-User", "ada@example.org", "Remote-User", "ada@example.org"), Body: ping, Status: 401, Code: "missing_credential"},
		{Name: "cookie only", Header: with("Cookie", "polaris_session=abc"), Body: ping, Status: 403, Code: "session_not_accepted"},
		{Name: "another cookie only", Header: with("Cookie", "theme=dark"), Body: ping, Status: 401, Code: "missing_credential"},
		{Name: "cookie beside a key", Header: bearer("reader", "Cookie", "polaris_session=abc"), Body: ping, Status: 200},
		{Name: "bearer", Header: bearer("reader"), Body: ping, Status: 200},
		{Name: "bearer in lower case", Header: with("Authorization", "bearer {reader}"), Body: ping, Status: 200},
		{Name: "x-api-key", Header: with("X-API-Key", "{reader}"), Body: ping, Status: 200},
		{Name: "both the same", Header: bearer("reader", "X-API-Key", "{reader}"), Body: ping, Status: 200},
		{Name: "both and different", Header: bearer("reader", "X-API-Key", "{other}"), Body: ping, Status: 400, Code: "conflicting_credentials"},
		{Name: "authorization twice", Header: with("Authorization", "Bearer {reader}", "Authorization", "Bearer {reader}"), Body: ping, Status: 400, Code: "conflicting_credentials"},
		{Name: "x-api-key twice", Header: with("X-API-Key", "{reader}", "X-API-Key", "{other}"), Body: ping, Status: 400, Code: "conflicting_credentials"},
		{Name: "unknown key", Header: with("X-API-Key", unknown), Body: ping, Status: 401, Code: "invalid_api_key", Expect: map[string]string{"Www-Authenticate": invalid}},
		{Name: "malformed key", Header: with("Authorization", "Bearer sk-polaris-x"), Body: ping, Status: 401, Code: "invalid_api_key", Expect: map[string]string{"Www-Authenticate": invalid}},
		{Name: "null", Header: with("Authorization", "Bearer null"), Body: ping, Status: 401, Code: "invalid_api_key"},
		{Name: "a token", Header: with("Authorization", "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJzeXN0ZW0ifQ."), Body: ping, Status: 401, Code: "invalid_token", Expect: map[string]string{"Www-Authenticate": invalid}},
		{Name: "revoked", Header: bearer("revoked"), Body: ping, Status: 401, Code: "revoked_api_key", Expect: map[string]string{"Www-Authenticate": invalid}},
		{Name: "expired", Header: bearer("expired"), Body: ping, Status: 401, Code: "expired_api_key", Expect: map[string]string{"Www-Authenticate": invalid}},
		{Name: "credential before content type", Header: bearer("revoked", "Content-Type", "text/plain"), Body: "x", Status: 401, Code: "revoked_api_key"},
		{Name: "method before credential", Method: "PATCH", Header: bearer("revoked"), Status: 405, Code: "method_not_allowed"},

		// brain and scope
		{Name: "own brain named", Header: bearer("reader", "X-Tenant-Id", "calliope"), Body: ping, Status: 200},
		{Name: "another brain named", Header: bearer("reader", "X-Tenant-Id", "urania"), Body: ping, Status: 403, Code: "tenant_mismatch"},
		{Name: "a brain that is none named", Header: bearer("reader", "X-Tenant-Id", "nowhere"), Body: ping, Status: 403, Code: "tenant_mismatch"},
		{Name: "operator key", Header: bearer("operator"), Body: ping, Status: 403, Code: "insufficient_scope", Has: []string{"--hosted"}, Expect: map[string]string{"Www-Authenticate": tooSmall}},
		{Name: "scope before content type", Header: bearer("operator", "Content-Type", "text/plain"), Body: "x", Status: 403, Code: "insufficient_scope"},

		// content
		{Name: "text", Header: bearer("reader", "Content-Type", "text/plain"), Body: ping, Status: 415, Code: "unsupported_media_type"},
		{Name: "no content type", Header: http.Header{"Authorization": {"Bearer {reader}"}, "Content-Type": nil}, Body: ping, Status: 415, Code: "unsupported_media_type"},
		{Name: "charset", Header: bearer("reader", "Content-Type", "application/json; charset=UTF-8"), Body: ping, Status: 200},
		{Name: "utf-16", Header: bearer("reader", "Content-Type", "application/json; charset=utf-16"), Body: ping, Status: 415, Code: "unsupported_media_type"},
		{Name: "gzip", Header: bearer("reader", "Content-Encoding", "gzip"), Body: ping, Status: 415, Code: "unsupported_media_type"},
		{Name: "too large", Body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`, Status: 413, Code: "body_too_large"},
		{Name: "type before size", Header: bearer("reader", "Content-Type", "text/plain"), Body: strings.Repeat("x", 1<<20+1), Status: 415, Code: "unsupported_media_type"},
	}
}

// RPCRows are the rows of the JSON-RPC table, for a key of calliope.
func RPCRows() []Row {
	deep := strings.Repeat("[", 100_000)
	shut := strings.Repeat("]", 100_000)
	rpc := func(name, body string, status, code int, has ...string) Row {
		return Row{Name: name, Body: body, Status: status, RPC: code, Has: has}
	}
	ok := func(name, body string, has ...string) Row {
		return Row{Name: name, Body: body, Status: 200, Has: has, Lacks: []string{`"error"`}}
	}
	accepted := func(name, body string) Row {
		return Row{Name: name, Body: body, Status: 202, Also: func(t *testing.T, a *Answer) {
			if len(a.Body) > 0 {
				t.Errorf("body %q, want none", a.Body)
			}
		}}
	}
	rows := []Row{
		rpc("empty", ``, 400, -32700, `"id":null`),
		rpc("no JSON", `{"jsonrpc":`, 400, -32700),
		rpc("two values", ping+ping, 400, -32700),
		rpc("bad UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", 400, -32700),
		rpc("byte order mark", "\ufeff"+ping, 400, -32700),
		rpc("deep and open", deep, 400, -32700),
		rpc("deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":`+deep+shut+`}}`, 400, -32700),

		rpc("batch", `[`+ping+`]`, 400, -32600, "batch"),
		rpc("empty batch", `[]`, 400, -32600),
		rpc("a number", `7`, 400, -32600),
		rpc("null", `null`, 400, -32600),
		rpc("empty object", `{}`, 400, -32600),
		rpc("no version", `{"id":1,"method":"ping"}`, 400, -32600, `"id":1,`),
		rpc("version 1.0", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, 400, -32600),
		rpc("version as a number", `{"jsonrpc":2.0,"id":1,"method":"ping"}`, 400, -32600),
		rpc("id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, -32600, `"id":null`),
		rpc("id true", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, 400, -32600),
		rpc("id object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, 400, -32600),
		rpc("id list", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, 400, -32600),
		rpc("no method", `{"jsonrpc":"2.0","id":1}`, 400, -32600),
		rpc("method null", `{"jsonrpc":"2.0","id":1,"method":null}`, 400, -32600),
		rpc("method as a number", `{"jsonrpc":"2.0","id":"a","method":5}`, 400, -32600, `"id":"a"`),
		rpc("a response", `{"jsonrpc":"2.0","id":1,"result":{}}`, 400, -32600),
		rpc("method twice", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, 400, -32600, "twice"),
		rpc("name twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hidden","name":"topic_cards"}}`, 400, -32600, "twice"),
		rpc("METHOD", `{"jsonrpc":"2.0","id":1,"METHOD":"ping"}`, 400, -32600),
		rpc("method with NUL", `{"jsonrpc":"2.0","id":1,"method\u0000":"ping"}`, 400, -32600),
		rpc("params as text", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":"x"}`, 400, -32600),

		rpc("unknown method", `{"jsonrpc":"2.0","id":1,"method":"foo"}`, 200, -32601, "foo"),
		rpc("empty method", `{"jsonrpc":"2.0","id":1,"method":""}`, 200, -32601),
		rpc("PING", `{"jsonrpc":"2.0","id":1,"method":"PING"}`, 200, -32601),
		rpc("resources", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, 200, -32601),
		rpc("logging", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`, 200, -32601),
		rpc("tasks", `{"jsonrpc":"2.0","id":1,"method":"tasks/list"}`, 200, -32601),
		rpc("discover without the era", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, 200, -32601),

		rpc("unknown tool", Call(1, "nothing", map[string]any{}), 200, -32602, "nothing"),
		rpc("Answer", Call(1, "Answer", map[string]any{"query": "x"}), 200, -32602),
		rpc("params as a list", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["answer"]}`, 200, -32602),
		rpc("no params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, 200, -32602, "name"),
		rpc("name as a number", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}`, 200, -32602, "name"),
		rpc("NAME", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"NAME":"topic_cards"}}`, 200, -32602),
		rpc("arguments as a list", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"answer","arguments":[]}}`, 200, -32602, "arguments"),
		rpc("missing argument", Call(1, "answer", map[string]any{}), 200, -32602, "query is required"),
		rpc("wrong type", Call(1, "answer", map[string]any{"query": 5}), 200, -32602, "query must be string"),
		rpc("wrong type within", Call(1, "answer", map[string]any{"query": "x", "topic_ids": []any{1}}), 200, -32602, "topic_ids.0"),
		rpc("null argument", Call(1, "read_wiki", map[string]any{"entity": nil}), 200, -32602, "entity"),
		rpc("unknown argument", Call(1, "answer", map[string]any{"query": "x", "colour": "red"}), 200, -32602, "colour"),
		rpc("QUERY", Call(1, "answer", map[string]any{"QUERY": "x"}), 200, -32602),
		rpc("query twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"answer","arguments":{"query":"a","query":"b"}}}`, 200, -32602, "twice"),
		rpc("brain_id alone is no query", Call(1, "answer", map[string]any{"brain_id": "urania"}), 200, -32602, "query is required"),
		rpc("BRAIN_ID is not pinned", Call(1, "topic_cards", map[string]any{"BRAIN_ID": "urania"}), 200, -32602, "BRAIN_ID"),
		rpc("version as a number at initialize", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`, 200, -32602, "protocolVersion"),
		rpc("cursor", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"!"}}`, 200, -32602, "cursor"),

		ok("ping", ping, `"result":{}`),
		ok("ping with params null", `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, `"result":{}`),
		ok("escaped method", `{"jsonrpc":"2.0","id":1,"\u006dethod":"ping"}`, `"result":{}`),
		ok("large id", `{"jsonrpc":"2.0","id":9007199254740993123,"method":"ping"}`, `"id":9007199254740993123,`),
		ok("fractional id", `{"jsonrpc":"2.0","id":1.50,"method":"ping"}`, `"id":1.50,`),
		ok("id of zero", `{"jsonrpc":"2.0","id":0,"method":"ping"}`, `"id":0,`),
		ok("text id", `{"jsonrpc":"2.0","id":"a\u0062\"<","method":"ping"}`, `"id":"a\u0062\"<",`),
		ok("empty id", `{"jsonrpc":"2.0","id":"","method":"ping"}`, `"id":"",`),
		rpc("large id in an error", `{"jsonrpc":"2.0","id":9007199254740993123,"method":"foo"}`, 200, -32601, `"id":9007199254740993123,`),
		ok("pinned arguments", Call(1, "topic_cards", map[string]any{"brain_id": "urania", "brainId": 1, "tenantId": nil, "tenant_id": []any{}}), `"structuredContent"`),
		ok("arguments null", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"topic_cards","arguments":null}}`, `"structuredContent"`),
		ok("no arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"topic_cards"}}`, `"structuredContent"`),
		ok("progress token and task are ignored", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"topic_cards","task":{"ttl":1},"_meta":{"progressToken":1}}}`, `"structuredContent"`),

		accepted("initialized", `{"jsonrpc":"2.0","method":"notifications/initialized"}`),
		accepted("cancelled", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`),
		accepted("unknown notification", `{"jsonrpc":"2.0","method":"foo/bar"}`),
		accepted("a call without id", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"panics","arguments":{"who":"x"}}}`),
		accepted("notification with a list", `{"jsonrpc":"2.0","method":"foo","params":[1]}`),

		{Name: "a slash at the end", Path: "/v1/mcp/", Body: ping, Status: 200, Has: []string{`"result":{}`}},
		{Name: "any accept", Header: bearer("reader", "Accept", "text/html"), Body: ping, Status: 200},
		{Name: "accept of streams only", Header: bearer("reader", "Accept", "text/event-stream"), Body: ping, Status: 200},
		{Name: "a session id is ignored", Header: bearer("reader", "Mcp-Session-Id", "bogus"), Body: ping, Status: 200},
		{Name: "identity headers beside a key", Header: bearer("reader", "X-User-Id", "system"), Body: Call(1, "hidden", map[string]any{"who": "x"}), Status: 200, RPC: -32602},
	}
	for _, v := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		init := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + v + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
		rows = append(rows, ok("initialize "+v, init, `"protocolVersion":"`+v+`"`, `"listChanged":false`, `"name":"polaris"`, `"instructions":"`),
			Row{Name: "header " + v, Header: bearer("reader", "Mcp-Protocol-Version", v), Body: ping, Status: 200})
	}
	return append(rows,
		ok("initialize, unknown version", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}`, `"protocolVersion":"2025-11-25"`),
		ok("initialize, later version", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2026-07-28"}}`, `"protocolVersion":"2025-11-25"`))
}
