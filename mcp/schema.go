package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	checker "github.com/santhosh-tekuri/jsonschema/v6"
)

// A shape is an output's schema, kept to read values by.
type shape jsonschema.Schema

// inputSchema returns the published schema of a tool's arguments. Arguments
// that it does not name are refused, so that a mistyped one is noticed.
func inputSchema(t reflect.Type) (json.RawMessage, error) {
	s, err := schemaOf(t)
	if err != nil {
		return nil, err
	}
	tidy(s, true)
	return json.Marshal(s)
}

// outputSchema returns the published schema of a tool's structured content.
// It allows further members: clients keep a tool's schema for long, and a
// member that a later release adds must not break them.
func outputSchema(t reflect.Type) (json.RawMessage, *shape, error) {
	s, err := schemaOf(t)
	if err != nil {
		return nil, nil, err
	}
	tidy(s, false)
	raw, err := json.Marshal(s)
	return raw, (*shape)(s), err
}

// schemaOf infers the schema of a type, whose root must be an object.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{})
	if err != nil {
		return nil, err
	}
	if s.Type != "object" || t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is no object", t)
	}
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{} // some clients insist on the member
	}
	return s, nil
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

// withoutNulls returns the output raw without nulls: an absent list is empty,
// and any other absent value is left out.
func (s *shape) withoutNulls(raw []byte) ([]byte, error) {
	if !bytes.Contains(raw, []byte("null")) {
		return raw, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil || v == nil {
		return nil, errors.Join(errors.New("an output is no object"), err)
	}
	fill((*jsonschema.Schema)(s), v)
	return json.Marshal(v)
}

func fill(s *jsonschema.Schema, v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if s != nil {
				fill(s.Items, e)
			}
		}
	case map[string]any:
		for name, e := range v {
			var p *jsonschema.Schema
			if s != nil {
				if p = s.Properties[name]; p == nil {
					p = s.AdditionalProperties
				}
			}
			switch {
			case e != nil:
				fill(p, e)
			case p != nil && p.Type == "array":
				v[name] = []any{}
			default:
				delete(v, name)
			}
		}
	}
}

func indented(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
