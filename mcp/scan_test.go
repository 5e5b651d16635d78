package mcp

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"polaris/ops"
	"polaris/ops/schema"
)

// FuzzScan holds our reading of members and elements against encoding/json's.
func FuzzScan(f *testing.F) {
	for _, s := range []string{
		`{}`, ` { "a" : 1 , "b" : [ 2 , {"c":"}\"]"} ] , "a":null } `, `[]`, `[1,-2.5e+3,"x",[[]],{},true , null]`,
		`{"\u0061\n":"\\","":{"":[]},"é":"\ud800"}`, "{\"a\"\t:\r\n0\t}", `"x"`, `12`, `[[[["]"]]]]`, `{"a":{"b":{"c":[{}]}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !json.Valid(b) || !utf8.Valid(b) {
			return
		}
		switch bytes.TrimSpace(b)[0] {
		case '{':
			scanObject(t, b)
		case '[':
			var want, got []json.RawMessage
			if err := json.Unmarshal(b, &want); err != nil {
				t.Fatal(err)
			}
			eachElement(b, func(v json.RawMessage) bool {
				got = append(got, v)
				return true
			})
			if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
				t.Errorf("%s: elements %q, want %q", b, got, want)
			}
		}
	})
}

func scanObject(t *testing.T, b []byte) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	eachMember(b, func(name string, v json.RawMessage) bool {
		key, err := d.Token()
		if err != nil || key != name {
			t.Fatalf("%s: member %q, want %q (%v)", b, name, key, err)
		}
		var want json.RawMessage
		if err := d.Decode(&want); err != nil || !bytes.Equal(v, want) {
			t.Fatalf("%s: %q is %q, want %q (%v)", b, name, v, want, err)
		}
		if want[0] == '"' {
			var s string
			err := json.Unmarshal(want, &s)
			if got, ok := readString(v); !ok || got != s || err != nil {
				t.Fatalf("%s reads as %q, want %q", v, got, s)
			}
		}
		return true
	})
	if d.More() {
		t.Fatalf("%s: not all members were found", b)
	}
}

// every has each thing that a quick can hold.
type every struct {
	S string   `json:"s"`
	N int      `json:"n,omitempty"`
	F float64  `json:"f,omitempty"`
	B bool     `json:"b,omitempty"`
	L []string `json:"l,omitempty"`
	O []struct {
		A string `json:"a"`
		B string `json:"b"`
	} `json:"o,omitempty"`
}

// FuzzQuick: what the quick form of a schema lets pass, the schema does.
func FuzzQuick(f *testing.F) {
	for _, s := range []string{
		`{"s":"x"}`, `{"s":"x","n":1,"f":-2,"b":true,"l":["a","b"],"o":[{"a":"x","b":"y"}]}`, `{"s":1}`, `{}`, `{"n":1.5,"s":""}`, `{"s":"","n":"1"}`,
		`{"s":"","x":1}`, `{"s":"","l":[1]}`, `{"s":"","l":"a"}`, `{"s":"","o":[{"a":"x"}]}`, `{"s":"","o":[{"a":"x","a":"y"}]}`, `{"s":"","o":[{"a":"","b":"","c":""}]}`, `{"s":null}`, `[]`,
	} {
		f.Add([]byte(s))
	}
	in, err := schema.Input(reflect.TypeFor[every]())
	if err != nil {
		f.Fatal(err)
	}
	var root jsonschema.Schema
	if err := json.Unmarshal(in.JSON(), &root); err != nil {
		f.Fatal(err)
	}
	quick := newQuick(&root)
	if quick == nil {
		f.Fatal("the schema has no quick form")
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = bytes.TrimSpace(b)
		if !json.Valid(b) || !quick.fits(b) {
			return
		}
		if misfits, err := in.Check(b); len(misfits) > 0 || err != nil {
			t.Errorf("%s passes, and should not: %v %v", b, misfits, err)
		}
	})
}

// The tools that are called most have a quick schema, and it takes what they are
// called with.
func TestToolsAreQuick(t *testing.T) {
	t.Parallel()
	set, err := newToolset(ops.All().On(ops.Hosted))
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string]string{
		"answer": `{"query":"x","topic_ids":["a","b"]}`, "retrieve": ` {"query": "x"}`, "topic_cards": `{}`, "read_wiki": `{"entity":"x"}`,
	} {
		if q := set.byName[name].quick; q == nil || !q.fits(bytes.TrimSpace([]byte(args))) {
			t.Errorf("%s: %s does not pass quickly", name, args)
		}
	}
}
