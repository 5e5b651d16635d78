package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	checker "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
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
		return nil, clip(twice) + " is given twice"
	}
	for _, p := range pinned {
		delete(m, p)
	}
	args, _ = json.Marshal(m) // valid JSON throughout, so it marshals
	v, err := checker.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return nil, "arguments cannot be read"
	}
	return args, explain(t.in.Validate(v))
}

var english = message.NewPrinter(language.English)

// explain says which fields do not fit a schema, and why; "" for no error.
func explain(err error) string {
	bad, ok := errors.AsType[*checker.ValidationError](err)
	if !ok {
		return ""
	}
	var all []string
	var walk func(*checker.ValidationError)
	walk = func(e *checker.ValidationError) {
		for _, c := range e.Causes {
			walk(c)
		}
		if len(e.Causes) == 0 {
			all = append(all, explainOne(e)...)
		}
	}
	walk(bad)
	slices.Sort(all)
	const most = 5
	if len(all) > most {
		all = append(all[:most], "and more")
	}
	return strings.Join(all, "; ")
}

// explainOne says what is wrong at one place. The caller's values are not
// repeated, and their names only in part: an answer is no place to echo what
// may be long, or meant for somebody's page.
func explainOne(e *checker.ValidationError) []string {
	at := func(names ...string) string {
		return clip(strings.Join(append(slices.Clone(e.InstanceLocation), names...), "."))
	}
	var all []string
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			all = append(all, at(name)+" is required")
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			all = append(all, at(name)+" is not an argument of this tool")
		}
	case *kind.Type:
		all = append(all, at()+" must be "+strings.Join(k.Want, " or ")+", not "+k.Got)
	default:
		all = append(all, at()+": "+clip(k.LocalizedString(english)))
	}
	return all
}
