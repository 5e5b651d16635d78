package ops

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"polaris/models/fault"
)

// decode reads an operation's input, strictly: each field once, under its exact
// name. A field that is silently dropped, or that another one silently
// replaces, is a wish that is silently not met.
func decode[In any](raw json.RawMessage) (In, error) {
	var in In
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	if !utf8.Valid(raw) {
		return in, fault.New(fault.Invalid, "The input is not valid UTF-8 text.")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(&in)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("more than one JSON value")
		}
	}
	if err == nil {
		err = exact(json.NewDecoder(bytes.NewReader(raw)), reflect.TypeFor[In]())
	}
	if err == nil {
		return in, nil
	}
	f := fault.New(fault.Invalid, "The input does not fit this operation: %s.", plain(err)).Because(err)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		f.Field = wrong.Field
	}
	return in, f
}

// Decode reads JSON into an In as strictly as an operation's input is read, for
// surfaces whose body is not one operation's.
func Decode[In any](raw []byte) (In, error) { return decode[In](raw) }

// exact reads one value that was decoded into a t already, and refuses what
// encoding/json lets pass: names in another case, and names that are there
// twice. Its depth is that of what was decoded.
func exact(d *json.Decoder, t reflect.Type) error {
	tok, err := d.Token()
	if err != nil {
		return err
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch tok {
	case json.Delim('{'):
		return exactObject(d, t)
	case json.Delim('['):
		var elem reflect.Type
		if t != nil && t.Kind() == reflect.Slice {
			elem = t.Elem()
		}
		for d.More() {
			if err := exact(d, elem); err != nil {
				return err
			}
		}
		_, err = d.Token()
	}
	return err
}

func exactObject(d *json.Decoder, t reflect.Type) error {
	seen := map[string]bool{}
	for d.More() {
		tok, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := tok.(string)
		if seen[name] {
			return errors.New(name + " is given twice")
		}
		seen[name] = true
		var field reflect.Type
		if t != nil && t.Kind() == reflect.Struct {
			var ok bool
			if field, ok = fieldNamed(t, name); !ok {
				return errors.New("unknown field \"" + name + "\"")
			}
		}
		if err := exact(d, field); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// fieldNamed returns the type of the field that JSON calls name.
func fieldNamed(t reflect.Type, name string) (reflect.Type, bool) {
	for f := range t.Fields() {
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			if in, ok := fieldNamed(f.Type, name); ok {
				return in, true
			}
			continue
		}
		if jsonName(f) == name {
			return f.Type, true
		}
	}
	return nil, false
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return f.Name
	}
	return name
}

// ReadObject reads the members of one JSON object, for surfaces that put an
// operation's input together from several places.
func ReadObject(raw []byte) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	if !utf8.Valid(raw) || json.Unmarshal(raw, &m) != nil || m == nil {
		return nil, fault.New(fault.Invalid, "The body is not a JSON object in UTF-8.").WithCode("invalid_json")
	}
	if err := exact(json.NewDecoder(bytes.NewReader(raw)), nil); err != nil {
		return nil, fault.New(fault.Invalid, "The body cannot be used: %s.", plain(err))
	}
	return m, nil
}

// plain says in a caller's words what is wrong with their JSON.
func plain(err error) string {
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrong):
		return cmp.Or(wrong.Field, "it") + " must be " + kindName(wrong.Type) + ", not " + wrong.Value
	case errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF):
		return "it is not valid JSON"
	}
	return trimJSON(err.Error()) // "unknown field "x"", and our own
}

func trimJSON(s string) string { return strings.TrimPrefix(s, "json: ") }

func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a whole number"
}

// checkText refuses an input with a string that is no text. PostgreSQL stores
// neither NUL nor what is not UTF-8, wherever it came from: a path, a form, the
// command line.
func checkText(in any) error {
	at, ok := untext(reflect.ValueOf(in), "")
	if ok {
		return nil
	}
	return fault.Field(at, "%s is not valid text: it must be UTF-8 without NUL characters.", cmp.Or(at, "The input"))
}

// isText reports whether s can be stored.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// untext returns the name of the first field that holds a string that is no
// text; ok where there is none.
func untext(v reflect.Value, at string) (field string, ok bool) {
	switch v.Kind() {
	case reflect.String:
		return at, isText(v.String())
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return at, true
		}
		return untext(v.Elem(), at)
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return at, true // bytes of a document, which its parser judges
		}
		for i := range v.Len() {
			if f, ok := untext(v.Index(i), at); !ok {
				return f, false
			}
		}
	case reflect.Struct:
		for f, fv := range v.Fields() {
			if !f.IsExported() {
				continue
			}
			name := jsonName(f)
			switch {
			case f.Anonymous:
				name = at
			case at != "":
				name = at + "." + name
			}
			if f, ok := untext(fv, name); !ok {
				return f, false
			}
		}
	}
	return at, true
}
