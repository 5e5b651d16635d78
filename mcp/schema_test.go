package mcp

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"polaris/ops"
)

func hostedTools(t *testing.T) []*tool {
	t.Helper()
	s, err := newToolset(ops.All().On(ops.Hosted))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.byName) < 4 {
		t.Fatalf("%d tools, want the advisor's four", len(s.byName))
	}
	return slices.SortedFunc(maps.Values(s.byName), func(a, b *tool) int { return strings.Compare(a.Name, b.Name) })
}

// TestSchemasSuitClients holds each schema against what makes large clients
// drop a tool, or a whole list of them.
func TestSchemasSuitClients(t *testing.T) {
	t.Parallel()
	for _, tl := range hostedTools(t) {
		for which, raw := range map[string][]byte{"input": tl.RawInputSchema, "output": tl.RawOutputSchema} {
			var s map[string]any
			if err := json.Unmarshal(raw, &s); err != nil {
				t.Fatalf("%s %s: %v", tl.Name, which, err)
			}
			if s["type"] != "object" || s["properties"] == nil {
				t.Errorf("%s %s: the root is no object with properties: %s", tl.Name, which, raw)
			}
			if which == "input" && s["additionalProperties"] != false {
				t.Errorf("%s input: open to unknown arguments", tl.Name)
			}
			for _, bad := range unsuitable(s) {
				t.Errorf("%s %s: %s", tl.Name, which, bad)
			}
		}
		for _, p := range pinned {
			if bytes.Contains(tl.RawInputSchema, []byte(`"`+p+`"`)) {
				t.Errorf("%s: %s is an argument, and is taken out of every call", tl.Name, p)
			}
		}
	}
	if len(instructions) > longestText {
		t.Errorf("the instructions have %d bytes, at most %d reach a model", len(instructions), longestText)
	}
}

// unsuitable walks a schema and says what some client cannot take.
func unsuitable(s map[string]any) (bad []string) {
	for _, word := range []string{"$ref", "$schema", "$id", "$defs", "anyOf", "allOf", "oneOf", "not", "if", "const"} {
		if _, ok := s[word]; ok {
			bad = append(bad, word)
		}
	}
	if _, ok := s["type"].(string); !ok {
		bad = append(bad, "a type that is not one word")
	}
	for _, holder := range []string{"items", "additionalProperties", "properties"} {
		subs := map[string]any{holder: s[holder]}
		if holder == "properties" {
			subs, _ = s[holder].(map[string]any)
		}
		for name, sub := range subs {
			switch sub := sub.(type) {
			case nil:
			case map[string]any:
				for _, b := range unsuitable(sub) {
					bad = append(bad, name+": "+b)
				}
			default:
				if holder != "additionalProperties" || sub != false {
					bad = append(bad, name+": a subschema that is no object")
				}
			}
		}
	}
	return bad
}

func TestUnsuitableSchemasAreFound(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"type":["object","null"]}`, `{"properties":{}}`, `{"type":"object","anyOf":[]}`, `{"type":"object","$ref":"#"}`,
		`{"type":"object","properties":{"a":true}}`, `{"type":"object","properties":{"a":{"type":"array","items":{"type":["string","null"]}}}}`,
		`{"type":"object","additionalProperties":{}}`, `{"type":"object","additionalProperties":true}`,
	} {
		var s map[string]any
		if err := json.Unmarshal([]byte(raw), &s); err != nil {
			t.Fatal(err)
		}
		if len(unsuitable(s)) == 0 {
			t.Errorf("%s was found suitable", raw)
		}
	}
}

// TestToolSnapshots holds each tool against its file: what clients were told is
// a promise. UPDATE_SNAPSHOTS=1 writes the files anew.
func TestToolSnapshots(t *testing.T) {
	t.Parallel()
	var files []string
	for _, tl := range hostedTools(t) {
		name := filepath.Join("testdata", tl.Name+".json")
		files = append(files, name)
		got := published(t, tl.Tool)
		if os.Getenv("UPDATE_SNAPSHOTS") != "" {
			if err := os.WriteFile(name, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("%v: run with UPDATE_SNAPSHOTS=1 to write it", err)
			continue
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s changed (- file, + now; UPDATE_SNAPSHOTS=1 accepts it):\n%s", name, diff(string(want), string(got)))
		}
	}
	all, _ := filepath.Glob("testdata/*.json")
	for _, f := range all {
		if !slices.Contains(files, f) {
			t.Errorf("%s is of a tool that is gone", f)
		}
	}
}

func published(t *testing.T, tl mcpgo.Tool) []byte {
	t.Helper()
	raw, err := json.Marshal(tl)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(indented(string(raw)) + "\n")
}

// diff shows the lines that only one side has, around a longest common
// subsequence. Schemas are short, so the quadratic table is fine.
func diff(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	common := make([][]int, len(x)+1)
	for i := range common {
		common[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out strings.Builder
	for i, j := 0, 0; i < len(x) || j < len(y); {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && common[i+1][j] >= common[i][j+1]:
			out.WriteString("- " + x[i] + "\n")
			i++
		default:
			out.WriteString("+ " + y[j] + "\n")
			j++
		}
	}
	return out.String()
}

func TestDiff(t *testing.T) {
	t.Parallel()
	if got := diff("a\nb\nc", "a\nx\nc\nd"); got != "- b\n+ x\n+ d\n" {
		t.Errorf("got %q", got)
	}
}

func TestBadToolsAreRefused(t *testing.T) {
	t.Parallel()
	base := *ops.Answer.Entry()
	for what, change := range map[string]func(*ops.Entry){
		"capitals":     func(e *ops.Entry) { e.Tool = "Answer" },
		"a dot":        func(e *ops.Entry) { e.Tool = "a.b" },
		"a long name":  func(e *ops.Entry) { e.Tool = strings.Repeat("a", 49) },
		"a long story": func(e *ops.Entry) { e.Summary = strings.Repeat("a", longestText+1) },
	} {
		e := base
		change(&e)
		if _, err := newToolset(ops.Catalog{&e}); err == nil {
			t.Errorf("a tool with %s was taken", what)
		}
	}
	if _, err := newToolset(ops.Catalog{&base, &base}); err == nil {
		t.Error("two tools of one name were taken")
	}
}
