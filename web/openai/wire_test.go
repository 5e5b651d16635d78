package openai_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"polaris/cmd/bb/demo"
	"polaris/internal/leaks"
	"polaris/internal/wiretest"
	"polaris/models/store/storetest"
	"polaris/web"
	"polaris/web/openai"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// alone serves the endpoint without anything around it.
func alone(_ testing.TB, w *wiretest.World, _ http.Handler) http.Handler {
	return openai.New(w.Desk, w.Door, openai.Config{})
}

// routed serves it as the whole server does.
func routed(tb testing.TB, w *wiretest.World, hosted http.Handler) http.Handler {
	return web.New(w.Desk, w.Door, hosted, web.Config{
		PublicURL: "https://" + wiretest.PublicHost, CookieKey: []byte(strings.Repeat("k", 32)), MCPPath: "/v1/mcp", Log: leaks.Log(tb),
		OpenAI: openai.New(w.Desk, w.Door, openai.Config{}),
	}).Handler()
}

// both runs a test over a fresh world, alone and through the router: nothing
// around the endpoint answers in its place.
func both(t *testing.T, o wiretest.Options, f func(t *testing.T, w *wiretest.World)) {
	for name, mount := range map[string]wiretest.Mount{"alone": alone, "routed": routed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, wiretest.NewWorld(t, mount, o))
		})
	}
}

const chat = "/v1/chat/completions"

// header returns headers from pairs of name and value.
func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func bearer(key string, more ...string) http.Header {
	return header(append([]string{"Authorization", "Bearer {" + key + "}"}, more...)...)
}

// ask is the body of a request with one question and further members.
func ask(text string, more ...string) string {
	q, err := json.Marshal(text)
	if err != nil {
		panic(err) // a test's own text
	}
	return `{"model":"polaris","messages":[{"role":"user","content":` + string(q) + `}]` + strings.Join(append([]string{""}, more...), ",") + `}`
}

// A row is a request that is refused.
type row struct {
	wiretest.Row
	param string // "" for null
}

// problem is OpenAI's error.
type problem struct {
	Error map[string]any `json:"error"`
}

// refused sends a row's request and checks that the refusal has OpenAI's shape.
func refused(t *testing.T, w *wiretest.World, r row) *wiretest.Answer {
	t.Helper()
	if r.Path == "" {
		r.Path = chat
	}
	a := w.Do(t, r.Row)
	if a.StatusCode != r.Status || a.Header.Get("Content-Type") != "application/json" || a.Header.Get("Location") != "" || a.Header.Get("X-Request-Id") == "" || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s: status %d, want %d; %v; body %.300s", r.Name, a.StatusCode, r.Status, a.Header, a.Body)
	}
	for name, want := range r.Expect {
		if got := strings.Join(a.Header.Values(name), " | "); got != want {
			t.Errorf("%s: %s: %q, want %q", r.Name, name, got, want)
		}
	}
	if r.Method == http.MethodHead {
		return a
	}
	var p problem
	a.JSON(t, &p)
	if len(p.Error) != 4 || p.Error["message"] == "" || p.Error["code"] != r.Code || p.Error["type"] != typeOf(r.Status) {
		t.Errorf("%s: body %.300s, want code %s and type %s", r.Name, a.Body, r.Code, typeOf(r.Status))
	}
	if got, _ := p.Error["param"].(string); got != r.param {
		t.Errorf("%s: param %q, want %q; body %.300s", r.Name, got, r.param, a.Body)
	}
	for _, s := range r.Has {
		if !bytes.Contains(a.Body, []byte(s)) {
			t.Errorf("%s: body %.300s, want %q in it", r.Name, a.Body, s)
		}
	}
	return a
}

func typeOf(status int) string {
	switch {
	case status == 401:
		return "authentication_error"
	case status == 403:
		return "permission_error"
	case status == 429:
		return "rate_limit_error"
	case status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}

const (
	missing  = `Bearer realm="polaris", scope="advisor:read"`
	invalid  = `Bearer realm="polaris", error="invalid_token", scope="advisor:read"`
	tooSmall = `Bearer realm="polaris", error="insufficient_scope", scope="advisor:read"`
)

// plainRows are the refusals before the body, and the order among them. Each is
// tried on both of the endpoint's paths that take a credential.
func plainRows() []row {
	r := func(name string, h http.Header, status int, code string, expect ...string) row {
		e := map[string]string{}
		for i := 0; i < len(expect); i += 2 {
			e[expect[i]] = expect[i+1]
		}
		return row{Row: wiretest.Row{Name: name, Header: h, Status: status, Code: code, Expect: e}}
	}
	at := func(r row, host string) row { r.Host = host; return r }
	unknown := "sk-polaris-000000000000_" + strings.Repeat("0", 38)
	return []row{
		at(r("foreign host", nil, 403, "host_not_allowed"), "evil.example"),
		r("foreign origin", bearer("reader", "Origin", "https://evil.example"), 403, "origin_not_allowed", "Access-Control-Allow-Origin", ""),
		r("none", header(), 401, "missing_credential", "Www-Authenticate", missing, "Ratelimit", ""),
		r("none, from a page that may read", header("Origin", "http://localhost:6274"), 401, "missing_credential", "Access-Control-Allow-Origin", "http://localhost:6274"),
		r("basic", header("Authorization", "Basic e3JlYWRlcn06"), 401, "missing_credential"),
		r("identity headers", header("X-User-Id", "system", "Openai-Organization", "calliope", "Remote-User", "ada@example.org"), 401, "missing_credential"),
		r("cookie only", header("Cookie", "polaris_session=abc"), 403, "session_not_accepted"),
		r("cookie only, from another site", header("Cookie", "polaris_session=abc", "Sec-Fetch-Site", "cross-site"), 403, "session_not_accepted"),
		r("both and different", bearer("reader", "X-API-Key", "{other}"), 400, "conflicting_credentials"),
		r("unknown key", header("X-API-Key", unknown), 401, "invalid_api_key", "Www-Authenticate", invalid),
		r("malformed key", header("Authorization", "Bearer sk-proj-x"), 401, "invalid_api_key"),
		r("a token", header("Authorization", "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJzeXN0ZW0ifQ."), 401, "invalid_token"),
		r("revoked", bearer("revoked"), 401, "revoked_api_key", "Www-Authenticate", invalid),
		r("expired", bearer("expired"), 401, "expired_api_key"),
		r("operator key", bearer("operator"), 403, "insufficient_scope", "Www-Authenticate", tooSmall),
		r("another brain named", bearer("reader", "X-Tenant-Id", "urania"), 403, "tenant_mismatch"),
		r("a brain that is none named", bearer("reader", "X-Tenant-Id", "nowhere"), 403, "tenant_mismatch"),
	}
}

func TestPlainRefusals(t *testing.T) {
	t.Parallel()
	both(t, wiretest.Options{}, func(t *testing.T, w *wiretest.World) {
		for _, r := range plainRows() {
			for _, at := range []string{"", "/v1"} {
				r.Method, r.Path, r.Body = http.MethodPost, at+"/chat/completions", ask("Who?")
				refused(t, w, r)
				for _, path := range []string{"/models", "/models/polaris"} {
					r.Method, r.Path, r.Body = http.MethodGet, at+path, ""
					refused(t, w, r)
				}
			}
		}
	})
}

// TestAddresses: what is there takes one method, and what is not says so in
// OpenAI's shape, without asking for a credential.
func TestAddresses(t *testing.T) {
	t.Parallel()
	both(t, wiretest.Options{Published: true}, func(t *testing.T, w *wiretest.World) {
		for _, at := range []string{"/v1", ""} {
			for path, takes := range map[string]string{"/chat/completions": "POST", "/chat/completions/": "POST", "/models": "GET", "/models/": "GET", "/models/polaris": "GET"} {
				for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "post"} {
					if method == takes || method == "HEAD" && takes == "GET" {
						a := w.Do(t, wiretest.Row{Method: method, Path: at + path, Body: ask("HB 4.3(b)")})
						if a.StatusCode != http.StatusOK || a.Header.Get("Allow") != "" || a.Header.Get("Content-Type") != "application/json" {
							t.Errorf("%s %s: %d %s %v", method, at+path, a.StatusCode, a.Body, a.Header)
						}
						continue
					}
					refused(t, w, row{Row: wiretest.Row{Name: method + " " + at + path, Method: method, Path: at + path, Header: header(), Status: 405, Code: "method_not_allowed", Expect: map[string]string{"Allow": takes, "Www-Authenticate": ""}}})
				}
				a := w.Do(t, wiretest.Row{Method: "OPTIONS", Path: at + path, Header: header("Origin", "http://localhost:6274", "Access-Control-Request-Method", takes)})
				if a.StatusCode != http.StatusNoContent || a.Header.Get("Access-Control-Allow-Origin") != "http://localhost:6274" || !strings.Contains(a.Header.Get("Access-Control-Allow-Headers"), "Authorization") {
					t.Errorf("preflight of %s: %d %v", at+path, a.StatusCode, a.Header)
				}
			}
			for _, path := range []string{"/chat/completions", "/models", "/responses"} {
				if !web.Reserves(at + path) {
					t.Errorf("the MCP endpoint could be put at %s", at+path)
				}
			}
			for _, path := range []string{"/responses", "/responses/resp_1", "/chat", "/chat/completions/chatcmpl-1/messages"} {
				for _, method := range []string{"GET", "POST"} {
					refused(t, w, row{Row: wiretest.Row{Name: path, Method: method, Path: at + path, Header: header(), Body: `{"model":"polaris","input":"x"}`, Status: 404, Code: "not_found", Has: []string{"/v1/chat/completions"}}})
				}
			}
		}
	})
}

// TestModels: a credential is shown its own brain under two names, and no other
// brain can be told from none.
func TestModels(t *testing.T) {
	t.Parallel()
	both(t, wiretest.Options{}, func(t *testing.T, w *wiretest.World) {
		for key, brain := range map[string]string{"reader": "calliope", "other": "urania"} {
			var list struct {
				Object string
				Data   []struct {
					ID, Object string
					Created    int64
					OwnedBy    string `json:"owned_by"`
				}
			}
			w.Do(t, wiretest.Row{Method: "GET", Path: "/v1/models", Header: bearer(key)}).JSON(t, &list)
			if list.Object != "list" || len(list.Data) != 2 || list.Data[0].ID != "polaris" || list.Data[1].ID != brain {
				t.Fatalf("%s: %+v", key, list)
			}
			for _, m := range list.Data {
				one := m
				w.Do(t, wiretest.Row{Method: "GET", Path: "/models/" + m.ID, Header: bearer(key)}).JSON(t, &one)
				if one != m || m.Object != "model" || m.OwnedBy != brain || m.Created == 0 {
					t.Errorf("listed as %+v, alone %+v", m, one)
				}
			}
		}
		see := func(name, method, path, body string) string {
			a := refused(t, w, row{Row: wiretest.Row{Name: name, Method: method, Path: path, Body: body, Status: 404, Code: "model_not_found"}, param: "model"})
			return strings.ReplaceAll(string(a.Body), name, "NAME")
		}
		for _, name := range []string{"gpt-4o", "nowhere", "Polaris", "polaris/x"} {
			if theirs, none := see("urania", "GET", "/v1/models/urania", ""), see(name, "GET", "/v1/models/"+name, ""); theirs != none {
				t.Errorf("a foreign brain is %s, none %s", theirs, none)
			}
			body := func(model string) string { return strings.Replace(ask("Who?"), "polaris", model, 1) }
			if theirs, none := see("urania", "POST", chat, body("urania")), see(name, "POST", chat, body(name)); theirs != none {
				t.Errorf("a foreign brain is %s, none %s", theirs, none)
			}
		}
	})
}

// TestBodies: what is wrong with a body is said of the field that it is wrong
// in.
func TestBodies(t *testing.T) {
	t.Parallel()
	r := func(name, body, code, param string, has ...string) row {
		return row{wiretest.Row{Name: name, Body: body, Status: 400, Code: code, Has: has}, param}
	}
	messages := func(m string) string { return `{"model":"polaris","messages":` + m + `}` }
	content := func(c string) string { return messages(`[{"role":"user","content":` + c + `}]`) }
	many := func(n int) string {
		return messages("[" + strings.Repeat(`{"role":"user","content":"x"},`, n-1) + `{"role":"user","content":"HB 1"}]`)
	}
	rows := []row{
		r("empty", ``, "invalid_json", ""),
		r("no JSON", `{"model":`, "invalid_json", ""),
		r("a list", `[]`, "invalid_json", ""),
		r("null", `null`, "invalid_json", ""),
		r("a string", `"x"`, "invalid_json", ""),
		r("two values", `{}{}`, "invalid_json", ""),
		r("something after it", ask("x")+`]`, "invalid_json", ""),
		r("a comma too many", `{"model":"polaris",}`, "invalid_json", ""),
		r("no UTF-8", strings.Replace(ask("x"), "x", "\xff", 1), "invalid_json", ""),
		r("far too deep", `{"model":"polaris","tools":`+strings.Repeat("[", 200_000)+strings.Repeat("]", 200_000)+`}`, "invalid_value", "tools", "100 levels"),
		r("too deep", ask("x", `"metadata":`+strings.Repeat(`{"a":`, 101)+`1`+strings.Repeat("}", 101)), "invalid_value", "metadata"),
		r("model twice", `{"model":"polaris","model":"calliope"}`, "duplicate_parameter", "model"),
		r("messages twice", ask("x", `"messages":[]`), "duplicate_parameter", "messages"),
		r("content twice", messages(`[{"role":"user","content":"x","content":"y"}]`), "duplicate_parameter", "messages[0].content"),
		r("content twice, escaped", messages(`[{"role":"user","content":"x","con\u0074ent":"y"}]`), "duplicate_parameter", "messages[0].content"),
		r("twice in what is ignored", ask("x", `"tools":[{},{"function":{"name":"a","name":"b"}}]`), "duplicate_parameter", "tools[1].function.name"),

		r("no model", `{"messages":[{"role":"user","content":"x"}]}`, "missing_required_parameter", "model"),
		r("model null", `{"model":null,"messages":[{"role":"user","content":"x"}]}`, "missing_required_parameter", "model"),
		r("model in capitals", `{"MODEL":"polaris","messages":[{"role":"user","content":"x"}]}`, "missing_required_parameter", "model"),
		r("model a number", `{"model":4,"messages":[{"role":"user","content":"x"}]}`, "invalid_type", "model", "not a number"),
		r("no messages", `{"model":"polaris"}`, "missing_required_parameter", "messages"),
		r("messages an object", messages(`{}`), "invalid_type", "messages"),
		r("messages empty", messages(`[]`), "empty_array", "messages"),
		r("10,000 messages", many(10_000), "array_above_max_length", "messages", "2048"),
		r("2,049 messages", many(2_049), "array_above_max_length", "messages"),
		r("a message null", messages(`[null]`), "invalid_type", "messages[0]"),
		r("a message a string", messages(`["x"]`), "invalid_type", "messages[0]"),
		r("no role", messages(`[{"content":"x"}]`), "missing_required_parameter", "messages[0].role"),
		r("Role", messages(`[{"Role":"user","content":"x"}]`), "missing_required_parameter", "messages[0].role"),
		r("a role of nobody", messages(`[{"role":"root","content":"x"}]`), "invalid_value", "messages[0].role", "root"),
		r("role null", messages(`[{"role":null,"content":"x"}]`), "invalid_type", "messages[0].role"),
		r("no user message", messages(`[{"role":"system","content":"x"},{"role":"assistant","content":"y"}]`), "invalid_value", "messages"),
		r("no content", messages(`[{"role":"user"}]`), "missing_required_parameter", "messages[0].content"),
		r("content null", content(`null`), "missing_required_parameter", "messages[0].content"),
		r("content a number", content(`4`), "invalid_type", "messages[0].content"),
		r("content an object", content(`{"text":"x"}`), "invalid_type", "messages[0].content"),
		r("content empty", content(`""`), "invalid_value", "messages[0].content"),
		r("content blank", content(`" \n\t "`), "invalid_value", "messages[0].content"),
		r("no parts", content(`[]`), "invalid_value", "messages[0].content"),
		r("the last is empty", messages(`[{"role":"user","content":"x"},{"role":"assistant","content":"y"},{"role":"user","content":""}]`), "invalid_value", "messages[2].content"),
		r("NUL", content(`"a\u0000b"`), "invalid_value", "messages[0].content", "NUL"),
		r("NUL in a part", content(`[{"type":"text","text":"a"},{"type":"text","text":"\u0000"}]`), "invalid_value", "messages[0].content[1].text"),
		r("NUL in what is not asked", messages(`[{"role":"system","content":"\u0000"},{"role":"user","content":"x"}]`), "invalid_value", "messages[0].content"),
		r("too long", ask(strings.Repeat("é", 8001)), "invalid", "messages[0].content", "8001"),
		r("an image", content(`[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"data:"}}]`), "unsupported_value", "messages[0].content[1]", "image_url"),
		r("audio", content(`[{"type":"input_audio","input_audio":{}}]`), "unsupported_value", "messages[0].content[0]"),
		r("a refusal of a user", content(`[{"type":"refusal","refusal":"x"}]`), "unsupported_value", "messages[0].content[0]"),
		r("a part without a type", content(`[{"text":"x"}]`), "missing_required_parameter", "messages[0].content[0].type"),
		r("a part without text", content(`[{"type":"text"}]`), "missing_required_parameter", "messages[0].content[0].text"),
		r("a part whose text is none", content(`[{"type":"text","text":{"value":"x"}}]`), "invalid_type", "messages[0].content[0].text"),
		r("a part a string", content(`["x"]`), "invalid_type", "messages[0].content[0]"),

		r("n 2", ask("x", `"n":2`), "unsupported_value", "n"),
		r("n 0", ask("x", `"n":0`), "unsupported_value", "n"),
		r("n 1.5", ask("x", `"n":1.5`), "unsupported_value", "n"),
		r("n huge", ask("x", `"n":1e400`), "invalid_value", "n"),
		r("n a string", ask("x", `"n":"1"`), "invalid_type", "n"),
		r("stream a string", ask("x", `"stream":"true"`), "invalid_type", "stream"),
		r("stream_options a list", ask("x", `"stream":true,"stream_options":[]`), "invalid_type", "stream_options"),
		r("include_usage a number", ask("x", `"stream":true,"stream_options":{"include_usage":1}`), "invalid_type", "stream_options.include_usage"),
		r("topic_ids a string", ask("x", `"topic_ids":"fees"`), "invalid_type", "topic_ids"),
		r("a topic id a number", ask("x", `"topic_ids":["a",4]`), "invalid_type", "topic_ids[1]"),
		r("NUL in a topic id", ask("x", `"topic_ids":["\u0000"]`), "invalid_value", "topic_ids[0]"),
		r("101 topic ids", ask("x", `"topic_ids":[`+strings.Repeat(`"a",`, 100)+`"a"]`), "invalid", "topic_ids"),
		r("temperature a string", ask("x", `"temperature":"hot"`), "invalid_type", "temperature"),
		r("tools an object", ask("x", `"tools":{}`), "invalid_type", "tools"),
		r("stop a number", ask("x", `"stop":1`), "invalid_type", "stop", "a string or a list"),
	}
	both(t, wiretest.Options{}, func(t *testing.T, w *wiretest.World) {
		for _, r := range rows {
			refused(t, w, r)
			if body, ok := strings.CutSuffix(r.Body, "}"); ok && r.Code != "invalid_json" && !strings.Contains(body, `"stream"`) {
				r.Name, r.Body = r.Name+", streamed", body+`,"stream":true}`
				refused(t, w, r)
			}
		}
		for name, body := range map[string]string{"2,048 messages": many(2048), "100 levels": ask("x", `"metadata":`+strings.Repeat(`{"a":`, 98)+`1`+strings.Repeat("}", 98))} {
			if a := w.Do(t, wiretest.Row{Path: chat, Body: body}); a.StatusCode != http.StatusOK {
				t.Errorf("%s: %d %s", name, a.StatusCode, a.Body)
			}
		}
		for _, r := range []row{
			{Row: wiretest.Row{Name: "text", Header: bearer("reader", "Content-Type", "text/plain"), Body: ask("x"), Status: 415, Code: "unsupported_media_type"}},
			{Row: wiretest.Row{Name: "gzip", Header: bearer("reader", "Content-Encoding", "gzip"), Body: ask("x"), Status: 415, Code: "unsupported_media_type"}},
			{Row: wiretest.Row{Name: "credential before content", Header: bearer("revoked", "Content-Type", "text/plain"), Body: "x", Status: 401, Code: "revoked_api_key"}},
		} {
			refused(t, w, r)
		}
	})
}

// question is one that the demo answers.
func question() string { return demo.Examples().Answerable[0].Text }
