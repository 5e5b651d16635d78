package wiretest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// modern is the protocol version of the later era.
const modern = "2026-07-28"

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + modern + `","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// era returns the headers that a client of the later era sends with a message,
// and further ones in their place.
func era(method, name string, more ...string) http.Header {
	h := bearer("reader", "Mcp-Protocol-Version", modern, "Mcp-Method", method)
	if name != "" {
		h.Set("Mcp-Name", name)
	}
	for i := 0; i < len(more); i += 2 {
		if h.Del(more[i]); more[i+1] != "" {
			h.Set(more[i], more[i+1])
		}
	}
	return h
}

// message is a request of the later era.
func message(id, method, params string) string {
	if params != "" {
		params += ","
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + meta + `}}`
}

// ModernRows are what a 2026-07-28 client is answered, in its own terms: what
// the earlier era gets with status 200 is 400 or 404 here, and headers must say
// what the body says.
func ModernRows() []Row {
	cards := message("1", "tools/call", `"name":"topic_cards","arguments":{}`)
	list := message("1", "tools/list", "")
	rows := []Row{
		{Name: "discover", Header: era("server/discover", ""), Body: message("9007199254740993", "server/discover", ""), Status: 200, Has: []string{`"id":9007199254740993,`, `"` + modern + `"`, `"2025-11-25"`, `"resultType":"complete"`, `"instructions":"`, `"name":"polaris"`, `"cacheScope":"private"`, `"ttlMs":0`}},
		{Name: "discover before any version is known", Header: era("server/discover", "", "Mcp-Protocol-Version", "2027-01-01"), Body: strings.ReplaceAll(message("1", "server/discover", ""), modern, "2027-01-01"), Status: 400, RPC: -32022, Has: []string{modern}},
		{Name: "list", Header: era("tools/list", ""), Body: message(`"x"`, "tools/list", ""), Status: 200, Has: []string{`"id":"x"`, `"topic_cards"`, `"resultType":"complete"`, `"cacheScope":"private"`, `"ttlMs":0`}, Lacks: []string{`"hidden"`}},
		{Name: "list for another key", Header: era("tools/list", "", "Authorization", "Bearer {other}"), Body: list, Status: 200, Has: []string{`"answer"`}},
		{Name: "call", Header: era("tools/call", "topic_cards"), Body: message("1", "tools/call", `"name":"topic_cards","arguments":{"brain_id":"urania"}`), Status: 200, Has: []string{`"structuredContent"`, `"resultType":"complete"`}},
		{Name: "arguments left out", Header: era("tools/call", "topic_cards"), Body: message("1", "tools/call", `"name":"topic_cards"`), Status: 200, Has: []string{`"structuredContent"`}},
		{Name: "unfit arguments", Header: era("tools/call", "answer"), Body: message("1", "tools/call", `"name":"answer","arguments":{}`), Status: 200, Has: []string{`"isError":true`, "query is required"}, Lacks: []string{"structuredContent"}},
		{Name: "an argument too many", Header: era("tools/call", "answer"), Body: message("1", "tools/call", `"name":"answer","arguments":{"query":"x","colour":"red"}`), Status: 200, Has: []string{`"isError":true`, "colour"}},
		{Name: "a failing tool", Header: era("tools/call", "broken"), Body: message("1", "tools/call", `"name":"broken","arguments":{"who":"x"}`), Status: 200, Has: []string{`"isError":true`}, Lacks: []string{"secret", "structuredContent"}},
		{Name: "a panicking tool", Header: era("tools/call", "panics"), Body: message("1", "tools/call", `"name":"panics","arguments":{"who":"x"}`), Status: 200, Has: []string{`"isError":true`}, Lacks: []string{"secret"}},
		{Name: "a tool that breaks its schema", Header: era("tools/call", "unfit"), Body: message("1", "tools/call", `"name":"unfit","arguments":{"who":"x"}`), Status: 200, Has: []string{`"isError":true`}, Lacks: []string{"secret", "structuredContent"}},
		{Name: "hidden tool", Header: era("tools/call", "hidden"), Body: message("1", "tools/call", `"name":"hidden","arguments":{}`), Status: 400, RPC: -32602, Has: []string{`Unknown tool: \"hidden\". tools/list names`}},
		{Name: "unknown tool", Header: era("tools/call", "absent"), Body: message("1", "tools/call", `"name":"absent","arguments":{}`), Status: 400, RPC: -32602, Has: []string{`Unknown tool: \"absent\". tools/list names`}},
		{Name: "no name", Header: era("tools/call", "topic_cards"), Body: message("1", "tools/call", `"arguments":{}`), Status: 400},
		{Name: "unknown method", Header: era("foo", ""), Body: message("1", "foo", ""), Status: 404, RPC: -32601},

		// Headers and body must agree.
		{Name: "another method in the header", Header: era("tools/list", "topic_cards"), Body: cards, Status: 400, RPC: -32020},
		{Name: "another name in the header", Header: era("tools/call", "answer"), Body: cards, Status: 400, RPC: -32020},
		{Name: "no Mcp-Method", Header: era("", "topic_cards", "Mcp-Method", ""), Body: cards, Status: 400, RPC: -32020},
		{Name: "no Mcp-Name", Header: era("tools/call", ""), Body: cards, Status: 400, RPC: -32020},
		{Name: "no version in the header", Header: era("tools/list", "", "Mcp-Protocol-Version", ""), Body: list, Status: 400, RPC: -32020},
		{Name: "no version in the body", Header: era("tools/list", ""), Body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, Status: 400, RPC: -32602},
		{Name: "two versions", Header: era("tools/list", "", "Mcp-Protocol-Version", "2025-11-25"), Body: list, Status: 400, RPC: -32020},
		{Name: "a version of nobody", Header: bearer("reader", "Mcp-Protocol-Version", "banana"), Body: list, Status: 400, Has: []string{modern}},
		{Name: "a version that never was", Header: bearer("reader", "Mcp-Protocol-Version", "1999-01-01"), Body: ping, Status: 400, Has: []string{"2025-06-18"}},

		// What the era has no more, and what it shares with the one before.
		{Name: "Last-Event-ID", Header: era("tools/list", "", "Last-Event-ID", "7"), Body: list, Status: 400, RPC: -32020},
		{Name: "a session id is ignored", Header: era("tools/list", "", "Mcp-Session-Id", "bogus"), Body: list, Status: 200, Expect: map[string]string{"Mcp-Session-Id": ""}},
		{Name: "notification", Header: era("notifications/cancelled", ""), Body: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,` + meta + `}}`, Status: 202},
		{Name: "batch", Header: era("tools/list", ""), Body: `[` + list + `]`, Status: 400, RPC: -32600},
		{Name: "no JSON", Header: era("tools/list", ""), Body: `{`, Status: 400, RPC: -32700},
		{Name: "id null", Header: era("tools/list", ""), Body: message("null", "tools/list", ""), Status: 400, RPC: -32600},
		{Name: "method twice", Header: era("tools/list", ""), Body: strings.Replace(list, `"method"`, `"method":"ping","method"`, 1), Status: 400, RPC: -32600},
		{Name: "a response", Header: era("", "", "Mcp-Method", ""), Body: `{"jsonrpc":"2.0","id":1,"result":{}}`, Status: 400, RPC: -32600},
		{Name: "GET", Method: "GET", Header: era("", "", "Accept", "text/event-stream"), Status: 405, Expect: map[string]string{"Allow": "POST"}},
		{Name: "DELETE", Method: "DELETE", Header: era("", "", "Mcp-Session-Id", "bogus"), Status: 405, Expect: map[string]string{"Allow": "POST"}},
		{Name: "no credential", Header: with("Mcp-Protocol-Version", modern, "Mcp-Method", "tools/list"), Body: list, Status: 401, Code: "missing_credential", Expect: map[string]string{"Www-Authenticate": missing}},
	}
	for _, gone := range []string{"ping", "initialize", "logging/setLevel", "subscriptions/listen", "tasks/list", "tasks/get", "resources/list", "resources/subscribe", "prompts/list", "completion/complete", "sampling/createMessage", "roots/list", "elicitation/create"} {
		rows = append(rows, Row{Name: gone, Header: era(gone, ""), Body: message("1", gone, ""), Status: 404, RPC: -32601})
	}
	return rows
}

// onePage: the list in the later era is the list of the earlier one.
func onePage(t *testing.T, mount Mount) {
	w := NewWorld(t, mount, Options{})
	var got struct{ Result struct{ Tools []Tool } }
	w.Do(t, Row{Header: era("tools/list", ""), Body: message("1", "tools/list", "")}).JSON(t, &got)
	a, _ := json.Marshal(got.Result.Tools)
	b, _ := json.Marshal(w.Tools(t, "reader"))
	if string(a) != string(b) || len(got.Result.Tools) < 4 {
		t.Errorf("the later era lists\n%s\nthe earlier\n%s", a, b)
	}
}
