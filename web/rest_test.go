package web

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"polaris/models"
)

// unhurried is a published brain whose callers are not counted.
func unhurried(t *testing.T) (*site, *browser) {
	t.Helper()
	s, b := published(t)
	s.desk.Settings.RateLimit = models.Rate{N: 1_000_000, Window: time.Second}
	return s, b
}

// aProblem reads problem details.
type aProblem struct {
	Type, Title, Detail, Code, Field string
	Status                           int
	RequestID                        string `json:"request_id"`
}

// problem expects problem details and returns their code and field.
func (a *answer) problem(status int) (code, field string) {
	a.t.Helper()
	var p aProblem
	a.want(status).json(&p)
	if a.Header.Get("Content-Type") != "application/problem+json" || p.Type != "about:blank" || p.Status != status || p.Title != http.StatusText(status) || p.Detail == "" || p.RequestID != a.Header.Get("X-Request-Id") || a.Header.Get("Cache-Control") != "no-store" {
		a.t.Errorf("%s %s: no whole problem: %v %s", a.Request.Method, a.Request.URL.Path, a.Header, a.text)
	}
	return p.Code, p.Field
}

// What a request may be made of, and what not.
func TestRESTReadsStrictly(t *testing.T) {
	t.Parallel()
	_, b := unhurried(t)
	const brain = "/v1/brains/calliope"
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		what, method, path, body string
		header                   []string // default: JSON
		status                   int
		code, field              string
	}{
		{"unknown field", "POST", "/retrieve", `{"query":"x","tenant":"y"}`, nil, 400, "invalid", "tenant"},
		{"another case", "POST", "/retrieve", `{"Query":"x"}`, nil, 400, "invalid", "Query"},
		{"field twice", "POST", "/retrieve", `{"query":"x","query":"y"}`, nil, 400, "invalid", ""},
		{"field with NUL", "POST", "/retrieve", `{"query":"x","query\u0000":"y"}`, nil, 400, "invalid", "query\x00"},
		{"text with NUL", "POST", "/retrieve", `{"query":"x\u0000"}`, nil, 400, "invalid", "query"},
		{"null", "POST", "/retrieve", `{"query":null}`, nil, 400, "invalid", "query"},
		{"the tenant in a body", "POST", "/retrieve", `{"query":"x","brain_id":"urania"}`, nil, 400, "invalid", "brain_id"},
		{"a role in a body", "POST", "/api-keys", `{"label":"x","created_by":"eve"}`, nil, 400, "invalid", "created_by"},
		{"wrong type, nested", "POST", "/retrieve", `{"query":"x","topic_ids":["a",1]}`, nil, 400, "invalid", "topic_ids.1"},
		{"fraction", "POST", "/api-keys", `{"label":"x","expires_days":1.5}`, nil, 400, "invalid", "expires_days"},
		{"huge number", "POST", "/api-keys", `{"label":"x","expires_days":1e999}`, nil, 400, "invalid", ""},
		{"over 2^63", "POST", "/api-keys", `{"label":"x","expires_days":9223372036854775808}`, nil, 400, "invalid", "expires_days"},
		{"no value of a list", "POST", "/api-keys", `{"label":"x","scopes":["root"]}`, nil, 400, "invalid", "scopes.0"},
		{"path and body differ", "PUT", "/draft/topic-cards/fees", `{"id":"other","label":"x","covers":"x","anchors":["HB 1"]}`, nil, 400, "invalid", "id"},
		{"path and query", "GET", "/sources/HB?source=HB", ``, nil, 400, "invalid", "source"},
		{"query of a POST", "POST", "/retrieve?query=x", `{"query":"x"}`, nil, 400, "invalid", "query"},
		{"unknown query", "GET", "/sources?page=2", ``, nil, 400, "invalid", "page"},
		{"the tenant in a query", "GET", "/sources?brain_id=urania", ``, nil, 400, "invalid", "brain_id"},
		{"query twice", "GET", "/sources?limit=1&limit=2", ``, nil, 400, "invalid", "limit"},
		{"query no number", "GET", "/sources?limit=1x", ``, nil, 400, "invalid", "limit"},
		{"query not as it is written", "GET", "/sources?limit=%2B1", ``, nil, 400, "invalid", "limit"},
		{"limit too small", "GET", "/sources?limit=0", ``, nil, 400, "invalid", "limit"},
		{"limit too large", "GET", "/sources?limit=201", ``, nil, 400, "invalid", "limit"},
		{"no cursor", "GET", "/sources?cursor=x", ``, nil, 400, "invalid_cursor", "cursor"},
		{"a path that is no text", "GET", "/wiki/%ff", ``, nil, 400, "invalid", "entity"},
		{"a surrogate in the path", "PUT", "/draft/topic-cards/%ed%a0%80", `{"label":"x","covers":"x","anchors":["HB 1"]}`, nil, 400, "invalid", "id"},
		{"a query that is no text", "GET", "/sources?cursor=%ff", ``, nil, 400, "invalid", "cursor"},
		{"a parameter whose name is no text", "GET", "/sources?%ff=x", ``, nil, 400, "invalid", "�"},
		{"path no number", "GET", "/versions/first", ``, nil, 400, "invalid", "n"},
		{"a GET with a body", "GET", "/sources", `{}`, nil, 400, "body_not_expected", ""},
		{"a DELETE with a body", "DELETE", "/draft/topic-cards/x", `{}`, nil, 400, "body_not_expected", ""},
		{"no JSON", "POST", "/retrieve", `{"query":`, nil, 400, "invalid_json", ""},
		{"a list", "POST", "/retrieve", `[]`, nil, 400, "invalid_json", ""},
		{"no UTF-8", "POST", "/retrieve", "{\"query\":\"\xff\"}", nil, 400, "invalid_json", ""},
		{"no type", "POST", "/retrieve", `{"query":"x"}`, []string{}, 415, "unsupported_media_type", ""},
		{"form", "POST", "/retrieve", `query=x`, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "unsupported_media_type", ""},
		{"multipart where no document is read", "POST", "/retrieve", `x`, []string{"Content-Type", "multipart/form-data; boundary=x"}, 415, "unsupported_media_type", ""},
		{"another charset", "POST", "/retrieve", `{"query":"x"}`, []string{"Content-Type", "application/json; charset=latin1"}, 415, "unsupported_media_type", ""},
		{"compressed", "POST", "/retrieve", `x`, []string{"Content-Type", "application/json", "Content-Encoding", "gzip"}, 415, "unsupported_media_type", ""},
		{"too large", "POST", "/retrieve", `{"query":"` + long + `"}`, nil, 413, "body_too_large", ""},
		{"no such address", "GET", "/nothing", ``, nil, 404, "not_found", ""},
		{"a slash at the end", "GET", "/sources/", ``, nil, 404, "", ""},
		{"not this method", "PATCH", "/sources", `{}`, nil, 405, "method_not_allowed", ""},
		{"a method in another case", "get", "/sources", ``, nil, 405, "method_not_allowed", ""},
	} {
		header := c.header
		if header == nil && c.body != "" {
			header = []string{"Content-Type", "application/json"}
		}
		a := b.do(c.method, brain+c.path, c.body, header...)
		if a.StatusCode != c.status {
			t.Errorf("%s: %d %s", c.what, a.StatusCode, a.text)
			continue
		}
		if code, field := a.problem(c.status); code != c.code && c.code != "" || field != c.field {
			t.Errorf("%s: code %q, field %q, want %q, %q: %s", c.what, code, field, c.code, c.field, a.text)
		}
	}
	b.do("POST", brain+"/retrieve", `{"query":"cats"}`, "Content-Type", "application/json; charset=UTF-8").want(http.StatusOK)
	b.do("PUT", brain+"/draft/topic-cards/fees", `{"id":"fees","label":"x","covers":"x","anchors":["HB 4.2(a)"]}`, "Content-Type", "application/json").want(http.StatusCreated)
	for _, path := range []string{"/v1", "/v1/", "/v1/nothing"} {
		b.get(path).problem(http.StatusNotFound)
	}
}

// HEAD is GET without the body, OPTIONS names the methods, and so does a 405.
func TestRESTMethods(t *testing.T) {
	t.Parallel()
	_, b := unhurried(t)
	const cards = "/v1/brains/calliope/draft/topic-cards/fees-we-may-charge"
	get, head := b.get(cards).want(http.StatusOK), b.do(http.MethodHead, cards, "").want(http.StatusOK)
	for _, name := range []string{"Content-Type", "Content-Length", "ETag", "Cache-Control"} {
		if got, want := head.Header.Get(name), get.Header.Get(name); got != want || got == "" {
			t.Errorf("%s: HEAD says %q, GET %q", name, got, want)
		}
	}
	if head.text != "" {
		t.Errorf("HEAD sends %q", head.text)
	}
	want := []string{"DELETE", "GET", "HEAD", "OPTIONS", "PUT"}
	for _, a := range []*answer{b.do(http.MethodOptions, cards, "").want(http.StatusNoContent), b.do(http.MethodPatch, cards, "{}").want(http.StatusMethodNotAllowed)} {
		got := strings.Split(a.Header.Get("Allow"), ", ")
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: Allow %q", a.Request.Method, a.Header.Get("Allow"))
		}
	}
	if a := b.do(http.MethodGet, "/v1/brains/calliope/retrieve", "").want(http.StatusMethodNotAllowed); strings.Contains(a.Header.Get("Allow"), "HEAD") {
		t.Errorf("a POST allows %q", a.Header.Get("Allow"))
	}
}

// Two people who change one thing: the second is told, and what they would have
// overwritten stays.
func TestRESTRevisions(t *testing.T) {
	t.Parallel()
	_, b := unhurried(t)
	const card = "/v1/brains/calliope/draft/topic-cards/pets"
	put := func(label string, header ...string) *answer {
		return b.do(http.MethodPut, card, `{"label":"`+label+`","covers":"pets","anchors":["HB 4.2(a)"]}`, append([]string{"Content-Type", "application/json"}, header...)...)
	}
	refused := func(a *answer) {
		t.Helper()
		if code, _ := a.problem(http.StatusPreconditionFailed); code != "precondition_failed" {
			t.Errorf("code %q", code)
		}
	}
	refused(put("none", "If-Match", "*"))
	made := put("Pets", "If-None-Match", "*").want(http.StatusCreated)
	refused(put("Pets", "If-None-Match", "*"))
	read := b.get(card).want(http.StatusOK).Header.Get("ETag")
	if tag := made.Header.Get("ETag"); tag == "" || !strings.HasPrefix(read, strings.TrimSuffix(tag, `"`)) {
		t.Errorf("made as %s, read as %s", tag, read)
	}
	changed := put("Cats", "If-Match", read).want(http.StatusOK).Header.Get("ETag")
	for _, tag := range []string{read, made.Header.Get("ETag"), `"nonsense"`, "nonsense", `W/` + changed, `"*"`, `""`, `"`, "", " ", ",", ", ,"} {
		refused(put("lost", "If-Match", tag))
		refused(b.do(http.MethodDelete, card, "", "If-Match", tag))
	}
	refused(put("x", "If-None-Match", changed))
	refused(put("x", "If-None-Match", ""))
	if a := b.get(card, "If-None-Match", read).want(http.StatusOK, `"Cats"`); a.Header.Get("ETag") == read {
		t.Error("a changed card has the tag that it had")
	}
	now := b.get(card).Header.Get("ETag")
	for _, tags := range []string{now, "W/" + now, `"x", ` + now, "*"} {
		if a := b.get(card, "If-None-Match", tags).want(http.StatusNotModified); a.text != "" || a.Header.Get("ETag") != now {
			t.Errorf("%s: %v %s", tags, a.Header, a.text)
		}
	}
	put("Dogs", "If-Match", `"x", `+now).want(http.StatusOK)
	refused(b.get(card, "If-Match", now))
	refused(b.do(http.MethodPost, "/v1/brains/calliope/retrieve", `{"query":"x"}`, "Content-Type", "application/json", "If-Match", "*"))
	b.do(http.MethodDelete, card, "", "If-Match", "*").want(http.StatusNoContent)
	b.get(card).problem(http.StatusNotFound)

	for _, path := range []string{"/wiki", "/topic-cards", "/versions/1"} {
		a := b.get("/v1/brains/calliope" + path).want(http.StatusOK)
		if a.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%s: Cache-Control %q", path, a.Header.Get("Cache-Control"))
		}
		b.get("/v1/brains/calliope"+path, "If-None-Match", a.Header.Get("ETag")).want(http.StatusNotModified)
	}
}

// A list over REST: pages until no cursor is left, and all rows once.
func TestRESTPages(t *testing.T) {
	t.Parallel()
	_, b := unhurried(t)
	type page struct {
		Sources []struct{ Code string }
		Next    *string `json:"next_cursor"`
	}
	var all page
	b.get("/v1/brains/calliope/sources").want(http.StatusOK).json(&all)
	if len(all.Sources) < 5 || all.Next != nil {
		t.Fatalf("%+v", all)
	}
	var got []struct{ Code string }
	for cursor := ""; ; {
		q := url.Values{"limit": {"2"}}
		if cursor != "" {
			q.Set("cursor", cursor)
		}
		var p page
		b.get("/v1/brains/calliope/sources?" + q.Encode()).want(http.StatusOK).json(&p)
		if got = append(got, p.Sources...); p.Next == nil {
			break
		}
		cursor = *p.Next
	}
	if !slices.Equal(got, all.Sources) {
		t.Errorf("in pages %v, whole %v", got, all.Sources)
	}
}

// A document comes as JSON or as a file of a form, and may be larger than
// another body.
func TestRESTUploads(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	form := func(fill func(*multipart.Writer)) *answer {
		t.Helper()
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		fill(w)
		w.Close()
		return b.do(http.MethodPost, "/v1/brains/calliope/sources", body.String(), "Content-Type", w.FormDataContentType())
	}
	file := func(w *multipart.Writer, text string) {
		p, err := w.CreateFormFile("data", "pets.md")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(p, text)
	}
	big := "# Pets\n\n" + strings.Repeat("Cats sleep sixteen hours a day.\n\n", 50_000) // 1.6 MB
	form(func(w *multipart.Writer) { w.WriteField("code", "PETS"); file(w, big) }).want(http.StatusCreated, `"code":"PETS"`, `"status":"new"`)
	form(func(w *multipart.Writer) { file(w, big); w.WriteField("code", "PETS") }).want(http.StatusOK, `"status":"unchanged"`)
	b.get("/v1/brains/calliope/sources/PETS").want(http.StatusOK, `"name":"pets.md"`)
	for what, fill := range map[string]func(*multipart.Writer){
		"data":   func(w *multipart.Writer) { w.WriteField("code", "PETS") },
		"holder": func(w *multipart.Writer) { w.WriteField("holder", "eve"); file(w, "# X\n\ny") },
		"code":   func(w *multipart.Writer) { w.WriteField("code", "A"); w.WriteField("code", "B"); file(w, "# X\n\ny") },
		"title":  func(w *multipart.Writer) { w.WriteField("title", "caf\xe9"); file(w, "# X\n\ny") },
	} {
		if _, field := form(fill).problem(http.StatusBadRequest); field != what {
			t.Errorf("%s: field %q", what, field)
		}
	}
	b.do(http.MethodPost, "/v1/brains/calliope/sources", "--x\r\nbroken", "Content-Type", "multipart/form-data; boundary=x").problem(http.StatusBadRequest)
	// Who may not import is told so before the document is read.
	key := b.createKey("calliope", "agent")
	s.browser().do(http.MethodPost, "/v1/brains/calliope/sources", "no JSON", "X-API-Key", key, "Content-Type", "application/json").problem(http.StatusForbidden)

	s.desk.Settings.MaxUpload = 1 << 20
	b.do(http.MethodPost, "/v1/brains/calliope/sources", `{"data":"`+strings.Repeat("x", 3<<20)+`"}`, "Content-Type", "application/json").want(http.StatusRequestEntityTooLarge, "POLARIS_MAX_UPLOAD_BYTES")
	form(func(w *multipart.Writer) { file(w, strings.Repeat("x", 3<<20)) }).problem(http.StatusRequestEntityTooLarge)
	form(func(w *multipart.Writer) { file(w, strings.Repeat("x", 1<<20+1)) }).problem(http.StatusRequestEntityTooLarge)
}

// An API key reaches what the contract names and nothing else; that holds for
// addresses that exist and are its own brain's.
func TestRESTForKeys(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	key := b.createKey("calliope", "agent")
	agent := s.browser()
	agent.get("/v1/me", "X-API-Key", key).want(http.StatusOK, `"kind":"key"`, `"brain":"calliope"`)
	own := s.askAs(key, "calliope")
	agent.get("/v1/brains/calliope/answers/"+own, "X-API-Key", key).want(http.StatusOK)
	// With every scope it still does not see the records of others over REST.
	wide := b.wideKey("calliope")
	agent.get("/v1/brains/calliope/answers/"+own, "X-API-Key", wide).want(http.StatusNotFound)
	for _, path := range []string{"", "/sources", "/sources/HB", "/versions", "/versions/1", "/draft/topic-cards", "/api-keys", "/members", "/answers"} {
		if code, _ := agent.get("/v1/brains/calliope"+path, "X-API-Key", wide).problem(http.StatusForbidden); code != "insufficient_scope" {
			t.Errorf("%s: %s", path, code)
		}
	}
}
