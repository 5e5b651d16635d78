package web

import (
	"net/http"
	"reflect"

	"polaris/models"
	"polaris/ops"
	"polaris/ops/schema"
)

// A handRoute is an address under /v1 that is not made from the catalog, with
// why that is. It is described here so that the description is whole, and a test
// holds the list against what is served.
type handRoute struct {
	method, path string
	why          string // it cannot be made from the catalog
	tag, id      string
	title, text  string
	security     []any
	body         object // schema; nil: none is read
	example      object
	status       string
	reply        object // schema; nil: nothing is sent
	errors       object // a response; nil: problem details
}

var (
	byProgram = []any{object{"bearer": []any{}}, object{"api_key": []any{}}}
	byNobody  = []any{object{}}
)

// handWritten returns the addresses that are not made from the catalog.
func (s *Server) handWritten() []handRoute {
	all := []handRoute{{
		method: http.MethodGet, path: openAPIPath, why: "it describes the others", tag: "openapi", id: "openapi",
		title: "This description", text: "OpenAPI 3.1. It is open to everybody and holds nobody's data.", security: byNobody,
		status: "200", reply: object{"type": "object", "required": []any{"openapi", "info", "paths"}},
	}}
	all = append(all, s.authRoutes()...)
	all = append(all, handRoute{
		method: http.MethodPost, path: s.conf.MCPPath, why: "it speaks JSON-RPC, and has its own order of checks", tag: "mcp", id: "mcp",
		title: "Model Context Protocol", text: "Stateless streamable HTTP, one JSON-RPC 2.0 request a POST, plain JSON responses; protocol versions 2024-11-05 to 2026-07-28. `tools/list` says what the credential may call. Use an MCP client.",
		security: byProgram, body: rpcRequest, example: object{"jsonrpc": "2.0", "id": 1, "method": "ping"},
		status: "200", reply: object{"type": "object", "required": []any{"jsonrpc"}, "properties": object{"jsonrpc": object{"const": "2.0"}}}, errors: otherErrors("error of the endpoint's own shape, or of JSON-RPC"),
	})
	if s.conf.OpenAI != nil {
		all = append(all, openAIDescriptions()...)
	}
	return all
}

var rpcRequest = object{
	"type": "object", "required": []any{"jsonrpc", "method"},
	"properties": object{
		"jsonrpc": object{"const": "2.0"}, "id": object{"type": []any{"string", "number"}}, "method": object{"type": "string"}, "params": object{"type": "object"},
	},
}

func otherErrors(what string) object {
	return object{"description": "An " + what + ".", "content": object{"application/json": object{"schema": object{
		"type": "object", "required": []any{"error"}, "properties": object{"error": object{"type": "object"}},
	}}}}
}

// authRoutes are those by which programs sign in as a person. The operations
// behind them find out who asks in a way of their own.
func (s *Server) authRoutes() []handRoute {
	const why = "who asks is what it finds out"
	return []handRoute{{
		method: http.MethodPost, path: "/v1/auth/token", why: why, tag: "auth", id: "auth_token",
		title: "Get an access token", text: "By the session of the browser that asks, by e-mail address and password, or by a refresh token, which is replaced. A refresh token that is used twice ends all that came of it.",
		security: []any{object{"session": []any{}}, object{}},
		body:     object{"oneOf": []any{described[sessionGrant](true), described[passwordGrant](true, "grant_type", byPassword), described[refreshGrant](true, "grant_type", byRefresh)}},
		example:  object{"grant_type": byPassword, "email": "ada@example.org", "password": "correct horse battery", "brain_id": "calliope", "scopes": []any{models.ScopeAdvisorRead}},
		status:   "200", reply: described[ops.Tokens](false),
	}, {
		method: http.MethodDelete, path: "/v1/auth/token", why: why, tag: "auth", id: "auth_token_end",
		title: "End a program's sign-in", text: "End a refresh token, and every access token that came of it. One that was never there has ended, too.", security: byNobody,
		body: described[ops.RevokeTokensIn](true), example: object{"refresh_token": "x"}, status: "204",
	}, {
		method: http.MethodDelete, path: "/v1/auth/sessions", why: why, tag: "auth", id: "auth_sessions_end",
		title: "Sign out everywhere", text: "End every browser session and every access and refresh token of the person who is signed in.",
		security: []any{object{"session": []any{}}}, status: "204",
	}}
}

// described returns the schema of a type, with fields that have one value.
func described[T any](closed bool, constant ...string) object {
	of := schema.Output
	if closed {
		of = schema.Input
	}
	sch, err := of(reflect.TypeFor[T]())
	if err != nil {
		panic("openapi: " + err.Error()) // a mistake in the type, which a test would find
	}
	o := parsed(sch.JSON())
	for i := 0; i < len(constant); i += 2 {
		o["properties"].(object)[constant[i]] = object{"const": constant[i+1]}
	}
	return o
}

// openAIDescriptions are the addresses that OpenAI's client libraries call, as
// far as they need to be described to others.
func openAIDescriptions() []handRoute {
	const why = "its shapes are another API's"
	message := object{"type": "object", "required": []any{"role", "content"}, "properties": object{
		"role":    object{"type": "string"},
		"content": object{"oneOf": []any{object{"type": "string"}, object{"type": "array", "items": object{"type": "object"}}}},
	}}
	list := object{"type": "object", "required": []any{"object", "data"}, "properties": object{"object": object{"const": "list"}, "data": object{"type": "array", "items": object{"type": "object"}}}}
	refused := otherErrors("error of OpenAI's shape")
	return []handRoute{{
		method: http.MethodPost, path: "/v1/chat/completions", why: why, tag: "openai", id: "chat_completions",
		title: "Chat completion", text: "The last user message is the question. `choices[0].message.content` is the answer with its sources, and `polaris` the whole envelope. Also without /v1. With `stream`, server-sent events.",
		security: byProgram,
		body: object{"type": "object", "required": []any{"messages"}, "properties": object{
			"model": object{"type": "string"}, "messages": object{"type": "array", "minItems": 1, "items": message},
			"stream": object{"type": "boolean"}, "topic_ids": object{"type": "array", "items": object{"type": "string"}},
		}},
		example: object{"model": "polaris", "messages": []any{object{"role": "user", "content": "How long do we keep complaint records?"}}},
		status:  "200", reply: object{"type": "object", "required": []any{"id", "object", "choices", "usage", "polaris"}}, errors: refused,
	}, {
		method: http.MethodGet, path: "/v1/models", why: why, tag: "openai", id: "models",
		title: "List models", text: "The one model: the brain of the credential. Also without /v1.", security: byProgram, status: "200", reply: list, errors: refused,
	}, {
		method: http.MethodGet, path: "/v1/models/{model}", why: why, tag: "openai", id: "model",
		title: "Show a model", text: "The model by its id. Also without /v1.", security: byProgram, status: "200", reply: object{"type": "object", "required": []any{"id", "object"}}, errors: refused,
	}}
}

// describe returns the operation object.
func (h handRoute) describe() object {
	done := object{"description": h.title + "."}
	if h.reply != nil {
		done["content"] = object{"application/json": object{"schema": h.reply}}
	}
	refused := h.errors
	if refused == nil {
		refused = object{"$ref": "#/components/responses/Problem"}
	}
	o := object{
		"operationId": h.id, "tags": []any{h.tag}, "summary": h.title, "description": h.text, "security": h.security,
		"responses": object{h.status: done, "default": refused},
	}
	if h.path == openAPIPath {
		o["responses"].(object)["304"] = object{"description": "It is what the ETag names still."}
	}
	var ps []any
	for _, name := range inPath(h.path) {
		ps = append(ps, object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	if ps != nil {
		o["parameters"] = ps
	}
	if h.body != nil {
		media := object{"schema": h.body}
		if h.example != nil {
			media["example"] = h.example
		}
		o["requestBody"] = object{"required": true, "content": object{"application/json": media}}
	}
	return o
}
