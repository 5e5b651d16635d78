package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/pb33f/libopenapi/datamodel"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"polaris/models"
)

// A contract is the published description, as a client reads it.
type contract struct {
	t     *testing.T
	doc   object
	check *jsonschema.Compiler
}

const contractURL = "mem:///openapi.json"

// contract fetches the description as somebody whom the server does not know.
func (s *site) contract() *contract {
	s.t.Helper()
	a := s.browser().get(openAPIPath).want(http.StatusOK)
	c := &contract{t: s.t, check: jsonschema.NewCompiler()}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(a.text))
	if err != nil {
		s.t.Fatal(err)
	}
	c.doc = doc.(object)
	c.check.DefaultDraft(jsonschema.Draft2020)
	if err := c.check.AddResource(contractURL, doc); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// at returns the part of the description that a pointer names.
func (c *contract) at(path ...string) object {
	o := c.doc
	for _, p := range path {
		next, ok := o[p].(object)
		if !ok {
			return nil
		}
		o = next
	}
	return o
}

// pointer escapes the parts of a JSON pointer.
func pointer(path ...string) string {
	var b strings.Builder
	for _, p := range path {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(p))
	}
	return b.String()
}

// schema compiles the schema at a place.
func (c *contract) schema(path ...string) *jsonschema.Schema {
	c.t.Helper()
	s, err := c.check.Compile(contractURL + "#" + pointer(path...))
	if err != nil {
		c.t.Fatalf("%v: %v", path, err)
	}
	return s
}

// operations visits every operation as "GET /v1/…".
func (c *contract) operations(visit func(method, path string, o object)) {
	paths := c.at("paths")
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range slices.Sorted(maps.Keys(paths[path].(object))) {
			visit(strings.ToUpper(method), path, c.at("paths", path, method))
		}
	}
}

// routesUnderV1 is what is served under /v1, in the words of the description.
func (s *site) routesUnderV1() []string {
	all := []string{"POST " + s.server.conf.MCPPath}
	for _, r := range s.server.echo.Routes() {
		if isAPI(r.Path) && r.Method != echo.RouteNotFound {
			all = append(all, r.Method+" "+regexp.MustCompile(`:(\w+)`).ReplaceAllString(r.Path, "{$1}"))
		}
	}
	all = append(all, "POST /v1/chat/completions", "GET /v1/models", "GET /v1/models/{model}")
	slices.Sort(all)
	return all
}

// The description is OpenAPI 3.1 by the schema that the OpenAPI Initiative
// publishes; what it says in schemas is valid, and its examples fit them.
func TestOpenAPIIsValid(t *testing.T) {
	t.Parallel()
	s, _ := started(t)
	c := s.contract()
	official, err := jsonschema.UnmarshalJSON(strings.NewReader(datamodel.OpenAPI31SchemaData))
	if err != nil {
		t.Fatal(err)
	}
	k := jsonschema.NewCompiler()
	if err := k.AddResource("mem:///official.json", official); err != nil {
		t.Fatal(err)
	}
	rules, err := k.Compile("mem:///official.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := rules.Validate(c.doc); err != nil {
		t.Errorf("not OpenAPI 3.1: %v", err)
	}
	if rules.Validate(object{"openapi": "3.1.1", "info": object{"title": "x"}}) == nil {
		t.Error("the official schema takes anything")
	}
	ids, schemas, examples := map[string]bool{}, 0, 0
	var walk func(v any, path []string)
	walk = func(v any, path []string) {
		switch v := v.(type) {
		case object:
			if ref, ok := v["$ref"].(string); ok && c.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...) == nil {
				t.Errorf("%v: %s leads nowhere", path, ref)
			}
			for name, e := range v {
				if name == "schema" {
					schemas++
					fits := c.schema(append(slices.Clone(path), name)...)
					if x, ok := v["example"]; ok {
						examples++
						if err := fits.Validate(x); err != nil {
							t.Errorf("%v: the example does not fit: %v", path, err)
						}
					}
					continue
				}
				walk(e, append(slices.Clone(path), name))
			}
		case []any:
			for i, e := range v {
				walk(e, append(slices.Clone(path), fmt.Sprint(i)))
			}
		}
	}
	walk(c.doc, nil)
	c.operations(func(method, path string, o object) {
		id, _ := o["operationId"].(string)
		if ids[id] || !regexp.MustCompile(`^[a-z][a-z_]*$`).MatchString(id) || o["summary"] == "" || len(o["tags"].([]any)) != 1 || o["security"] == nil {
			t.Errorf("%s %s: operationId %q, summary %q", method, path, id, o["summary"])
		}
		ids[id] = true
	})
	t.Logf("%d operations, %d schemas, %d examples", len(ids), schemas, examples)
	if len(ids) < 25 || schemas < 80 || examples < 10 {
		t.Error("that is too little to have been looked at")
	}
}

// What is described is served, and what is served is described.
func TestOpenAPIIsTheRouter(t *testing.T) {
	t.Parallel()
	s, _ := started(t)
	var described []string
	s.contract().operations(func(method, path string, o object) {
		described = append(described, method+" "+path)
		var named []string
		for _, p := range list(o["parameters"]) {
			if p["in"] == "path" {
				named = append(named, p["name"].(string))
			}
		}
		if want := inPath(path); !slices.Equal(named, want) {
			t.Errorf("%s %s describes the parameters %v, has %v", method, path, named, want)
		}
	})
	slices.Sort(described)
	served := s.routesUnderV1()
	if !slices.Equal(described, served) {
		t.Errorf("described\n%s\nserved\n%s", strings.Join(described, "\n"), strings.Join(served, "\n"))
	}
	for _, h := range s.server.handWritten() {
		if h.why == "" {
			t.Errorf("%s %s is written by hand and does not say why", h.method, h.path)
		}
		t.Logf("by hand: %s %s, because %s", h.method, h.path, h.why)
	}
}

// list returns the objects of a list.
func list(v any) []object {
	var all []object
	l, _ := v.([]any)
	for _, e := range l {
		all = append(all, e.(object))
	}
	return all
}

// A step is one request of a walk through every address.
type step struct {
	route  string
	path   map[string]string // parameters, beside the brain's
	query  string
	body   string
	header []string
	status int // beside the one described first
}

// steps is one request for each address that succeeds, in an order in which each
// finds what it needs.
func (w *walker) steps() []step {
	return []step{
		{route: "GET /v1/openapi.json"},
		{route: "GET /v1/me"},
		{route: "GET /v1/brains"},
		{route: "GET /v1/brains/{brain_id}"},
		{route: "GET /v1/brains/{brain_id}/overview"},
		{route: "GET /v1/brains/{brain_id}/search", query: "q=cats"},
		{route: "POST /v1/brains/{brain_id}/sources", body: `{"name":"pets.md","title":"Pets","code":"PETS","data":"IyBQZXRzCgpDYXRzIHNsZWVwIHNpeHRlZW4gaG91cnMgYSBkYXkuCg=="}`, status: 201},
		{route: "GET /v1/brains/{brain_id}/sources"},
		{route: "GET /v1/brains/{brain_id}/sources/{source}", path: map[string]string{"source": "PETS"}},
		{route: "GET /v1/brains/{brain_id}/draft/sources", query: "sort=review&text=pets"},
		{route: "GET /v1/brains/{brain_id}/sources/{source}/passages", path: map[string]string{"source": "PETS"}},
		{route: "GET /v1/brains/{brain_id}/draft/history", query: "card=pets"},
		{route: "GET /v1/brains/{brain_id}/draft/passages", query: "query=HB+4.2"},
		{route: "GET /v1/brains/{brain_id}/published/passages", query: "key=HB+4.2%28a%29"},
		{route: "POST /v1/brains/{brain_id}/draft/topic-cards/check", body: `{"covers":"cats","anchors":["HB 4.2(a)"]}`},
		{route: "POST /v1/brains/{brain_id}/draft/answers", body: `{"query":"How long do cats sleep?"}`},
		{route: "PATCH /v1/brains/{brain_id}/sources/{source}", path: map[string]string{"source": "PETS"}, body: `{"owner":"Cats","review_by":"2027-01-31"}`},
		{route: "GET /v1/brains/{brain_id}/sources/{source}/diff", path: map[string]string{"source": "PETS"}, query: "from=1&to=1"},
		{route: "POST /v1/brains/{brain_id}/imports", body: `{"files":[{"name":"dogs.md","data":"IyBEb2dzCgpEb2dzIGJhcmsuCg=="}]}`},
		{route: "POST /v1/brains/{brain_id}/folders/comparison", body: `{"folder":"pets","files":[{"name":"dogs.md","sha256":"9f2c"}]}`},
		{route: "GET /v1/brains/{brain_id}/imports"},
		{route: "GET /v1/brains/{brain_id}/imports/{id}", path: map[string]string{"id": "{import}"}},
		{route: "POST /v1/brains/{brain_id}/imports/{id}/cancellation", path: map[string]string{"id": "{import}"}},
		{route: "GET /v1/brains/{brain_id}/imports/{id}/events", path: map[string]string{"id": "{import}"}},
		{route: "DELETE /v1/brains/{brain_id}/sources/{source}", path: map[string]string{"source": "PETS"}},
		{route: "POST /v1/brains/{brain_id}/sources/{source}/restore", path: map[string]string{"source": "PETS"}},
		{route: "POST /v1/brains/{brain_id}/sources/{source}/suspend", path: map[string]string{"source": "PETS"}, body: `{"reason":"cats complained"}`},
		{route: "POST /v1/brains/{brain_id}/sources/{source}/lift", path: map[string]string{"source": "PETS"}, body: `{}`},
		{route: "POST /v1/brains/{brain_id}/sources/{source}/certification", path: map[string]string{"source": "PETS"}, body: `{"note":"cats agree"}`},
		{route: "POST /v1/brains/{brain_id}/sources/{source}/purge", path: map[string]string{"source": "PETS"}, body: `{"reason":"cats won"}`},
		{route: "GET /v1/brains/{brain_id}/purges"},
		{route: "GET /v1/brains/{brain_id}/passages", query: "key=4.2(a)"},
		{route: "GET /v1/brains/{brain_id}/references/broken"},
		{route: "PUT /v1/brains/{brain_id}/draft/topic-cards/{id}", path: map[string]string{"id": "pets"}, body: `{"label":"Pets","covers":"how long cats sleep","anchors":["HB 4.2(a)"]}`, status: 201},
		{route: "GET /v1/brains/{brain_id}/draft/topic-cards"},
		{route: "GET /v1/brains/{brain_id}/draft/topic-cards/{id}", path: map[string]string{"id": "pets"}},
		{route: "PUT /v1/brains/{brain_id}/golden-questions/{id}", path: map[string]string{"id": "cats"}, body: `{"question":"How long do cats sleep a day?","expects":["HB 4.2(a)"]}`, status: 201},
		{route: "GET /v1/brains/{brain_id}/golden-questions"},
		{route: "GET /v1/brains/{brain_id}/golden-report"},
		{route: "POST /v1/brains/{brain_id}/versions", body: `{"notes":"pets"}`},
		{route: "GET /v1/brains/{brain_id}/versions"},
		{route: "GET /v1/brains/{brain_id}/versions/{n}", path: map[string]string{"n": "1"}},
		{route: "GET /v1/brains/{brain_id}/diff", query: "from=1"},
		{route: "POST /v1/brains/{brain_id}/versions/{n}/restore", path: map[string]string{"n": "1"}, body: `{"notes":"as it was"}`},
		{route: "GET /v1/brains/{brain_id}/recommendations"},
		{route: "GET /v1/brains/{brain_id}/recommendations/{id}", path: map[string]string{"id": "{recommendation}"}},
		{route: "GET /v1/brains/{brain_id}/recommendations/{id}/changes", path: map[string]string{"id": "{recommendation}"}},
		{route: "POST /v1/brains/{brain_id}/recommendations/{id}/decision", path: map[string]string{"id": "{recommendation}"}, body: `{"hash":"{hash}","verdict":"reject"}`},
		{route: "POST /v1/brains/{brain_id}/recommendations/{id}/withdrawal", path: map[string]string{"id": "{own recommendation}"}},
		{route: "DELETE /v1/brains/{brain_id}/golden-questions/{id}", path: map[string]string{"id": "cats"}},
		{route: "POST /v1/brains/{brain_id}/changes/{id}/undo", path: map[string]string{"id": "{change}"}},
		{route: "POST /v1/brains/{brain_id}/sources/{source}/revert", path: map[string]string{"source": "{two}"}, body: `{"revision":1}`},
		{route: "DELETE /v1/brains/{brain_id}/draft/topic-cards/{id}", path: map[string]string{"id": "pets"}},
		{route: "GET /v1/brains/{brain_id}/topic-cards"},
		{route: "GET /v1/brains/{brain_id}/wiki"},
		{route: "GET /v1/brains/{brain_id}/wiki/{entity}", path: map[string]string{"entity": "{article}"}},
		{route: "POST /v1/brains/{brain_id}/answers", body: `{"query":"How long do cats sleep a day?"}`},
		{route: "GET /v1/brains/{brain_id}/answers"},
		{route: "GET /v1/brains/{brain_id}/answers/{id}", path: map[string]string{"id": "{answer}"}},
		{route: "GET /v1/brains/{brain_id}/answers/{id}/replay", path: map[string]string{"id": "{answer}"}},
		{route: "POST /v1/brains/{brain_id}/answers/{id}/proof", path: map[string]string{"id": "{answer}"}, body: `{"body":"{served}"}`},
		{route: "POST /v1/brains/{brain_id}/retrieve", body: `{"query":"cats","topic_ids":[]}`},
		{route: "POST /v1/brains/{brain_id}/api-keys", body: `{"label":"agent"}`},
		{route: "GET /v1/brains/{brain_id}/api-keys"},
		{route: "GET /v1/brains/{brain_id}/api-keys/{id}", path: map[string]string{"id": "{key}"}},
		{route: "PATCH /v1/brains/{brain_id}/api-keys/{id}", path: map[string]string{"id": "{key}"}, body: `{"label":"other"}`},
		{route: "POST /v1/brains/{brain_id}/api-keys/{id}/rotate", path: map[string]string{"id": "{key}"}, body: `{"overlap_s":60}`},
		{route: "POST /v1/mcp", body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`, header: []string{"X-API-Key", "{secret}"}},
		{route: "POST /v1/chat/completions", body: `{"model":"polaris","messages":[{"role":"user","content":"How long do cats sleep?"}]}`, header: []string{"X-API-Key", "{secret}"}},
		{route: "GET /v1/models", header: []string{"X-API-Key", "{secret}"}},
		{route: "GET /v1/models/{model}", path: map[string]string{"model": "{model}"}, header: []string{"X-API-Key", "{secret}"}},
		{route: "DELETE /v1/brains/{brain_id}/api-keys/{id}", path: map[string]string{"id": "{key}"}},
		{route: "GET /v1/brains/{brain_id}/members"},
		{route: "GET /v1/brains/{brain_id}/settings"},
		{route: "PATCH /v1/brains/{brain_id}/settings", body: `{"rules":[{"class":"A2","needed":1,"roles":["owner"]}]}`},
		{route: "PUT /v1/brains/{brain_id}/members/{member}/roles", path: map[string]string{"member": "reader@example.org"}, body: `{"roles":["auditor"]}`},
		{route: "DELETE /v1/brains/{brain_id}/members/{member}", path: map[string]string{"member": "reader@example.org"}},
		{route: "GET /v1/brains/{brain_id}/export"},
		{route: "GET /v1/brains/{brain_id}/audit/verification"},
		{route: "GET /v1/brains/{brain_id}/audit", query: "operation=answer&outcome=ok"},
		{route: "GET /v1/brains/{brain_id}/audit/export", query: "format=csv"},
		{route: "POST /v1/brains/{brain_id}/audit/retention", body: `{"before":"2026-01-01"}`},
		{route: "POST /v1/auth/token", body: `{"brain_id":"calliope"}`},
		{route: "DELETE /v1/auth/token", body: `{"refresh_token":"{refresh}"}`},
		{route: "POST /v1/brains/{brain_id}/deletion", body: `{"confirm":"calliope"}`},
		{route: "DELETE /v1/auth/sessions"},
	}
}

// A walker makes the requests of the walk as somebody who is signed in, and
// holds each answer against the description.
type walker struct {
	*contract
	s     *site
	b     *browser
	names map[string]string
	done  map[string]bool
}

func (s *site) walker(b *browser) *walker {
	return &walker{contract: s.contract(), s: s, b: b, names: map[string]string{}, done: map[string]bool{}}
}

// fillIn puts in what earlier answers said.
func (w *walker) fillIn(text string) string {
	for name, v := range w.names {
		text = strings.ReplaceAll(text, "{"+name+"}", v)
	}
	return text
}

// do makes one request.
func (w *walker) do(st step, header ...string) *answer {
	method, path, _ := strings.Cut(st.route, " ")
	path = strings.ReplaceAll(path, "{brain_id}", "calliope")
	for name, v := range st.path {
		path = strings.ReplaceAll(path, "{"+name+"}", escaped(w.fillIn(v)))
	}
	if st.query != "" {
		path += "?" + st.query
	}
	for _, h := range st.header {
		header = append(header, w.fillIn(h))
	}
	if st.body != "" {
		header = append([]string{"Content-Type", "application/json"}, header...)
	}
	return w.b.do(method, path, w.fillIn(st.body), header...)
}

func escaped(s string) string { return strings.ReplaceAll(s, " ", "%20") }

// holds checks an answer against the responses that are described.
func (w *walker) holds(route string, a *answer) {
	w.t.Helper()
	method, path, _ := strings.Cut(route, " ")
	at := []string{"paths", path, strings.ToLower(method), "responses"}
	status := fmt.Sprint(a.StatusCode)
	described := w.at(append(at, status)...)
	if described == nil {
		w.t.Errorf("%s: %s is not described: %s", route, status, a.text)
		return
	}
	if ref, ok := described["$ref"].(string); ok {
		at, status = []string{"components", "responses"}, ref[strings.LastIndex(ref, "/")+1:]
		described = w.at(append(at, status)...)
	}
	content, _ := described["content"].(object)
	for name := range w.at(append(at, status, "headers")...) {
		if a.Header.Get(name) == "" {
			w.t.Errorf("%s: the header %s is described and not there", route, name)
		}
	}
	if content == nil {
		if a.text != "" {
			w.t.Errorf("%s: %s sends %q, and no content is described", route, status, a.text)
		}
		return
	}
	kind := a.Header.Get("Content-Type")
	kind, _, _ = strings.Cut(kind, ";")
	if content[kind] == nil {
		w.t.Errorf("%s: sends %s, which is not described", route, kind)
		return
	}
	if !strings.HasSuffix(kind, "json") || strings.HasSuffix(kind, "ndjson") {
		return // lines of text
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(a.text))
	if err == nil {
		err = w.schema(append(at, status, "content", kind, "schema")...).Validate(v)
	}
	if err != nil {
		w.t.Errorf("%s: the answer does not fit: %v\n%.600s", route, err, a.text)
	}
}

// remember keeps the names that later steps use.
func (w *walker) remember(route string, a *answer) {
	var v struct {
		AnswerID   string                `json:"answer_id"`
		ID         string                `json:"id"`
		Key        string                `json:"key"`
		Refresh    string                `json:"refresh_token"`
		Categories []models.WikiCategory `json:"categories"`
		Data       []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if a.text != "" && json.Unmarshal([]byte(a.text), &v) != nil {
		return
	}
	switch route {
	case "DELETE /v1/brains/{brain_id}/golden-questions/{id}":
		w.names["change"] = w.lastChange()
	case "POST /v1/brains/{brain_id}/answers":
		w.names["answer"] = v.AnswerID
		served, err := json.Marshal(a.text)
		if err != nil {
			w.t.Fatal(err)
		}
		w.names["served"] = strings.Trim(string(served), `"`)
	case "POST /v1/brains/{brain_id}/imports":
		w.names["import"] = v.ID
	case "POST /v1/brains/{brain_id}/api-keys":
		w.names["key"], w.names["secret"] = v.ID, v.Key
	case "GET /v1/brains/{brain_id}/wiki":
		w.names["article"] = v.Categories[0].Titles[0]
	case "GET /v1/models":
		w.names["model"] = v.Data[0].ID
	case "POST /v1/auth/token":
		w.names["refresh"] = v.Refresh
	}
}

// Every address that is described does what is described: a real request
// succeeds with the status that is named, and its answer fits the schema.
func TestOpenAPIHolds(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	s.person("reader@example.org", "calliope", models.RoleReader)
	w := s.walker(b)
	w.queue()
	for _, st := range w.steps() {
		method, path, _ := strings.Cut(st.route, " ")
		if w.at("paths", path, strings.ToLower(method)) == nil {
			t.Errorf("%s is not described", st.route)
			continue
		}
		a := w.do(st)
		if a.StatusCode >= 300 {
			t.Fatalf("%s: %d %s", st.route, a.StatusCode, a.text)
		}
		if st.status != 0 && a.StatusCode != st.status {
			t.Errorf("%s: %d, want %d", st.route, a.StatusCode, st.status)
		}
		w.holds(st.route, a)
		w.remember(st.route, a)
		w.done[st.route] = true
		if tag := a.Header.Get("ETag"); method == http.MethodGet && tag != "" {
			again := w.do(st, "If-None-Match", tag)
			switch {
			case st.route == "GET /v1/me", st.route == "GET /v1/brains/{brain_id}", st.route == "GET /v1/brains/{brain_id}/overview", strings.HasSuffix(st.route, "/verification"): // tell what has just happened
			case again.StatusCode != http.StatusNotModified || again.Header.Get("ETag") != tag || again.text != "":
				t.Errorf("%s once more: %d", st.route, again.StatusCode)
			default:
				w.holds(st.route, again)
			}
		}
	}
	w.operations(func(method, path string, _ object) {
		if !w.done[method+" "+path] {
			t.Errorf("%s %s is described and was not walked", method, path)
		}
	})
	t.Logf("%d addresses were walked", len(w.done))
}
