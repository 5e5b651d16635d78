package mcp

import (
	"encoding/json"
	"strings"

	"polaris/ops/schema"
)

// pinned are arguments that would name a brain. The credential has named it
// already, so they are taken out whatever they say.
var pinned = []string{"brain_id", "brainId", "tenantId", "tenant_id"}

// arguments returns the arguments of a call without the pinned ones, and why
// they do not fit the tool's schema, or "".
func (t *tool) arguments(raw json.RawMessage) (args json.RawMessage, why string) {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if raw[0] != '{' {
		return nil, "arguments must be an object"
	}
	m, twice := readMembers(raw)
	if twice != "" {
		return nil, schema.Clip(twice) + " is given twice"
	}
	for _, p := range pinned {
		delete(m, p)
	}
	args, _ = json.Marshal(m) // valid JSON throughout, so it marshals
	misfits, err := t.in.Check(args)
	if err != nil {
		return nil, "arguments cannot be read"
	}
	return args, explain(misfits)
}

// explain says which fields do not fit a schema, and why; "" where all do.
func explain(all []schema.Misfit) string {
	var lines []string
	for _, m := range all {
		why := m.Why
		if m.Unknown {
			why = "is not an argument of this tool"
		}
		lines = append(lines, strings.TrimSpace(m.Field+" "+why))
	}
	const most = 5
	if len(lines) > most {
		lines = append(lines[:most], "and more")
	}
	return strings.Join(lines, "; ")
}
