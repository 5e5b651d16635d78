package wiretest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Tool is one entry of tools/list.
type Tool struct {
	Name, Title, Description  string
	InputSchema, OutputSchema json.RawMessage
	Annotations               map[string]any
}

// Tools lists what the key may call.
func (w *World) Tools(tb testing.TB, key string) []Tool {
	tb.Helper()
	var v struct{ Result struct{ Tools []Tool } }
	w.Do(tb, Row{Header: bearer(key), Body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`}).JSON(tb, &v)
	return v.Result.Tools
}

// toolsList: each caller's own, sorted, complete; and what is not listed cannot
// be called, with the answer for a tool that does not exist.
func toolsList(t *testing.T, mount Mount) {
	w := NewWorld(t, mount, Options{})
	var names []string
	for _, tool := range w.Tools(t, "reader") {
		names = append(names, tool.Name)
		if tool.Title == "" || tool.Description == "" || len(tool.Description) > 2000 || len(tool.InputSchema) == 0 || len(tool.OutputSchema) == 0 {
			t.Errorf("%s lacks something: %+v", tool.Name, tool)
		}
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := tool.Annotations[hint].(bool); !ok {
				t.Errorf("%s: no %s", tool.Name, hint)
			}
		}
	}
	want := []string{"answer", "broken", "deaf", "panics", "read_wiki", "retrieve", "slow", "topic_cards", "unfit"}
	if !slices.Equal(names, want) {
		t.Errorf("tools %v, want %v", names, want)
	}
	hidden := w.Do(t, Row{Body: Call(1, "hidden", map[string]any{"who": "x"})}).Body
	nothing := w.Do(t, Row{Body: Call(1, "absent", map[string]any{"who": "x"})}).Body
	if got := bytes.ReplaceAll(nothing, []byte("absent"), []byte("hidden")); !bytes.Equal(hidden, got) {
		t.Errorf("a hidden tool answers %s, one that is not there %s", hidden, nothing)
	}
}

// toolFailures: a failing tool is a result that says so and gives nothing away,
// and the log has no text of the cause.
func toolFailures(t *testing.T, mount Mount) {
	var log Log
	w := NewWorld(t, mount, Options{Log: &log})
	for _, tool := range []string{"broken", "panics", "unfit"} {
		a := w.Do(t, Row{Header: bearer("reader", "X-Request-Id", "req-"+tool), Body: Call(1, tool, map[string]any{"who": "x"})})
		r := a.Result(t)
		if a.StatusCode != http.StatusOK || !r.IsError || r.Data != nil || bytes.Contains(a.Body, []byte("secret")) {
			t.Errorf("%s: %d %s", tool, a.StatusCode, a.Body)
		}
		if got := w.Do(t, Row{Body: Call(1, tool, map[string]any{"who": "y"})}).Result(t); got.Content[0].Text != r.Content[0].Text {
			t.Errorf("%s: its message is not stable: %q, then %q", tool, r.Content[0].Text, got.Content[0].Text)
		}
		if a.Header.Get("X-Request-Id") != "req-"+tool || !strings.Contains(log.String(), "operation=test."+tool) || !strings.Contains(log.String(), "request_id=req-"+tool) {
			t.Errorf("%s: not in the log by name and request id:\n%s", tool, log.String())
		}
	}
	if strings.Contains(log.String(), "secret") || strings.Contains(log.String(), w.Keys["reader"]) {
		t.Errorf("the log gives a cause or a key away:\n%s", log.String())
	}
	unfit := w.Do(t, Row{Header: bearer("reader", "X-Request-Id", "a b\"c"), Body: ping})
	if id := unfit.Header.Get("X-Request-Id"); !strings.HasPrefix(id, "req_") {
		t.Errorf("request id %q, want one of ours", id)
	}
}

// A Log may be read while it is written.
type Log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write adds to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String returns what was written so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// cancelledByPeer: one key's notifications/cancelled touches neither another
// key's call of the same id nor its own.
func cancelledByPeer(t *testing.T, mount Mount) {
	w := NewWorld(t, mount, Options{})
	done := make(chan string, 2)
	for _, key := range []string{"reader", "other"} {
		go func() {
			a := w.Do(t, Row{Header: bearer(key), Body: Call(7, "slow", map[string]any{"who": key})})
			done <- string(a.Body)
		}()
		w.Slow.Started(t)
	}
	for _, key := range []string{"reader", "other", "tight"} {
		w.check(t, Row{Header: bearer(key), Body: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"x"}}`, Status: 202})
	}
	select {
	case b := <-done:
		t.Fatalf("a call ended: %s", b)
	case <-time.After(300 * time.Millisecond):
	}
	w.Slow.Release()
	for range 2 {
		if b := <-done; !strings.Contains(b, "released:") || !strings.Contains(b, `"id":7,`) {
			t.Errorf("got %s, want the call's own end", b)
		}
	}
}

// clientGone: a call whose client hangs up is cancelled.
func clientGone(t *testing.T, mount Mount) {
	w := NewWorld(t, mount, Options{})
	ctx, hangUp := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL+"/v1/mcp", strings.NewReader(Call(1, "slow", map[string]any{"who": "me"})))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = bearer("reader", "Content-Type", "application/json")
	req.Header.Set("Authorization", w.key(req.Header.Get("Authorization")))
	ended := make(chan error, 1)
	go func() {
		res, err := client.Do(req)
		if err == nil {
			res.Body.Close()
		}
		ended <- err
	}()
	w.Slow.Started(t)
	hangUp()
	if err := <-ended; err == nil {
		t.Error("an answer came after hanging up")
	}
	if got := w.Slow.Started(t); got != "cancelled:me" {
		t.Errorf("got %q, want the call cancelled", got)
	}
}

// deadline: no call takes longer, whether its operation looks at the time or
// not, and the answer says so.
func deadline(t *testing.T, mount Mount) {
	w := NewWorld(t, mount, Options{Deadline: time.Second})
	defer w.Slow.Release()
	for _, tool := range []string{"slow", "deaf"} {
		start := time.Now()
		a := w.Do(t, Row{Body: Call(1, tool, map[string]any{"who": "me"})})
		if r := a.Result(t); !r.IsError || r.Data != nil || !strings.Contains(r.Content[0].Text, "timeout") {
			t.Errorf("%s: %s", tool, a.Body)
		}
		if d := time.Since(start); d > 3*time.Second {
			t.Errorf("%s took %s", tool, d)
		}
	}
}

// noNulls: absent lists are empty, and other absent values left out.
func noNulls(t *testing.T, mount Mount) {
	w := NewWorld(t, mount, Options{})
	got := make(chan Result, 1)
	go func() { got <- w.Do(t, Row{Body: Call(1, "slow", map[string]any{"who": "me"})}).Result(t) }()
	w.Slow.Started(t)
	w.Slow.Release()
	if r := <-got; string(r.Data) != `{"ended":"released:me","lists":[]}` {
		t.Errorf("got %s", r.Data)
	}
}
