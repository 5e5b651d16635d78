package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestFastMCP replays what a client of fastmcp sends; the file says where that
// is from. No Python runs here.
func TestFastMCP(t *testing.T) {
	t.Parallel()
	s := polaris(t)
	raw, err := os.ReadFile("testdata/fastmcp.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Headers   map[string]string
		Exchanges map[string][]exchange
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Exchanges) != 2 {
		t.Fatalf("%d exchanges", len(file.Exchanges))
	}
	for era, all := range file.Exchanges {
		for i, e := range all {
			t.Run(fmt.Sprintf("%s %d", era, i), func(t *testing.T) {
				t.Parallel() // no request knows of another: there are no sessions
				e.replay(t, s, file.Headers)
			})
		}
	}
}

// An exchange is a request, and what its answer must hold.
type exchange struct {
	Headers map[string]string
	Body    string
	Status  int
	Answers bool // the question
	Want    any
}

func (e exchange) replay(t *testing.T, s *server, headers map[string]string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/mcp", strings.NewReader(strings.ReplaceAll(e.Body, "{question}", question)))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []map[string]string{headers, e.Headers} {
		for name, value := range h {
			req.Header.Set(name, strings.ReplaceAll(value, "{key}", s.key))
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	// It would keep a session id, and open a stream for it.
	if resp.StatusCode != e.Status || resp.Header.Get("Mcp-Session-Id") != "" {
		t.Fatalf("%s\nis answered %d %v\n%s", e.Body, resp.StatusCode, resp.Header, body)
	}
	if e.Want == nil {
		if len(body) > 0 {
			t.Errorf("a notification is answered %s", body)
		}
		return
	}
	var got any
	if err := json.Unmarshal(body, &got); err != nil || resp.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%v in %q %s", err, resp.Header.Get("Content-Type"), body)
	}
	if lack := lacks("", got, e.Want); lack != "" {
		t.Errorf("%s\nis answered without %s:\n%s", e.Body, lack, body)
	}
	if e.Answers {
		var a struct{ Result result }
		if err := json.Unmarshal(body, &a); err != nil {
			t.Fatal(err)
		}
		a.Result.told().check(t)
	}
}

// lacks returns where got is not, or does not hold, want: an object may hold
// more, a list may not.
func lacks(at string, got, want any) string {
	switch want := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return at
		}
		for name, w := range want {
			v, ok := g[name]
			if !ok {
				return at + "." + name
			}
			if lack := lacks(at+"."+name, v, w); lack != "" {
				return lack
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(want) {
			return at
		}
		for i, w := range want {
			if lack := lacks(fmt.Sprintf("%s[%d]", at, i), g[i], w); lack != "" {
				return lack
			}
		}
	default:
		if got != want {
			return fmt.Sprintf("%s = %v", at, want)
		}
	}
	return ""
}
