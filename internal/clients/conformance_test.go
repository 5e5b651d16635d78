package clients

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"polaris/internal/wiretest"
	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
)

// notOffered says which checks of the official suite fail, as
// scenario/check, and why each may: it needs a feature that Polaris does not
// have. A failure that is not here fails the test, and so does a line that no
// longer fails.
var notOffered = map[string][]string{
	"No prompts: what a curator has to say to agents is in topic cards.": {
		"prompts-list/prompts-list", "prompts-get-simple/prompts-get-simple", "prompts-get-with-args/prompts-get-with-args",
		"prompts-get-embedded-resource/prompts-get-embedded-resource", "prompts-get-with-image/prompts-get-with-image",
		"caching/sep-2549-prompts-list-caching-hints", "input-required-result-non-tool-request/sep-2322-non-tool-incomplete",
	},
	"No resources: read_wiki and retrieve give what is published, by the key's rights.": {
		"resources-list/resources-list", "resources-read-text/resources-read-text", "resources-read-binary/resources-read-binary",
		"resources-templates-read/resources-templates-read",
		"caching/sep-2549-resources-list-caching-hints", "caching/sep-2549-resources-templates-list-caching-hints",
	},
	"No subscriptions: nothing is sent that was not asked for, and no session is kept to send it in.": {
		"resources-subscribe/resources-subscribe", "resources-unsubscribe/resources-unsubscribe",
	},
	"No completion: there is nothing that it would complete.": {
		"completion-complete/completion-complete",
	},
	"No log messages and no progress: an answer is one JSON document, never a stream of events.": {
		"logging-set-level/logging-set-level", "tools-call-with-logging/tools-call-with-logging", "tools-call-with-progress/tools-call-with-progress",
	},
	"No request to the client (sampling, elicitation, roots): what a person must decide waits in a queue.": {
		"tools-call-sampling/tools-call-sampling", "tools-call-elicitation/tools-call-elicitation",
		"elicitation-sep1034-defaults/elicitation-sep1034-general", "elicitation-sep1330-enums/elicitation-sep1330-general",
		"input-required-result-basic-elicitation/sep-2322-elicitation-incomplete", "input-required-result-basic-sampling/sep-2322-sampling-incomplete",
		"input-required-result-basic-list-roots/sep-2322-list-roots-incomplete", "input-required-result-request-state/sep-2322-request-state-incomplete",
		"input-required-result-multiple-input-requests/sep-2322-multiple-inputs-incomplete", "input-required-result-multi-round/sep-2322-multi-round-r1",
		"input-required-result-result-type/sep-2322-result-type-included", "input-required-result-tampered-state/sep-2322-reject-tampered-state",
		"input-required-result-capability-check/sep-2322-respect-client-capabilities",
		"server-stateless/sep-2575-server-rejects-undeclared-capability", "server-stateless/sep-2575-missing-capability-http-400",
		"server-stateless/sep-2575-http-server-no-independent-requests-on-stream",
	},
	"No arguments in headers (x-mcp-header): they are read from the message alone.": {
		"http-custom-header-server-validation/sep-2243-server-no-xmcp-tool", "http-custom-header-server-validation/sep-2243-server-decode-base64",
		"http-custom-header-server-validation/sep-2243-server-validate-param-match", "http-custom-header-server-validation/sep-2243-server-reject-invalid-param-chars",
		"http-custom-header-server-validation/sep-2243-server-reject-param-mismatch",
	},
	"No $schema, $defs or $ref in a tool's schema: there are clients that drop such a tool.": {
		"json-schema-2020-12/json-schema-2020-12-tool-found",
	},
}

// TestConformance runs the official suite against the endpoint: the release,
// and what is to be the next one, which knows the later era.
func TestConformance(t *testing.T) {
	t.Parallel()
	w := wiretest.NewWorld(t, func(_ testing.TB, _ *wiretest.World, hosted http.Handler) http.Handler { return hosted }, wiretest.Options{Tools: fixtures()})
	why := map[string]string{}
	for reason, checks := range notOffered {
		for _, c := range checks {
			why[c] = reason
		}
	}
	failed := map[string]bool{}
	for _, c := range []struct {
		suite    string
		args     []string
		passes   int // at least: a suite that runs nothing proves nothing
		failures int // at most
	}{
		{"@modelcontextprotocol/conformance", nil, 11, 19},
		{"conformance-next", []string{"--spec-version", "2025-11-25"}, 40, 19},
		{"conformance-next", []string{"--spec-version", "2026-07-28", "--suite", "all"}, 80, 33},
	} {
		t.Run(strings.Join(append([]string{c.suite}, c.args...), " "), func(t *testing.T) {
			via := newRelay(t, w.URL, http.Header{"Authorization": {"Bearer " + w.Keys["reader"]}})
			checks := runSuite(t, c.suite, via.url+"/v1/mcp", c.args)
			passes, failures := 0, 0
			for name, check := range checks {
				switch check.Status {
				case "SUCCESS":
					passes++
					if why[name] != "" {
						t.Errorf("%s passes: it is no longer an expected failure", name)
					}
				case "FAILURE":
					failures++
					failed[name] = true
					if why[name] == "" {
						t.Errorf("%s: %s", name, check.ErrorMessage)
					}
				case "WARNING":
					t.Logf("%s only warns: %s", name, check.ErrorMessage)
				}
			}
			t.Logf("%d checks pass, %d fail as expected", passes, failures)
			if passes < c.passes || failures > c.failures {
				t.Errorf("%d pass and %d fail, want at least %d and at most %d", passes, failures, c.passes, c.failures)
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(why)) {
		if !failed[name] {
			t.Errorf("no suite has %s fail: it is no longer an expected failure", name)
		}
	}
}

// A check is one statement of the suite.
type check struct{ ID, Status, ErrorMessage string }

// runSuite returns the checks of a run, as scenario/check. A scenario may make
// the same check often; the worst of them counts.
func runSuite(t *testing.T, suite, url string, args []string) map[string]check {
	t.Helper()
	dir, home := t.TempDir(), workshop(t)
	r := program{
		dir: home, limit: 2 * time.Minute,
		args: append([]string{bin(t, "node"), filepath.Join(home, "node_modules", suite, "dist/index.js"), "server", "--url", url, "-o", dir}, args...),
	}.run(t)
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no checks, %v\n%s\n%s", err, r.out, r.err)
	}
	all := map[string]check{}
	worst := []string{"", "INFO", "SUCCESS", "SKIPPED", "WARNING", "FAILURE"}
	for _, f := range files {
		m := regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT`).FindStringSubmatch(filepath.Base(filepath.Dir(f)))
		raw, err := os.ReadFile(f)
		if err != nil || m == nil {
			t.Fatalf("%s: %v", f, err)
		}
		var checks []check
		if err := json.Unmarshal(raw, &checks); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for _, c := range checks {
			name := m[1] + "/" + c.ID
			if slices.Index(worst, c.Status) > slices.Index(worst, all[name].Status) {
				all[name] = c
			}
		}
	}
	return all
}

// fixtures are the tools that the suite calls, as far as Polaris can have such
// tools: they are operations, so they go through the same front.
func fixtures() ops.Catalog {
	tool := func(name string, run func() (said, error)) *ops.Entry {
		o := &ops.Op[struct{}, said]{
			Name: "test." + name, Tool: name, Title: name, Summary: "Of the conformance suite.",
			Class: ops.Read, Needs: models.MayAsk, Offered: ops.Hosted,
			Run: func(context.Context, *ops.Env, struct{}) (said, error) { return run() },
		}
		return o.Entry()
	}
	says := func(name string, blocks ...mcpgo.Content) *ops.Entry {
		return tool(name, func() (said, error) { return said{name, blocks}, nil })
	}
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
	resource := func(uri, kind, text string) mcpgo.Content {
		return mcpgo.NewEmbeddedResource(mcpgo.TextResourceContents{URI: uri, MIMEType: kind, Text: text})
	}
	return ops.Catalog{
		says("test_simple_text", mcpgo.NewTextContent("This is a simple text response for testing.")),
		says("test_image_content", mcpgo.NewImageContent(png, "image/png")),
		says("test_audio_content", mcpgo.NewAudioContent(wav, "audio/wav")),
		says("test_embedded_resource", resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
		says("test_multiple_content_types", mcpgo.NewTextContent("Multiple content types test:"), mcpgo.NewImageContent(png, "image/png"),
			resource("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)),
		says("test_logging_tool", mcpgo.NewTextContent("This logged nothing to the client.")),
		tool("test_error_handling", func() (said, error) {
			return said{}, &fault.Error{Kind: fault.Invalid, Code: "of_the_suite", Message: "This tool intentionally returns an error for testing"}
		}),
	}
}

// A said is the output of a fixture.
type said struct {
	Name   string `json:"name"`
	blocks []mcpgo.Content
}

// Blocks are the content as the suite wants to see it.
func (s said) Blocks() []mcpgo.Content { return s.blocks }
