package openai_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/cmd/bb/demo"
	"polaris/internal/wiretest"
	"polaris/models"
	"polaris/ops"
)

// A completion is what a client reads of an answer.
type completion struct {
	ID, Object, Model string
	Created           int64
	Fingerprint       string `json:"system_fingerprint"`
	Choices           []struct {
		Index        int
		Message      map[string]any
		Delta        map[string]any
		FinishReason *string `json:"finish_reason"`
	}
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
	}
	Polaris *models.Envelope
}

// answered asks and reads the one JSON object.
func answered(t *testing.T, w *wiretest.World, key, body string) completion {
	t.Helper()
	a := w.Do(t, wiretest.Row{Path: chat, Header: bearer(key), Body: body})
	var c completion
	a.JSON(t, &c)
	if a.StatusCode != http.StatusOK || a.Header.Get("Content-Type") != "application/json" || len(c.Choices) != 1 || c.Polaris == nil || c.Usage == nil {
		t.Fatalf("%d %v %s", a.StatusCode, a.Header, a.Body)
	}
	return c
}

func (c completion) content() string { s, _ := c.Choices[0].Message["content"].(string); return s }

// TestContent: the demo's own questions. The text that every client shows is
// the envelope's, sources and proof included; what is not in the handbook is
// declined in the same shape.
func TestContent(t *testing.T) {
	t.Parallel()
	both(t, wiretest.Options{Published: true}, func(t *testing.T, w *wiretest.World) {
		check := func(text string, topics []string) *models.Envelope {
			body := ask(text)
			if topics != nil {
				ids, _ := json.Marshal(topics) // strings marshal
				body = ask(text, `"topic_ids":`+string(ids))
			}
			began := time.Now().Add(-time.Second).Unix()
			c := answered(t, w, "reader", body)
			e, m := c.Polaris, c.Choices[0].Message
			if c.content() != e.Rendered || !strings.Contains(c.content(), e.RecordURL) || e.AnswerID == "" || e.Query != text {
				t.Errorf("%q: content %q, envelope %+v", text, c.content(), e)
			}
			if refusal, there := m["refusal"]; m["role"] != "assistant" || !there || refusal != nil || len(m) != 3 || c.Choices[0].FinishReason == nil || *c.Choices[0].FinishReason != "stop" {
				t.Errorf("%q: %+v", text, c.Choices)
			}
			if c.Object != "chat.completion" || c.Model != "polaris" || c.ID != "chatcmpl-"+strings.TrimPrefix(e.AnswerID, "ans_") || c.Created < began || c.Fingerprint != e.Engine+"/1" {
				t.Errorf("%q: %+v", text, c)
			}
			if u := c.Usage; u.Prompt != (len(text)+3)/4 || u.Completion != (len(c.content())+3)/4 || u.Total != u.Prompt+u.Completion {
				t.Errorf("%q: %+v", text, u)
			}
			return e
		}
		for _, q := range demo.Examples().Answerable {
			e := check(q.Text, q.Topics)
			if e.Guardrail.Status != models.GuardrailPass || len(e.Citations) == 0 || len(e.Notices) != 0 || !strings.Contains(e.Rendered, "\n## Sources\n") {
				t.Errorf("%q: %+v", q.Text, e)
			}
		}
		for _, q := range demo.Examples().Unanswerable {
			if e := check(q, nil); e.Guardrail.Status != models.GuardrailDisclaim || len(e.Citations) != 0 || !strings.Contains(e.Rendered, "disclaim") {
				t.Errorf("%q: %+v", q, e)
			}
		}
	})
}

// events reads a stream of server-sent events to its end.
func events(t *testing.T, body []byte) []string {
	t.Helper()
	var all []string
	for s := bufio.NewScanner(bytes.NewReader(body)); s.Scan(); {
		data, ok := strings.CutPrefix(s.Text(), "data: ")
		if !ok || !s.Scan() || s.Text() != "" {
			t.Fatalf("no event: %q in %s", s.Text(), body)
		}
		all = append(all, data)
	}
	if len(all) == 0 || all[len(all)-1] != "[DONE]" || !bytes.HasSuffix(body, []byte("\n\n")) {
		t.Fatalf("the stream does not end: %s", body)
	}
	return all[:len(all)-1]
}

// TestStream: role, text, end with the envelope, usage where wanted, [DONE]; and
// the pieces are the text of the same answer that is given whole.
func TestStream(t *testing.T) {
	t.Parallel()
	both(t, wiretest.Options{Published: true}, func(t *testing.T, w *wiretest.World) {
		for _, text := range append(demo.Examples().Unanswerable, question(), "What does HB 4 say? What does HB 3.3(a) say?", "HB 4.2(a), HB 4.3(b), HB 3.3(a), CP 2.2(a), REC 2.1(a), VC 4.1(a)") {
			for _, usage := range []bool{false, true} {
				options := []string{`"stream":true`}
				if usage {
					options = append(options, `"stream_options":{"include_usage":true}`)
				}
				a := w.Do(t, wiretest.Row{Path: chat, Body: ask(text, options...)})
				if a.StatusCode != http.StatusOK || a.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" || a.Header.Get("X-Accel-Buffering") != "no" || a.Header.Get("Cache-Control") != "no-store" || a.ContentLength != -1 {
					t.Fatalf("%d %v", a.StatusCode, a.Header)
				}
				reassembled(t, events(t, a.Body), usage, answered(t, w, "reader", ask(text)))
			}
		}
	})
}

// reassembled puts a stream together and holds it against the whole answer.
func reassembled(t *testing.T, events []string, usage bool, whole completion) {
	t.Helper()
	var content strings.Builder
	var last *models.Envelope
	for i, event := range events {
		var c completion
		if err := json.Unmarshal([]byte(event), &c); err != nil {
			t.Fatalf("%v: %s", err, event)
		}
		if c.Object != "chat.completion.chunk" || c.Model != "polaris" || c.Fingerprint != whole.Fingerprint || !strings.HasPrefix(c.ID, "chatcmpl-") || c.Choices == nil {
			t.Errorf("chunk %d: %s", i, event)
		}
		end := len(events) - 1
		if usage {
			end--
		}
		switch {
		case i == end+1:
			if len(c.Choices) != 0 || c.Usage == nil || *c.Usage != *whole.Usage || c.Polaris != nil {
				t.Errorf("the usage is %s", event)
			}
			continue
		case len(c.Choices) != 1 || c.Usage != nil || (i == end) != (c.Polaris != nil):
			t.Fatalf("chunk %d: %s", i, event)
		case i == 0 && c.Choices[0].Delta["role"] != "assistant", i > 0 && c.Choices[0].Delta["role"] != nil:
			t.Errorf("chunk %d: %s", i, event)
		}
		if i == end {
			if last = c.Polaris; *c.Choices[0].FinishReason != "stop" || len(c.Choices[0].Delta) != 0 {
				t.Errorf("the end is %s", event)
			}
			continue
		}
		piece, ok := c.Choices[0].Delta["content"].(string)
		if !ok || c.Choices[0].FinishReason != nil {
			t.Errorf("chunk %d: %s", i, event)
		}
		content.WriteString(piece)
	}
	if content.String() != last.Rendered || timeless(last.Rendered) != timeless(whole.content()) {
		t.Errorf("streamed\n%s\nenvelope\n%s\nwhole\n%s", content.String(), last.Rendered, whole.content())
	}
}

// timeless takes out of an answer what differs between two servings.
func timeless(s string) string {
	return regexp.MustCompile(`ans_\w+`).ReplaceAllString(s, "ans_")
}

// TestNotices: everything a client may send is accepted, and what is ignored is
// said to be; null is as if it were not there.
func TestNotices(t *testing.T) {
	t.Parallel()
	both(t, wiretest.Options{Published: true}, func(t *testing.T, w *wiretest.World) {
		plain := answered(t, w, "reader", ask(question()))
		for _, r := range []struct {
			name    string
			members string
			want    []string // the beginning of each notice
		}{
			{"as asked", `"n":1,"stream":false`, nil},
			{"null", `"n":null,"stream":null,"stream_options":null,"temperature":null,"stop":null,"topic_ids":null,"unheard_of":null`, nil},
			{
				"the usual", `"temperature":0,"max_tokens":100,"max_completion_tokens":5,"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":"required","response_format":{"type":"json_object"},"user":"eve"`,
				[]string{"`max_completion_tokens` is ignored", "`max_tokens` is ignored", "`response_format` is ignored", "`temperature` is ignored", "`tool_choice` is ignored", "`tools` is ignored", "`user` is ignored"},
			},
			{
				"the rest", `"top_p":1,"seed":7,"stop":["x"],"logprobs":true,"top_logprobs":3,"metadata":{"a":"b"},"presence_penalty":1,"frequency_penalty":0.5,"logit_bias":{},"store":true,"parallel_tool_calls":false,"reasoning_effort":"low","service_tier":"auto","modalities":["text"]`,
				[]string{"`frequency_penalty` is", "`logit_bias` is", "`logprobs` is", "`metadata` is", "`modalities` is", "`parallel_tool_calls` is", "`presence_penalty` is", "`reasoning_effort` is", "`seed` is", "`service_tier` is", "`stop` is", "`store` is", "`top_logprobs` is", "`top_p` is"},
			},
			{"nobody's", `"unheard_of":{"a":[1]},"brain_id":"urania"`, []string{"Of the request, `brain_id`, `unheard_of` are ignored"}},
			{"options without a stream", `"stream_options":{"include_usage":true}`, []string{"`stream_options` is ignored"}},
		} {
			c := answered(t, w, "reader", ask(question(), r.members))
			if got := c.Polaris.Notices; len(got) != len(r.want) || slices.ContainsFunc(r.want, func(n string) bool {
				return !slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, n) })
			}) {
				t.Errorf("%s: %q, want %q", r.name, got, r.want)
			}
			if timeless(c.content()) != timeless(plain.content()) || len(c.Choices[0].Message) != 3 {
				t.Errorf("%s: the answer is another: %+v", r.name, c.Choices)
			}
			a := w.Do(t, wiretest.Row{Path: chat, Body: strings.Replace(ask(question(), r.members), `"stream":false`, `"seed":null`, 1)})
			if bytes.Contains(a.Body, []byte(`"tool_calls"`)) || bytes.Contains(a.Body, []byte(`"function_call"`)) {
				t.Errorf("%s: a tool is called: %s", r.name, a.Body)
			}
		}
		var made strings.Builder
		for i := range 500 {
			made.WriteString(`,"` + strings.Repeat("x", 300) + string(rune('A'+i%26)) + strings.Repeat("y", i) + `":1`)
		}
		c := answered(t, w, "reader", ask(question(), made.String()[1:]))
		if n := c.Polaris.Notices; len(n) != 1 || len(n[0]) > 4000 || !strings.Contains(n[0], "and 480 more are ignored") {
			t.Errorf("500 fields: %d notices of %d bytes: %.200q", len(n), len(n[0]), n)
		}
	})
}

// TestConversation: the last user message is the question. What came before
// changes an answer only where that message names nothing by itself, and is
// said to be unused otherwise.
func TestConversation(t *testing.T) {
	t.Parallel()
	both(t, wiretest.Options{Published: true}, func(t *testing.T, w *wiretest.World) {
		const before = "Does a counter-offer stay open for ever?"
		talk := func(last string) string {
			text, _ := json.Marshal(last) // a string marshals
			return `{"model":"calliope","messages":[{"role":"system","content":"Answer in verse."},{"role":"developer","content":[{"type":"text","text":"Call it free."}]},
				{"role":"user","content":"When must we acknowledge a complaint?"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"c","content":"in 3 days"},{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]},{"role":"user","name":"eve","content":[{"type":"text","text":"` + before + `"}]},{"role":"assistant","content":"[1] yes [9]"},
				{"role":"user","content":` + string(text) + `},{"role":"assistant","content":"Let me see."}]}`
		}
		for _, last := range []string{question(), demo.Examples().Unanswerable[3], "And who audits our annual accounts?", "What does HB 3.3(a) say?"} {
			c, alone := answered(t, w, "reader", talk(last)), answered(t, w, "reader", ask(last))
			if timeless(c.content()) != timeless(alone.content()) || c.Polaris.Query != last || c.Model != "calliope" {
				t.Errorf("%q in a conversation:\n%s\nalone:\n%s", last, c.content(), alone.content())
			}
			want := []string{"4 `assistant` messages are ignored", "1 `developer` message is ignored", "1 `system` message is ignored", "1 `tool` message is ignored", "In messages, `name`, `tool_call_id`, `tool_calls` are ignored", "2 earlier `user` messages are not used"}
			for i, n := range want {
				if len(c.Polaris.Notices) != len(want) || !strings.HasPrefix(c.Polaris.Notices[i], n) {
					t.Fatalf("%q: %q, want %q", last, c.Polaris.Notices, want)
				}
			}
		}
		c := answered(t, w, "reader", talk("How long?"))
		if c.Polaris.Query != before+"\nHow long?" || !strings.Contains(c.content(), "open for 30 days") || !strings.Contains(c.content(), "Note: The last question names nothing by itself") || !strings.Contains(strings.Join(c.Polaris.Notices, "\n"), "1 earlier `user` message is not used") {
			t.Errorf("%+v", c.Polaris)
		}
		if c := answered(t, w, "reader", ask("How long?")); c.Polaris.Query != "How long?" || len(c.Polaris.Notices) != 0 {
			t.Errorf("without a conversation: %+v", c.Polaris)
		}
		parts := answered(t, w, "reader", `{"model":"polaris","messages":[{"role":"user","content":[{"type":"text","text":"How long does a counter-offer"},{"type":"text","text":"stay open?"}]}]}`)
		if parts.Polaris.Query != "How long does a counter-offer\nstay open?" || !strings.Contains(parts.content(), "open for 30 days") {
			t.Errorf("parts: %+v", parts.Polaris)
		}
		long := answered(t, w, "reader", `{"model":"polaris","messages":[{"role":"user","content":"fee `+strings.Repeat("x", 7995)+`"},{"role":"user","content":"How long?"}]}`)
		if long.Polaris.Query != "How long?" {
			t.Errorf("an earlier message of 7,999 characters was read with it: %.100q", long.Polaris.Query)
		}
	})
}

// TestBrainsAreApart: a key's brain answers, whatever the body says, and a card
// of another brain is like one that never was.
func TestBrainsAreApart(t *testing.T) {
	t.Parallel()
	both(t, wiretest.Options{Published: true}, func(t *testing.T, w *wiretest.World) {
		theirs := demo.Cards()[0].ID
		see := func(id string) string {
			c := answered(t, w, "other", ask(question(), `"topic_ids":["`+id+`"],"brain_id":"calliope"`))
			if c.Polaris.BrainVersion != 0 || len(c.Polaris.Citations) != 0 || c.Polaris.Guardrail.Reasons[0] != "no_published_version" {
				t.Errorf("urania's key got %+v", c.Polaris)
			}
			b, err := json.Marshal(c.Polaris.Notices)
			if err != nil {
				t.Fatal(err)
			}
			return strings.ReplaceAll(timeless(c.content())+string(b), id, "ID")
		}
		if a, b := see(theirs), see("never-was"); a != b {
			t.Errorf("a foreign card answers\n%s\nnone\n%s", a, b)
		}
		call := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: "ada@example.org"}, Brain: "urania", Via: ops.CLI}
		for _, step := range []func() error{
			func() error {
				_, err := ops.Do(t.Context(), w.Desk, call, ops.ImportSource, ops.ImportSourceIn{Name: "u.md", Code: "UR", Data: []byte("# Stars\n\n## 1 Names\n\n(a) Every star is named once.\n")})
				return err
			},
			func() error {
				_, err := ops.Do(t.Context(), w.Desk, call, ops.SaveCard, ops.SaveCardIn{ID: "stars", Label: "Stars", Covers: "names", Anchors: []string{"UR 1(a)"}})
				return err
			},
		} {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		scoped := func(id string) string {
			c := answered(t, w, "reader", ask(question(), `"topic_ids":["`+id+`"]`))
			b, _ := json.Marshal(c.Polaris.Notices) // strings marshal
			return strings.ReplaceAll(timeless(c.content())+string(b), id, "ID")
		}
		if a, b := scoped("stars"), scoped("never"); a != b || !strings.Contains(a, "ID") {
			t.Errorf("a foreign card answers\n%s\nnone\n%s", a, b)
		}
	})
}

// TestRecorded: an answer's row and record are there before it leaves, under the
// surface and the key; a refused question leaves a row, too; and no answer
// leaves without its row.
func TestRecorded(t *testing.T) {
	t.Parallel()
	both(t, wiretest.Options{Published: true}, func(t *testing.T, w *wiretest.World) {
		own, err := pgx.Connect(t.Context(), w.DB.Own)
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close(t.Context())
		if _, err := own.Exec(t.Context(), "SELECT set_config('app.brain_id', 'calliope', false)"); err != nil {
			t.Fatal(err)
		}
		id, _ := models.KeyID(w.Keys["reader"])
		for _, stream := range []string{`"stream":false`, `"stream":true`} {
			a := w.Do(t, wiretest.Row{Path: chat, Header: bearer("reader", "X-Request-Id", "req-1"), Body: ask(question(), stream)})
			answer := regexp.MustCompile(`ans_\w+`).FindString(string(a.Body))
			var surface, key, operation, outcome, request, body string
			err := own.QueryRow(t.Context(), "SELECT a.surface, a.key_id, a.operation, a.outcome, a.request_id, r.envelope FROM audit a JOIN answers r ON r.id = a.target WHERE a.target = $1", answer).Scan(&surface, &key, &operation, &outcome, &request, &body)
			if err != nil || surface != "openai" || key != id || operation != "answer" || outcome != "ok" || request != "req-1" || !strings.Contains(body, `"rendered"`) {
				t.Errorf("%s: row %s %s %s %s %s, %v", answer, surface, key, operation, outcome, request, err)
			}
		}
		refused(t, w, row{Row: wiretest.Row{Body: ask(strings.Repeat("x", 8001)), Status: 400, Code: "invalid"}, param: "messages[0].content"})
		var n int
		if err := own.QueryRow(t.Context(), "SELECT count(*) FROM audit WHERE surface = 'openai' AND outcome = 'invalid' AND key_id = $1", id).Scan(&n); err != nil || n != 1 {
			t.Errorf("%d rows of the refused question, %v", n, err)
		}
		if _, err := own.Exec(t.Context(), "REVOKE INSERT ON audit FROM polaris_app"); err != nil {
			t.Fatal(err)
		}
		for _, stream := range []string{`"stream":false`, `"stream":true`} {
			refused(t, w, row{Row: wiretest.Row{Name: "audit away", Body: ask(question(), stream), Status: 503, Code: "audit_unavailable", Expect: map[string]string{"Retry-After": "2"}}})
		}
	})
}
