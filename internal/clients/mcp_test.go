package clients

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"polaris/models"
)

// A sight is what an MCP client saw.
type sight struct {
	Tools  []string
	Answer told
	Failed told // of an article that there is none of
	Error  string
}

// A told is a tool's result, in both its channels.
type told struct {
	Text       string
	Structured json.RawMessage
	IsError    bool
}

// scripts are the clients that scripts drive: what they were told to do, the
// revision of the protocol that they then speak, and what their users are told
// of a key that does not hold.
var scripts = []struct {
	name     string
	args     []string
	protocol string
	refused  string
}{
	{"typescript sdk v1", []string{"sdk-v1.mjs"}, "2025-11-25", "invalid_api_key"},
	{"typescript sdk v2, legacy", []string{"sdk-v2.mjs", "legacy"}, "2025-11-25", "invalid_api_key"},
	{"typescript sdk v2, auto", []string{"sdk-v2.mjs", "auto"}, "2026-07-28", "requires authorization (HTTP 401)"},
	{"typescript sdk v2, pinned", []string{"sdk-v2.mjs", "2026-07-28"}, "2026-07-28", "requires authorization (HTTP 401)"},
	{"langchain mcp adapters", []string{"langchain-mcp.mjs"}, "2025-11-25", "invalid_api_key"},
}

func TestScripts(t *testing.T) {
	t.Parallel()
	s := polaris(t)
	for _, c := range scripts {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got sight
			via := newRelay(t, s.url, nil)
			r := script(t, &got, via.url+"/v1/mcp", s.key, c.args[0], c.args[1:]...)
			if got.Error != "" {
				t.Fatalf("%s\n%s", got.Error, r.err)
			}
			got.check(t)
			via.speaks(t, c.protocol)
			t.Logf("%s, %d requests", r.took.Round(time.Millisecond), len(via.passed()))
		})
		t.Run(c.name+", bad key", func(t *testing.T) {
			t.Parallel()
			var got sight
			via := newRelay(t, s.url, nil)
			r := script(t, &got, via.url+"/v1/mcp", badKey, c.args[0], c.args[1:]...)
			if !strings.Contains(got.Error, c.refused) || got.Tools != nil {
				t.Errorf("the user is told %q, want %q", got.Error, c.refused)
			}
			via.gaveUp(t, 3)
			t.Logf("%s, %d requests: %s", r.took.Round(time.Millisecond), len(via.passed()), got.Error)
		})
	}
}

// badKey has the form of a key, and is none.
const badKey = "sk-polaris-0000000000000000-0000000000000000000000000000000000000000000"

// check: the tools are those of the key, and both channels hold the answer.
func (s *sight) check(t *testing.T) {
	t.Helper()
	slices.Sort(s.Tools)
	if !slices.Equal(s.Tools, tools) {
		t.Errorf("it lists %q, want %q", s.Tools, tools)
	}
	s.Answer.check(t)
	if !s.Failed.IsError || !strings.Contains(s.Failed.Text, "Nothing Of That Name") || len(s.Failed.Structured) > 0 {
		t.Errorf("an unknown article is %+v, want an error that names it", s.Failed)
	}
}

// check: each channel holds the whole answer, every sentence of it quoted.
func (a told) check(t *testing.T) {
	t.Helper()
	a.checkText(t)
	var e models.Envelope
	if err := json.Unmarshal(a.Structured, &e); err != nil {
		t.Fatalf("structured content %s: %v", a.Structured, err)
	}
	if a.IsError || e.Guardrail.Status != models.GuardrailPass || !strings.Contains(e.Result, saying) || len(e.Citations) == 0 {
		t.Errorf("the answer is %+v", e)
	}
	for _, c := range e.Citations {
		if c.Quote == "" || !strings.Contains(flat(a.Text), flat(c.Quote)) {
			t.Errorf("the text lacks the quote %q:\n%s", c.Quote, a.Text)
		}
	}
}

// checkText: what clients that know no structured content show their model.
func (a told) checkText(t *testing.T) {
	t.Helper()
	for _, has := range []string{saying, "## Sources", "**Lending Handbook** (4.1(a))"} {
		if !strings.Contains(a.Text, has) {
			t.Errorf("the text lacks %q:\n%s", has, a.Text)
		}
	}
}

// flat is s on one line: a quote may be wrapped or indented where it is shown.
func flat(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, ">", " ")), " ") }

// speaks: whatever passed was of one era, and nothing was refused.
func (r *relay) speaks(t *testing.T, protocol string) {
	t.Helper()
	tells := 0
	for _, p := range r.passed() {
		if v := p.header.Get("Mcp-Protocol-Version"); v == protocol {
			tells++
		} else if v != "" {
			t.Errorf("a %s says %q, want %q", p.method, v, protocol)
		}
		if p.status >= 400 && (p.method != http.MethodGet || p.status != http.StatusMethodNotAllowed) {
			t.Errorf("%s %s is answered %d", p.method, p.path, p.status)
		}
	}
	if tells < 2 {
		t.Errorf("%d requests name the protocol %s", tells, protocol)
	}
}

// gaveUp: the client did not try again and again, and nothing that it looked
// for beside the endpoint was there to mislead it.
func (r *relay) gaveUp(t *testing.T, atMost int) {
	t.Helper()
	all := r.passed()
	if len(all) == 0 || len(all) > atMost {
		t.Errorf("%d requests, want at most %d: %v", len(all), atMost, all)
	}
	for _, p := range all {
		if p.path == "/v1/mcp" && p.status != http.StatusUnauthorized && p.method == http.MethodPost || p.path != "/v1/mcp" && p.status != http.StatusNotFound {
			t.Errorf("%s %s is answered %d", p.method, p.path, p.status)
		}
	}
}
