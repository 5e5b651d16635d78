package mcp_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"polaris/internal/wiretest"
	"polaris/mcp"
)

// FuzzFront sends any body, with any protocol version, by a key that holds. The
// answer is never a 5xx, comes in time, is JSON or an empty 202, and repeats
// the id.
func FuzzFront(f *testing.F) {
	for _, r := range wiretest.RPCRows() {
		if len(r.Body) < 10_000 {
			f.Add([]byte(r.Body), "")
		}
	}
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for _, m := range []string{"server/discover", "tools/list", "tools/call", "ping", "subscriptions/listen"} {
		f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"`+m+`","params":{"name":"topic_cards","arguments":{},`+meta+`}}`), "2026-07-28")
	}
	f.Add([]byte(wiretest.Call(1, "answer", map[string]any{"query": "HB 4.2(a) \u0000", "topic_ids": []string{"x", "y", "z"}})), "2025-06-18")
	w := wiretest.NewWorld(f, alone, wiretest.Options{Published: true})
	h, err := mcp.Hosted(w.Desk, w.Door, mcp.Config{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte, version string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/mcp", bytes.NewReader(body))
		r.Host = wiretest.PublicHost
		r.Header = http.Header{"X-Api-Key": {w.Keys["reader"]}, "Content-Type": {"application/json"}, "Mcp-Protocol-Version": {version}}
		a := httptest.NewRecorder()
		start := time.Now()
		h.ServeHTTP(a, r)
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("took %s", d)
		}
		out := a.Body.Bytes()
		switch {
		case a.Code >= 500:
			t.Errorf("status %d: %s", a.Code, out)
		case a.Code == http.StatusAccepted && len(out) == 0:
		case a.Code == http.StatusAccepted, !json.Valid(out):
			t.Errorf("status %d, body %q", a.Code, out)
		default:
			sameID(t, body, out)
		}
	})
}

// sameID checks that an answer repeats its request's id, where there is one.
func sameID(t *testing.T, sent, got []byte) {
	t.Helper()
	var in, out struct {
		ID json.RawMessage `json:"id"`
	}
	var exact map[string]json.RawMessage
	if json.Unmarshal(sent, &exact) != nil || json.Unmarshal(got, &out) != nil || exact["id"] == nil {
		return
	}
	in.ID = exact["id"]
	usable := in.ID[0] == '"' || in.ID[0] == '-' || in.ID[0] >= '0' && in.ID[0] <= '9'
	if usable && bytes.Count(sent, []byte("id")) == 1 && !bytes.Equal(in.ID, out.ID) && string(out.ID) != "null" {
		t.Errorf("id %s came back as %s", in.ID, out.ID)
	}
}
