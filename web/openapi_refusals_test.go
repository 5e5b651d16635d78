package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// What the description requires, enumerates and bounds is what is refused, with
// the field's name; what it allows at the bounds is not refused for them.
func TestOpenAPIRefusals(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	w := s.walker(b)
	w.names["answer"], w.names["key"], w.names["article"] = "ans_000000000000", "000000000000", "x"
	tried := 0
	for _, st := range w.steps() {
		method, path, _ := strings.Cut(st.route, " ")
		o := w.at("paths", path, strings.ToLower(method))
		if o == nil || o["x-polaris-class"] == nil {
			continue // by hand: refuses in its own way
		}
		for _, r := range w.wrong(st, o) {
			a := w.do(r.step)
			var p struct{ Field, Code string }
			a.json(&p)
			refused := a.StatusCode == http.StatusBadRequest && p.Field == r.field
			if refused != r.refused {
				t.Errorf("%s %s: %d %s", st.route, r.what, a.StatusCode, a.text)
			}
			if refused {
				w.holds(st.route, a)
			}
			tried++
		}
	}
	t.Logf("%d requests", tried)
	if tried < 150 {
		t.Error("that is too few to have tried every field")
	}
}

// A variant is a request that differs from a good one in one field.
type variant struct {
	step
	what, field string
	refused     bool
}

// wrong returns requests of a step that must be refused, and some that must not.
func (w *walker) wrong(st step, o object) []variant {
	schemas, required := object{}, []any{}
	inBody := o["requestBody"] != nil
	if inBody {
		body := o["requestBody"].(object)["content"].(object)["application/json"].(object)["schema"].(object)
		schemas = body["properties"].(object)
		required, _ = body["required"].([]any)
	}
	for _, p := range list(o["parameters"]) {
		if p["in"] == "query" {
			schemas[p["name"].(string)] = p["schema"]
			if p["required"] == true {
				required = append(required, p["name"])
			}
		}
	}
	var all []variant
	add := func(what, field string, refused bool, v any) {
		all = append(all, variant{w.with(st, inBody, field, v), what + " " + field, field, refused})
	}
	add("unknown", "no_such_field", true, "x")
	add("the tenant in", "brain_id", true, "urania")
	for _, name := range required {
		all = append(all, variant{w.with(st, inBody, name.(string), nil), "without " + name.(string), name.(string), true})
	}
	for name, v := range schemas {
		f, _ := v.(object)
		if slices.Contains(inPath(strings.Split(st.route, " ")[1]), name) {
			continue // repeats the path
		}
		switch f["type"] {
		case "integer":
			add("text as", name, true, "many")
			for bound, by := range map[string]int{"minimum": -1, "maximum": 1} {
				if n, ok := f[bound].(json.Number); ok {
					at, err := n.Int64()
					if err != nil {
						w.t.Fatal(err)
					}
					add("beyond the "+bound+" of", name, true, int(at)+by)
					if !strings.HasPrefix(name, "rate_") { // those two belong together
						add("at the "+bound+" of", name, false, int(at))
					}
				}
			}
		case "string":
			if inBody {
				add("a number as", name, true, 7)
			}
			if n, ok := f["maxLength"].(json.Number); ok {
				most, _ := n.Int64()
				add("too long", name, true, strings.Repeat("x", int(most)+1))
			}
		case "boolean":
			add("text as", name, true, "maybe")
		case "array":
			add("an object as", name, true, object{})
			if items, ok := f["items"].(object); ok && items["enum"] != nil {
				all = append(all, variant{w.with(st, inBody, name, []any{"nonsense"}), "no value of " + name, name + ".0", true})
			}
			if n, ok := f["maxItems"].(json.Number); ok {
				most, _ := n.Int64()
				add("too many", name, true, slices.Repeat([]any{"HB 4.2(a)"}, int(most)+1))
			}
			if f["minItems"] != nil {
				add("none of", name, true, []any{})
			}
		}
	}
	return all
}

// with returns a step whose field has the value, or is left out where it is nil.
func (w *walker) with(st step, inBody bool, field string, v any) step {
	if !inBody {
		q, err := url.ParseQuery(st.query)
		if err != nil {
			w.t.Fatal(err)
		}
		if q.Set(field, fmt.Sprint(v)); v == nil {
			q.Del(field)
		}
		st.query = q.Encode()
		return st
	}
	var body object
	if err := json.Unmarshal([]byte(cmp.Or(st.body, "{}")), &body); err != nil {
		w.t.Fatal(err)
	}
	if body[field] = v; v == nil {
		delete(body, field)
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(body); err != nil {
		w.t.Fatal(err)
	}
	st.body = b.String()
	return st
}
