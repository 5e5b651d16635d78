package mcp

import (
	"encoding/json"
	"slices"
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
	names, pins, twice := make([]string, 0, 8), 0, ""
	eachMember(raw, func(name string, _ json.RawMessage) bool {
		if slices.Contains(names, name) {
			twice = name
		}
		if names = append(names, name); slices.Contains(pinned, name) {
			pins++
		}
		return len(names) < maxArguments
	})
	switch {
	case twice != "":
		return nil, schema.Clip(twice) + " is given twice"
	case len(names) == maxArguments:
		return nil, "there are more arguments than any tool takes"
	case pins > 0:
		raw = withoutPinned(raw)
	}
	if t.quick != nil && t.quick.fits(raw) {
		return raw, ""
	}
	misfits, err := t.in.Check(raw)
	if err != nil {
		return nil, "arguments cannot be read"
	}
	return raw, explain(misfits)
}

// maxArguments bounds how many arguments are looked at. No tool has a tenth of
// it.
const maxArguments = 1000

func withoutPinned(raw json.RawMessage) json.RawMessage {
	m, _ := readMembers(raw)
	for _, p := range pinned {
		delete(m, p)
	}
	raw, _ = json.Marshal(m) // valid JSON throughout, so it marshals
	return raw
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
