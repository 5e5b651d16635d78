package clients

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestInspector runs the MCP Inspector on the command line, as docs/clients.md
// has it, in each era.
func TestInspector(t *testing.T) {
	t.Parallel()
	s := polaris(t)
	inspect := func(t *testing.T, via *relay, key string, args ...string) run {
		t.Helper()
		line := documented(t, via.url, key, "npx @modelcontextprotocol/inspector")
		line = line[:len(line)-2] // without its method
		return program{dir: workshop(t), args: slices.Concat([]string{bin(t, "node"), bin(t, "mcp-inspector")}, line, []string{"--format", "json", "--quiet"}, args)}.run(t)
	}
	for era, protocol := range map[string]string{"legacy": "2025-11-25", "auto": "2026-07-28", "modern": "2026-07-28"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			via := newRelay(t, s.url, nil)
			var got sight
			// Strict: it ends with 6 where a schema is one that some client cannot read.
			var list struct {
				Result struct{ Tools []struct{ Name string } }
			}
			into(t, inspect(t, via, s.key, "--protocol-era", era, "--method", "tools/list", "--strict"), &list)
			for _, tool := range list.Result.Tools {
				got.Tools = append(got.Tools, tool.Name)
			}
			call := func(tool, args string) told {
				var r struct{ Result result }
				printed := inspect(t, via, s.key, "--protocol-era", era, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", args)
				if err := json.Unmarshal([]byte(printed.out), &r); err != nil {
					t.Fatalf("%v in %s %s", err, printed.out, printed.err)
				}
				return r.Result.told()
			}
			got.Answer = call("answer", `{"query":"`+question+`"}`)
			got.Failed = call("read_wiki", `{"entity":"Nothing Of That Name"}`)
			got.check(t)
			via.speaks(t, protocol)
		})
		t.Run(era+", bad key", func(t *testing.T) {
			t.Parallel()
			via := newRelay(t, s.url, nil)
			r := inspect(t, via, badKey, "--protocol-era", era, "--method", "tools/list", "--stored-auth-only")
			if r.code == 0 || r.out != "" || !strings.Contains(r.err, "auth_required") {
				t.Errorf("it ends with %d and says %q, %q", r.code, r.out, r.err)
			}
			via.gaveUp(t, 12)
		})
	}
}

// into reads what a program printed as JSON, where it ended well.
func into(t *testing.T, r run, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.out), v); err != nil || r.code != 0 {
		t.Fatalf("it ended with %d, %v\n%s\n%s", r.code, err, r.out, r.err)
	}
}

// A result is that of tools/call, as it is on the wire.
type result struct {
	Content           []struct{ Type, Text string }
	StructuredContent json.RawMessage
	IsError           bool
}

func (r *result) told() told {
	a := told{Structured: r.StructuredContent, IsError: r.IsError}
	for _, c := range r.Content {
		a.Text += c.Text
	}
	return a
}
