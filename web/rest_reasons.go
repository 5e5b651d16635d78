package web

import (
	"encoding/json"
	"reflect"

	"polaris/models/fault"
	"polaris/ops"
)

// What a proposal says for itself stands beside the input, in the body or, where
// there is none, in the query, which has no evidence. It is no part of the input: whoever decides is
// shown both.
const (
	reasonField     = "rationale"
	evidenceField   = "evidence"
	supersedesField = "supersedes"
)

// argues reports whether the operation can wait for a second person, who is to
// be told why.
func (r route) argues() bool { return r.op.Queues() || r.op.Name == ops.UndoChange.Name }

// reasons takes what the proposal says for itself out of the fields.
func (r route) reasons(fields map[string]json.RawMessage, call *ops.Call) error {
	if !r.argues() {
		return nil
	}
	for name, into := range map[string]any{reasonField: &call.Rationale, supersedesField: &call.Supersedes, evidenceField: &call.Evidence} {
		raw, said := fields[name]
		if !said || name == evidenceField && !r.hasBody() || kindOf(r.op.In, name) != reflect.Invalid {
			continue
		}
		if string(raw) == "null" || json.Unmarshal(raw, into) != nil {
			kind := "a string"
			if name == evidenceField {
				kind = "a list of strings"
			}
			return fault.Field(name, "%s must be %s.", name, kind)
		}
		delete(fields, name)
	}
	return nil
}

// reasonSchemas describe the same.
func (r route) reasonSchemas() object {
	if !r.argues() {
		return nil
	}
	all := object{
		reasonField:     object{"type": "string", "description": "why, for whoever decides; at most 4,000 bytes"},
		supersedesField: object{"type": "string", "description": "the pending recommendation that this one takes the place of"},
	}
	if r.hasBody() {
		all[evidenceField] = object{"type": "array", "items": object{"type": "string"}, "description": "answers, citation keys or addresses that it stands on, at most 20"}
	}
	return all
}
