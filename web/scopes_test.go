package web

import (
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
	key, token   []string // operations that are done over REST
	queues       []string // by token: that wait for a second person
	tools        []string
	chats        bool // the OpenAI-compatible endpoint answers
	terminalOnly bool
}{
	{
		scope: models.ScopeAdvisorRead,
		key:   []string{"me", "answer", "retrieve", "topic_cards", "read_wiki", "answers.get"},
		token: []string{"me", "answer", "retrieve", "topic_cards", "read_wiki", "answers.get", "brains.show", "brains.list"},
		tools: []string{"answer", "read_wiki", "retrieve", "topic_cards"},
		chats: true,
	},
	{scope: models.ScopeResearchRun, key: []string{"me"}, token: []string{"me", "brains.list"}},
	{
		scope: models.ScopeInvoke,
		key:   []string{"me"},
		token: []string{"me", "brains.list", "sources.list", "sources.get", "passages.get", "topic_cards.list", "topic_cards.get", "versions.list", "versions.get", "answers.list"},
	},
	{
		scope:  models.ScopeWrite,
		key:    []string{"me"},
		token:  []string{"me", "brains.list", "api_keys.list", "api_keys.get", "members.list"},
		queues: []string{"sources.import", "topic_cards.save", "topic_cards.delete", "versions.publish", "api_keys.create", "api_keys.update", "api_keys.rotate", "api_keys.revoke", "members.remove"},
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
		s.scope(b, "key with "+string(row.scope), key, row.key, nil, row.tools, row.chats)
		if row.terminalOnly {
			a := b.auth(http.MethodPost, "token", `{"brain_id":"calliope","scopes":["`+string(row.scope)+`"]}`)
			if a.StatusCode < 400 {
				t.Errorf("a token was given %s: %s", row.scope, a.text)
			}
			continue
		}
		s.scope(b, "token with "+string(row.scope), b.scopedToken("calliope", row.scope), row.token, row.queues, row.tools, row.chats)
	}
}

// scope tries everything with one credential.
func (s *site) scope(owner *browser, who, credential string, does, queues, tools []string, chats bool) {
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
		case a.StatusCode < 300:
			got = "done"
		case a.StatusCode == http.StatusConflict && strings.Contains(a.text, "four_eyes_required"):
			got = "queued"
		case a.StatusCode != http.StatusForbidden || !strings.Contains(a.text, "insufficient_scope"):
			got = a.text
		}
		want := "refused"
		if slices.Contains(does, o.Name) {
			want = "done"
		} else if slices.Contains(queues, o.Name) {
			want = "queued"
		}
		if got != want {
			s.t.Errorf("%s, %s over REST: %s, want %s", who, o.Name, got, want)
		}
	}
	for _, name := range slices.Concat(does, queues) {
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
		if o.Name == ops.Answer.Name || o.Name == ops.Retrieve.Name {
			args = `{"query":"HB 4.2(a)"}`
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
