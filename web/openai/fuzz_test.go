package openai_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"polaris/cmd/bb/demo"
	"polaris/internal/wiretest"
)

// FuzzBody sends any body by a key that holds. The answer comes in time, is no
// 5xx, and is JSON of OpenAI's shape or a stream that ends.
func FuzzBody(f *testing.F) {
	for _, q := range demo.Examples().Answerable {
		f.Add([]byte(ask(q.Text, `"stream":true,"stream_options":{"include_usage":true},"topic_ids":["`+demo.Cards()[0].ID+`"]`)))
	}
	for _, body := range []string{
		``, `null`, `[]`, `{"model":"polaris","model":"x"}`, ask("x", `"n":2`), ask("\x00"), ask("How long?", `"unheard_of":[[]],"stop":["a"],"temperature":1e400`),
		`{"model":"calliope","messages":[{"role":"system","content":[{"type":"text","text":"x"}]},{"role":"user","content":"HB 1"},{"role":"assistant","content":null,"tool_calls":[]},{"role":"tool","content":"y"},{"role":"user","content":[{"type":"text","text":"Why?"},{"type":"text","text":"\ud800"}]}]}`,
		`{"model":"polaris","messages":[{"role":"user","content":[{"type":"image_url","image_url":{}}]}]}`,
	} {
		f.Add([]byte(body))
	}
	w := wiretest.NewWorld(f, alone, wiretest.Options{Published: true})
	h := alone(f, w, nil)
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, chat, bytes.NewReader(body))
		r.Host = wiretest.PublicHost
		r.Header = http.Header{"X-Api-Key": {w.Keys["reader"]}, "Content-Type": {"application/json"}}
		a := httptest.NewRecorder()
		start := time.Now()
		h.ServeHTTP(a, r)
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("took %s", d)
		}
		fuzzed(t, a)
	})
}

func fuzzed(t *testing.T, a *httptest.ResponseRecorder) {
	t.Helper()
	out := a.Body.Bytes()
	if a.Code == http.StatusOK && a.Header().Get("Content-Type") != "application/json" {
		for _, event := range events(t, out) {
			if !json.Valid([]byte(event)) {
				t.Errorf("event %q", event)
			}
		}
		return
	}
	var v struct {
		Choices []any
		Error   struct{ Message, Code, Type string }
	}
	if err := json.Unmarshal(out, &v); err != nil || a.Code >= 500 || (a.Code == http.StatusOK) != (len(v.Choices) == 1) || (a.Code == http.StatusOK) == (v.Error.Message != "" && v.Error.Code != "" && v.Error.Type != "") {
		t.Errorf("status %d, body %q, %v", a.Code, out, err)
	}
}
