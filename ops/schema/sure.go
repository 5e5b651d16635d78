package schema

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Most outputs are plain structs: encoding/json can write nothing of them that
// their inferred schema does not allow. What is told apart here is the rest,
// which must be checked each time: types that write their own JSON, values of
// any type, and bounds that a Go type does not have.

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	timeType      = reflect.TypeFor[time.Time]()
)

// plain reports whether encoding/json writes t by its fields alone.
func plain(t reflect.Type) bool {
	if t == timeType {
		return true
	}
	if p := reflect.PointerTo(t); p.Implements(marshaler) || p.Implements(textMarshaler) {
		return false
	}
	switch t.Kind() {
	case reflect.Interface:
		return false
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return plain(t.Elem())
	case reflect.Map:
		return plain(t.Key()) && plain(t.Elem())
	case reflect.Struct:
		// There are no cycles: the schema could not have been inferred.
		return !slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
			tag := strings.Split(f.Tag.Get("json"), ",")
			seen := tag[0] != "-" && (f.IsExported() || f.Anonymous)
			return seen && (slices.Contains(tag[1:], "string") || !plain(f.Type))
		})
	default:
		return true
	}
}

// unbounded reports whether s says nothing but types, and what must be there.
func unbounded(s *jsonschema.Schema) bool {
	if s == nil {
		return true
	}
	if s.Enum != nil || s.Minimum != nil || s.Maximum != nil || s.MinLength != nil || s.MaxLength != nil || s.MinItems != nil || s.MaxItems != nil || s.Pattern != "" {
		return false
	}
	for _, p := range s.Properties {
		if !unbounded(p) {
			return false
		}
	}
	return unbounded(s.Items) && unbounded(s.AdditionalProperties)
}

// mayLeave reports whether a nil value of t is left out of an output. A nil
// list is not: it is empty.
func mayLeave(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map:
		return true
	default:
		return t == reflect.TypeFor[[]byte]()
	}
}
