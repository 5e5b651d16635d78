package ops_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// Whatever field of whatever operation holds what is no text, the caller is
// told, and the database is never asked to store it.
func TestEveryOperationRefusesWhatIsNoText(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	for _, o := range ops.All().On(ops.CLI) {
		var in map[string]any
		if err := json.Unmarshal([]byte(inputs(ids{"s", "c", "k", "a", ada, "r", "w", "imp", "j"})[o.Name]), &in); err != nil {
			t.Fatalf("%s: %v", o.Name, err)
		}
		for field, v := range in {
			if _, isText := v.(string); !isText || field == "data" {
				continue
			}
			in[field] = "a\x00b"
			raw, _ := json.Marshal(in)
			call := c
			if o.Session {
				call.Visit = &ops.Visit{} // past who may, to what they sent
			}
			if _, err := d.Invoke(context.Background(), call, o, raw); fault.Of(err).Kind != fault.Invalid || fault.Of(err).Field != field {
				t.Errorf("%s with NUL in %s: %v", o.Name, field, err)
			}
			in[field] = v
		}
	}
	for _, bad := range []string{"a\x00b", "\xff", "\xed\xa0\x80"} {
		if _, err := ops.Do(context.Background(), d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: bad}); fault.Of(err).Field != "label" {
			t.Errorf("%q as a label: %v", bad, err)
		}
		if _, err := d.Terminal(context.Background(), "calliope", bad); fault.Of(err).Field != "actor" {
			t.Errorf("%q as an actor: %v", bad, err)
		}
		if _, err := d.Terminal(context.Background(), "b"+"\xff", ada); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q as a brain: %v", bad, err)
		}
	}
}

func TestInputIsReadStrictly(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	deep := strings.Repeat("[", 100_000)
	for raw, want := range map[string]string{
		`{"label":"x","label":"y"}`:       "label is given twice",
		`{"Label":"x"}`:                   `unknown field "Label"`,
		"{\"label\":\"x\",\"ſcopes\":[]}": "unknown field",
		`{"label":"x"}}`:                  "more than one",
		`{"label":"x"} 1`:                 "more than one",
		`{"label":1}`:                     "label must be a string",
		`{"label":"x","rate_limit":99999999999999999999}`: "rate_limit must be a whole number",
		"{\"label\":\"\xff\"}":                            "UTF-8",
		`{"label":` + deep:                                "",
		`[]`:                                              "",
		`"x"`:                                             "",
		`{`:                                               "valid JSON",
	} {
		_, err := d.Invoke(context.Background(), c, ops.CreateAPIKey.Entry(), []byte(raw))
		if f := fault.Of(err); err == nil || f.Kind != fault.Invalid || !strings.Contains(f.Message, want) {
			t.Errorf("%.60s: %v", raw, err)
		}
	}
	for _, n := range []string{"-1", "0", "1", "2147483648", "9223372036854775807"} {
		if _, err := d.Invoke(context.Background(), c, ops.GetVersion.Entry(), []byte(`{"n":`+n+`}`)); !fault.Is(err, fault.NotFound) {
			t.Errorf("version %s: %v", n, err)
		}
	}
	if _, err := d.Invoke(context.Background(), c, ops.CreateAPIKey.Entry(), []byte(`{"label":"x","scopes":["advisor:read"]}`)); err != nil {
		t.Error(err)
	}
}
