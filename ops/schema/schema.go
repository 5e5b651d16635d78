// Package schema describes the inputs and outputs of operations as JSON Schema,
// inferred from their Go types, and holds values against it: one description for
// tools, for REST and for what is published about both.
//
// What a field may be beyond its type stands in a tag beside it,
// `schema:"minimum=1,maximum=200"`, or `schema:"enum=a|b"`; a sentence about it
// in the tag `jsonschema`. A surface that takes JSON checks it here before the
// operation runs, so that what is published is what holds.
package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	checker "github.com/santhosh-tekuri/jsonschema/v6"

	"polaris/models"
)

// A Schema is that of one input or output.
type Schema struct {
	root     *jsonschema.Schema
	raw      json.RawMessage
	compiled *checker.Schema
	sure     bool
}

// Input returns the schema of an operation's input. Members that it does not
// name are refused, so that a mistyped one is noticed.
func Input(t reflect.Type) (*Schema, error) { return of(t, true) }

// Sure reports whether whatever encoding/json makes of a value of the type,
// [Schema.WithoutNulls], fits the schema, so that there is nothing to check.
func (s *Schema) Sure() bool { return s.sure }

// Output returns the schema of an operation's output. It allows further
// members: clients keep a schema for long, and a member that a later release
// adds must not break them.
func Output(t reflect.Type) (*Schema, error) { return of(t, false) }

// JSON returns the schema's text.
func (s *Schema) JSON() json.RawMessage { return s.raw }

// of infers the schema of a type, whose root must be an object.
func of(t reflect.Type, closed bool) (*Schema, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	root, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		return nil, err
	}
	if root.Type != "object" || t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is no object", t)
	}
	if root.Properties == nil {
		root.Properties = map[string]*jsonschema.Schema{} // some clients insist on the member
	}
	if err := bound(root, t, closed); err != nil {
		return nil, err
	}
	tidy(root, closed)
	s := &Schema{root: root, sure: unbounded(root) && plain(t)}
	if s.raw, err = json.Marshal(root); err != nil {
		return nil, err
	}
	s.compiled, err = compile(s.raw)
	return s, err
}

// known are types that say more than their Go kind.
var known = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[[]byte]():          {Type: "string", ContentEncoding: "base64"},
	reflect.TypeFor[json.RawMessage](): {Type: "object"}, // of another operation
	reflect.TypeFor[models.Scope]():    {Type: "string", Enum: values(models.Scopes())},
	reflect.TypeFor[models.Role]():     {Type: "string", Enum: values(models.Roles())},
	reflect.TypeFor[models.Right]():    {Type: "string", Enum: values(models.Rights())},
}

func values[T ~string](all []T) []any {
	vs := make([]any, len(all))
	for i, v := range all {
		vs[i] = string(v)
	}
	return vs
}

// tidy makes an inferred schema one that every large client takes: a single
// type everywhere, and no subschema that is a bare true or false, except that a
// closed object says additionalProperties: false. Nil slices and pointers,
// which the inferred types allow for, never leave as null.
func tidy(s *jsonschema.Schema, closed bool) {
	if len(s.Types) > 0 {
		s.Types = slices.DeleteFunc(s.Types, func(t string) bool { return t == "null" })
		if len(s.Types) == 1 {
			s.Type, s.Types = s.Types[0], nil
		}
	}
	if a := s.AdditionalProperties; a != nil {
		switch {
		case a.Not == nil:
			tidy(a, closed)
		case !closed:
			s.AdditionalProperties = nil
		}
	}
	if s.Items != nil {
		tidy(s.Items, closed)
	}
	for _, p := range s.Properties {
		tidy(p, closed)
	}
}

// bound adds what the tags of t's fields say to its schema. Of an output, what
// may be nil is left out then, so it is not required.
func bound(s *jsonschema.Schema, t reflect.Type, closed bool) error {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
		switch {
		case s == nil:
			return nil
		case s.Items != nil:
			s = s.Items
		case s.AdditionalProperties != nil && t.Kind() != reflect.Pointer:
			s = s.AdditionalProperties
		}
	}
	if t.Kind() != reflect.Struct || s == nil {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := s.Properties[name]
		if name == "" || p == nil {
			continue
		}
		if err := read(p, f.Tag.Get("schema")); err != nil {
			return fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
		if !closed && mayLeave(f.Type) {
			s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
		}
		if err := bound(p, f.Type, closed); err != nil {
			return err
		}
	}
	return nil
}

// read adds what one tag says.
func read(s *jsonschema.Schema, tag string) error {
	if tag == "" {
		return nil
	}
	for part := range strings.SplitSeq(tag, ",") {
		key, value, _ := strings.Cut(part, "=")
		if key == "enum" {
			s.Enum = values(strings.Split(value, "|"))
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("%q has no number", part)
		}
		switch key {
		case "minimum":
			s.Minimum = new(float64(n))
		case "maximum":
			s.Maximum = new(float64(n))
		case "default":
			s.Default = json.RawMessage(value)
		case "minLength":
			s.MinLength = &n
		case "maxLength":
			s.MaxLength = &n
		case "minItems":
			s.MinItems = &n
		case "maxItems":
			s.MaxItems = &n
		default:
			return fmt.Errorf("%q is no bound", key)
		}
	}
	return nil
}

// compile prepares a schema for checking values.
func compile(raw []byte) (*checker.Schema, error) {
	doc, err := checker.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	const here = "mem:///schema.json"
	c := checker.NewCompiler()
	if err := c.AddResource(here, doc); err != nil {
		return nil, err
	}
	return c.Compile(here)
}
