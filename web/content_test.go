package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"polaris/models"
	"polaris/views/htmlcheck"
)

func TestAnswerRecord(t *testing.T) {
	t.Parallel()
	s, b := published(t)
	key := b.createKey("calliope", "agent")
	id := s.askAs(key, "calliope")
	page := b.get("/brains/calliope/answers/"+id).want(http.StatusOK, "Proof of an answer", "intact", "grounded", "<mark>", id, "sk-polaris-"+key[11:23]+"_…", "version 1", "published while four eyes were off")
	if strings.Contains(page.text, key) {
		t.Error("the record shows the key")
	}
	var r struct {
		AnswerID string `json:"answer_id"`
		Intact   bool
		Envelope models.Envelope
	}
	path := "/v1/brains/calliope/answers/" + id
	for _, a := range []*answer{b.get(path), s.browser().get(path, "X-API-Key", key)} {
		a.want(http.StatusOK).json(&r)
		if !r.Intact || r.AnswerID != id || r.Envelope.RecordURL != s.url+"/brains/calliope/answers/"+id {
			t.Errorf("the record says %+v", r)
		}
	}
	for _, c := range r.Envelope.Citations {
		if !strings.Contains(page.text, "<mark>"+htmlText(c.Quote)+"</mark>") {
			t.Errorf("the quote of %s is not marked", c.Key)
		}
	}

	// Somebody who is not signed in is brought to it by way of signing in.
	stranger := s.browser()
	to := stranger.get("/brains/calliope/answers/" + id).want(http.StatusSeeOther).Header.Get("Location")
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	next := u.Query().Get("next")
	stranger.get(to).want(http.StatusOK, `name="next" value="`+next+`"`)
	stranger.post("/session", url.Values{"email": {owner}, "password": {password}, "next": {next}}).want(http.StatusSeeOther).to("/brains/calliope/answers/" + id)

	// Another's answer is not a reader's to see; their own is.
	s.person("reader@example.org", "calliope", models.RoleReader)
	reader := s.browser()
	reader.signIn("reader@example.org", password).want(http.StatusSeeOther)
	foreign := scrub(reader.get("/brains/calliope/answers/" + id).want(http.StatusNotFound))
	if none := scrub(reader.get("/brains/calliope/answers/ans_000000000000").want(http.StatusNotFound)); none != foreign {
		t.Error("an answer of another person differs from one that is not there")
	}
	own := reader.post("/brains/calliope/ask", url.Values{"question": {question()}}).want(http.StatusSeeOther).Header.Get("Location")
	if a := reader.get(own).want(http.StatusOK, "<mark>"); strings.Contains(a.text, "/sources/") {
		t.Error("a reader is led to sources")
	}
	other := b.createKey("calliope", "another agent")
	s.browser().get(path, "X-API-Key", other).want(http.StatusNotFound)
}

func htmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace(s)
}

func TestAsk(t *testing.T) {
	t.Parallel()
	_, b := published(t)
	b.get("/brains/calliope/ask").want(http.StatusOK, "Answers from version 1", `hx-post="/brains/calliope/ask"`, "Topic cards")
	part := b.post("/brains/calliope/ask", url.Values{"question": {question()}}, "HX-Request", "true", "HX-Target", "div#answer").want(http.StatusOK, `id="answer"`, "grounded", "Proof of this answer", `href="/brains/calliope/answers/ans_`)
	for _, p := range htmlcheck.Fragment([]byte(part.text)) {
		t.Error(p)
	}
	long := strings.Repeat("x", 8001)
	b.post("/brains/calliope/ask", url.Values{"question": {long}, "topic": {"fees-we-may-charge"}}).want(http.StatusUnprocessableEntity, "at most 8000", long, `value="fees-we-may-charge" checked`)
	b.post("/brains/calliope/ask", url.Values{"question": {"What is the airspeed of an unladen swallow?"}}, "HX-Request", "true").want(http.StatusOK, "disclaimed")
	b.get("/brains/calliope").want(http.StatusOK, "Latest answers", "unladen swallow", "sources in the draft")
	b.get("/brains/calliope/answers").want(http.StatusOK, "unladen swallow", "disclaimed")
}

func TestNothingPublished(t *testing.T) {
	t.Parallel()
	_, b := started(t)
	b.get("/brains/calliope").want(http.StatusOK, "Nothing is published yet", "bb import handbook.md --brain-id calliope", "Create a key")
	b.get("/brains/calliope/ask").want(http.StatusOK, "nothing to answer from")
	b.get("/brains/calliope/wiki").want(http.StatusOK, "Nothing published yet")
	b.get("/brains/calliope/wiki/Anything").want(http.StatusNotFound, "No version")
	b.get("/brains/calliope/sources").want(http.StatusOK, "No sources yet")
	b.get("/brains/calliope/topic-cards").want(http.StatusOK, "No topic cards yet")
	b.get("/brains/calliope/versions").want(http.StatusOK, "Nothing published yet", "bb publish --brain-id calliope")
	b.get("/brains/calliope/answers").want(http.StatusOK, "No answers yet")
}

func TestWikiPages(t *testing.T) {
	t.Parallel()
	s, b := published(t)
	var index struct {
		Categories []models.WikiCategory
	}
	key := b.createKey("calliope", "agent")
	agent := s.browser()
	agent.get("/v1/brains/calliope/wiki", "X-API-Key", key).want(http.StatusOK).json(&index)
	n := 0
	list := b.get("/brains/calliope/wiki").want(http.StatusOK)
	for _, c := range index.Categories {
		for _, title := range c.Titles {
			n++
			at := "/wiki/" + url.PathEscape(title)
			if !strings.Contains(list.text, `href="/brains/calliope`+at+`"`) {
				t.Errorf("the index does not lead to %s", at)
			}
			if n%7 == 0 || strings.ContainsAny(title, "/§’“") {
				checkPage(t, b.get("/brains/calliope"+at).want(http.StatusOK, htmlText(title)))
				var page struct{ Title string }
				agent.get("/v1/brains/calliope"+at, "X-API-Key", key).want(http.StatusOK).json(&page)
				if page.Title != title {
					t.Errorf("%q is %q", title, page.Title)
				}
				agent.get("/v1/brains/calliope"+at, "Accept", "text/html,application/xhtml+xml").want(http.StatusSeeOther).to("/brains/calliope" + at)
			}
		}
	}
	if n < 20 {
		t.Fatalf("the wiki has %d titles", n)
	}
	b.get("/brains/calliope/wiki/Nothing%20%3Cb%3E").want(http.StatusNotFound, "No article “Nothing &lt;b&gt;”", "Nearest titles")
	// A slash within a title is part of it, on its way in and out.
	b.get("/brains/calliope/wiki/a%2Fb").want(http.StatusNotFound, "No article “a/b”")
	agent.get("/v1/brains/calliope/wiki/a%2Fb", "X-API-Key", key).want(http.StatusNotFound, `There is no article \"a/b\"`)
	agent.get("/v1/brains/calliope/wiki/a%2Fb", "Accept", "text/html").want(http.StatusSeeOther).to("/brains/calliope/wiki/a%2Fb")
	agent.get("/v1/brains/calliope/wiki/%C3%BC%20%E2%82%AC", "X-API-Key", key).want(http.StatusNotFound, "ü €")
}

func TestSourcePages(t *testing.T) {
	t.Parallel()
	_, b := published(t)
	b.get("/brains/calliope/sources").want(http.StatusOK, "12\u00a0sources", "Lending Handbook", `href="/brains/calliope/sources/HB"`)
	b.get("/brains/calliope/sources/HB").want(http.StatusOK, "HB 4.2(a)", "handbook.md", "SHA-256")
	at := b.get("/brains/calliope/sources/HB?key=" + url.QueryEscape("HB 4.2(a)")).want(http.StatusSeeOther).Header.Get("Location")
	if !strings.HasPrefix(at, "/brains/calliope/sources/HB#p") {
		t.Errorf("the passage is at %s", at)
	}
	b.get("/brains/calliope/sources/HB?key=nothing").want(http.StatusSeeOther).to("/brains/calliope/sources/HB")
	for _, from := range []string{"-1", "x", "100000", "1e3"} {
		b.get("/brains/calliope/sources/HB?from=" + from).want(http.StatusNotFound)
	}
	b.get("/brains/calliope/sources/HB?from=3").want(http.StatusOK, "Earlier passages")
	b.get("/brains/calliope/topic-cards").want(http.StatusOK, "4\u00a0topic cards in the draft.", "fees-we-may-charge")
	b.get("/brains/calliope/versions").want(http.StatusOK, "live", "published while four eyes were off", "12\u00a0sources")
}

func TestREST(t *testing.T) {
	t.Parallel()
	s, b := published(t)
	key := b.createKey("calliope", "agent")
	json := []string{"Content-Type", "application/json", "Authorization", "Bearer " + key}
	agent := s.browser()
	a := agent.do(http.MethodPost, "/v1/brains/calliope/answers", `{"query":"`+question()+`","topic_ids":["no-such-card"]}`, json...).want(http.StatusOK, `"status":"pass"`, "no-such-card")
	if a.Header.Get("RateLimit") == "" || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers: %v", a.Header)
	}
	agent.do(http.MethodPost, "/v1/brains/calliope/retrieve", `{"query":"HB 4.2(a)"}`, json...).want(http.StatusOK, `"HB 4.2(a)"`, `"result":""`)
	b.do(http.MethodPost, "/v1/brains/calliope/retrieve", `{"query":"HB 4.2(a)"}`, "Content-Type", "application/json").want(http.StatusOK) // by cookie

	for _, row := range []struct {
		name, body string
		status     int
		part       string
		header     []string
	}{
		{"unknown field", `{"query":"x","tenant":"y"}`, 400, "tenant", json},
		{"wrong type", `{"query":1}`, 400, "query must be string", json},
		{"empty question", `{"query":" "}`, 400, `"field":"query"`, json},
		{"a list", `[]`, 400, "not a JSON object", json},
		{"null", `null`, 400, "not a JSON object", json},
		{"cut off", `{"query":`, 400, "not a JSON object", json},
		{"two values", `{"query":"x"}{}`, 400, "not a JSON object", json},
		{"deep", strings.Repeat(`{"query":`, 100_000), 400, "not a JSON object", json},
		{"no type", `{"query":"x"}`, 415, "Content-Type", []string{"X-API-Key", key}},
		{"form", `query=x`, 415, "Content-Type", []string{"X-API-Key", key, "Content-Type", "application/x-www-form-urlencoded"}},
		{"bad key", `{}`, 401, "invalid_api_key", []string{"X-API-Key", "sk-polaris-nonsense", "Content-Type", "application/json"}},
		{"basic", `{}`, 401, "missing_credential", []string{"Authorization", "Basic eDp5", "Content-Type", "application/json"}},
		{"two keys", `{}`, 400, "conflicting_credentials", append([]string{"X-API-Key", "sk-polaris-other"}, json...)},
	} {
		a := agent.do(http.MethodPost, "/v1/brains/calliope/answers", row.body, row.header...)
		if a.StatusCode != row.status || !strings.Contains(a.text, row.part) || a.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: got %d %s", row.name, a.StatusCode, a.text)
		}
		if row.status == 401 && !strings.HasPrefix(a.Header.Get("WWW-Authenticate"), `Bearer realm="polaris"`) {
			t.Errorf("%s: no challenge", row.name)
		}
	}
	agent.get("/v1/brains/calliope/wiki?entity=x&entity=y", "X-API-Key", key).want(http.StatusBadRequest)
	agent.get("/v1/brains/calliope/topic-cards?x=1", "X-API-Key", key).want(http.StatusBadRequest, "is not known here")
	agent.get("/v1/brains/calliope/topic-cards?api_key=" + key).want(http.StatusUnauthorized)
}

func TestRESTRate(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	key := b.createKey("calliope", "agent")
	agent := s.browser()
	for range 60 {
		agent.get("/v1/brains/calliope/topic-cards", "X-API-Key", key).want(http.StatusOK)
	}
	if a := agent.get("/v1/brains/calliope/topic-cards", "X-API-Key", key).want(http.StatusTooManyRequests, "rate_limited", "POLARIS_RATE_LIMIT"); a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	agent.mcp(key, toolsList).want(http.StatusTooManyRequests) // one count for both
	for range 30 {
		agent.get("/v1/brains/calliope/topic-cards", "X-API-Key", "sk-polaris-nonsense").want(http.StatusUnauthorized)
	}
	// Keys that do not hold have one count on all surfaces, and sign-ins another:
	// neither an agent's key nor a person's password is to blame for the other.
	agent.get("/v1/brains/calliope/topic-cards", "X-API-Key", key).want(http.StatusTooManyRequests, "too_many_failures")
	agent.mcp(key, toolsList).want(http.StatusTooManyRequests, "too_many_failures")
	agent.signIn(owner, password).want(http.StatusSeeOther)
}
