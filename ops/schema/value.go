package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	checker "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// A Misfit is one place where a value does not fit its schema.
type Misfit struct {
	Field   string // path to it, "topic_ids.0"; "" for the whole
	Why     string // what is wrong there, to be read behind the field: "is required"
	Unknown bool   // the schema has no such field
}

// Check returns where the JSON value raw does not fit, by field; none where it
// does.
func (s *Schema) Check(raw []byte) ([]Misfit, error) {
	v, err := checker.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	bad, ok := errors.AsType[*checker.ValidationError](s.compiled.Validate(v))
	if !ok {
		return nil, nil
	}
	var all []Misfit
	var walk func(*checker.ValidationError)
	walk = func(e *checker.ValidationError) {
		for _, c := range e.Causes {
			walk(c)
		}
		if len(e.Causes) == 0 {
			all = append(all, misfits(e)...)
		}
	}
	walk(bad)
	slices.SortStableFunc(all, func(a, b Misfit) int { return strings.Compare(a.Field, b.Field) })
	return all, nil
}

var english = message.NewPrinter(language.English)

// misfits says what is wrong at one place. The caller's values are not repeated,
// and their names only in part: an answer is no place to echo what may be long,
// or meant for somebody's page.
func misfits(e *checker.ValidationError) []Misfit {
	at := func(names ...string) string {
		return Clip(strings.Join(append(slices.Clone(e.InstanceLocation), names...), "."))
	}
	var all []Misfit
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			all = append(all, Misfit{Field: at(name), Why: "is required"})
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			all = append(all, Misfit{Field: at(name), Why: "is not known here", Unknown: true})
		}
	case *kind.Type:
		all = append(all, Misfit{Field: at(), Why: "must be " + strings.Join(k.Want, " or ") + ", not " + k.Got})
	default:
		all = append(all, Misfit{Field: at(), Why: "does not fit: " + Clip(k.LocalizedString(english))})
	}
	return all
}

// Clip cuts what a caller wrote to a length that is fit to be repeated to them.
func Clip(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// WithoutNulls returns the output raw without nulls: an absent list is empty,
// and any other absent value is left out.
func (s *Schema) WithoutNulls(raw []byte) ([]byte, error) {
	if !bytes.Contains(raw, []byte("null")) {
		return raw, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil || v == nil {
		return nil, errors.Join(errors.New("an output is no object"), err)
	}
	fill(s.root, v)
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
