package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"polaris/models/fault"
)

// deepest is how far a body may nest: far beyond any tool's schema, and little
// enough to be looked at without fear.
const deepest = 100

// object reads a body that holds one JSON object, each name in it once: of a
// name that is there twice, another reader may see the other value.
func object(raw []byte) (map[string]json.RawMessage, error) {
	if !utf8.Valid(raw) {
		return nil, notJSON
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // how large a number may be is each field's own affair
	if err := plain(d); err != nil {
		return nil, err
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil || m == nil {
		return nil, notJSON
	}
	return m, nil
}

var notJSON = fault.New(fault.Invalid, "The body could not be read: send one JSON object in UTF-8.").WithCode("invalid_json")

// A place is one open object or array on the way to where the reader is.
type place struct {
	seen map[string]bool // names so far; nil in an array
	name string          // of the member that is read, or none yet
	n    int             // of the element that is read
	key  bool            // the next token is a name
}

// plain reads all tokens of one value, and refuses names that are there twice
// and values that nest too deeply.
func plain(d *json.Decoder) error {
	var at []*place
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) && len(at) == 0 {
			return nil // what came before may still be no value, or more than one
		}
		if err != nil {
			return notJSON
		}
		var in *place
		if len(at) > 0 {
			in = at[len(at)-1]
		}
		if name, ok := tok.(string); ok && in != nil && in.key {
			if in.name, in.key = name, false; in.seen[name] {
				return wrong(pathOf(at), "duplicate_parameter", "%s is given twice.", quoted(pathOf(at)))
			}
			in.seen[name] = true
			continue
		}
		switch tok {
		case json.Delim('{'):
			at = append(at, &place{seen: map[string]bool{}, key: true})
		case json.Delim('['):
			at = append(at, &place{})
		case json.Delim('}'), json.Delim(']'):
			at = at[:len(at)-1]
			fallthrough
		default:
			if len(at) > 0 { // a value has ended
				in = at[len(at)-1]
				in.n, in.key = in.n+1, in.seen != nil
			}
		}
		if len(at) > deepest {
			first := pathOf(at[:1])
			return wrong(first, "invalid_value", "%s nests more than %d levels deep.", quoted(first), deepest)
		}
	}
}

// pathOf names a place as OpenAI's errors do: messages[2].content.
func pathOf(at []*place) string {
	var b []byte
	for _, p := range at {
		switch {
		case p.seen == nil:
			b = strconv.AppendInt(append(b, '['), int64(p.n), 10)
			b = append(b, ']')
		case len(b) > 0:
			b = append(append(b, '.'), p.name...)
		default:
			b = append(b, p.name...)
		}
	}
	return string(b)
}

// wrong blames a field. Parts of its name may be a caller's own.
func wrong(field, code, format string, args ...any) *fault.Error {
	const most = 200
	if len(field) > most {
		field = strings.ToValidUTF8(field[:most], "") + "…"
	}
	return fault.Field(field, format, args...).WithCode(code)
}

// A kind is what a JSON value is.
type kind string

// The kinds, as messages say them.
const (
	aString  kind = "a string"
	aNumber  kind = "a number"
	aBoolean kind = "true or false"
	anArray  kind = "a list"
	anObject kind = "an object"
	aNull    kind = "null"
)

// kindOf returns what a valid JSON value is.
func kindOf(raw json.RawMessage) kind {
	switch raw[0] {
	case '"':
		return aString
	case 't', 'f':
		return aBoolean
	case '[':
		return anArray
	case '{':
		return anObject
	case 'n':
		return aNull
	}
	return aNumber
}

// as reads a value that must be of the type T, which is a kind in JSON.
func as[T any](raw json.RawMessage, field string, want kind) (v T, err error) {
	if got := kindOf(raw); got != want {
		return v, wrong(field, "invalid_type", "%s must be %s, not %s.", quoted(field), want, got)
	}
	if json.Unmarshal(raw, &v) != nil { // a number that is no whole one, or too large
		return v, wrong(field, "invalid_value", "%s cannot be read.", quoted(field))
	}
	return v, nil
}
