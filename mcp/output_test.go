package mcp_test

import (
	"bytes"
	"testing"

	checker "github.com/santhosh-tekuri/jsonschema/v6"

	"polaris/cmd/bb/demo"
	"polaris/internal/wiretest"
)

// TestOutputsFitTheirSchemas holds real results against the schemas that the
// same server publishes, as clients do.
func TestOutputsFitTheirSchemas(t *testing.T) {
	t.Parallel()
	for _, publish := range []bool{true, false} {
		w := wiretest.NewWorld(t, alone, wiretest.Options{Published: publish})
		schemas := map[string]*checker.Schema{}
		for _, tool := range w.Tools(t, "reader") {
			schemas[tool.Name] = compiled(t, tool.OutputSchema)
		}
		calls := map[string][]map[string]any{"topic_cards": {{}}, "read_wiki": {{}}}
		questions := demo.Examples().Unanswerable
		for _, q := range demo.Examples().Answerable {
			questions = append(questions, q.Text)
		}
		for _, q := range append(questions, "x", "HB 1", "§§§", "\u202e") {
			for _, tool := range []string{"answer", "retrieve"} {
				calls[tool] = append(calls[tool], map[string]any{"query": q}, map[string]any{"query": q, "topic_ids": []string{demo.Cards()[0].ID, "none", demo.Cards()[1].ID}})
			}
		}
		for tool, all := range calls {
			for _, args := range all {
				r := w.Do(t, wiretest.Row{Body: wiretest.Call(1, tool, args)}).Result(t)
				v, err := checker.UnmarshalJSON(bytes.NewReader(r.Data))
				if err != nil || r.IsError {
					t.Fatalf("%s %v: %v %+v", tool, args, err, r)
				}
				if err := schemas[tool].Validate(v); err != nil {
					t.Errorf("%s %v: %v", tool, args, err)
				}
				if bytes.Contains(r.Data, []byte(":null")) {
					t.Errorf("%s %v: a null in %s", tool, args, r.Data)
				}
				if len(r.Data) > 100<<10 || len(r.Content[0].Text) > 30<<10 {
					t.Errorf("%s %v: %d bytes, %d of text", tool, args, len(r.Data), len(r.Content[0].Text))
				}
			}
		}
	}
}

func compiled(t *testing.T, raw []byte) *checker.Schema {
	t.Helper()
	doc, err := checker.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := checker.NewCompiler()
	if err := c.AddResource("mem:///x.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///x.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}
