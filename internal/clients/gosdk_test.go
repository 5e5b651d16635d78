package clients

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer adds a key to each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestGoSDK runs the official Go SDK's client, in each era.
func TestGoSDK(t *testing.T) {
	t.Parallel()
	s := polaris(t)
	connect := func(ctx context.Context, via *relay, key, protocol string) (*mcp.ClientSession, error) {
		c := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1"}, nil)
		return c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: via.url + "/v1/mcp", HTTPClient: &http.Client{Transport: bearer(key)}},
			&mcp.ClientSessionOptions{ProtocolVersion: protocol})
	}
	for _, protocol := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			via := newRelay(t, s.url, nil)
			session, err := connect(ctx, via, s.key, protocol)
			if err != nil {
				t.Fatal(err)
			}
			var got sight
			for tool, err := range session.Tools(ctx, nil) {
				if err != nil {
					t.Fatal(err)
				}
				got.Tools = append(got.Tools, tool.Name)
			}
			call := func(tool string, args map[string]any) told {
				res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
				if err != nil {
					t.Fatal(err)
				}
				raw, err := json.Marshal(res)
				if err != nil {
					t.Fatal(err)
				}
				var r result
				if err := json.Unmarshal(raw, &r); err != nil {
					t.Fatal(err)
				}
				return r.told()
			}
			got.Answer = call("answer", map[string]any{"query": question})
			got.Failed = call("read_wiki", map[string]any{"entity": "Nothing Of That Name"})
			got.check(t)
			if err := session.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
			via.speaks(t, protocol)
		})
	}
	t.Run("bad key", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		via := newRelay(t, s.url, nil)
		if _, err := connect(ctx, via, badKey, ""); err == nil || !strings.Contains(err.Error(), "Unauthorized") {
			t.Errorf("the user is told %v", err)
		}
		via.gaveUp(t, 2)
	})
}
