package web

import (
	"net/http"
	"strings"
	"testing"
)

// A packed body is refused before anything is unpacked, whatever it would unpack
// to.
func TestPackedBodies(t *testing.T) {
	t.Parallel()
	_, b := unhurried(t)
	for _, how := range []string{"gzip", "deflate", "br", "gzip, gzip"} {
		b.do(http.MethodPost, "/v1/brains/calliope/sources", strings.Repeat("\x1f\x8b", 1000), "Content-Type", "application/json", "Content-Encoding", how).problem(http.StatusUnsupportedMediaType)
	}
}
