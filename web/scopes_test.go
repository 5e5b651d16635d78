package web

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"polaris/models"
	"polaris/ops"
)

// What one scope alone gives, on each surface, as the contract says it. Whatever
// is not named here is refused with insufficient_scope. The owner of the brain
// holds the credential, so that it is the scope that decides.
var scopeTable = []struct {
	scope        models.Scope
	key, token   []string          // operations that are done over REST
	queues       []string          // by token: that wait for a second person
	persons      []string          // by token: that only a person at the pages does
	finds        map[string]string // by token: that the gate lets through to what is not there, with the code that says so
	tools        []string
	chats        bool // the OpenAI-compatible endpoint answers
	terminalOnly bool
}{
	{
		scope: models.ScopeAdvisorRead,
		key:   []string{"me", "answer", "retrieve", "topic_cards", "read_wiki", "answers.get"},
		token: []string{"me", "answer", "retrieve", "topic_cards", "read_wiki", "passages.read", "answers.get", "brains.show", "brains.overview", "search", "brains.list"},
		tools: []string{"answer", "read_wiki", "retrieve", "topic_cards"},
		chats: true,
	},
	{scope: models.ScopeResearchRun, key: []string{"me"}, token: []string{"me", "brains.list"}},
	{
		scope: models.ScopeInvoke,
		key:   []string{"me"},
		token: []string{"me", "brains.list", "sources.list", "sources.find", "passages.find", "topic_cards.check", "draft.ask", "draft.history", "sources.get", "passages.get", "references.broken", "topic_cards.list", "topic_cards.get", "versions.list", "versions.get", "versions.diff", "answers.list", "recommendations.list", "recommendations.get", "recommendations.changes", "recommendations.withdraw", "settings.get", "golden_questions.list", "golden_questions.run", "sources.purged", "imports.list", "imports.compare"},
		finds: map[string]string{"sources.read": "no_such_source", "answers.replay": "no_such_answer", "answers.prove": "no_such_answer", "sources.diff": "no_such_source", "imports.get": "no_such_import", "imports.events": "no_such_import"},
	},
	{
		scope:  models.ScopeWrite,
		key:    []string{"me"},
		token:  []string{"me", "brains.list", "api_keys.list", "api_keys.get", "members.list", "imports.start"},
		queues: []string{"sources.import", "sources.revert", "topic_cards.save", "topic_cards.delete", "versions.publish", "versions.restore", "settings.save", "golden_questions.save", "members.grant", "brains.delete"},
		finds:  map[string]string{"sources.remove": "no_such_source", "sources.restore": "no_such_source", "changes.undo": "no_such_change", "sources.suspend": "no_such_source", "sources.lift": "no_such_source", "sources.certify": "no_such_source", "sources.purge": "no_such_source", "golden_questions.delete": "no_such_golden_question", "audit.retain": "nothing_to_remove", "sources.update": "no_such_source", "imports.cancel": "no_such_import"},
		// They hand out secrets, or concern who is a member.
		persons: []string{"api_keys.create", "api_keys.update", "api_keys.rotate", "api_keys.revoke", "members.remove", "brains.export"},
	},
	{scope: models.ScopeAnyBrain, key: []string{"me"}, terminalOnly: true},
}

// For each scope, a key and a token with it alone do all that the scope promises
// and nothing more: every operation over REST, every tool over MCP, and the chat
// endpoint.
func TestEachScopeAlone(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	s.person("reader@example.org", "calliope", models.RoleReader)
	if len(scopeTable) != len(models.Scopes()) {
		t.Fatalf("the table has %d scopes, there are %d", len(scopeTable), len(models.Scopes()))
	}
	for _, row := range scopeTable {
		key := s.terminalKey("calliope", row.scope)
		s.scope(b, "key with "+string(row.scope), key, row.key, nil, nil, nil, row.tools, row.chats)
		if row.terminalOnly {
			a := b.auth(http.MethodPost, "token", `{"brain_id":"calliope","scopes":["`+string(row.scope)+`"]}`)
			if a.StatusCode < 400 {
				t.Errorf("a token was given %s: %s", row.scope, a.text)
			}
			continue
		}
		s.scope(b, "token with "+string(row.scope), b.scopedToken("calliope", row.scope), row.token, row.queues, row.persons, row.finds, row.tools, row.chats)
	}
}

// scope tries everything with one credential.
func (s *site) scope(owner *browser, who, credential string, does, queues, persons []string, finds map[string]string, tools []string, chats bool) {
	s.t.Helper()
	header := []string{"Authorization", "Bearer " + credential}
	agent := s.browser()
	w := s.walker(agent)
	w.names["answer"], w.names["article"], w.names["key"] = "ans_000000000000", "Notice", "000000000000"
	own := s.browser().do(http.MethodPost, "/v1/brains/calliope/retrieve", `{"query":"HB 4.2(a)"}`, append([]string{"Content-Type", "application/json"}, header...)...)
	if own.StatusCode == http.StatusOK {
		w.remember("POST /v1/brains/{brain_id}/answers", own)
	}
	k := run(s, ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: "ada@example.org"}, Brain: "calliope", Via: ops.CLI}, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "target"})
	w.names["key"] = k.ID
	w.queue()
	if queues != nil { // there is something to publish, and something to go back to
		c := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: "ada@example.org"}, Brain: "calliope", Via: ops.CLI}
		run(s, c, ops.SaveCard, ops.SaveCardIn{ID: "first", Label: "First", Covers: "what makes the draft differ", Anchors: []string{"HB 4.2(a)"}})
		run(s, c, ops.PublishVersion, ops.PublishIn{})
		run(s, c, ops.SaveCard, ops.SaveCardIn{ID: "second", Label: "Second", Covers: "what makes the draft differ", Anchors: []string{"HB 4.2(a)"}})
	}
	seen := map[string]bool{}
	for _, st := range w.steps() {
		o := operationAt(st.route)
		if o == nil {
			continue // by hand: below
		}
		seen[o.Name] = true
		if o.Name == "topic_cards.get" || o.Name == "topic_cards.delete" {
			st.path = map[string]string{"id": "fees-we-may-charge"}
		}
		if o.Name == "sources.get" {
			st.path = map[string]string{"source": "HB"}
		}
		a := w.do(st, header...)
		got := "refused"
		switch {
		case finds[o.Name] != "" && strings.Contains(a.text, `"code":"`+finds[o.Name]+`"`):
			continue
		case a.StatusCode == http.StatusAccepted && strings.Contains(a.text, `"status":"queued"`):
			got = "queued"
		case a.StatusCode < 300:
			got = "done"
		case a.StatusCode == http.StatusForbidden && strings.Contains(a.text, "session_required"):
			got = "a person's"
		case a.StatusCode != http.StatusForbidden || !strings.Contains(a.text, "insufficient_scope"):
			got = a.text
		}
		want := "refused"
		switch {
		case slices.Contains(does, o.Name):
			want = "done"
		case slices.Contains(queues, o.Name):
			want = "queued"
		case slices.Contains(persons, o.Name) || o.Session:
			want = "a person's"
		}
		if got != want {
			s.t.Errorf("%s, %s over REST: %s, want %s", who, o.Name, got, want)
		}
	}
	for _, name := range slices.Concat(does, queues, persons, slices.Collect(maps.Keys(finds))) {
		if !seen[name] {
			s.t.Errorf("%s: %s was not tried", who, name)
		}
	}
	s.scopeOverMCP(who, header, tools)
	a := agent.do(http.MethodPost, "/v1/chat/completions", `{"model":"polaris","messages":[{"role":"user","content":"HB 4.2(a)"}]}`, append([]string{"Content-Type", "application/json"}, header...)...)
	if (a.StatusCode == http.StatusOK) != chats || !chats && (a.StatusCode != http.StatusForbidden || !strings.Contains(a.text, "insufficient_scope")) {
		s.t.Errorf("%s at the chat endpoint: %d %s", who, a.StatusCode, a.text)
	}
}

// queue puts two changes into the queue of calliope, one by somebody else and one
// by the owner, for the steps that are about such.
func (w *walker) queue() {
	w.t.Helper()
	w.names["recommendation"], w.names["hash"] = w.s.proposal("reader@example.org")
	w.names["own recommendation"], _ = w.s.proposal(owner)
	for _, text := range []string{"# Two\n\nOnce.\n", "# Two\n\nTwice.\n"} { // a source that has two revisions
		run(w.s, w.s.terminal(), ops.ImportSource, ops.ImportSourceIn{Name: "two.md", Code: "TWO", Data: []byte(text)})
	}
	w.names["two"] = "TWO"
}

func (s *site) terminal() ops.Call {
	return ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: owner}, Brain: "calliope", Via: ops.CLI}
}

// lastChange returns the id of the newest row of a change by somebody at a
// browser.
func (w *walker) lastChange() string {
	w.t.Helper()
	rows := run(w.s, w.s.terminal(), ops.ListAudit, ops.AuditListIn{AuditFilterIn: ops.AuditFilterIn{Operation: "golden_questions.delete", Outcome: "ok"}}).Rows
	if len(rows) == 0 {
		return "none"
	}
	return fmt.Sprint(rows[0].Row.ID)
}

// proposal has a program of somebody's propose a topic card, and returns what
// waits: its id and the hash to decide by.
func (s *site) proposal(email string) (id, hash string) {
	s.t.Helper()
	terminal := s.terminal()
	members := run(s, terminal, ops.ListMembers, ops.Page{}).Members
	i := slices.IndexFunc(members, func(m ops.Member) bool { return m.Email == email })
	by := models.Principal{Kind: models.KindPerson, Person: members[i].PersonID, Actor: email, Brain: "calliope", TokenID: "x", Roles: []models.Role{models.RoleOwner}, Scopes: []models.Scope{models.ScopeWrite}, Authenticated: true}
	in := ops.SaveCardIn{ID: "opening-hours", Label: "Opening hours", Covers: "when we are there", Anchors: []string{"HB 4.2(a)"}}
	_, err := ops.Do(s.t.Context(), s.desk, ops.Call{By: by, Brain: "calliope", Via: ops.REST, Rationale: "Asked every day."}, ops.SaveCard, in)
	q, waits := ops.AsWaiting(err)
	if !waits {
		s.t.Fatalf("a card of %s does not wait: %v", email, err)
	}
	return q.ID, run(s, terminal, ops.GetRecommendation, ops.RecommendationIDIn{ID: q.ID}).Hash
}

// operationAt returns the operation of a route, nil for one by hand.
func operationAt(r string) *ops.Entry {
	for _, known := range restRoutes() {
		if known.method+" "+known.path == r {
			return known.op
		}
	}
	return nil
}

// scopeOverMCP lists the tools, and calls every tool that there is.
func (s *site) scopeOverMCP(who string, header, tools []string) {
	s.t.Helper()
	call := func(message string) *answer {
		return s.browser().do(http.MethodPost, "/v1/mcp", message, append([]string{"Content-Type", "application/json"}, header...)...)
	}
	a := call(toolsList)
	var l struct {
		Result struct {
			Tools []struct{ Name string }
		}
	}
	if a.StatusCode == http.StatusOK {
		a.json(&l)
	} else if a.StatusCode != http.StatusForbidden || !strings.Contains(a.text, "insufficient_scope") {
		s.t.Errorf("%s over MCP: %d %s", who, a.StatusCode, a.text)
	}
	var listed []string
	for _, t := range l.Result.Tools {
		listed = append(listed, t.Name)
	}
	if !slices.Equal(listed, tools) {
		s.t.Errorf("%s is shown the tools %v, want %v", who, listed, tools)
	}
	for _, o := range ops.All().On(ops.Hosted) {
		args := `{}`
		switch o.Name {
		case ops.Answer.Name, ops.Retrieve.Name:
			args = `{"query":"HB 4.2(a)"}`
		case ops.SubmitQuery.Name:
			args = `{"query":"What can you do?"}`
		case ops.PollQuery.Name, ops.GetReport.Name:
			args = `{"job_id":"6f1c2a9e-0000-4000-8000-000000000000"}`
		}
		a := call(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + o.Tool + `","arguments":` + args + `}}`)
		done := a.StatusCode == http.StatusOK && strings.Contains(a.text, `"structuredContent"`)
		if want := slices.Contains(tools, o.Tool); done != want {
			s.t.Errorf("%s calls %s: %d %s", who, o.Tool, a.StatusCode, a.text)
		}
	}
}

// terminalKey makes a key where every scope can be given.
func (s *site) terminalKey(brain models.BrainID, scopes ...models.Scope) string {
	s.t.Helper()
	return run(s, ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: owner}, Brain: brain, Via: ops.CLI}, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "agent", Scopes: scopes}).Secret
}
