package web

import (
	"net/http"
	"strings"
	"testing"

	"polaris/internal/leaks"
	"polaris/internal/wiretest"
)

// The table of the hosted endpoint holds through the whole router, too: nothing
// around it answers in its place or adds to what it says.
func TestWireTableThroughTheRouter(t *testing.T) {
	t.Parallel()
	wiretest.Run(t, func(tb testing.TB, w *wiretest.World, hosted http.Handler) http.Handler {
		return New(w.Desk, w.Door, hosted, Config{
			PublicURL: "https://" + wiretest.PublicHost, CookieKey: []byte(strings.Repeat("k", 32)), MCPPath: "/v1/mcp", Log: leaks.Log(tb),
		}).Handler()
	})
}
