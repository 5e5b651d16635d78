package web

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"polaris/models"
	"polaris/ops"
	"polaris/ops/schema"
)

// openAPIPath is where the description of REST is. It is open to everybody: it
// says what any copy of this release can do, and nothing of anybody's data.
const openAPIPath = "/v1/openapi.json"

// An object is a part of the description, which is JSON by nature.
type object = map[string]any

// openAPI serves the description, made once: of the same routes and schemas that
// the handlers use.
func (s *Server) openAPI() echo.HandlerFunc {
	raw, err := json.Marshal(s.document())
	if err != nil {
		panic("openapi: " + err.Error()) // maps, lists, strings and schemas always marshal
	}
	tag := sumOf(raw)
	return func(c echo.Context) error {
		if len(c.QueryParams()) > 0 {
			return unknownQuery(c)
		}
		h := c.Response().Header()
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", quoted(tag))
		if matches(c.Request().Header.Values("If-None-Match"), tag) {
			return c.NoContent(http.StatusNotModified)
		}
		return c.Blob(http.StatusOK, "application/json", raw)
	}
}

// document describes everything under /v1.
func (s *Server) document() object {
	paths := object{}
	add := func(method, path string, o object) {
		item, ok := paths[path].(object)
		if !ok {
			item = object{}
			paths[path] = item
		}
		item[strings.ToLower(method)] = o
	}
	for _, r := range restRoutes() {
		add(r.method, r.path, r.describe())
	}
	for _, h := range s.handWritten() {
		add(h.method, h.path, h.describe())
	}
	return object{
		"openapi": "3.1.1",
		"info": object{
			"title": "Polaris", "version": cmp.Or(s.conf.Version, "dev"),
			"summary":     "Answers in which every sentence stands on a verified quote.",
			"description": introduction,
		},
		"servers": []any{object{"url": s.conf.PublicURL}},
		"tags":    tags(paths),
		"paths":   paths,
		"components": object{
			"schemas":         object{"Problem": problemSchema, "Queued": queuedSchema(), "Rehearsal": rehearsalSchema()},
			"responses":       object{"Problem": problemResponse},
			"headers":         rateHeaders,
			"securitySchemes": securitySchemes,
		},
	}
}

const introduction = "Send an API key or an access token as `Authorization: Bearer …` (a key also as `X-API-Key`). " +
	"API keys reach answers, retrieve, wiki, topic cards, `me` and the records of their own answers; everything else takes an access token or a browser's session. " +
	"What an access token asks to change waits for a second person. Errors are problem details (RFC 9457) with a stable `code`. " +
	"Unknown fields and query parameters are refused. Lists come in pages: send `next_cursor` as `cursor` until it is absent. " +
	"A change with `If-Match` is made only to the revision that the ETag names. With `dry_run=true` in the query a change is rehearsed: before and after are shown, and nothing is done."

// problemSchema is what [problemDetails] writes.
var problemSchema = object{
	"type": "object", "description": "Problem details, RFC 9457.",
	"required": []any{"type", "title", "status", "detail", "code", "request_id"},
	"properties": object{
		"type":       object{"type": "string", "const": "about:blank"},
		"title":      object{"type": "string", "description": "the status in words"},
		"status":     object{"type": "integer", "minimum": 400, "maximum": 599},
		"detail":     object{"type": "string", "description": "what is wrong and what to do next, for people"},
		"code":       object{"type": "string", "pattern": "^[a-z][a-z0-9_]*$", "description": "what is wrong, for programs"},
		"field":      object{"type": "string", "description": "the input to blame"},
		"request_id": object{"type": "string", "description": "names the request in the server's log"},
	},
}

var problemResponse = object{
	"description": "The request was refused, or failed.",
	"content":     object{"application/problem+json": object{"schema": object{"$ref": "#/components/schemas/Problem"}}},
}

var rateHeaders = object{
	"RateLimit":       object{"description": "what is left of the caller's rate", "schema": object{"type": "string"}},
	"RateLimitPolicy": object{"description": "the caller's rate", "schema": object{"type": "string"}},
}

var securitySchemes = object{
	"bearer":  object{"type": "http", "scheme": "bearer", "description": "An API key (`sk-polaris-…`) or an access token from POST /v1/auth/token."},
	"api_key": object{"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "An API key."},
	"session": object{"type": "apiKey", "in": "cookie", "name": SessionCookie, "description": "A signed-in browser's session, from pages of this server only."},
}

func tags(paths object) []any {
	names := map[string]bool{}
	for _, item := range paths {
		for _, o := range item.(object) {
			names[o.(object)["tags"].([]any)[0].(string)] = true
		}
	}
	var all []any
	for _, n := range slices.Sorted(maps.Keys(names)) {
		all = append(all, object{"name": n})
	}
	return all
}

// describe returns the operation object of a route.
func (r route) describe() object {
	o := object{
		"operationId": r.operationID(), "tags": []any{r.tag()}, "summary": r.op.Title, "description": r.description(),
		"security": r.security(), "responses": r.responses(), "x-polaris-class": string(r.op.Class), "x-polaris-right": string(r.op.Needs),
	}
	if ps := r.parameters(); len(ps) > 0 {
		o["parameters"] = ps
	}
	if r.hasBody() {
		if body := r.requestBody(); body != nil {
			o["requestBody"] = body
		}
	}
	return o
}

// operationID names the route to program generators.
func (r route) operationID() string {
	id := strings.ReplaceAll(r.op.Name, ".", "_")
	if r.path != r.op.Path() {
		id += "_index"
	}
	return id
}

// tag is the noun of the path.
func (r route) tag() string {
	path := strings.TrimPrefix(strings.TrimPrefix(r.path, "/v1/"), "brains/{brain_id}")
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/"), "draft/")
	noun, _, _ := strings.Cut(path, "/")
	return cmp.Or(noun, "brains")
}

func (r route) description() string {
	text := r.op.Summary
	if r.op.Class >= ops.Reversible {
		text += " By access token this waits for a second person; a browser's session does it at once, as far as the brain's four eyes allow."
	}
	return text
}

func (r route) security() []any {
	var all []any
	if r.op.Offered&ops.REST != 0 {
		all = append(all, object{"bearer": []any{}})
	}
	if r.op.HTTP.Keys {
		all = append(all, object{"api_key": []any{}})
	}
	if r.op.Offered&ops.Web != 0 {
		all = append(all, object{"session": []any{}})
	}
	return all
}

// properties returns the fields of the input, and which are required.
func (r route) properties() (fields object, required []string) {
	s := parsed(r.in.JSON())
	fields, _ = s["properties"].(object)
	names, _ := s["required"].([]any)
	for _, n := range names {
		required = append(required, n.(string))
	}
	return fields, required
}

// parsed returns a schema as a part of the description.
func parsed(schema json.RawMessage) object {
	var o object
	if err := json.Unmarshal(schema, &o); err != nil {
		panic("openapi: " + err.Error()) // it was made here
	}
	return o
}

// inPath returns the names of a path's parameters.
func inPath(path string) []string {
	var names []string
	for part := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(part, "{") {
			names = append(names, strings.Trim(part, "{}"))
		}
	}
	return names
}

func (r route) parameters() []any {
	fields, required := r.properties()
	var all []any
	for _, name := range inPath(r.path) {
		schema := fields[name]
		if name == brainParam {
			schema = object{"type": "string", "pattern": models.BrainIDPattern, "description": "the brain's id"}
		}
		all = append(all, object{"name": name, "in": "path", "required": true, "schema": schema})
	}
	if fields == nil {
		fields = object{}
	}
	if !r.hasBody() {
		for name, schema := range r.reasonSchemas() {
			if fields[name] == nil {
				fields[name] = schema
			}
		}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if slices.Contains(inPath(r.path), name) || r.path != r.op.Path() {
				continue // what the index leaves out is the path's
			}
			all = append(all, object{"name": name, "in": "query", "required": slices.Contains(required, name), "schema": fields[name]})
		}
	}
	if r.op.Rehearsable() {
		all = append(all, object{"name": dryRun, "in": "query", "schema": object{"type": "boolean"}, "description": "true: say what would be changed or queued, and do neither"})
	}
	tag := object{"type": "string"}
	if r.method == http.MethodGet {
		all = append(all, object{"name": "If-None-Match", "in": "header", "schema": tag, "description": "ETag of what was read before: 304 where it is the same still"})
	}
	if r.op.HTTP.IfMatch {
		all = append(all, object{"name": "If-Match", "in": "header", "schema": tag, "description": "ETag of the revision to change: 412 where it is another by now"},
			object{"name": "If-None-Match", "in": "header", "schema": object{"type": "string", "const": "*"}, "description": "*: only where it is not there yet"})
	}
	return all
}

// requestBody returns the body's object: the input without what the path says.
func (r route) requestBody() object {
	fields, required := r.properties()
	if fields == nil {
		fields = object{}
	}
	for name, schema := range r.reasonSchemas() {
		if fields[name] == nil {
			fields[name] = schema
		}
	}
	body := object{"type": "object", "properties": fields, "additionalProperties": false}
	required = slices.DeleteFunc(required, func(n string) bool { return slices.Contains(inPath(r.path), n) })
	for _, name := range inPath(r.path) {
		if f, ok := fields[name].(object); ok {
			// It may be repeated, as it is in what was read, but must not differ.
			f["description"] = "the same as in the path"
		}
	}
	if len(fields) == 0 {
		return nil
	}
	if len(required) > 0 {
		body["required"] = required
	}
	media := object{"schema": body}
	if r.op.HTTP.Example != "" {
		media["example"] = json.RawMessage(r.op.HTTP.Example)
	}
	content := object{"application/json": media}
	if r.op.HTTP.Upload {
		form, name := maps.Clone(fields), document
		form[document] = object{"type": "string", "contentMediaType": "application/octet-stream", "description": "the file"}
		if r.takesFiles() {
			delete(form, document)
			name = documents
			form[documents] = object{"type": "array", "items": object{"type": "string", "contentMediaType": "application/octet-stream"}, "minItems": 1, "description": "the files, one part for each"}
		}
		content["multipart/form-data"] = object{"schema": object{"type": "object", "properties": form, "required": []string{name}, "additionalProperties": false}}
	}
	return object{"required": len(required) > 0, "content": content}
}

// queuedSchema describes what is answered when a change waits.
func queuedSchema() any {
	s, err := schema.Output(reflect.TypeFor[models.Queued]())
	if err != nil {
		panic("rest: " + err.Error()) // a mistake in the type, which a test would find
	}
	return s.JSON()
}

func (r route) responses() object {
	all := object{"default": object{"$ref": "#/components/responses/Problem"}}
	headers := object{"RateLimit": object{"$ref": "#/components/headers/RateLimit"}, "RateLimit-Policy": object{"$ref": "#/components/headers/RateLimitPolicy"}}
	status := cmp.Or(r.op.HTTP.Status, http.StatusOK)
	if status == http.StatusNoContent {
		all[strconv.Itoa(status)] = object{"description": "It is done.", "headers": headers}
	} else {
		if r.method == http.MethodGet || r.op.HTTP.IfMatch {
			headers["ETag"] = object{"schema": object{"type": "string"}}
		}
		content := object{"application/json": object{"schema": r.out.JSON()}}
		if r.op.Out.Implements(reflect.TypeFor[ops.Streamed]()) {
			delete(headers, "ETag")
			lines := object{"schema": object{"type": "string"}}
			content = object{"application/x-ndjson": lines, "text/csv": lines}
			if r.op.Name == ops.ExportBrain.Name {
				content = object{ops.ExportBrainType: lines}
			}
			if r.op.Out == reflect.TypeFor[*ops.ImportWatch]() {
				content = object{"text/event-stream": lines}
			}
		}
		done := object{"description": r.op.Title + ".", "headers": headers, "content": content}
		all[strconv.Itoa(status)] = done
		if r.makes() {
			all["201"] = done
		}
	}
	r.rehearsed(all, headers)
	if r.op.Queues() || r.op.Name == ops.UndoChange.Name {
		all["202"] = object{"description": "It waits for another person's decision.", "headers": headers, "content": object{"application/json": object{"schema": object{"$ref": "#/components/schemas/Queued"}}}}
	}
	if r.method == http.MethodGet {
		all["304"] = object{"description": "It is what the ETag names still."}
	}
	for _, status := range r.refusals() {
		all[strconv.Itoa(status)] = object{"$ref": "#/components/responses/Problem"}
	}
	return all
}

// refusals are the statuses that a caller should be ready for.
func (r route) refusals() []int {
	all := []int{400, 401, 403, 404, 429, 503}
	if r.hasBody() {
		all = append(all, 413, 415)
	}
	if r.op.Class >= ops.Reversible {
		all = append(all, 409)
	}
	if r.op.HTTP.IfMatch {
		all = append(all, 412)
	}
	return all
}
